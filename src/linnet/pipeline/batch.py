"""Batch learners on all rows of a source: columns brought to one scale, and a look at held-out rows first.

What is solved, and how it is folded back.  A column of numbers enters as (x - mean) / deviation, with 0 where it is
missing; another column whose entries exceed 1 is divided by its largest.  A word of a text enters times

    (1/4 + 3/4 |r|) sqrt(idf),   idf = 1 + log((1 + n) / (1 + p + q)),
    r = log( (p + 2 s) / (q + 2 (1 - s)) ) - log( s / (1 - s) )

where p and q of the n rows on either side of the problem have it, and s is the first side's share of all words: r is
the naive Bayes log-count ratio (Wang, Manning 2012), smoothed towards 0 also where one side has far more words.  Words
that tell the sides apart are so allowed larger weights.  In the end text is scaled to a mean square length of 1.

All of these are scales of columns, so they are folded into the weights in the end: the model takes rows as they come.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError, NumericalError
from linnet.examples import Examples, Rows
from linnet.features.features import Features
from linnet.kernels import entries
from linnet.learners.catalogue import Entry, Way
from linnet.learners.recipe import Loss, Penalty, Reduction
from linnet.model import LinearModel
from linnet.pipeline.cache import rows_at
from linnet.pipeline.collected import Whole
from linnet.pipeline.online import held_out
from linnet.pipeline.scoring import Result, add_result, tally_for
from linnet.training import analytic, batch
from linnet.training.dual import DualLogistic, DualSolution
from linnet.training.history import Watcher, ignore
from linnet.training.reduction import Problem, problems
from linnet.training.trained import in_threads

# What a row's loss counts against 1/2 |w|^2: words take less shrinking than numbers, for there are many of them.
COST_OF_TEXT, COST = 16.0, 1.0
# The floor of a word's scale, and how much the log-count ratio is smoothed.
FLOOR, SMOOTHING = 0.25, 2.0
# Fewer held-out rows than this tell nothing.
ENOUGH_HELD_OUT = 20
GAP, EPOCHS, STEPS = 1e-3, 300, 1000
# Up to so many columns Newton-like steps on all rows are quickest; beyond, one row at a time.
NARROW = 1000

Flat = NDArray[np.float64]
Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class BatchResult:
    """The model, what was chosen, and how it did on rows it had not seen."""

    model: LinearModel
    facts: dict[str, Any]
    held_out: Result | None


@dataclass(frozen=True, eq=False)
class Scaling:
    """x -> (x - centre) / unit for every feature; only columns of numbers have a centre."""

    centres: Flat
    units: Flat
    missing: NDArray[np.int64]
    numbers: NDArray[np.int64]

    def scaled(self, rows: Rows) -> Rows:
        ids = rows.ids
        values = (rows.values.astype(np.float64) - self.centres[ids]) / self.units[ids]
        return replace(rows, values=values)

    def unscaled(self, model: LinearModel) -> LinearModel:
        """The model for rows as they come: a missing number, 0 when scaled, is worth its column's mean."""
        with np.errstate(over="ignore", invalid="ignore"):  # told below, once
            weights = model.weights / self.units[:, np.newaxis]
            shift = weights * self.centres[:, np.newaxis]
            weights[self.missing] += shift[self.numbers]
            intercepts = model.intercepts - shift.sum(axis=0)
        if not (np.isfinite(weights).all() and np.isfinite(intercepts).all()):
            raise NumericalError(
                "the weights left the range of numbers: a column of numbers is too large or too narrow"
            )
        return replace(model, weights=weights, intercepts=intercepts)


def measured(features: Features, rows: Rows) -> Scaling | None:
    """The scale of every feature; None where nothing is to be scaled."""
    centres, units = np.zeros(len(features)), np.ones(len(features))
    pairs = np.array(list(features.number_features()), dtype=np.int64).reshape(-1, 2)
    plain = ~features.text_features()
    if plain.any():
        largest = np.zeros(len(features))
        entries.largest(rows.values, rows.ids, largest)
        numbers = pairs[:, 0]
        centres[numbers], units[numbers] = _moments(rows, numbers, largest)
        plain[pairs.reshape(-1)] = False
        units = np.where(plain & (largest > 1.0), largest, units)
    if (units == 1.0).all() and not centres.any():
        return None
    return Scaling(centres, units, pairs[:, 1], pairs[:, 0])


def _moments(rows: Rows, numbers: NDArray[np.int64], largest: Flat) -> tuple[Flat, Flat]:
    """The means of these columns, and their deviations (1 for none)."""
    one_of_them = np.zeros(len(largest), dtype=bool)
    one_of_them[numbers] = True
    at = one_of_them[rows.ids]
    ids = rows.ids[at]
    unit = np.where(largest > 0, largest, 1.0)  # within [-1, 1] no square is lost, however large the numbers
    values = rows.values[at] / unit[ids]
    counts = np.maximum(np.bincount(ids, minlength=len(largest)), 1)
    means = np.bincount(ids, values, len(largest)) / counts
    squares = np.bincount(ids, (values - means[ids]) ** 2, len(largest))
    deviations = (unit * np.sqrt(squares / counts))[numbers]
    return (unit * means)[numbers], np.where(deviations > 0, deviations, 1.0)


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
        rows, _ = _scaled(raw, measured(whole.features, rows_at(raw, np.flatnonzero(learnt))))
        model, _ = _solver(whole, entry, rows, threads, watch)(learnt)
        result = _tried(whole, entry, model, rows_at(rows, np.flatnonzero(held)), whole.targets[held])
    say("learning from all rows")
    rows, scaling = _scaled(raw, measured(whole.features, raw))
    model, facts = _solver(whole, entry, rows, threads, watch)(np.ones(n, dtype=bool))
    if scaling is not None:
        model = scaling.unscaled(model)
    facts |= {"rows": n, "rows_held_out": int(held.sum())}
    if scaling is not None and len(scaling.numbers):
        facts["numbers"] = _numbers(whole.features, scaling, rows)
    return BatchResult(replace(model, weights=np.ascontiguousarray(model.weights)), facts, result)


def _scaled(rows: Rows, scaling: Scaling | None) -> tuple[Rows, Scaling | None]:
    """The rows on this scale, if there is one."""
    return (rows if scaling is None else scaling.scaled(rows)), scaling


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


# A solver takes which rows to learn from and gives the model and facts about the way there.
Solver = Callable[[NDArray[np.bool_]], tuple[LinearModel, dict[str, Any]]]


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


def _solver(whole: Whole, entry: Entry, rows: Rows, threads: int, watch: Watcher) -> Solver:
    if entry.way is Way.DUAL:
        return _DualSolver(whole, rows, threads, watch)
    if entry.way is Way.ANALYTIC:
        return lambda which: _least_squares(whole, rows, which)
    return lambda which: _descended(whole, entry, rows, which, threads, watch)


def _examples(whole: Whole, rows: Rows, which: NDArray[np.bool_]) -> Examples:
    at = np.flatnonzero(which)
    part = rows if len(at) == rows.shape[0] else rows_at(rows, at)
    return Examples(part, whole.targets[at], None if whole.weights is None else whole.weights[at])


def _least_squares(whole: Whole, rows: Rows, which: NDArray[np.bool_]) -> tuple[LinearModel, dict[str, Any]]:
    with batch.one_thread():
        w, b = analytic.least_squares(_examples(whole, rows, which), intercept=True)
    return LinearModel(w[:, np.newaxis], np.array([b])), {}


def _descended(
    whole: Whole, entry: Entry, rows: Rows, which: NDArray[np.bool_], threads: int, watch: Watcher
) -> tuple[LinearModel, dict[str, Any]]:
    recipe = entry.recipe
    smooth = recipe.loss in (Loss.LOGISTIC, Loss.SQUARED, Loss.SQUARED_HINGE)
    if recipe.loss is Loss.LOGISTIC:
        recipe = replace(recipe, penalty=Penalty(l2=1.0 / COST, total=True))
    method = batch.lbfgs if smooth else batch.descend
    schedule = None if smooth or recipe.schedule.per_penalty else recipe.schedule
    how = batch.Descent(STEPS, 1e-4, schedule)
    trained = batch.train(method, how, _examples(whole, rows, which), whole.labels, recipe, n_jobs=threads, watch=watch)
    return trained.model, {"steps": len(trained.history), "converged": trained.converged}


class _DualSolver:
    """One-vs-rest logistic regression by the dual, each problem's words on their own scale."""

    def __init__(self, whole: Whole, rows: Rows, threads: int, watch: Watcher) -> None:
        assert whole.labels is not None
        self.whole, self.rows, self.threads, self.watch = whole, rows, threads, watch
        self.problems = problems(len(whole.labels), Reduction.ONE_VS_REST)
        self.text = whole.features.text_features()
        self.cost = COST_OF_TEXT if self.text.any() else COST

    def __call__(self, which: NDArray[np.bool_]) -> tuple[LinearModel, dict[str, Any]]:
        assert self.whole.labels is not None
        examples = _examples(self.whole, self.rows, which)

        def solve(problem: Problem) -> tuple[Flat, DualSolution]:
            signs = np.where(examples.targets == float(problem.positive or 0), 1.0, -1.0)
            rows, scales = self._scaled(examples.rows, signs)
            found = DualLogistic(rows, signs, examples.weights).solve(self.cost, tol=GAP, most=EPOCHS, watch=self.watch)
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
        return model, facts

    def _scaled(self, rows: Rows, signs: Flat) -> tuple[Rows, Flat]:
        """The rows with each word on its scale, and the scales."""
        if not self.text.any():
            return rows, np.ones(rows.shape[1])
        scales = word_scales(rows, signs, self.text)
        values = np.empty_like(rows.values)
        text = self.text.view(np.uint8)
        squares = entries.scaled(rows.values, rows.ids, scales, text, values)
        scales = np.where(self.text, scales / (np.sqrt(squares / rows.shape[0]) or 1.0), scales)
        entries.scaled(rows.values, rows.ids, scales, text, values)
        return replace(rows, values=values), scales


def word_scales(rows: Rows, signs: Flat, text: NDArray[np.bool_]) -> Flat:
    """The scale of every word (see the top of this file); 1 for features that are not of text."""
    n, columns = rows.shape
    p, q = np.zeros(columns), np.zeros(columns)
    entries.count_sides(rows.ids, rows.starts, signs, p, q)
    share = (1.0 + p[text].sum()) / (2.0 + p[text].sum() + q[text].sum())
    ratio = np.log((p + SMOOTHING * share) / (q + SMOOTHING * (1.0 - share))) - np.log(share / (1.0 - share))
    idf = 1.0 + np.log((1.0 + n) / (1.0 + p + q))
    scales = (FLOOR + (1.0 - FLOOR) * np.abs(ratio)) * np.sqrt(idf)
    # rounded to single precision: the C library's logarithm may differ in the last bit between machines
    return np.where(text, scales.astype(np.float32).astype(np.float64), 1.0)
