"""The errors of the Lasso and the elastic net on folds of the rows, along a path of alphas (l1_path.py)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.cores import one_thread
from linnet.data.rows import Examples, select_examples
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.alpha_folds import FOLDS, folds_used
from linnet.training.descent import Descent
from linnet.training.history import Watcher
from linnet.training.l1_path import largest_l1, solutions
from linnet.training.objective import Objective

Flat = NDArray[np.float64]

# The relative gap of a fit to choose by, and its most steps.
TOL, MOST_STEPS = 1e-3, 200
# A path ends when this many alphas in a row had an error this much above its least.
IN_VAIN, WORSE = 4, 1.05
# The smallest alpha beside the one that leaves no weights; with more columns than rows, which ever smaller ones would
# fit exactly.
SMALLEST, SMALLEST_OF_WIDE = 1e-4, 1e-2


def range_of(examples: Examples, penalty: Penalty, *, intercept: bool) -> tuple[float, float]:
    """The smallest and the largest alpha to try; both 0 where no column says anything about the targets."""
    ratio = penalty.l1 / (penalty.l1 + penalty.l2)
    largest = largest_l1(_objective(examples, penalty, intercept)) / ratio
    wide = examples.rows.shape[1] > examples.rows.shape[0]
    return largest * (SMALLEST_OF_WIDE if wide else SMALLEST), largest


def errors(examples: Examples, alphas: Flat, penalty: Penalty, *, intercept: bool, watch: Watcher) -> Flat:
    """The sum of squared errors on the folds for each of the rising alphas, infinite for those not reached; the
    examples are in a random order."""
    n, total = len(examples.targets), np.zeros(len(alphas))
    ratio = penalty.l1 / (penalty.l1 + penalty.l2)
    penalties = [Penalty(alpha * ratio, alpha * (1 - ratio), positive=penalty.positive) for alpha in alphas[::-1]]
    for number in range(folds_used(n)):
        there = np.arange(n) % FOLDS == number
        if there.any() and not there.all():
            with one_thread():
                found = _on_path(select_examples(examples, ~there), select_examples(examples, there), penalties,
                                 intercept, watch)  # fmt: skip
            total += found[::-1]
    return total


def _on_path(fitted: Examples, predicted: Examples, penalties: list[Penalty], intercept: bool, watch: Watcher) -> Flat:
    """The errors on some rows by fits to others, for penalties from the largest on."""
    found = np.full(len(penalties), np.inf)
    others = _objective(predicted, penalties[0], intercept)
    c = np.ones(len(predicted.targets)) if predicted.weights is None else predicted.weights
    how = Descent(MOST_STEPS, TOL, proven=False)
    fits = solutions(_objective(fitted, penalties[0], intercept), penalties, how, watch)
    for at, fit in enumerate(fits):
        found[at] = float(c @ (predicted.targets - others.scores(fit.weights)[:, 0]) ** 2)
        late = found[max(0, at + 1 - IN_VAIN) : at + 1]
        if len(late) == IN_VAIN and (late > WORSE * found.min()).all():
            break
    return found


def _objective(examples: Examples, penalty: Penalty, intercept: bool) -> Objective:
    return Objective(examples, Loss.SQUARED, penalty, 1, intercept=intercept, regression=True)
