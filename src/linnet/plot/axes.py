"""What all plots share: matplotlib when it is needed, axes to draw on, colours, and names as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which people of all kinds of colour vision can tell apart; by purpose, then for classes.
BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE, YELLOW, GREY = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442", "#7F7F7F",
)  # fmt: skip
CLASS_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW, GREY)
INK = "#222222"
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LONGEST = 40
MISSING = "linnet.plot draws with matplotlib, which is not installed: pip install 'linnet[plot]'"


def axes(ax: Axes | None, width: float = 5.2, height: float = 4.0) -> Axes:
    """The axes that were given, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(MISSING) from error
    _, made = pyplot.subplots(figsize=(width, height), layout="constrained")
    return made


def dressed(ax: Axes, x: str, y: str, title: str = "", *, grid: str = "both") -> Axes:
    """Labels, no box, and thin lines behind the marks."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if title:
        ax.set_title(title, fontsize="medium", loc="left")
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=GREY, alpha=0.25, linewidth=0.6)  # type: ignore[arg-type]
    return ax


def as_text(name: object, longest: int = LONGEST) -> str:
    """A name of the data as it is shown: short, in one line, and not taken for a formula.

    A `$` begins a formula of matplotlib's, and a `_` at the beginning hides a line from the legend: both are escaped.
    """
    text = str(name)
    text = text if text.isprintable() else repr(text)[1:-1]
    text = text if len(text) <= longest else f"{text[: longest - 3]}..."
    text = text.replace("$", r"\$")
    return f"\N{HAIR SPACE}{text}" if text.startswith("_") else text


def colour(number: int) -> str:
    return CLASS_COLOURS[number % len(CLASS_COLOURS)]


def marker(number: int) -> str:
    return MARKERS[number % len(MARKERS)]


def legend(ax: Axes, **where: Any) -> None:
    ax.legend(frameon=False, fontsize="small", **where)


def legend_above(ax: Axes, columns: int = 2) -> None:
    """Where it hides nothing."""
    legend(ax, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, borderaxespad=0.2)
