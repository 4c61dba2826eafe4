"""The readable text of a mail, in time linear in its size.

The standard library's parser is not: it compares every line with the boundary of every part around it, and looks for
parameters and encoded words in ways that are quadratic in a header's length. So the parts are found here, in one pass;
what a part or a short header holds is decoded by the standard library.
"""

from __future__ import annotations

import codecs
import html
import re
from dataclasses import dataclass, field
from email.header import decode_header, make_header
from email.message import Message

from linnet.data.sources.files import decoded

# Possessive, because giving back a letter of a name never helps: a long name without its bracket is read once.
TAG = re.compile(r"<(/?)([A-Za-z]*+)[^<>]*+>")
UNREAD = ("script", "style")  # the content of these elements is not displayed

# A longer From or Subject is not decoded but taken as it is: decoding encoded words is quadratic.
HEADER_AT_MOST = 2000
FIELD = re.compile(r"([!-9;-~]++):")
LINES = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++")
PARAMETER = re.compile(r';\s*+([\w-]++)(\*?(?:0\*?)?)\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)"|([^;]*+))', re.DOTALL)
# Codecs of names in the domain name system, whose decoders are quadratic; no text is written in them.
NOT_OF_TEXT = ("punycode", "idna")
CARRIED = ("from", "subject", "content-type", "content-transfer-encoding")


@dataclass
class Part:
    """A message or a part of one: the header fields that matter here, the first of each name; where its text is."""

    default: str = "text/plain"
    fields: dict[str, str] = field(default_factory=dict)
    start: int = 0
    stop: int = 0

    def add(self, header: list[str]) -> None:
        """A header field, from its line and those that continue it."""
        if header and (named := FIELD.match(header[0])) and (name := named[1].lower()) in CARRIED:
            value = "".join([header[0][named.end() :].lstrip(" \t"), *header[1:]])
            self.fields.setdefault(name, value.rstrip("\r\n"))

    @property
    def kind(self) -> str:
        """The media type, text/plain where it is malformed."""
        if "content-type" not in self.fields:
            return self.default
        kind = self.fields["content-type"].partition(";")[0].strip().lower()
        return kind if kind.count("/") == 1 else "text/plain"

    def parameter(self, name: str) -> str:
        """A parameter of the Content-Type; empty if there is none."""
        for found in PARAMETER.finditer(self.fields.get("content-type", "")):
            if found[1].lower() == name:
                value = found[4].strip() if found[3] is None else re.sub(r"\\(.)", r"\1", found[3])
                return value.split("'", 2)[-1] if found[2].endswith("*") else value  # charset'language'value
        return ""

    def text(self, mail: str) -> str:
        """What a part of text says."""
        carrier = Message()
        carrier["Content-Transfer-Encoding"] = self.fields.get("content-transfer-encoding", "").strip()
        carrier.set_payload(mail[self.start : self.stop])
        payload = carrier.get_payload(decode=True)
        text = decoded(payload if isinstance(payload, bytes) else b"", _codec(self.parameter("charset")))
        return without_tags(text) if self.kind == "text/html" else text


def mail_text(raw: bytes) -> str:
    """Sender, subject and the readable parts of a mail, decoded; HTML without its tags."""
    try:
        mail = raw.decode("ascii", "surrogateescape")
        parts = _parts(mail)
        said = [f"{name}: {_header(parts[0].fields.get(name, ''))}" for name in ("from", "subject")]
        said += [part.text(mail) for part in parts if part.kind.startswith("text/")]
        return "\n".join(said).encode("utf-8", "replace").decode()
    except Exception:  # the standard library fails on some malformed contents, in many ways
        return decoded(raw)


class _Reader:
    """Finds the parts of a mail, to any depth, in one pass over its lines."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        # The parts around the present one, outermost first: the line that separates their parts, and their type.
        self.around: dict[str, int] = {}
        self.types: list[str] = []
        self.before = ""  # the line before the present one
        self.begin(Part())

    def begin(self, part: Part) -> None:
        """A part begins, with its header."""
        self.parts.append(part)
        self.part, self.header, self.in_header, self.reading = part, list[str](), True, False

    def take(self, line: str, at: int) -> None:
        """The next line, which begins at this character of the mail."""
        if line.startswith("--") and self._separates(line):
            return
        if not self.in_header:
            if self.reading:
                self.part.start = self.part.start or at
                self.part.stop = at + len(line)
        elif line[0] in " \t" and self.header:
            self.header.append(line)
        elif FIELD.match(line) or (len(self.parts) == 1 and not self.header and line.startswith("From ")):
            self.part.add(self.header)
            self.header = [line]
        else:
            self.end_header()
            if line.strip("\r\n"):  # not the empty line that ends a header: a part may begin without one
                self.take(line, at)

    def end_header(self) -> None:
        """The header is complete: what follows is parts, a message, or a text."""
        self.part.add(self.header)
        self.in_header, kind = False, self.part.kind
        boundary = self.part.parameter("boundary").rstrip() if kind.startswith("multipart/") else ""
        if boundary and f"--{boundary}" not in self.around:
            self.around[f"--{boundary}"] = len(self.around)
            self.types.append(kind)
        elif kind.startswith("message/"):
            self.begin(Part())
        self.reading = kind.startswith("text/")

    def end(self) -> None:
        """A part ends; the end of its last line belongs to the separator of parts that follows."""
        if self.in_header:
            self.end_header()
        if self.types and self.reading and self.part.stop:
            self.part.stop -= len(self.before) - len(self.before.rstrip("\r\n"))
        self.in_header = self.reading = False

    def _separates(self, line: str) -> bool:
        """Whether this line is between two parts, or ends the last one; then those inside have ended, too."""
        line = line.rstrip()
        closing = line not in self.around
        level = self.around.get(line.removesuffix("--") if closing else line)
        if level is None:
            return False
        self.end()
        while len(self.types) > level + (not closing):
            self.around.popitem()
            self.types.pop()
        if not closing:
            self.begin(Part("message/rfc822" if self.types[-1] == "multipart/digest" else "text/plain"))
        return True


def _parts(mail: str) -> list[Part]:
    """The mail and all parts in it."""
    reader = _Reader()
    for found in LINES.finditer(mail):
        reader.take(found[0], found.start())
        reader.before = found[0]
    reader.end()
    return reader.parts


def without_tags(page: str) -> str:
    """The displayed text of a page, in one pass, whatever the page."""
    parts, at, within = [], 0, ""
    for tag in TAG.finditer(page):
        if not within:
            parts.append(page[at : tag.start()])
        closing, name = tag[1], tag[2].lower()
        if not within and not closing and name in UNREAD:
            within = name
        elif closing and name == within:
            within = ""
        at = tag.end()
    shown = " ".join([*parts, "" if within else page[at:]])
    try:
        return html.unescape(shown)
    except ValueError:  # a character's number of thousands of digits
        return shown


def _codec(charset: str) -> str:
    """The codec for the text of a part; of those unknown, or not of text, one that will fail or read bytes."""
    try:
        return "latin-1" if charset and codecs.lookup(charset).name in NOT_OF_TEXT else charset or "utf-8"
    except (LookupError, ValueError):
        return "latin-1"


def _header(value: str) -> str:
    value = value.encode("ascii", "surrogateescape").decode("ascii", "replace")
    if len(value) > HEADER_AT_MOST:
        return value
    try:
        return str(make_header(decode_header(value)))
    except (ValueError, LookupError, UnicodeError):
        return value
