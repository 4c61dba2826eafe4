"""What sources yield: blocks of columns or of sparse rows, where each row came from, and what could not be read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows, rows_at
from linnet.data.sources.records import Records
from linnet.errors import InputError

NO_LINES = np.empty(0, dtype=np.int64)

# What stands for a value that is not there.
NOT_GIVEN = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A")


@dataclass(frozen=True, order=True)
class Position:
    """Where a block begins: file number, byte offset within it (decompressed; row group, file) and its line."""

    file: int = 0
    offset: int = 0
    line: int = 1


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be read: the place (column in bytes, from 1), the reason, and its own bytes.

    Where a whole file is a row, its bytes are those of its path.
    """

    path: str
    line: int
    column: int | None
    reason: str
    raw: bytes = field(default=b"", repr=False)

    def __str__(self) -> str:
        place = [self.path, str(self.line)] + ([str(self.column)] if self.column else [])
        return f"{':'.join(place)}: {self.reason}"

    def error(self) -> InputError:
        return InputError(str(self))


@dataclass(frozen=True, eq=False)
class Strings:
    """n strings in one buffer: string i is data[starts[i]:starts[i + 1]], UTF-8; `missing` marks those not given."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    missing: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def of(cls, strings: list[str]) -> Strings:
        try:
            encoded = [string.encode() for string in strings]
        except UnicodeEncodeError as error:
            raise InputError(
                f"a text holds half of a surrogate pair, which is no character: {error.object!r}"
            ) from None
        starts = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(each) for each in encoded], out=starts[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), starts)

    def bytes_of(self, row: int) -> bytes:
        return self.data[self.starts[row] : self.starts[row + 1]].tobytes()

    def keep(self, which: NDArray[np.bool_]) -> Strings:
        lengths = np.diff(self.starts)
        kept = np.repeat(which, lengths)
        starts = np.concatenate([[0], np.cumsum(lengths[which])]).astype(np.int64)
        data = self.data[self.starts[0] : self.starts[-1]][kept]
        return Strings(data, starts, None if self.missing is None else self.missing[which])

    def strings(self) -> list[str]:
        raw, starts = self.data.tobytes(), self.starts.tolist()
        return [raw[a:b].decode() for a, b in pairwise(starts)]

    def value(self, row: int) -> str | None:
        return None if self.missing is not None and self.missing[row] else self.bytes_of(row).decode()


@dataclass(frozen=True, eq=False)
class Numbers:
    """n numbers; NaN where one is missing."""

    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    def keep(self, which: NDArray[np.bool_]) -> Numbers:
        return Numbers(self.values[which])

    def value(self, row: int) -> float | None:
        value = float(self.values[row])
        return None if np.isnan(value) else value


Column = Strings | Numbers


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of a source: by columns, or sparse with a number as target each."""

    path: str
    rows: int
    after: Position
    read: int = 0
    columns: Mapping[str, Column] = field(default_factory=dict)
    sparse: Rows | None = None
    targets: NDArray[np.float64] | None = None
    lines: NDArray[np.int64] = field(default_factory=lambda: NO_LINES)
    bad: tuple[BadRow, ...] = ()
    records: Records | None = None

    def keep(self, which: NDArray[np.bool_]) -> Block:
        """Only these rows, and no complaints."""
        return replace(
            self,
            rows=int(which.sum()),
            columns={name: column.keep(which) for name, column in self.columns.items()},
            sparse=None if self.sparse is None else rows_at(self.sparse, np.flatnonzero(which)),
            targets=None if self.targets is None else self.targets[which],
            lines=self.lines[which] if len(self.lines) else self.lines,
            records=None if self.records is None else self.records.keep(which),
            bad=(),
        )

    def place(self, row: int) -> str:
        """Where this row stands, as file:line."""
        return f"{self.path}:{self.lines[row]}" if len(self.lines) else f"{self.path}: row {row + 1}"

    def refused(self, row: int, reason: str, column: int | None = None) -> BadRow:
        """A complaint about a row that was read but cannot be used."""
        line = int(self.lines[row]) if len(self.lines) else row + 1
        return BadRow(self.path, line, column, reason, self.raw(row))

    def raw(self, row: int) -> bytes:
        """The row as it stands in its file, or as JSON if that is no text; a sparse one as svmlight has it."""
        if self.records is not None:
            return self.records.raw(row)
        if self.sparse is not None and self.targets is not None:
            entries = slice(self.sparse.starts[row], self.sparse.starts[row + 1])
            pairs = zip(self.sparse.ids[entries].tolist(), self.sparse.values[entries].tolist(), strict=True)
            return " ".join([f"{self.targets[row]:.17g}", *(f"{j}:{x:.9g}" for j, x in pairs)]).encode()
        return json.dumps({name: column.value(row) for name, column in self.columns.items()}).encode()
