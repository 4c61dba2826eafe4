"""Text that is not ours, made safe to print: names, labels, paths and messages may hold anything.

Characters that a terminal would obey (escape sequences, new lines, changes of the writing direction) are shown as
escapes, such as \\x1b.  Markup is ours alone: `plain` keeps that of others from being read as such.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from linnet.storage.atomic import write_errors

# C0 and C1 controls, marks and overrides of the writing direction, separators of lines, halves of characters (by which
# Python also names bytes that are not UTF-8), and what is no character at all.
_CONTROLS = r"\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
OBEYED = re.compile(f"[{_CONTROLS}]")
OBEYED_BUT_LINES = re.compile(f"(?!\n)[{_CONTROLS}]")
NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
# What stands for [ and \ of others between markup of ours, until it is rendered; both are no characters.
STAND_INS = str.maketrans({"[": "\ufdd0", "\\": "\ufdd1"})
STOOD_FOR = str.maketrans({"\ufdd0": "[", "\ufdd1": "\\"})


def visible(text: str) -> str:
    """A line of text in which nothing is left that a terminal would obey."""
    return OBEYED.sub(_escape, text)


def visible_lines(text: str) -> str:
    """The same for text of several lines."""
    return OBEYED_BUT_LINES.sub(_escape, text)


def plain(text: str) -> str:
    """Text that is not ours, to stand beside markup of ours; only `console` prints it."""
    return visible(text).translate(STAND_INS)


def shortened(text: str, most: int = 60) -> str:
    """A name in a table, cut so that it does not make the table wide."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def json_text(content: Any, indent: int | None = 2) -> str:
    """JSON, with what a terminal would obey written as JSON escapes: the content is the same."""
    text = json.dumps(content, ensure_ascii=False, indent=indent)
    return OBEYED_BUT_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_json(content: Any) -> None:
    """The results of a command, for machines."""
    text = json_text(content)
    if "utf" not in (sys.stdout.encoding or "").lower():  # escapes of Python's, for what it lacks, are not JSON
        text = json.dumps(content, indent=2)
    with write_errors("-"):
        print(text)


def note(text: str) -> None:
    """A line on standard error; where that cannot be written, the work goes on without it."""
    with suppress(OSError, ValueError):
        print(visible(text), file=sys.stderr, flush=True)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00  # a byte of a file name that is not UTF-8
    return NAMED.get(found[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


class SafeConsole(Console):
    """A console that lets no text through that a terminal would obey, and no links."""

    def print(self, *objects: Any, **options: Any) -> None:
        with write_errors("-"):
            super().print(*objects, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
                continue
            style = segment.style
            if style is not None and style.link:
                style = style.update_link(None)
            yield Segment(visible_lines(segment.text.translate(STOOD_FOR)), style)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(32, "broken pipe")  # of which main knows what to do


def console(*, stderr: bool = False, soft_wrap: bool = True) -> SafeConsole:
    """Where results are printed, or what happens meanwhile."""
    return SafeConsole(stderr=stderr, highlight=False, emoji=False, soft_wrap=soft_wrap)
