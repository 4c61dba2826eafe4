"""The choices that options offer: a light module, for `linnet --help` must not load what only work needs."""

from __future__ import annotations

from enum import StrEnum

from linnet.choices import Method as Method
from linnet.choices import Task as Task
from linnet.learners.recipe import Reduction as Reduction
from linnet.learners.strength import Kind as Penalty
from linnet.pipeline.policy import OnError as OnError
from linnet.sources.formats import Format as Format

__all__ = ["Format", "Method", "OnError", "Output", "Penalty", "Reduction", "Task"]


class Output(StrEnum):
    """How predictions are written."""

    CSV = "csv"
    JSONL = "jsonl"
    LABELS = "labels"
