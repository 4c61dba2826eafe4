"""The role of a column. A light module: `linnet --help` must not load NumPy."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a column is for."""

    TARGET = "target"
    WEIGHT = "weight"
    ID = "id"
    NUMBER = "number"
    LOG = "log"
    CATEGORY = "category"
    TEXT = "text"
    SET = "set"
    FEATURES = "features"
    DATE = "date"
    IGNORE = "ignore"
