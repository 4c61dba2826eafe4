"""How results and progress look in a terminal."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from linnet.learners import catalogue
from linnet.learners.recipe import Update
from linnet.model.model import Model
from linnet.pipeline.certify import as_stated
from linnet.pipeline.online import recipe_again
from linnet.pipeline.train import Progress

WIDTH = 28
MOST_CLASSES_SHOWN = 6


def percent(share: float) -> str:
    """A share as a person would say it."""
    said = f"{100 * share:.2f}" if share > 0.99 else f"{100 * share:.1f}"
    return "99.99 %" if said == "100.00" and share < 1 else f"{said} %"


def megabytes(count: float) -> str:
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count:.0f} bytes"


def cost_line(costs: dict[str, Any]) -> str:
    """What decisions cost a row, beside what they were expected to, and the cost of knowing nothing of a row."""
    if costs["realised"] is None:
        return "[dim]no row was decided on[/]"
    low, high = costs["realised_interval"]
    span = "" if low is None else f"95 % interval {low:.4g} to {high:.4g}; "
    return (
        f"{costs['realised']:.4g} a row [dim]({span}expected by the probabilities: {costs['expected']:.4g}; "
        f"always the one best decision: {costs['baseline']:.4g})[/]"
    )


def threshold_lines(model: Model) -> list[str]:
    """The threshold that was chosen for a metric, and what it brought on rows not learnt from."""
    told, rule = model.summary.get("threshold"), model.rule
    if not told or rule is None or rule.metric is None or rule.threshold is None or not model.classes:
        return []
    second, aim = escape(str(model.classes[1])), aim_line(told)
    lines = [f"{second} above a probability of {rule.threshold:.4g}: the best for {aim}"]
    before = figures_line(told["at_usual_threshold"])
    lines.append(
        f"[dim]{figures_line(told['at_threshold'])} on {told['rows']:,} rows not learnt from, which chose it "
        f"({before} at {told['usual_threshold']:g})[/]"
    )
    if held := told.get("held_out"):
        figures = {name: value for name, value in held.items() if name != "rows"}
        lines.append(f"[dim]{figures_line(figures)} on the {held['rows']:,} rows held out, which did not[/]")
    return lines


def aim_line(told: dict[str, Any]) -> str:
    """What a threshold was chosen for; a metric that takes both labels alike finds neither of them."""
    return f"{told['metric']}" + ("" if told["label"] is None else f" in finding {escape(str(told['label']))}")


def figures_line(figures: dict[str, float | None]) -> str:
    """Measures by name."""
    return ", ".join(f"{name} {'–' if value is None else f'{value:.4f}'}" for name, value in figures.items())


def verdict(summary: dict[str, Any]) -> list[str]:
    """What is known of how good a model is, from held-out rows or from the rows before they were learnt."""
    held, progressive = summary.get("held_out"), summary.get("progressive")
    lines = []
    if held and held.get("accuracy") is not None:
        low, high = held["accuracy_interval"]
        lines.append(
            f"[bold]held out[/] {percent(held['accuracy'])} right of {held['rows']:,} rows "
            f"[dim](95 % interval {percent(low)} to {percent(high)}; "
            f"always the most frequent label: {percent(held['baseline_accuracy'])})[/]"
        )
        lines.append(
            "         [dim]measured on a model that had not seen these rows; the one saved has learnt them too[/]"
            if "progressive" not in summary
            else "         [dim]rows the model has not learnt, but which chose the best of its passes[/]"
        )
        if held.get("costs"):
            lines.append(f"         at a cost of {cost_line(held['costs'])}")
    elif held and held.get("r2") is not None:
        low, high = held["r2_interval"]
        span = "" if low is None else f" (95 % interval {low:.3f} to {high:.3f})"
        lines.append(
            f"[bold]held out[/] R² {held['r2']:.3f} on {held['rows']:,} rows[dim]{span}; RMSE {held['rmse']:.4g}[/]"
        )
    if progressive and progressive.get("mistakes") is not None and progressive["rows"]:
        wrong = progressive["mistakes"] / progressive["rows"]
        copies = ", of which heavy ones came several times" if progressive["rows"] > summary.get("rows", 0) else ""
        lines.append(
            f"[bold]on the way[/] {percent(1 - wrong)} right of {progressive['rows']:,} rows, "
            f"[dim]each predicted before it was learnt{copies}[/]"
        )
    if not lines:
        lines.append(
            "[dim]         too few rows to hold some out: linnet evaluate on other data tells how good it is[/]"
        )
    return lines


def penalised(model: Model) -> str:
    """How strongly the weights were held back, and how many classes were taken; nothing where that is not kept."""
    if "recipe" not in model.summary:
        return ""
    entry = as_stated(catalogue.find(model.learner), model.summary["recipe"])
    penalty, reduction = entry.recipe.penalty, entry.recipe.reduction
    weight = penalty.l1 + penalty.l2
    kind = "l2" if not penalty.l1 else "l1" if not penalty.l2 else f"elasticnet, {penalty.l1 / weight:g} of it l1"
    strength = f"C = {1 / weight:g}" if weight and entry.strength == "C" else f"alpha = {weight:g}"
    said = f"{kind}, {strength}" if weight else "none"
    said += ", of the intercept too" if penalty.intercept else ""
    return said + (f"; classes {reduction}" if model.classes and len(model.classes) > 2 else "")


def weighed(model: Model) -> str:
    """How much the rows of each label counted, where that was asked for."""
    each = model.summary.get("class_weight") or {}
    shown = [f"{label} {weight:.4g}" for label, weight in list(each.items())[:MOST_CLASSES_SHOWN]]
    return ", ".join(shown) + (f" and {len(each) - len(shown)} more" if len(each) > len(shown) else "")


def winnowed(model: Model) -> str:
    """What Winnow multiplied by and compared with; nothing for other learners, or where that is not kept."""
    recipe = catalogue.find(model.learner).recipe
    if "run" not in model.summary or recipe.update is not Update.MULTIPLICATIVE:
        return ""
    factors = recipe_again(recipe, model.summary).factors
    return f"α = {factors.promotion:g}" + ("" if factors.threshold is None else f", Θ = {factors.threshold:g}")


class Shower:
    """Progress on standard error: a bar that moves in a terminal, nothing where there is none."""

    def __init__(self, *, quiet: bool) -> None:
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._quiet = quiet
        self._began = perf_counter()
        self._shown = 0.0
        self._live: Live | None = None
        if not quiet and sys.stderr.isatty():
            self._live = Live(console=self._console, transient=True, auto_refresh=False)

    def __enter__(self) -> Shower:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def say(self, line: str) -> None:
        if not self._quiet:
            self._console.print(line)

    def progress(self, now: Progress) -> None:
        if self._live is None or perf_counter() - self._shown < 0.1:
            return
        self._shown = perf_counter()
        self._live.update(self._line(now), refresh=True)

    def _line(self, now: Progress) -> Text:
        seconds = max(perf_counter() - self._began, 1e-6)
        parts = [f"{now.stage}"]
        if now.size and now.read:
            done = min(1.0, now.read / now.size)
            bar = "━" * int(WIDTH * done)
            parts.append(f"{bar:<{WIDTH}} {100 * done:3.0f} %")
        parts.append(f"{now.rows:,} rows")
        if now.read:
            parts += [f"{now.rows / seconds:,.0f} rows/s", f"{now.read / seconds / 1e6:.0f} MB/s"]
        if now.size and now.read and now.stage in ("reading", "pass 1"):
            parts.append(f"{seconds * (now.size / now.read - 1):.0f} s left")
        if now.mistakes is not None:
            parts.append(f"{100 * now.mistakes:.1f} % wrong")
        if now.loss is not None:
            parts.append(f"loss {now.loss:.4g}")
        return Text("  ".join(parts), style="cyan", no_wrap=True, overflow="ellipsis")
