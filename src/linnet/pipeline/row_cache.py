"""Rows kept for later passes: in memory while there is room, then in a compact temporary file.

They are kept in chunks of a fixed number of rows, or fewer long ones, which depends on nothing but the rows: shuffling
is by chunks, and must not depend on how the input was cut.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows, take_rows
from linnet.errors import OutputError, option

# A chunk ends with the row that brings it to so many entries.
CHUNK_ENTRIES = 1 << 22


@dataclass(frozen=True, eq=False)
class CachedRows:
    """Rows with their targets (codes or numbers), weights (empty: 1 each), and the number of the first."""

    rows: Rows
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]
    first: int

    @property
    def nbytes(self) -> int:
        rows = self.rows
        return rows.values.nbytes + rows.ids.nbytes + rows.starts.nbytes + self.targets.nbytes + self.weights.nbytes

    def at(self, which: NDArray[np.int64]) -> CachedRows:
        """Some of the rows, which have no first number."""
        weights = self.weights[which] if len(self.weights) else self.weights
        return CachedRows(take_rows(self.rows, which), self.targets[which], weights, -1)

    def part(self, start: int, stop: int) -> CachedRows:
        """Rows start to stop - 1, without a copy."""
        rows = self.rows
        a, b = int(rows.starts[start]), int(rows.starts[stop])
        starts = rows.starts[start : stop + 1] - a
        cut = Rows(rows.values[a:b], rows.ids[a:b], starts, (stop - start, rows.shape[1]))
        weights = self.weights[start:stop] if len(self.weights) else self.weights
        return CachedRows(cut, self.targets[start:stop], weights, self.first + start)


class RowCache:
    """Chunks of equally many rows (fewer if they are long, and in the last), in the order they were added."""

    def __init__(self, memory: int, chunk_rows: int) -> None:
        self._room = memory
        self.chunk_rows = chunk_rows
        self._chunks: list[CachedRows | int] = []
        self._open: list[CachedRows] = []
        self._waiting = self._entries = 0
        self._file: IO[bytes] | None = None

    def __len__(self) -> int:
        return len(self._chunks) + bool(self._open)

    def append(self, kept: CachedRows) -> None:
        at, rows, starts = 0, len(kept.targets), kept.rows.starts
        while at < rows:
            full = int(np.searchsorted(starts, starts[at] + CHUNK_ENTRIES - self._entries))
            stop = min(rows, at + self.chunk_rows - self._waiting, full)
            self._open.append(kept.part(at, stop))
            self._waiting += stop - at
            self._entries += int(starts[stop] - starts[at])
            at = stop
            if self._waiting == self.chunk_rows or self._entries >= CHUNK_ENTRIES:
                self._put_away()

    def chunk(self, number: int) -> CachedRows:
        if number == len(self._chunks):
            return _joined(self._open)
        chunk = self._chunks[number]
        return self._read(chunk) if isinstance(chunk, int) else chunk

    def __iter__(self) -> Iterator[CachedRows]:
        return (self.chunk(number) for number in range(len(self)))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _put_away(self) -> None:
        """A full chunk goes to memory, or to the file once memory has been too small."""
        chunk = _joined(self._open)
        self._open, self._waiting, self._entries = [], 0, 0
        if chunk.nbytes <= self._room:
            self._room -= chunk.nbytes
            self._chunks.append(chunk)
            return
        self._room = 0
        try:
            self._chunks.append(self._written(chunk))
        except OSError as error:
            raise OutputError(
                f"cannot cache rows for later passes in {_folder()}: {error.strerror or error}; allow more "
                f"memory ({option('memory')}), or name another folder in the environment variable TMPDIR"
            ) from error

    def _written(self, chunk: CachedRows) -> int:
        """Where in the file the chunk is now."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="linnet-cache-")  # noqa: SIM115 - closed with the cache
        at = self._file.seek(0, os.SEEK_END)
        for array in _arrays(chunk):
            np.save(self._file, array, allow_pickle=False)
        return at

    def _read(self, offset: int) -> CachedRows:
        assert self._file is not None
        self._file.seek(offset)
        values, ids, starts, targets, weights, facts = (np.load(self._file, allow_pickle=False) for _ in range(6))
        if not len(values):
            values = np.ones(len(ids), dtype=np.float32)
        return CachedRows(Rows(values, ids, starts, (len(targets), int(facts[0]))), targets, weights, int(facts[1]))


def _folder() -> str:
    try:
        return tempfile.gettempdir()
    except FileNotFoundError:  # there is none, which may be the very error
        return "a folder for temporary files"


def _arrays(chunk: CachedRows) -> list[NDArray[Any]]:
    """The arrays of a chunk; values that are all 1, as of one-hot rows, take no room."""
    values = chunk.rows.values
    ones = values.dtype == np.float32 and bool((values == 1).all())
    return [
        values[:0] if ones else values,
        chunk.rows.ids,
        chunk.rows.starts,
        chunk.targets,
        chunk.weights,
        np.array([chunk.rows.shape[1], chunk.first]),
    ]


def _joined(parts: list[CachedRows]) -> CachedRows:
    if len(parts) == 1:
        return parts[0]
    offsets = np.cumsum([0] + [len(part.rows.ids) for part in parts[:-1]])
    starts = [part.rows.starts[:-1] + offset for part, offset in zip(parts, offsets, strict=True)]
    values = np.concatenate([part.rows.values for part in parts])
    ids = np.concatenate([part.rows.ids for part in parts])
    n = sum(len(part.targets) for part in parts)
    columns = max(part.rows.shape[1] for part in parts)
    rows = Rows(values, ids, np.concatenate([*starts, [len(ids)]]), (n, columns))
    targets = np.concatenate([part.targets for part in parts])
    weights = np.concatenate([part.weights for part in parts])
    return CachedRows(rows, targets, weights, parts[0].first)
