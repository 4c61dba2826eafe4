"""The weights of the top features along a path of penalties, for pictures: means over the folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.feature_map import Features
from linnet.model.record import CoefficientPath, StrengthChoice

# Features whose path is kept, and the most weights that are held to find them (128 MB).
TOP = 20
MOST_WEIGHTS = 1 << 25


class MeanWeights:
    """The mean weights of the folds at each point; none, if they would be too many."""

    def __init__(self, weights: int) -> None:
        self._tables: list[NDArray[np.float32]] | None = [] if weights <= MOST_WEIGHTS else None

    def add(self, folds: Sequence[Any], at: int) -> None:
        """The weights of each fold at a new point, None for one without; `at` is its place among the others."""
        if self._tables is None:
            return
        if any(each is None for each in folds):
            known = next((each for each in folds if each is not None), None)
            if known is None and not self._tables:
                self._tables = None
                return
            shape = self._tables[-1].shape if known is None else known.shape
            self._tables.insert(at, np.full(shape, np.nan, dtype=np.float32))
            return
        total = np.array(folds[0], dtype=np.float64)
        for each in folds[1:]:
            total += each
        self._tables.insert(at, (total / len(folds)).astype(np.float32))

    def paths(
        self, choice: StrengthChoice, features: Features, deviations: NDArray[np.float64], outputs: Sequence[str]
    ) -> tuple[CoefficientPath, ...]:
        """Of the features whose contributions at the chosen point spread most; an output is named if there are
        several."""
        if not self._tables or self._tables[0].shape != (len(features), len(outputs)):
            return ()
        at = choice.tried.index(choice.value)
        spread = np.nan_to_num(np.abs(self._tables[at]) * deviations[:, np.newaxis]).reshape(-1)
        most = min(TOP, len(spread))
        top = np.argpartition(-spread, most - 1)[:most]
        top = top[np.lexsort((top, -spread[top]))]
        top = top[spread[top] > 0]
        rows, columns = np.divmod(top, len(outputs))
        values = np.array([table[rows, columns] for table in self._tables]) * deviations[rows]
        return tuple(
            CoefficientPath(name, outputs[column] if len(outputs) > 1 else "", tuple(map(float, each)))
            for name, column, each in zip(features.names_of(rows), columns.tolist(), values.T.tolist(), strict=True)
        )
