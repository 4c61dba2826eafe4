"""train: from a source to a model, in memory or out of core."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from linnet.data.features.feature_map import Features
from linnet.data.features.task_choice import TaskChoice
from linnet.data.label_types import LabelKind
from linnet.data.on_error import BadRows, OnError
from linnet.data.reading import Check
from linnet.data.sources.formats import Format
from linnet.data.sources.opening import open_data
from linnet.data.sources.source import Source, described
from linnet.data.targets import unusable_rows
from linnet.errors import RecipeError, option
from linnet.learners.entry import AUTO, Entry, Way
from linnet.model.file import save
from linnet.model.model import Model
from linnet.model.target_checks import unusable_for
from linnet.pipeline.memory import keep_freed
from linnet.pipeline.option_checks import check, check_label_sets, check_task, check_tuned
from linnet.pipeline.options import TrainOptions as TrainOptions
from linnet.pipeline.plan import Plan as Plan
from linnet.pipeline.plan import features_of, learner_of, takes_numbers_as_they_are
from linnet.pipeline.services import Services
from linnet.pipeline.shared_rows import SharedRows
from linnet.pipeline.stream import RowStream
from linnet.pipeline.trainers import checkpoint_file as checkpoint
from linnet.pipeline.trainers.checkpoints import NO_CHECKPOINTS, Checkpoints
from linnet.pipeline.trainers.job import Job, Trainer
from linnet.pipeline.value_checks import refuse_dates, unfit_values
from linnet.storage.outputs import check_no_input, claimed
from linnet.storage.quarantine import Quarantine


def _ignored(_: Plan) -> None:
    pass


def train(
    data: Any,
    options: TrainOptions | None = None,
    services: Services | None = None,
    show_plan: Callable[[Plan], None] = _ignored,
) -> Model:
    """Train a model on files, a frame, or arrays."""
    options = TrainOptions() if options is None else options
    source = _opened(data, options)
    with _outputs(source, options):
        return _trained(source, options, Services() if services is None else services, show_plan)


def train_each(data: Any, several: Sequence[TrainOptions], services: Services | None = None) -> list[Model]:
    """A model for each of these options, from one reading of the data: each is what `train` would make of them.

    The options may differ in the learner and how it is fitted, not in how the rows are read.
    """
    services = Services() if services is None else services
    first = several[0]
    for options in several:
        check(options)
        if options.reading() != first.reading():
            raise RecipeError("learners that share one reading need the same options of reading and features")
    source = open_data(data, first.form)
    as_they_are = [takes_numbers_as_they_are(options) for options in several]
    features, choice = features_of(source, several[as_they_are.index(False) if False in as_they_are else 0])
    if features.logarithms and any(as_they_are):
        raise RecipeError(
            "learners that share one reading need the same features, and one of them takes no logarithms: make "
            f"{', '.join(features.logarithms)} number ({option('columns')})"
        )
    rejected = BadRows(first.on_error)
    rows = SharedRows(RowStream(source, features, _check(None, features), rejected, services), first.memory)
    return [fitted_to(rows, options, choice) for options in several]


def fitted_to(stream: RowStream, options: TrainOptions, choice: TaskChoice) -> Model:
    """The model of these options on the rows of a stream that is kept."""
    entry, reason = learner_of(options, stream.features.task)
    check_task(options, stream.features.task, entry)
    if entry is not None:
        check_tuned(options, entry)
    check_label_sets(options, entry, several=stream.features.schema.labels is LabelKind.SETS)
    model = _trainer(entry, reason, options, NO_CHECKPOINTS).fit(stream)
    return _with_plan(model, _plan(stream.source, stream.features, choice, entry, reason), stream.source)


def _plan(source: Source, features: Features, choice: TaskChoice, entry: Entry | None, reason: str) -> Plan:
    learner = AUTO if entry is None else entry.name
    return Plan(described(source), features.schema, features.task, choice.reason, learner, reason, choice.guessed)


def _with_plan(model: Model, plan: Plan, source: Source) -> Model:
    record = replace(
        model.record,
        plan=plan,
        task_guessed=plan.guessed,
        rows_are_files=source.format == Format.FOLDER,
    )
    return replace(model, record=record)


def train_to_file(
    data: Any,
    options: TrainOptions,
    path: str | os.PathLike[str],
    services: Services | None = None,
    show_plan: Callable[[Plan], None] = _ignored,
) -> Model:
    """As `train`, and save the model; only then the checkpoint is not needed any more."""
    source = _opened(data, options)
    with _outputs(source, options, os.fspath(path)):
        model = _trained(source, options, Services() if services is None else services, show_plan)
        save(model, path)
        if options.checkpoint is not None:
            checkpoint.remove(options.checkpoint)
    return model


def _opened(data: Any, options: TrainOptions) -> Source:
    check(options)
    keep_freed()
    return open_data(data, options.form)


@contextmanager
def _outputs(source: Source, options: TrainOptions, model: str | None = None) -> Iterator[None]:
    """The files that a run may write, before anything is read: none of them is an input, and all are this run's."""
    quarantine = options.quarantine if options.on_error is OnError.QUARANTINE else None
    named = {"the model": model, "the checkpoint": options.checkpoint, "the quarantine": quarantine}
    outputs = {what: path for what, path in named.items() if path is not None}
    check_no_input(outputs, source.paths)
    with claimed(outputs.values()):
        if options.checkpoint is not None:
            checkpoint.check_place(options.checkpoint)
        yield


def _trained(source: Source, options: TrainOptions, services: Services, show_plan: Callable[[Plan], None]) -> Model:
    features, choice = features_of(source, options)
    entry, reason = learner_of(options, features.task)
    check_task(options, features.task, entry)
    if entry is not None:
        check_tuned(options, entry)
    check_label_sets(options, entry, several=features.schema.labels is LabelKind.SETS)
    plan = _plan(source, features, choice, entry, reason)
    show_plan(plan)
    kept = Quarantine(options.quarantine) if options.quarantine and options.on_error is OnError.QUARANTINE else None
    rejected = BadRows(options.on_error, quarantine=kept)
    stream = RowStream(source, features, _check(entry, features), rejected, services)
    with nullcontext() if kept is None else closing(kept):
        return _with_plan(_trainer(entry, reason, options, Checkpoints.of(stream, options)).fit(stream), plan, source)


def _trainer(entry: Entry | None, reason: str, options: TrainOptions, checkpoints: Checkpoints) -> Trainer:
    """The one that is needed, and only that is loaded."""
    if entry is not None and entry.way is not Way.BATCH and options.tuning is not None:
        from linnet.pipeline.trainers.tuned import TunedTrainer

        return TunedTrainer(entry, reason, options, _trainer)
    if entry is not None and entry.way is Way.ONLINE:
        from linnet.pipeline.trainers.online import OnlineTrainer

        return OnlineTrainer(Job(entry, reason, options, checkpoints))
    if entry is not None and entry.way is Way.COUNTING:
        from linnet.pipeline.trainers.counting import CountingTrainer

        return CountingTrainer(Job(entry, reason, options, checkpoints))
    from linnet.pipeline.trainers.batch import BatchTrainer

    return BatchTrainer(entry, reason, options, checkpoints)


def _check(entry: Entry | None, features: Features) -> Check:
    """Which rows of a block cannot be trained on, by their targets and weights, or by the values the learner takes."""
    if entry is not None:
        refuse_dates(entry, features.schema)
    if entry is None:
        return lambda block: unusable_rows(block, features)
    loss = entry.recipe.loss
    return lambda block: unfit_values(entry, block, features.schema) | unusable_for(loss, block, features)
