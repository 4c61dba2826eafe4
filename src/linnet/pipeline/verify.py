"""A model's certificate, worked out again from the data: does it hold?

The problem that was solved is put together a second time: columns on their scales, words on theirs, the penalty of the
learner.  The model's weights are brought back to those scales, and `proven` says what they reach, and what no weights
can, both to what rounding may do at most.  Where the model states more than its weights prove, by the dual point of its
solver, the solver is run once more: with the same rows in any order it ends in the same point.

Mistakes are counted by training once more, as the model says it was trained: the same rows in the same order make the
same ones.  The bound on them is worked out from the rows and the model's weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linnet.cores import one_thread
from linnet.data.on_error import BadRows, OnError
from linnet.data.on_misfit import OnMisfit
from linnet.data.sources.formats import Form
from linnet.data.sources.source import Source
from linnet.data.targets import no_training_rows, unusable_rows
from linnet.errors import InputError, ModelFileError, RecipeError
from linnet.learners.entry import AUTO
from linnet.model.model import Model
from linnet.model.target_checks import unusable_for
from linnet.pipeline.certify import proven
from linnet.pipeline.dataset import Collected, Dataset, TrainingSet
from linnet.pipeline.memory import outputs_of, weights_size
from linnet.pipeline.options import MEMORY
from linnet.pipeline.scaling import Scaling, measured, scaled
from linnet.pipeline.services import CACHE_ROWS
from linnet.pipeline.stream import Numbered
from linnet.pipeline.trainers.online_outcome import mistakes
from linnet.pipeline.trainers.online_run import OnlineRun
from linnet.pipeline.trainers.solving import Solving, bound_again, rows_to_fit, tolerance
from linnet.pipeline.value_checks import unfit_values
from linnet.theory.mistake_bounds import Mistakes
from linnet.training.class_weights import ClassWeights
from linnet.training.duality_gap import Certificate

# A figure that is worked out again is off by what rounding may do, and so is the one that was stated.  A bound may also
# be off by this part of the gap: far from the weights a dual point has fewer digits.
TWICE, OF_THE_GAP = 2.0, 1e-3
EPS = float(np.finfo(np.float64).eps)
# What another order of the same sums may do to a bound on mistakes.
ROUNDING_OF_BOUNDS = 1e-6
# On another machine a solver may end in a point that proves a little less, relative to the gap; it is then asked to
# prove what is stated, with these parts of the tolerance.
NEARLY, CLOSER = 0.05, (0.1, 1e-3)
# Verifying mistakes takes as many passes as training took; a model whose author says more is not followed.
PASSES_AT_MOST = 1000
# The same for the steps of a solver.
STEPS_AT_MOST = 10_000


@dataclass(frozen=True)
class Verdict:
    """Whether a model's certificate holds on these data; if not, why not, and is the objective at least as stated?"""

    holds: bool
    stated: Certificate | Mistakes
    found: Certificate | Mistakes | None
    why: str
    reached: bool = False


@one_thread()  # as in training
def verify(model: Model, data: Any, form: Form = None, rejected: BadRows | None = None) -> Verdict:
    """Work out the certificate of a model again, from its training data."""
    stated = model.certificate
    if stated is None:
        raise RecipeError("the model has no certificate, not even one that says why: train it again")
    if stated.reason:
        return Verdict(False, stated, None, stated.reason)
    if not model.certificate_matches_weights:
        return Verdict(False, stated, None, "the weights and what is stated of them do not belong together")
    rejected = BadRows() if rejected is None else rejected
    if isinstance(stated, Mistakes):
        return _trained_again(model, stated, model.open(data, form, labelled=True, strict=_strict(model)), rejected)
    dataset = _collected(model, data, form, rejected)
    known = [] if model.classes is None else model.classes
    labels = [] if dataset.labels is None else dataset.labels.classes.tolist()
    if labels != known:
        return Verdict(False, stated, None, _other_labels(labels, known))
    trained_on = dataset.for_learner(model.entry, _class_weights(model))
    return _proven_again(model, stated, trained_on)


def _strict(model: Model) -> bool:
    """Whether rows with a value that does not fit were bad ones in training."""
    return bool(model.record.options.get("on_misfit") == OnMisfit.ERROR)


def _proven_again(model: Model, stated: Certificate, trained_on: TrainingSet) -> Verdict:
    """What the rows prove of the weights; if that is less than stated, with what the solver proves."""
    entry, record = model.entry, model.record
    raw = rows_to_fit(trained_on, entry, record.solver or AUTO)
    scaling = _as_recorded(model, measured(trained_on.features, raw, trained_on.weights), len(trained_on.targets))
    linear = model.linear if scaling is None else scaling.brought_back(model.linear)
    rows = scaled(raw, scaling)
    tol, limit = tolerance(entry, record.tol), record.options.get("max_iter")
    solving = Solving(record.solver or AUTO, record.tol, min(limit, STEPS_AT_MOST) if isinstance(limit, int) else None)

    def compared(how: Solving) -> Verdict:
        def bound() -> float:
            return bound_again(trained_on, entry, rows, how)

        return _compared(stated, proven(trained_on, entry, rows, linear, tol, bound))

    verdict = compared(solving)
    for closer in CLOSER:
        if verdict.holds or not verdict.reached or not _nearly(stated, verdict.found):
            break
        nearer = compared(solving._replace(tol=closer * tol, max_iter=None))
        verdict = nearer if nearer.holds else verdict
    return verdict


def _nearly(stated: Certificate, found: Certificate | Mistakes | None) -> bool:
    """Whether the data prove what is stated but for a small part of the gap."""
    return isinstance(found, Certificate) and stated.dual - found.dual <= NEARLY * (stated.primal - stated.dual)


def _as_recorded(model: Model, scaling: Scaling | None, rows: int) -> Scaling | None:
    """The scales with the bits of the training, where they agree with these to rounding: sums depend on the order."""
    recorded = model.record.numbers
    if scaling is None or not recorded:
        return scaling
    centres, units = scaling.centres.copy(), scaling.units.copy()
    for name, number in zip(model.features.names_of(scaling.numbers), scaling.numbers, strict=True):
        if name not in recorded:
            return scaling
        centres[number], units[number] = recorded[name].mean, recorded[name].deviation
    off = 8.0 * rows * EPS * (np.abs(scaling.centres) + scaling.units)
    near = (np.abs(centres - scaling.centres) <= off) & (np.abs(units - scaling.units) <= off)
    return replace(scaling, centres=centres, units=units) if near.all() else scaling


def _class_weights(model: Model) -> ClassWeights | None:
    return None if model.record.class_weight is None else ClassWeights.of(model.record.class_weight)


def _other_labels(labels: list[Any], known: list[Any]) -> str:
    return f"the data have the labels {labels}, the model was trained on {known}"


def _affordable(model: Model) -> int:
    """The memory of a run like the one that made the model: its names and weights were affordable then."""
    classes = 0 if model.classes is None else len(model.classes)
    size = weights_size(len(model.features), outputs_of(model.record.recipe, classes))
    return max(MEMORY, size, 2 * model.features.nbytes)


def _trained_again(model: Model, stated: Mistakes, source: Source, rejected: BadRows) -> Verdict:
    """Train once more, and compare the mistakes, and the bound on them, with what is stated."""
    record, features = model.record, model.features
    if record.online is None:
        raise ModelFileError("the record of the model does not say how its online learner was run: train it again")
    passes = record.passes or 1
    if passes > PASSES_AT_MOST:
        raise RecipeError(
            f"the model says that it was trained in {passes:,} passes, and verifying takes as many: more than "
            f"{PASSES_AT_MOST:,} are not made"
        )
    run = OnlineRun(
        features,
        record.recipe,
        record.online,
        seed=record.seed,
        memory=_affordable(model),
        cache_rows=CACHE_ROWS,
        class_weights=_class_weights(model),
    )
    with closing(run):
        if run.cache is None and not source.reopenable:
            raise InputError("standard input cannot be read twice, which it takes to verify this model: use a file")
        for made in _numbered(model, source, rejected):
            run.take(made)
        if not run.rows:
            raise no_training_rows(features.schema)
        labels, known = [] if run.typed_classes is None else run.typed_classes.tolist(), model.classes or []
        if labels != known:
            return Verdict(False, stated, None, _other_labels(labels, known))
        run.end_pass()
        while not run.finished and run.done_passes < passes:
            while run.next_chunk():
                pass
            run.end_pass()
        found = mistakes(run, model.linear, lambda: _numbered(model, source, BadRows(OnError.SKIP)))
        return _mistakes_compared(stated, found)


def _numbered(model: Model, source: Source, rejected: BadRows) -> Iterator[Numbered]:
    """The blocks of a source as the learner took them."""
    features, schema, entry = model.features, model.features.schema, model.entry
    for made in model.blocks(
        source, rejected, 0, lambda block: unfit_values(entry, block, schema) | unusable_rows(block, features)
    ):
        pieces = features.number(made.block, made.prepared, frozen=True) if made.block.rows else []
        yield Numbered(made.block, pieces)


def _mistakes_compared(stated: Mistakes, found: Mistakes) -> Verdict:
    if found.made != stated.made:
        why = f"training once more on these data makes {found.made:,} mistakes, not {stated.made:,} as stated"
        return Verdict(False, stated, found, why)
    if found.reason:
        return Verdict(False, stated, found, found.reason)
    if not abs(found.bound - stated.bound) <= ROUNDING_OF_BOUNDS * found.bound:
        why = f"the data prove at most {found.bound:,.12g} mistakes, not {stated.bound:,.12g} as stated"
        return Verdict(False, stated, found, why)
    if not stated.holds:
        return Verdict(False, stated, found, f"{stated.made:,} mistakes are more than the {stated.bound:,.6g} proven")
    return Verdict(True, stated, found, "")


def _compared(stated: Certificate, found: Certificate) -> Verdict:
    if found.reason:
        return Verdict(False, stated, found, found.reason)
    slack = TWICE * found.rounding
    if not abs(found.primal - stated.primal) <= slack:
        why = (
            f"the objective is {found.primal:.12g} on these data, not {stated.primal:.12g} as stated: the data or the "
            "weights are not those of the training"
        )
        return Verdict(False, stated, found, why)
    if not stated.dual <= found.dual + slack + OF_THE_GAP * (stated.primal - stated.dual):
        why = f"the data prove that the optimum is at least {found.dual:.12g}, not {stated.dual:.12g} as stated"
        return Verdict(False, stated, found, why, reached=True)
    return Verdict(True, stated, found, "", reached=True)


def _collected(model: Model, data: Any, form: Form, rejected: BadRows) -> Dataset:
    source = model.open(data, form, labelled=True, strict=_strict(model))
    features = model.features
    collected = Collected(features)
    loss = model.record.recipe.loss
    for made in model.blocks(source, rejected, 0, lambda block: unusable_for(loss, block, features), by_rows=False):
        if made.block.rows:
            collected.add(Numbered(made.block, features.number(made.block, made.prepared, frozen=True)))
    return collected.dataset()
