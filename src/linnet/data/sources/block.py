"""What sources yield: blocks of columns or of sparse rows, the location of each row, and the rows that are bad."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from linnet.data.findings import Misfits
from linnet.data.missing_markers import BLANKS, MARKERS, normal
from linnet.data.on_error import BadRow, Note
from linnet.data.rows import Rows, take_rows
from linnet.data.sources.records import Records
from linnet.errors import InputError
from linnet.kernels.numbers import read_numbers

NO_LINES = np.empty(0, dtype=np.int64)


def number_in(text: str) -> float | None:
    """The number that a text spells, as Python reads it but for underscores; NaN where the value is missing."""
    if normal(text) in MARKERS:
        return float("nan")
    text = text.strip(BLANKS)
    try:
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None


@dataclass(frozen=True, order=True)
class Position:
    """Where a block begins: file number, offset in it (decompressed byte, row group or row) and line.

    `rows` are the usable rows of the chunk there that come before the block: not 0 if a chunk is used in parts.
    `seen` is the running hash (kernels/content_hash.py) of all that was read before; None where nobody asks for it.
    """

    file: int = 0
    offset: int = 0
    line: int = 1
    rows: int = 0
    seen: bytes | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Strings:
    """n strings in one buffer: string i is data[starts[i]:starts[i + 1]], UTF-8; `missing` masks missing values.

    A category that is one of the `markers` (missing_markers.py) is missing as well.
    """

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    missing: NDArray[np.bool_] | None = None
    markers: frozenset[str] = MARKERS

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def of(cls, strings: list[str]) -> Strings:
        try:
            encoded = [string.encode() for string in strings]
        except UnicodeEncodeError as error:
            raise InputError(
                f"a text contains half of a surrogate pair, which is not a character: {error.object!r}"
            ) from None
        starts = np.fromiter(accumulate(map(len, encoded), initial=0), np.int64, len(encoded) + 1)
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), starts)

    @classmethod
    def none(cls, count: int) -> Strings:
        """This many missing values."""
        return cls(np.empty(0, dtype=np.uint8), np.zeros(count + 1, dtype=np.int64), np.ones(count, dtype=bool))

    @cached_property
    def numbers(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The numbers that they spell, as programs write them, and which spell none; of a sample, asked for often."""
        starts = np.ascontiguousarray(self.starts)
        values, faults = read_numbers(self.data, starts[:-1], starts[1:])
        wrong = faults != 0
        if self.missing is not None:
            wrong |= self.missing
        return values, wrong

    def bytes_of(self, row: int) -> bytes:
        return self.data[self.starts[row] : self.starts[row + 1]].tobytes()

    def keep(self, which: NDArray[np.bool_]) -> Strings:
        lengths = np.diff(self.starts)
        kept = np.repeat(which, lengths)
        starts = np.concatenate([[0], np.cumsum(lengths[which])]).astype(np.int64)
        data = self.data[self.starts[0] : self.starts[-1]][kept]
        return Strings(data, starts, None if self.missing is None else self.missing[which], self.markers)

    def each_bytes(self) -> list[bytes]:
        raw = self.data.tobytes()
        return [raw[a:b] for a, b in pairwise(self.starts.tolist())]

    def strings(self) -> list[str]:
        return [raw.decode() for raw in self.each_bytes()]

    def value(self, row: int) -> str | None:
        return None if self.missing is not None and self.missing[row] else self.bytes_of(row).decode()


@dataclass(frozen=True, eq=False)
class Numbers:
    """n numbers; NaN is a missing value.  `finite`: it is known that none is missing, or infinite."""

    values: NDArray[np.float64]
    finite: bool = False

    @property
    def all_there(self) -> bool:
        """Whether none is missing, or infinite: False also where their sum is too large to tell."""
        return self.finite or self._all_there

    @cached_property
    def _all_there(self) -> bool:
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.isfinite(self.values.sum()))

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
    """Some rows of a source: columns by name, or sparse rows with a numeric target each."""

    path: str
    rows: int
    after: Position
    read: int = 0
    columns: Mapping[str, Column] = field(default_factory=dict)
    sparse: Rows | None = None
    targets: NDArray[np.float64] | None = None
    lines: NDArray[np.int64] = field(default_factory=lambda: NO_LINES)
    bad: tuple[BadRow, ...] = ()
    misfits: tuple[Misfits, ...] = ()
    # of each bad row, how many rows are before it, where lines do not tell
    bad_before: tuple[int, ...] = ()
    records: Records | None = None
    notes: tuple[Note, ...] = ()

    def keep(self, which: NDArray[np.bool_]) -> Block:
        """Only these rows, without the lists of bad ones and of values that do not fit."""
        return replace(
            self,
            rows=int(which.sum()),
            columns={name: column.keep(which) for name, column in self.columns.items()},
            sparse=None if self.sparse is None else take_rows(self.sparse, np.flatnonzero(which)),
            targets=None if self.targets is None else self.targets[which],
            lines=self.lines[which] if len(self.lines) else self.lines,
            records=None if self.records is None else self.records.keep(which),
            bad=(),
            misfits=(),
            bad_before=(),
        )

    def part(self, start: int, stop: int) -> Block:
        """These rows; what the block read and what was wrong with it come with the first."""
        if (start, stop) == (0, self.rows):
            return self
        which = np.zeros(self.rows, dtype=bool)
        which[start:stop] = True
        part = self.keep(which)
        if start:
            return replace(part, read=0, notes=())
        return replace(part, bad=self.bad, bad_before=self.bad_before, misfits=self.misfits)

    def location(self, row: int) -> str:
        """Where this row is, as file:line."""
        if not self.path:
            return f"row {row + 1}"
        return f"{self.path}:{self.lines[row]}" if len(self.lines) else f"{self.path}: row {row + 1}"

    def bad_row(self, row: int, reason: str, column: int | None = None) -> BadRow:
        """A row that was read but cannot be used."""
        line = int(self.lines[row]) if len(self.lines) else row + 1
        offset = None if self.records is None else int(self.records.starts[row])
        return BadRow(self.path, line, column, reason, self.raw(row), offset)

    def raw(self, row: int) -> bytes:
        """The row's bytes in its file; as JSON, or as svmlight if it is sparse, where the file is not text."""
        if self.records is not None:
            return self.records.raw(row)
        if self.sparse is not None and self.targets is not None:
            entries = slice(self.sparse.starts[row], self.sparse.starts[row + 1])
            pairs = zip(self.sparse.ids[entries].tolist(), self.sparse.values[entries].tolist(), strict=True)
            return " ".join([f"{self.targets[row]:.17g}", *(f"{j}:{x:.9g}" for j, x in pairs)]).encode()
        return json.dumps({name: column.value(row) for name, column in self.columns.items()}).encode()
