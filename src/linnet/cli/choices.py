"""The choices that options offer: a light module, for `linnet --help` must not load what only work needs."""

from __future__ import annotations

from enum import StrEnum

from linnet.data.on_error import OnError as OnError
from linnet.data.sources.formats import Format as Format
from linnet.data.task import Task as Task
from linnet.decisions.method import Method as Method
from linnet.learners.recipe import Reduction as Reduction
from linnet.learners.strength import Kind as Penalty

__all__ = ["Format", "Method", "OnError", "Output", "Penalty", "Reduction", "Task"]


class Output(StrEnum):
    """How predictions are written."""

    CSV = "csv"
    JSONL = "jsonl"
    LABELS = "labels"
