"""The results of a comparison as data frames and in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linnet.data.frames import Columns
from linnet.notebook import card, folded, table

if TYPE_CHECKING:
    from linnet.comparison.results import DataResults, Results


def score_columns(results: Results) -> Columns:
    """A line for every data set, learner and metric: the mean over the folds with its interval."""
    names = ("data", "learner", "yardstick", "tuned", "metric", "mean", "low", "high", "folds")
    columns: Columns = {name: [] for name in names}
    for data in results.data:
        for contender in data.contenders:
            for each in contender.metrics:
                head = (data.name, contender.name, contender.yardstick, contender.tuned)
                cells = (*head, each.metric, each.mean, *each.interval, len(each.scores))
                for column, cell in zip(columns.values(), cells, strict=True):
                    column.append(cell)
    return columns


def fold_columns(results: Results) -> Columns:
    """A line for every data set, learner, metric and fold."""
    columns: Columns = {name: [] for name in ("data", "learner", "metric", "repeat", "fold", "score")}
    for data in results.data:
        for contender in data.contenders:
            for each in contender.metrics:
                for number, score in enumerate(each.scores):
                    repeat, fold = divmod(number, max(data.folds, 1))
                    cells = (data.name, contender.name, each.metric, repeat, fold, score)
                    for column, cell in zip(columns.values(), cells, strict=True):
                        column.append(cell)
    return columns


def pair_columns(results: Results) -> Columns:
    """A line for every data set and pair of learners: the difference of their scores, and what is known of it."""
    names = ("data", "first", "second", "difference", "low", "high", "p_value", "adjusted_p_value", "effect_size")
    columns: Columns = {name: [] for name in (*names, "better", "equivalent", "worse")}
    for data in results.data:
        for pair in data.pairs:
            head = (data.name, pair.first, pair.second, pair.difference, *pair.interval, pair.p_value)
            posterior = (pair.posterior.better, pair.posterior.equivalent, pair.posterior.worse)
            cells = (*head, pair.adjusted_p_value, pair.effect_size, *posterior)
            for column, cell in zip(columns.values(), cells, strict=True):
                column.append(cell)
    return columns


def results_card(results: Results) -> str:
    """The conclusions, the scores by the metric that decides, and the pairs."""
    names = ", ".join(data.name for data in results.data)
    words = [("", line) for line in results.conclusion]
    pairs = pair_columns(results)
    folds = [folded("pairs of learners", table(pairs))] if pairs["first"] else []
    return card(f"comparison on {names}", words, *(data_card(data) for data in results.data), *folds)


def data_card(data: DataResults) -> str:
    """One data set."""
    columns: Columns = {"learner": [], data.metric: [], "low": [], "high": []}
    for contender in data.contenders:
        measured = next((each for each in contender.metrics if each.metric == data.metric), None)
        figures = (None, None, None) if measured is None else (measured.mean, *measured.interval)
        name = f"{contender.name} (failed: {contender.failed})" if contender.failed else contender.name
        for column, cell in zip(columns.values(), (name, *figures), strict=True):
            column.append(cell)
    title = f"{data.name}: {data.rows:,} rows, {data.folds} folds × {data.repeats}"
    return card(title, [("", line) for line in data.conclusion], table(columns))
