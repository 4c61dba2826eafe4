"""Several numbers to predict from the same rows: least squares and ridge regression of all by one factorisation.

The outputs do not depend on one another: each has the weights, to rounding, and the certificate that it has alone.
What they share is the table of the columns' squares (or its QR decomposition), which is nearly all of the work.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.cores import one_thread
from linnet.data.rows import Examples, Rows
from linnet.learners.entry import Entry
from linnet.learners.linear import LinearModel
from linnet.training.duality_gap import Certificate, certify, joined
from linnet.training.fit import Settings, fit
from linnet.training.history import Pass, added
from linnet.training.objective import Objective
from linnet.training.result import Trained
from linnet.training.solver_choice import choose
from linnet.training.solvers import least_squares, ridge
from linnet.training.solvers.centred_squares import NARROWEST, centred_squares
from linnet.training.solvers.positive_systems import positive_solution
from linnet.training.solvers.row_products import centred_products
from linnet.training.solvers.shortest import shortest

Table = NDArray[np.float64]


def fit_outputs(entry: Entry, rows: Rows, targets: Table, weights: Table | None, settings: Settings) -> Trained:
    """Fit a learner of squares to the columns of `targets`."""
    chosen = choose(entry, rows, 0, asked=settings.solver, steps=settings.steps is not None)
    each = [Examples(rows, np.ascontiguousarray(y), weights) for y in targets.T]
    if chosen.name != "analytic" or entry.recipe.penalty.intercept:
        return side_by_side([fit(entry, examples, None, replace(settings, start=None)) for examples in each])
    began = perf_counter()
    rows.check_finite()
    problems = [
        Objective(examples, entry.recipe.loss, entry.recipe.penalty, 1, intercept=settings.intercept, regression=True)
        for examples in each
    ]
    with one_thread():
        found, certificates = _solved(problems, targets)
    tally = Pass(0, 1, sum(proof.primal for proof in certificates), perf_counter() - began)
    settings.watch(tally)
    table = np.array(found)
    model = LinearModel(np.ascontiguousarray(table[:, :-1].T), table[:, -1].copy())
    return Trained(model, [tally], True, joined(certificates), solver=chosen.name, solver_reason=chosen.reason)


def _solved(problems: list[Objective], targets: Table) -> tuple[list[Table], list[Certificate]]:
    """Weights with the intercept, and what is proven, of every output."""
    first, all_targets = problems[0], replace(least_squares.examples_of(problems[0]), targets=targets)
    if first.penalty.l2 == 0:
        wide = shortest(all_targets, intercept=first.intercept)
        if wide is not None:
            return list(wide[0]), wide[1]
        axes = least_squares.decomposed_outputs(all_targets, intercept=first.intercept)
        found = [least_squares.solved(*each) for each in zip(problems, axes, strict=True)]
        return [flat for flat, _ in found], [proof for _, proof in found]
    alpha = first.penalty.l2 * first.total
    n, d = first.rows.shape
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is solved one by one
        table = (_narrow if d <= n else _wide)(all_targets, alpha, intercept=first.intercept)
    if table is None or not np.isfinite(table).all():
        table = np.array(
            [
                np.append(*ridge.ridge(least_squares.examples_of(each), alpha, intercept=each.intercept))
                for each in problems
            ]
        )
    table = np.ascontiguousarray(table)
    return list(table), [certify(problem, flat) for problem, flat in zip(problems, table, strict=True)]


def _narrow(examples: Examples, alpha: float, *, intercept: bool) -> Table | None:
    """By the d x d table of squares: a row of weights and the intercept for every output."""
    d = examples.rows.shape[1]
    found = centred_squares(examples, intercept=intercept)
    squares, about, total = found.squares, found.means, found.total
    table = np.ascontiguousarray(squares[:d, :d])
    table.flat[:: d + 1] += alpha
    if (table.diagonal() < NARROWEST * total * about[:d] ** 2).any():
        return None
    w = positive_solution(table, squares[:d, d:])
    return None if w is None else np.column_stack([w.T, about[d:] - about[:d] @ w])


def _wide(examples: Examples, alpha: float, *, intercept: bool) -> Table | None:
    """The same by the n x n table of the rows' products."""
    n, d = examples.rows.shape
    y, c = examples.targets, np.ones(n) if examples.weights is None else examples.weights
    root, mean = np.sqrt(c), c @ y / c.sum() if intercept else np.zeros(y.shape[1])
    table = centred_products(examples, c if intercept else None)
    table *= root[:, np.newaxis]
    table *= root
    table.flat[:: n + 1] += alpha
    u = positive_solution(table, root[:, np.newaxis] * (y - mean))
    if u is None:
        return None
    u = root[:, np.newaxis] * u
    X = examples.rows.matrix()
    means = np.asarray(X.T @ c / c.sum() if intercept else np.zeros(d), dtype=np.float64)
    w = np.asarray(X.T @ u, dtype=np.float64) - np.outer(means, u.sum(axis=0))
    return np.column_stack([w.T, mean - means @ w])


def side_by_side(each: list[Trained]) -> Trained:
    """The fits of the outputs as one."""
    weights = np.concatenate([one.model.weights for one in each], axis=1)
    intercepts = np.concatenate([one.model.intercepts for one in each])
    return replace(
        each[0],
        model=LinearModel(np.ascontiguousarray(weights), intercepts),
        history=added([one.history for one in each]),
        converged=all(one.converged for one in each),
        certificate=joined([one.certificate for one in each]),
        start=None,
    )
