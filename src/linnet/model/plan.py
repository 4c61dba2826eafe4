"""Plan: what will be trained, and why, shown before it is: the same on the command line and in Python."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from linnet.data.features.schema import Schema
from linnet.data.role import Role
from linnet.data.task import Task
from linnet.errors import option

# Columns whose roles are listed; of a wide table the others are counted.
MOST_SHOWN = 100
LONGEST_NAME = 60
HEAD = 14
GUESSED = "this is a guess"


class PlanLine(NamedTuple):
    """A line of the plan: what it is about, what is planned, and why."""

    head: str
    text: str
    reason: str = ""


@dataclass(frozen=True)
class Plan:
    """The schema, the task, and the learner, each with the reason for it."""

    format: str
    schema: Schema
    task: Task
    why_task: str
    learner: str
    why_learner: str
    guessed: bool = False

    def lines(self) -> list[PlanLine]:
        roles, reasons = self.schema.roles, self.schema.reasons
        columns = f"{len(roles)} columns" if roles else ""
        seen = f"types from the first {self.schema.rows:,} rows" if roles and self.schema.rows else ""
        lines = [PlanLine("data", ", ".join(filter(None, (self.format, columns, seen))))]
        shown = list(roles)[:MOST_SHOWN]
        target = self.schema.target
        if len(roles) > MOST_SHOWN and target is not None and target not in shown:
            shown.append(target)
        names = [_shown(name) for name in shown]
        width = max(map(len, names), default=0)
        for name, spelt in zip(shown, names, strict=True):
            reason = "" if roles[name] is Role.TARGET else reasons.get(name, "")
            lines.append(PlanLine("", f"{spelt:<{width}}  {roles[name]:<8}", reason))
        if len(shown) < len(roles):
            counts = Counter(role for name, role in roles.items() if name not in shown)
            kinds = ", ".join(f"{count:,} {role}" for role, count in counts.most_common())
            lines.append(PlanLine("", "", f"and {len(roles) - len(shown):,} more: {kinds}"))
        lines.append(PlanLine("task", str(self.task), self.why_task))
        if self.guessed:
            lines.append(PlanLine("", "", f"{GUESSED}: {remedy(self.task)}"))
        return lines

    def __str__(self) -> str:
        return "\n".join(f"{head:<{HEAD}} {text}  {reason}".rstrip() for head, text, reason in self.lines())


def remedy(task: Task) -> str:
    """What to do where the task was guessed wrongly."""
    if task is Task.CLASSIFICATION:
        return f"to predict a number, give {option('task', Task.REGRESSION)}"
    return f"for classes, give {option('task', Task.CLASSIFICATION)}"


def _shown(name: str) -> str:
    """A name in a table, cut so that it does not make the table wide, and in one line."""
    spelt = name if name.isprintable() else repr(name)[1:-1]
    return spelt if len(spelt) <= LONGEST_NAME else f"{spelt[: LONGEST_NAME - 3]}..."
