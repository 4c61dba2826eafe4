"""Schema: the role and the type of each column, from the first rows or the user, stored in the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from linnet.data.column_types import PLAIN_NUMBER, STRING, ColumnType, ReadAs, Reading
from linnet.data.label_types import LabelKind
from linnet.data.role import Role as Role
from linnet.data.task import Task as Task
from linnet.errors import RecipeError

# Roles of columns that features are made of.
FEATURE_ROLES = (Role.NUMBER, Role.CATEGORY, Role.TEXT, Role.DATE, Role.SET, Role.FEATURES)
_READ_AS = {Role.NUMBER: ReadAs.NUMBER, Role.WEIGHT: ReadAs.NUMBER, Role.DATE: ReadAs.NUMBER,
            Role.CATEGORY: ReadAs.CATEGORY, Role.TEXT: ReadAs.TEXT, Role.ID: ReadAs.TEXT,
            Role.SET: ReadAs.TEXT, Role.FEATURES: ReadAs.TEXT}  # fmt: skip


@dataclass(frozen=True)
class Schema:
    """Roles and types by column, in the columns' order, and why each was chosen.

    `rows` is the number of rows that the types were inferred from; `missing` are markers of missing values that the
    user gave; `labels` is how the type of labels is known.
    """

    roles: Mapping[str, Role]
    reasons: Mapping[str, str] = field(default_factory=dict, compare=False)
    types: Mapping[str, ColumnType] = field(default_factory=dict)
    rows: int = 0
    missing: tuple[str, ...] = ()
    labels: LabelKind = field(default=LabelKind.SPELT, compare=False)

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

    def type_of(self, name: str) -> ColumnType:
        """The type of a column: a plain number or a string, by its role, if none was inferred."""
        return self.types.get(name) or (PLAIN_NUMBER if self.roles[name] in (Role.NUMBER, Role.WEIGHT) else STRING)

    def columns_to_read(self, task: Task, *, with_target: bool = True, strict: bool = False) -> dict[str, Reading]:
        """The columns to read, and how; where it is strict, a row with a value that does not fit is a bad one."""
        wanted: dict[str, Reading] = {}
        for name, role in self.roles.items():
            if role is Role.TARGET and with_target:
                read_as = ReadAs.NUMBER if task is Task.REGRESSION else ReadAs.LABEL
                kind = self.type_of(name)
                if task is Task.REGRESSION and kind == STRING:
                    kind = PLAIN_NUMBER
                wanted[name] = Reading(kind, read_as, strict=True, missing=self.missing)
            elif role in _READ_AS:
                required = strict or role is Role.WEIGHT
                wanted[name] = Reading(self.type_of(name), _READ_AS[role], strict=required, missing=self.missing)
        return wanted
