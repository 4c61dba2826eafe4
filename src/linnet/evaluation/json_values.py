"""Results as values that JSON can hold."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from enum import Enum, StrEnum
from typing import Any

from linnet.evaluation.intervals import Interval

# Lists of these are taken whole: the confusion matrix of thousands of classes has millions.
WHOLE = frozenset({bool, int, str})


def plain(value: Any) -> Any:
    """Lists, dictionaries, text and numbers; None for a number that is not finite."""
    if isinstance(value, Interval):
        return [plain(value.low), plain(value.high)]
    if hasattr(value, "to_plain"):
        return value.to_plain()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        found: dict[str, Any] = {}
        for field in dataclasses.fields(value):
            content = getattr(value, field.name)
            found[field.name] = plain(content)
            if isinstance(content, Interval) and content.reason:
                found[f"{field.name}_reason"] = content.reason
        return found
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, Enum):
        return str(value) if isinstance(value, StrEnum) else value.name.lower()
    if isinstance(value, list | tuple):
        if WHOLE.issuperset(map(type, value)):
            return list(value)
        return [plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
