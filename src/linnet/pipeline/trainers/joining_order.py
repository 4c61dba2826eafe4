"""JoiningOrder: which classes take part, and under which numbers, while the labels of a block appear one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Labels
from linnet.data.targets import LabelIndex


@dataclass(frozen=True, eq=False)
class JoiningOrder:
    """All labels of a stream so far in the order of their classes, and the class of each by its number of
    appearance."""

    labels: Labels
    classes: NDArray[np.int64]

    @classmethod
    def of(cls, index: LabelIndex) -> JoiningOrder:
        labels = index.order()
        return cls(labels, labels.encode(np.array(list(index.labels))).astype(np.int64))

    def first(self, several: int, appeared: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The classes of the labels that appeared first, in order, and the number among them of each row's label."""
        taking_part = np.sort(self.classes[:several])
        return taking_part, np.searchsorted(taking_part, self.classes[appeared]).astype(np.float64)
