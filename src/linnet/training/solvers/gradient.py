"""Gradient descent on all rows at once: steps of given sizes, accelerated proximal steps, or subgradient steps."""

from __future__ import annotations

import numpy as np

from linnet.errors import NumericalError
from linnet.learners.losses import Loss
from linnet.training.descent import Descent, Found, Steps
from linnet.training.history import STEPS, Lowest, Pass, Watcher, helps, ignore
from linnet.training.objective import TOO_LARGE, Flat, Objective
from linnet.training.online_learner import soft_threshold

# Subgradient descent ends after this many steps without a better value.
PATIENCE = 100


def descend(problem: Objective, how: Descent, watch: Watcher = ignore) -> Found:
    """Steps of the given sizes; else accelerated steps of a safe size, or subgradient steps where there is a kink."""
    if how.steps is not None:
        return _by_schedule(problem, how, how.steps, watch)
    if problem.has_kinks:
        return _by_subgradient(problem, how, watch)
    return _accelerated(problem, how, watch)


def _by_schedule(problem: Objective, how: Descent, steps: Steps, watch: Watcher) -> Found:
    """w += eta delta with delta = -gradient, as in the textbooks, until |delta| <= tol.

    The perceptron's delta is 0 once no row is mistaken: it goes on until then, or until steps no longer help.
    """
    weights, history = how.begin(problem), []
    by_mistakes, mistaken = problem.loss is Loss.PERCEPTRON, Lowest()
    gain, rows_in_step = (1.0, 1.0) if steps.gain is None else (steps.gain, problem.total)
    for t in range(1, how.most + 1):
        # the sum itself, not the mean times N: sums of whole numbers are exact
        gradient, tally = problem.smooth(weights)[1:] if steps.gain is None else problem.summed_gradient(weights)
        history.append(tally)
        watch(tally)
        step = gain * steps.schedule.at(t)
        eta = step * rows_in_step
        after = _thresholded(problem, weights - step * gradient, eta)
        delta = _length((after - weights) / eta)
        weights = after
        if by_mistakes:
            mistaken.add(problem.mistaken_weight)
            met = tally.updates == 0 or (how.tol is not None and not helps(mistaken, problem.total, how.tol, STEPS))
        else:
            met = how.tol is not None and delta <= how.tol
        if met:
            return Found(weights, history, True)
    return Found(weights, history, how.tol is None)


def _accelerated(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Proximal gradient steps of 1/L with momentum (FISTA: Beck, Teboulle 2009), until |step| <= tol |first step|.

    Weights are measured in each column's own unit.  Momentum starts anew whenever it points uphill (O'Donoghue, Candes
    2015), and the step is halved if it proves too long.
    """
    units = problem.units()
    eta = safe_step(problem, units)
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
    """Steps of 1 / (l2 t + R^2) down a subgradient, R^2 the mean squared length of a row, keeping the best weights.

    A subgradient does not vanish at the optimum: it is over when a hundred steps improve the best value by less than
    a fraction tol.
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


def safe_step(problem: Objective, units: Flat) -> float:
    """1 / L, with L the largest eigenvalue of a bound on the Hessian of weights measured in these units, by power
    iteration and a twentieth more."""
    joint = problem.loss.joint if problem.outputs > 1 else None
    bend = problem.loss.largest_curvature if joint is None else joint.largest_curvature
    matrix = problem.rows.matrix()
    c = problem.sample_weights if len(problem.sample_weights) else np.ones(1)
    unit, unit_b = units[: -problem.outputs : problem.outputs], float(units[-1])
    rng = np.random.default_rng(0)
    v, ones = rng.standard_normal(problem.columns), float(problem.intercept)
    b, largest = ones, 0.0
    for _ in range(30):
        length = np.sqrt(v @ v + b * b)
        if length == 0:
            break
        v, b = v / length, float(b / length)
        along = np.asarray(matrix @ (v / unit) + b / unit_b) * c
        v = (bend * np.asarray(matrix.T @ along) / problem.total + problem.penalty.l2 * (v / unit)) / unit
        b = ones * bend * float(np.sum(along)) / problem.total / unit_b
        largest = float(np.sqrt(v @ v + b * b))
    return 1.0 / (1.05 * largest) if largest else 1.0
