"""HTML and SVG from elements.  Text that is not markup is escaped where it enters, in one place: `escaped`.

Names and labels are not ours and may hold anything: an element takes text for text, whatever it looks like, and
only what `element` made is markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

# C0 and C1 controls, changes of the writing direction, halves of characters and what is no character: shown as escapes.
# HTML cannot hold most of them, and the others would change how the text beside them reads.
CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
# Elements without content, which have no end tag.
EMPTY = frozenset({"meta", "link", "br", "hr", "wbr", "line", "rect", "circle", "path", "polyline", "polygon"})


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Content = "str | float | Markup | None | Iterable[Content]"


def escaped(text: object) -> Markup:
    """Any text as markup that shows it; controls as escapes such as \\x1b."""
    return Markup(escape(CONTROLS.sub(_visible, str(text)), quote=True))


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def joined(content: object) -> Markup:
    """Markup as it is, text escaped, of a list all of it, nothing of None."""
    if content is None:
        return Markup("")
    if isinstance(content, Markup):
        return content
    if isinstance(content, str) or not isinstance(content, Iterable):
        return escaped(content)
    return Markup("".join(map(joined, content)))


def element(name: str, /, *content: object, **attributes: object) -> Markup:
    """<name attribute="value">content</name>.

    Of the names of attributes, a final _ is dropped (`class_`), and others are hyphens (`stroke_width`); those of None
    are left out.
    """
    spelt = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in EMPTY and not content:
        return Markup(f"<{name}{spelt}/>" if name not in ("meta", "link", "br", "hr", "wbr") else f"<{name}{spelt}>")
    return Markup(f"<{name}{spelt}>{joined(content)}</{name}>")


def number(value: object) -> object:
    """Floating-point numbers of attributes, which are coordinates mostly, to a hundredth of a pixel."""
    if not isinstance(value, float):
        return value
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def shortened(text: object, most: int) -> str:
    """Text of no more than this many characters."""
    spelt = str(text)
    return spelt if len(spelt) <= most else f"{spelt[: most - 1]}…"
