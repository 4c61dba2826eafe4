"""OnlineRun: an online learner over a stream, one pass as rows arrive and further passes from a cache.

The outcome depends on the rows and the options alone: not on blocks, files, threads, or where a run was interrupted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.feature_map import Features
from linnet.data.features.layout import FeatureLayout, assembled
from linnet.data.features.schema import Task
from linnet.data.label_sets import label_index
from linnet.data.labels import Labels, LabelSets
from linnet.data.rows import Examples, Rows
from linnet.data.sources.block import Position
from linnet.data.targets import numeric_targets, sample_weights_of
from linnet.errors import InputError
from linnet.evaluation.splits import Mask, Purpose, decision_rows, first_of_each, held_out, random_keys
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Recipe, Reduction, Update
from linnet.model.moments import Moments
from linnet.model.point_sample import PointSample, PointSampling, placed
from linnet.model.record import OnlineSettings
from linnet.pipeline.feature_moments import MomentSums
from linnet.pipeline.memory import check_lists, check_names, check_weights
from linnet.pipeline.row_cache import CachedRows, RowCache
from linnet.pipeline.stream import Numbered
from linnet.pipeline.trainers.joining_order import JoiningOrder
from linnet.pipeline.trainers.label_runs import LabelRuns
from linnet.pipeline.trainers.model_order import in_model_order, model_order
from linnet.pipeline.trainers.online_outcome import held_out_result
from linnet.pipeline.trainers.progressive import ProgressiveTally
from linnet.training import class_list_learner
from linnet.training.class_weights import ClassWeights
from linnet.training.history import Pass
from linnet.training.online import NO_PREDICTIONS, OnlineTraining, Predictions
from linnet.training.order import Presentations, presentations

Floats = NDArray[np.float64]

# Columns that a stream has room for at first: few, for a table of weights is made anew whenever a class joins.
FIRST_COLUMNS = 16
# Passes without a better held-out loss before a run with several passes ends.
PATIENCE = 2


class OnlineRun:
    """The state of an online learner over a stream."""

    def __init__(
        self,
        features: Features,
        recipe: Recipe,
        settings: OnlineSettings,
        *,
        seed: int,
        memory: int,
        cache_rows: int,
        class_weights: ClassWeights | None = None,
        keep_rows: bool = False,
    ) -> None:
        self.features = features
        self.recipe = recipe
        self.several = recipe.reduction is Reduction.EACH_LABEL  # labels a row
        self.settings = settings
        self.seed = seed
        self.memory = memory
        self.layout = FeatureLayout(len(features.terms))
        self.label_index = label_index(features)
        self.sums = MomentSums.of_stream(features)
        self.points = PointSampling()  # of rows that are two numbers and a label; of others it stays empty
        self.training: OnlineTraining | None = None
        self.cache = RowCache(memory, cache_rows) if settings.passes > 1 else None
        # for a mistake bound after one pass over what cannot be read again
        self.kept = RowCache(memory, cache_rows) if keep_rows and self.cache is None else None
        self.held_cache = RowCache(memory, cache_rows) if settings.holdout and self.cache is None else None
        self.decision_cache = RowCache(memory, cache_rows) if settings.decision_rows else None
        self.class_weights = class_weights
        self.first_rows: list[int] = []  # the number of the first row of each label
        self.rows = 0
        self.position = Position()
        self.done_passes = 0
        self.done_chunks = 0
        self.progressive = ProgressiveTally()
        self.runs = LabelRuns()
        self.losses: list[float] = []
        self.best: LinearModel | None = None

    def close(self) -> None:
        """Release the caches."""
        for cache in (self.cache, self.kept, self.held_cache, self.decision_cache):
            if cache is not None:
                cache.close()

    @property
    def classes(self) -> bool:
        return self.features.task is Task.CLASSIFICATION

    @property
    def presented(self) -> int:
        """About how many rows were presented so far, in all passes: it only grows."""
        if not self.done_passes:
            return self.rows
        chunks = 0 if self.cache is None else len(self.cache)
        return self.done_passes * self.rows + self.done_chunks * self.rows // max(1, chunks)

    @property
    def sorted_by_label(self) -> bool:
        return self.runs.are_few(self.rows, len(self.label_index.labels))

    @property
    def label_sets(self) -> LabelSets | None:
        """The sets of labels that targets are the numbers of, where rows have several labels."""
        return self.label_index.order().sets if self.several else None

    @property
    def typed_classes(self) -> NDArray[Any] | None:
        """All labels so far, as the values they stand for, in the order of their classes; None for numbers."""
        return self.label_index.typed(self.features.schema.labels).classes if self.classes else None

    # -- the first pass --------------------------------------------------------------------------------------------

    def take(self, made: Numbered, *, learning: bool = True) -> None:
        """Train on the next block; or only cache it, where a resumed run was trained on it before."""
        if made.block.rows:
            block, schema = made.block, self.features.schema
            targets = (
                self.label_index.numbers(block, schema).astype(np.float64)
                if self.classes
                else numeric_targets(block, schema)
            )
            check_names(self.features, self.memory)
            self._check_weights()
            self.layout.extend(self.features.sizes)
            rows = assembled(self.features.weighted(made.pieces), self.layout)
            weights = sample_weights_of(block, schema)
            given = np.empty(0) if weights is None else weights
            self.take_rows(CachedRows(rows, targets, given, self.rows), learning=learning)
        if learning:
            self.position = made.block.after

    def _check_weights(self) -> None:
        """Raise where the weights take too much memory: a table before it is made, lists as they grow."""
        labels = self.label_index.count
        if class_list_learner.is_for(self.recipe) and class_list_learner.is_large(len(self.features), labels):
            check_lists(self.features, labels, 0 if self.training is None else self.training.nbytes, self.memory)
        else:
            check_weights(self.features, labels, self.recipe, self.memory)

    def take_rows(self, kept: CachedRows, *, learning: bool = True) -> None:
        """As `take`, of assembled rows."""
        self._check_fit(kept)
        if self.classes:
            self.first_rows += (kept.first + first_of_each(kept.targets, len(self.first_rows))).tolist()
        if learning:
            if self.classes:
                self.runs.add(kept.targets)
            self._train_in_order(kept)
            self.sums.add_of_stream(kept.rows, kept.weights if len(kept.weights) else None, kept.first)
            if self.classes and not self.several and (columns := placed(self.features, self.layout.by_term)):
                self.points.add_rows(kept.rows, kept.targets, columns)
        self.rows += len(kept.targets)
        for cache in (self.cache, self.kept):
            if cache is not None:
                cache.append(kept)
        if self.held_cache is not None:
            self.held_cache.append(kept.at(np.flatnonzero(self.held(kept))))
        if self.decision_cache is not None:
            self.decision_cache.append(kept.at(np.flatnonzero(self._for_decisions(kept))))

    def _check_fit(self, kept: CachedRows) -> None:
        """Raise for a value that the learner cannot take, naming the row in the stream and the feature."""
        if self.recipe.update is not Update.MULTIPLICATIVE:
            return
        assert self.recipe.values is not None
        misfits = self.recipe.values.misfits(kept.rows.values)
        if not misfits.any():
            return
        at = int(misfits.argmax())
        row, column = kept.rows.row_and_column(at)
        name = self.features.name(int(model_order(self.layout)[column]))
        raise InputError(
            f"row {self.rows + row + 1}, {name} has the value {kept.rows.values[at]:g}: {self.recipe.values}"
        )

    def held(self, kept: CachedRows) -> Mask:
        """The held-out rows."""
        return held_out(kept.first, len(kept.targets), self.settings.holdout, self.seed) & ~self._first(kept)

    def held_rows(self) -> Iterator[CachedRows]:
        """The held-out rows so far, a chunk at a time."""
        if not self.settings.holdout:
            return
        if self.held_cache is not None:
            yield from self.held_cache
        elif self.cache is not None:
            yield from (kept.at(np.flatnonzero(self.held(kept))) for kept in self.cache)

    def _for_decisions(self, kept: CachedRows) -> Mask:
        """The rows that decisions are fitted on, which are neither trained on nor held out."""
        chosen = decision_rows(kept.first, len(kept.targets), self.seed)
        return chosen & ~self.held(kept) & ~self._first(kept)

    def _first(self, kept: CachedRows) -> Mask:
        """The rows that are the first of their label: they are always trained on."""
        first, n, sets = np.zeros(len(kept.targets), dtype=bool), len(kept.targets), self.label_sets
        start, stop = (bisect_left(self.first_rows, end) for end in (kept.first, kept.first + n))
        rows = np.array(self.first_rows[start:stop], dtype=np.int64) - kept.first
        first[rows if sets is None else rows[sets.with_new_labels()[start:stop]]] = True
        return first

    def _train_in_order(self, kept: CachedRows) -> None:
        """Train on rows in their order; a class joins at the row that first has it, wherever blocks begin."""
        known, cuts = 0 if self.training is None or self.training.labels is None else len(self.training.labels), [0]
        if self.several:  # each label joins by itself
            known = self.label_index.count
        elif self.classes:
            cuts += first_of_each(kept.targets, known).tolist()
        order: JoiningOrder | None = None
        for number, (start, stop) in enumerate(zip(cuts, [*cuts[1:], len(kept.targets)], strict=True)):
            if stop == start:
                continue
            if self._classes_join_by_themselves(kept.rows):
                self._train(kept.part(start, len(kept.targets)), self.label_index.count, None)
                break
            last = number == len(cuts) - 1
            if order is None and not last and self.training is not None and self.training.can_join:
                order = JoiningOrder.of(self.label_index)
            if order is None or last:
                self._train(kept.part(start, stop), known + number, None)
            else:
                self._train_some(kept.part(start, stop), order, known + number)

    def _classes_join_by_themselves(self, rows: Rows) -> bool:
        """Whether all classes of these rows can be named at once, since each takes part from its first row on."""
        columns = self._wide(rows).shape[1]
        return self.training is not None and self.training.joins_by_itself(columns, self.label_index.count)

    def _train(self, kept: CachedRows, classes: int, turn: int | None) -> None:
        """Train on rows while the first K classes are known; shuffled, in a later pass."""
        labels = self.label_index.order(classes) if self.classes else None
        codes = self.label_index.codes(classes)[kept.targets.astype(np.int64)] if self.classes else kept.targets
        examples = self._made_ready(kept, codes, labels)
        training = self.training
        assert training is not None
        self._learn(kept, examples, turn, lambda *how: training.learn(examples, labels, *how))

    def _train_some(self, kept: CachedRows, order: JoiningOrder, classes: int) -> None:
        """As `_train`, with room for all classes of the block."""
        taking_part, codes = order.first(classes, kept.targets.astype(np.int64))
        examples = self._made_ready(kept, codes, order.labels)
        training = self.training
        assert training is not None
        self._learn(kept, examples, None, lambda *how: training.learn_some(examples, taking_part, *how))

    def _made_ready(self, kept: CachedRows, codes: Floats, labels: Labels | None) -> Examples:
        """The rows as examples, and a learner with room for their columns and these labels."""
        examples = Examples(self._wide(kept.rows), codes, self.sample_weights(kept.targets, kept.weights))
        if self.training is None:
            self.training = OnlineTraining(self.recipe, examples.rows.shape[1], labels, lists=True)
        # also by rows that are held out or have the weight 0
        self.training.extend(labels)
        self.training.widen(examples.rows.shape[1])
        return examples

    def _learn(
        self,
        kept: CachedRows,
        examples: Examples,
        turn: int | None,
        learn: Callable[[Presentations, Predictions], Pass],
    ) -> None:
        """Train on those rows that are presented, and count what was predicted just before."""
        assert self.training is not None
        codes = examples.targets
        plan = self._plan(examples, kept, turn)
        presented = len(codes) if plan is None or plan.rows is None else len(plan.rows)
        if plan is None or not presented:
            return
        # numbers that are held out measure the model better than those of rows in their order, which may be alike
        validated = turn is None and (self.classes or not self.settings.holdout)
        predictions = self.training.room_for_predictions(presented) if validated else NO_PREDICTIONS
        tally = learn(plan, predictions)
        if turn is None:
            self.progressive.presented += presented
            self.progressive.loss += tally.loss * presented
        if validated:
            self._validate(kept, codes, plan.rows, predictions)

    def _validate(
        self, kept: CachedRows, codes: Floats, order: NDArray[np.int64] | None, predictions: Predictions
    ) -> None:
        """Compare what was predicted just before each row was first presented with the truth."""
        if not len(predictions):
            self.progressive.give_up()
            return
        which = np.arange(len(codes)) if order is None else order
        if order is not None and len(order) > 1:
            first = np.concatenate([[True], order[1:] != order[:-1]])  # a row of weight 3 comes three times in a row
            which, predictions = order[first], np.ascontiguousarray(predictions[:, first])
        weights = kept.weights[which] if len(kept.weights) else None
        if self.classes:
            assert self.training is not None
            mistaken = self.training.mistaken(codes[which], predictions)
            self.progressive.add_classes(kept.targets[which].astype(np.int64), mistaken, weights)
        else:
            self.progressive.add_numbers(kept.first + which, self.seed, kept.targets[which], predictions[0], weights)

    def sample_weights(self, targets: NDArray[Any], weights: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """The weight of each row in training: its own, if rows have any, times its class's."""
        own = weights if len(weights) else None
        if self.class_weights is None:
            return own
        return self.class_weights.by_row(list(self.label_index.labels), targets, own)

    def _plan(self, examples: Examples, kept: CachedRows, turn: int | None) -> Presentations | None:
        """Which rows are presented, in which order; None if no row has any weight."""
        if examples.weights is not None and not examples.weights.any():
            return None
        plan = presentations(examples, shuffle=False)
        if turn is not None:
            plan = self._shuffled(plan, kept, turn)
        if self.settings.holdout or self.decision_cache is not None:
            trained = ~self.held(kept)
            if self.decision_cache is not None:
                trained &= ~self._for_decisions(kept)
            order = np.arange(len(trained)) if plan.rows is None else plan.rows
            plan = replace(plan, rows=order[trained[order]])
        return plan

    def _shuffled(self, plan: Presentations, kept: CachedRows, turn: int) -> Presentations:
        order = np.arange(len(kept.targets)) if plan.rows is None else plan.rows
        copies = np.arange(len(order)) - np.searchsorted(order, order)  # a row of weight 3 comes three times
        numbers = (order + kept.first).astype(np.uint64) + copies.astype(np.uint64) * np.uint64(1 << 40)
        keys = random_keys(numbers, self.seed, Purpose.SHUFFLE_ROWS, turn)
        return replace(plan, rows=order[np.argsort(keys, kind="stable")])

    def _wide(self, rows: Rows) -> Rows:
        """The same rows with room for further columns, in powers of two: arrays grow seldom."""
        columns = FIRST_COLUMNS
        while columns < max(self.layout.size, rows.shape[1]):
            columns *= 2
        return replace(rows, shape=(rows.shape[0], columns))

    # -- further passes ------------------------------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        if self.done_passes >= self.settings.passes:
            return True
        best = int(np.argmin(self.losses)) if self.losses else 0
        return len(self.losses) > best + PATIENCE

    def end_pass(self) -> None:
        """Close a pass: evaluate on the held-out rows, if there are any."""
        self.done_passes += 1
        self.done_chunks = 0
        if self.settings.holdout and self.cache is not None:
            model = self.current()
            held = held_out_result(self, model)
            if not held.rows:
                return
            if not self.losses or held.loss < min(self.losses):
                self.best = model
            self.losses.append(held.loss)

    def next_chunk(self) -> bool:
        """Train on one more chunk of the cache; False at the end of the pass."""
        assert self.cache is not None
        turn = self.done_passes
        keys = random_keys(np.arange(len(self.cache), dtype=np.uint64), self.seed, Purpose.SHUFFLE_CHUNKS, turn)
        order = np.argsort(keys, kind="stable")
        if self.done_chunks >= len(order):
            return False
        self._train(self.cache.chunk(int(order[self.done_chunks])), self.label_index.count, turn)
        self.done_chunks += 1
        return True

    # -- the model so far --------------------------------------------------------------------------------------------

    def current(self) -> LinearModel:
        """The model as of now."""
        assert self.training is not None
        return replace(in_model_order(self.training.model(), self.layout), classes=self.typed_classes)

    def sample(self) -> PointSample | None:
        """Some of the rows, where they are two numbers and a label."""
        return self.points.result(self.label_index.codes().astype(np.int64)) if self.points.rows else None

    def moments(self) -> Moments:
        """The moments of all features, term after term."""
        return self.sums.moments(self.features, np.concatenate(self.layout.by_term))

    def model(self) -> LinearModel:
        """The model with the smallest held-out loss, or the last."""
        return self.best if self.best is not None else self.current()
