"""What happens to rows that cannot be read."""

from __future__ import annotations

from enum import StrEnum


class OnError(StrEnum):
    """Stop at the first, leave them out, or keep them apart."""

    FAIL = "fail"
    SKIP = "skip"
    QUARANTINE = "quarantine"
