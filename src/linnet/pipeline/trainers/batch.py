"""BatchTrainer: learners that see all rows at once; and, where the data decide, the choice of the learner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from linnet.data.limits import size_in_words
from linnet.data.sources.block import Position
from linnet.errors import RecipeError, option
from linnet.learners.catalogue import Entry
from linnet.model.model import Model
from linnet.pipeline.dataset import Collected, Dataset
from linnet.pipeline.decision_fit import NOTHING
from linnet.pipeline.memory import check_names, check_sparse_weights, check_weights, give_back
from linnet.pipeline.option_checks import check_task, check_tuned
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.plan import learner_in_memory, online_learner
from linnet.pipeline.stream import Numbered, RowStream
from linnet.pipeline.trainers.batch_fit import train_batch
from linnet.pipeline.trainers.checkpoints import Checkpoints
from linnet.pipeline.trainers.job import Job, Outcome
from linnet.pipeline.trainers.online import OnlineTrainer
from linnet.pipeline.trainers.solving import Solving

# An n-gram that a single row has cannot help another row.
LEAST_ROWS = 2


@dataclass(frozen=True)
class BatchTrainer:
    """Reads all rows into memory; without an entry, the learner is chosen when they are known."""

    entry: Entry | None
    reason: str
    options: TrainOptions
    checkpoints: Checkpoints

    def fit(self, stream: RowStream) -> Model:
        """Train on all rows at once; where they do not fit in memory and any learner will do, online."""
        collected = Collected(stream.features)
        blocks = stream.numbered(Position())
        for made in blocks:
            collected.add(made)
            stream.report("reading", collected.rows)
            stream.services.check_stopped()
            check_names(stream.features, self.options.memory)
            if collected.nbytes > self.options.memory:
                return self._out_of_core(stream, chain(collected.replay(), blocks))
        dataset = collected.dataset().pruned(LEAST_ROWS)
        if dataset.packed is not None:
            give_back()
        entry, reason = self.entry, self.reason
        labels = 0 if dataset.labels is None else len(dataset.labels)
        if entry is None:
            sets = dataset.labels is not None and dataset.labels.sets is not None
            entry, why = learner_in_memory(dataset.features.task, labels, self.options, thin=dataset.thin and not sets)
            reason = reason if self.options.summary else why
        check_tuned(self.options, entry)
        if entry.sparse_classes:
            check_sparse_weights(dataset.features, labels, dataset.entries, self.options.memory)
        else:
            check_weights(dataset.features, labels, self.options.strength.of(entry).recipe, self.options.memory)
        return self._in_memory(self._job(entry, reason), stream, dataset)

    def _job(self, entry: Entry, reason: str) -> Job:
        return Job(entry, reason, self.options, self.checkpoints)

    def _out_of_core(self, stream: RowStream, blocks: Iterator[Numbered]) -> Model:
        limit = size_in_words(self.options.memory)
        asked = "summary" if self.options.summary else "tune" if self.options.tuning else None
        if self.entry is None and asked:
            raise RecipeError(
                f"{option(asked)} needs all rows in memory, and they take more than {limit}: allow more "
                f"({option('memory')})"
            )
        if self.entry is not None:
            raise RecipeError(
                f"{self.entry.name} needs all rows in memory, and they take more than {limit}: allow more "
                f"({option('memory')}), or take an online learner such as {option('learner', 'adaptive')}"
            )
        entry = online_learner(stream.features.task)
        check_task(self.options, stream.features.task, entry)
        reason = f"the rows take more than {limit}, so they are streamed through an online learner"
        return OnlineTrainer(self._job(entry, reason)).fit(stream, blocks)

    def _in_memory(self, job: Job, stream: RowStream, dataset: Dataset) -> Model:
        rows = dataset.for_learner(job.entry, self.options.class_weights)

        def say(stage: str) -> None:
            stream.services.check_stopped()
            stream.report(stage, len(rows.targets))

        result = train_batch(
            rows,
            job.entry,
            holdout=job.holdout,
            seed=self.options.seed,
            threads=stream.services.reading_threads,
            say=say,
            watch=lambda _: stream.services.check_stopped(),
            wanted=NOTHING if rows.labels is None else self.options.wanted(rows.labels.classes),
            strength=self.options.strength,
            tuning=self.options.tuning,
            solving=Solving(self.options.solver, self.options.tol, self.options.max_iter),
            summary=self.options.summary,
        )
        outcome = Outcome(
            rows.features,
            result.moments,
            result.model,
            result.entry,
            result.certificate,
            result.decided,
            result.held_out,
        )
        return job.model(
            stream,
            outcome,
            rows=result.rows,
            rows_held_out=result.rows_held_out,
            class_weight=result.class_weights,
            labels_per_row=_labels_per_row(dataset),
            solver=result.solver,
            solver_reason=result.solver_reason,
            tol=result.entry.tol if self.options.tol is None else self.options.tol,
            iterations=result.iterations,
            converged=result.converged,
            strength=result.strength,
            points=result.points,
            separation=result.separation,
            numbers=result.columns,
            summary=result.summary,
        )


def _labels_per_row(dataset: Dataset) -> float | None:
    """How many labels a row has on average, where rows have several or none."""
    if dataset.labels is None or dataset.labels.sets is None:
        return None
    sets = dataset.labels.sets
    return sets.per_row(np.bincount(dataset.targets.astype(np.int64), minlength=len(sets)))
