"""A comparison from end to end: data sets are read one after the other, every contender is tried on every fold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linnet.comparison import compared_data, splits
from linnet.comparison.compared_data import ComparedData
from linnet.comparison.contenders import check_yardsticks, defaults
from linnet.comparison.options import CONFIDENCE, CompareOptions
from linnet.comparison.partial_results import PartialResults
from linnet.comparison.predictions import checked_metric
from linnet.comparison.results import Costs, DataResults, Results
from linnet.comparison.results_file import costs_path, partial_path, save
from linnet.comparison.splits import Splits
from linnet.comparison.trial_run import TrialRun
from linnet.comparison.trials import TrialSettings
from linnet.comparison.verdict import costs_of, verdict, with_conclusion
from linnet.cores import cores
from linnet.data.sources.opening import open_data
from linnet.data.sources.source import Source
from linnet.errors import InputError, RecipeError
from linnet.errors import option as spelt
from linnet.pipeline.option_checks import check
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.services import Services
from linnet.storage.outputs import check_no_input, claimed


@dataclass(frozen=True, eq=False)
class DataSet:
    """A data set by the name that results give it; without a target, that of all."""

    name: str
    data: Any
    target: str | None = None


def compare(
    data_sets: Sequence[DataSet],
    options: TrainOptions,
    asked: CompareOptions,
    output: str | None = None,
    services: Services | None = None,
) -> Results:
    """Compare learners, and save the results if an output is named; `options` are those of reading and features."""
    services = Services() if services is None else services
    check(options)
    _check(data_sets, asked, output)
    sources = [(each, open_data(each.data, _of(each, options).form)) for each in data_sets]
    with _outputs([source for _, source in sources], output):
        compared = {
            "data": [each.name for each in data_sets],
            "reading": _recorded(options),
            "options": asked.recorded(),
            "seed": options.seed,
        }
        kept = PartialResults(None if output is None else partial_path(output), compared, resume=asked.resume)
        with kept.open():
            made = [_one_data_set(each, source, _of(each, options), asked, kept, services) for each, source in sources]
        results = Results(
            tuple(data for data, _ in made),
            options.seed,
            CONFIDENCE,
            options={**asked.recorded(), "reading": _recorded(options)},
            costs=Costs({data.name: costs for data, costs in made}),
        )
        results = with_conclusion(results, asked.rope)
        if output is not None:
            save(results, output)
            kept.remove()
    return results


def _check(data_sets: Sequence[DataSet], asked: CompareOptions, output: str | None) -> None:
    if not data_sets:
        raise RecipeError("there is nothing to compare on: name files of data")
    names = [each.name for each in data_sets]
    if len(set(names)) < len(names):
        raise RecipeError(f"two data sets have the same name, {max(names, key=names.count)!r}: name each differently")
    check_yardsticks(asked.named)
    if asked.resume and output is None:
        raise RecipeError(f"{spelt('resume')} needs the results that a run was to write: name them with -o")


def _of(data_set: DataSet, options: TrainOptions) -> TrainOptions:
    return options if data_set.target is None else replace(options, target=data_set.target)


def _recorded(options: TrainOptions) -> dict[str, Any]:
    """The options of reading that are not the defaults, as JSON holds them."""
    usual = TrainOptions().recorded()
    return {name: value for name, value in options.recorded().items() if value != usual[name] and name != "seed"}


@contextmanager
def _outputs(sources: Sequence[Source], output: str | None) -> Iterator[None]:
    """The files that a run writes: none of them is an input, and all are this run's."""
    if output is None:
        yield
        return
    named = {"the results": output, "the costs": costs_path(output), "the partial results": partial_path(output)}
    check_no_input(named, (path for source in sources for path in source.paths))
    with claimed(named.values()):
        yield


def _one_data_set(
    each: DataSet,
    source: Source,
    options: TrainOptions,
    asked: CompareOptions,
    kept: PartialResults,
    services: Services,
) -> tuple[DataResults, Any]:
    data = compared_data.read(each.name, source, options, asked, services)
    kept.begin(data.name, data.identity())
    contenders = asked.named or defaults(data.task, many_a_row=data.features.many_a_row)
    if len(contenders) < 2:
        raise RecipeError(f"{spelt('learners')} names one learner: name two or more to compare them")
    settings = TrialSettings(checked_metric(asked.metric, data.labels), asked.tuned, options.seed)
    folds = _splits(data, asked, options.seed)
    run = TrialRun(data, contenders, folds, settings, kept, services)
    found = run.all(asked.jobs or cores())
    if all(trial.failed for tried in found.values() for trial in tried):
        first = contenders[0].name
        raise InputError(f"{data.name}: no learner can be trained on these data; {first}: {found[first][0].failed}")
    reasons = run.reasons(found, asked.jobs or cores()) if asked.reasons else None
    made = verdict(data, contenders, folds, found, settings, rope=asked.rope, confidence=CONFIDENCE, reasons=reasons)
    return made, costs_of(contenders, found)


def _splits(data: ComparedData, asked: CompareOptions, seed: int) -> Splits:
    units = splits.units_of(data.prints, data.groups)
    if data.times is not None:
        return splits.in_time(units, data.times, asked.folds)
    codes = data.dataset.targets if data.labels is not None else np.zeros(data.rows)
    way = "grouped" if data.groups is not None else "stratified" if data.labels is not None else "random"
    return splits.stratified(units, codes, asked.folds, asked.repeats, seed, way)
