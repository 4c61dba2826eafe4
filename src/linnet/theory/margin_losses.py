"""The margins of rows under a plane, and their hinge losses at every margin gamma of a grid.

The plane u has norm 1 (L2 for the perceptron, L1 for balanced Winnow).  A row of margin m has the loss
max(0, 1 - m / gamma), and L is the sum over all presentations of rows.  The bounds of perceptron_bound.py and
winnow_bound.py take gamma and L.  The plane is the fitted one; gamma is the one that gives the smallest bound: the
plane's margin, if it separates the rows, or one of the grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.kernels import scores as kernel
from linnet.kernels.dual_logistic import squared_lengths
from linnet.learners.sparse_weights import SparseWeights
from linnet.training.threads import over_parts

Flat = NDArray[np.float64]

# Eight to a doubling: the best gamma is at most 9 % away.
GAMMAS: Flat = 2.0 ** (np.arange(-320, 321) / 8.0)
# Rows that one thread scores at a time, and rows that are scored before their losses are added up.
ROWS_PER_THREAD, ROWS_PER_BLOCK = 1 << 11, 1 << 14
# Scores of rows and classes that are worked out at once (128 MB).
SCORES_PER_BLOCK = 1 << 24
ONCE_EACH: Flat = np.empty(0)
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Proven:
    """A number of mistakes that cannot have been exceeded, by this gamma and these losses."""

    bound: float
    gamma: float
    losses: float


class MarginLosses:
    """The smallest margin of the rows under a plane, and the sum of their losses at each gamma.

    The result does not depend on how the rows are cut into blocks.
    """

    def __init__(self, w: Flat | SparseWeights, b: Flat | None, norm: int) -> None:
        self.w, self.has_intercept = w if isinstance(w, SparseWeights) else np.ascontiguousarray(w), b is not None
        self.b = np.zeros(w.shape[1]) if b is None else b
        every = np.abs(np.concatenate([w.values if isinstance(w, SparseWeights) else w.reshape(-1), self.b]))
        with np.errstate(over="ignore"):
            self.length = float(every.sum() if norm == 1 else np.sqrt((every * every).sum()))
        self.smallest, self.longest, self.rows = math.inf, 0.0, 0.0
        self.counts, self.sums, self.sizes = (np.zeros(len(GAMMAS) + 1) for _ in range(3))

    @np.errstate(over="ignore", invalid="ignore")  # a margin or radius that overflows proves nothing
    def add(self, rows: Rows, codes: NDArray[np.int64], times: Flat | None) -> None:
        """A block of rows, their class numbers (1 for the positive of two), and how often each row is presented."""
        several = max(1, min(ROWS_PER_BLOCK, SCORES_PER_BLOCK // self.w.shape[1]))
        for first in range(0, rows.shape[0], several):
            last = min(rows.shape[0], first + several)
            leads = _leads(self._scores(rows, first, last), codes[first:last])
            self._add(leads / self.length, ONCE_EACH if times is None else times[first:last])

    def _scores(self, rows: Rows, first: int, last: int) -> Flat:
        """The scores of these rows; updates the length of the longest row."""
        d = rows.shape[1]
        scores, squares = np.empty((last - first, self.w.shape[1])), np.empty(last - first)

        def measure(start: int, stop: int) -> None:
            at, to = first + start, first + stop
            part = (rows.values[at * d : to * d], rows.ids, rows.starts, d, True)
            if not rows.dense:
                part = (rows.values, rows.ids, rows.starts[at : to + 1], d, False)
            if isinstance(self.w, SparseWeights):
                scores[start:stop] = self.b
                self.w.add_scores(replace(rows, starts=part[2], shape=(stop - start, d)), scores[start:stop])
            else:
                kernel.scores(*part, self.w, self.b, scores[start:stop])
            squared_lengths(part[0], part[2], d, rows.dense, squares[start:stop])

        over_parts(measure, last - first, ROWS_PER_THREAD)
        self.longest = max(self.longest, float(squares.max(initial=0.0)))
        return scores

    def _add(self, margins: Flat, times: Flat) -> None:
        self.smallest = min(self.smallest, float(margins.min(initial=math.inf)))
        kernel.owe(margins, times, GAMMAS, self.counts, self.sums, self.sizes)
        self.rows += float(times.sum()) if len(times) else len(margins)

    @property
    def radius(self) -> float:
        return math.sqrt(self.longest + self.has_intercept)

    @property
    def _rounding(self) -> float:
        """A bound on the rounding error of a margin."""
        return 4.0 * EPS * (len(self.w) + 2) * self.radius

    @property
    def margin(self) -> float:
        """The margin of the plane; 0 where it does not separate the rows by more than rounding."""
        margin = self.smallest - self._rounding
        sound = margin > 0 and math.isfinite(margin) and math.isfinite(self.radius)
        return margin if sound else 0.0

    @np.errstate(over="ignore", invalid="ignore")
    def losses(self) -> Flat:
        """The sum of the losses of all rows at each of GAMMAS, rounded up."""
        counts, sums, sizes = (np.cumsum(each)[:-1] for each in (self.counts, self.sums, self.sizes))
        sizes = sizes / GAMMAS
        rounding = EPS * (self.rows + 4.0) * (counts + sizes) + counts * self._rounding / GAMMAS
        return np.asarray(np.maximum(0.0, counts - sums / GAMMAS) + rounding)

    def best(self, bound: Callable[[float, float], float], passes: int) -> Proven | None:
        """The smallest bound(gamma, losses); None where it is not below the number of presentations."""
        found = []
        if self.margin > 0:
            found.append(Proven(bound(self.margin, 0.0), self.margin, 0.0))
        if math.isfinite(self.radius) and math.isfinite(self.smallest):
            for gamma, total in zip(GAMMAS.tolist(), (passes * self.losses()).tolist(), strict=True):
                proven = bound(gamma, total) if total < passes * self.rows else math.inf
                if proven < passes * self.rows:
                    found.append(Proven(proven, gamma, total))
        return min((each for each in found if math.isfinite(each.bound)), key=lambda each: each.bound, default=None)


def _leads(scores: Flat, codes: NDArray[np.int64]) -> Flat:
    """The lead of each row's own side or class."""
    if scores.shape[1] == 1:
        return np.asarray(np.where(codes == 1, scores[:, 0], -scores[:, 0]))
    every = np.arange(len(codes))
    own = scores[every, codes]
    rivals = scores.copy()
    rivals[every, codes] = -np.inf
    return np.asarray(own - rivals.max(axis=1))
