"""Batch learners on all rows of a source: measured on held-out rows first, then fitted to all rows, with a proof.

Columns are brought to one scale first (scaling.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linnet.cores import one_thread
from linnet.data.features.feature_map import Features
from linnet.data.packed_rows import PackedRows
from linnet.data.rows import Examples, Rows, take_rows
from linnet.data.targets import require_labels, require_two_labels
from linnet.evaluation.splits import Mask, first_of_each, held_out
from linnet.evaluation.tuning_metrics import Tuning
from linnet.kernels.sparse_entries import entries_by_column
from linnet.learners.entry import Entry
from linnet.learners.linear import LinearModel
from linnet.learners.problem_choice import adapted
from linnet.learners.recipe import Reduction
from linnet.learners.regularisation import OWN, Regularisation
from linnet.model.moments import Moments
from linnet.model.point_sample import PointSample, PointSampling, two_numbers
from linnet.model.predictor import Result
from linnet.model.record import ColumnStatistics, StrengthChoice
from linnet.pipeline import strength_choice
from linnet.pipeline.coefficient_paths import MeanWeights
from linnet.pipeline.dataset import TrainingSet
from linnet.pipeline.decision_fit import NOTHING, Decided, Wanted
from linnet.pipeline.feature_moments import MomentSums, packed_moments
from linnet.pipeline.scaling import Scaling, measured, scaled
from linnet.pipeline.trainers.solving import FitToAll, Solving, rows_to_fit
from linnet.pipeline.trainers.trials import Say, Trials
from linnet.pipeline.tuning import tuned
from linnet.theory.fit_summary import FitSummary
from linnet.theory.separation import examine_model
from linnet.training.alpha_choice import with_alpha
from linnet.training.duality_gap import Certificate
from linnet.training.fit import Settings
from linnet.training.history import Watcher, ignore
from linnet.training.log_count_ratio import Text

# Fewer held-out rows than this are not measured.
ENOUGH_HELD_OUT = 20
# Of at most this many rows, a tenth more may call for another alpha, and it is quickly found.
CHOSEN_ANEW = 1000


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
    # of rows that are two numbers and a label
    points: PointSample | None
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
    tuning: Tuning | None = None,
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
    settings = Settings(threads=threads, watch=watch)
    chosen: StrengthChoice | None
    weights: MeanWeights | None = None
    if tuning is not None:
        own = None
        if entry.strength == "C":
            own = _C_of(_with_strength(data, entry, strength, (raw, ~held), settings, seed, say)[0])
        say(f"tuning {entry.strength}")
        solved = replace(settings, solver=solving.solver)
        entry, chosen, weights = tuned(data, entry, raw, ~held, seed, tuning, solved, own)
    else:
        entry, chosen = _with_strength(data, entry, strength, (raw, ~held), settings, seed, say)
    anew = tuning is None and entry.chooses_alpha and strength.alpha is None
    with Trials(data, entry, raw, solving) as trials:
        decided, result, without = trials.decided_and_measured(held, wanted, seed, say)
        say("training on all rows")
        if anew and held.any() and len(held) <= CHOSEN_ANEW:
            entry, chosen = _with_alpha(data, entry, raw, np.ones(len(held), dtype=bool), watch)
        scaling = measured(data.features, raw, data.weights)
        rows = scaled(raw, scaling)
        near = None if without is None else without.on_scale_of(rows, scaling)
        final = FitToAll(data, entry, rows, raw, scaling, solving).proven(near, summary=summary)
        trained = final.trained
        separation = "" if summary else _separation(data, entry, rows, trained.model)
        moments = _moments(data, raw, scaling)
        return BatchResult(
            model=final.model.contiguous(),
            certificate=final.certificate,
            decided=decided,
            entry=entry,
            solver=trained.solver,
            solver_reason=trained.solver_reason,
            iterations=len(trained.history),
            converged=trained.converged,
            rows=raw.shape[0],
            rows_held_out=int(held.sum()),
            strength=_with_paths(data, chosen, weights, moments),
            class_weights=_class_weights(data),
            columns=_statistics(data.features, scaling, rows),
            moments=moments,
            points=_points(data, raw),
            summary=final.summary,
            separation=separation,
            held_out=result(),
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
        return _with_alpha(data, entry, raw, which, settings.watch)
    if strength_choice.is_open(entry, strength):
        say("choosing C")
        several = data.labels is not None and data.labels.sets is not None
        choose = strength_choice.chosen_by_labels if several else strength_choice.chosen
        return choose(data, entry, raw, which, seed, settings)
    return entry, None


def _C_of(entry: Entry) -> float:
    """The learner's C, in as many digits as those of a path have."""
    return float(f"{1.0 / (entry.recipe.penalty.l1 + entry.recipe.penalty.l2):.6g}")


def _with_paths(
    data: TrainingSet, choice: StrengthChoice | None, weights: MeanWeights | None, moments: Moments
) -> StrengthChoice | None:
    """The choice with the weights of the top features along its path."""
    if choice is None or weights is None:
        return choice
    labels = [] if data.labels is None else [str(label) for label in data.labels.classes.tolist()]
    outputs = labels if len(labels) > 2 else [""]
    return replace(choice, paths=weights.paths(choice, data.features, moments.deviations, outputs))


def _adapted(data: TrainingSet, entry: Entry, strength: Regularisation) -> Entry:
    """The learner for data of this kind, with the penalty and the reduction asked for; refused for a single label."""
    classes = 0 if data.labels is None else len(data.labels)
    has_text = bool(data.features.text_features().any())
    if data.labels is not None and data.labels.sets is not None:
        require_labels(classes)
        of_two = adapted(entry, strength, has_text=has_text, columns=len(data.features), classes=2)
        return replace(of_two, recipe=replace(of_two.recipe, reduction=Reduction.EACH_LABEL))
    if data.labels is not None:
        require_two_labels(data.labels.classes.tolist())
    return adapted(entry, strength, has_text=has_text, columns=len(data.features), classes=classes)


def _with_alpha(
    data: TrainingSet, entry: Entry, raw: Rows, which: Mask, watch: Watcher
) -> tuple[Entry, StrengthChoice | None]:
    """The learner with the alpha that suits these rows; and how it was chosen, unless it is the learner's own."""
    contents = take_rows(raw, np.flatnonzero(which))
    examples = data.examples(raw, which)
    scaling = measured(data.features, contents, examples.weights)
    examples = replace(examples, rows=scaled(contents, scaling))
    text = None if isinstance(raw, PackedRows) else Text(data.features.text_features())
    entry, how = with_alpha(entry, examples, contents, text=text, watch=watch)
    alpha = entry.recipe.penalty.l1 + entry.recipe.penalty.l2
    return entry, StrengthChoice("alpha", alpha, how, len(examples.targets)) if how else None


def _separation(data: TrainingSet, entry: Entry, rows: Rows, model: LinearModel) -> str:
    """Why an unpenalised logistic fit has no finite optimum, if it has none."""
    penalty = entry.recipe.penalty
    one_by_one = entry.recipe.reduction is Reduction.EACH_LABEL
    if not entry.recipe.loss.log_odds or penalty.l1 > 0 or penalty.l2 > 0 or one_by_one:
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
        missing = np.asarray(entries_by_column(rows.ids, len(features)))[scaling.missing]
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


def _points(data: TrainingSet, raw: Rows) -> PointSample | None:
    """Some of the rows, for a picture, where they are two numbers and a label."""
    columns = two_numbers(data.features)
    if columns is None or data.labels is None or data.labels.sets is not None:
        return None
    sampling = PointSampling()
    if isinstance(raw, PackedRows):
        there = {int(feature): at for at, feature in enumerate(raw.used)}
        sampling.add_rows(raw, data.targets, [there.get(column, -1) for column in columns])
    else:
        sampling.add_rows(raw, data.targets, columns)
    return sampling.result()


def _held_out(data: TrainingSet, fraction: float, seed: int) -> Mask:
    """The rows to hold out, never the first of a label; none, if they are too few."""
    n = len(data.targets)
    held = held_out(0, n, fraction, seed)
    if data.labels is not None:
        first = first_of_each(data.targets, 0)
        held[first if data.labels.sets is None else first[data.labels.sets.with_new_labels()]] = False
    return held if ENOUGH_HELD_OUT <= held.sum() < n else np.zeros(n, dtype=bool)
