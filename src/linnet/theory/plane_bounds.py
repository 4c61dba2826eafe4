"""What a plane proves of the mistakes of a learner that was not too far from it: the perceptron, and balanced Winnow.

Of any plane u, and any gamma > 0: a row whose margin under u is m owes the loss max(0, 1 - m / gamma), and L is what
all rows owe, as often as they were presented.  Every mistake adds its row (on its side) to theta, so M mistakes bring
u . theta to gamma (M - L) or more.  How far theta can have come bounds M:

perceptron   |u| = 1, rows no longer than R: a mistake adds at most R^2 to |theta|^2, so gamma (M - L) <= sqrt(M) R,

        sqrt(M) <= (a + sqrt(a^2 + 4 L)) / 2,  a = R / gamma.

    Without losses this is (R / gamma)^2 (Novikoff 1962); with them see Gentile 2003 and Mohri, Rostamizadeh 2013.  Of
    many classes at once m is the lead over the best rival under weights of length 1 in all, and a mistake moves two
    classes: a^2 = 2 (R / gamma)^2 (Collins 2002).  In a stream two classes are learnt as one plane until a third one
    comes, which in these terms are steps of 1/2.  With M1 of them and M2 whole ones, and no losses,
    gamma (M1/2 + M2) <= sqrt(2 (M1/4 + M2)) R; M1 + M2 is largest where M1 = 2 M2: 9/8 of 2 (R / gamma)^2.

balanced Winnow   |u|_1 = 1, values from 0 to 1, and 1 for the intercept: the weights are exp(+-eta theta_j), eta =
    log alpha, 2 (d + 1) of them.  On a mistake alpha^(+-x) <= 1 + (alpha^(+-1) - 1) x, and the side that should have
    weighed more did not: their sum grows by the factor cosh eta at most.  Some weight is exp(eta gamma (M - L)) or
    more, so

        M (eta gamma - log cosh eta) <= log(2 (d + 1)) + eta gamma L,

    a bound wherever gamma > log cosh eta / eta (the argument of Littlestone 1989, and of Grove, Littlestone, Schuurmans
    2001).

The plane is the model's, and gamma the one that proves most: its margin, if it separates the rows, or one of a grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.kernels import scores as kernel
from linnet.kernels.dual_logistic import squared_lengths
from linnet.training.threads import over_parts

Flat = NDArray[np.float64]

# Eight to a doubling: the best gamma is at most 9 % away.
GAMMAS: Flat = 2.0 ** (np.arange(-320, 321) / 8.0)
# Rows whose margins a thread measures at once, and all threads before they are counted: few enough for a cache, and for
# nobody to notice the memory.
AT_ONCE, IN_MEMORY = 1 << 11, 1 << 14
NO_TIMES: Flat = np.empty(0)
EPS = float(np.finfo(np.float64).eps)
# Weights that are multiplied stay within exp(-LIMIT) and exp(LIMIT), where no theorem goes (kernels/multiplicative.py).
LIMIT = 100.0 * math.log(10.0)


@dataclass(frozen=True)
class Proven:
    """A number of mistakes that cannot have been exceeded, by this gamma and these losses."""

    bound: float
    gamma: float
    losses: float


def bound_of_perceptron(radius: float, gamma: float, losses: float, factor: float = 1.0) -> float:
    """How many mistakes there can be, with a^2 = factor (R / gamma)^2."""
    ratio = math.sqrt(factor) * radius / gamma
    return ((ratio + math.sqrt(ratio * ratio + 4.0 * losses)) / 2.0) ** 2


def bound_of_balanced(columns: int, promotion: float, gamma: float, losses: float) -> float:
    """How many mistakes there can be on so many columns, and an intercept; infinite where gamma is too small."""
    eta = math.log(promotion)
    gained = eta * gamma - log_cosh(eta)
    return (math.log(2.0 * (columns + 1)) + eta * gamma * losses) / gained if gained > 0 else math.inf


def within_limits(columns: int, promotion: float) -> float:
    """So many mistakes cannot have brought any weight to where weights are held."""
    return (LIMIT - math.log(2.0 * (columns + 1))) / log_cosh(math.log(promotion))


def log_cosh(x: float) -> float:
    return math.log1p(math.expm1(x) ** 2 / (2.0 * math.exp(x)))  # cosh x = 1 + (e^x - 1)^2 / 2 e^x


class Margins:
    """The margins of rows under a plane, as far as bounds ask for them: the least one, and what is owed at each gamma.

    Rows may come in any number of blocks: what comes out does not depend on how they were cut.
    """

    def __init__(self, w: Flat, b: Flat | None, norm: int) -> None:
        self.w, self.has_intercept = np.ascontiguousarray(w), b is not None
        self.b = np.zeros(w.shape[1]) if b is None else b
        every = np.abs(np.concatenate([w.reshape(-1), self.b]))
        with np.errstate(over="ignore"):
            self.length = float(every.sum() if norm == 1 else np.sqrt((every * every).sum()))
        self.least, self.longest, self.rows = math.inf, 0.0, 0.0
        self.counts, self.sums, self.sizes = (np.zeros(len(GAMMAS) + 1) for _ in range(3))

    @np.errstate(over="ignore", invalid="ignore")  # a margin or radius beyond the range of numbers proves nothing
    def take(self, rows: Rows, codes: NDArray[np.int64], times: Flat | None) -> None:
        """More rows: the numbers of their classes (of two: 1 for the positive side), and how often each comes."""
        for first in range(0, rows.shape[0], IN_MEMORY):
            last = min(rows.shape[0], first + IN_MEMORY)
            leads = _leads(self._scores(rows, first, last), codes[first:last])
            self._count(leads / self.length, NO_TIMES if times is None else times[first:last])

    def _scores(self, rows: Rows, first: int, last: int) -> Flat:
        """Of these rows; the longest of them is remembered."""
        d = rows.shape[1]
        scores, squares = np.empty((last - first, self.w.shape[1])), np.empty(last - first)

        def measure(start: int, stop: int) -> None:
            at, to = first + start, first + stop
            part = (rows.values[at * d : to * d], rows.ids, rows.starts, d, True)
            if not rows.dense:
                part = (rows.values, rows.ids, rows.starts[at : to + 1], d, False)
            kernel.scores(*part, self.w, self.b, scores[start:stop])
            squared_lengths(part[0], part[2], d, rows.dense, squares[start:stop])

        over_parts(measure, last - first, AT_ONCE)
        self.longest = max(self.longest, float(squares.max(initial=0.0)))
        return scores

    def _count(self, margins: Flat, times: Flat) -> None:
        self.least = min(self.least, float(margins.min(initial=math.inf)))
        kernel.owe(margins, times, GAMMAS, self.counts, self.sums, self.sizes)
        self.rows += float(times.sum()) if len(times) else len(margins)

    @property
    def radius(self) -> float:
        return math.sqrt(self.longest + self.has_intercept)

    @property
    def _rounding(self) -> float:
        """What rounding may have added to a margin, for every product of its sum."""
        return 4.0 * EPS * (len(self.w) + 2) * self.radius

    @property
    def margin(self) -> float:
        """Of the plane; 0 where it does not separate the rows, or not beyond what rounding can do."""
        margin = self.least - self._rounding
        sound = margin > 0 and math.isfinite(margin) and math.isfinite(self.radius)
        return margin if sound else 0.0

    @np.errstate(over="ignore", invalid="ignore")
    def losses(self) -> Flat:
        """What all rows owe at each of GAMMAS, rounded up."""
        counts, sums, sizes = (np.cumsum(each)[:-1] for each in (self.counts, self.sums, self.sizes))
        sizes = sizes / GAMMAS
        lost_digits = EPS * (self.rows + 4.0) * (counts + sizes) + counts * self._rounding / GAMMAS
        return np.asarray(np.maximum(0.0, counts - sums / GAMMAS) + lost_digits)

    def best(self, bound: Callable[[float, float], float], passes: int) -> Proven | None:
        """The smallest bound(gamma, losses); None where nothing below the number of presentations is proven."""
        found = []
        if self.margin > 0:
            found.append(Proven(bound(self.margin, 0.0), self.margin, 0.0))
        if math.isfinite(self.radius) and math.isfinite(self.least):
            for gamma, owed in zip(GAMMAS.tolist(), (passes * self.losses()).tolist(), strict=True):
                proven = bound(gamma, owed) if owed < passes * self.rows else math.inf
                if proven < passes * self.rows:
                    found.append(Proven(proven, gamma, owed))
        return min((each for each in found if math.isfinite(each.bound)), key=lambda each: each.bound, default=None)


def _leads(scores: Flat, codes: NDArray[np.int64]) -> Flat:
    """By how much each row's own side or class leads."""
    if scores.shape[1] == 1:
        return np.asarray(np.where(codes == 1, scores[:, 0], -scores[:, 0]))
    every = np.arange(len(codes))
    own = scores[every, codes]
    rivals = scores.copy()
    rivals[every, codes] = -np.inf
    return np.asarray(own - rivals.max(axis=1))
