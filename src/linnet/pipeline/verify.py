"""A model's certificate, worked out again from the data: does it hold?

The problem that was solved is put together a second time: columns on their scales, words on theirs, the penalty of the
learner.  The model's weights are brought back to those scales, and `certify` tells what they reach, and what no weights
can; a learner that solves the dual does so once more, for its dual point proves more than one made of weights.

Mistakes are counted by training once more, as the model says it was trained: the same rows in the same order make the
same ones.  The bound on them is worked out from the rows and the model's weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from math import sqrt
from typing import Any

from linnet.cores import one_thread
from linnet.data.on_error import BadRows, OnError
from linnet.data.sources.formats import Format
from linnet.data.sources.source import Source
from linnet.data.targets import no_training_rows, unusable_rows
from linnet.errors import InputError, ModelFileError, RecipeError
from linnet.model.model import Model
from linnet.pipeline.certify import proven
from linnet.pipeline.dataset import Collected, Dataset
from linnet.pipeline.memory import outputs_of, weights_size
from linnet.pipeline.options import MEMORY
from linnet.pipeline.scaling import measured, scaled
from linnet.pipeline.services import CACHE_ROWS
from linnet.pipeline.stream import Numbered
from linnet.pipeline.trainers.batch_fit import bound_again
from linnet.pipeline.trainers.online_outcome import mistakes
from linnet.pipeline.trainers.online_run import OnlineRun
from linnet.pipeline.value_checks import unfit_values
from linnet.theory.mistake_bounds import Mistakes
from linnet.training.class_weights import ClassWeights
from linnet.training.duality_gap import Certificate

# What rounding may do to a sum over all rows; a change of weights or data does more.
ROUNDING = 1e-12
# What another order of the same sums may do to a bound.
ROUNDING_OF_BOUNDS = 1e-6
# The problem is solved again to these parts of the tolerance of the fit, until it proves what is stated, or never will.
CLOSER = (1.0, 0.1, 1e-3)
# Verifying mistakes takes as many passes as training took; a model whose author says more is not followed.
PASSES_AT_MOST = 1000


@dataclass(frozen=True)
class Verdict:
    """Whether a model's certificate holds on these data; if not, why not, and is the objective at least as stated?"""

    holds: bool
    stated: Certificate | Mistakes
    found: Certificate | Mistakes | None
    why: str
    reached: bool = False


@one_thread()  # as in training
def verify(model: Model, data: Any, form: Format | None = None, rejected: BadRows | None = None) -> Verdict:
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
        return _trained_again(model, stated, model.open(data, form, labelled=True), rejected)
    dataset = _collected(model, data, form, rejected)
    known = [] if model.classes is None else model.classes
    labels = [] if dataset.labels is None else dataset.labels.classes.tolist()
    if labels != known:
        return Verdict(False, stated, None, _other_labels(labels, known))
    entry = model.entry
    trained_on = dataset.for_learner(entry, _class_weights(model))
    rows = trained_on.rows
    scaling = measured(trained_on.features, rows, trained_on.weights)
    linear = model.linear if scaling is None else scaling.brought_back(model.linear)
    rows = scaled(rows, scaling)
    slack = _slack(stated.primal, 0.0 if scaling is None else scaling.rounding(model.linear))
    verdict = _compared(stated, proven(trained_on, entry, rows, linear), slack)
    tol = model.record.tol or entry.tol
    tol = max(min(tol, stated.gap) or tol, ROUNDING)  # what is closer than rounding is never reached
    for closer in CLOSER:
        if verdict.holds or not verdict.reached:
            break
        bound = bound_again(trained_on, entry, rows, model.record.solver, closer * tol)
        verdict = _compared(stated, proven(trained_on, entry, rows, linear, bound), slack)
    return verdict


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
        labels, known = run.labels(len(run.label_index.labels)).classes.tolist(), model.classes or []
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
        source, rejected, 0, lambda block: unfit_values(entry, block, schema) | unusable_rows(block, schema)
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


def _slack(primal: float, shift: float) -> float:
    """What rounding may do to an objective, whose scores it may shift by so much: no loss has a mean slope above
    1 + 2 sqrt(primal), or bends by more than 2."""
    return ROUNDING * abs(primal) + shift * (1.0 + 2.0 * sqrt(abs(primal)) + shift)


def _compared(stated: Certificate, found: Certificate, slack: float) -> Verdict:
    if not abs(found.primal - stated.primal) <= slack:
        why = (
            f"the objective is {found.primal:.12g} on these data, not {stated.primal:.12g} as stated: the data or the "
            "weights are not those of the training"
        )
        return Verdict(False, stated, found, why)
    if not stated.dual <= found.dual + slack:
        why = f"the data prove that the optimum is at least {found.dual:.12g}, not {stated.dual:.12g} as stated"
        return Verdict(False, stated, found, why, reached=True)
    return Verdict(True, stated, found, "", reached=True)


def _collected(model: Model, data: Any, form: Format | None, rejected: BadRows) -> Dataset:
    source = model.open(data, form, labelled=True)
    schema = model.features.schema
    collected = Collected(model.features)
    for made in model.blocks(source, rejected, 0, lambda block: unusable_rows(block, schema)):
        if made.block.rows:
            collected.add(Numbered(made.block, model.features.number(made.block, made.prepared, frozen=True)))
    return collected.dataset()
