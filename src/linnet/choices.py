"""Choices that commands and the code behind them know: without NumPy, which `linnet --help` has no time to load."""

from __future__ import annotations

from enum import StrEnum


class Task(StrEnum):
    """What is predicted: a class or a number."""

    CLASSIFICATION = "classification"
    REGRESSION = "regression"


class Method(StrEnum):
    """How scores become probabilities."""

    SIGMOID = "sigmoid"
    ISOTONIC = "isotonic"
