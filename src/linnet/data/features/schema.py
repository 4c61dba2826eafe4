"""Schema: the role of each column, guessed from the first rows, overridden by the user, stored in the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

import numpy as np

from linnet.data.role import Role as Role
from linnet.data.sources.block import Block, Column, Numbers, Strings
from linnet.data.task import Task as Task
from linnet.errors import InputError, RecipeError, option

# Integers below this are shown with all their digits.
EXACT = 1e15
# A target of integers with at most this many values is a class.
MOST_NUMBERED_CLASSES = 20
# Strings with at least this many words on average are text.
WORDS_OF_TEXT = 3.0
# Strings that are distinct in more than this fraction of the rows are useless as categories.
ID_FRACTION = 0.9
ROWS_FOR_AN_ID = 50
TEXT_NAMES = ("text", "message", "review", "comment", "body", "content", "description", "title", "subject", "tweet")
ID_NAMES = ("id", "_id", "uuid", "guid", "key", "index", "rowid", "row_id", "unnamed: 0")


@dataclass(frozen=True)
class Schema:
    """Roles by column, in the columns' order, and why each was chosen."""

    roles: Mapping[str, Role]
    reasons: Mapping[str, str] = field(default_factory=dict, compare=False)

    def having(self, role: Role) -> list[str]:
        return [name for name, each in self.roles.items() if each is role]

    def only(self, role: Role) -> str | None:
        """The one column with this role."""
        found = self.having(role)
        if len(found) > 1:
            raise RecipeError(f"{len(found)} columns have the role {role} ({', '.join(found)}): only one can have it")
        return found[0] if found else None

    @property
    def target(self) -> str | None:
        return self.only(Role.TARGET)

    def columns_to_read(self, task: Task, *, with_target: bool = True) -> dict[str, bool]:
        """The columns to read, and whether each is read as a number."""
        wanted: dict[str, bool] = {}
        for name, role in self.roles.items():
            if role is Role.TARGET and with_target:
                wanted[name] = task is Task.REGRESSION
            elif role in (Role.NUMBER, Role.WEIGHT):
                wanted[name] = True
            elif role in (Role.CATEGORY, Role.TEXT, Role.ID):
                wanted[name] = False
        return wanted


def infer_schema(sample: Block, names: tuple[str, ...], target: str | None, given: Mapping[str, Role]) -> Schema:
    """A role for every column: given by the user, or guessed from the sample."""
    for name in [*given, *([target] if target is not None else [])]:
        if name not in names:
            near = get_close_matches(name, names, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"the columns are {', '.join(names[:20])}"
            raise RecipeError(f"there is no column {name!r}: {hint}")
    if target is None and Role.TARGET not in given.values():
        raise RecipeError(f"which column is the target? Give {option('target')}, one of {', '.join(names[:20])}")
    roles: dict[str, Role] = {}
    reasons: dict[str, str] = {}
    for name in names:
        if name == target:
            roles[name], reasons[name] = Role.TARGET, "given"
        elif name in given:
            roles[name], reasons[name] = given[name], "given"
        else:
            roles[name], reasons[name] = _guess(name, sample.columns.get(name))
    for name, role in roles.items():
        if role is not Role.IGNORE and name not in sample.columns:
            raise InputError(
                f"the column {name!r} cannot be the {role}: its values are lists, objects or bytes; make a column of "
                "numbers or strings of it first"
            )
    schema = Schema(roles, reasons)
    schema.only(Role.TARGET), schema.only(Role.WEIGHT)
    if not any(role in (Role.NUMBER, Role.CATEGORY, Role.TEXT) for role in roles.values()):
        raise InputError(f"there is no column to train on: give one a role ({option('columns')})")
    return schema


def _guess(name: str, column: Column | None) -> tuple[Role, str]:
    if column is None:
        return Role.IGNORE, "its values are lists or objects"
    if isinstance(column, Numbers):
        return _guess_numbers(name, column)
    return _guess_strings(name, column)


def _guess_numbers(name: str, column: Numbers) -> tuple[Role, str]:
    given = column.values[~np.isnan(column.values)]
    if not len(given):
        return Role.IGNORE, "it is empty in the first rows"
    consecutive = len(given) >= ROWS_FOR_AN_ID and bool((np.diff(given) == 1).all())
    if name.lower() in ID_NAMES and (consecutive or len(np.unique(given)) == len(given)):
        return Role.ID, "it numbers the rows" if consecutive else "all values are different"
    return Role.NUMBER, f"{_shown(given.min())} to {_shown(given.max())} in the first rows"


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) and abs(value) < EXACT else f"{value:.4g}"


def _guess_strings(name: str, column: Strings) -> tuple[Role, str]:
    lengths = np.diff(column.starts)
    rows = int((lengths > 0).sum())
    if not rows:
        return Role.IGNORE, "it is empty in the first rows"
    text = column.data[column.starts[0] : column.starts[-1]]
    words = 1 + int((text == ord(" ")).sum()) / rows
    distinct = len(set(column.strings()) - {""})  # empty strings do not count, as in `rows`
    if words >= WORDS_OF_TEXT and distinct > rows // 10:
        return Role.TEXT, f"{words:.0f} words a row"
    if rows >= ROWS_FOR_AN_ID and distinct > ID_FRACTION * rows:
        if words >= 1.5 and name.lower() not in ID_NAMES:
            return Role.TEXT, f"{words:.1f} words a row, most rows different"
        return Role.ID, "most rows have a different value"
    if name.lower() in TEXT_NAMES and words >= 1.5:
        return Role.TEXT, f"{words:.1f} words a row, and its name"
    return Role.CATEGORY, f"{distinct:,} different values"


def task_of(column: Column) -> tuple[Task, str]:
    """The task for a target like this, and why."""
    if isinstance(column, Strings):
        return Task.CLASSIFICATION, "the target is text"
    return task_of_numbers(column.values)


def task_of_numbers(values: np.ndarray) -> tuple[Task, str]:
    given = np.unique(values[~np.isnan(values)])
    if (given != np.floor(given)).any():
        return Task.REGRESSION, "the target has fractions"
    if len(given) > MOST_NUMBERED_CLASSES:
        return Task.REGRESSION, f"the target has more than {MOST_NUMBERED_CLASSES} different numbers"
    return Task.CLASSIFICATION, "the target has few different whole numbers"
