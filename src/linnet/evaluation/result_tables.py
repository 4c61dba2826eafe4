"""Evaluation results as data frames, and in notebooks: a line for each metric, with its interval where there is one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from linnet.data.frames import Columns, as_frame
from linnet.evaluation.intervals import Interval
from linnet.notebook import card, table


def metric_columns(result: Any) -> Columns:
    """The metrics of a result by their names, with the ends of their intervals."""
    columns: Columns = {"metric": [], "value": [], "low": [], "high": []}
    names = {field.name for field in dataclasses.fields(result)}
    for name in (field.name for field in dataclasses.fields(result)):
        value = getattr(result, name)
        if type(value) not in (int, float):
            continue
        interval = getattr(result, f"{name}_interval") if f"{name}_interval" in names else None
        low, high = interval if isinstance(interval, Interval) else (None, None)
        for column, cell in zip(columns.values(), (name, value, low, high), strict=True):
            column.append(cell)
    return columns


def class_columns(classes: Sequence[Any]) -> Columns:
    """A line for each class: label, precision, recall, F1 and support."""
    return {
        name: [getattr(each, name) for each in classes] for name in ("label", "precision", "recall", "f1", "support")
    }


class MetricsShown:
    """What the results of all tasks share: a data frame of their metrics, and a table of them in a notebook."""

    rows: int

    @property
    def headline(self) -> str:
        raise NotImplementedError

    def frame(self) -> Any:
        """The metrics as a pandas data frame: `metric`, `value`, and `low` and `high`, the ends of its interval.

        A pyarrow table where pandas is not installed.
        """
        return as_frame(metric_columns(self))

    def _repr_html_(self) -> str:
        title = f"{self.headline} on {self.rows:,} rows"
        return card(title, [], table(metric_columns(self)), self._classes_html())

    def _classes_html(self) -> str:
        return ""


class ClassesShown(MetricsShown):
    """The same of results by label."""

    def _by_class(self) -> Sequence[Any]:
        raise NotImplementedError

    def per_class(self) -> Any:
        """A data frame with a line for each label: `precision`, `recall`, `f1`, and `support`, how many rows it has."""
        return as_frame(class_columns(self._by_class()))

    def _classes_html(self) -> str:
        columns = class_columns(self._by_class())
        return table(columns | {"label": [str(label) for label in columns["label"]]})
