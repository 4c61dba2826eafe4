"""The catalogue of learners, by name, kind and task. Adding an algorithm is adding a row to one of its tables."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from linnet.data.task import Task as Task
from linnet.errors import RecipeError
from linnet.learners import batch_rows, counting_rows, glm_rows, online_rows, svr_rows
from linnet.learners.entry import Entry as Entry
from linnet.learners.entry import Way as Way

_TABLES = (online_rows, batch_rows, glm_rows, svr_rows, counting_rows)
ROWS: dict[str, Entry] = {row.name: row for table in _TABLES for row in table.ROWS}

# The learners to take where none is asked for.
_DEFAULTS = {
    (Way.ONLINE, Task.CLASSIFICATION): "adaptive",
    (Way.ONLINE, Task.REGRESSION): "adaptive-squared",
    (Way.BATCH, Task.CLASSIFICATION): "logistic-regression",
    (Way.BATCH, Task.REGRESSION): "ridge",
}
# Of more than MANY_CLASSES labels of texts and other thin rows, the learner whose time does not grow with them all.
MANY_CLASSES, _OF_MANY_CLASSES = 100, "crammer-singer-sparse"
# The same where a penalty is asked for.
_PENALISED = {Task.CLASSIFICATION: ("logistic-regression",), Task.REGRESSION: ("ridge", "least-squares")}

# An error names no more learners than fit in a line or two.
MOST_NAMED = 8


def entries(way: Way | None = None, task: Task | None = None) -> Iterator[Entry]:
    """The rows of the catalogue, or those run this way, for this task."""
    return (row for row in ROWS.values() if _serves(row, way, task))


def _serves(row: Entry, way: Way | None, task: Task | None) -> bool:
    return (way is None or row.way is way) and (task is None or task in row.tasks)


def find(name: str, way: Way | None = None, task: Task | None = None) -> Entry:
    """The row of this name; an error that helps where there is none, or where it does not serve."""
    row = ROWS.get(name)
    if row is not None and _serves(row, way, task):
        return row
    fitting = [entry.name for entry in entries(way, task)]
    if row is not None:
        does, wanted = f"learns {' and '.join(row.tasks)}", str(task)
        if task is None or task in row.tasks:
            does, wanted = f"is a learner of the kind {row.way}", str(way)
        raise RecipeError(f"{name!r} {does}, not {wanted}: take another, such as {_some(fitting)}")
    what = " ".join(str(word) for word in (way, task) if word) or "known"
    typed = str(name).lower()
    near = [each for each in fitting if typed in each] or get_close_matches(typed, fitting, n=3)
    hint = f"did you mean {' or '.join(map(repr, near[:3]))}?" if near else f"there are {_some(fitting)}"
    raise RecipeError(f"no {what} learner is called {name!r}: {hint}")


def default(way: Way, task: Task) -> Entry:
    """The learner to take where none is asked for."""
    return ROWS[_DEFAULTS[way, task]]


def of_many_classes() -> Entry:
    """The learner to take where none is asked for, and the labels are more than MANY_CLASSES."""
    return ROWS[_OF_MANY_CLASSES]


def penalised(task: Task) -> list[Entry]:
    """The batch learners to take where only a penalty is asked for, the first that takes it."""
    return [ROWS[name] for name in _PENALISED[task]]


def _some(names: list[str]) -> str:
    """The names in a line: of many, every second or third."""
    step = -(-len(names) // MOST_NAMED)
    named = names[::step]
    more = f" and {len(names) - len(named)} more" if len(named) < len(names) else ""
    return ", ".join(named) + more
