"""What is found in data that a schema was made for, in numbers: so that nothing is left out in silence.

Values that do not fit the type of their column, categories and words that the model does not know, columns that are
missing, and others that it was not trained on.  A light module: `linnet --help` must not load NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

FIRST_SHOWN = 5
SHOWN = 40
# Names of columns in a line.
MOST_NAMED = 8


def shown_value(value: Any) -> str:
    """A value as a message shows it."""
    text = repr(value[: SHOWN + 1] if isinstance(value, str) else value)
    return text if len(text) <= SHOWN + 3 else f"{text[:SHOWN]}…"


@dataclass(frozen=True)
class Misfits:
    """The values of a column that do not fit its type, in a block: their number, and the first with their places."""

    column: str
    count: int
    first: tuple[str, ...] = ()


@dataclass
class Findings:
    """What was found in all blocks so far, by column.

    `misfits` are values; `unseen` are rows with a category that the model does not know, `without_value` those without
    a value where training had no such row (`never_missing` are such columns of numbers and dates); `words` are those
    of texts, each counted once a row: how many there were, and how many of them the model does not know.
    `unread_rows` are those that cannot be read at all.
    """

    misfits: dict[str, int] = field(default_factory=dict)
    first_misfits: list[str] = field(default_factory=list)
    unseen: dict[str, int] = field(default_factory=dict)
    words: dict[str, tuple[int, int]] = field(default_factory=dict)
    missing_columns: tuple[str, ...] = ()
    extra_columns: tuple[str, ...] = ()
    unread_rows: int = 0
    without_value: dict[str, int] = field(default_factory=dict)
    never_missing: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """Whether there is anything to report."""
        return bool(self.unread_rows or self.lines())

    def add_misfits(self, found: Iterable[Misfits]) -> None:
        for each in found:
            self.misfits[each.column] = self.misfits.get(each.column, 0) + each.count
            self.first_misfits += each.first[: FIRST_SHOWN - len(self.first_misfits)]

    def add_unseen(self, column: str, rows: int, missing: int = 0) -> None:
        if rows:
            self.unseen[column] = self.unseen.get(column, 0) + rows
        if missing:
            self.without_value[column] = self.without_value.get(column, 0) + missing

    def add_missing(self, column: str, rows: int) -> None:
        """Rows without a number or a date in a column that is never missing."""
        if rows:
            self.without_value[column] = self.without_value.get(column, 0) + rows

    @property
    def unseen_missing(self) -> dict[str, int]:
        """Values that are missing where none was in training: not for they do not fit, nor with their whole column."""
        left = {name: count - self.misfits.get(name, 0) for name, count in self.without_value.items()}
        return {name: count for name, count in left.items() if count > 0 and name not in self.missing_columns}

    def add_words(self, column: str, words: int, unknown: int) -> None:
        before = self.words.get(column, (0, 0))
        self.words[column] = before[0] + words, before[1] + unknown

    def lines(self) -> list[str]:
        """A line for everything that was found, and the first values that did not fit."""
        found = [f"{name}: {misfit_text(count)}" for name, count in self.misfits.items()]
        found += [f"  {each}" for each in self.first_misfits]
        found += [
            f"{name}: {count:,} {'row has a category' if count == 1 else 'rows have categories'} that the model does "
            "not know"
            for name, count in self.unseen.items()
        ]
        found += [
            f"{name}: {count:,} {'value is' if count == 1 else 'values are'} missing, and none was in training"
            for name, count in self.unseen_missing.items()
        ]
        found += [
            f"{name}: the model does not know {unknown / words:.1%} of {words:,} words"
            for name, (words, unknown) in self.words.items()
            if unknown
        ]
        for columns, one, many in (
            (self.missing_columns, "is in no row, and taken as missing", "are in no row, and taken as missing"),
            (self.extra_columns, "was not in the training data, and is not used",
             "were not in the training data, and are not used"),
        ):  # fmt: skip
            if columns:
                count = f"1 column {one}" if len(columns) == 1 else f"{len(columns):,} columns {many}"
                found.append(f"{count}: {_named(columns)}")
        return found

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "misfits": dict(self.misfits),
            "unseen_categories": dict(self.unseen),
            "unseen_missing": self.unseen_missing,
            "unknown_words": _fractions(self.words),
            "missing_columns": list(self.missing_columns),
            "extra_columns": list(self.extra_columns),
        }


def misfit_text(count: int) -> str:
    """How many values of a column did not fit."""
    return "1 value does not fit, and is missing" if count == 1 else f"{count:,} values do not fit, and are missing"


def _fractions(words: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    return {name: unknown / total for name, (total, unknown) in words.items() if total}


def _named(columns: tuple[str, ...]) -> str:
    more = f" and {len(columns) - MOST_NAMED:,} more" if len(columns) > MOST_NAMED else ""
    return ", ".join(columns[:MOST_NAMED]) + more
