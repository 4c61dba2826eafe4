"""What becomes of a value that does not fit the type of its column.  A light module, as on_error.py."""

from __future__ import annotations

from enum import StrEnum


class OnMisfit(StrEnum):
    """The value is missing, and counted; or its row is one that cannot be read (on_error.py)."""

    MISSING = "missing"
    ERROR = "error"
