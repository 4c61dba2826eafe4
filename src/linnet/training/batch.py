"""Batch training: every step sees all rows, and goes down the objective (objective.py).

By the textbook's gradient steps of a given size, by accelerated ones of a safe size, by L-BFGS; by subgradients where
the loss has a kink.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from linnet.data.labels import Labels
from linnet.data.rows import Examples, with_ones
from linnet.errors import NumericalError
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Recipe, Reduction
from linnet.learners.schedule import Schedule
from linnet.training.duality_gap import Certificate, Table, certify, joined
from linnet.training.history import Pass, Watcher, added, ignore
from linnet.training.objective import TOO_LARGE, Flat, Objective
from linnet.training.online_learner import soft_threshold
from linnet.training.reduction import Problem, problems
from linnet.training.result import Start, Trained
from linnet.training.threads import in_threads

# How many subgradient steps may pass without a better value before the descent is over.
PATIENCE = 100


@dataclass(frozen=True)
class Descent:
    """How to go down: at most so many steps, until they are short enough (see each method); without `tol`, all.

    A schedule's steps are on the objective, a mean over the rows; with a `gain`, on gain times the sum.  Without a
    `start`, all weights are 0 at first.  A `warm` start is the end of an earlier descent: steps and gradients are then
    short beside the first at weights 0, for beside the first at the end nothing is.  It may come with the `slopes` of
    the losses that were found there, a dual point.
    """

    most: int
    tol: float | None
    schedule: Schedule | None = None
    gain: float | None = None
    start: Flat | None = None
    warm: bool = False
    slopes: Table | None = None

    def begin(self, problem: Objective, units: Flat | float = 1.0) -> Flat:
        """The weights at first, measured in these units."""
        return np.zeros(problem.size) if self.start is None else self.start * units


@dataclass(frozen=True)
class Found:
    """Where a descent ended: flat weights as in the kernels, the way there, and whether it arrived.

    A solver of the dual hands over its certificate and its dual point (see certify); of others they are worked out from
    the weights.
    """

    weights: Flat
    history: list[Pass]
    converged: bool
    certificate: Certificate | None = None
    slopes: Table | None = None


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
    start: Start | None = None,
) -> Trained:
    """Solve every problem the recipe's reduction makes of these classes (one, for regression).

    `start` is where to begin: the end of an earlier training of the same columns, classes and reduction.  An intercept
    that is penalised is learnt as a weight like the others, of a column of ones.
    """
    if intercept and recipe.penalty.intercept:
        plain = replace(recipe, penalty=replace(recipe.penalty, intercept=False))
        ones = replace(examples, rows=with_ones(examples.rows))
        begin = None if start is None else replace(start, model=_intercepts_among_weights(start.model))
        trained = train(method, how, ones, labels, plain, intercept=False, n_jobs=n_jobs, watch=watch, start=begin)
        model = _intercepts_apart(trained.model)
        ended = None if trained.start is None else replace(trained.start, model=model)
        return replace(trained, model=model, start=ended)
    classes = len(labels) if labels else 0

    def solve(numbered: tuple[int, Problem]) -> tuple[Found, int]:
        number, problem = numbered
        mine, outputs = examples, 1
        if labels is not None:
            outputs = problem.outputs(classes)
            members = problem.members(examples.targets, classes)
            if members is not None:
                weights = members.astype(np.float64) if examples.weights is None else members * examples.weights
                mine = replace(examples, weights=weights)
        objective = Objective(
            mine,
            recipe.loss,
            recipe.penalty,
            outputs,
            intercept=intercept,
            regression=labels is None,
            positive=float(problem.positive or 0),
            reference=recipe.reduction is Reduction.REFERENCE and outputs > 1,
        )
        with np.errstate(over="ignore", invalid="ignore"):  # told in one clear error instead
            found = None
            mine_how = how
            if start is not None:
                mine_how = _from(start, number, objective, how)
                found = _already_there(objective, mine_how, watch)
            if found is None:
                found = method(objective, mine_how, watch)
            if not np.isfinite(found.weights).all():
                raise NumericalError(TOO_LARGE)
            if found.certificate is None:
                found = replace(found, certificate=certify(objective, found.weights))
        return found, outputs

    asked = problems(classes, recipe.reduction) if labels else [Problem()]
    with one_thread():
        solved = in_threads(solve, enumerate(asked), n_jobs)
    tables = [found.weights.reshape(-1, outputs) for found, outputs in solved]
    table = np.concatenate(tables, axis=1)
    model = LinearModel(
        np.ascontiguousarray(table[:-1]),
        table[-1].copy(),
        labels.classes if labels else None,
        recipe.reduction,
    )
    certificates = [found.certificate for found, _ in solved if found.certificate is not None]
    return Trained(
        model,
        added([found.history for found, _ in solved]),
        all(found.converged for found, _ in solved),
        joined(certificates),
        Start(model, tuple(found.slopes for found, _ in solved)),
    )


def _intercepts_among_weights(model: LinearModel) -> LinearModel:
    weights = np.concatenate([model.weights, model.intercepts[np.newaxis]])
    return replace(model, weights=weights, intercepts=np.zeros_like(model.intercepts))


def _intercepts_apart(model: LinearModel) -> LinearModel:
    return replace(model, weights=np.ascontiguousarray(model.weights[:-1]), intercepts=model.weights[-1].copy())


def _from(start: Start, number: int, problem: Objective, how: Descent) -> Descent:
    """The way down from where this problem of an earlier training ended."""
    model, slopes = start.model, start.slopes[number]
    mine = slice(number * problem.outputs, (number + 1) * problem.outputs)
    intercepts = model.intercepts[mine] if problem.intercept else np.zeros(problem.outputs)
    if slopes is not None and len(slopes) != len(problem.targets):
        slopes = None  # they belong to other rows
    return replace(how, start=np.append(model.weights[:, mine], intercepts), warm=True, slopes=slopes)


def _already_there(problem: Objective, how: Descent, watch: Watcher) -> Found | None:
    """The start, if it is proven to be near enough to the optimum as it is."""
    if how.tol is None or how.schedule is not None or how.start is None:
        return None
    certificate = certify(problem, how.start, how.slopes)
    if not certificate.gap <= how.tol:
        return None
    tally = problem.pull(how.start)[1]
    watch(tally)
    return Found(how.start, [tally], True, certificate, how.slopes)


def descend(problem: Objective, how: Descent, watch: Watcher = ignore) -> Found:
    """Gradient steps: of the sizes given; else of a safe size and accelerated; else, where there is a kink, down it."""
    if how.schedule is not None:
        return _by_schedule(problem, how, how.schedule, watch)
    if problem.has_kinks:
        return _by_subgradient(problem, how, watch)
    return _accelerated(problem, how, watch)


def _by_schedule(problem: Objective, how: Descent, schedule: Schedule, watch: Watcher) -> Found:
    """w += eta delta with delta = -gradient, as in the textbooks, until |delta| <= tol."""
    gain = 1.0 if how.gain is None else how.gain * problem.total
    weights, history = how.begin(problem), []
    for t in range(1, how.most + 1):
        _, gradient, tally = problem.smooth(weights)
        history.append(tally)
        watch(tally)
        eta = gain * schedule.at(t)
        after = _thresholded(problem, weights - eta * gradient, eta)
        delta = _length((after - weights) / eta)
        weights = after
        if how.tol is not None and delta <= how.tol:
            return Found(weights, history, True)
    return Found(weights, history, how.tol is None)


def _accelerated(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Proximal gradient steps of 1/L with momentum (FISTA: Beck, Teboulle 2009), until |step| <= tol |first step|.

    Weights are measured in each column's own unit.  Momentum starts anew whenever it points uphill (O'Donoghue, Candes
    2015), and the step is halved should it ever prove too long.
    """
    units = problem.units()
    eta = problem.safe_step(units)
    begin = how.begin(problem, units)
    weights, ahead, momentum = begin, begin, 1.0
    history: list[Pass] = []
    start, first = 0.0, 0.0
    if how.warm:
        slope = problem.smooth(np.zeros(problem.size))[1]
        first = _length(_thresholded(problem, -eta * slope / units, eta / units))
    for t in range(1, how.most + 1):
        value, gradient, tally = problem.smooth(ahead / units)
        history.append(tally)
        watch(tally)
        start = value if t == 1 else start
        if value > 2 * abs(start) + 1:
            eta, weights, ahead, momentum = eta / 2, begin, begin, 1.0
            continue
        after = _thresholded(problem, ahead - eta * gradient / units, eta / units)
        step = _length(after - ahead)
        first = step if t == 1 and not how.warm else first
        if float((ahead - after) @ (after - weights)) > 0:
            momentum = 1.0
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = after + (momentum - 1.0) / following * (after - weights)
        weights, momentum = after, following
        if how.tol is not None and step <= how.tol * first:
            return Found(weights / units, history, True)
    return Found(weights / units, history, how.tol is None)


def _by_subgradient(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Steps of 1 / (l2 t + R^2) down a subgradient, R^2 the mean squared length of a row, keeping the best weights met.

    A subgradient does not vanish at the optimum: it is over when a hundred steps improve the best value by less than
    a share tol.
    """
    length = float(problem.column_squares().sum()) + 1.0
    weights, history = how.begin(problem), []
    best, best_weights, values = np.inf, weights, []
    for t in range(1, how.most + 1):
        value, gradient, tally = problem.smooth(weights)
        value += problem.penalty.l1 * float(np.abs(problem.penalised(weights)).sum())
        history.append(tally)
        watch(tally)
        if value < best:
            best, best_weights = value, weights
        values.append(best)
        if how.tol is not None and t > PATIENCE and values[-PATIENCE - 1] - best <= how.tol * best:
            return Found(best_weights, history, True)
        eta = 1.0 / (problem.penalty.l2 * t + length)
        weights = _thresholded(problem, weights - eta * gradient, eta)
        _length(weights)
    return Found(best_weights, history, how.tol is None)


def _thresholded(problem: Objective, weights: Flat, eta: float | Flat) -> Flat:
    """The weights after a step of this size, or of these, for the L1 penalty."""
    if problem.penalty.l1 > 0:
        w = problem.penalised(weights)
        w[:] = soft_threshold(w, problem.penalised(np.broadcast_to(eta, weights.shape)) * problem.penalty.l1)
    return weights


def _length(step: Flat) -> float:
    length = float(np.linalg.norm(step))
    if not np.isfinite(length):
        raise NumericalError(TOO_LARGE)
    return length


def lbfgs(problem: Objective, how: Descent, watch: Watcher = ignore) -> Found:
    """L-BFGS (Liu, Nocedal 1989) on weights measured in each column's own unit, until |gradient| <= tol |first one|."""
    units = problem.units()
    history: list[Pass] = []
    latest: list[Pass] = []

    def value_and_gradient(scaled: Flat) -> tuple[float, Flat]:
        value, gradient, tally = problem.smooth(scaled / units)
        latest[:] = [tally]
        return value, gradient / units

    def step_taken(_: Flat) -> None:
        history.append(latest[0])
        watch(latest[0])

    start = how.begin(problem, units)
    compared = np.zeros(problem.size) if how.warm else start
    first = float(np.abs(value_and_gradient(compared)[1]).max(initial=0.0))
    if first == 0.0:
        return Found(compared / units, latest, True)
    short = (how.tol or 0.0) * first
    from scipy.optimize import minimize  # takes longer to load than many a fit

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
    return Found(result.x / units, history or latest, result.status == 0 or at_rounding or how.tol is None)


def one_thread() -> AbstractContextManager[object]:
    """Linear algebra on one thread: more would add up in another order."""
    limit: AbstractContextManager[object] = _threads().limit(limits=1)
    return limit


@cache
def _threads() -> ThreadpoolController:
    """The threads of every BLAS there is: SciPy has one of its own, which must be loaded to be seen."""
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()
