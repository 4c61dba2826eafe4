"""Tables for Python: pandas data frames where pandas is installed, else Arrow tables."""

from __future__ import annotations

from typing import Any

Columns = dict[str, list[Any]]


def as_frame(columns: Columns) -> Any:
    """Columns of equal length as a pandas data frame, or as a pyarrow table where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        return as_arrow(columns)
    return pandas.DataFrame(columns)


def as_arrow(columns: Columns) -> Any:
    """The same as an Arrow table, in which a column of values of several types is of text."""
    import pyarrow

    return pyarrow.table({name: pyarrow.array(_one_type(values)) for name, values in columns.items()})


def _one_type(values: list[Any]) -> list[Any]:
    if len({type(value) for value in values if value is not None}) <= 1:
        return values
    return [None if value is None else written(value) for value in values]


def written(value: Any) -> str:
    """A value as a user would write it."""
    return f"{value:.10g}" if isinstance(value, float) else str(value)
