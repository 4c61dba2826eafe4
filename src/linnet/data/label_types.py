"""The values that labels stand for: integers, floats, booleans or text, from how files and tables have them.

Labels are read as strings, so that every format means the same classes.  What they stand for can be decided only when
all of them are known; their order cannot wait so long, for a stream adds classes as it meets them.  So numbers come
first, by value, and other labels follow by their letters: a label that comes later never changes the order of others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

INTEGER = re.compile(r"0|[+-]?[1-9]\d{0,17}")
BOOLEANS = ({"false", "true"}, {"False", "True"}, {"FALSE", "TRUE"})
TRUE, FALSE = "true", "false"
# Up to here floats hold integers exactly.
EXACT_INTEGERS = 2**53


class LabelKind(StrEnum):
    """How the type of labels is known: by their spelling, or because the data have them as text, or as booleans."""

    SPELT = "spelt"
    TEXT = "text"
    BOOLEAN = "boolean"
    SETS = "sets"


def in_label_order(labels: Sequence[Any]) -> list[Any]:
    """Distinct labels, all strings or all numbers, in the order of their classes."""
    return sorted(labels, key=_rank)


def _rank(label: Any) -> tuple[int, float, str]:
    if not isinstance(label, str):
        return 0, label, ""
    number = number_of(label)
    return (1, 0, label) if number is None else (0, number, label)


def number_of(label: str) -> int | float | None:
    """The number that a label spells as it would be printed; None for any other text, such as 01 or 1.10."""
    if INTEGER.fullmatch(label):
        return int(label)
    try:
        number = float(label)
    except ValueError:
        return None
    return number if math.isfinite(number) and repr(number) == label else None


def typed(classes: Sequence[Any], kind: LabelKind) -> NDArray[Any]:
    """All labels, in the order of their classes, as the values they stand for: of one type, or else text.

    Labels of different spelling stay different: where two of them are the same number, all are text.
    """
    labels = list(classes)
    if kind is LabelKind.BOOLEAN and {str(label).lower() for label in labels} <= {"0", "1", TRUE, FALSE}:
        return np.array([str(label).lower() in ("1", TRUE) for label in labels])
    if kind is LabelKind.TEXT or not all(isinstance(label, str) for label in labels):
        return np.array(labels)
    if any(set(labels) <= spelt for spelt in BOOLEANS):
        return np.array([label.lower() == TRUE for label in labels])
    numbers = [number_of(label) for label in labels]
    found = [number for number in numbers if number is not None]
    if len(found) < len(labels) or len(set(found)) < len(labels):
        return np.array(labels)
    if all(isinstance(number, int) for number in found):
        return np.array(found, dtype=np.int64)
    return np.array(found if all(abs(number) <= EXACT_INTEGERS for number in found) else labels)


def kind_of(classes: Sequence[Any]) -> LabelKind:
    """How labels are to be read so that they stand for these values."""
    if all(isinstance(label, bool) for label in classes):
        return LabelKind.BOOLEAN
    return LabelKind.TEXT if all(isinstance(label, str) for label in classes) else LabelKind.SPELT


def key_of(label: Any) -> Any:
    """What labels of known classes are compared by, spelt by a file or as values: +1, 1 and "1"; TRUE and True."""
    if isinstance(label, bool) or (isinstance(label, str) and label.lower() in (TRUE, FALSE)):
        return str(label).lower()
    number = number_of(label) if isinstance(label, str) else label
    return label if number is None else number
