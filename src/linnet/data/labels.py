"""Class labels and the codes 0, 1, 2, ... that stand for them in order; new labels may appear mid-stream."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError

FIRST_ROWS = 1024
# A label as results and JSON hold it.
Label = str | int | float | bool
TEXT = "USO"


class Labels:
    """The distinct labels seen so far, sorted; a label's code is its index."""

    def __init__(self, classes: Any = ()) -> None:
        self.classes: NDArray[Any] = np.unique(np.asarray(classes))

    @classmethod
    def in_order(cls, classes: NDArray[Any]) -> Labels:
        """These labels, which are distinct and have an order of their own."""
        labels = cls.__new__(cls)
        labels.classes = classes
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
