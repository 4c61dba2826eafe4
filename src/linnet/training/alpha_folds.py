"""The errors of ridge regression on folds of the rows, for all alphas at once, by the Lanczos process.

For rows of which no table can be decomposed.  With A and t as in leave_one_out.py, of the rows outside a fold, the
process (Lanczos 1950) makes an orthonormal basis q_1 = A't / |A't|, q_2, ... and a tridiagonal table T = Q'A'A Q, which
does not depend on alpha.  What conjugate gradients reach in k steps for any alpha is then

    w = Q y,   (T + alpha I) y = |A't| e_1

and with g = T_{k+1,k} y_k, the length of the gradient there, the objective is at most g^2 / 2 alpha above its optimum.
Copies of a row are merged into one with their weight, and its fold follows from its content: a weight k is k copies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.cores import one_thread, scipy
from linnet.data.rows import Examples, Rows, select_examples, take_rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.distinct_rows import distinct
from linnet.training.history import Pass, Watcher
from linnet.training.objective import Objective

Flat = NDArray[np.float64]

FOLDS = 5
# 1,000 predicted rows show which alpha is best: of many rows not all folds are needed.
ENOUGH_ROWS = 1000
# The process ends when what is left to gain is this small beside the objective, for the best alpha and one below it.
TOL, MOST_STEPS, STEPS_A_LOOK = 1e-3, 100, 5


def folds_used(rows: int) -> int:
    """How many of the folds are predicted."""
    return max(1, min(FOLDS, -(-ENOUGH_ROWS * FOLDS // max(rows, 1))))


def merged(examples: Examples, contents: Rows) -> Examples:
    """The examples in a random order that follows from their contents, each once, with the weight of all its copies.

    `contents` are the rows before they were scaled: a scale depends on the weights, in its last bits.
    """
    first, weights = distinct(contents, examples.targets, examples.weights)
    return Examples(take_rows(examples.rows, first), examples.targets[first], weights)


def sum_of_squares(examples: Examples) -> float:
    """Of all values, weighted: no eigenvalue exceeds it."""
    objective = _objective(examples)
    return objective.total * float(objective.column_squares().sum())


def errors(examples: Examples, alphas: Flat, *, intercept: bool, watch: Watcher) -> Flat:
    """The sum of squared errors on the folds for each of the rising alphas; the examples are in a random order."""
    n, total = len(examples.targets), np.zeros(len(alphas))
    for number in range(folds_used(n)):
        there = np.arange(n) % FOLDS == number
        if there.any() and not there.all():
            fitted, predicted = select_examples(examples, ~there), select_examples(examples, there)
            with one_thread():
                total += _Lanczos(fitted, predicted, intercept).errors(alphas, watch)
    return total


def _objective(examples: Examples) -> Objective:
    return Objective(examples, Loss.SQUARED, Penalty(), 1, intercept=True, regression=True)


class _Lanczos:
    """The process on some rows, and what it predicts of others."""

    def __init__(self, fitted: Examples, predicted: Examples, intercept: bool) -> None:
        self.rows, self.others = _objective(fitted), _objective(predicted)
        n, d = fitted.rows.shape
        self.c = np.ones(n) if fitted.weights is None else fitted.weights
        self.means, mean = np.zeros(d), 0.0
        if intercept:
            self.means = self._summed(self.c) / self.rows.total
            mean = float(self.c @ fitted.targets) / self.rows.total
        about = fitted.targets - mean
        self.start, self.squares = self._summed(self.c * about), float(self.c @ about**2)
        self.targets = predicted.targets - mean
        self.weights = np.ones(len(self.targets)) if predicted.weights is None else predicted.weights

    def _summed(self, amounts: Flat) -> Flat:
        return self.rows.summed(amounts[:, np.newaxis])[:-1]

    def _along(self, rows: Objective, q: Flat) -> Flat:
        """(X - m) q of these rows."""
        return rows.scores(np.append(q, -float(self.means @ q)))[:, 0]

    def errors(self, alphas: Flat, watch: Watcher) -> Flat:
        """The sum of squared errors on the other rows, for each of the rising alphas."""
        length = float(np.linalg.norm(self.start))
        found = np.full(len(alphas), float(self.weights @ self.targets**2))
        if length == 0:
            return found
        q, before = self.start / length, np.zeros(len(self.start))
        diagonal, beside, predictions = list[float](), list[float](), list[Flat]()
        while len(diagonal) < MOST_STEPS:
            along = self._along(self.rows, q)
            predictions.append(self._along(self.others, q))
            diagonal.append(float(self.c @ along**2))
            ahead = self._summed(self.c * along) - diagonal[-1] * q - (beside[-1] if beside else 0.0) * before
            beside.append(float(np.linalg.norm(ahead)))
            watch(Pass(0, 1, float("nan"), 0.0))
            over = beside[-1] <= np.finfo(float).eps * max(diagonal)
            if over or len(diagonal) % STEPS_A_LOOK == 0:
                y = _solved(diagonal, beside[:-1], length, alphas)
                missed = self.targets[:, np.newaxis] - np.column_stack(predictions) @ y
                found = self.weights @ missed**2
                # gradient^2 / 2 alpha is what is left to gain
                left = (beside[-1] * y[-1]) ** 2 / alphas
                near = left <= TOL * np.maximum(self.squares - length * y[0], 0.0)
                best = int(np.argmin(found))
                if over or near[max(0, best - 1) :].all():
                    break
            before, q = q, ahead / beside[-1]
        return np.asarray(found)


def _solved(diagonal: list[float], beside: list[float], length: float, alphas: Flat) -> Flat:
    """(T + alpha I) y = length e_1 for each alpha: a column each."""
    solve = scipy("linalg").eigh_tridiagonal
    values, axes = solve(np.array(diagonal), np.array(beside), check_finite=False)
    inverse = 1.0 / (np.maximum(values, 0.0)[:, np.newaxis] + alphas)
    return np.asarray(axes @ (length * axes[0][:, np.newaxis] * inverse))
