"""TunedTrainer: online and counting learners with their strength tuned first, on one reading that is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from linnet.data.features.schema import Task
from linnet.data.sources.block import Position
from linnet.data.targets import require_two_labels
from linnet.evaluation.splits import first_of_each, held_out
from linnet.learners.entry import Entry, Way
from linnet.model.model import Model
from linnet.model.record import CoefficientPath
from linnet.pipeline.dataset import Collected
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.shared_rows import SharedRows
from linnet.pipeline.stream import RowStream
from linnet.pipeline.trainers.checkpoints import NO_CHECKPOINTS, Checkpoints
from linnet.pipeline.trainers.job import HOLDOUT, Trainer
from linnet.pipeline.tuning import Tuned, tuned
from linnet.training.fit import Settings


@dataclass(frozen=True)
class TunedTrainer:
    """Tunes C or alpha on the rows that are not held out, and then trains as if that had been given."""

    entry: Entry
    reason: str
    options: TrainOptions
    trainer: Callable[[Entry, str, TrainOptions, Checkpoints], Trainer]

    def fit(self, stream: RowStream) -> Model:
        rows = SharedRows(stream, self.options.memory)
        found = self._tuned(rows)
        C, alpha = (found.choice.value if found.choice.name == name else None for name in ("C", "alpha"))
        given = replace(self.options, tune=None, tune_rule=None, folds=None, C=C, alpha=alpha)
        options = replace(given, holdout=self._holdout)
        model = self.trainer(self.entry, self.reason, options, NO_CHECKPOINTS).fit(rows)
        paths: tuple[CoefficientPath, ...] = ()
        if model.moments is not None:
            outputs = model.outputs() if len(model.classes or []) > 2 else [""]
            paths = found.weights.paths(found.choice, model.features, model.moments.deviations, outputs)
        strength = replace(found.choice, paths=paths)
        return replace(model, record=replace(model.record, options=self.options.recorded(), strength=strength))

    @property
    def _holdout(self) -> float:
        return HOLDOUT if self.options.holdout is None else self.options.holdout

    def _tuned(self, rows: SharedRows) -> Tuned:
        kept = Collected(rows.features, packing=False)
        for made in rows.numbered(Position()):
            kept.add(made)
        dataset = kept.dataset()
        if dataset.labels is not None:
            require_two_labels(dataset.labels.classes.tolist())
        entry = self.options.winnowing.of(self.options.strength.of(self.entry))
        data = dataset.for_learner(entry, self.options.class_weights)
        held = held_out(0, len(data.targets), self._holdout, self.options.seed)
        if data.features.task is Task.CLASSIFICATION:
            held[first_of_each(data.targets, 0)] = False
        services = rows.services
        online = entry.way is Way.ONLINE
        settings = Settings(
            max_iter=(self.options.passes or 1) if online else None,
            all_passes=online,
            threads=services.reading_threads,
            watch=lambda _: services.check_stopped(),
        )
        rows.report(f"tuning {entry.strength}", len(data.targets))
        assert self.options.tuning is not None
        which = ~held if held.any() else np.ones(len(held), dtype=bool)
        return tuned(data, entry, data.rows, which, self.options.seed, self.options.tuning, settings)
