"""The document: one file that needs nothing else, runs nothing, and asks nobody for anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linnet.report.figures import Section
from linnet.report.markup import Markup, element, escaped
from linnet.report.style import style_sheet

# Nothing is loaded and nothing runs, whatever the text of the page holds.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True)
class Tile:
    """A figure that the page begins with."""

    name: str
    value: str
    more: str = ""


def tiles(shown: Sequence[Tile]) -> Markup:
    made = [
        element(
            "div",
            element("dt", each.name),
            element("dd", each.value, class_="value"),
            element("dd", each.more, class_="more") if each.more else None,
        )
        for each in shown
    ]
    return element("dl", made, class_="tiles")


def document(title: str, kind: str, head: Sequence[Markup], sections: Sequence[Section]) -> str:
    """The whole page: what it is about, the figures it begins with, its sections."""
    links = [element("li", element("a", each.title, href=f"#{each.key}")) for each in sections if each.listed]
    header = element(
        "header",
        element("p", kind, class_="kind"),
        element("h1", title),
        head,
        element("nav", element("ul", links), aria_label="Sections") if len(links) > 1 else None,
    )
    footer = element(
        "footer",
        element("p", "Written by linnet, from saved results only.", class_="note"),
    )
    main = element("main", [each.html() for each in sections])
    top = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("link", rel="icon", href="data:,"),
        element("style", Markup(style_sheet())),
    ]
    body = element("body", element("div", header, main, footer, class_="page"))
    return f'<!doctype html>\n<html lang="en">{element("head", top)}\n{body}</html>\n'


def phrase(*parts: object) -> Markup:
    """Text and markup in one line."""
    return Markup("".join(part if isinstance(part, Markup) else escaped(part) for part in parts))
