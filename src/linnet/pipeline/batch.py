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

from linnet.data.features.features import Features
from linnet.data.rows import Examples, Rows, rows_at, some, with_ones
from linnet.data.targets import enough_labels
from linnet.learners.catalogue import Entry, Way
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Loss
from linnet.learners.strength import OWN, Strength
from linnet.model.predictor import Result, scorer
from linnet.pipeline import folds
from linnet.pipeline.certify import proven, settled, stated
from linnet.pipeline.dataset import Whole
from linnet.pipeline.decision_fit import NOTHING, Settled, Wanted
from linnet.pipeline.online import held_out
from linnet.pipeline.scaling import Scaling, measured, scaled, word_scaled
from linnet.theory.separation import examine_model
from linnet.training import batch
from linnet.training.duality_gap import Certificate
from linnet.training.history import Watcher, ignore
from linnet.training.reduction import Problem, problems
from linnet.training.solvers import dual_svm as svm
from linnet.training.solvers import least_squares as analytic
from linnet.training.solvers import newton, ridge
from linnet.training.solvers.dual_logistic import DualLogistic, DualSolution
from linnet.training.solvers.until_gap import to_gap
from linnet.training.threads import in_threads

# Fewer held-out rows than this tell nothing.
ENOUGH_HELD_OUT = 20
GAP, EPOCHS, STEPS, STEPS_WITH_L1 = 1e-3, 300, 1000, 10_000
GAP_OF_SQUARES = 1e-6
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
    settled: Settled


def train_batch(
    whole: Whole,
    entry: Entry,
    *,
    holdout: float,
    seed: int,
    threads: int,
    say: Say,
    watch: Watcher = ignore,
    wanted: Wanted = NOTHING,
    strength: Strength = OWN,
) -> BatchResult:
    """Fit this learner to the rows that are not held out, look at those that are, and then fit it to all.

    Scores are calibrated, and thresholds chosen, on rows that are not held out either, so that these can tell how well.
    """
    if whole.labels is not None:
        by_class = np.bincount(whole.targets.astype(np.int64), whole.weights, minlength=len(whole.labels))
        enough_labels(whole.labels.classes.tolist(), by_class)
    raw = whole.rows
    n = raw.shape[0]
    entry = settled(entry, strength, whole.features.text_features(), 0 if whole.labels is None else len(whole.labels))
    held = _held_out(whole, holdout, seed)
    trials = _Trials(whole, entry, raw, threads, watch)
    if wanted.needs_rows:
        say("scoring rows not learnt from, fold by fold")
        decided = folds.settled(whole, ~held, wanted, seed, trials.scored)
    else:
        decided = wanted.without_rows()
    result = None
    if held.any():
        say("learning from all but held-out rows")
        result = trials.measured(held, decided)
    say("learning from all rows")
    scaling = measured(whole.features, raw)
    rows = scaled(raw, scaling)
    solved = _solver(whole, entry, rows, threads, watch)(np.ones(n, dtype=bool))
    model, facts = solved.model, solved.facts
    facts |= _separation(whole, entry, rows, model)
    if scaling is not None:
        model = scaling.unscaled(model)
    # of the model as it is kept: for rows as they come it has fewer digits, where a column is narrow beside its mean
    kept = model if scaling is None else scaling.brought_back(model)
    certificate = proven(whole, entry, rows, kept, solved.bound)
    facts |= {"recipe": stated(entry.recipe), "rows": n, "rows_held_out": int(held.sum())}
    each = whole.each_class(whole.targets, whole.weights)
    if each is not None and whole.labels is not None:
        facts["class_weight"] = dict(zip(map(str, whole.labels.classes.tolist()), each.tolist(), strict=True))
    if scaling is not None and len(scaling.numbers):
        facts["numbers"] = _numbers(whole.features, scaling, rows)
    model = replace(model, weights=np.ascontiguousarray(model.weights))
    return BatchResult(model, facts, result, certificate, decided)


@dataclass(frozen=True, eq=False)
class _Trials:
    """Fits to some of the rows, to see how they do on others."""

    whole: Whole
    entry: Entry
    raw: Rows
    threads: int
    watch: Watcher

    def _fitted(self, learnt: NDArray[np.bool_], asked: NDArray[np.bool_]) -> tuple[LinearModel, Rows]:
        """What some rows teach, and the others on the scale of these."""
        rows = scaled(self.raw, measured(self.whole.features, rows_at(self.raw, np.flatnonzero(learnt))))
        model = _solver(self.whole, self.entry, rows, self.threads, self.watch)(learnt).model
        return model, rows_at(rows, np.flatnonzero(asked))

    def scored(self, learnt: NDArray[np.bool_], asked: NDArray[np.bool_]) -> Flat:
        """The scores of some rows by what others taught, as they are calibrated on."""
        model, rows = self._fitted(learnt, asked)
        return model.evidence(model.decision(rows))

    def measured(self, held: NDArray[np.bool_], decided: Settled) -> Result:
        """How what the other rows taught does on these."""
        model, rows = self._fitted(~held, held)
        probable = self.whole.labels is not None and self.entry.recipe.has_probabilities
        measuring = scorer(model, probable, decided.calibration, decided.rule)
        tally = measuring.tally()
        measuring.add_result(tally, rows, self.whole.targets[held])
        result: Result = tally.result()
        return result


def _separation(whole: Whole, entry: Entry, rows: Rows, model: LinearModel) -> dict[str, Any]:
    """Why an unpenalised logistic fit has no end, if it has none."""
    penalty = entry.recipe.penalty
    if entry.recipe.loss is not Loss.LOGISTIC or penalty.l1 > 0 or penalty.l2 > 0:
        return {}
    named = replace(rows, names=tuple(whole.features.names()))
    found = examine_model(Examples(named, whole.targets, whole.weights), model, intercept=True)
    return {"separation": str(replace(found, collinear=()))} if found.separated else {}


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
    """The model, facts about the way there, and, of a dual, what the objectives together cannot fall below."""

    model: LinearModel
    facts: dict[str, Any] = field(default_factory=dict)
    bound: float = -np.inf


# A solver takes which rows to learn from.
Solver = Callable[[NDArray[np.bool_]], Solved]


def bound_again(whole: Whole, entry: Entry, rows: Rows, gap: float) -> float:
    """The bound that a solver of the dual finds on these rows, on their scales."""
    solver = _solver(whole, entry, rows, os.cpu_count() or 1, ignore, gap)
    return solver(np.ones(rows.shape[0], dtype=bool)).bound


def _held_out(whole: Whole, share: float, seed: int) -> NDArray[np.bool_]:
    """The rows to hold out: none, if they tell nothing or leave a class without rows (of any weight) to learn from."""
    n = len(whole.targets)
    held = held_out(0, n, share, seed)
    learnt = ~held if whole.weights is None else ~held & (whole.weights > 0)
    enough = int(held.sum()) >= ENOUGH_HELD_OUT and bool(learnt.any())
    if enough and whole.labels is not None:
        enough = len(np.unique(whole.targets[learnt])) == len(whole.labels)
    return held if enough else np.zeros(n, dtype=bool)


def _solver(whole: Whole, entry: Entry, rows: Rows, threads: int, watch: Watcher, gap: float = GAP) -> Solver:
    if entry.way is Way.DUAL and entry.recipe.loss is not Loss.LOGISTIC:
        return lambda which: _widest_margin(whole, entry, rows, which, threads, watch, gap)
    if entry.way is Way.DUAL:
        return _DualSolver(whole, entry, rows, threads, watch, gap)
    if entry.way is Way.ANALYTIC:
        return lambda which: _closed(whole, entry, rows, which)
    return lambda which: _descended(whole, entry, rows, which, threads, watch)


def _closed(whole: Whole, entry: Entry, rows: Rows, which: NDArray[np.bool_]) -> Solved:
    """Least squares, with a penalty or without."""
    penalised = entry.recipe.penalty.l2 > 0
    how = batch.Descent(STEPS, GAP_OF_SQUARES)
    method = ridge.solve if penalised else analytic.solve
    trained = batch.train(method, how, whole.examples(rows, which), None, entry.recipe)
    facts = {"gap": trained.certificate.gap, "converged": trained.converged} if penalised else {}
    return Solved(trained.model, facts)


def _descended(
    whole: Whole, entry: Entry, rows: Rows, which: NDArray[np.bool_], threads: int, watch: Watcher
) -> Solved:
    recipe = entry.recipe
    smooth = recipe.loss in (Loss.LOGISTIC, Loss.SQUARED, Loss.SQUARED_HINGE)
    method: batch.Method = batch.lbfgs if smooth else batch.descend
    if entry.way is Way.NEWTON:
        method = newton.conjugate_gradients
    schedule, most = None if smooth or recipe.schedule.per_penalty else recipe.schedule, STEPS
    if smooth and recipe.penalty.l1 > 0:  # its kinks are for proximal steps, of which more are needed
        method, most = to_gap(batch.descend), STEPS_WITH_L1
    how = batch.Descent(most, 1e-4, schedule)
    trained = batch.train(method, how, whole.examples(rows, which), whole.labels, recipe, n_jobs=threads, watch=watch)
    return Solved(trained.model, {"steps": len(trained.history), "converged": trained.converged})


def _widest_margin(
    whole: Whole, entry: Entry, rows: Rows, which: NDArray[np.bool_], threads: int, watch: Watcher, gap: float
) -> Solved:
    """A support vector machine by its dual; rows of unit length, or of columns on one scale, are taken as they are."""
    how = batch.Descent(EPOCHS, gap)
    examples = whole.examples(rows, which)
    trained = batch.train(svm.descend, how, examples, whole.labels, entry.recipe, n_jobs=threads, watch=watch)
    facts = {
        "C": 1.0 / entry.recipe.penalty.l2,
        "epochs": len(trained.history),
        "gap": trained.certificate.gap,
        "converged": trained.converged,
    }
    return Solved(trained.model, facts, trained.certificate.dual)


class _DualSolver:
    """Logistic regression by the dual, classes one by one, each problem's words on their own scale."""

    def __init__(self, whole: Whole, entry: Entry, rows: Rows, threads: int, watch: Watcher, gap: float) -> None:
        assert whole.labels is not None
        self.gap = gap
        self.whole, self.rows, self.threads, self.watch = whole, rows, threads, watch
        self.reduction = entry.recipe.reduction
        self.problems = problems(len(whole.labels), self.reduction)
        self.text = whole.features.text_features()
        self.cost = 1.0 / entry.recipe.penalty.l2
        self.held_back = entry.recipe.penalty.intercept

    def __call__(self, which: NDArray[np.bool_]) -> Solved:
        assert self.whole.labels is not None
        everyone, classes = self.whole.examples(self.rows, which), len(self.whole.labels)

        def solve(problem: Problem) -> tuple[Flat, DualSolution, float]:
            members = problem.members(everyone.targets, classes)
            examples = everyone if members is None else some(everyone, members)
            signs = np.where(examples.targets == float(problem.positive or 0), 1.0, -1.0)
            rows, scales = word_scaled(examples.rows, signs, self.text)
            if self.held_back:  # the intercept is a weight like the others, of a column of ones
                rows, scales = with_ones(rows), np.append(scales, 1.0)
            found = DualLogistic(rows, signs, examples.weights, intercept=not self.held_back).solve(
                self.cost, tol=self.gap, most=EPOCHS, watch=self.watch
            )
            # the dual is of C times the sum of losses and 1/2 |w|^2, the objective a mean
            return found.weights * scales, found, found.dual / (self.cost * examples.total_weight)

        solved = in_threads(solve, self.problems, self.threads)
        weights = np.ascontiguousarray(np.column_stack([weights for weights, _, _ in solved]))
        intercepts = np.array([found.intercept for _, found, _ in solved])
        if self.held_back:
            weights, intercepts = weights[:-1], weights[-1].copy()
        model = LinearModel(weights, intercepts, self.whole.labels.classes, self.reduction)
        ends = [found for _, found, _ in solved]
        gap = max((found.primal - found.dual) / found.primal if found.primal > 0 else 0.0 for found in ends)
        facts = {
            "C": self.cost,
            "epochs": max(found.epochs for found in ends),
            "gap": gap,
            "converged": all(found.converged for found in ends),
        }
        return Solved(model, facts, sum(bound for _, _, bound in solved))
