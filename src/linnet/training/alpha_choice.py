"""Which alpha ridge regression, the Lasso and the elastic net take where none is given: that with the least error on
rows left out.

With an L2 penalty alone one row after the other is left out, in closed form (leave_one_out.py); where that would take
long, a fold of the rows (alpha_folds.py); with an L1 penalty always a fold (alpha_path.py).  Candidates are 10^(k/10)
for any data, so that alpha does not depend on the last bits of a sum.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray

from linnet.data.rows import Examples, Rows, select_examples
from linnet.learners.entry import Entry
from linnet.training import alpha_path
from linnet.training.alpha_folds import FOLDS, errors, folds_used, merged, sum_of_squares
from linnet.training.history import Watcher, ignore
from linnet.training.leave_one_out import LeaveOneOut, feasible, quickly_decomposed
from linnet.training.log_count_ratio import Text
from linnet.training.problems import Problems

Flat = NDArray[np.float64]

# Candidates a factor of ten; every fifth first, then those beside the best.
A_DECADE, COARSE = 10, 5
# From least squares, as far as double precision tells them apart, to almost no weights: times the largest eigenvalue.
SMALLEST, LARGEST = 1e-9, 1e3
# With more columns than rows ever smaller alphas fit all rows ever more exactly, and differ in nothing but time.
SMALLEST_OF_WIDE = 1e-4
# The sum of all eigenvalues, where the largest is not known, is about this many times as large.
EIGENVALUES = 100.0
# Errors this near are equal, and the larger alpha is taken: with many columns, those of ever smaller ones are alike.
EQUAL = 1e-4


class Choice(NamedTuple):
    """The learner with its alpha, and how that was chosen; nothing, where it is the learner's own."""

    entry: Entry
    how: str


def with_alpha(
    entry: Entry,
    examples: Examples,
    contents: Rows,
    *,
    text: Text | None = None,
    watch: Watcher = ignore,
) -> Choice:
    """The learner with the alpha that suits these examples best.

    `contents` are their rows before they were scaled; `text` says which columns are n-grams of a text.
    """
    penalty = entry.recipe.penalty
    problem = Problems(entry, examples, None, text=text)[0].objective
    examples = replace(examples, rows=problem.rows)
    if penalty.l1 > 0 or not quickly_decomposed(examples):
        examples = merged(examples, contents)
    elif examples.weights is not None and not examples.weights.all():
        examples = select_examples(examples, examples.weights > 0)
    if penalty.l1 > 0:
        return _with_l1(entry, examples, problem.intercept, watch)
    examples = replace(examples, targets=_unit(examples.targets))
    with np.errstate(over="ignore", invalid="ignore"):
        alpha, how = _chosen(examples, problem.intercept, watch)
    if alpha is None:
        return Choice(entry, how)
    return Choice(replace(entry, recipe=replace(entry.recipe, penalty=replace(penalty, l2=alpha))), how)


def _unit(targets: Flat) -> Flat:
    """The targets in a unit in which no square is lost, however large they are: alpha does not depend on it."""
    return np.asarray(targets / (float(np.abs(targets).max(initial=0.0)) or 1.0))


def _chosen(examples: Examples, intercept: bool, watch: Watcher) -> tuple[float | None, str]:
    if len(examples.targets) < 2:
        return None, ""  # there are no rows to choose it by
    wide = examples.rows.shape[1] > examples.rows.shape[0]
    if feasible(examples):
        try:
            left_out = LeaveOneOut(examples, intercept=intercept)
        except LinAlgError:
            left_out = None
        if left_out is None or not 0 < left_out.largest < np.inf:
            return None, ""  # the columns do not vary
        return _by_leaving_out(left_out, wide), "leave-one-out"
    low, high = _range(sum_of_squares(examples) / EIGENVALUES or 1.0, wide)
    alphas = _alphas(np.arange(low, high + 1))
    found = errors(examples, alphas, intercept=intercept, watch=watch)
    return float(alphas[_best(found)]), _by_folds(len(examples.targets))


def _by_folds(rows: int) -> str:
    used = folds_used(rows)
    return f"{FOLDS}-fold cross-validation" if used == FOLDS else f"cross-validation, {used} of {FOLDS} folds,"


def _with_l1(entry: Entry, examples: Examples, intercept: bool, watch: Watcher) -> Choice:
    """The learner with the alpha that suits these examples, which are in a random order, best."""
    penalty = entry.recipe.penalty
    with np.errstate(over="ignore", invalid="ignore"):
        smallest, largest = alpha_path.range_of(examples, penalty, intercept=intercept)
        if len(examples.targets) < FOLDS or not 0 < smallest <= largest < np.inf:
            return Choice(entry, "")  # there are too few rows to choose it by, or the targets do not vary
        alphas = _alphas(np.arange(floor(A_DECADE * log10(smallest)), ceil(A_DECADE * log10(largest)) + 1))
        found = alpha_path.errors(examples, alphas, penalty, intercept=intercept, watch=watch)
    alpha, ratio = float(alphas[_best(found)]), penalty.l1 / (penalty.l1 + penalty.l2)
    chosen = replace(penalty, l1=alpha * ratio, l2=alpha * (1.0 - ratio))
    return Choice(replace(entry, recipe=replace(entry.recipe, penalty=chosen)), _by_folds(len(examples.targets)))


def _by_leaving_out(left_out: LeaveOneOut, wide: bool) -> float:
    low, high = _range(left_out.largest, wide)
    coarse = np.arange(low, high + 1, COARSE)
    found = left_out.errors(_alphas(coarse))
    best = int(coarse[_best(found)])
    fine = np.arange(max(low, best - COARSE + 1), min(high, best + COARSE - 1) + 1)
    return float(_alphas(fine)[_best(left_out.errors(_alphas(fine)), float(np.nanmin(found)))])


def _range(largest: float, wide: bool) -> tuple[int, int]:
    """The numbers of the smallest and of the largest candidate, multiples of COARSE, by the largest eigenvalue."""
    steps, smallest = A_DECADE / COARSE, SMALLEST_OF_WIDE if wide else SMALLEST
    return COARSE * floor(steps * log10(smallest * largest)), COARSE * ceil(steps * log10(LARGEST * largest))


def _alphas(numbers: NDArray[np.int64]) -> Flat:
    """The candidates of these numbers, 10^(k/10) to three digits, as they are printed."""
    return np.array([float(f"{10.0 ** (number / A_DECADE):.3g}") for number in numbers.tolist()])


def _best(errors: Flat, known: float = np.inf) -> int:
    """The largest alpha, which comes last, that is as good as the best, or as another with a known error."""
    errors = np.where(np.isfinite(errors), errors, np.inf)
    least = float(errors.min())
    return int(np.flatnonzero(errors <= max(least, min(least, known) * (1.0 + EQUAL)))[-1])
