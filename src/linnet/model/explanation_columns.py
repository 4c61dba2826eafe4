"""Explanations of rows as the columns of a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from linnet.data.frames import Columns
from linnet.model.explanation import Explanation

BASELINE = "(baseline)"
OTHERS = "(other features)"


def explanation_columns(rows: Iterable[Explanation], top: int | None) -> Columns:
    """A line for the baseline of each row, and one for each of its `top` contributions; the others are summed."""
    columns: Columns = {name: [] for name in ("row", "label", "feature", "value", "weight", "contribution")}
    for number, each in enumerate(rows):
        shown = each.contributions if top is None else each.contributions[:top]
        lines: list[tuple[Any, ...]] = [(BASELINE, None, None, each.baseline)]
        lines += [(line.feature, line.value, line.weight, line.contribution) for line in shown]
        rest = each.contributions[len(shown) :]
        if rest:
            lines.append((OTHERS, None, None, sum(line.contribution for line in rest)))
        for line in lines:
            for name, value in zip(columns, (number, each.label, *line), strict=True):
                columns[name].append(value)
    return columns
