"""Reasons as lines of text.  They hold labels and names as the data have them: whoever prints them escapes them."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from linnet.comparison.learning_curves import ERROR_RATE
from linnet.comparison.reasons import Disagreement, LearningCurve, Reasons, Sensitivity
from linnet.comparison.wording import percent, percents, short

# Pairs of learners that are shown, those that differ most first.
PAIRS = 4
# Rows that are shown of each.
ROWS = 3
# An error that twice the rows reduce by less than this part of it, to the end of the interval, hardly changes.
LITTLE = 0.05
# As many standard deviations below the mean of random orders, that of the data is a bad one.
FAR = 4.0


def reason_lines(reasons: Reasons) -> list[str]:
    """Sections with a heading each, their lines indented; what follows from a fact is on a line of its own."""
    sections = (
        ("The data", _facts(reasons)),
        ("More rows", (_curve(each) for each in reasons.curves)),
        *_orders(reasons),
        ("Where learners disagree", _pairs(reasons)),
    )
    lines: list[str] = []
    for heading, found in sections:
        inside = [f"  {line}" for line in found]
        lines += [heading, *inside] if inside else []
    return lines


def _facts(reasons: Reasons) -> Iterator[str]:
    for fact in reasons.facts:
        yield f"{fact.name}: {fact.text}"
        if fact.meaning:
            yield f"  {fact.meaning}"


def _error(metric: str, value: float) -> str:
    return percent(value) if metric == ERROR_RATE else short(value)


def _curve(curve: LearningCurve) -> str:
    """How the error fell with the rows, and what twice as many would make of it."""
    first, last = curve.errors[0], curve.errors[-1]
    line = f"{curve.learner}: {curve.metric} {_error(curve.metric, first)} with {curve.rows[0]:,} rows, "
    line += f"{_error(curve.metric, last)} with {curve.rows[-1]:,}"
    if isnan(curve.at_twice):
        return line
    twice, (low, high) = curve.at_twice, curve.at_twice_interval
    if isnan(low):
        return f"{line}; by a power law {_error(curve.metric, twice)} with twice as many"
    within = percents(curve.at_twice_interval) if curve.metric == ERROR_RATE else f"[{short(low)}, {short(high)}]"
    line += f"; by a power law {_error(curve.metric, twice)} {within} with twice as many"
    return f"{line}: more rows hardly help" if low > (1 - LITTLE) * last else line


def _orders(reasons: Reasons) -> Iterator[tuple[str, list[str]]]:
    """What was done in the heading, if it was the same for all."""
    notes = list(dict.fromkeys(each.note for each in reasons.sensitivities))
    heading = f"Order of the rows ({notes[0]})" if len(notes) == 1 else "Order of the rows"
    yield heading, [_sensitivity(each, "" if len(notes) == 1 else f"; {each.note}") for each in reasons.sensitivities]


def _sensitivity(each: Sensitivity, note: str) -> str:
    if not each.scores:
        return f"{each.learner}: {each.note}"
    line = f"{each.learner}: {each.metric} {min(each.scores):.3f} to {max(each.scores):.3f} over {len(each.scores)} "
    line += f"orders, standard deviation {each.deviation:.4f}"
    if each.deviation > each.sampling_error:
        line += f", more than the {each.sampling_error:.4f} by which so few test rows are uncertain"
    middle = sum(each.scores) / len(each.scores)
    if each.as_given < middle - FAR * max(each.deviation, each.sampling_error):
        line += f"; in the order of the data {each.as_given:.3f}: shuffle them"
    return line + note


def _pairs(reasons: Reasons) -> Iterator[str]:
    known = [each for each in reasons.disagreements if each.compared and not isnan(each.fraction)]
    order = sorted(range(len(known)), key=lambda at: (-known[at].fraction, at))
    for at in order[:PAIRS]:
        yield from _pair(known[at])
    if len(known) > PAIRS:
        least = known[order[-1]]
        more = f"{len(known) - PAIRS} more pair{'s' if len(known) > PAIRS + 1 else ''}"
        yield f"{more}, down to {percent(least.fraction)} ({least.first} and {least.second})"


def _pair(pair: Disagreement) -> Iterator[str]:
    right = "nearer" if pair.tolerance else "right"
    apart = f" by more than {short(pair.tolerance)}" if pair.tolerance else ""
    yield (
        f"{pair.first} and {pair.second} differ{apart} on {percent(pair.fraction)} of {pair.compared:,} rows: only the "
        f"first is {right} on {pair.only_first_right:,}, only the second on {pair.only_second_right:,}"
    )
    for place, (truth, first, second) in zip(pair.rows[:ROWS], pair.answers, strict=False):
        yield f"  {place}: {truth}; {pair.first} predicts {first}, {pair.second} {second}"
