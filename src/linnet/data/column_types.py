"""The type of a column, decided once and stored in the model: every later block, file and row is read by it.

A type is what the values of a column are (numbers, dates, ...) and how text spells them.  It does not depend on the
format: a number is the same whether a file has it as text or as a number.  What a column is for is its role (role.py).

A light module: `linnet --help` must not load NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from linnet.data.date_spelling import DateOrder
from linnet.data.missing_markers import BLANKS, LABEL_MARKERS, MARKERS, with_given
from linnet.data.number_spelling import NumberSpelling

# The words for true and false, pair by pair.
TRUTH = (("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"))
_TRUTH_OF = {word: bool(1 - side) for pair in TRUTH for side, word in enumerate(pair)} | {"1": True, "0": False}
_ORDERS = {DateOrder.DAY_FIRST: "day/month/year", DateOrder.MONTH_FIRST: "month/day/year"}


class Kind(StrEnum):
    """What the values of a column are; `time` is a time of day."""

    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    BOOLEAN = "boolean"
    STRING = "string"


@dataclass(frozen=True)
class ColumnType:
    """What the values of a column are, and how text spells them.

    `spelling` is that of numbers; `order` is of dates, and `with_time` says whether they have times of day; `words` are
    those for true and false.
    """

    kind: Kind = Kind.STRING
    spelling: NumberSpelling = field(default_factory=NumberSpelling)
    order: DateOrder = DateOrder.YEAR_FIRST
    with_time: bool = False
    words: tuple[str, str] = TRUTH[0]

    def __post_init__(self) -> None:
        if tuple(word.lower() for word in self.words) not in TRUTH:
            raise ValueError(f"{self.words} are not words for true and false")

    def __str__(self) -> str:
        """As a plan shows it: number, $1,219.01."""
        details = {
            Kind.NUMBER: str(self.spelling),
            Kind.DATE: " ".join(filter(None, (_ORDERS.get(self.order, ""), "with time" if self.with_time else ""))),
            Kind.BOOLEAN: "/".join(self.words),
        }.get(self.kind, "")
        return f"{self.kind}, {details}" if details else str(self.kind)

    @property
    def is_plain_number(self) -> bool:
        return self.kind is Kind.NUMBER and self.spelling.is_plain


PLAIN_NUMBER, STRING = ColumnType(Kind.NUMBER), ColumnType()


class ReadAs(StrEnum):
    """What a column is read as, by its role."""

    NUMBER = "number"
    CATEGORY = "category"
    LABEL = "label"
    TEXT = "text"


@dataclass(frozen=True)
class Reading:
    """How a column is read: its type, what it is read as, and the missing markers that the user gave.

    A value that does not fit is missing; in a `strict` column it makes its row one that cannot be used.
    """

    type: ColumnType = STRING
    read_as: ReadAs = ReadAs.TEXT
    strict: bool = False
    missing: tuple[str, ...] = ()

    @property
    def is_number(self) -> bool:
        return self.read_as is ReadAs.NUMBER

    @cached_property
    def markers(self) -> frozenset[str]:
        """What is a missing value here, as `missing_markers.normal` gives it."""
        if self.read_as is ReadAs.TEXT:
            return frozenset()
        return with_given(self.missing, LABEL_MARKERS if self.read_as is ReadAs.LABEL else MARKERS)

    @cached_property
    def missing_numbers(self) -> tuple[float, ...]:
        """The given markers that are numbers: a column of numbers may hold them as such."""
        found = (self.type.spelling.number(each) for each in self.missing)
        return tuple(each for each in found if each is not None)


def truth_of(text: str) -> bool | None:
    """What a word for true or false means; None if it is another."""
    return _TRUTH_OF.get(text.strip(BLANKS).lower())
