"""Class labels and the codes 0, 1, 2, ... that stand for them in order; new labels may appear mid-stream."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError

FIRST_ROWS = 1024
# A label as results and JSON hold it.
Label = str | int | float | bool
TEXT = "USO"


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Sets of labels, numbered in the order of their first rows: set i has labels[starts[i]:starts[i + 1]], codes."""

    starts: NDArray[np.int64]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many labels each set has."""
        return np.diff(self.starts)

    @cached_property
    def _by_label(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The labels in order, and the set that each is in."""
        order = np.argsort(self.labels, kind="stable")
        return self.labels[order], np.repeat(np.arange(len(self)), self.sizes)[order]

    def having(self, code: int) -> NDArray[np.bool_]:
        """Which sets have the label of this code."""
        labels, sets = self._by_label
        has = np.zeros(len(self), dtype=bool)
        has[sets[np.searchsorted(labels, code) : np.searchsorted(labels, code, side="right")]] = True
        return has

    def with_new_labels(self) -> NDArray[np.bool_]:
        """Which sets have a label that none before them has."""
        new = np.zeros(len(self), dtype=bool)
        labels, sets = self._by_label
        new[sets[np.unique(labels, return_index=True)[1]]] = True
        return new

    def per_row(self, rows: Any) -> float:
        """How many labels a row has on average, where each set has this many rows."""
        return int(np.dot(self.sizes, rows)) / int(np.sum(rows))

    def indicator(self, numbers: NDArray[Any], classes: int) -> NDArray[np.bool_]:
        """(rows, classes): which labels the rows with these sets have."""
        which = numbers.astype(np.int64)
        sizes = self.sizes[which]
        begin = np.repeat(self.starts[which] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
        has = np.zeros((len(which), classes), dtype=bool)
        has[np.repeat(np.arange(len(which)), sizes), self.labels[begin + np.arange(len(begin))]] = True
        return has


class Labels:
    """The distinct labels seen so far, sorted; a label's code is its index.

    Where a row has several labels, or none, its target is the number of one of the `sets`.
    """

    def __init__(self, classes: Any = ()) -> None:
        self.classes: NDArray[Any] = np.unique(np.asarray(classes))
        self.sets: LabelSets | None = None

    @classmethod
    def in_order(cls, classes: NDArray[Any], sets: LabelSets | None = None) -> Labels:
        """These labels, which are distinct and have an order of their own."""
        labels = cls.__new__(cls)
        labels.classes = classes
        labels.sets = sets
        return labels

    def __len__(self) -> int:
        return len(self.classes)

    @classmethod
    def of(cls, y: NDArray[Any]) -> tuple[Labels, NDArray[np.float64]]:
        """The labels of y, and the code of each row.

        Two labels that the first rows show, the common case, are found without sorting all rows.
        """
        if len(y) <= FIRST_ROWS:
            found, codes = np.unique(y, return_inverse=True)
            return cls.in_order(found), codes.astype(np.float64)
        few = np.unique(y[:FIRST_ROWS])
        if len(few) == 2:
            second = y == few[1]
            if (second | (y == few[0])).all():
                return cls.in_order(few), second.astype(np.float64)
        labels = cls(y)
        return labels, labels.encode(y)

    def including(self, y: NDArray[Any]) -> Labels:
        """These labels and those of y."""
        if len(self) and (self.classes.dtype.kind in TEXT) != (y.dtype.kind in TEXT):
            kinds = ("numbers", "text") if y.dtype.kind in TEXT else ("text", "numbers")
            raise InputError(f"the labels were {kinds[0]} so far and are {kinds[1]} now: convert them to one type")
        if len(self) and not len(np.setdiff1d(y, self.classes)):
            return self
        grown = Labels()
        grown.classes = np.union1d(self.classes, y) if len(self) else np.unique(y)
        return grown

    def encode(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """The code of each label, as the floating-point target that learners take."""
        order = np.argsort(self.classes)
        codes = order[np.minimum(np.searchsorted(self.classes, y, sorter=order), len(self) - 1)]
        unknown = self.classes[codes] != y
        if unknown.any():
            row = int(np.flatnonzero(unknown)[0])
            label = y[row : row + 1].tolist()[0]
            raise InputError(f"row {row} has the label {label!r}, which is not one of the known classes")
        return codes.astype(np.float64)


def plain_label(label: Any) -> Label:
    """A label of any other type, such as a date, as its text."""
    return label if isinstance(label, Label) else str(label)


def label_text(label: Any) -> str:
    """A label as text, spelt the same for 1, 1.0 and +1, for True and true: labels typed by users are compared so."""
    text = str(label).strip()
    try:
        return f"{float(text):.17g}"
    except ValueError:
        return text.lower() if text.lower() in ("true", "false") else text
