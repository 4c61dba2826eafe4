"""The separator of delimited text, inferred from its first records."""

from __future__ import annotations

import re
from collections.abc import Sequence

from linnet.data.sources.files import ByteFiles
from linnet.data.sources.formats import BLANKS
from linnet.data.sources.readers import HEAD
from linnet.data.sources.sampling import Limits, first_records, lines_in
from linnet.data.sources.syntax import Syntax

SEPARATORS = (",", ";", "\t", "|")
TO_FIND_SEPARATOR = Limits(50, HEAD, longest=HEAD)
# The fraction of the first records that must be alike.
ALIKE = 0.9
# Possessive, so that a line of digits is looked at once.
NUMBER = rb"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?"
# Two numbers with only blanks between them; a field that may be quoted.
TWO_NUMBERS = re.compile(rb"(?:\A|[ \t])" + NUMBER + rb" [ \t]*" + NUMBER + rb"(?:[ \t]|\Z)")
QUOTED = re.compile(rb'"[^"]*"')
FIELD = re.compile(rb'"[^"]*"|[^ \t]+')
# A number with a comma in it, be that for decimals or for thousands; it may have a sign, a currency or a unit.
WITH_COMMA = re.compile(rb"[^\w,;]*[\d.' ]*(,\d+)+[\d.,]*[^\d,;]{0,8}")


def separator_of(files: ByteFiles, quote: str) -> str:
    """The separator that cuts the first records into the most fields, the same number in each.

    A comma that is only ever within a number, where another separator cuts the records, is a decimal comma.
    """
    lines = [
        line for each in first_records(files, lines_in, header=None, limits=TO_FIND_SEPARATOR) for line in each.records
    ]
    if separated_by_blanks(lines):
        return BLANKS
    widths: dict[str, int] = {}
    for sign in SEPARATORS:
        syntax = Syntax(sign, quote)
        first = first_records(files, syntax.finder(), header=None, limits=TO_FIND_SEPARATOR)
        records = [record for each in first for record in each.records]
        counts = [len(syntax.fields(record)) for record in records]
        if counts and counts[0] > 1 and counts.count(counts[0]) >= ALIKE * len(counts):
            widths[sign] = counts[0]
            if sign != "," and "," in widths and _decimal_commas(records, syntax):
                del widths[","]
    return max(widths, key=lambda sign: widths[sign], default=",")


def _decimal_commas(records: Sequence[bytes], syntax: Syntax) -> bool:
    """Whether every field with a comma is a number."""
    fields = (text.strip() for record in records for _, text in syntax.fields(record))
    return all(WITH_COMMA.fullmatch(text) for text in fields if b"," in text)


def separated_by_blanks(lines: Sequence[bytes]) -> bool:
    """Whether these are lines of a table with blanks between its columns: as many in each, numbers side by side."""
    counts = [len(FIELD.findall(line)) for line in lines]
    # a header may lack the name of the first column
    if len(lines) < 2 or len(set(counts[1:])) > 1 or not 0 <= counts[1] - counts[0] <= 1:
        return False
    tabs = {line.count(b"\t") for line in lines}
    if len(tabs) == 1 and counts[1] < 2 * (min(tabs) + 1):  # tabs separate fields, of which few have blanks in them
        return False
    bare = [QUOTED.sub(b"", line) for line in lines]
    if any(sign in line for line in bare for sign in b",;|"):
        return False
    return sum(bool(TWO_NUMBERS.search(line)) for line in bare[1:]) >= ALIKE * (len(lines) - 1)
