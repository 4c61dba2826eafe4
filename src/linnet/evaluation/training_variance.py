"""How much more a cross-validated mean varies than the corrected t-test assumes, because learners vary with their rows.

The corrected t-test takes folds to be correlated by n_test / n, which suits learners whose mistakes come from the test
rows.  Where a few training rows decide what is learned, all folds of one data set err together, and fold scores alone
cannot show it (Bengio, Grandvalet 2004).  The losses of single rows do: in every repeat a row is tested by a model that
was trained without other rows than before.  Of z, the losses less their mean, let

    t   be the variance of z over rows and repeats,
    v   the variance of a row's z between repeats: what exchanging one row in K of the training rows does,
    c   the covariance of two rows' z, less their means over the repeats, that the same model tested: what of that is
        common to rows, and is left in the mean of many.

Were the effects of training rows additive, their whole variance would be K - 1 times what leaving out one in K shows.
The variance of the mean over n rows is taken as

    t / n + (K - 1) / 10 · (3 v / n + max(c, 0)),

or as that of the corrected t-test, if that is larger.  The two numbers, 1/10 and 3, were chosen on simulated pairs of
equally good learners, and checked on others (benchmarks/comparison_tests.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Flat = NDArray[np.float64]
Table = NDArray[np.float64]
Numbers = NDArray[np.int64]

COMMON, OWN = 0.1, 3.0


def variance_factor(
    losses: Table, fold: NDArray[Any], folds: int, units: Numbers | None = None, weights: Flat | None = None
) -> float:
    """By what to multiply the corrected t-test's variance of the mean; at least 1.

    A row of `losses`, or of differences of losses, and of folds for each repeat.  Rows of one unit, such as copies, are
    in one fold, and count as one.  One repeat shows nothing of what training rows do: 1.
    """
    repeats = len(losses)
    w = np.ones(losses.shape[1]) if weights is None else weights
    if repeats < 2 or not w.sum() > 0:
        return 1.0
    corrected = _corrected(losses, fold, folds, w)
    if not corrected > 0:
        return 1.0
    z = w * (losses - (losses @ w).mean() / w.sum())
    if units is not None:
        first = np.unique(units, return_index=True)[1]
        z = np.stack([np.bincount(units, each, len(first)) for each in z])
        fold = fold[:, first]
    return max(1.0, _of_sum(z, fold, folds) / float(w.sum()) ** 2 / corrected)


def _corrected(losses: Table, fold: NDArray[Any], folds: int, w: Flat) -> float:
    """The variance of the mean as the corrected t-test has it (corrected_t.py)."""
    pairs = [
        (np.bincount(at, w * each, folds), np.bincount(at, w, folds)) for each, at in zip(losses, fold, strict=True)
    ]
    scores = np.array([np.divide(sums, total, out=np.zeros(folds), where=total > 0) for sums, total in pairs])
    if scores.min() == scores.max():
        return 0.0
    return float(scores.var(ddof=1)) * (1.0 / scores.size + 1.0 / (folds - 1))


def _of_sum(z: Table, fold: NDArray[Any], folds: int) -> float:
    """The variance of the sum of the units' losses, these being less their mean."""
    repeats, n = z.shape
    changes = z - z.mean(axis=0)
    squares = float((changes**2).sum())
    by_model = np.array([np.bincount(at, each, folds) for each, at in zip(changes, fold, strict=True)])
    sizes = np.array([np.bincount(at, minlength=folds) for at in fold])
    pairs = float((sizes * (sizes - 1)).sum())
    common = (float((by_model**2).sum()) - squares) / pairs * repeats / (repeats - 1) if pairs else 0.0
    own = squares / (repeats - 1)
    more = COMMON * (folds - 1) * (OWN * own + n * n * max(float(common), 0.0))
    return float((z**2).sum() / repeats + more)
