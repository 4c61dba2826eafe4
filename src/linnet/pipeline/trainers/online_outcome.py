"""What an online run amounts to: its metrics on held-out rows, the decisions fitted, and its mistake bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.layout import TermOrder, assembled
from linnet.data.rows import Examples, Rows
from linnet.data.targets import sample_weights_of
from linnet.errors import InputError
from linnet.learners.linear import LinearModel
from linnet.model.predictor import Result, scorer
from linnet.pipeline.decision_fit import Decided, Wanted
from linnet.pipeline.row_cache import CachedRows, RowCache
from linnet.pipeline.stream import Numbered
from linnet.pipeline.trainers.model_order import model_order
from linnet.theory.mistake_bounds import Mistakes, mistake_bound

if TYPE_CHECKING:
    from linnet.pipeline.trainers.online_run import OnlineRun

NO_DECISIONS = Decided()
CHANGED = "the input has changed since the model was trained on it"

ReadAgain = Callable[[], Iterator[Numbered]]


class InputChanged(Exception):
    """What was read again is not what the model was trained on."""


class HeldOut(NamedTuple):
    """How many rows are held out, the mean loss on them, and all metrics; None if there are no such rows."""

    rows: int = 0
    loss: float = 0.0
    result: Result | None = None


def held_out_result(run: OnlineRun, model: LinearModel, decided: Decided = NO_DECISIONS) -> HeldOut:
    """What the held-out rows tell of a model, each by its weight."""
    probable = run.classes and run.recipe.has_probabilities
    measuring = scorer(model, probable, decided.calibration, decided.rule, sets=run.label_sets)
    tally = measuring.tally()
    as_model = _as_model(run)
    rows, total, weight = 0, 0.0, 0.0
    for part in run.held_rows():
        if len(part.targets):
            weights = part.weights if len(part.weights) else None
            total += measuring.add_result(tally, *as_model(part), weights)
            weight += len(part.targets) if weights is None else float(weights.sum())
            rows += len(part.targets)
    return HeldOut(rows, total / weight, tally.result()) if rows else HeldOut()


def decide(run: OnlineRun, model: LinearModel, wanted: Wanted) -> Decided:
    """The decisions that the model's scores of the rows kept for them lead to."""
    if not wanted.needs_rows:
        return wanted.without_rows()
    assert run.decision_cache is not None
    as_model = _as_model(run)
    scores, truths, weights = [], [], []
    for kept in run.decision_cache:
        rows, truth = as_model(kept)
        scores.append(model.evidence(model.decision(rows)))
        truths.append(truth)
        weights.append(kept.weights)
    if not scores:
        raise InputError(f"there are too few rows to keep some {wanted.purpose}: {wanted.remedy}")
    w = np.concatenate(weights)
    return wanted.decided(np.concatenate(scores), np.concatenate(truths), w if len(w) else None)


def mistakes(run: OnlineRun, model: LinearModel, read_again: ReadAgain) -> Mistakes:
    """The mistakes of all passes, and the bound that the rows prove: from a cache, or read once more."""
    assert run.training is not None
    cache = run.kept if run.cache is None else run.cache
    read: Callable[[], Iterator[Examples]] = partial(_from_source, run, read_again)
    if cache is not None:
        read = partial(_from_cache, run, cache)
    try:
        return mistake_bound(run.recipe, model, read, run.training.facts(run.done_passes, joining=True))
    except InputChanged:
        return Mistakes(run.training.mistakes_made, reason=CHANGED)


def _from_cache(run: OnlineRun, cache: RowCache) -> Iterator[Examples]:
    """All rows as the model has them."""
    as_model = _as_model(run)
    for kept in cache:
        yield Examples(*as_model(kept), run.sample_weights(kept.targets, kept.weights))


def _from_source(run: OnlineRun, read_again: ReadAgain) -> Iterator[Examples]:
    """As `_from_cache`, of rows that were not cached; they must be those that the model was trained on."""
    features, schema, order = run.features, run.features.schema, TermOrder.of(run.features.sizes)
    codes, rows = run.label_index.codes(), 0
    for made in read_again():
        block = made.block
        if not block.rows:
            continue
        numbers = run.label_index.numbers(block, schema, frozen=True)
        rows += block.rows
        if rows > run.rows or numbers.min() < 0:
            raise InputChanged
        given = sample_weights_of(block, schema)
        weights = run.sample_weights(numbers, np.empty(0) if given is None else given)
        yield Examples(assembled(features.weighted(made.pieces), order), codes[numbers], weights)
    if rows != run.rows:
        raise InputChanged


def _as_model(run: OnlineRun) -> Callable[[CachedRows], tuple[Rows, NDArray[np.float64]]]:
    """What brings cached rows to the model's order: features term after term, targets as its codes."""
    order = model_order(run.layout)
    codes = run.label_index.codes() if run.classes else None

    def translated(kept: CachedRows) -> tuple[Rows, NDArray[np.float64]]:
        ids = order[kept.rows.ids].astype(np.uint32)
        rows = replace(kept.rows, ids=ids, shape=(len(kept.targets), len(order)))
        return rows, kept.targets if codes is None else codes[kept.targets.astype(np.int64)]

    return translated
