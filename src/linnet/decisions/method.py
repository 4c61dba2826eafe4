"""How scores are calibrated. A light module: `linnet --help` must not load NumPy."""

from __future__ import annotations

from enum import StrEnum


class Method(StrEnum):
    """Platt's sigmoid, or an isotonic (rising step) function."""

    SIGMOID = "sigmoid"
    ISOTONIC = "isotonic"
