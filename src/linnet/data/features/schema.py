"""Schema: the part each column plays, guessed from the first rows, overridden by the user, kept in the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum

import numpy as np

from linnet.data.sources.block import Block, Column, Numbers, Strings
from linnet.data.task import Task as Task
from linnet.errors import InputError, RecipeError


class Role(StrEnum):
    """What a column is for."""

    TARGET = "target"
    WEIGHT = "weight"
    ID = "id"
    NUMBER = "number"
    CATEGORY = "category"
    TEXT = "text"
    IGNORE = "ignore"


# A target of whole numbers with no more values than this is taken for classes.
MOST_NUMBERED_CLASSES = 20
# Strings of this many words on average are text.
WORDS_OF_TEXT = 3.0
# Strings that differ in more than this share of the rows tell nothing as categories.
SHARE_OF_AN_ID = 0.9
ROWS_TO_TELL_AN_ID = 50
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
            raise RecipeError(f"{len(found)} columns have the role {role} ({', '.join(found)}): only one can")
        return found[0] if found else None

    @property
    def target(self) -> str | None:
        return self.only(Role.TARGET)

    def reading(self, task: Task, *, with_target: bool = True) -> dict[str, bool]:
        """The columns to read, each with whether it is a number."""
        wanted: dict[str, bool] = {}
        for name, role in self.roles.items():
            if role is Role.TARGET and with_target:
                wanted[name] = task is Task.REGRESSION
            elif role in (Role.NUMBER, Role.WEIGHT):
                wanted[name] = True
            elif role in (Role.CATEGORY, Role.TEXT, Role.ID):
                wanted[name] = False
        return wanted


def inferred(sample: Block, names: tuple[str, ...], target: str | None, given: Mapping[str, Role]) -> Schema:
    """A role for every column: given by the user, or guessed from the sample."""
    for name in [*given, *([target] if target is not None else [])]:
        if name not in names:
            near = get_close_matches(name, names, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names[:20])}"
            raise RecipeError(f"no column is called {name!r}: {hint}")
    if target is None and Role.TARGET not in given.values():
        raise RecipeError(f"which column is to be predicted? --target COLUMN, one of {', '.join(names[:20])}")
    roles: dict[str, Role] = {}
    reasons: dict[str, str] = {}
    for name in names:
        if name == target:
            roles[name], reasons[name] = Role.TARGET, "given"
        elif name in given:
            roles[name], reasons[name] = given[name], "given"
        else:
            roles[name], reasons[name] = _guess(name, sample.columns.get(name))
    schema = Schema(roles, reasons)
    schema.only(Role.TARGET), schema.only(Role.WEIGHT)
    if not any(role in (Role.NUMBER, Role.CATEGORY, Role.TEXT) for role in roles.values()):
        raise InputError("no column is left to learn from: give one a role with --column NAME:ROLE")
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
    counting = len(given) >= ROWS_TO_TELL_AN_ID and bool((np.diff(given) == 1).all())
    if name.lower() in ID_NAMES and (counting or len(np.unique(given)) == len(given)):
        return Role.ID, "it numbers the rows" if counting else "no two rows share a value"
    return Role.NUMBER, "numbers"


def _guess_strings(name: str, column: Strings) -> tuple[Role, str]:
    lengths = np.diff(column.starts)
    rows = int((lengths > 0).sum())
    if not rows:
        return Role.IGNORE, "it is empty in the first rows"
    text = column.data[column.starts[0] : column.starts[-1]]
    words = 1 + int((text == ord(" ")).sum()) / rows
    distinct = len(set(column.strings()) - {""})  # as in `rows`: what is empty tells nothing
    if words >= WORDS_OF_TEXT and distinct > rows // 10:
        return Role.TEXT, f"{words:.0f} words a row"
    if rows >= ROWS_TO_TELL_AN_ID and distinct > SHARE_OF_AN_ID * rows:
        if words >= 1.5 and name.lower() not in ID_NAMES:
            return Role.TEXT, f"{words:.1f} words a row, hardly two alike"
        return Role.ID, "hardly two rows share a value"
    if name.lower() in TEXT_NAMES and words >= 1.5:
        return Role.TEXT, f"{words:.1f} words a row, and its name"
    return Role.CATEGORY, f"{distinct:,} different values"


def task_of(column: Column) -> tuple[Task, str]:
    """What kind of target this is, and why."""
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
