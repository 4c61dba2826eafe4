"""A figure: heading, picture with its text alternative, caption, and the numbers as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from linnet.report.markup import Markup, element

# Rows of a table behind a picture.
MOST_ROWS = 250


@dataclass(frozen=True)
class Table:
    """Column titles and rows; the first column names the row, the others are numbers unless `words`."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    words: bool = False
    left: frozenset[int] = frozenset({0})

    def html(self, name: str) -> Markup:
        """The table in a box of its own, in which it scrolls where it is too wide."""
        shown = self.rows[:MOST_ROWS]
        head = element(
            "tr", [element("th", title, scope="col", class_=self._class(i)) for i, title in enumerate(self.columns)]
        )
        body = [
            element("tr", [element("td" if i else "th", cell, scope=None if i else "row", class_=self._class(i))
                           for i, cell in enumerate(row)])
            for row in shown
        ]  # fmt: skip
        more = (
            element("p", f"{len(self.rows) - len(shown):,} more rows are not shown.", class_="note")
            if len(self.rows) > len(shown)
            else None
        )
        table = element("table", element("thead", head), element("tbody", body))
        return element("div", table, more, class_="scroll", role="group", aria_label=name, tabindex="0")

    def _class(self, column: int) -> str | None:
        return None if column in self.left or self.words else "n"


@dataclass(frozen=True)
class Figure:
    """A picture of the page: `key` is unique among them."""

    key: str
    title: str
    description: str
    picture: Markup
    width: float
    height: float
    table: Table | None = None
    caption: object = ""
    legend: tuple[tuple[str, str], ...] = ()
    wide: bool = False

    def html(self, prefix: str = "") -> Markup:
        key = f"{prefix}{self.key}"
        svg = element(
            "svg",
            element("title", self.title, id=f"{key}-title"),
            element("desc", self.description, id=f"{key}-desc"),
            self.picture,
            viewBox=f"0 0 {self.width:g} {self.height:g}",
            role="img",
            aria_labelledby=f"{key}-title {key}-desc",
            xmlns="http://www.w3.org/2000/svg",
        )
        keys = [
            element("li", element("span", class_=f"key {class_}", aria_hidden="true"), name)
            for class_, name in self.legend
        ]
        return element(
            "figure",
            element("h3", self.title),
            element("ul", keys, class_="legend") if keys else None,
            svg,
            element("figcaption", self.caption) if self.caption else None,
            numbers(self.table, f"Numbers of the picture: {self.title}") if self.table is not None else None,
            id=key,
            class_="figure wide" if self.wide else "figure",
        )


def numbers(table: Table, name: str) -> Markup:
    """A table that is shown when it is asked for."""
    return element("details", element("summary", "Numbers"), table.html(name))


@dataclass
class Section:
    """A part of the page with a heading."""

    key: str
    title: str
    content: list[Markup] = field(default_factory=list)
    listed: bool = True  # among the links at the top

    def add(self, *parts: Markup | None) -> None:
        self.content += [part for part in parts if part]

    def figures(self, figures: Iterable[Figure | None], prefix: str = "") -> None:
        """Pictures side by side, as many as there is room for."""
        made = [each.html(prefix) for each in figures if each is not None]
        if made:
            self.add(element("div", made, class_="figures"))

    def html(self) -> Markup:
        return element(
            "section", element("h2", self.title, id=f"{self.key}-heading"), self.content, id=self.key,
            aria_labelledby=f"{self.key}-heading",
        )  # fmt: skip


def paragraph(*content: object, class_: str | None = None) -> Markup:
    return element("p", *content, class_=class_)


def bullets(items: Sequence[object], class_: str | None = None) -> Markup:
    return element("ul", [element("li", item) for item in items], class_=class_)
