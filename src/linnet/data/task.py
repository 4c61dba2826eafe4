"""What is predicted.  A light module: `linnet --help` must not load NumPy."""

from __future__ import annotations

from enum import StrEnum


class Task(StrEnum):
    """A class or a number."""

    CLASSIFICATION = "classification"
    REGRESSION = "regression"
