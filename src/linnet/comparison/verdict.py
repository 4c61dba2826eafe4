"""The verdict on one data set: means with intervals, every pair of learners, one held-out set; and over several."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from linnet.comparison.compared_data import ComparedData
from linnet.comparison.conclusion import concluded, concluded_over_data
from linnet.comparison.contenders import Contender
from linnet.comparison.reasons import Reasons
from linnet.comparison.results import (
    ContenderResults,
    Cost,
    DataResults,
    Measured,
    Results,
    larger_is_better,
)
from linnet.comparison.row_losses import RowLosses
from linnet.comparison.splits import Splits
from linnet.comparison.trials import Trial, TrialSettings, tunable, unpacked
from linnet.evaluation.comparisons import compare_on_data_sets, compare_on_folds, compare_on_rows, score_interval
from linnet.evaluation.paired_comparison import McNemar, PairedComparison, RankComparison

Found = Mapping[str, Sequence[Trial]]


def verdict(
    data: ComparedData,
    contenders: Sequence[Contender],
    splits: Splits,
    found: Found,
    settings: TrialSettings,
    *,
    rope: float | None,
    confidence: float,
    reasons: Reasons | None = None,
) -> DataResults:
    """The results of one data set; `found` are the trials of each contender, by fold."""
    fraction = _test_fraction(splits)
    rows = RowLosses.of(data, splits, found, settings.metric)
    results = [_measured(each, found[each.name], settings, fraction, confidence, rows) for each in contenders]
    sign = 1.0 if larger_is_better(settings.metric) else -1.0

    def by_mean(each: ContenderResults) -> tuple[bool, float]:
        scores = _scores(each, settings.metric)
        return bool(each.failed), math.inf if scores is None else -sign * math.fsum(scores) / len(scores)

    results.sort(key=by_mean)
    made = DataResults(
        name=data.name,
        target=data.features.schema.target or "",
        task=data.task,
        rows=data.rows,
        features=len(data.features),
        classes=data.classes,
        metric=settings.metric,
        split=splits.way,
        folds=splits.folds,
        repeats=splits.repeats,
        contenders=tuple(results),
        pairs=_pairs(results, settings.metric, fraction, rope, confidence, rows),
        held_out=_held_out(data, results, splits, found),
        reasons=reasons,
        conclusion=(),
        held_out_fold=splits.held_out,
    )
    return replace(made, conclusion=concluded(made, confidence))


def over_data(data: Sequence[DataResults], confidence: float, rope: float | None) -> RankComparison | None:
    """The learners that have figures on all of several data sets, by their ranks."""
    means = [_signed_means(each) for each in data]
    names = [name for name in means[0] if all(name in each for each in means)]
    if len(data) < 2 or len(names) < 2:
        return None
    scores = [[each[name] for each in means] for name in names]
    return compare_on_data_sets(names, scores, metric=data[0].metric, rope=rope, confidence=confidence)


def costs_of(contenders: Sequence[Contender], found: Found) -> dict[str, Cost]:
    """What each contender took."""
    costs = {}
    for each in contenders:
        trials = [trial for trial in found[each.name] if not trial.failed]
        peaks = [trial.peak_bytes for trial in trials if trial.peak_bytes is not None]
        if trials:
            costs[each.name] = Cost(
                tuple(trial.fit_seconds for trial in trials),
                tuple(trial.predict_seconds for trial in trials),
                max(peaks) if peaks else None,
            )
    return costs


def with_conclusion(results: Results, rope: float | None) -> Results:
    """The results with what several data sets come to."""
    over = over_data(results.data, results.confidence, rope)
    return replace(results, over_data=over, conclusion=concluded_over_data(over))


def _test_fraction(splits: Splits) -> float:
    """n_test / (n_train + n_test); in time, where training grows, the mean over folds."""
    if splits.way != "in time":
        return 1.0 / splits.folds
    folds = [splits[number] for number in range(len(splits))]
    return math.fsum(len(each.test) / (len(each.train) + len(each.test)) for each in folds) / len(folds)


def _measured(
    contender: Contender,
    trials: Sequence[Trial],
    settings: TrialSettings,
    fraction: float,
    confidence: float,
    rows: RowLosses | None,
) -> ContenderResults:
    failed = next((each for each in trials if each.failed), None)
    tuned = settings.tuned and tunable(contender)
    if failed is not None or not trials:
        why = "it was not tried" if failed is None else failed.failed
        return ContenderResults(contender.name, contender.yardstick, tuned, _options(contender), (), failed=why)
    names = [name for name in trials[0].scores if all(name in each.scores for each in trials)]
    metrics = []
    factor = 1.0 if rows is None else rows.factor(contender.name)
    for name in names:
        scores = tuple(each.scores[name] for each in trials)
        interval = score_interval(scores, name, fraction, confidence, factor)
        metrics.append(Measured(name, scores, math.fsum(scores) / len(scores), interval))
    strengths = tuple(each.strength for each in trials if each.strength is not None)
    return ContenderResults(
        contender.name, contender.yardstick, tuned, _options(contender), tuple(metrics),
        strengths if len(strengths) == len(trials) else (),
    )  # fmt: skip


def _options(contender: Contender) -> dict[str, object]:
    """The options that were given, as JSON holds them."""
    kept = (bool, int, float, str, type(None))
    return {name: value if isinstance(value, kept) else repr(value) for name, value in contender.options.items()}


def _scores(contender: ContenderResults, metric: str) -> tuple[float, ...] | None:
    return next((each.scores for each in contender.metrics if each.metric == metric), None)


def _pairs(
    results: Sequence[ContenderResults],
    metric: str,
    fraction: float,
    rope: float | None,
    confidence: float,
    rows: RowLosses | None,
) -> tuple[PairedComparison, ...]:
    """Every pair, the better first."""
    sign = 1.0 if larger_is_better(metric) else -1.0
    scored = {each.name: scores for each in results if (scores := _scores(each, metric)) is not None}
    table = sign * np.array(list(scored.values())).reshape(len(scored), -1)
    return compare_on_folds(
        list(scored), table, metric=metric, test_fraction=fraction, rope=rope, confidence=confidence,
        variance_factors=None if rows is None else rows.factors(list(scored)),
    )  # fmt: skip


def _held_out(
    data: ComparedData, results: Sequence[ContenderResults], splits: Splits, found: Found
) -> tuple[McNemar, ...]:
    """McNemar's exact test of every pair of classifiers on one fold."""
    if data.labels is None:
        return ()
    truth = data.dataset.targets[splits[splits.held_out].test]
    tried = [each.name for each in results if not each.failed]
    right = [unpacked(found[name][splits.held_out].predicted) == truth for name in tried]
    return compare_on_rows(tried, np.array(right).reshape(len(tried), len(truth)))


def _signed_means(data: DataResults) -> dict[str, float]:
    """The mean of each contender by the metric, so that more is better."""
    sign = 1.0 if larger_is_better(data.metric) else -1.0
    scored = {each.name: _scores(each, data.metric) for each in data.contenders}
    return {name: sign * math.fsum(scores) / len(scores) for name, scores in scored.items() if scores is not None}
