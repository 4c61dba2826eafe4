"""Scores made probabilities by what happened at such scores: a sigmoid or a rising step function for each class.

Both are fitted to scores of rows that the weights were not learnt from.  The sigmoid p = 1 / (1 + exp(-(a f + b)))
minimises the log loss against targets held back from 0 and 1,

    t = (N₊ + 1) / (N₊ + 2) for a row of the class,   1 / (N₋ + 2) for another

(Platt 1999, Probabilistic outputs for support vector machines; Lin, Lin, Weng 2007, A note on Platt's probabilistic
outputs for support vector machines).  The isotonic map is the rising function nearest in squares (Ayer et al. 1955, An
empirical distribution function for sampling with incomplete information), straight between its steps.

Two classes have one score and one map.  With more, each class has a map of its own against the rest, and a row's
probabilities are divided by their sum (Zadrozny, Elkan 2002, Transforming classifier scores into accurate multiclass
probability estimates).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.decisions.method import Method as Method
from linnet.errors import InputError
from linnet.learners.linear import logistic

STEPS, HALVINGS = 100, 40
# A step that would lower the mean loss by no more than half of this is not worth taking.
RESTING = 1e-14

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sigmoid:
    """p = 1 / (1 + exp(-(slope f + offset)))."""

    slope: float
    offset: float

    def __call__(self, scores: Floats) -> Floats:
        with np.errstate(over="ignore"):  # beyond the range of numbers the logistic is 0 or 1 all the same
            return logistic(self.slope * scores + self.offset)


@dataclass(frozen=True, eq=False)
class Isotonic:
    """Corners of a rising line: at these scores, in rising order, so many of the rows were of the class."""

    scores: Floats
    shares: Floats

    def __call__(self, scores: Floats) -> Floats:
        shares: Floats = np.interp(scores, self.scores, self.shares)
        return shares


Map = Sigmoid | Isotonic


@dataclass(frozen=True, eq=False)
class Calibration:
    """A map for each output of a model: one for two classes, else one a class."""

    method: Method
    maps: tuple[Map, ...]

    def probabilities(self, decision: Floats) -> Floats:
        """(rows, classes), from one score a row, or one a row and class."""
        if decision.ndim == 1:
            second = self.maps[0](decision)
            return np.column_stack([1.0 - second, second])
        each = np.column_stack([of_class(scores) for of_class, scores in zip(self.maps, decision.T, strict=True)])
        total = each.sum(axis=1, keepdims=True)
        each[total[:, 0] <= 0] = 1.0  # no class has been seen at such scores: all are alike
        return each / np.where(total > 0, total, float(each.shape[1]))


def fit(method: Method, decision: Floats, truth: Floats, weights: Floats | None = None) -> Calibration:
    """The maps that suit these scores of rows not learnt from, whose class numbers are known."""
    positives = [truth == 1.0] if decision.ndim == 1 else [truth == code for code in range(decision.shape[1])]
    columns = [decision] if decision.ndim == 1 else list(decision.T)
    w = np.ones(len(truth)) if weights is None else weights
    for positive in positives:
        if not w[positive].any() or not w[~positive].any():
            raise InputError(
                f"{int((w > 0).sum()):,} rows held back to calibrate on do not show every class: "
                "give more rows, or leave --calibrate out"
            )
    fitted: Callable[[Floats, NDArray[np.bool_], Floats], Map] = sigmoid if method is Method.SIGMOID else isotonic
    counted = w > 0
    pairs = zip(columns, positives, strict=True)
    return Calibration(method, tuple(fitted(scores[counted], hits[counted], w[counted]) for scores, hits in pairs))


# -- the sigmoid -----------------------------------------------------------------------------------------------------


def sigmoid(scores: Floats, positive: NDArray[np.bool_], w: Floats) -> Sigmoid:
    """Newton's method on the log loss of (a, b), halving steps that do not lower it; scores are centred for it."""
    n_positive, n_negative = float(w[positive].sum()), float(w[~positive].sum())
    t = np.where(positive, (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0))
    centre = float((w * scores).sum() / w.sum())
    unit = float(np.abs(scores - centre).max()) or 1.0
    f = (scores - centre) / unit
    a, b = 0.0, float(np.log((n_positive + 1.0) / (n_negative + 1.0)))
    loss = _loss(a * f + b, t, w)
    for _ in range(STEPS):
        step_a, step_b, slope = _newton(f, a * f + b, t, w)
        if slope <= RESTING * w.sum():
            break
        share = 1.0
        for _ in range(HALVINGS):
            trial = _loss((a + share * step_a) * f + b + share * step_b, t, w)
            if trial <= loss - 1e-4 * share * slope:
                break
            share /= 2.0
        else:
            break
        a, b, loss = a + share * step_a, b + share * step_b, trial
    return Sigmoid(a / unit, b - a * centre / unit)


def _newton(f: Floats, z: Floats, t: Floats, w: Floats) -> tuple[float, float, float]:
    """Newton's step in a and b, and how fast the loss falls along it."""
    p = logistic(z)
    error = w * (t - p)
    curve = w * p * (1.0 - p)
    up_a, up_b = float((error * f).sum()), float(error.sum())
    tiny = 1e-12 * float(w.sum())
    aa, ab, bb = float((curve * f * f).sum()) + tiny, float((curve * f).sum()), float(curve.sum()) + tiny
    determinant = aa * bb - ab * ab
    step_a = (bb * up_a - ab * up_b) / determinant
    step_b = (aa * up_b - ab * up_a) / determinant
    return step_a, step_b, up_a * step_a + up_b * step_b


def _loss(z: Floats, t: Floats, w: Floats) -> float:
    """Σ w (log(1 + exp z) - t z), without overflow."""
    return float((w * (np.logaddexp(0.0, z) - t * z)).sum())


# -- the rising line -------------------------------------------------------------------------------------------------


def isotonic(scores: Floats, positive: NDArray[np.bool_], w: Floats) -> Isotonic:
    """Pool adjacent violators: neighbours that fall are joined until none do; of each pool its two ends are kept."""
    distinct, which = np.unique(scores, return_inverse=True)
    weights = np.bincount(which, w)
    shares = np.bincount(which, w * positive) / weights
    pools: list[tuple[float, float, int]] = []  # share, weight, how many distinct scores
    for share, weight in zip(shares.tolist(), weights.tolist(), strict=True):
        count = 1
        while pools and pools[-1][0] >= share:
            before, its_weight, its_count = pools.pop()
            share = (before * its_weight + share * weight) / (its_weight + weight)
            weight, count = weight + its_weight, count + its_count
        pools.append((share, weight, count))
    level = np.array([share for share, _, _ in pools])
    last = np.cumsum([count for _, _, count in pools]) - 1
    first = np.concatenate([[0], last[:-1] + 1])
    ends = np.unique(np.concatenate([first, last]))
    return Isotonic(distinct[ends], np.clip(level[np.searchsorted(last, ends)], 0.0, 1.0))
