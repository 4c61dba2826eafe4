"""The calibration methods, in a module without NumPy, which `linnet --help` must not load."""

from __future__ import annotations

from enum import StrEnum


class Method(StrEnum):
    """Platt's sigmoid, or an isotonic (non-decreasing) function."""

    SIGMOID = "sigmoid"
    ISOTONIC = "isotonic"
