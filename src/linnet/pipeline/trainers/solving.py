"""One fit of a batch learner to rows that are scaled for it; and the fit to all rows, with what is proven of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from linnet.cores import cores
from linnet.data.packed_rows import PackedRows
from linnet.data.rows import Rows
from linnet.evaluation.splits import Mask
from linnet.learners.entry import AUTO, Entry
from linnet.learners.linear import LinearModel
from linnet.pipeline.certify import proven
from linnet.pipeline.dataset import TrainingSet
from linnet.pipeline.scaling import Scaling
from linnet.pipeline.summary_fit import summarised
from linnet.theory.fit_summary import FitSummary
from linnet.training.duality_gap import Certificate
from linnet.training.fit import Settings, fit
from linnet.training.history import Watcher, ignore
from linnet.training.log_count_ratio import Text
from linnet.training.result import Trained
from linnet.training.solver_choice import choose

# The solvers that never look at all rows at once where they are dense.
BY_PARTS = ("newton-cholesky", "analytic")
# How near the optimum a fit must be for standard errors, which are worked out by further Newton steps from there.
TOL_OF_SUMMARY = 1e-8


class Solving(NamedTuple):
    """How to solve, as asked for; None leaves it to the learner.  Without a proof all rows are looked at once less."""

    solver: str = AUTO
    tol: float | None = None
    max_iter: int | None = None
    threads: int = 1
    watch: Watcher = ignore
    proven: bool = True


def rows_to_fit(data: TrainingSet, entry: Entry, solver: str) -> Rows:
    """The rows as a solver takes them: packed, if it works on parts of dense rows."""
    packed, classes = data.packed_rows, 0 if data.labels is None else len(data.labels)
    if packed is not None and classes in (0, 2) and not entry.recipe.penalty.intercept:
        return packed if choose(entry, packed, classes, asked=solver).name in BY_PARTS else data.rows
    return data.rows


def of_all_features(model: LinearModel, rows: Rows) -> LinearModel:
    """The model with a weight for every feature: 0 for those that no packed row has."""
    if not isinstance(rows, PackedRows):
        return model
    weights = np.zeros((rows.table.features, model.weights.shape[1]))
    weights[rows.used] = model.weights
    return replace(model, weights=weights)


def fitted(
    data: TrainingSet, entry: Entry, rows: Rows, which: Mask | None, solving: Solving, near: LinearModel | None = None
) -> Trained:
    """The learner fitted to these rows, or some of them, as they are scaled; from the weights of a model near by."""
    weights = data.weights if which is None or data.weights is None else data.weights[which]
    settings = Settings(
        solver=solving.solver,
        tol=solving.tol,
        max_iter=solving.max_iter,
        threads=solving.threads,
        watch=solving.watch,
        near=near,
        proven=solving.proven,
        text=None if isinstance(rows, PackedRows) else Text(data.features.text_features(), weights),
    )
    return fit(entry, data.examples(rows, which), data.labels, settings)


def tolerance(entry: Entry, tol: float | None) -> float:
    """The gap that a fit is asked for."""
    return entry.tol if tol is None else tol


def bound_again(data: TrainingSet, entry: Entry, rows: Rows, solving: Solving) -> float:
    """The lower bound that a solver proves on these rows, as they are scaled: from no other start, so that `verify`
    finds it, too."""
    return fitted(data, entry, rows, None, solving._replace(threads=cores())).certificate.dual


class Final(NamedTuple):
    """The fit to all rows, its model for raw rows, what is proven of that, and standard errors if asked for."""

    trained: Trained
    model: LinearModel
    certificate: Certificate
    summary: FitSummary | None


@dataclass(frozen=True, eq=False)
class FitToAll:
    """A learner and all rows, as they are scaled for it and raw."""

    data: TrainingSet
    entry: Entry
    rows: Rows
    raw: Rows
    scaling: Scaling | None
    solving: Solving

    def proven(self, near: LinearModel | None, *, summary: bool) -> Final:
        """The fit, from a model near by if there is one, certified with the digits that it has for raw rows.

        From a model near by the solver is trusted at first: a certificate of its own would cost another look at all
        rows.  Where the model's does not hold, the solver proves its own.
        """
        if near is None or self.entry.sparse_classes:  # whose solver cannot begin there
            trained, described = self._with_summary() if summary else (self._fitted(self.solving), None)
            return self._certified(trained, partial(float, trained.certificate.dual), described)
        final = self._certified(self._fitted(self.solving._replace(proven=False), near), partial(float, "-inf"))
        if final.certificate.within(tolerance(self.entry, self.solving.tol)):
            return final
        bound = partial(bound_again, self.data, self.entry, self.rows, self.solving)
        return self._certified(self._fitted(self.solving, near), bound)

    def _fitted(self, solving: Solving, near: LinearModel | None = None) -> Trained:
        return fitted(self.data, self.entry, self.rows, None, solving, near)

    def _with_summary(self) -> tuple[Trained, FitSummary | None]:
        """The fit with standard errors."""
        asked = self.solving
        settings = Settings(
            solver=asked.solver,
            tol=TOL_OF_SUMMARY if asked.tol is None else asked.tol,
            max_iter=asked.max_iter,
            threads=asked.threads,
            watch=asked.watch,
        )
        found = summarised(
            self.data, self.rows, self.raw, self.scaling,
            lambda examples: fit(self.entry, examples, self.data.labels, settings),
        )  # fmt: skip
        return found.trained, found.summary

    def _certified(self, trained: Trained, bound: Callable[[], float], described: FitSummary | None = None) -> Final:
        model, kept = _for_raw_rows(of_all_features(trained.model, self.rows), self.scaling)
        if self.entry.sparse_classes and self.scaling is None:  # the solver's is of these weights, with their digits
            return Final(trained, model, trained.certificate, described)
        enough = tolerance(self.entry, self.solving.tol)
        return Final(trained, model, proven(self.data, self.entry, self.rows, kept, enough, bound), described)


def _for_raw_rows(model: LinearModel, scaling: Scaling | None) -> tuple[LinearModel, LinearModel]:
    """The model for raw rows; and that on scaled ones, with fewer digits where a column is narrow beside its mean."""
    if scaling is None:
        return model, model
    raw = scaling.unscaled(model)
    return raw, scaling.brought_back(raw)
