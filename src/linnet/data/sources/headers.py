"""The names of columns: as a header has them, and as the files of one table share them."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

from linnet.data.on_error import MOST_NOTES, Note
from linnet.data.sources.block import Block, Strings, number_in
from linnet.errors import InputError, RecipeError, listed, option

# What a name that was there before gets.
NUMBERED = re.compile(r"\.\d+\Z")
# Lines above a header, at most, and how many of its names are shown.
MOST_ABOVE, MOST_SHOWN = 10, 5


def column_names(fields: Sequence[str]) -> list[str]:
    """The names that a header gives: an empty field is named by its number, a name that was there before gets `.1`."""
    given = [field.strip() or f"c{i + 1}" for i, field in enumerate(fields)]
    taken, names = set(given), []
    times: dict[str, int] = {}
    for name in given:
        unique = name
        if name in times:
            while unique in taken:
                unique, times[name] = f"{name}.{times[name]}", times[name] + 1
            taken.add(unique)
        times.setdefault(name, 1)
        names.append(unique)
    return names


def refuse_other_table(names: Sequence[str], columns: Sequence[str], location: str, named_in: str) -> None:
    """Raise for a file that shares no column with the first."""
    if not set(names) & set(columns):
        raise InputError(
            f"{location}: has none of the columns of {named_in}: they are {listed(columns)}, and here "
            f"{listed(names)}; all files must have the same header, in any order, or none ({option('header', False)})"
        )


def refuse_title(names: Sequence[str], rows: Sequence[Sequence[str]], location: str) -> None:
    """Raise where the first record is not the header but a line above it: a title, or what a program wrote there.

    That is so where longer records follow, the first of which has no number, while those below it have.
    """
    width = len(rows[-1])
    begin = len(rows)
    while begin > 0 and len(rows[begin - 1]) == width:
        begin -= 1
    header, below = rows[begin], rows[begin + 1 :]
    if width <= len(names) or begin > MOST_ABOVE or len(set(header)) < width or any(map(is_number, header)):
        return
    if any(is_number(field) for row in below for field in row):
        shown = ", ".join(header[:MOST_SHOWN]) + (", ..." if width > MOST_SHOWN else "")
        raise InputError(
            f"{location}: this line has {len(names)} {'field' if len(names) == 1 else 'fields'}, and the rows below "
            f"have {width}: the header seems to be the line {shown}; remove what is above it"
        )


def is_number(field: str) -> bool:
    """Whether a field is a number as programs write it."""
    value = number_in(field)
    return value is not None and not math.isnan(value)


def column_notes(
    names: Collection[str], columns: Collection[str], wanted: Iterable[str], rows: int, first: str
) -> list[Note]:
    """Notes on the columns that a file lacks of those that the first has, and on those that only this one has.

    What the first file lacks as well is reported once, of all files (see `Findings`).
    """
    if names == columns:
        return []
    here, known = set(names), set(columns)
    missing = [name for name in wanted if name in known and name not in here]
    more = [name for name in names if name not in known]
    return [
        *(Note(f"the column {name!r} is missing", rows, first) for name in missing[:MOST_NOTES]),
        *(Note(f"the column {name!r} is ignored, for the first file has none of that name", rows, first)
          for name in more[:MOST_NOTES]),
    ]  # fmt: skip


def target_column(given: str | None, names: Sequence[str], hint: str) -> str | None:
    """The column that a user means: its name or, where there is none of that name, first, last or a number from 1."""
    if given is None or given in names:
        return given
    if given in ("first", "last") and names:
        return names[0 if given == "first" else -1]
    if given.isascii() and given.isdigit() and 1 <= int(given[:9]) <= len(names):
        return names[int(given[:9]) - 1]
    near = get_close_matches(given, names, n=1, cutoff=0.5)
    meant = f"did you mean {near[0]!r}? The columns" if near else "the columns"
    raise RecipeError(f"there is no column {given!r}: {meant} are {listed(names)}{hint}")


def no_target(names: Sequence[str], hint: str) -> RecipeError:
    return RecipeError(
        f"which column is the target? Give {option('target')}: first, last, a number from 1, or one of "
        f"{listed(names)}{hint}"
    )


def looks_like_a_row(names: Sequence[str], sample: Block) -> bool:
    """Whether names are values of their own columns, in half of the columns of strings or more."""
    found = [(name, each) for name in names if isinstance(each := sample.columns.get(name), Strings)]
    if not any(NUMBERED.sub("", name).encode() in each.data.tobytes() for name, each in found):
        return False  # mostly: then no value need be looked at
    columns = [(name, set(each.strings())) for name, each in found]
    columns = [(name, values) for name, values in columns if any(number_in(value) is None for value in values)]
    recurring = sum(NUMBERED.sub("", name) in values for name, values in columns)
    return bool(columns) and 2 * recurring >= len(columns)
