"""Plain delimited text is read as Python's split and float read it; what is not plain is refused."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.kernels import plain_fields
from linnet.kernels.plain_fields import Kind

SKIPPED, NUMBER, STRING = Kind.SKIPPED, Kind.NUMBER, Kind.STRING
SPELLINGS = (b"", b"NA", b"?", b"NaN")

whole = st.integers(-(10**20), 10**20).map(str)
fixed = st.builds(lambda x, digits: f"{x:.{digits}f}", st.floats(-1e9, 1e9, allow_nan=False), st.integers(0, 18))
printed = st.floats(allow_nan=False, allow_infinity=False).map(repr)
padded = st.builds(
    lambda text, before, after: " " * before + text + " " * after, fixed, st.integers(0, 2), st.integers(0, 2)
)
numbers = st.one_of(
    whole, fixed, printed, padded, st.sampled_from(["", "NA", "?", "NaN", "0", "-0", "+1", "5.", ".5", "1e-7"])
)
strings = st.text(st.sampled_from("abé 1.-NA?x"), max_size=5)


def reading(text, kinds, delimiter=b","):
    data = np.frombuffer(text, dtype=np.uint8)
    return plain_fields.read(data, ord(delimiter), np.array(kinds, dtype=np.uint8), SPELLINGS, text.count(b"\n") + 1)


def number(text):
    return math.nan if text.encode() in SPELLINGS else float(text)


def taken_apart(strings_of_a_column):
    data, starts = strings_of_a_column
    raw = data.tobytes()
    return [raw[a:b].decode() for a, b in pairwise(starts)]


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.sampled_from([SKIPPED, NUMBER, NUMBER, STRING]), min_size=1, max_size=6))
    cell = {SKIPPED: strings, NUMBER: numbers, STRING: strings}
    row = st.tuples(*(cell[kind] for kind in kinds)).filter(lambda cells: any(cells) or len(cells) > 1)
    return kinds, draw(st.lists(row, max_size=30))


@settings(max_examples=300)
@given(tables(), st.sampled_from([",", ";", "\t", "|"]), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_plain_records_are_split_by_delimiter_and_read_by_float(table, delimiter, end, ended, blank):
    kinds, rows = table
    lines = [delimiter.join(cells) for cells in rows]
    between = end + end if blank else end
    text = (between.join(lines) + (end if ended and lines else "")).encode()
    if not text:
        return
    found = reading(text, kinds, delimiter.encode())
    assert found is not None
    (starts, stops, numbers_of_lines), values, lacking, packed = found
    assert [text[a:b].decode() for a, b in zip(starts, stops, strict=True)] == lines
    assert numbers_of_lines.tolist() == [i * (2 if blank else 1) for i in range(len(rows))]
    columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
    given_columns = list(zip(columns, kinds, strict=True))
    of_numbers = [list(map(number, column)) for column, kind in given_columns if kind == NUMBER]
    for column, expected in zip(values, of_numbers, strict=True):
        assert np.array_equal(column, expected, equal_nan=True)
        assert np.array_equal(np.signbit(column), np.signbit(expected))
    assert lacking.tolist() == [any(map(math.isnan, column)) for column in of_numbers]
    of_strings = [column for column, kind in given_columns if kind == STRING]
    for column, expected in zip(packed, of_strings, strict=True):
        assert taken_apart(column) == list(expected)


@pytest.mark.parametrize(
    "line",
    [b"1,2", b"1,2,3,4", b'1,"2",3', b"1,x,3", b"1,1_0,3", b"1,0x1,3", b"1,inf,3", b"1,nan,3", b"1,1e400,3", b"1,1e,3",
     b"1,--1,3", b"1,2 3,4", b"1,2\r,3", b"1,2,3\r4", b" NA,1,2", b"1,2,3,", b"1;2;3"],
)  # fmt: skip
def test_what_is_not_plain_is_refused_wherever_it_is(line):
    kinds = [NUMBER] * 3
    good = b"0.5,1.25,-3\n" * 20
    assert reading(good, kinds) is not None
    for text in (line, line + b"\n", line + b"\n" + good, good + line + b"\n" + good, good + line):
        assert reading(text, kinds) is None


def test_delimiters_that_numbers_may_have_are_refused():
    for delimiter in b'0+-.eE "\r\n':
        assert plain_fields.read(np.frombuffer(b"1\n", np.uint8), delimiter, np.ones(1, np.uint8), SPELLINGS, 2) is None


def test_many_blank_lines_take_no_room_for_rows():
    text = b"\n" * 1_000_000 + b",".join([b"1"] * 500)
    (starts, _, lines), values, _, _ = reading(text, [NUMBER] * 500)
    assert (starts.tolist(), lines.tolist(), values.shape) == ([1_000_000], [1_000_000], (500, 1))
    assert values.base.nbytes < 100_000_000
