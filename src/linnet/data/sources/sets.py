"""Lists of values as strings: the elements of a set, each behind ELEMENT; so lists are read like any other text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.sources.block import Strings

# Comes before every element; a control character that text does not have.
ELEMENT = "\x1f"
MARK = ord(ELEMENT)


def set_text(elements: Iterable[str | None]) -> str:
    """A set as a string."""
    return "".join(ELEMENT + element.replace(ELEMENT, " ") for element in elements if element is not None)


def sets_of(elements: Strings, ends: NDArray[np.int64], missing: Any = None) -> Strings:
    """The sets of rows, whose elements end at these ones of all; a missing element is empty."""
    count = len(elements)
    starts = elements.starts - elements.starts[0]
    text = np.full(int(starts[-1]) + count, MARK, dtype=np.uint8)
    inside = np.ones(len(text), dtype=bool)
    inside[starts[:-1] + np.arange(count)] = False
    data = elements.data[elements.starts[0] : elements.starts[-1]]
    text[inside] = np.where(data == MARK, ord(" "), data)
    edges = np.concatenate([[0], ends])
    return Strings(text, (starts[edges] + edges).astype(np.int64), missing)


def elements_of(given: Strings) -> tuple[Strings, NDArray[np.int64]]:
    """The elements of all rows, and the row of each; a string that is not a set is one element."""
    starts = given.starts - given.starts[0]
    text = given.data[given.starts[0] : given.starts[-1]]
    filled = np.flatnonzero(np.diff(starts))
    alone = filled[text[starts[filled]] != MARK]
    if len(alone):
        text = np.insert(text, starts[alone], MARK)
        starts = starts + np.searchsorted(alone, np.arange(len(starts)), side="left")
    marks = np.flatnonzero(text == MARK)
    row = np.searchsorted(starts, marks, side="right") - 1
    lengths = np.append(marks[1:], len(text)) - marks - 1
    packed = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Strings(np.ascontiguousarray(text[text != MARK]), packed), row
