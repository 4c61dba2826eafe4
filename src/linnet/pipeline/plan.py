"""The plan of a run: the schema, the task and the learner, inferred where they are not given."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from linnet.data.features import transforms
from linnet.data.features.feature_map import Features
from linnet.data.features.schema import Role, Task
from linnet.data.features.schema_inference import GivenTypes, first_days, infer_schema, typed_sample
from linnet.data.features.task_choice import TaskChoice, task_of, task_of_numbers
from linnet.data.label_types import LabelKind
from linnet.data.on_misfit import OnMisfit
from linnet.data.sources.block import Block, number_in
from linnet.data.sources.folder import Folder
from linnet.data.sources.formats import Format
from linnet.data.sources.headers import no_target, target_column
from linnet.data.sources.labelled import TARGET, TEXT, LabelledText
from linnet.data.sources.source import Source
from linnet.data.sources.svmlight import Svmlight
from linnet.data.sources.table import TableSource
from linnet.data.targets import no_training_rows
from linnet.errors import RecipeError, option
from linnet.learners import catalogue
from linnet.learners.catalogue import Entry, Way
from linnet.learners.recipe import Reduction
from linnet.learners.regularisation import Regularisation
from linnet.model.plan import Plan as Plan
from linnet.pipeline.options import AUTO, TrainOptions

SEVERAL = "rows have several labels"
# Options that only classes have a use for.
FOR_CLASSES = {
    "priced": "costs and rejection are",
    "threshold_for": "a threshold is",
    "calibrate": "calibration is",
    "class_weight": "class weights are",
}


def features_of(source: Source, options: TrainOptions) -> tuple[Features, TaskChoice]:
    """The features, with schema and task, and why that task."""
    if isinstance(source, TableSource):
        sample = source.sample()
        target = target_column(options.target, source.names, source.header_hint(sample))
        if target is None and Role.TARGET not in options.roles.values():
            target = source.own_target
            if target is None:
                raise no_target(source.names, source.header_hint(sample))
        features, why = _of_table(source.names, sample, replace(options, target=target), given=source.own_roles)
        features.schema = replace(
            features.schema, labels=_kind_of_labels(source, source.layout.types[features.schema.target or ""])
        )
        strict = options.on_misfit is OnMisfit.ERROR
        source.select_columns(features.schema.columns_to_read(features.task, strict=strict))
        return features, why
    if isinstance(source, LabelledText | Folder):
        several = isinstance(source, LabelledText) and source.marked and _has_several(source, options)
        if isinstance(source, LabelledText) and several:
            source.several, options = True, replace(options, task=Task.CLASSIFICATION)
        names = ("file", TARGET, TEXT) if isinstance(source, Folder) else (TARGET, TEXT)
        given = {"file": Role.ID, TEXT: Role.TEXT} if isinstance(source, Folder) else {TEXT: Role.TEXT}
        features, why = _of_table(names, source.sample(), options, TARGET, given, typed=False)
        if not isinstance(source, LabelledText) or source.marked:  # names of folders, or fastText's labels
            features.schema = replace(features.schema, labels=LabelKind.SETS if several else LabelKind.TEXT)
        return features, TaskChoice(Task.CLASSIFICATION, SEVERAL) if several else why
    if options.target is not None or options.roles:
        raise RecipeError(
            f"{source.format} data carry their target and have no columns: leave --target and --column out"
        )
    if options.features.crosses or options.features.polynomial > 1:
        raise RecipeError(f"{source.format} data have no named columns to cross")
    if isinstance(source, Svmlight) and _has_several(source, options):
        source.several = True
        features = Features.numbered(Task.CLASSIFICATION, options=options.features)
        features.schema = replace(features.schema, labels=LabelKind.SETS)
        return features, TaskChoice(Task.CLASSIFICATION, SEVERAL)
    choice = _task_asked_for(options) or _task_of_targets(source.sample())
    features = Features.numbered(choice.task, options=options.features)
    if getattr(source, "booleans", False):
        features.schema = replace(features.schema, labels=LabelKind.BOOLEAN)
    return features, choice


def _has_several(source: LabelledText | Svmlight, options: TrainOptions) -> bool:
    """Whether rows have several labels: it was said, or one of the first has more than one."""
    if options.multiclass is not None or options.task is Task.REGRESSION:
        return options.multiclass is Reduction.EACH_LABEL
    return source.has_several()


def _task_asked_for(options: TrainOptions) -> TaskChoice | None:
    """The task that was given, or that the learner or an option is for; None if the target has to tell."""
    if options.task is not None:
        return TaskChoice(options.task, "given")
    if options.learner != AUTO:
        tasks = catalogue.find(options.learner).tasks
        if len(tasks) == 1:
            return TaskChoice(tasks[0], f"{options.learner} is for {tasks[0]}")
    asked = [what for name, what in FOR_CLASSES.items() if getattr(options, name)]
    return TaskChoice(Task.CLASSIFICATION, f"{asked[0]} for classification") if asked else None


def _kind_of_labels(source: TableSource, kind: Any) -> LabelKind:
    """Whether a format with types has labels as text, which stay text, or as booleans; of others the spelling tells."""
    if source.format in (Format.CSV, Format.TSV):
        return LabelKind.SPELT
    from linnet.data.sources.arrow import label_kind

    return label_kind(kind)


def _of_table(
    names: tuple[str, ...],
    sample: Block,
    options: TrainOptions,
    target: str | None = None,
    given: Mapping[str, Role] = MappingProxyType({}),
    *,
    typed: bool = True,
) -> tuple[Features, TaskChoice]:
    """The features of columns, seen by their first rows."""
    if not sample.rows:
        raise sample.bad[0].error() if sample.bad else no_training_rows()
    given = {**given, **options.roles}
    sample = _counted(sample, given)
    asked = _task_asked_for(options)
    known = GivenTypes(transforms.read_as(given), options.missing, options.dates, asked.task if asked else None)
    schema = infer_schema(sample, names, options.target or target, known, typed=typed)
    assert schema.target is not None
    choice = asked or task_of(sample, schema)
    if options.summary:  # its coefficients are of the columns that there are; a logarithm must be asked for
        given = {**dict.fromkeys(schema.having(Role.NUMBER), Role.NUMBER), **given}
    if typed:
        sample = typed_sample(sample, schema, choice.task)
    days = first_days(sample, schema)
    if not takes_numbers_as_they_are(options):
        logs, schema = transforms.chosen(schema, choice.task, sample, given)
        return Features.of(schema, choice.task, options.features, logs, days), choice
    if Role.LOG in given.values():
        raise RecipeError(f"{options.learner} takes numbers as they are, not their logarithms: make it number")
    return Features.of(schema, choice.task, options.features, first_days=days), choice


def _counted(sample: Block, given: Mapping[str, Role]) -> Block:
    """The rows whose weight is not 0, unless all are: others are as if they were not there."""
    column = sample.columns.get(next((name for name, role in given.items() if role is Role.WEIGHT), ""))
    if column is None:
        return sample
    values = (column.value(row) for row in range(sample.rows))
    kept = np.array([(number_in(value) if isinstance(value, str) else value) != 0 for value in values], dtype=bool)
    return sample.keep(kept) if kept.any() and not kept.all() else sample


def takes_numbers_as_they_are(options: TrainOptions) -> bool:
    """Whether the learner asked for takes counts, or numbers of a range, which logarithms would leave."""
    return options.learner != AUTO and catalogue.find(options.learner).values is not None


def _task_of_targets(sample: Block) -> TaskChoice:
    """The task of numbered data, by the targets of the first rows."""
    if not sample.rows:
        raise sample.bad[0].error() if sample.bad else no_training_rows()
    assert sample.targets is not None
    return task_of_numbers(sample.targets, labelled=True)


def learner_of(options: TrainOptions, task: Task) -> tuple[Entry | None, str]:
    """The learner asked for, and why; None for auto, which sees the data first."""
    if options.learner != AUTO:
        entry = catalogue.find(options.learner, task=task)
        if entry.way is not Way.ONLINE and (options.passes or options.checkpoint_every):
            what = "--passes" if options.passes else "--checkpoint-every"
            how = "counts the rows in one pass" if entry.way is Way.COUNTING else "sees all rows at once"
            raise RecipeError(f"{what} is for online learners; {entry.name} {how}")
        if options.summary and not entry.has_standard_errors:
            names = ", ".join(other.name for other in catalogue.entries() if other.has_standard_errors)
            raise RecipeError(f"{option('summary')} is not for {entry.name}: it is for {names}")
        options.winnowing.of(options.strength.of(entry))  # refused before anything is read
        return options.loss_parameters.of(entry), "the learner was given"
    if options.winnowing.given:
        raise RecipeError("--promotion and --winnow-threshold go with --learner winnow1, winnow2 or winnow: name one")
    if options.loss_parameters.given:
        raise RecipeError(
            "--power goes with --learner tweedie, --quantile with quantile, --epsilon with huber: name it"
        )
    if options.passes:
        return online_learner(task), "passes were asked for, which an online learner makes"
    if options.checkpoint_every or (options.resume and options.checkpoint and os.path.exists(options.checkpoint)):
        return online_learner(task), "it can be resumed: it learns as the rows come"
    if options.summary:
        return _penalised(options.strength, task)[0], "a summary is asked for, which is of a fit without a penalty"
    if options.strength.given:
        return _penalised(options.strength, task)
    return None, "chosen when the data are known"


def _penalised(strength: Regularisation, task: Task) -> tuple[Entry | None, str]:
    """The learner that auto takes where a penalty is given: None where that still depends on the data."""
    entry = next((each for each in catalogue.penalised(task) if strength.fits(each)), None)
    if entry is None:
        entry = strength.of(catalogue.penalised(task)[-1])  # refused, with the learners that take it
    if entry is catalogue.default(Way.BATCH, task) and task is Task.CLASSIFICATION:
        return None, "chosen when the data are known"
    return entry, "a penalty is asked for"


def online_learner(task: Task) -> Entry:
    """The default, where nothing is known of the data."""
    return catalogue.default(Way.ONLINE, task)


def learner_in_memory(task: Task, labels: int, options: TrainOptions, *, thin: bool) -> tuple[Entry, str]:
    """The learner for rows that are all in memory, and why; `thin` rows share few features."""
    many = catalogue.of_many_classes()
    probable = options.priced or options.sets_apart or options.summary
    if labels > catalogue.MANY_CLASSES and thin and not probable and options.strength.fits(many):
        why = (
            f"{labels:,} labels of sparse rows: time and memory grow with the classes that share features, not with all"
        )
        return many, why
    return catalogue.default(Way.BATCH, task), "the rows fit in memory, so the optimum can be found"
