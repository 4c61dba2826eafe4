"""Arrays in memory: (X, y), sparse or dense."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.data.sources.block import Block, Position
from linnet.data.sources.sampling import SAMPLE
from linnet.errors import InputError

ROWS = 8192


class Arrays:
    """Rows of X with targets y, as if read from a file of numbered columns."""

    format = "arrays"
    size = None
    reopenable = True
    paths: list[str] = []  # noqa: RUF012 - never changed

    def __init__(
        self, X: Any, targets: NDArray[np.float64], *, booleans: bool = False, chunk_size: int | None = None
    ) -> None:
        self._X = X
        self._targets = targets
        self.booleans = booleans
        self._rows = chunk_size or ROWS

    @classmethod
    def of(cls, X: Any, y: Any, *, chunk_size: int | None = None) -> Arrays:
        from scipy.sparse import csr_array

        rows = Rows.of(X)
        rows.check_finite()
        targets = np.asarray(y)
        if targets.dtype.kind not in "biuf":
            raise InputError("y must hold numbers; for labels of text, use a data frame and name its target column")
        if len(targets) != rows.shape[0]:
            raise InputError(f"{rows.shape[0]} rows but {len(targets)} targets")
        if not np.isfinite(targets).all():
            raise InputError("y contains missing or infinite values: drop those rows")
        booleans = targets.dtype.kind == "b"
        return cls(csr_array(rows.matrix()), targets.astype(np.float64), booleans=booleans, chunk_size=chunk_size)

    @property
    def columns(self) -> int:
        return int(self._X.shape[1])

    def fingerprint(self) -> list[dict[str, Any]]:
        raise InputError("arrays in memory cannot be checked for changes: to resume, train on files")

    def sample(self) -> Block:
        """The targets of the first rows."""
        return Block("arrays", min(SAMPLE.rows, len(self._targets)), Position(), targets=self._targets[: SAMPLE.rows])

    def hashed_again(self, _: Position) -> Iterator[bytes]:
        return iter(())  # nothing is resumed from memory

    def chunks(self, start: Position) -> Iterator[tuple[int, Any]]:
        for first in range(start.offset, self._X.shape[0], self._rows):
            yield first, self._X[first : first + self._rows]

    def parse(self, chunk: tuple[int, Any]) -> Block:
        first, X = chunk
        n = X.shape[0]
        lines = np.arange(first + 1, first + n + 1)
        after = Position(0, first + n)
        targets = self._targets[first : first + n]
        return Block("arrays", n, after, X.data.nbytes, sparse=Rows.of(X), targets=targets, lines=lines)
