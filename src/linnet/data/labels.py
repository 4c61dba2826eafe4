"""Labels and the small integers that stand for them; new labels may appear mid-stream."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError

LOOKED_AT_FIRST = 1024
TEXT = "USO"


class Labels:
    """The distinct labels seen so far, sorted, each with its place as its number."""

    def __init__(self, classes: Any = ()) -> None:
        self.classes: NDArray[Any] = np.unique(np.asarray(classes))

    def __len__(self) -> int:
        return len(self.classes)

    @classmethod
    def of(cls, y: NDArray[Any]) -> tuple[Labels, NDArray[np.float64]]:
        """The labels of y, and their numbers.

        Mostly there are two, and the first rows show them: then no sort of the whole is needed, and one look does.
        """
        few = np.unique(y[:LOOKED_AT_FIRST])
        if len(few) == 2:
            second = y == few[1]
            if (second | (y == few[0])).all():
                labels = cls()
                labels.classes = few
                return labels, second.astype(np.float64)
        labels = cls(y)
        return labels, labels.encode(y)

    def including(self, y: NDArray[Any]) -> Labels:
        """These labels and those of y."""
        if len(self) and (self.classes.dtype.kind in TEXT) != (y.dtype.kind in TEXT):
            kinds = ("numbers", "text") if y.dtype.kind in TEXT else ("text", "numbers")
            raise InputError(f"the labels were {kinds[0]} so far and are {kinds[1]} now: convert them to one kind")
        if len(self) and not len(np.setdiff1d(y, self.classes)):
            return self
        grown = Labels()
        grown.classes = np.union1d(self.classes, y) if len(self) else np.unique(y)
        return grown

    def encode(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """The number of each label, as the floating-point number that learners take for a target."""
        codes = np.searchsorted(self.classes, y)
        unknown = self.classes[np.minimum(codes, len(self) - 1)] != y
        if unknown.any():
            row = int(np.flatnonzero(unknown)[0])
            label = y[row : row + 1].tolist()[0]
            raise InputError(f"row {row} has the label {label!r}, which is none of the known classes")
        return codes.astype(np.float64)


def spelt_label(label: Any) -> str:
    """A label as it may be typed: 1 for 1.0 and +1."""
    text = str(label).strip()
    try:
        return f"{float(text):.17g}"
    except ValueError:
        return text
