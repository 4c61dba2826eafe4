"""Terms: what each column, or cross of columns, gives a row to learn from; each numbers its own features 0, 1, 2, ...

A term's work on a block has two parts.  `prepare` depends on the block alone, so that several blocks can be prepared
side by side.  `number` gives the names met their numbers, block after block in order: numbers follow the order of the
rows, and never depend on how they were cut into blocks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.buffers import Buffers, Pool
from linnet.data.features.tokenizer import Analyzer, Splitting, split
from linnet.data.sources.block import NOT_GIVEN, Column, Numbers, Strings
from linnet.kernels.ngrams import Counter
from linnet.kernels.term_weighting import BINARY, COUNT, LOG, weigh
from linnet.kernels.vocabulary import Vocabulary, renumbered

ONE_EACH = np.empty(0, dtype=np.int64)
NO_SCALES = np.empty(0)
CROSS = "×"
# A whole number with a point, as some programs write it.
WHOLE = re.compile(r"-?(0|[1-9]\d*)\.0+")


@dataclass(frozen=True, eq=False)
class Piece:
    """A term's entries in a block of rows: numbers (-1: none) and values.

    Without starts there is just one entry a row.
    """

    ids: NDArray[Any]
    values: NDArray[Any]
    starts: NDArray[np.int64] = field(default_factory=lambda: ONE_EACH)


class NumberTerm:
    """A column of numbers: its value; or, where that is missing, a 1 in a feature that says so."""

    kind = "number"

    def __init__(self, column: str) -> None:
        self.columns = (column,)

    def __len__(self) -> int:
        return 2

    def prepare(self, columns: Mapping[str, Column]) -> Piece:
        column = columns[self.columns[0]]
        assert isinstance(column, Numbers)
        missing = np.isnan(column.values)
        if not missing.any():
            return Piece(np.zeros(len(column), dtype=np.int64), column.values)
        return Piece(missing.astype(np.int64), np.where(missing, 1.0, column.values))

    def number(self, prepared: Piece, *, frozen: bool) -> Piece:  # noqa: ARG002
        return prepared

    def name(self, number: int) -> str:
        return self.columns[0] if number == 0 else missing_name(self.columns[0])


def missing_name(column: str) -> str:
    return f"{column} is missing"


@dataclass(frozen=True, eq=False)
class Distinct:
    """The different names of a block in the order of their first rows, which one each row has, and its value."""

    names: Strings
    which: NDArray[np.int64]
    values: NDArray[np.float64]


class NamedTerm:
    """What categories and crosses share: one name a row, numbered by a vocabulary.

    `as_is` takes values for names as they are; otherwise as every format of files would spell them (see tidy).
    """

    kind: str

    def __init__(
        self, columns: tuple[str, ...], bits: int = 0, vocabulary: Vocabulary | None = None, *, as_is: bool = False
    ) -> None:
        self.columns = columns
        self.as_is = as_is
        self.vocabulary = Vocabulary(bits) if vocabulary is None else vocabulary  # type: ignore[call-arg]

    def __len__(self) -> int:
        return len(self.vocabulary)

    def prepare(self, columns: Mapping[str, Column]) -> Any:
        raise NotImplementedError

    def number(self, prepared: Any, *, frozen: bool) -> Piece:
        numbers = self.vocabulary.numbers(prepared.names.data, prepared.names.starts, b"", frozen)
        return Piece(numbers[prepared.which] if len(numbers) else prepared.which, prepared.values)

    def name(self, number: int) -> str:
        return str(self.vocabulary.name(number))


class CategoryTerm(NamedTerm):
    """A column of categories: a 1 in the feature `column=value`."""

    kind = "category"

    def prepare(self, columns: Mapping[str, Column]) -> Distinct:
        codes, names = category_names(self.columns[0], columns[self.columns[0]], as_is=self.as_is)
        return in_order(codes, names, np.ones(len(codes)))


class CrossTerm(NamedTerm):
    """Columns taken together: categories by their combination of values, numbers by their product."""

    kind = "cross"

    def prepare(self, columns: Mapping[str, Column]) -> Distinct:
        values = np.ones(len(columns[self.columns[0]]))
        codes = np.zeros(len(values), dtype=np.int64)
        names = [""]
        for column in self.columns:
            given = columns[column]
            if isinstance(given, Numbers):
                missing = np.isnan(given.values)
                with np.errstate(over="ignore"):  # Features names the place of an infinite product
                    values = values * np.where(missing, 1.0, given.values)
                own, own_names = missing.astype(np.int64), [column, missing_name(column)]
            else:
                own, own_names = category_names(column, given, as_is=self.as_is)
            joint, codes = np.unique(codes * len(own_names) + own, return_inverse=True)
            names = [_joined(names[at // len(own_names)], own_names[at % len(own_names)]) for at in joint.tolist()]
        return in_order(codes, names, values)


def _joined(before: str, name: str) -> str:
    return f"{before}{CROSS}{name}" if before else name


def category_names(column: str, given: Column, *, as_is: bool = False) -> tuple[NDArray[np.int64], list[str]]:
    """Each row's code, and the codes' names."""
    assert isinstance(given, Strings)
    import pyarrow as pa

    offsets, data = pa.py_buffer(np.ascontiguousarray(given.starts)), pa.py_buffer(given.data)
    coded = pa.LargeStringArray.from_buffers(len(given), offsets, data).dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    values = coded.dictionary.to_pylist()
    if not as_is:
        values = [tidy(value) for value in values]
    not_given = () if as_is else NOT_GIVEN
    names = [missing_name(column) if value in not_given else f"{column}={value}" for value in values]
    if given.missing is not None:
        codes[given.missing] = len(names)
        names.append(missing_name(column))
    return codes, names


def tidy(value: str) -> str:
    """A value as every format spells it: without blanks around it, 1 for 1.0, true for True."""
    value = value.strip()
    if WHOLE.fullmatch(value):
        return value.partition(".")[0]
    return value.lower() if value in ("True", "False", "TRUE", "FALSE") else value


def in_order(codes: NDArray[np.int64], names: list[str], values: NDArray[np.float64]) -> Distinct:
    """Names in the order in which rows first have them."""
    used, first, which = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return Distinct(Strings.of([names[code] for code in used[order].tolist()]), place[which], values)


class Desk:
    """What a thread splits a block and counts its n-grams with, before it takes the next."""

    def __init__(self) -> None:
        self.buffers = Buffers()
        self.counter = Counter()


CORES = os.cpu_count() or 1
DESKS, RESULTS = Pool(Desk, CORES), Pool(Buffers, CORES + 3)


@dataclass(frozen=True, eq=False)
class Counted:
    """The n-grams of a block as kernels/ngrams.py gives them: names in a text, numbered for this block alone.

    The buffers they lie in are free again as soon as this is gone.
    """

    text: NDArray[np.uint8]
    names: tuple[NDArray[Any], ...]
    rows: tuple[NDArray[Any], ...]
    buffers: Buffers

    def __del__(self) -> None:
        RESULTS.give_back(self.buffers, self.buffers.nbytes)


class Damping(StrEnum):
    """What a count becomes: itself, 1, or 1 + log(count)."""

    COUNT = "count"
    BINARY = "binary"
    LOG = "log"


_CODES = {Damping.COUNT: COUNT, Damping.BINARY: BINARY, Damping.LOG: LOG}


@dataclass(frozen=True)
class TextOptions:
    """How a column of text becomes features."""

    analyzer: Analyzer = Analyzer.WORD
    shortest: int = 1
    longest: int = 2
    lowercase: bool = True
    word_length: int = 1
    marks: bool = True
    damping: Damping = Damping.LOG
    unit_length: bool = True

    @property
    def splitting(self) -> Splitting:
        return Splitting(self.analyzer, self.lowercase, self.word_length, self.marks)


class TextTerm:
    """A column of text: a feature `column:ngram` for each n-gram of words or characters."""

    kind = "text"

    def __init__(
        self,
        column: str,
        options: TextOptions | None = None,
        bits: int = 0,
        vocabulary: Vocabulary | None = None,
        prefix: str | None = None,
    ) -> None:
        self.columns = (column,)
        self.options = TextOptions() if options is None else options
        self.vocabulary = Vocabulary(bits) if vocabulary is None else vocabulary  # type: ignore[call-arg]
        self._prefix = (f"{column}:" if prefix is None else prefix).encode()

    def __len__(self) -> int:
        return len(self.vocabulary)

    def prepare(self, columns: Mapping[str, Column]) -> Counted:
        column = columns[self.columns[0]]
        assert isinstance(column, Strings)
        options = self.options
        desk, results = DESKS.take(), RESULTS.take()
        units = split(column, options.splitting, desk.buffers, results)
        rows, names = desk.counter.count(
            units.text, units.starts, units.hashes, units.segments, units.row_segments,
            options.shortest, options.longest, options.splitting.gap, options.splitting.whole,
            self._prefix, self.vocabulary.bits, results,
        )  # fmt: skip
        DESKS.give_back(desk, desk.buffers.nbytes)
        return Counted(units.text, names, rows, results)

    def number(self, prepared: Counted, *, frozen: bool) -> Piece:
        """The counts of this block's n-grams, not yet weighed: what a count is worth may depend on all rows."""
        fingerprints, names, lengths, others = prepared.names
        numbers = self.vocabulary.numbered(
            prepared.text, fingerprints, names, lengths, others, self._prefix, frozen,
        )  # fmt: skip
        starts, ids, counts = renumbered(numbers, *prepared.rows)
        return Piece(ids, counts, starts)

    def weighed(self, piece: Piece, scales: NDArray[np.float64] = NO_SCALES) -> Piece:
        """Counts as values."""
        if self.options.damping is Damping.COUNT and not self.options.unit_length and not len(scales):
            return piece
        into = np.empty(len(piece.values), dtype=np.float32)
        options = self.options
        weigh(piece.values, piece.ids, piece.starts, _CODES[options.damping], scales, options.unit_length, into)
        return Piece(piece.ids, into, piece.starts)

    def name(self, number: int) -> str:
        return str(self.vocabulary.name(number))


class NumberedTerm:
    """Columns that have numbers for names, as in svmlight files: number j is column j."""

    kind = "numbered"
    columns: tuple[str, ...] = ()

    def __init__(self, size: int = 0) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def name(self, number: int) -> str:
        return str(number)


ColumnTerm = NumberTerm | NamedTerm | TextTerm
Term = ColumnTerm | NumberedTerm
