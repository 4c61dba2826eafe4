"""Batch training: every step sees all rows.

    minimise   f(w, b) = (1/N) sum_i c_i loss(x_i . w + b, y_i) + l1 |w|_1 + l2/2 |w|_2^2,   N = sum_i c_i

by plain (proximal) gradient steps as in the textbooks, or by L-BFGS.  The gradient comes from the online kernel with
the weights held still.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from linnet.errors import InputError, NumericalError
from linnet.examples import Examples
from linnet.kernels import passes
from linnet.labels import Labels
from linnet.learners.recipe import Loss, Penalty, Recipe
from linnet.learners.schedule import Schedule, inverse, inverse_sqrt
from linnet.model import LinearModel
from linnet.training.history import Pass, Watcher, added, ignore
from linnet.training.learner import AS_THEY_STAND, EPOCH, NO_LOG, NOTHING, Learner, soft_threshold
from linnet.training.reduction import Problem, problems
from linnet.training.trained import Trained, in_threads

Flat = NDArray[np.float64]

TOO_LARGE = (
    "the weights left the range of numbers: scale the features down (sklearn.preprocessing.StandardScaler), "
    "or lower the step size eta0"
)

# The largest second derivative of each smooth loss; for many classes softmax bends twice as much.
CURVATURE = {Loss.LOGISTIC: 0.25, Loss.SQUARED: 1.0, Loss.SQUARED_HINGE: 2.0}


@dataclass(frozen=True)
class Descent:
    """How to go down: at most so many steps, until the gradient is short enough (see each method).

    Without `tol` all steps are made.  A schedule's steps are on f, a mean over the rows; with a `gain`, on gain times
    the sum.
    """

    most: int
    tol: float | None
    schedule: Schedule | None = None
    gain: float | None = None
    relative: bool = True


@dataclass(frozen=True)
class Found:
    """Where a descent ended: flat weights as in the kernels, the way there, and whether it arrived."""

    weights: Flat
    history: list[Pass]
    converged: bool


class Objective:
    """f and its gradient for one problem; weights flat, (columns + 1) x outputs, the intercepts last."""

    def __init__(
        self,
        examples: Examples,
        targets: NDArray[np.float64],
        loss: Loss,
        penalty: Penalty,
        outputs: int,
        *,
        intercept: bool,
        regression: bool,
    ) -> None:
        examples.rows.check_finite()
        self.rows, self.targets, self.loss = examples.rows, targets, loss
        self.outputs, self.intercept = outputs, intercept
        self.columns = examples.rows.shape[1]
        self.shares = NOTHING if examples.weights is None else examples.weights
        self.order = AS_THEY_STAND
        if examples.weights is not None and not examples.weights.all():
            self.order = np.flatnonzero(examples.weights)
            if not len(self.order):
                raise InputError("every sample weight is zero: there is nothing to learn from")
        self.total = examples.total_weight
        self.penalty = Penalty(penalty.l1 / self.total, penalty.l2 / self.total) if penalty.total else penalty
        self.presented = len(self.order) or len(targets)
        plain = Learner(Recipe(loss), self.columns, outputs, intercept=intercept, regression=regression)
        self.settings = plain.settings(self.rows)
        self.size = len(plain.weights)

    def pull(self, weights: Flat) -> tuple[Flat, Pass]:
        """-gradient of the mean loss, and the tally of the rows on the way."""
        began = perf_counter()
        into = np.zeros(self.size)
        _, tally, _ = passes.run(
            self.rows.values, self.rows.ids, self.rows.starts, self.order, self.shares, self.targets,
            weights, into, NOTHING, NOTHING, NOTHING, NOTHING, NO_LOG, self.settings, dict(EPOCH),
        )  # fmt: skip
        if tally["lost"] >= 0:
            raise NumericalError(TOO_LARGE)
        into /= self.total
        mean = tally["loss"] / self.total
        return into, Pass(tally["mistakes"], tally["updates"], mean, perf_counter() - began)

    def penalised(self, weights: Flat) -> Flat:
        """The weights that a penalty sees: all but the intercepts."""
        return weights[: self.columns * self.outputs]

    def smooth(self, weights: Flat) -> tuple[float, Flat, Pass]:
        """The smooth part of f (all but L1), its gradient, and the tally."""
        pull, tally = self.pull(weights)
        gradient = -pull
        w = self.penalised(weights)
        self.penalised(gradient)[:] += self.penalty.l2 * w
        return tally.loss + 0.5 * self.penalty.l2 * float(w @ w), gradient, tally

    def column_squares(self) -> NDArray[np.float64]:
        """(1/N) sum_i c_i x_ij^2 for every column j."""
        squares = np.zeros(self.columns)
        n, d = self.rows.shape
        step = max(1, (1 << 22) // max(d, 1))
        if self.rows.dense:
            table = self.rows.values.reshape(n, d)
            for first in range(0, n, step):
                block = table[first : first + step].astype(np.float64)
                block *= block
                squares += block.sum(axis=0) if not len(self.shares) else self.shares[first : first + step] @ block
        else:
            step = 1 << 22
            for first in range(0, len(self.rows.values), step):
                block = self.rows.values[first : first + step].astype(np.float64) ** 2
                if len(self.shares):
                    at = np.arange(first, first + len(block))
                    block *= self.shares[np.searchsorted(self.rows.starts, at, side="right") - 1]
                squares += np.bincount(self.rows.ids[first : first + step], weights=block, minlength=d)
        return squares / self.total

    def safe_step(self) -> float:
        """1 / L, with L the largest eigenvalue of a bound on the Hessian, by power iteration and a twentieth more."""
        bend = CURVATURE[self.loss] * (2 if self.outputs > 1 and self.loss is Loss.LOGISTIC else 1)
        matrix = self.rows.matrix()
        shares = self.shares if len(self.shares) else np.ones(1)
        rng = np.random.default_rng(0)
        v, ones = rng.standard_normal(self.columns), float(self.intercept)
        b, largest = ones, 0.0
        for _ in range(30):
            length = np.sqrt(v @ v + b * b)
            if length == 0:
                break
            v, b = v / length, float(b / length)
            along = np.asarray(matrix @ v + b) * shares
            v = np.asarray(matrix.T @ along) / self.total
            b = ones * float(np.sum(along)) / self.total
            largest = float(np.sqrt(v @ v + b * b))
        return 1.0 / (1.05 * bend * largest + self.penalty.l2) if largest else 1.0


Method = Callable[[Objective, Descent, Watcher], Found]


def train(
    method: Method,
    how: Descent,
    examples: Examples,
    labels: Labels | None,
    recipe: Recipe,
    *,
    intercept: bool = True,
    n_jobs: int = 1,
    watch: Watcher = ignore,
) -> Trained:
    """Solve every problem the recipe's reduction makes of these classes (one, for regression)."""
    classes = len(labels) if labels else 0

    def solve(problem: Problem) -> tuple[Found, int]:
        mine, targets, outputs = examples, examples.targets, 1
        if labels is not None:
            targets, outputs = problem.targets(examples.targets), problem.outputs(classes)
            members = problem.members(examples.targets, classes)
            if members is not None:
                weights = members.astype(np.float64) if examples.weights is None else members * examples.weights
                mine = replace(examples, weights=weights)
        objective = Objective(
            mine, targets, recipe.loss, recipe.penalty, outputs, intercept=intercept, regression=labels is None
        )
        with np.errstate(over="ignore", invalid="ignore"):  # told in one clear error instead
            found = method(objective, how, watch)
        if not np.isfinite(found.weights).all():
            raise NumericalError(TOO_LARGE)
        return found, outputs

    asked = problems(classes, recipe.reduction) if labels else [Problem()]
    solved = in_threads(solve, asked, n_jobs)
    tables = [found.weights.reshape(-1, outputs) for found, outputs in solved]
    table = np.concatenate(tables, axis=1)
    model = LinearModel(
        np.ascontiguousarray(table[:-1]),
        table[-1].copy(),
        labels.classes if labels else None,
        recipe.reduction,
        probabilities=recipe.has_probabilities,
    )
    return Trained(model, added([found.history for found, _ in solved]), all(f.converged for f, _ in solved))


def descend(problem: Objective, how: Descent, watch: Watcher = ignore) -> Found:
    """w += eta (-gradient), soft-thresholded where there is an L1 penalty, until |step| / eta <= tol (times the first).

    With no schedule the step is 1/L for the smooth losses, halved should f ever rise; for the hinge loss, which has no
    L, it is 1 / (l2 t).
    """
    schedule = how.schedule
    if schedule is None and problem.loss is Loss.HINGE:
        schedule = inverse(1.0 / problem.penalty.l2) if problem.penalty.l2 > 0 else inverse_sqrt()
    guarded = schedule is None
    eta = problem.safe_step() if schedule is None else 0.0
    gain = 1.0 if how.gain is None else how.gain * problem.total
    weights = np.zeros(problem.size)
    history: list[Pass] = []
    before, first = np.inf, 1.0
    for t in range(1, how.most + 1):
        value, gradient, tally = problem.smooth(weights)
        value += problem.penalty.l1 * float(np.abs(problem.penalised(weights)).sum())
        history.append(tally)
        watch(tally)
        if guarded and value > before + 1e-12 * abs(before):
            eta /= 2
        before = value
        if schedule is not None:
            eta = gain * schedule.at(t)
        after = weights - eta * gradient
        if problem.penalty.l1 > 0:
            w = problem.penalised(after)
            w[:] = soft_threshold(w, np.asarray(eta * problem.penalty.l1))
        moved = float(np.linalg.norm(after - weights)) / eta
        weights = after
        if not np.isfinite(moved):
            raise NumericalError(TOO_LARGE)
        if t == 1 and how.relative:
            first = moved
        if how.tol is not None and moved <= how.tol * first:
            return Found(weights, history, True)
    return Found(weights, history, how.tol is None)


def lbfgs(problem: Objective, how: Descent, watch: Watcher = ignore) -> Found:
    """L-BFGS (Liu, Nocedal 1989) on weights measured in each column's own unit, until |gradient| <= tol |first one|.

    The unit is the square root of the column's own curvature bound, so that columns of any scale are alike.
    """
    bend = CURVATURE[problem.loss]
    curvature = np.sqrt(bend * problem.column_squares() + problem.penalty.l2)
    unit = np.append(np.where(curvature > 0, curvature, 1.0), np.sqrt(bend))
    units = np.repeat(unit, problem.outputs)
    history: list[Pass] = []
    latest: list[Pass] = []

    def value_and_gradient(scaled: Flat) -> tuple[float, Flat]:
        value, gradient, tally = problem.smooth(scaled / units)
        latest[:] = [tally]
        return value, gradient / units

    def step_taken(_: Flat) -> None:
        history.append(latest[0])
        watch(latest[0])

    start = np.zeros(problem.size)
    first = float(np.abs(value_and_gradient(start)[1]).max(initial=0.0))
    history.append(latest[0])
    if first == 0.0:
        return Found(start, history, True)
    short = (how.tol or 0.0) * first
    result = minimize(
        value_and_gradient,
        start,
        jac=True,
        method="L-BFGS-B",
        callback=step_taken,
        options={"maxiter": how.most, "maxfun": 20 * how.most, "gtol": short, "ftol": 0.0, "maxcor": 20},
    )
    # With ftol 0 the search also ends where rounding lets f fall no further: that too is the minimum.
    at_rounding = result.status == 2 and float(np.abs(result.jac).max()) <= 1e3 * short
    return Found(result.x / units, history, result.status == 0 or at_rounding or how.tol is None)
