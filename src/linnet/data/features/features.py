"""Features: all terms of a model together, from the columns of a block to its rows of numbered features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.conjunctions import ConjunctionTerm, Together
from linnet.data.features.schema import Role, Schema, Task
from linnet.data.features.terms import (
    CROSS,
    CategoryTerm,
    ColumnTerm,
    CrossTerm,
    Distinct,
    NamedTerm,
    NumberedTerm,
    NumberTerm,
    Piece,
    Term,
    TextOptions,
    TextTerm,
)
from linnet.data.rows import Rows
from linnet.data.sources.block import Block, Numbers
from linnet.errors import InputError, RecipeError

# Ids of an svmlight file are columns of an array: beyond this they would take gigabytes.
MOST_NUMBERED = 1 << 27


@dataclass(frozen=True)
class FeatureOptions:
    """What to make of the columns beyond their roles."""

    text: TextOptions = field(default_factory=TextOptions)
    crosses: tuple[tuple[str, ...], ...] = ()
    polynomial: int = 1
    hash_bits: int = 0
    conjunctions: int = 1


class Places:
    """Where the features of each term stand in the rows: term after term, or in the order they came."""

    def __init__(self, terms: int) -> None:
        self._kept: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64) for _ in range(terms)]
        self._used = [0] * terms
        self.size = 0

    @property
    def of_term(self) -> list[NDArray[np.int64]]:
        return [kept[:used] for kept, used in zip(self._kept, self._used, strict=True)]

    def extend(self, sizes: Sequence[int]) -> None:
        """Give a place to every feature that has none yet."""
        for term, size in enumerate(sizes):
            used = self._used[term]
            if size > len(self._kept[term]):  # twice the room, or every block would copy all places so far
                grown = np.empty(max(size, 2 * used), dtype=np.int64)
                grown[:used] = self._kept[term][:used]
                self._kept[term] = grown
            if size > used:
                self._kept[term][used:size] = np.arange(self.size, self.size + size - used)
                self._used[term] = size
                self.size += size - used

    @classmethod
    def of(cls, of_term: Sequence[NDArray[np.int64]]) -> Places:
        """As they were."""
        places = cls(len(of_term))
        places._kept, places._used = [each.copy() for each in of_term], [len(each) for each in of_term]
        places.size = sum(places._used)
        return places

    @classmethod
    def in_turn(cls, sizes: Sequence[int]) -> Places:
        """Term after term."""
        places = cls(len(sizes))
        places.extend(sizes)
        return places


class Features:
    """The terms of a schema, and how rows are put together from them."""

    def __init__(self, schema: Schema, task: Task, terms: Sequence[Term]) -> None:
        self.schema = schema
        self.task = task
        self.terms = list(terms)

    @classmethod
    def of(cls, schema: Schema, task: Task, options: FeatureOptions) -> Features:
        """One term for each column that is learnt from, and one for each cross."""
        terms: list[Term] = []
        for name, role in schema.roles.items():
            if role is Role.NUMBER:
                terms.append(NumberTerm(name))
            elif role is Role.CATEGORY:
                terms.append(CategoryTerm((name,), options.hash_bits))
            elif role is Role.TEXT:
                terms.append(TextTerm(name, options.text, options.hash_bits))
        crosses = list(options.crosses)
        for degree in range(2, options.polynomial + 1):
            crosses += combinations_with_replacement(schema.having(Role.NUMBER), degree)
        for cross in crosses:
            _check_cross(cross, schema)
            terms.append(CrossTerm(cross, options.hash_bits))
        if options.conjunctions > 1:
            together = tuple(name for name, role in schema.roles.items() if role in (Role.NUMBER, Role.CATEGORY))
            if len(together) < 2:
                raise RecipeError("--conjunctions is for two columns of numbers or categories, or more")
            terms.append(ConjunctionTerm(together, options.conjunctions, options.hash_bits))
        return cls(schema, task, terms)

    @classmethod
    def numbered(cls, task: Task, columns: int = 0, options: FeatureOptions | None = None) -> Features:
        """The columns of an svmlight file."""
        terms: list[Term] = [NumberedTerm(columns)]
        if options is not None and options.conjunctions > 1:
            terms.append(ConjunctionTerm((), options.conjunctions, options.hash_bits))
        return cls(Schema({}), task, terms)

    @property
    def is_numbered(self) -> bool:
        return isinstance(self.terms[0], NumberedTerm)

    @property
    def sizes(self) -> list[int]:
        return [len(term) for term in self.terms]

    def __len__(self) -> int:
        return sum(self.sizes)

    @property
    def extent(self) -> str:
        """How many there are, in words; of an svmlight file, whose ids begin with 0 or 1, how far they go."""
        return f"ids up to {len(self) - 1:,}" if self.is_numbered and len(self) else f"{len(self):,} features"

    @property
    def known_size(self) -> int | None:
        """How many features there will be, where no row can add one: all columns are numbers."""
        return len(self) if all(isinstance(term, NumberTerm) for term in self.terms) else None

    @property
    def collisions(self) -> int:
        """How many names share a feature with another, where names are hashed."""
        hashed = (term for term in self.terms if isinstance(term, TextTerm | NamedTerm))
        return sum(term.vocabulary.collisions for term in hashed if term.vocabulary.bits)

    def names(self) -> list[str]:
        """All features, term after term."""
        return [term.name(number) for term in self.terms for number in range(len(term))]

    def name(self, number: int) -> str:
        """The name of one feature, counted term after term."""
        for term in self.terms:
            if number < len(term):
                return term.name(number)
            number -= len(term)
        raise IndexError(number)

    # -- from a block to rows -----------------------------------------------------------------------------------

    def prepare(self, block: Block) -> list[Any]:
        """What depends on the block alone."""
        if self.is_numbered:
            rows = block.sparse
            assert rows is not None
            together = [term.prepare_rows(rows) for term in self.terms if isinstance(term, ConjunctionTerm)]
            self._check_products(block, together)
            return together
        self._check(block)
        prepared = [term.prepare(block.columns) for term in self._of_columns()]
        self._check_products(block, prepared)
        return prepared

    def _of_columns(self) -> list[ColumnTerm]:
        return [term for term in self.terms if not isinstance(term, NumberedTerm)]

    def number(self, block: Block, prepared: list[Any], *, frozen: bool) -> list[Piece]:
        """Every term's entries."""
        if not self.is_numbered:
            return [term.number(each, frozen=frozen) for term, each in zip(self._of_columns(), prepared, strict=True)]
        rows = block.sparse
        assert rows is not None
        together = [term for term in self.terms if isinstance(term, ConjunctionTerm)]
        return [
            self._numbered_piece(block, rows, frozen=frozen),
            *(term.number(each, frozen=frozen) for term, each in zip(together, prepared, strict=True)),
        ]

    def _numbered_piece(self, block: Block, rows: Rows, *, frozen: bool) -> Piece:
        term = self.terms[0]
        assert isinstance(term, NumberedTerm)
        columns = rows.shape[1]
        if columns > MOST_NUMBERED:
            row = rows.place(int(np.argmax(rows.ids)))[0]
            raise InputError(
                f"{block.place(row)}: the id {columns - 1} is larger than {MOST_NUMBERED - 1}: number the columns "
                "from 0 or 1 upwards"
            )
        if frozen and columns > term.size:  # columns the model has never seen have no weight
            known = rows.ids < term.size
            counts = np.add.reduceat(np.append(known, False).astype(np.int64), rows.starts[:-1]) if len(known) else 0
            counts = np.where(np.diff(rows.starts) > 0, counts, 0)
            starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
            return Piece(rows.ids[known], rows.values[known], starts)
        term.size = max(term.size, columns)
        return Piece(rows.ids, rows.values, rows.starts)

    def weighed(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Counts of words as values; all else as it is."""
        return [
            term.weighed(piece) if isinstance(term, TextTerm) else piece
            for term, piece in zip(self.terms, pieces, strict=True)
        ]

    def rows(self, block: Block, places: Places) -> Rows:
        """A block as rows of a finished model: features it does not know are left out."""
        pieces = self.number(block, self.prepare(block), frozen=True)
        return assembled(self.weighed(pieces), places)

    def _check(self, block: Block) -> None:
        """No infinite numbers, whose place would be lost later."""
        for name, column in block.columns.items():
            if isinstance(column, Numbers) and np.isinf(column.values).any():
                row = int(np.flatnonzero(np.isinf(column.values))[0])
                raise InputError(f"{block.place(row)}: {name} is infinite: leave it empty, or mend it")

    def _check_products(self, block: Block, prepared: list[Any]) -> None:
        """No product of numbers beyond the range of floating point."""
        for each in prepared:
            if isinstance(each, Distinct | Together) and np.isinf(each.values).any():
                at = int(np.flatnonzero(np.isinf(each.values))[0])
                factors = ", ".join(each.names.strings()[int(each.which[at])].split(CROSS))
                row = at if isinstance(each, Distinct) else int(np.searchsorted(each.starts, at, side="right")) - 1
                raise InputError(f"{block.place(row)}: the product of {factors} is infinite: make them smaller")

    # -- columns that training measures and scales ----------------------------------------------------------------

    def number_features(self) -> Iterator[tuple[int, int]]:
        """Of each column of numbers: its feature, and the one for a missing value."""
        first = 0
        for term in self.terms:
            if isinstance(term, NumberTerm):
                yield first, first + 1
            first += len(term)

    def text_features(self) -> NDArray[np.bool_]:
        """Which features are counted in text."""
        return np.repeat([isinstance(term, TextTerm) for term in self.terms], self.sizes)


def _check_cross(cross: tuple[str, ...], schema: Schema) -> None:
    for name in cross:
        role = schema.roles.get(name)
        if role not in (Role.NUMBER, Role.CATEGORY):
            what = f"a column of the role {role}" if role else "no column"
            raise RecipeError(
                f"the cross {','.join(cross)} names {name!r}, {what}: numbers and categories can be crossed"
            )


def assembled(pieces: Sequence[Piece], places: Places) -> Rows:
    """Rows of all terms' entries, in the order of the terms."""
    if len(pieces) == 1 and len(pieces[0].starts) and _in_place(places.of_term[0]):
        only = pieces[0]
        ids = only.ids if only.ids.dtype == np.uint32 else only.ids.astype(np.uint32)
        return Rows(only.values, ids, only.starts, (len(only.starts) - 1, places.size))
    n = max((len(p.starts) - 1 if len(p.starts) else len(p.ids)) for p in pieces)
    lengths = [np.diff(p.starts) if len(p.starts) else (p.ids >= 0).astype(np.int64) for p in pieces]
    starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.sum(lengths, axis=0), out=starts[1:])
    single = all(piece.values.dtype == np.float32 for piece in pieces)
    values = np.empty(starts[-1], dtype=np.float32 if single else np.float64)
    ids = np.empty(starts[-1], dtype=np.uint32)
    free = starts[:-1].copy()
    for piece, length, place in zip(pieces, lengths, places.of_term, strict=True):
        if len(piece.starts):
            at = np.repeat(free - piece.starts[:-1], length) + np.arange(len(piece.ids))
            values[at], ids[at] = piece.values, place[piece.ids]
        else:
            there = piece.ids >= 0
            values[free[there]], ids[free[there]] = piece.values[there], place[piece.ids[there]]
        free += length
    return Rows(values, ids, starts, (n, places.size))


def _in_place(places: NDArray[np.int64]) -> bool:
    return not len(places) or (int(places[0]) == 0 and int(places[-1]) == len(places) - 1)


def columns_needed(features: Features) -> Mapping[str, bool]:
    """The columns of raw data that a model's features are made of."""
    return features.schema.reading(features.task, with_target=False)
