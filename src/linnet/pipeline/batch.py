"""Batch learners on all rows of a source: a look at held-out rows first, then a fit to all of them, and its proof.

Columns are brought to one scale on the way in (scaling.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError
from linnet.examples import Examples, Rows
from linnet.features.features import Features
from linnet.learners.catalogue import Entry, Way
from linnet.learners.recipe import Loss, Reduction
from linnet.model import LinearModel
from linnet.pipeline.cache import rows_at
from linnet.pipeline.collected import Whole
from linnet.pipeline.online import held_out
from linnet.pipeline.proof import cost_for, penalty_for, proven
from linnet.pipeline.scaling import Scaling, measured, scaled, word_scaled
from linnet.pipeline.scoring import Result, add_result, tally_for
from linnet.training import analytic, batch
from linnet.training.certificate import Certificate
from linnet.training.dual import DualLogistic, DualSolution
from linnet.training.history import Watcher, ignore
from linnet.training.reduction import Problem, problems
from linnet.training.trained import in_threads

# Fewer held-out rows than this tell nothing.
ENOUGH_HELD_OUT = 20
GAP, EPOCHS, STEPS = 1e-3, 300, 1000
# Up to so many columns Newton-like steps on all rows are quickest; beyond, one row at a time.
NARROW = 1000

Flat = NDArray[np.float64]
Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class BatchResult:
    """The model, what was chosen, how it did on rows it had not seen, and what is proven of it."""

    model: LinearModel
    facts: dict[str, Any]
    held_out: Result | None
    certificate: Certificate


def train_batch(
    whole: Whole, entry: Entry, *, holdout: float, seed: int, threads: int, say: Say, watch: Watcher = ignore
) -> BatchResult:
    """Fit this learner to the rows that are not held out, look at those that are, and then fit it to all."""
    if whole.labels is not None and len(whole.labels) < 2:
        raise InputError(
            f"every row has the label {whole.labels.classes.tolist()[0]!r}: there is nothing to tell apart"
        )
    raw = whole.rows
    n = raw.shape[0]
    held = _held_out(whole, holdout, seed)
    result = None
    if held.any():
        say("learning from all but held-out rows")
        learnt = ~held
        rows = scaled(raw, measured(whole.features, rows_at(raw, np.flatnonzero(learnt))))
        tried = _solver(whole, entry, rows, threads, watch)(learnt).model
        result = _tried(whole, entry, tried, rows_at(rows, np.flatnonzero(held)), whole.targets[held])
    say("learning from all rows")
    scaling = measured(whole.features, raw)
    rows = scaled(raw, scaling)
    solved = _solver(whole, entry, rows, threads, watch)(np.ones(n, dtype=bool))
    model, facts = solved.model, solved.facts
    certificate = proven(whole, entry, rows, model, solved.bounds)
    if scaling is not None:
        model = scaling.unscaled(model)
    facts |= {"rows": n, "rows_held_out": int(held.sum())}
    if scaling is not None and len(scaling.numbers):
        facts["numbers"] = _numbers(whole.features, scaling, rows)
    model = replace(model, weights=np.ascontiguousarray(model.weights))
    return BatchResult(model, facts, result, certificate)


def _numbers(features: Features, scaling: Scaling, rows: Rows) -> dict[str, Any]:
    """Mean, deviation and how often it is missing, of each column of numbers."""
    missing = np.bincount(rows.ids, minlength=len(features))[scaling.missing]
    return {
        features.name(int(number)): {
            "mean": float(scaling.centres[number]),
            "deviation": float(scaling.units[number]),
            "missing": int(count),
        }
        for number, count in zip(scaling.numbers, missing, strict=True)
    }


@dataclass(frozen=True, eq=False)
class Solved:
    """The model, facts about the way there, and, of the dual, what each problem's objective cannot fall below."""

    model: LinearModel
    facts: dict[str, Any] = field(default_factory=dict)
    bounds: list[float] | None = None


# A solver takes which rows to learn from.
Solver = Callable[[NDArray[np.bool_]], Solved]


def bounds_again(whole: Whole, entry: Entry, rows: Rows, gap: float) -> list[float] | None:
    """The bounds that a solver of the dual finds on these rows, on their scales."""
    solver = _solver(whole, entry, rows, os.cpu_count() or 1, ignore, gap)
    return solver(np.ones(rows.shape[0], dtype=bool)).bounds


def _held_out(whole: Whole, share: float, seed: int) -> NDArray[np.bool_]:
    """The rows to hold out: none, if they tell nothing or leave a class without rows (of any weight) to learn from."""
    n = len(whole.targets)
    held = held_out(0, n, share, seed)
    learnt = ~held if whole.weights is None else ~held & (whole.weights > 0)
    enough = int(held.sum()) >= ENOUGH_HELD_OUT and bool(learnt.any())
    if enough and whole.labels is not None:
        enough = len(np.unique(whole.targets[learnt])) == len(whole.labels)
    return held if enough else np.zeros(n, dtype=bool)


def _tried(whole: Whole, entry: Entry, model: LinearModel, rows: Rows, truth: Flat) -> Result:
    """How a model does on these rows."""
    tally = tally_for(model)
    probable = whole.labels is not None and entry.recipe.has_probabilities
    add_result(tally, model, rows, truth, probable=probable)
    return tally.result()


def _solver(whole: Whole, entry: Entry, rows: Rows, threads: int, watch: Watcher, gap: float = GAP) -> Solver:
    if entry.way is Way.DUAL:
        return _DualSolver(whole, rows, threads, watch, gap)
    if entry.way is Way.ANALYTIC:
        return lambda which: _least_squares(whole, rows, which)
    return lambda which: _descended(whole, entry, rows, which, threads, watch)


def _examples(whole: Whole, rows: Rows, which: NDArray[np.bool_]) -> Examples:
    at = np.flatnonzero(which)
    part = rows if len(at) == rows.shape[0] else rows_at(rows, at)
    return Examples(part, whole.targets[at], None if whole.weights is None else whole.weights[at])


def _least_squares(whole: Whole, rows: Rows, which: NDArray[np.bool_]) -> Solved:
    with batch.one_thread():
        w, b = analytic.least_squares(_examples(whole, rows, which), intercept=True)
    return Solved(LinearModel(w[:, np.newaxis], np.array([b])))


def _descended(
    whole: Whole, entry: Entry, rows: Rows, which: NDArray[np.bool_], threads: int, watch: Watcher
) -> Solved:
    recipe = replace(entry.recipe, penalty=penalty_for(entry, whole.features.text_features()))
    smooth = recipe.loss in (Loss.LOGISTIC, Loss.SQUARED, Loss.SQUARED_HINGE)
    method = batch.lbfgs if smooth else batch.descend
    schedule = None if smooth or recipe.schedule.per_penalty else recipe.schedule
    how = batch.Descent(STEPS, 1e-4, schedule)
    trained = batch.train(method, how, _examples(whole, rows, which), whole.labels, recipe, n_jobs=threads, watch=watch)
    return Solved(trained.model, {"steps": len(trained.history), "converged": trained.converged})


class _DualSolver:
    """One-vs-rest logistic regression by the dual, each problem's words on their own scale."""

    def __init__(self, whole: Whole, rows: Rows, threads: int, watch: Watcher, gap: float) -> None:
        assert whole.labels is not None
        self.gap = gap
        self.whole, self.rows, self.threads, self.watch = whole, rows, threads, watch
        self.problems = problems(len(whole.labels), Reduction.ONE_VS_REST)
        self.text = whole.features.text_features()
        self.cost = cost_for(self.text)

    def __call__(self, which: NDArray[np.bool_]) -> Solved:
        assert self.whole.labels is not None
        examples = _examples(self.whole, self.rows, which)

        def solve(problem: Problem) -> tuple[Flat, DualSolution]:
            signs = np.where(examples.targets == float(problem.positive or 0), 1.0, -1.0)
            rows, scales = word_scaled(examples.rows, signs, self.text)
            found = DualLogistic(rows, signs, examples.weights).solve(
                self.cost, tol=self.gap, most=EPOCHS, watch=self.watch
            )
            return found.weights * scales, found

        solved = in_threads(solve, self.problems, self.threads)
        model = LinearModel(
            np.ascontiguousarray(np.column_stack([weights for weights, _ in solved])),
            np.array([found.intercept for _, found in solved]),
            self.whole.labels.classes,
            Reduction.ONE_VS_REST,
        )
        ends = [found for _, found in solved]
        gap = max((found.primal - found.dual) / found.primal if found.primal > 0 else 0.0 for found in ends)
        facts = {
            "C": self.cost,
            "epochs": max(found.epochs for found in ends),
            "gap": gap,
            "converged": all(found.converged for found in ends),
        }
        # the dual is of C times the sum of losses and 1/2 |w|^2, the objective a mean
        return Solved(model, facts, [found.dual / (self.cost * examples.total_weight) for found in ends])
