"""The task that a target calls for: classes, or a number to predict.  Whole numbers may be either: that is a guess."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.data.column_types import Kind
from linnet.data.features.schema import Schema
from linnet.data.features.schema_inference import sampled_numbers
from linnet.data.sources.block import Block, Strings
from linnet.data.task import Task

# Whole numbers with at most this many values, each in two rows or more, are classes.
FEW = 20
# Classes 0 to 9, or 1 to 10, are nothing to ask about.
EVIDENT = 10
# Classes are numbered from 0 or 1 (or -1) without many gaps: this fraction of the numbers in between is there.
FILLED = 0.8
# More classes than FEW have this many rows each on average, and the rarest this fraction of that.
ROWS_EACH, RAREST = 5, 0.1


class TaskChoice(NamedTuple):
    """A task, the reason for it, and whether it might as well be the other one."""

    task: Task
    reason: str
    guessed: bool = False


def task_of(sample: Block, schema: Schema) -> TaskChoice:
    """The task for the target of a sample."""
    target = schema.target or ""
    kind, column = schema.type_of(target), sample.columns[target]
    if kind.kind in (Kind.STRING, Kind.BOOLEAN):
        return TaskChoice(Task.CLASSIFICATION, "the target is text")
    assert isinstance(column, Strings)
    if kind.kind is Kind.DATE:
        return TaskChoice(Task.REGRESSION, "the target is a date, and predicted in seconds since 1970")
    return task_of_numbers(sampled_numbers(column, kind, schema.missing))


def task_of_numbers(values: NDArray[np.float64], *, labelled: bool = False) -> TaskChoice:
    """The task for these targets of the first rows; `labelled` are those of formats that number their labels.

    Counts and measures have rare values at their ends, and begin anywhere; numbered classes do not.  In svmlight,
    where a label can only be a number, whole numbers that are numbered like classes are taken for such, rare or not.
    """
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    k, n = len(distinct), int(counts.sum())
    if (distinct != np.floor(distinct)).any():
        return TaskChoice(Task.REGRESSION, "the target has fractions")
    if k <= 2:
        what = ("no number", "one whole number only", "two different whole numbers")[k]
        return TaskChoice(Task.CLASSIFICATION, f"the target has {what}")
    each = n / k
    reason = f"the target has {k} different whole numbers in the first {n:,} rows"
    numbered = -1 <= distinct[0] <= 1 and k >= FILLED * (distinct[-1] - distinct[0] + 1)
    if k <= FEW:
        if each < 2:
            return TaskChoice(Task.REGRESSION, reason, guessed=True)
        return TaskChoice(Task.CLASSIFICATION, reason, guessed=not numbered or k > EVIDENT)
    if not numbered:
        return TaskChoice(Task.REGRESSION, reason)
    even = each >= ROWS_EACH and counts.min() >= RAREST * each
    return TaskChoice(
        Task.CLASSIFICATION if even or (labelled and each >= 2) else Task.REGRESSION, reason, guessed=True
    )
