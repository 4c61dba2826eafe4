"""How figures look in a terminal, and the progress of a run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

from rich.text import Text

from linnet.cli.terminal import console, plain

if TYPE_CHECKING:
    from rich.live import Live

    from linnet.pipeline.services import Progress

BAR = 28
HEAD = 14


def line(head: str, text: str) -> str:
    """A line of a report: what it is about, in bold, and the text."""
    return f"[bold]{head:<{HEAD}}[/] {text}" if head else f"{'':{HEAD}} {text}"


def percent(fraction: float) -> str:
    """A fraction in percent; what rounds to 100 % without being all is 99.99 %."""
    if fraction == 1:
        return "100 %"
    text = f"{100 * fraction:.2f}" if fraction > 0.99 else f"{100 * fraction:.1f}"
    return "99.99 %" if text == "100.00" else f"{text} %"


def count(number: float) -> str:
    """A number of rows, or the sum of their weights."""
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"


def megabytes(size: float) -> str:
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size:.0f} bytes"


def no_interval(result: dict[str, Any], name: str) -> str:
    """That a metric has no interval, and why."""
    reason = result.get(f"{name}_interval_reason")
    return f"no interval: {reason}" if reason else "no interval"


def metrics_line(metrics: dict[str, float | None]) -> str:
    """Metrics by name."""
    return ", ".join(f"{plain(name)} {'–' if value is None else f'{value:.4f}'}" for name, value in metrics.items())


def cost_line(costs: dict[str, Any]) -> str:
    """The mean cost per row, beside the expected cost and that of the best constant decision."""
    if costs["realised"] is None:
        return "[dim]every row is rejected[/]"
    low, high = costs["realised_interval"]
    interval = f"{no_interval(costs, 'realised') if low is None else f'95 % interval {low:.4g} to {high:.4g}'}; "
    return (
        f"{costs['realised']:.4g} per row [dim]({interval}expected from the probabilities: {costs['expected']:.4g}; "
        f"baseline, the best constant decision: {costs['baseline']:.4g})[/]"
    )


def aligned(rows: Sequence[tuple[str, ...]], sides: str) -> list[str]:
    """Rows of cells in columns, the first row dim; `sides` has < or > for each column, and what follows is as it is."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(sides))]
    found = []
    for number, row in enumerate(rows):
        cells = [f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=False)]
        text = "  ".join([*cells, *row[len(sides) :]]).rstrip()
        found.append(f"  {text}" if number else f"  [dim]{text}[/]")
    return found


class Display:
    """Progress on standard error: a bar that moves in a terminal, nothing where there is none.

    Where standard error cannot be written, nothing is shown: the work must not fail for that.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._console = console(stderr=True)
        self._quiet = quiet
        self._began = perf_counter()
        self._shown = 0.0
        self._live: Live | None = None
        if not quiet and sys.stderr.isatty():
            from rich.live import Live

            self._live = Live(console=self._console, transient=True, auto_refresh=False)

    def __enter__(self) -> Display:
        with suppress(OSError):
            if self._live is not None:
                self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            if self._live is not None:
                self._live.stop()

    def print(self, text: str) -> None:
        with suppress(OSError):
            if not self._quiet:
                self._console.print(text)

    def progress(self, now: Progress) -> None:
        if self._live is None or perf_counter() - self._shown < 0.1:
            return
        self._shown = perf_counter()
        with suppress(OSError):
            self._live.update(self._line(now), refresh=True)

    def _line(self, now: Progress) -> Text:
        seconds = max(perf_counter() - self._began, 1e-6)
        parts = [f"{now.stage}"]
        if now.size and now.read:
            done = min(1.0, now.read / now.size)
            parts.append(f"{'━' * int(BAR * done):<{BAR}} {100 * done:3.0f} %")
        parts.append(f"{now.rows:,} rows")
        if now.read:
            parts += [f"{now.rows / seconds:,.0f} rows/s", f"{now.read / seconds / 1e6:.0f} MB/s"]
        if now.size and now.read and now.stage in ("reading", "pass 1"):
            parts.append(f"{seconds * (now.size / now.read - 1):.0f} s left")
        if now.mistakes is not None:
            parts.append(f"accuracy {100 * (1 - now.mistakes):.1f} %")
        if now.loss is not None:
            parts.append(f"loss {now.loss:.4g}")
        return Text("  ".join(parts), style="cyan", no_wrap=True, overflow="ellipsis")
