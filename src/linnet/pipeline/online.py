"""Learning online from a stream: one pass as the rows come, further ones from a cache; all of it can be interrupted.

The outcome depends on the rows and the options alone: not on blocks, files, threads, or where a run was interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.features import Features, Places, assembled
from linnet.data.features.schema import Task
from linnet.data.features.terms import Piece
from linnet.data.labels import Labels
from linnet.data.reading import Prepared
from linnet.data.rows import Examples, Rows
from linnet.data.sources.block import Block, Position
from linnet.data.targets import Seen, row_weights, target_numbers
from linnet.errors import InputError, ModelFileError, RecipeError
from linnet.kernels.fingerprints import scramble
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Recipe, Reduction, Update
from linnet.learners.voting import Votes
from linnet.model.predictor import Result, scorer
from linnet.pipeline.decision_fit import Settled, Wanted
from linnet.pipeline.options import MEMORY
from linnet.pipeline.row_cache import ROWS, Cache, Kept
from linnet.theory.mistake_bounds import NOT_KEPT, Mistakes, mistake_bound
from linnet.training.class_weights import ClassWeights
from linnet.training.online import OnlineTraining
from linnet.training.order import Presentations, presentations

FIRST_COLUMNS = 1024
# Winnow's threshold where it is not given: half the columns that a stream has room for at first.  The mistake bound
# holds for any that stays the same; one far below d/2 costs d/threshold mistakes, one far above it a few promotions.
STREAM_THRESHOLD = FIRST_COLUMNS / 2
# Passes without a better held-out loss before a run with several passes ends.
PATIENCE = 2
HELD_OUT_STREAM, CHUNK_STREAM, ROW_STREAM, CALIBRATION_STREAM, FOLD_STREAM = 1, 2, 3, 4, 5
# The share of rows that scores are calibrated and thresholds chosen on, if they are: a stream is read once, which
# leaves no room for folds.
CALIBRATED_ON = 0.1
UNSETTLED = Settled()
# Fewer rows than this are not called sorted, however they come.
ENOUGH_TO_BE_SORTED = 100
CHANGED = "the input has changed since it was learnt from"


class InputChanged(Exception):
    """What was read again is not what was learnt from."""


def mixed(numbers: NDArray[np.uint64], seed: int, stream: int, turn: int = 0) -> NDArray[np.uint64]:
    """A random 64-bit key for each number: the same for the same seed, stream and turn."""
    keys = np.empty_like(numbers)
    scramble(numbers, (seed * 0x9E3779B97F4A7C15 + stream * 0xD1342543DE82EF95 + turn + 1) % 2**64, keys)
    return keys


def held_out(first: int, rows: int, share: float, seed: int, stream: int = HELD_OUT_STREAM) -> NDArray[np.bool_]:
    """Which of the rows first, first + 1, ... are held out; it depends on their numbers and the seed alone."""
    numbers = np.arange(first, first + rows, dtype=np.uint64)
    held: NDArray[np.bool_] = mixed(numbers, seed, stream) < np.uint64(int(share * 2**64))
    return held


@dataclass
class Progressive:
    """What predicting each row before learning from it showed, in the first pass; a row counts as often as it came."""

    rows: int = 0
    mistakes: int = 0
    loss: float = 0.0


@dataclass
class Runs:
    """Rows of one label after the other: how many such runs there were, and the label of the last row."""

    count: int = 0
    last: float = -1.0

    def take(self, labels: NDArray[np.float64]) -> None:
        if len(labels):
            self.count += int((np.diff(labels, prepend=self.last) != 0).sum())
            self.last = float(labels[-1])

    def are_few(self, rows: int, classes: int) -> bool:
        """Are the rows sorted by label, or nearly so?"""
        return rows >= ENOUGH_TO_BE_SORTED and classes > 1 and self.count <= 2 * classes


def _for_a_stream(recipe: Recipe, columns: int | None) -> Recipe:
    """A recipe that asks for no number of columns: most streams do not know it before their end."""
    factors = recipe.factors
    if recipe.update is not Update.MULTIPLICATIVE or factors.balanced or factors.threshold is not None:
        return recipe
    return replace(recipe, factors=replace(factors, threshold=columns / 2 if columns else STREAM_THRESHOLD))


def recipe_again(recipe: Recipe, summary: Mapping[str, Any]) -> Recipe:
    """A learner's recipe with what a model's summary tells of it."""
    try:
        kept, factors = summary["run"], recipe.factors
        if recipe.update is Update.MULTIPLICATIVE:
            threshold = None if kept["threshold"] is None else float(kept["threshold"])
            factors = replace(
                factors, promotion=float(kept["promotion"]), demotion=float(kept["demotion"]), threshold=threshold
            )
        return replace(recipe, factors=factors, reduction=Reduction(kept["multiclass"]))
    except (KeyError, TypeError, ValueError, OverflowError, RecipeError):
        raise _not_told() from None


def _not_told() -> ModelFileError:
    return ModelFileError("how the model was trained is not kept in it, or damaged: train it again")


class OnlineRun:
    """An online learner on its way through a stream."""

    def __init__(
        self,
        features: Features,
        recipe: Recipe,
        *,
        passes: int,
        holdout: float,
        seed: int,
        memory: int,
        sets_apart: bool = False,
        class_weights: ClassWeights | None = None,
        columns: int | None = None,
    ) -> None:
        self.features = features
        self.recipe = _for_a_stream(recipe, columns)
        self.passes = passes
        self.holdout = holdout
        self.seed = seed
        self.places = Places(len(features.terms))
        self.seen = Seen()
        self.training: OnlineTraining | None = None
        self.cache = Cache(memory) if passes > 1 else None
        self.apart = Cache(memory) if sets_apart else None
        self.class_weights = class_weights
        self.weighed: set[int] = set()  # classes of which a row weighs something
        self.rows = 0
        self.position = Position()
        self.done_passes = 0
        self.done_chunks = 0
        self.progressive = Progressive()
        self.runs = Runs()
        self.losses: list[float] = []
        self.best: LinearModel | None = None

    def terms(self) -> dict[str, Any]:
        """What it takes, beside the seed, to go the same way again."""
        factors = self.recipe.factors
        return {
            "passes": self.passes,
            "holdout": self.holdout,
            "sets_apart": self.apart is not None,
            "multiclass": str(self.recipe.reduction),
            "promotion": factors.promotion,
            "demotion": factors.demotion,
            "threshold": factors.threshold,
        }

    @classmethod
    def again(cls, features: Features, recipe: Recipe, summary: Mapping[str, Any]) -> OnlineRun:
        """A run as the one that a model's summary tells of."""
        recipe, class_weights = recipe_again(recipe, summary), ClassWeights.kept(summary)
        try:
            kept = summary["run"]
            return cls(
                features,
                recipe,
                passes=int(kept["passes"]),
                holdout=float(kept["holdout"]),
                seed=int(summary["seed"]),
                memory=MEMORY,
                sets_apart=bool(kept["sets_apart"]),
                class_weights=class_weights,
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            raise _not_told() from None

    def close(self) -> None:
        """Let go of what is kept for later."""
        for cache in (self.cache, self.apart):
            if cache is not None:
                cache.close()

    @property
    def classes(self) -> bool:
        return self.features.task is Task.CLASSIFICATION

    @property
    def presented(self) -> int:
        """About how many rows were learnt from so far, in all passes: it only grows."""
        return self.done_passes * self.rows + min(self.done_chunks * ROWS, self.rows) if self.done_passes else self.rows

    @property
    def sorted_by_label(self) -> bool:
        return self.runs.are_few(self.rows, len(self.seen.labels))

    def labels(self, classes: int) -> Labels:
        """The first so many labels that appeared."""
        return Labels(list(self.seen.labels)[:classes])

    # -- the first pass --------------------------------------------------------------------------------------------

    def take(self, made: Prepared, *, learning: bool = True) -> None:
        """Learn from the next block; or only keep it, where a resumed run has learnt from it before."""
        if made.block.rows:
            pieces = self.features.number(made.block, made.work, frozen=False)
            self.take_pieces(made.block, pieces, learning=learning)
        if learning:
            self.position = made.block.after

    def take_pieces(self, block: Block, pieces: Sequence[Piece], *, learning: bool = True) -> None:
        """As `take`, of a block whose features are numbered already."""
        self.places.extend(self.features.sizes)
        rows = assembled(self.features.weighed(pieces), self.places)
        schema = self.features.schema
        targets = self.seen.numbers(block, schema).astype(np.float64) if self.classes else target_numbers(block, schema)
        weights = row_weights(block, schema)
        self.take_rows(Kept(rows, targets, np.empty(0) if weights is None else weights, self.rows), learning=learning)

    def take_rows(self, kept: Kept, *, learning: bool = True) -> None:
        """As `take`, of rows that are put together already."""
        self._check_fit(kept)
        if learning:
            if self.classes:
                self.runs.take(kept.targets)
                counted = kept.targets[kept.weights > 0] if len(kept.weights) else kept.targets
                self.weighed.update(np.unique(counted).astype(np.int64).tolist())
            self._learn_in_order(kept)
        self.rows += len(kept.targets)
        if self.cache is not None:
            self.cache.append(kept)
        if self.apart is not None:
            self.apart.append(kept.at(np.flatnonzero(self._set_apart(kept))))

    def _check_fit(self, kept: Kept) -> None:
        """Raise for a value that the learner cannot take, naming the row in the stream and the feature."""
        if self.recipe.update is not Update.MULTIPLICATIVE:
            return
        misfits = self.recipe.misfits(kept.rows.values)
        if not misfits.any():
            return
        at = int(misfits.argmax())
        row, place = kept.rows.place(at)
        name = self.features.name(int(self._back()[place]))
        raise InputError(
            f"row {self.rows + row + 1}, {name} has the value {kept.rows.values[at]:g}: {self.recipe.takes}"
        )

    def _held(self, kept: Kept) -> NDArray[np.bool_]:
        """The rows to measure on."""
        return held_out(kept.first, len(kept.targets), self.holdout, self.seed)

    def _set_apart(self, kept: Kept) -> NDArray[np.bool_]:
        """The rows to calibrate and to choose a threshold on, which are neither learnt nor measured on."""
        chosen = held_out(kept.first, len(kept.targets), CALIBRATED_ON, self.seed, CALIBRATION_STREAM)
        return chosen & ~self._held(kept)

    def _learn_in_order(self, kept: Kept) -> None:
        """Learn from rows as they stand; a class joins at the row that first has it, wherever blocks begin."""
        known = 0 if self.training is None or self.training.labels is None else len(self.training.labels)
        cuts = [0]
        if self.classes:
            cuts += [int(np.argmax(kept.targets == code)) for code in range(known, len(self.seen.labels))]
        for number, (start, stop) in enumerate(zip(cuts, [*cuts[1:], len(kept.targets)], strict=True)):
            if stop > start:
                self._learn(kept.part(start, stop), known + number, None)

    def _learn(self, kept: Kept, classes: int, turn: int | None) -> None:
        """Learn from rows of which the first so many classes are known; shuffled, in a later pass."""
        labels = self.labels(classes) if self.classes else None
        codes = self._codes(classes)[kept.targets.astype(np.int64)] if self.classes else kept.targets
        examples = Examples(self._wide(kept.rows), codes, self._counting(kept.targets, kept.weights))
        if self.training is None:
            self.training = OnlineTraining(self.recipe, examples.rows.shape[1], labels)
        self.training.extend(labels)  # here: rows that are all held out or weigh nothing show their classes, too
        plan = self._plan(examples, kept, turn)
        presented = len(codes) if plan is None or plan.rows is None else len(plan.rows)
        if plan is None or not presented:
            return
        tally = self.training.learn(examples, labels, plan)
        if turn is None:
            self.progressive.rows += presented
            self.progressive.mistakes += tally.mistakes
            self.progressive.loss += tally.loss * presented

    def _counting(self, targets: NDArray[Any], weights: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """How much each row counts in learning: by its own weight, if rows have any, and its class's."""
        own = weights if len(weights) else None
        if self.class_weights is None:
            return own
        by_row = self.class_weights.given_to(self.seen.labels)[targets.astype(np.int64)]
        return by_row if own is None else by_row * own

    def _plan(self, examples: Examples, kept: Kept, turn: int | None) -> Presentations | None:
        """Which rows are presented, in which order; None if no row has any weight."""
        if examples.weights is not None and not examples.weights.any():
            return None
        plan = presentations(examples, shuffle=False)
        if turn is not None:
            plan = self._shuffled(plan, kept, turn)
        if self.holdout or self.apart is not None:
            learnt = ~self._held(kept)
            if self.apart is not None:
                learnt &= ~self._set_apart(kept)
            order = np.arange(len(learnt)) if plan.rows is None else plan.rows
            plan = replace(plan, rows=order[learnt[order]])
        return plan

    def _shuffled(self, plan: Presentations, kept: Kept, turn: int) -> Presentations:
        order = np.arange(len(kept.targets)) if plan.rows is None else plan.rows
        copies = np.arange(len(order)) - np.searchsorted(order, order)  # a row of weight 3 comes three times
        numbers = (order + kept.first).astype(np.uint64) + copies.astype(np.uint64) * np.uint64(1 << 40)
        keys = mixed(numbers, self.seed, ROW_STREAM, turn)
        return replace(plan, rows=order[np.argsort(keys, kind="stable")])

    def _wide(self, rows: Rows) -> Rows:
        """The same rows with room for columns to come, in powers of two: arrays grow seldom."""
        columns = FIRST_COLUMNS
        while columns < max(self.places.size, rows.shape[1]):
            columns *= 2
        return replace(rows, shape=(rows.shape[0], columns))

    def _codes(self, classes: int) -> NDArray[np.float64]:
        """The learner's code of each class by its number of appearance."""
        return self.labels(classes).encode(np.array(list(self.seen.labels)[:classes]))

    # -- further passes ------------------------------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        if self.done_passes >= self.passes:
            return True
        best = int(np.argmin(self.losses)) if self.losses else 0
        return len(self.losses) > best + PATIENCE

    def end_pass(self) -> None:
        """Close a pass: see how the held-out rows fare, if there are any."""
        self.done_passes += 1
        self.done_chunks = 0
        if self.holdout and self.cache is not None:
            model = self.current()
            loss, result = self.held_out_result(model)
            if result is None:
                return
            if not self.losses or loss < min(self.losses):
                self.best = model
            self.losses.append(loss)

    def next_chunk(self) -> bool:
        """Learn from one more chunk of the cache; False at the end of the pass."""
        assert self.cache is not None
        turn = self.done_passes
        keys = mixed(np.arange(len(self.cache), dtype=np.uint64), self.seed, CHUNK_STREAM, turn)
        order = np.argsort(keys, kind="stable")
        if self.done_chunks >= len(order):
            return False
        self._learn(self.cache.chunk(int(order[self.done_chunks])), len(self.seen.labels), turn)
        self.done_chunks += 1
        return True

    # -- what comes out ------------------------------------------------------------------------------------------------

    def current(self) -> LinearModel:
        """The model as of now, its features term after term."""
        assert self.training is not None
        model = self.training.model()
        at = np.concatenate(self.places.of_term)
        votes = tuple(self._in_turn(each) for each in model.votes)
        return replace(model, weights=np.ascontiguousarray(model.weights[at]), votes=votes)

    def _in_turn(self, votes: Votes) -> Votes:
        """Votes with the features of the mistaken rows term after term."""
        from scipy.sparse import csr_array

        back = self._back()
        mistaken = csr_array(votes.mistaken)
        ids = back[mistaken.indices].astype(np.int32)
        shape = (mistaken.shape[0], len(back))
        return replace(votes, mistaken=csr_array((mistaken.data, ids, mistaken.indptr), shape=shape))

    def _back(self) -> NDArray[np.int64]:
        """From the place of a feature in the rows here to its place term after term."""
        back = np.empty(self.places.size, dtype=np.int64)
        back[np.concatenate(self.places.of_term)] = np.arange(self.places.size)
        return back

    def model(self) -> LinearModel:
        """The model that did best on the held-out rows, or the last."""
        return self.best if self.best is not None else self.current()

    def held_out_result(self, model: LinearModel, settled: Settled = UNSETTLED) -> tuple[float, Result | None]:
        """The mean loss on the held-out rows, and all measures; None if there are no such rows."""
        assert self.cache is not None
        probable = self.classes and self.recipe.has_probabilities
        measuring = scorer(model, probable, settled.calibration, settled.rule)
        tally = measuring.tally()
        for_model = self._for_model()
        wrong, count = 0.0, 0
        for kept in self.cache:
            part = kept.at(np.flatnonzero(self._held(kept)))
            if not len(part.targets):
                continue
            wrong += measuring.add_result(tally, *for_model(part))
            count += len(part.targets)
        return wrong / max(count, 1), tally.result() if count else None

    def settled(self, model: LinearModel, wanted: Wanted) -> Settled:
        """What the model's scores of the rows set apart settle."""
        if not wanted.needs_rows:
            return wanted.without_rows()
        assert self.apart is not None
        for_model = self._for_model()
        scores, truths, weights = [], [], []
        for kept in self.apart:
            rows, truth = for_model(kept)
            scores.append(model.evidence(model.decision(rows)))
            truths.append(truth)
            weights.append(kept.weights)
        if not scores:
            raise InputError(f"there are too few rows to set some apart {wanted.purpose}: {wanted.remedy}")
        w = np.concatenate(weights)
        return wanted.settled(np.concatenate(scores), np.concatenate(truths), w if len(w) else None)

    def mistakes(self, model: LinearModel, read_again: Callable[[], Iterator[Prepared]] | None) -> Mistakes:
        """The mistakes of all passes, beside the bound that the rows prove: from the cache, or read once more."""
        assert self.training is not None
        read: Callable[[], Iterator[Examples]] = self._from_cache
        if self.cache is None:
            if read_again is None:
                why = f"{NOT_KEPT}: standard input cannot be read again; take --passes 2 or more, or a file"
                return Mistakes(self.training.mistakes_made, reason=why)
            read = partial(self._from_source, read_again)
        try:
            return mistake_bound(self.recipe, model, read, self.training.facts(self.done_passes, joining=True))
        except InputChanged:
            return Mistakes(self.training.mistakes_made, reason=CHANGED)

    def _from_cache(self) -> Iterator[Examples]:
        """All rows as the model has them."""
        assert self.cache is not None
        for_model = self._for_model()
        for kept in self.cache:
            yield Examples(*for_model(kept), self._counting(kept.targets, kept.weights))

    def _from_source(self, read_again: Callable[[], Iterator[Prepared]]) -> Iterator[Examples]:
        """As `_from_cache`, of rows that were not kept; they must be those that were learnt from."""
        features, schema, places = self.features, self.features.schema, Places.in_turn(self.features.sizes)
        codes, rows = self._codes(len(self.seen.labels)), 0
        for made in read_again():
            block = made.block
            if not block.rows:
                continue
            numbers = self.seen.numbers(block, schema, frozen=True)
            rows += block.rows
            if rows > self.rows or numbers.min() < 0:
                raise InputChanged
            pieces = features.weighed(features.number(block, made.work, frozen=True))
            given = row_weights(block, schema)
            weights = self._counting(numbers, np.empty(0) if given is None else given)
            yield Examples(assembled(pieces, places), codes[numbers], weights)
        if rows != self.rows:
            raise InputChanged

    def _for_model(self) -> Callable[[Kept], tuple[Rows, NDArray[np.float64]]]:
        """What brings kept rows to the model's order: features term after term, targets as its codes."""
        back = self._back()
        codes = self._codes(len(self.seen.labels)) if self.classes else None

        def translated(kept: Kept) -> tuple[Rows, NDArray[np.float64]]:
            ids = back[kept.rows.ids].astype(np.uint32)
            rows = replace(kept.rows, ids=ids, shape=(len(kept.targets), len(back)))
            return rows, kept.targets if codes is None else codes[kept.targets.astype(np.int64)]

        return translated
