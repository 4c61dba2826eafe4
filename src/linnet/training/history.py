"""What happened in each pass over the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import NamedTuple


class Pass(NamedTuple):
    """One pass: rows got wrong (before learning from them), steps taken, mean loss on the way, seconds."""

    mistakes: int
    updates: int
    loss: float
    seconds: float


Watcher = Callable[[Pass], None]


def ignore(_: Pass) -> None:
    """The watcher that does not look."""


def added(histories: Sequence[Sequence[Pass]]) -> list[Pass]:
    """The history of several problems learnt side by side: pass by pass, summed."""
    if len(histories) == 1:
        return list(histories[0])
    nothing = Pass(0, 0, 0.0, 0.0)
    return [
        Pass(*(sum(values) for values in zip(*side_by_side, strict=True)))
        for side_by_side in zip_longest(*histories, fillvalue=nothing)
    ]
