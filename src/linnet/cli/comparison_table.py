"""How the results of a comparison look in a terminal."""

from __future__ import annotations

import math

from rich.console import Console

from linnet.cli.show import aligned, line, megabytes
from linnet.cli.terminal import console, plain, shortened
from linnet.comparison.conclusion import concluded, seconds, short_names, shown
from linnet.comparison.reason_lines import reason_lines
from linnet.comparison.results import ContenderResults, Cost, Costs, DataResults, Measured, Results, larger_is_better
from linnet.comparison.results_file import costs_path

# Columns of a bar, and letters of a name.
BAR, NAME = 24, 44


def print_results(results: Results, taken: float, output: str | None) -> None:
    """A table and a conclusion for every data set, then what they come to together."""
    out = console()
    for data in results.data:
        _print_data(out, data, results)
    for number, text in enumerate(results.conclusion):
        out.print(line("" if number else "over all", plain(text)))
    if output is not None:
        out.print(line("results", f"{plain(output)}  [dim]times and memory in {plain(costs_path(output))}[/]"))
    out.print(f"[dim]{taken:.1f} s[/]")


def _print_data(out: Console, data: DataResults, results: Results) -> None:
    costs = (results.costs or Costs({})).data.get(data.name, {})
    times = f"{data.folds} folds" if data.repeats == 1 else f"{data.folds} folds × {data.repeats}"
    what = f"{data.rows:,} rows, {data.features:,} features, {times}, {data.split}"
    out.print(line("data", f"{plain(data.name)}  [dim]{what}[/]"))
    ranked = [each for each in data.contenders if _measured(each, data.metric) is not None]
    if ranked:
        for text in _table(data, ranked, costs, results.confidence):
            out.print(text)
    for number, text in enumerate(concluded(data, results.confidence, costs)):
        out.print(line("" if number else "conclusion", plain(text)))
    for text in _held_out_lines(data, ranked[0].name if ranked else ""):
        out.print(text)
    for number, text in enumerate(reason_lines(data.reasons) if data.reasons is not None else []):
        shown_text = f"[dim]{plain(text)}[/]" if text.startswith(" ") else plain(text)
        out.print(line("" if number else "reasons", shown_text))


def _held_out_lines(data: DataResults, best: str) -> list[str]:
    """The best learner against all others on one fold alone."""
    pairs = [each for each in data.held_out if each.first == best]
    if not pairs:
        return []
    names = {name: plain(shortened(each, NAME)) for name, each in short_names(data.contenders).items()}
    listed = ", ".join(f"{names[each.second]} p = {each.adjusted_p_value:.2g}" for each in pairs)
    rows = f"fold {data.held_out_fold + 1} alone, {pairs[0].rows:,} rows"
    return [line("one held-out", f"[dim]{rows}: {names[best]} against {listed} (McNemar's exact test, Holm)[/]")]


def _table(data: DataResults, ranked: list[ContenderResults], costs: dict[str, Cost], confidence: float) -> list[str]:
    """The contenders, best first: score with interval, a mark where the best is not significantly better, times."""
    measured = [(each, _measured(each, data.metric)) for each in ranked]
    found = [(each, of) for each, of in measured if of is not None]
    ends = [end for _, of in found for end in (of.interval.low, of.interval.high, of.mean) if not math.isnan(end)]
    short = short_names(data.contenders)
    alike = _alike(data, ranked[0].name, 1 - confidence)
    head = ("", "learner", data.metric, f"{100 * confidence:.0f} % interval", "fit", "predict", "memory")
    rows: list[tuple[str, ...]] = [head]
    for each, of in found:
        mark = "★" if each is ranked[0] else "≈" if each.name in alike else " "
        low, high = of.interval
        interval = "–" if math.isnan(low) else f"{shown(data.metric, low)} to {shown(data.metric, high)}"
        bar = _bar(of, min(ends), max(ends), larger=larger_is_better(data.metric))
        name = plain(shortened(short[each.name], NAME))
        rows.append((mark, name, shown(data.metric, of.mean), interval, *_costs(costs.get(each.name)), bar))
    return [*aligned(rows, "<<>>>>>"), "  [dim]★ best  ≈ no significant difference from the best[/]"]


def _alike(data: DataResults, best: str, level: float) -> set[str]:
    return {each.second for each in data.pairs if each.first == best and not each.adjusted_p_value < level}


def _costs(cost: Cost | None) -> tuple[str, str, str]:
    """Median times of a trial, and the most memory."""
    if cost is None:
        return "", "", ""
    fit, predict = (
        seconds(Cost(times, tuple(0.0 for _ in times))) for times in (cost.fit_seconds, cost.predict_seconds)
    )
    return _time(fit), _time(predict), "" if cost.peak_bytes is None else megabytes(cost.peak_bytes)


def _time(value: float) -> str:
    return f"{value:.2f} s" if value < 10 else f"{value:,.0f} s"


def _bar(measured: Measured, low: float, high: float, *, larger: bool) -> str:
    """Where the interval lies between the worst and the best end of all; the mean is a dot."""
    if not high > low:
        return ""
    cells = [" "] * BAR
    first, last = (measured.mean if math.isnan(end) else end for end in measured.interval)
    places = [round((BAR - 1) * (each - low) / (high - low)) for each in (first, measured.mean, last)]
    for at in range(places[0], places[2] + 1):
        cells[at] = "─"
    cells[places[1]] = "●"
    return "".join(cells if larger else cells[::-1])


def _measured(contender: ContenderResults, metric: str) -> Measured | None:
    return next((each for each in contender.metrics if each.metric == metric), None)
