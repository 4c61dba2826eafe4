"""Charts: lines, points, bars and bands over two axes, as SVG.

A chart is drawn in its own units, 400 wide, which is about what a telephone shows: its text keeps a readable size
there, and wider screens put several charts side by side.  Colours are classes, which the style sheet of the page gives
their values for light and dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from linnet.report.markup import Markup, element, shortened
from linnet.report.scales import Scale, tick_labels

WIDTH, HEIGHT = 400.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 14.0, 26.0, 44.0
# The width of a character of chart text, roughly.
CHARACTER = 6.3
# Marks by which series differ beside their colour.
SHAPES = ("circle", "square", "triangle", "diamond")
SERIES = 8


@dataclass
class Chart:
    """A picture with scales `x` and `y`; what is added last is in front."""

    x: Scale
    y: Scale
    x_title: str = ""
    y_title: str = ""
    width: float = WIDTH
    height: float = HEIGHT
    parts: list[Markup] = field(default_factory=list)
    marks: list[Markup] = field(default_factory=list)

    def add(self, *parts: Markup) -> None:
        self.parts += parts

    def line(self, xs: Sequence[float], ys: Sequence[float], class_: str, name: str | None = None) -> None:
        points = " ".join(f"{self.x(a):.2f},{self.y(b):.2f}" for a, b in zip(xs, ys, strict=True))
        self.add(element("polyline", points=points, class_=f"line {class_}", data_name=name))

    def area(self, xs: Sequence[float], lows: Sequence[float], highs: Sequence[float], class_: str) -> None:
        """What is between two lines."""
        there = [(a, b) for a, b in zip(xs, lows, strict=True)]
        back = [(a, b) for a, b in zip(xs, highs, strict=True)][::-1]
        points = " ".join(f"{self.x(a):.2f},{self.y(b):.2f}" for a, b in (*there, *back))
        self.add(element("polygon", points=points, class_=f"area {class_}"))

    def segment(
        self, start: tuple[float, float], stop: tuple[float, float], class_: str, name: str | None = None
    ) -> None:
        """A straight line between two points."""
        (a, b), (c, d) = start, stop
        self.add(element("line", x1=self.x(a), y1=self.y(b), x2=self.x(c), y2=self.y(d), class_=class_, data_name=name))

    def point(self, x: float, y: float, class_: str, shape: str = "circle", title: str = "", size: float = 3.2) -> None:
        self.add(mark(self.x(x), self.y(y), class_, shape, title, size))

    def interval(self, at: float, low: float, high: float, class_: str) -> None:
        """An upright whisker from low to high."""
        self.segment((at, low), (at, high), f"whisker {class_}")

    def bar(self, left: float, right: float, low: float, high: float, class_: str, title: str = "") -> None:
        x, y = sorted((self.x(left), self.x(right))), sorted((self.y(low), self.y(high)))
        self.add(
            element(
                "rect",
                *([element("title", title)] if title else []),
                x=x[0],
                y=y[0],
                width=max(x[1] - x[0], 0.0),
                height=max(y[1] - y[0], 0.0),
                class_=f"bar {class_}",
            )
        )

    def text(self, x: float, y: float, words: str, class_: str = "", anchor: str = "start") -> None:
        """Text at a place given in pixels."""
        self.add(label(x, y, words, class_, anchor))

    def body(self, *, about: tuple[int, int] = (5, 5), frame: bool = True) -> Markup:
        """Axes and content, without the svg element."""
        axes = [*self._x_axis(about[0]), *self._y_axis(about[1])] if frame else []
        return element("g", axes, self.parts, self.marks)

    def _x_axis(self, about: int) -> list[Markup]:
        ticks, bottom = self.x.ticks(about), max(self.y.start, self.y.stop)
        top, lines = min(self.y.start, self.y.stop), []
        for tick, spelt in zip(ticks, tick_labels(ticks), strict=True):
            at = self.x(tick)
            lines.append(element("line", x1=at, y1=top, x2=at, y2=bottom, class_="grid"))
            lines.append(label(at, bottom + 16, spelt, "tick x-tick", "middle"))
        lines.append(element("line", x1=self.x.start, y1=bottom, x2=self.x.stop, y2=bottom, class_="axis"))
        if self.x_title:
            middle = (self.x.start + self.x.stop) / 2
            lines.append(label(middle, bottom + 34, shortened(self.x_title, 56), "axis-title", "middle"))
        return lines

    def _y_axis(self, about: int) -> list[Markup]:
        ticks, left, right = self.y.ticks(about), self.x.start, self.x.stop
        lines = []
        for tick, spelt in zip(ticks, tick_labels(ticks), strict=True):
            at = self.y(tick)
            lines.append(element("line", x1=left, y1=at, x2=right, y2=at, class_="grid"))
            lines.append(label(left - 6, at + 4, spelt, "tick y-tick", "end"))
        if self.y_title:  # above the axis, where it can be read without turning the head
            top = min(self.y.start, self.y.stop)
            lines.append(label(4.0, top - 12, shortened(self.y_title, 56), "axis-title"))
        return lines


def across(width: float = WIDTH) -> tuple[float, float]:
    """Where the x axis of a chart begins and ends."""
    return LEFT, width - RIGHT


def upwards(height: float = HEIGHT) -> tuple[float, float]:
    """Where the y axis of a chart begins, at the bottom, and ends."""
    return height - BOTTOM, TOP


def label(x: float, y: float, words: str, class_: str = "", anchor: str = "start") -> Markup:
    return element("text", words, x=x, y=y, class_=class_ or None, text_anchor=None if anchor == "start" else anchor)


def mark(x: float, y: float, class_: str, shape: str = "circle", title: str = "", size: float = 3.2) -> Markup:
    """One point; shapes of about equal area."""
    tip = [element("title", title)] if title else []
    class_ = f"point {class_}"
    if shape == "circle":
        return element("circle", *tip, cx=x, cy=y, r=size, class_=class_)
    if shape == "square":
        side = 1.75 * size
        return element("rect", *tip, x=x - side / 2, y=y - side / 2, width=side, height=side, class_=class_)
    r = 1.3 * size
    corners = [(0, -r), (r, r * 0.8), (-r, r * 0.8)] if shape == "triangle" else [(0, -r), (r, 0), (0, r), (-r, 0)]
    points = " ".join(f"{x + a:.2f},{y + b:.2f}" for a, b in corners)
    return element("polygon", *tip, points=points, class_=class_)


def series(index: int) -> str:
    """The class that colours a series."""
    return f"s{index % SERIES}"


def shape(index: int) -> str:
    return SHAPES[index % len(SHAPES)]
