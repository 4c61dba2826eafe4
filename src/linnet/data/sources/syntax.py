"""The syntax of delimited text: what separates fields, what quotes them, and the records and fields that this makes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.data.limits import MOST_QUOTED_LINES
from linnet.data.sources.formats import BLANKS, NO_QUOTE
from linnet.data.sources.records import Records
from linnet.data.sources.sampling import Find, Offsets
from linnet.kernels import delimited as kernel

RUN_OF_BLANKS = re.compile(rb"[ \t]+")


class Found(NamedTuple):
    """Records of a text, as kernels/delimited.py finds them."""

    starts: Offsets
    stops: Offsets
    lines: Offsets
    fields: Offsets
    stray: Offsets
    open: bool


@dataclass(frozen=True)
class Syntax:
    """A separator, a blank for runs of blanks, and a quote, empty if there is none."""

    separator: str = ","
    quote: str = '"'

    @property
    def blanks(self) -> bool:
        return self.separator == BLANKS

    @property
    def _quote(self) -> int:
        return -1 if self.quote in ("", NO_QUOTE) else ord(self.quote)

    def records(self, data: bytes | bytearray | NDArray[np.uint8], columns: int = 0, *, final: bool = True) -> Found:
        """The records of a text that is the end of its file (final), or goes on."""
        array = data if isinstance(data, np.ndarray) else np.frombuffer(data, dtype=np.uint8)
        return Found(*kernel.records(array, ord(self.separator), self._quote, columns, final, MOST_QUOTED_LINES))

    def finder(self, columns: int = 0) -> Find:
        """What finds the records that are not blank."""

        def found(data: bytes, ended: bool) -> tuple[Offsets, Offsets, bool]:
            each = self.records(data, columns, final=ended)
            whole = slice(-1 if each.open else None)
            return each.starts[whole], each.stops[whole], each.open

        return found

    def has_quotes(self, data: bytes | bytearray) -> bool:
        return self._quote >= 0 and self._quote in data

    def rewritten(self, records: Records) -> bytes:
        """The records as plain CSV, with double quotes where there must be some, and a tab for a run of blanks."""
        sign = ord(self.separator)
        text: bytes = kernel.rewritten(records.data, records.starts, records.stops, sign, self._quote).tobytes()
        return text

    def fields(self, raw: bytes) -> list[tuple[int, bytes]]:
        """The fields of one record, each with the byte where it begins, by the rules of kernels/delimited.py."""
        fields: list[tuple[int, bytes]] = []
        sign, quote, at = self.separator.encode(), self.quote.encode() if self._quote >= 0 else b"\n\n", 0
        while True:
            begin, parts = at, []
            if raw.startswith(quote, at) and (close := _closing(raw, quote, at)) >= 0:
                parts.append(raw[at + 1 : close].replace(quote * 2, quote))
                at = close + 1
            if self.blanks:
                blank = RUN_OF_BLANKS.search(raw, at)
                end, behind = blank.span() if blank else (-1, 0)
            else:
                end = raw.find(sign, at)
                behind = end + 1
            parts.append(raw[at:] if end < 0 else raw[at:end])
            fields.append((begin, b"".join(parts)))
            if end < 0:
                return fields
            at = behind


def _closing(raw: bytes, quote: bytes, at: int) -> int:
    """The first quote behind the one at `at` that is not doubled; -1 if there is none."""
    at = raw.find(quote, at + 1)
    while at >= 0 and raw.startswith(quote, at + 1):
        at = raw.find(quote, at + 2)
    return at
