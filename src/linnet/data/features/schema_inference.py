"""From the first rows of a table to its schema: the type of each column, then its role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from linnet.data.column_types import STRING, ColumnType, Kind, ReadAs, Reading
from linnet.data.date_spelling import DAY, DateOrder
from linnet.data.features.date_numbers import are_dates, named_like_a_date
from linnet.data.features.ids import id_reason
from linnet.data.features.schema import FEATURE_ROLES, Role, Schema, Task
from linnet.data.features.type_inference import Inferred, infer
from linnet.data.missing_markers import normal, with_given
from linnet.data.sources.block import Block, Numbers, Strings
from linnet.data.sources.sets import ELEMENT
from linnet.data.sources.string_columns import as_read
from linnet.errors import InputError, RecipeError, listed, option
from linnet.kernels.records import count_byte

# Values that types are inferred from: of a wider table fewer rows are looked at.
MOST_VALUES = 1 << 20
# Integers below this are shown with all their digits.
EXACT = 1e15
# Strings with at least this many words on average are text.
WORDS_OF_TEXT = 3.0
# Strings that are distinct in more than this fraction of the rows are useless as categories.
ID_FRACTION = 0.9
ROWS_FOR_AN_ID = 50
# Longer values, in bytes, are not compared with markers of missing ones.
LONGEST_MARKER = 256
TEXT_NAMES = ("text", "message", "review", "comment", "body", "content", "description", "title", "subject", "tweet")
ID_NAMES = ("id", "_id", "uuid", "guid", "key", "index", "rowid", "row_id", "unnamed: 0")
FEW_NAMED = 8
# The kinds that columns of a role must have, where the role is given.
_KINDS = {Role.NUMBER: Kind.NUMBER, Role.WEIGHT: Kind.NUMBER, Role.DATE: Kind.DATE}


@dataclass(frozen=True)
class GivenTypes:
    """What the user said of columns: their roles, more markers of missing values, and the order of dates."""

    roles: Mapping[str, Role] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    dates: DateOrder | None = None
    task: Task | None = None


def infer_schema(
    sample: Block, names: tuple[str, ...], target: str | None, given: GivenTypes, *, typed: bool = True
) -> Schema:
    """A role and a type for every column: given by the user, or inferred from the sample.

    Columns that are not `typed` are text whatever it spells, as those of a format that has nothing else.
    """
    roles_given = given.roles
    for name in [*roles_given, *([target] if target is not None else [])]:
        if name not in names:
            near = get_close_matches(name, names, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"the columns are {listed(names)}"
            raise RecipeError(f"there is no column {name!r}: {hint}")
    if target is None and Role.TARGET not in roles_given.values():
        raise RecipeError(f"which column is the target? Give {option('target')}, one of {listed(names)}")
    sample = _affordable(sample, len(names))
    roles = {name: Role.TARGET if name == target else roles_given[name] for name in (target, *roles_given) if name}
    for name, role in roles.items():
        if role is not Role.IGNORE and name not in sample.columns:
            raise InputError(
                f"the column {name!r} cannot be the {role}: its values are lists, objects or bytes; make a column of "
                "numbers or strings of it first"
            )
    return _Guess(sample, roles, given, typed=typed).schema(names)


class _Guess:
    """The roles and types of columns, one after the other."""

    def __init__(self, sample: Block, given_roles: Mapping[str, Role], given: GivenTypes, *, typed: bool) -> None:
        self._sample = sample
        self._given_roles = given_roles
        self._given = given
        self._typed = typed
        self._markers = with_given(given.missing)

    def schema(self, names: tuple[str, ...]) -> Schema:
        roles: dict[str, Role] = {}
        reasons: dict[str, str] = {}
        types: dict[str, ColumnType] = {}
        numbered: list[str] = []
        for name in names:
            column = self._sample.columns.get(name)
            if column is None:
                roles[name], reasons[name] = Role.IGNORE, "its values are lists or objects"
                continue
            assert isinstance(column, Strings)
            inferred = self._type(name, column)
            role, reason = self._role(name, column, inferred.type)
            if role is Role.ID and inferred.type.kind is Kind.NUMBER and name not in self._given_roles:
                numbered.append(name)
            roles[name], types[name] = role, inferred.type
            reasons[name] = _reason(reason, inferred)
        if not any(role in FEATURE_ROLES for role in roles.values()):
            for name in numbered:  # nothing else is there to train on
                roles[name], reasons[name] = Role.NUMBER, f"{reasons[name]}, but there is no other column"
        schema = Schema(roles, reasons, types, self._sample.rows, self._given.missing)
        schema.only(Role.TARGET), schema.only(Role.WEIGHT)
        if not any(role in FEATURE_ROLES for role in roles.values()):
            raise InputError(
                f"there is no column to train on: {_why(roles, reasons)}; give one a role ({option('columns')})"
            )
        return schema

    def _type(self, name: str, column: Strings) -> Inferred:
        role = self._given_roles.get(name)
        if not self._typed or role in (Role.TEXT, Role.IGNORE):
            return Inferred(STRING)
        found = infer(column, self._markers, self._given.dates)
        if role is None and found.type.is_plain_number and named_like_a_date(name):
            values = sampled_numbers(column, found.type, self._given.missing)
            return infer(column, self._markers, self._given.dates, Kind.DATE) if are_dates(values) else found
        kind = _KINDS.get(role) if role is not None else None
        if role is Role.TARGET and self._given.task is Task.REGRESSION:
            kind = Kind.NUMBER
        if kind is None or found.type.kind is kind or (kind is Kind.NUMBER and found.type.kind is not Kind.STRING):
            return found  # dates and truth can be taken as numbers
        return infer(column, self._markers, self._given.dates, kind)

    def _role(self, name: str, column: Strings, kind: ColumnType) -> tuple[Role, str]:
        if name in self._given_roles:
            return self._given_roles[name], "given"
        if kind.kind in (Kind.NUMBER, Kind.TIME):
            values = sampled_numbers(column, kind, self._given.missing)
            role, reason = _number_role(name, values, plain=kind.is_plain_number)
            return role, f"time of day, in seconds; {reason}" if kind.kind is Kind.TIME else reason
        if kind.kind is Kind.DATE:
            return Role.DATE, _date_reason(sampled_numbers(column, kind, self._given.missing))
        return _string_role(name, column, self._markers)


def _why(roles: Mapping[str, Role], reasons: Mapping[str, str]) -> str:
    """Why columns are not used, of the first few."""
    unused = [f"{name} ({role}: {reasons[name]})" for name, role in roles.items() if role is not Role.TARGET]
    more = f" and {len(unused) - FEW_NAMED:,} more" if len(unused) > FEW_NAMED else ""
    return f"not {', '.join(unused[:FEW_NAMED])}{more}" if unused else "the target is the only one"


def _affordable(sample: Block, columns: int) -> Block:
    """The rows of a sample that are looked at."""
    rows = max(1, MOST_VALUES // max(1, columns))
    return sample if sample.rows <= rows else sample.keep(np.arange(sample.rows) < rows)


def sampled_numbers(column: Strings, kind: ColumnType, missing: tuple[str, ...]) -> NDArray[np.float64]:
    """The values of a sample that are given and fit."""
    numbers = as_read(column, Reading(kind, ReadAs.NUMBER, missing=missing))
    assert isinstance(numbers, Numbers)
    return numbers.values


def _reason(reason: str, inferred: Inferred) -> str:
    """Why a column has its role, with its type where that says more, and what does not fit."""
    shown = str(inferred.type).partition(", ")[2]
    parts = [*([shown] if shown else []), reason, *([inferred.note] if inferred.note else [])]
    if inferred.misfits:
        parts.append(f"{inferred.misfits:,} {'value does' if inferred.misfits == 1 else 'values do'} not fit")
    if inferred.ambiguous:
        other = DateOrder.DAY_FIRST if inferred.type.order is DateOrder.MONTH_FIRST else DateOrder.MONTH_FIRST
        parts.append(f"{inferred.ambiguous} could mean another day: {option('dates', other)} if it does")
    return "; ".join(parts)


def _number_role(name: str, values: NDArray[np.float64], *, plain: bool) -> tuple[Role, str]:
    """An id or a number; what has a unit, or is a time, is never an id."""
    given = values[~np.isnan(values)]
    if not len(given):
        return Role.IGNORE, "it is empty in the first rows"
    reason = id_reason(values, named=name.lower() in ID_NAMES) if plain else ""
    if reason:
        return Role.ID, reason
    return Role.NUMBER, f"{_shown(given.min())} to {_shown(given.max())} in the first rows"


def _date_reason(values: NDArray[np.float64]) -> str:
    given = values[~np.isnan(values)]
    first, last = (np.datetime64(int(each // 86400), "D") for each in (given.min(), given.max()))
    return f"{first} to {last} in the first rows"


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) and abs(value) < EXACT else f"{value:.4g}"


def _string_role(name: str, column: Strings, markers: frozenset[str]) -> tuple[Role, str]:
    values = [raw for raw in column.each_bytes() if len(raw) > LONGEST_MARKER or normal(raw.decode()) not in markers]
    rows = len(values)
    if not rows:
        return Role.IGNORE, "it is empty in the first rows"
    mark = ELEMENT.encode()
    if any(raw[:1] == mark for raw in values):
        elements = {element for raw in values for element in raw.split(mark)} - {b""}
        return Role.SET, f"lists, {len(elements):,} different elements"
    words = 1 + count_byte(b"".join(values), ord(" ")) / rows
    distinct = len(set(values))
    if words >= WORDS_OF_TEXT and distinct > rows // 10:
        return Role.TEXT, f"{words:.0f} words a row"
    if rows >= ROWS_FOR_AN_ID and distinct > ID_FRACTION * rows:
        if words >= 1.5 and name.lower() not in ID_NAMES:
            return Role.TEXT, f"{words:.1f} words a row, most rows different"
        return Role.ID, "most rows have a different value"
    if name.lower() in TEXT_NAMES and words >= 1.5:
        return Role.TEXT, f"{words:.1f} words a row, and its name"
    return Role.CATEGORY, f"{distinct:,} different values"


def typed_sample(sample: Block, schema: Schema, task: Task) -> Block:
    """The sample as later blocks are read: numbers and dates as such."""
    wanted = schema.columns_to_read(task)
    strings = {name: column for name, column in sample.columns.items() if isinstance(column, Strings)}
    columns = {name: as_read(strings[name], how) for name, how in wanted.items()}
    return replace(sample, columns=columns)


def first_days(sample: Block, schema: Schema) -> dict[str, int]:
    """The earliest date of a typed sample in each column of dates, in days since 1970."""
    found: dict[str, int] = {}
    for name in schema.having(Role.DATE):
        column = sample.columns[name]
        assert isinstance(column, Numbers)
        if not np.isnan(column.values).all():
            found[name] = int(np.nanmin(column.values) // DAY)
    return found
