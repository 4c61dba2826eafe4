"""HTML for notebooks: small tables without colours of their own, for light and dark pages, all text escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape

# Of longer tables the first rows are shown; longer names are cut.
MOST_ROWS = 20
LONGEST = 60
CELL = "padding:0.15em 0.8em 0.15em 0;border:none;background:none;vertical-align:top"
HEAD = f"{CELL};font-weight:600;border-bottom:1px solid"
WARNING = "warning"

Cell = str | int | float | None


def card(title: str, facts: Iterable[tuple[str, str]], *parts: str) -> str:
    """A title, facts by name, and further parts, which are HTML."""
    lines = "".join(
        f'<tr><td style="{CELL};text-align:left;white-space:nowrap;opacity:0.75">{shown(name)}</td>'
        f'<td style="{CELL};text-align:left">{text(value)}</td></tr>'
        for name, value in facts
    )
    body = f'<table style="border-collapse:collapse;margin:0.2em 0">{lines}</table>' if lines else ""
    return f"<div><strong>{text(title)}</strong>{body}{''.join(parts)}</div>"


def table(columns: Mapping[str, Sequence[Cell]], rows: int = MOST_ROWS) -> str:
    """Columns of equal length: text to the left, numbers to the right."""
    length = max((len(values) for values in columns.values()), default=0)
    heads = "".join(
        f'<th style="{HEAD};text-align:{_side(values)}">{shown(name)}</th>' for name, values in columns.items()
    )
    lines = "".join(
        "<tr>"
        + "".join(
            f'<td style="{CELL};text-align:{_side(values)}">{shown(values[row])}</td>' for values in columns.values()
        )
        + "</tr>"
        for row in range(min(length, rows))
    )
    more = f'<p style="opacity:0.75;margin:0.2em 0">and {length - rows:,} more</p>' if length > rows else ""
    made = f'<table style="border-collapse:collapse;margin:0.2em 0"><thead><tr>{heads}</tr></thead>'
    return f"{made}<tbody>{lines}</tbody></table>{more}"


def folded(title: str, content: str) -> str:
    """What is shown at a click; the content is HTML."""
    return f"<details><summary>{text(title)}</summary>{content}</details>"


def preformatted(content: str) -> str:
    return f'<pre style="background:none;color:inherit;margin:0.2em 0">{escape(content)}</pre>'


def text(content: str) -> str:
    """Text of any length, escaped."""
    return escape(content if content.isprintable() else repr(content)[1:-1])


def shown(value: Cell) -> str:
    """A value of a table, escaped; a name is cut if it is long."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return "–" if math.isnan(value) else f"{value:.4g}"
    return text(value if len(value) <= LONGEST else f"{value[: LONGEST - 3]}...")


def _side(values: Sequence[Cell]) -> str:
    return "left" if any(isinstance(value, str) for value in values) else "right"
