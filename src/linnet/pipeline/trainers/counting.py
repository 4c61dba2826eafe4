"""CountingTrainer: one read of the rows, whose sums by class give the model in closed form.

Some rows are held out.  The model of all others is evaluated on them, and then they are counted, too: sums can be added
to, so no row is counted twice.  All held-out rows are counted last, in their order; the outcome depends on the rows and
the options alone, not on blocks, files or threads.

Where probabilities are calibrated, or a threshold is chosen, further rows are kept for it: decisions are fitted to the
scores that the model of all others gives them, before they are counted as well.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.feature_map import Features
from linnet.data.features.layout import FeatureLayout, assembled
from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.data.sources.block import Position
from linnet.data.targets import (
    LabelIndex,
    no_training_rows,
    refuse_too_many_labels,
    require_two_labels,
    sample_weights_of,
)
from linnet.errors import InputError
from linnet.evaluation.splits import decision_rows, first_of_each, held_out
from linnet.learners.catalogue import Entry
from linnet.learners.linear import LinearModel
from linnet.model.model import Model
from linnet.model.moments import Moments
from linnet.model.point_sample import PointSample, PointSampling, placed
from linnet.model.predictor import Result, scorer
from linnet.pipeline.decision_fit import Decided, Wanted
from linnet.pipeline.feature_moments import MomentSums
from linnet.pipeline.memory import check_names, check_weights
from linnet.pipeline.row_cache import CachedRows, RowCache
from linnet.pipeline.stream import Numbered, RowStream
from linnet.pipeline.trainers.job import Job, Outcome
from linnet.pipeline.value_checks import with_text_weighting
from linnet.training.counting.naive_bayes import CLOSED_FORM, Counting

# Fewer held-out rows than this measure nothing.
ENOUGH_HELD_OUT = 20


@dataclass(frozen=True)
class CountingTrainer:
    """Counts all rows, the held-out ones last."""

    job: Job

    def fit(self, stream: RowStream) -> Model:
        options = self.job.options
        features = with_text_weighting(self.job.entry, stream.features)
        with closing(
            CountingRun(
                features,
                self.job.entry,
                holdout=self.job.holdout,
                seed=options.seed,
                memory=options.memory,
                cache_rows=stream.services.cache_rows,
                alpha=options.strength.alpha,
                decisions=options.sets_apart,
            )
        ) as run:
            for made in stream.numbered(Position()):
                run.take(made)
                stream.report("reading", run.rows)
                stream.services.check_stopped()
            if not run.rows:
                raise no_training_rows(features.schema)
            decided = run.decided(options.wanted(run.classes))
            result = run.result(decided)
            linear = run.model()
        outcome = Outcome(features, run.moments(), linear, self.job.entry, CLOSED_FORM, decided, result)
        return self.job.model(
            stream,
            outcome,
            rows=run.rows,
            rows_held_out=0 if result is None else run.rows_held_out,
            points=run.sample(),
        )


class CountingRun:
    """A model being counted from a stream."""

    def __init__(
        self,
        features: Features,
        entry: Entry,
        *,
        holdout: float,
        seed: int,
        memory: int,
        cache_rows: int,
        alpha: float | None = None,
        decisions: bool = False,
    ) -> None:
        self.features = features
        self.entry = entry
        self.holdout = holdout
        self.seed = seed
        self.memory = memory
        self.layout = FeatureLayout(len(features.terms))
        self.label_index = LabelIndex()
        smoothing = {} if alpha is None else {"alpha": alpha}
        self.training: Counting = entry.counts_with()(0, Labels(), **smoothing)
        self.held_out = RowCache(memory, cache_rows)
        self.for_decisions = RowCache(memory, cache_rows) if decisions else None
        self.sums = MomentSums.of_stream(features)
        self.points = PointSampling()
        self.rows = 0
        self.rows_held_out = 0

    def close(self) -> None:
        for cache in self._caches():
            cache.close()

    def _caches(self) -> list[RowCache]:
        """The rows that are counted last."""
        return [self.held_out] if self.for_decisions is None else [self.held_out, self.for_decisions]

    def take(self, made: Numbered) -> None:
        """Count the next block, except for the held-out rows."""
        block, schema = made.block, self.features.schema
        if not block.rows:
            return
        known = len(self.label_index.labels)
        targets = self.label_index.numbers(block, schema).astype(np.float64)
        self._check_size()
        self.layout.extend(self.features.sizes)
        given = sample_weights_of(block, schema)
        rows = assembled(self.features.weighted(made.pieces), self.layout)
        kept = CachedRows(rows, targets, np.empty(0) if given is None else given, self.rows)
        self.sums.add_of_stream(rows, given, self.rows)
        if columns := placed(self.features, self.layout.by_term):
            self.points.add_rows(rows, targets, columns)
        self.rows += block.rows
        later = np.zeros(block.rows, dtype=bool)
        first = first_of_each(targets, known)
        if self.holdout:
            later = held_out(kept.first, block.rows, self.holdout, self.seed)
            later[first] = False
            self.held_out.append(kept.at(np.flatnonzero(later)))
            self.rows_held_out += int(later.sum())
        if self.for_decisions is not None:
            chosen = decision_rows(kept.first, block.rows, self.seed) & ~later
            chosen[first] = False
            self.for_decisions.append(kept.at(np.flatnonzero(chosen)))
            later |= chosen
        if later.any():
            kept = replace(kept, weights=np.where(later, 0.0, 1.0 if given is None else given))
        self._count(kept)

    def _check_size(self) -> None:
        check_names(self.features, self.memory)
        check_weights(self.features, len(self.label_index.labels), self.entry.recipe, self.memory)

    def _count(self, kept: CachedRows) -> None:
        weights = kept.weights if len(kept.weights) else None
        rows = replace(kept.rows, shape=(kept.rows.shape[0], self.layout.size))
        codes = self.label_index.codes()[kept.targets.astype(np.int64)]
        self.training.take(Examples(rows, codes, weights), self.label_index.order())

    @property
    def classes(self) -> NDArray[Any]:
        """The labels met, in the order of their classes."""
        return self.label_index.typed(self.features.schema.labels).classes

    def result(self, decided: Decided) -> Result | None:
        """The metrics of the model of the rows so far on the held-out ones; None where those are too few."""
        if self.rows_held_out < ENOUGH_HELD_OUT:
            return None
        measuring = scorer(self._placed(), True, decided.calibration, decided.rule)
        tally = measuring.tally()
        for kept in self.held_out:
            measuring.add_result(tally, *self._for_model(kept), kept.weights if len(kept.weights) else None)
        result: Result = tally.result()
        return result

    def decided(self, wanted: Wanted) -> Decided:
        """The decisions, fitted to the scores of the rows kept for them by the model of the rows so far."""
        if not wanted.needs_rows:
            return wanted.without_rows()
        assert self.for_decisions is not None
        require_two_labels(list(self.label_index.labels))
        model = self._placed()
        asked = [(*self._for_model(kept), kept.weights) for kept in self.for_decisions]
        if not asked:
            raise InputError(f"there are too few rows to keep some {wanted.purpose}: {wanted.remedy}")
        scores = np.concatenate([model.evidence(model.decision(rows)) for rows, _, _ in asked])
        weights = np.concatenate([each for _, _, each in asked])
        truth = np.concatenate([codes for _, codes, _ in asked])
        return wanted.decided(scores, truth, weights if len(weights) else None)

    def _placed(self) -> LinearModel:
        """The model of the rows so far, its features as they are placed in the rows here."""
        model = self._model()
        placed = np.empty_like(model.weights)
        placed[np.concatenate(self.layout.by_term)] = model.weights
        return replace(model, weights=placed)

    def _for_model(self, kept: CachedRows) -> tuple[Rows, NDArray[np.float64]]:
        """Cached rows as wide as they are by now, and the codes of their labels."""
        rows = replace(kept.rows, shape=(len(kept.targets), self.layout.size))
        return rows, self.label_index.codes()[kept.targets.astype(np.int64)]

    def model(self) -> LinearModel:
        """The model of all rows, its features term after term."""
        for cache in self._caches():
            for kept in cache:
                self._count(kept)
        labels = self.training.labels
        refuse_too_many_labels(self.rows, len(labels), self.features.schema)
        require_two_labels(list(self.label_index.labels))
        return self._model()

    def sample(self) -> PointSample | None:
        """Some of the rows, where they are two numbers and a label."""
        return self.points.result(self.label_index.codes().astype(np.int64)) if self.points.rows else None

    def moments(self) -> Moments:
        """The moments of all features, term after term."""
        return self.sums.moments(self.features, np.concatenate(self.layout.by_term))

    def _model(self) -> LinearModel:
        model = self.training.arranged(np.concatenate(self.layout.by_term)).model()
        return replace(model, classes=self.classes)
