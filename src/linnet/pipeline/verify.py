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
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

from linnet.data.on_error import OnError
from linnet.data.reading import Prepared, Rejected
from linnet.data.sources.formats import Format
from linnet.data.sources.source import Source
from linnet.data.targets import fit_to_learn, no_rows
from linnet.errors import InputError, RecipeError
from linnet.learners import catalogue
from linnet.learners.catalogue import Way
from linnet.learners.strength import OWN
from linnet.model.model import Model
from linnet.pipeline.batch import GAP, bound_again
from linnet.pipeline.certify import as_stated, proven, settled
from linnet.pipeline.dataset import Collected, Whole
from linnet.pipeline.online import OnlineRun
from linnet.pipeline.scaling import measured, scaled
from linnet.pipeline.value_checks import unfit
from linnet.theory.mistake_bounds import Mistakes
from linnet.training.class_weights import ClassWeights
from linnet.training.duality_gap import Certificate

# What rounding may do to a sum over all rows; a change of weights or data does more.
ROUNDING = 1e-12
# What another order of the same sums may do to a bound.
ROUNDING_OF_BOUNDS = 1e-6
# A dual is solved again to these gaps, one after the other, until it proves what is stated, or never will.
GAPS = (GAP, GAP / 10, GAP / 1000)


@dataclass(frozen=True)
class Verdict:
    """Whether a model's certificate holds on these data; if not, why not, and is the objective at least as stated?"""

    holds: bool
    stated: Certificate | Mistakes
    found: Certificate | Mistakes | None
    why: str
    reached: bool = False


def verify(model: Model, data: Any, form: Format | None = None, rejected: Rejected | None = None) -> Verdict:
    """Work the certificate of a model out again, from the data it was learnt from."""
    stated = model.certificate
    if stated is None:
        raise RecipeError("the model has no certificate, not even one that says why: train it again")
    if stated.reason:
        return Verdict(False, stated, None, stated.reason)
    if not model.weights_as_certified:
        return Verdict(False, stated, None, "the weights and what is stated of them do not belong together")
    rejected = Rejected() if rejected is None else rejected
    if isinstance(stated, Mistakes):
        return _trained_again(model, stated, model.open(data, form, labelled=True), rejected)
    whole = _collected(model, data, form, rejected)
    known = [] if model.classes is None else model.classes
    labels = [] if whole.labels is None else whole.labels.classes.tolist()
    if labels != known:
        return Verdict(False, stated, None, _other_labels(labels, known))
    if "class_weight" in model.summary:
        whole = replace(whole, class_weights=ClassWeights.kept(model.summary))
    rows = whole.rows
    scaling = measured(whole.features, rows)
    linear = model.linear if scaling is None else scaling.brought_back(model.linear)
    entry, rows = catalogue.find(model.learner), scaled(rows, scaling)
    if "recipe" in model.summary:
        entry = as_stated(entry, model.summary["recipe"])
    else:  # a file of a linnet that had nothing to choose
        entry = settled(entry, OWN, whole.features.text_features(), len(labels))
    slack = _slack(stated.primal, 0.0 if scaling is None else scaling.rounding(model.linear))
    verdict = _compared(stated, proven(whole, entry, rows, linear), slack)
    for gap in GAPS if entry.way is Way.DUAL else ():
        if verdict.holds or not verdict.reached:
            break
        verdict = _compared(stated, proven(whole, entry, rows, linear, bound_again(whole, entry, rows, gap)), slack)
    return verdict


def _other_labels(labels: list[Any], known: list[Any]) -> str:
    return f"the data have the labels {labels}, the model was learnt from {known}"


def _trained_again(model: Model, stated: Mistakes, source: Source, rejected: Rejected) -> Verdict:
    """Train once more, and compare the mistakes, and the bound on them, with what is stated."""
    features, entry = model.features, catalogue.find(model.learner)

    def blocks(rejected: Rejected) -> Iterator[Prepared]:
        schema = features.schema
        return model.blocks(
            source, rejected, 0, lambda block: fit_to_learn(block, schema) | unfit(entry.recipe, block, schema)
        )

    with closing(OnlineRun.again(features, entry.recipe, model.summary)) as run:
        if run.cache is None and not source.reopenable:
            raise InputError("standard input cannot be read twice, which it takes to verify this model: use a file")
        for made in blocks(rejected):
            if made.block.rows:
                run.take_pieces(made.block, features.number(made.block, made.work, frozen=True))
        if not run.rows:
            raise no_rows()
        labels, known = run.labels(len(run.seen.labels)).classes.tolist(), model.classes or []
        if labels != known:
            return Verdict(False, stated, None, _other_labels(labels, known))
        run.end_pass()
        while not run.finished:
            while run.next_chunk():
                pass
            run.end_pass()
        return _mistakes_compared(stated, run.mistakes(model.linear, lambda: blocks(Rejected(OnError.SKIP))))


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
        why = f"the data prove that no weights reach below {found.dual:.12g}, not {stated.dual:.12g} as stated"
        return Verdict(False, stated, found, why, reached=True)
    return Verdict(True, stated, found, "", reached=True)


def _collected(model: Model, data: Any, form: Format | None, rejected: Rejected) -> Whole:
    source = model.open(data, form, labelled=True)
    schema = model.features.schema
    collected = Collected(model.features, frozen=True)
    for made in model.blocks(source, rejected, 0, lambda block: fit_to_learn(block, schema)):
        collected.take(made)
    return collected.whole(0)
