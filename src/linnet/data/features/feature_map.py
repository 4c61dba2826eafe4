"""Features: all terms of a model together, from the columns of a block to rows of numbered features."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, combinations_with_replacement
from math import comb
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.column_types import Reading
from linnet.data.features.conjunctions import ConjunctionTerm, ConjunctionValues
from linnet.data.features.dates import MISSING, DateTerm
from linnet.data.features.entries import EntriesTerm, FeaturesTerm, SetTerm
from linnet.data.features.entry_limits import CONJUNCTIONS, NAMES, NGRAMS, entry_cuts
from linnet.data.features.layout import TermOrder, assembled, side_by_side
from linnet.data.features.schema import Role, Schema, Task
from linnet.data.features.terms import (
    CROSS,
    CategoryTerm,
    CrossTerm,
    NamedTerm,
    NamedValues,
    NumberedTerm,
    NumberTerm,
    Piece,
    missing_name,
)
from linnet.data.features.text import TextTerm
from linnet.data.features.text_options import TextOptions
from linnet.data.features.transforms import Log
from linnet.data.findings import Findings
from linnet.data.limits import MOST_CROSSES
from linnet.data.rows import Rows
from linnet.data.sources.block import Block, Numbers, Strings
from linnet.data.sources.dictionaries import block_of, numbered_block_of
from linnet.errors import InputError, RecipeError, option

ColumnTerm = NumberTerm | DateTerm | NamedTerm | TextTerm
Term = ColumnTerm | NumberedTerm

# Ids of an svmlight file are indices of an array: beyond this it would take gigabytes.
MOST_NUMBERED = 1 << 27


@dataclass(frozen=True)
class FeatureOptions:
    """What becomes of the columns beyond their roles."""

    text: TextOptions = field(default_factory=TextOptions)
    crosses: tuple[tuple[str, ...], ...] = ()
    polynomial: int = 1
    hash_bits: int = 0
    conjunctions: int = 1


class Features:
    """The terms of a schema, and how rows are put together from them."""

    def __init__(self, schema: Schema, task: Task, terms: Sequence[Term]) -> None:
        self.schema = schema
        self.task = task
        self.terms = list(terms)

    @classmethod
    def of(
        cls,
        schema: Schema,
        task: Task,
        options: FeatureOptions,
        logs: Mapping[str, Log] = MappingProxyType({}),
        first_days: Mapping[str, int] = MappingProxyType({}),
    ) -> Features:
        """One term for each column of numbers (some by their logarithm), dates, categories or text, and for each cross.

        Dates are counted from their first days, which are in days since 1970.
        """
        terms: list[Term] = []
        for name, role in schema.roles.items():
            if role is Role.NUMBER:
                terms.append(NumberTerm(name, logs.get(name)))
            elif role is Role.DATE:
                first = first_days.get(name, 0)
                terms.append(DateTerm(name, first, with_time=schema.type_of(name).with_time))
            elif role is Role.CATEGORY:
                terms.append(CategoryTerm((name,), options.hash_bits))
            elif role is Role.TEXT:
                terms.append(TextTerm(name, options.text, options.hash_bits))
            elif role in (Role.SET, Role.FEATURES):
                several = SetTerm if role is Role.SET else FeaturesTerm
                terms.append(several((name,), options.hash_bits))
        crosses = list(options.crosses)
        numbers = schema.having(Role.NUMBER)
        _refuse_too_many_products(len(numbers), options.polynomial)
        for degree in range(2, options.polynomial + 1):
            crosses += combinations_with_replacement(numbers, degree)
        for cross in crosses:
            _check_cross(cross, schema)
            terms.append(CrossTerm(cross, options.hash_bits))
        if options.conjunctions > 1:
            columns = tuple(name for name, role in schema.roles.items() if role in (Role.NUMBER, Role.CATEGORY))
            if len(columns) < 2:
                raise RecipeError(f"{option('conjunctions')} needs two or more columns of numbers or categories")
            terms.append(ConjunctionTerm(columns, options.conjunctions, options.hash_bits))
        return cls(schema, task, terms)

    @classmethod
    def numbered(cls, task: Task, columns: int = 0, options: FeatureOptions | None = None) -> Features:
        """The columns of an svmlight file."""
        terms: list[Term] = [NumberedTerm(columns)]
        if options is not None and options.conjunctions > 1:
            terms.append(ConjunctionTerm((), options.conjunctions, options.hash_bits))
        return cls(Schema({}), task, terms)

    def with_text_options(self, options: Callable[[TextOptions], TextOptions]) -> Features:
        """The same features, vocabularies included, with other options of text: for a learner that weights it so."""
        terms = [
            term.with_options(options(term.options)) if isinstance(term, TextTerm) else term for term in self.terms
        ]
        return Features(self.schema, self.task, terms)

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
        """Their number in words; of an svmlight file, whose ids may begin with 0 or 1, the largest id."""
        return f"ids up to {len(self) - 1:,}" if self.is_numbered and len(self) else f"{len(self):,} features"

    @property
    def known_size(self) -> int | None:
        """The number of features if no row can add one, as where all columns are numbers; else None."""
        return len(self) if all(isinstance(term, NumberTerm) for term in self.terms) else None

    @property
    def logarithms(self) -> list[str]:
        """The columns that enter by their logarithm."""
        return [term.columns[0] for term in self.terms if isinstance(term, NumberTerm) and term.log is not None]

    @property
    def collisions(self) -> int:
        """How many names fell on the feature of another name, where names are hashed."""
        hashed = (term for term in self.terms if isinstance(term, TextTerm | NamedTerm))
        return sum(term.vocabulary.collisions for term in hashed if term.vocabulary.bits)

    @property
    def nbytes(self) -> int:
        """The memory that the names of features take."""
        named = (term for term in self.terms if isinstance(term, TextTerm | NamedTerm))
        return sum(term.vocabulary.nbytes for term in named)

    def names(self) -> list[str]:
        """All features, term after term."""
        return [term.name(number) for term in self.terms for number in range(len(term))]

    def name(self, number: int) -> str:
        """The name of feature `number`, term after term."""
        return self.names_of([number])[0]

    def names_of(self, numbers: Iterable[int]) -> list[str]:
        """The names of some features; terms may be many, so they are counted once."""
        offsets = list(accumulate(self.sizes, initial=0))
        found = []
        for number in numbers:
            if not 0 <= number < offsets[-1]:
                raise IndexError(number)
            term = bisect_right(offsets, number) - 1
            found.append(self.terms[term].name(number - offsets[term]))
        return found

    # -- from a block to rows -----------------------------------------------------------------------------------

    def prepare(self, block: Block) -> list[Any]:
        """The part of the work that depends on the block alone."""
        if self.is_numbered:
            rows = block.sparse
            assert rows is not None
            conjunctions = [term.prepare_rows(rows) for term in self.terms if isinstance(term, ConjunctionTerm)]
            self._check_products(block, conjunctions)
            return conjunctions
        self.check_finite(block)
        prepared = [term.prepare(block.columns) for term in self._of_columns()]
        self._check_products(block, prepared)
        return prepared

    def prepare_rows(self, block: Block) -> list[Any]:
        """The same, for rows that are assembled as soon as their features have numbers."""
        return side_by_side(self.prepare(block))

    def cuts(self, block: Block) -> list[int]:
        """Where to cut a block whose n-grams, conjunctions or names would be too many at once; mostly nowhere."""
        found: set[int] = set()
        for term in self.terms:
            if isinstance(term, TextTerm):
                found.update(entry_cuts(block, term.most_ngrams(block.columns), NGRAMS))
            elif isinstance(term, EntriesTerm):
                found.update(entry_cuts(block, term.most_names(block.columns), NAMES))
            elif isinstance(term, ConjunctionTerm):
                most = term.count(block.columns) if block.sparse is None else term.count_rows(block.sparse)
                found.update(entry_cuts(block, most, CONJUNCTIONS))
        return sorted(found)

    def _of_columns(self) -> list[ColumnTerm]:
        return [term for term in self.terms if not isinstance(term, NumberedTerm)]

    def number(self, block: Block, prepared: list[Any], *, frozen: bool) -> list[Piece]:
        """The entries of every term; new names get numbers unless `frozen`."""
        if not self.is_numbered:
            return [term.number(each, frozen=frozen) for term, each in zip(self._of_columns(), prepared, strict=True)]
        rows = block.sparse
        assert rows is not None
        conjunctions = [term for term in self.terms if isinstance(term, ConjunctionTerm)]
        return [
            self._numbered_piece(block, rows, frozen=frozen),
            *(term.number(each, frozen=frozen) for term, each in zip(conjunctions, prepared, strict=True)),
        ]

    def _numbered_piece(self, block: Block, rows: Rows, *, frozen: bool) -> Piece:
        term = self.terms[0]
        assert isinstance(term, NumberedTerm)
        columns = rows.shape[1]
        if columns > MOST_NUMBERED:
            row = rows.row_and_column(int(np.argmax(rows.ids)))[0]
            raise InputError(
                f"{block.location(row)}: the id {columns - 1} is larger than {MOST_NUMBERED - 1}: number the columns "
                "from 0 or 1 upwards"
            )
        if frozen and columns > term.size:  # the model has no weights for columns that were not in the training data
            known = rows.ids < term.size
            counts = np.add.reduceat(np.append(known, False).astype(np.int64), rows.starts[:-1]) if len(known) else 0
            counts = np.where(np.diff(rows.starts) > 0, counts, 0)
            starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
            return Piece(rows.ids[known], rows.values[known], starts)
        term.size = max(term.size, columns)
        return Piece(rows.ids, rows.values, rows.starts)

    def weighted(self, pieces: Sequence[Piece]) -> list[Piece]:
        """The entries with counts of text turned into values; all others as they are."""
        return [
            term.weighted(piece) if isinstance(term, TextTerm) else piece
            for term, piece in zip(self.terms, pieces, strict=True)
        ]

    def rows(self, block: Block, prepared: list[Any] | None = None, findings: Findings | None = None) -> Rows:
        """A block as rows of a finished model, features term after term; those it does not know are left out.

        How many those are is added to the findings.
        """
        prepared = self.prepare(block) if prepared is None else prepared
        if findings is None or self.is_numbered:
            pieces = self.number(block, prepared, frozen=True)
        else:
            pieces = [_counted(term, each, findings) for term, each in zip(self._of_columns(), prepared, strict=True)]
        return assembled(self.weighted(pieces), TermOrder.of(self.sizes))

    def block_of(self, rows: Mapping[Any, Any] | Sequence[Mapping[Any, Any]]) -> Block:
        """A few rows given as dictionaries, `{column: value}` or `{id: value}`, typed as in training.

        `features.rows(features.block_of(rows))` needs no source and no threads: one row takes well under a millisecond.
        """
        return numbered_block_of(rows) if self.is_numbered else block_of(rows, self.columns_needed())

    def columns_needed(self) -> dict[str, Reading]:
        """The columns of raw data that the features are made of, and ids, and how each is read."""
        return self.schema.columns_to_read(self.task, with_target=False)

    def check_finite(self, block: Block) -> None:
        """Raise for an infinite number: later its row and column would be lost."""
        for name, column in block.columns.items():
            if isinstance(column, Numbers) and not column.all_there and np.isinf(column.values).any():
                row = int(np.flatnonzero(np.isinf(column.values))[0])
                raise InputError(f"{block.location(row)}: {name} is infinite: leave it empty, or correct it")

    def _check_products(self, block: Block, prepared: list[Any]) -> None:
        """Raise for a product beyond the range of floating point."""
        for each in prepared:
            if isinstance(each, NamedValues | ConjunctionValues) and np.isinf(each.values).any():
                at = int(np.flatnonzero(np.isinf(each.values))[0])
                factors = ", ".join(each.names.strings()[int(each.which[at])].split(CROSS))
                row = at if isinstance(each, NamedValues) else int(np.searchsorted(each.starts, at, side="right")) - 1
                raise InputError(f"{block.location(row)}: the product of {factors} is infinite: rescale the columns")

    # -- columns that training standardises ----------------------------------------------------------------

    def number_features(self) -> Iterator[tuple[int, int]]:
        """The features that are numbers, each with the one for missing values; all numbers of a date have one."""
        first = 0
        for term in self.terms:
            if isinstance(term, NumberTerm | DateTerm):
                yield from ((first + number, first + missing) for number, missing in term.numbers)
            first += len(term)

    @property
    def many_a_row(self) -> bool:
        """Whether rows may have many more entries than a table has columns: words, numbered features, conjunctions."""
        return any(isinstance(term, TextTerm | NumberedTerm | ConjunctionTerm) for term in self.terms)

    def never_missing(self, means: NDArray[np.float64]) -> frozenset[str]:
        """The columns of numbers and dates that were in every training row, by the means of all features in these."""
        firsts = accumulate(self.sizes, initial=0)
        of_numbers = (
            (first, term)
            for first, term in zip(firsts, self.terms, strict=False)
            if isinstance(term, NumberTerm | DateTerm)
        )
        return frozenset(term.columns[0] for first, term in of_numbers if not means[first + term.numbers[0][1]])

    def text_features(self) -> NDArray[np.bool_]:
        """A mask of the features that are counts of text."""
        return np.repeat([isinstance(term, TextTerm) for term in self.terms], self.sizes)


def _counted(term: ColumnTerm, prepared: Any, findings: Findings) -> Piece:
    """The entries of a term of a finished model; what it does not know is counted."""
    if isinstance(term, TextTerm):
        piece, words, unknown = term.known(prepared)
        findings.add_words(term.columns[0], words, unknown)
        return piece
    piece = term.number(prepared, frozen=True)
    never = isinstance(term, NumberTerm | DateTerm) and term.columns[0] in findings.never_missing
    if never and piece.ids.strides != (0,):  # with one id for all rows, all are there
        findings.add_missing(term.columns[0], int(np.count_nonzero(piece.ids == MISSING)))
    if isinstance(term, CategoryTerm):
        unseen = piece.ids < 0
        if unseen.any():
            missing = unseen & (prepared.which == _number_of(missing_name(term.columns[0]), prepared.names))
            findings.add_unseen(term.columns[0], int((unseen & ~missing).sum()), int(missing.sum()))
    return piece


def _number_of(name: str, names: Strings) -> int:
    """Which of these names this is; -1 if it is none of them."""
    listed = names.strings()
    return listed.index(name) if name in listed else -1


def _refuse_too_many_products(columns: int, degree: int) -> None:
    """Raise for more products of columns than can be terms of a model, before they are made."""
    products = sum(comb(columns + k - 1, k) for k in range(2, degree + 1))
    if products > MOST_CROSSES:
        raise RecipeError(
            f"{option('polynomial', degree)} of {columns:,} columns of numbers makes {products:,} products, more than "
            f"{MOST_CROSSES:,}: lower it, leave columns out ({option('columns')}), or name the products "
            f"({option('crosses')})"
        )


def _check_cross(cross: tuple[str, ...], schema: Schema) -> None:
    for name in cross:
        role = schema.roles.get(name)
        if role not in (Role.NUMBER, Role.CATEGORY):
            what = f"a column with the role {role}" if role else "which is not a column"
            raise RecipeError(
                f"the cross {','.join(cross)} names {name!r}, {what}: only numbers and categories can be crossed"
            )
