"""Batch learners on all rows of a source: measured on held-out rows first, then fitted to all rows, with a proof.

Columns are brought to one scale first (scaling.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.cores import cores, one_thread
from linnet.data.features.feature_map import Features
from linnet.data.packed_rows import PackedRows
from linnet.data.rows import Examples, Rows, take_rows
from linnet.data.targets import require_two_labels
from linnet.evaluation.splits import Mask, first_of_each, held_out
from linnet.learners.entry import AUTO, Entry
from linnet.learners.linear import LinearModel
from linnet.learners.problem_choice import adapted
from linnet.learners.recipe import Reduction
from linnet.learners.regularisation import OWN, Regularisation
from linnet.model.moments import Moments
from linnet.model.predictor import Result, scorer
from linnet.model.record import ColumnStatistics, StrengthChoice
from linnet.pipeline import cross_fit, strength_choice
from linnet.pipeline.certify import proven
from linnet.pipeline.dataset import TrainingSet
from linnet.pipeline.decision_fit import NOTHING, Decided, Wanted
from linnet.pipeline.feature_moments import MomentSums, packed_moments
from linnet.pipeline.scaling import Scaling, measured, scaled
from linnet.pipeline.summary_fit import summarised
from linnet.theory.fit_summary import FitSummary
from linnet.theory.separation import examine_model
from linnet.training.alpha_choice import with_alpha
from linnet.training.duality_gap import Certificate
from linnet.training.fit import Settings, fit
from linnet.training.history import Watcher, ignore
from linnet.training.log_count_ratio import Text
from linnet.training.result import Trained
from linnet.training.solver_choice import choose
from linnet.training.threads import beside

# The solvers that never look at all rows at once where they are dense.
BY_PARTS = ("newton-cholesky", "analytic")
# Fewer held-out rows than this are not measured.
ENOUGH_HELD_OUT = 20
# Of at most this many rows, a tenth more may call for another alpha, and it is quickly found.
CHOSEN_ANEW = 1000
# How near the optimum a fit must be for standard errors, which are worked out by further Newton steps from there.
TOL_OF_SUMMARY = 1e-8

Flat = NDArray[np.float64]
Say = Callable[[str], None]


class Solving(NamedTuple):
    """How to solve, as asked for; None leaves it to the learner.  Without a proof all rows are looked at once less."""

    solver: str = AUTO
    tol: float | None = None
    max_iter: int | None = None
    threads: int = 1
    watch: Watcher = ignore
    proven: bool = True


@dataclass(frozen=True, eq=False)
class BatchResult:
    """The model, what is proven of it, how it did on held-out rows, and how it was fitted.

    `entry` is the learner as fitted, with the penalty, the reduction and the text weighting chosen for the data.
    """

    model: LinearModel
    certificate: Certificate
    held_out: Result | None
    decided: Decided
    entry: Entry
    solver: str
    solver_reason: str
    iterations: int
    converged: bool
    rows: int
    rows_held_out: int
    # of the penalty, if it was chosen from the rows
    strength: StrengthChoice | None
    # by label, if classes are weighted
    class_weights: dict[str, float] | None
    columns: dict[str, ColumnStatistics]
    moments: Moments
    # of a fit without a penalty, if it was asked for
    summary: FitSummary | None
    # why an unpenalised logistic fit has no finite optimum, if it has none
    separation: str


@one_thread()  # scales, held-out metrics and certificates are stored, like the weights
def train_batch(
    data: TrainingSet,
    entry: Entry,
    *,
    holdout: float,
    seed: int,
    threads: int,
    say: Say,
    watch: Watcher = ignore,
    wanted: Wanted = NOTHING,
    strength: Regularisation = OWN,
    solving: Solving | None = None,
    summary: bool = False,
) -> BatchResult:
    """Fit this learner to the rows that are not held out, measure it on those that are, and then fit it to all.

    The strength of the penalty, calibration and thresholds are chosen on rows that are not held out either.
    """
    if summary and data.labels is not None and len(data.labels) > 2:
        strength = replace(strength, multiclass=Reduction.REFERENCE)
    entry = _adapted(data, entry, strength)
    solving = (Solving() if solving is None else solving)._replace(threads=threads, watch=watch)
    raw = data.rows if summary else rows_to_fit(data, entry, solving.solver)
    held = _held_out(data, holdout, seed)
    tuned = entry.chooses_alpha and strength.alpha is None
    entry, chosen = _with_strength(
        data, entry, strength, (raw, ~held), Settings(threads=threads, watch=watch), seed, say
    )
    trials = _Trials(data, entry, raw, solving)
    decided, result, without = trials.decided_and_measured(held, wanted, seed, say)
    say("training on all rows")
    if tuned and held.any() and len(held) <= CHOSEN_ANEW:
        entry, chosen = _tuned(data, entry, raw, np.ones(len(held), dtype=bool), watch)
    scaling = measured(data.features, raw, data.weights)
    rows = scaled(raw, scaling)
    near = None if without is None else without.on_scale_of(rows, scaling)
    final = _fitted_and_proven(data, entry, (rows, raw), scaling, solving, near, summary=summary)
    trained, described = final.trained, final.summary
    separation = "" if summary else _separation(data, entry, rows, trained.model)
    return BatchResult(
        model=replace(final.model, weights=np.ascontiguousarray(final.model.weights)),
        certificate=final.certificate,
        held_out=result(),
        decided=decided,
        entry=entry,
        solver=trained.solver,
        solver_reason=trained.solver_reason,
        iterations=len(trained.history),
        converged=trained.converged,
        rows=raw.shape[0],
        rows_held_out=int(held.sum()),
        strength=chosen,
        class_weights=_class_weights(data),
        columns=_statistics(data.features, scaling, rows),
        moments=_moments(data, raw, scaling),
        summary=described,
        separation=separation,
    )


def _with_strength(
    data: TrainingSet,
    entry: Entry,
    strength: Regularisation,
    fitted_to: tuple[Rows, Mask],
    settings: Settings,
    seed: int,
    say: Say,
) -> tuple[Entry, StrengthChoice | None]:
    """The learner with the alpha or C that is best for these of the rows, where none is given."""
    raw, which = fitted_to
    if entry.chooses_alpha and strength.alpha is None:
        say("choosing alpha")
        return _tuned(data, entry, raw, which, settings.watch)
    if strength_choice.is_open(entry, strength):
        say("choosing C")
        return strength_choice.chosen(data, entry, raw, which, seed, settings)
    return entry, None


def _for_raw_rows(model: LinearModel, scaling: Scaling | None) -> tuple[LinearModel, LinearModel]:
    """The model for raw rows; and that on scaled ones, with fewer digits where a column is narrow beside its mean."""
    if scaling is None:
        return model, model
    raw = scaling.unscaled(model)
    return raw, scaling.brought_back(raw)


def _adapted(data: TrainingSet, entry: Entry, strength: Regularisation) -> Entry:
    """The learner for data of this kind, with the penalty and the reduction asked for; refused for a single label."""
    classes = 0 if data.labels is None else len(data.labels)
    if data.labels is not None:
        require_two_labels(data.labels.classes.tolist())
    has_text = bool(data.features.text_features().any())
    return adapted(entry, strength, has_text=has_text, columns=len(data.features), classes=classes)


class _Final(NamedTuple):
    """The fit to all rows, its model for raw rows, and what is proven of that."""

    trained: Trained
    model: LinearModel
    certificate: Certificate
    summary: FitSummary | None


def _fitted_and_proven(
    data: TrainingSet,
    entry: Entry,
    rows: tuple[Rows, Rows],
    scaling: Scaling | None,
    solving: Solving,
    near: LinearModel | None,
    *,
    summary: bool,
) -> _Final:
    """The learner fitted to all rows, given as scaled and as they are, and certified with the digits it has for those.

    From a model near by the solver is trusted at first, because a certificate of its own would cost another look at
    all rows.
    """
    enough = tolerance(entry, solving.tol)
    for trusting in (True, False) if near is not None else (False,):
        asked = solving._replace(proven=not trusting)
        trained, described = _fitted_to_all(data, entry, rows, scaling, asked, near, summary=summary)
        if trusting:
            bound = partial(float, "-inf")
        elif near is not None:
            bound = partial(bound_again, data, entry, rows[0], solving)
        else:
            bound = partial(float, trained.certificate.dual)
        model, kept = _for_raw_rows(of_all_features(trained.model, rows[0]), scaling)
        certificate = proven(data, entry, rows[0], kept, enough, bound)
        if certificate.within(enough):
            break
    return _Final(trained, model, certificate, described)


def _fitted_to_all(
    data: TrainingSet,
    entry: Entry,
    rows: tuple[Rows, Rows],
    scaling: Scaling | None,
    solving: Solving,
    near: LinearModel | None,
    *,
    summary: bool,
) -> tuple[Trained, FitSummary | None]:
    """The learner fitted to all rows, given as scaled and as they are; with standard errors, if they are asked for."""
    if not summary:
        return fitted(data, entry, rows[0], None, solving, near), None
    settings = Settings(
        solver=solving.solver,
        tol=TOL_OF_SUMMARY if solving.tol is None else solving.tol,
        max_iter=solving.max_iter,
        threads=solving.threads,
        watch=solving.watch,
    )
    found = summarised(data, *rows, scaling, lambda examples: fit(entry, examples, data.labels, settings))
    return found.trained, found.summary


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


def _tuned(
    data: TrainingSet, entry: Entry, raw: Rows, which: Mask, watch: Watcher
) -> tuple[Entry, StrengthChoice | None]:
    """The learner with the alpha that suits these rows; and how it was chosen, unless it is the learner's own."""
    contents = take_rows(raw, np.flatnonzero(which))
    examples = data.examples(raw, which)
    scaling = measured(data.features, contents, examples.weights)
    examples = replace(examples, rows=scaled(contents, scaling))
    text = None if isinstance(raw, PackedRows) else Text(data.features.text_features())
    entry, how = with_alpha(entry, examples, contents, text=text, watch=watch)
    return entry, StrengthChoice("alpha", entry.recipe.penalty.l2, how, len(examples.targets)) if how else None


def tolerance(entry: Entry, tol: float | None) -> float:
    """The gap that a fit is asked for."""
    return entry.tol if tol is None else tol


def bound_again(data: TrainingSet, entry: Entry, rows: Rows, solving: Solving) -> float:
    """The lower bound that a solver proves on these rows, as they are scaled: from no other start, so that `verify`
    finds it, too."""
    return fitted(data, entry, rows, None, solving._replace(threads=cores())).certificate.dual


def _nothing() -> None:
    """How the held-out rows do, if there are none."""


class _Without(NamedTuple):
    """The model fitted without the held-out rows, on the scale of the others."""

    model: LinearModel
    scaling: Scaling | None

    def on_scale_of(self, rows: Rows, scaling: Scaling | None) -> LinearModel | None:
        """The same model on the scale of these rows, to begin with there; only where all rows are looked at in each
        step, and few columns make that worth while."""
        if not isinstance(rows, PackedRows):
            return None
        model = of_all_features(self.model, rows)
        raw = model if self.scaling is None else self.scaling.unscaled(model)
        moved = raw if scaling is None else scaling.brought_back(raw)
        return replace(moved, weights=np.ascontiguousarray(moved.weights[rows.used]))


@dataclass(frozen=True, eq=False)
class _Trials:
    """Fits to some of the rows, to see how they do on others."""

    data: TrainingSet
    entry: Entry
    raw: Rows
    solving: Solving

    def _fitted(self, trained_on: Mask, asked: Mask) -> tuple[_Without, Rows]:
        """A model fitted to some rows, and the others on the scale of these."""
        weights = None if self.data.weights is None else self.data.weights[trained_on]
        # nothing holds these rows while others like them are fitted to: they can be all that memory has room for
        scaling = measured(self.data.features, take_rows(self.raw, np.flatnonzero(trained_on)), weights)
        rows = scaled(self.raw, scaling)
        model = fitted(self.data, self.entry, rows, trained_on, self.solving._replace(proven=False)).model
        return _Without(model, scaling), take_rows(rows, np.flatnonzero(asked))

    def decided_and_measured(
        self, held: Mask, wanted: Wanted, seed: int, say: Say
    ) -> tuple[Decided, Callable[[], Result | None], _Without | None]:
        """Decisions fitted without the held-out rows; how these do, if there are any, and the model that was asked.

        How they do is worked out meanwhile.
        """
        if wanted.needs_rows:
            say("cross-validating the scores")
            decided = cross_fit.decided(self.data, ~held, wanted, seed, self.scored)
        else:
            decided = wanted.without_rows()
        if not held.any():
            return decided, _nothing, None
        say("training on all but the held-out rows")
        return decided, *self.measured(held, decided)

    def scored(self, trained_on: Mask, asked: Mask) -> Flat:
        """The scores of some rows by a model fitted to others, as they are calibrated on."""
        (model, _), rows = self._fitted(trained_on, asked)
        return model.evidence(model.decision(rows))

    def measured(self, held: Mask, decided: Decided) -> tuple[Callable[[], Result], _Without]:
        """How a model fitted to the other rows does on these, and that model."""
        without, rows = self._fitted(~held, held)
        return beside(partial(self._result, without.model, rows, held, decided)), without

    def _result(self, model: LinearModel, rows: Rows, held: Mask, decided: Decided) -> Result:
        probable = self.data.labels is not None and self.entry.recipe.has_probabilities
        measuring = scorer(model, probable, decided.calibration, decided.rule)
        tally = measuring.tally()
        weights = None if self.data.weights is None else self.data.weights[held]
        measuring.add_result(tally, rows, self.data.targets[held], weights)
        result: Result = tally.result()
        return result


def _separation(data: TrainingSet, entry: Entry, rows: Rows, model: LinearModel) -> str:
    """Why an unpenalised logistic fit has no finite optimum, if it has none."""
    penalty = entry.recipe.penalty
    if not entry.recipe.loss.log_odds or penalty.l1 > 0 or penalty.l2 > 0:
        return ""
    named = replace(rows, names=tuple(data.features.names()))
    found = examine_model(Examples(named, data.targets, data.weights), model, intercept=True)
    return str(replace(found, collinear=())) if found.separated else ""


def _class_weights(data: TrainingSet) -> dict[str, float] | None:
    each = data.each_class()
    if each is None or data.labels is None:
        return None
    return dict(zip(map(str, data.labels.classes.tolist()), each.tolist(), strict=True))


def _statistics(features: Features, scaling: Scaling | None, rows: Rows) -> dict[str, ColumnStatistics]:
    """Of each column of numbers, by name."""
    if scaling is None:
        return {}
    if isinstance(rows, PackedRows):
        missing = rows.table.missing
    else:
        missing = np.bincount(rows.ids, minlength=len(features))[scaling.missing]
    return {
        name: ColumnStatistics(float(scaling.centres[number]), float(scaling.units[number]), int(count))
        for name, number, count in zip(features.names_of(scaling.numbers), scaling.numbers, missing, strict=True)
    }


def _moments(data: TrainingSet, raw: Rows, scaling: Scaling | None) -> Moments:
    if isinstance(raw, PackedRows):
        return packed_moments(raw, data.weights, scaling)
    sums = MomentSums()
    sums.add(raw, data.weights)
    return sums.moments(data.features)


def _held_out(data: TrainingSet, fraction: float, seed: int) -> Mask:
    """The rows to hold out, never the first of a label; none, if they are too few."""
    n = len(data.targets)
    held = held_out(0, n, fraction, seed)
    if data.labels is not None:
        held[first_of_each(data.targets, 0)] = False
    return held if ENOUGH_HELD_OUT <= held.sum() < n else np.zeros(n, dtype=bool)
