"""What happened in each pass over the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Pass(NamedTuple):
    """One pass: rows predicted wrong (before the step on them), steps taken, mean loss, seconds."""

    mistakes: int
    updates: int
    loss: float
    seconds: float


# A learner that changes by mistakes alone has 5 passes and 100,000 presentations of a row to make fewer of them (only
# the passes, once it is known that it may need more mistakes than that: possible_margin.py); 100 steps, if each is of
# all rows at once.
PATIENCE, PRESENTATIONS, STEPS = 5, 100_000, 100


# From this many rows on, fewer passes than `patience` show whether the loss still falls.
MANY_ROWS = 200_000


def enough_passes(rows: int, patience: int = PATIENCE) -> int:
    """By how many passes to judge a learner that takes one row at a time: on few rows, by many."""
    return max(patience, -(-PRESENTATIONS // max(1, rows)))


def judged_passes(rows: int, patience: int) -> int:
    """By how many passes to judge a learner by its mean loss: of very many rows by fewer, as the mean of that many
    losses varies little from pass to pass; by two at least."""
    return min(patience, max(2, -(-patience * MANY_ROWS // max(1, rows))))


class Lowest:
    """The lowest of some figures, after each of them."""

    def __init__(self) -> None:
        self._after: list[float] = []

    def __len__(self) -> int:
        return len(self._after)

    def add(self, figure: float) -> None:
        self._after.append(min(figure, self._after[-1]) if self._after else figure)

    def fall(self, late: int) -> float:
        """By how much the last so many, of more, are lower than all before; 0 if they are not."""
        return self._after[-1 - late] - self._after[-1]


def helps(mistakes: Lowest, rows: float, tol: float, passes: int) -> bool:
    """Whether passes still help a learner that changes by mistakes alone: the later half of them, at least `passes`,
    had one with fewer mistakes than any before, by more than this fraction of the rows.  Both count by weight, if rows
    have any.

    Half of all passes, for where rows can be separated mistakes may become fewer very slowly; of many rows no more
    passes than `enough_passes`, as each takes long.
    """
    late = max(passes, min(len(mistakes) // 2, enough_passes(int(rows), passes)))
    return len(mistakes) <= late or mistakes.fall(late) > tol * rows


def memorised(history: Sequence[Pass], passes: int) -> bool:
    """Whether rows are being memorised: after so many passes the mean loss is at most half of the first pass's.

    In the first pass every row was new when its loss was counted.  A loss far below that is of rows that the learner
    knows, and further passes no longer improve what it predicts for others; on wide rows they make it worse.
    """
    return len(history) >= passes and history[-1].loss <= 0.5 * history[0].loss


Watcher = Callable[[Pass], None]


def ignore(_: Pass) -> None:
    """Watch nothing."""


def added(histories: Sequence[Sequence[Pass]]) -> list[Pass]:
    """The history of several problems solved side by side: mistakes, updates and seconds summed, losses averaged.

    A problem that has converged keeps the mistakes and the loss of its last pass.
    """
    if len(histories) == 1:
        return list(histories[0])
    together = []
    for number in range(max(len(history) for history in histories)):
        going = [history[number] for history in histories if number < len(history)]
        resting = [history[-1] for history in histories if number >= len(history)]
        together.append(
            Pass(
                sum(each.mistakes for each in (*going, *resting)),
                sum(each.updates for each in going),
                sum(each.loss for each in (*going, *resting)) / len(histories),
                sum(each.seconds for each in going),
            )
        )
    return together
