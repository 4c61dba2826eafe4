"""Measuring: contenders take turns in one process, so that a noisy machine is noisy to all of them alike."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Goal:
    """What a figure should be."""

    least: float | None = None
    most: float | None = None

    def met(self, value: float) -> bool:
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def __str__(self) -> str:
        return f">= {self.least:g}" if self.least is not None else f"<= {self.most:g}"


@dataclass
class Figure:
    """One measured figure: a ratio mostly, with what it was made of."""

    workload: str
    what: str
    value: float
    goal: Goal | None = None
    detail: dict[str, Any] = field(default_factory=dict)


# Seconds between two turns: threads of the one before (OpenBLAS's, say) look out for more work for a while, on a core
# that the next one needs.
REST = 0.1


def take_turns(contenders: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """The median seconds of each, after one round that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(repeats + 1):
        for name, work in contenders.items():
            gc.collect()
            sleep(REST)
            began = perf_counter()
            work()
            if turn:
                seconds[name].append(perf_counter() - began)
    return {name: median(times) for name, times in seconds.items()}


def show(figures: list[Figure], console: Console) -> None:
    table = Table(title="linnet beside its peers", title_justify="left")
    for column, justify in (("workload", "left"), ("figure", "left"), ("value", "right"), ("goal", "right")):
        table.add_column(column, justify=justify, no_wrap=True)
    table.add_column("made of")
    for figure in figures:
        goal = "" if figure.goal is None else f"{figure.goal} {'met' if figure.goal.met(figure.value) else 'MISSED'}"
        made_of = "  ".join(f"{name} {value}" for name, value in figure.detail.items())
        table.add_row(figure.workload, figure.what, f"{figure.value:.3g}", goal, made_of)
    console.print(table)


def save(figures: list[Figure], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(figure) for figure in figures], indent=2) + "\n")
