"""Encodings of text: their names, how they are recognised, and text in any of them as UTF-8.

What is inferred is inferred by these rules.  A file with a byte order mark is what the mark says; one in which nearly
every other byte is 0 is UTF-16.  Of all other files, the first rows (sampling.py) decide together: they are UTF-8 if
all of their characters are, or more of those beyond ASCII than not; else Windows-1252.

A byte that does not fit the encoding becomes the byte ff and two hexadecimal digits, which are not UTF-8: it is found
where other bad text is found, with its line and column.  A light module: `linnet --help` must not load NumPy.
"""

from __future__ import annotations

import codecs
import re
from typing import Any

UTF8 = "utf-8"
# What a byte that does not fit becomes, before its two digits.
UNFIT = 0xFF
_MARKS = (
    (b"\xef\xbb\xbf", UTF8),
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
# Python's names for the encodings that can be named, other than UTF-8; others are slow, or are not of text.
_KNOWN = frozenset(
    ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "koi8-r", "koi8-u", "mac-roman",
     "shift_jis", "cp932", "euc_jp", "gb2312", "gbk", "gb18030", "big5", "cp950", "euc_kr", "cp949",
     *(f"iso8859-{i}" for i in range(1, 17) if i != 12), *(f"cp{i}" for i in (437, 850, 852, 866)),
     *(f"cp{i}" for i in range(1250, 1259))]
)  # fmt: skip
_COMMON_NAMES = {"iso8859-1": "latin-1"} | {f"cp{i}": f"windows-{i}" for i in range(1250, 1259)}
LOOKED_AT = 4096


def encoding_named(name: str) -> str | None:
    """The encoding by its common name; None if it is not known."""
    try:
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    if known in ("utf-8", "utf-8-sig", "ascii"):
        return UTF8
    return _COMMON_NAMES.get(known, known) if known in _KNOWN else None


def marked_encoding(head: bytes) -> str | None:
    """The encoding that the beginning of a file shows without reading its text: by a mark, or by bytes that are 0."""
    if head.startswith(b"PAR1"):  # Parquet, which is not text
        return None
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    head = head[:LOOKED_AT]
    pairs = len(head) // 2
    if b"\0" not in head or not pairs:
        return None
    high, low = head[: 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0)
    if 5 * max(high, low) > pairs and 3 * min(high, low) < max(high, low):
        return "utf-16-be" if high > low else "utf-16-le"
    return None


NOT_ASCII, UNDECODED = re.compile("[^\x00-\x7f]"), re.compile("[\udc80-\udcff]")


def encoding_of_rows(rows: list[bytes]) -> str:
    """UTF-8 or Windows-1252, from the first rows of files that have no mark."""
    if _all_utf8(rows):
        return UTF8
    fitting = unfit = 0
    for raw in rows:
        if raw.isascii():
            continue
        text = raw.decode(UTF8, "surrogateescape")
        wrong = len(UNDECODED.findall(text))
        fitting += len(NOT_ASCII.findall(text)) - wrong
        unfit += wrong
    return UTF8 if not unfit or fitting > unfit else "windows-1252"


def _all_utf8(rows: list[bytes]) -> bool:
    try:
        for raw in rows:
            raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _marked_unfit(error: UnicodeError) -> tuple[str | bytes, int]:
    """What codecs put where a byte does not fit: a character that no text has, and for that the bytes of UNFIT."""
    if isinstance(error, UnicodeDecodeError):
        return "".join(chr(0xDC00 + byte) for byte in error.object[error.start : error.end]), error.end
    assert isinstance(error, UnicodeEncodeError)
    marked = error.object[error.start : error.end]
    return b"".join(b"%c%02x" % (UNFIT, ord(sign) & 0xFF) for sign in marked), error.end


codecs.register_error("linnet.unfit", _marked_unfit)


class Transcoder:
    """Bytes in an encoding to bytes of UTF-8, piece by piece."""

    def __init__(self, encoding: str) -> None:
        self._decoder: Any = codecs.getincrementaldecoder(encoding)("linnet.unfit")

    def utf8(self, data: bytes | bytearray, *, final: bool) -> bytes:
        text: str = self._decoder.decode(bytes(data), final)
        return text.encode(UTF8, "linnet.unfit")


def unfit_byte(raw: bytes | bytearray, at: int) -> str:
    """The byte that did not fit, from the digits that stand for it."""
    return f"0x{bytes(raw[at + 1 : at + 3]).decode('ascii', 'replace')}"
