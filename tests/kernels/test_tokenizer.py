"""The splitting of text, beside Python's own re and str.lower."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data.features.tokenizer import Analyzer, NotUtf8, Tokenization, tokenize
from linnet.data.features.unicode import POINTS, SPECIAL, SPECIALS, CharacterTables
from linnet.data.sources.block import Strings
from tests.texts import texts, units

ANALYZERS = ["word", "char", "char_wb"]


def read(strings, how):
    """The units of each row, segment by segment, as strings."""
    found = tokenize(strings, how)
    data, starts = found.text.tobytes(), found.starts.tolist()
    gap = how.gap
    spelt = [data[a : b - gap].decode() for a, b in pairwise(starts)]
    segments = [spelt[a:b] for a, b in pairwise(found.segments)]
    if not len(found.row_segments):
        return [[segment] for segment in segments]
    return [segments[a:b] for a, b in pairwise(found.row_segments)]


@given(rows=st.lists(texts, max_size=6), lowercase=st.booleans(), shortest=st.integers(1, 3), marks=st.booleans())
def test_words_are_those_of_python(rows, lowercase, shortest, marks):
    how = Tokenization(Analyzer.WORD, lowercase, shortest, marks)
    assert read(Strings.of(rows), how) == [units(row, "word", lowercase, shortest, marks) for row in rows]


@given(rows=st.lists(texts, max_size=6), analyzer=st.sampled_from(["char", "char_wb"]), lowercase=st.booleans())
def test_characters_are_those_of_python(rows, analyzer, lowercase):
    how = Tokenization(Analyzer(analyzer), lowercase)
    assert read(Strings.of(rows), how) == [units(row, analyzer, lowercase) for row in rows]


@pytest.mark.parametrize("analyzer", ANALYZERS)
@pytest.mark.parametrize("lowercase", [True, False])
def test_every_character_there_is(analyzer, lowercase):
    rows = ["".join(f"x{chr(p)}{chr(p)} {chr(p)}" for p in range(first, first + 64)
                    if not 0xD800 <= p < 0xE000) for first in range(0, POINTS, 64)]  # fmt: skip
    rows = rows[: 0x3400 // 64] + rows[0x3400 // 64 :: 7]  # all of the scripts with case, a sample of the rest
    how = Tokenization(Analyzer(analyzer), lowercase, 1, marks=True)
    assert read(Strings.of(rows), how) == [units(row, analyzer, lowercase, 1, marks=True) for row in rows]


@pytest.mark.parametrize("odd", ["", "é", "漢", "Ⅷ", "—", " "])
def test_words_lie_anywhere_among_the_bytes_looked_at_together(odd):
    lengths = [1, 2, 3, 7, 8, 9, 15, 16, 17, 55, 62, 63, 64, 65, 66, 127, 128, 129, 200]
    rows = []
    for length in lengths:
        word = ("Ab_9xYzQ" * 25)[:length]
        inside = [word[:at] + odd + word[at:] for at in {0, 1, length // 2, length - 1, length}]
        rows += [" " * before + each + after for before in range(67) for each in inside for after in ("", ".b")]
    for how in (Tokenization(Analyzer.WORD, True, 2), Tokenization(Analyzer.WORD, False, 1, True)):
        expected = [units(row, "word", how.lowercase, how.shortest, how.marks) for row in rows]
        assert read(Strings.of(rows), how) == expected


def test_the_characters_left_to_python_are_all_found_at_once():
    tables = CharacterTables(lowercase=True)
    for page in range(len(tables.pages)):
        tables.fill(page)
    assert {chr(p) for p in np.flatnonzero(tables.lowers == SPECIAL)} == set(SPECIALS)
    assert all(len(special.encode()) == 2 for special in SPECIALS)


def test_lower_case_is_lower_case():
    """A row lowered by Python is looked up again, which must change nothing."""
    for point in range(POINTS):
        lower = chr(point).lower()
        assert lower == lower.lower()


@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_rows_longer_in_lower_case_fit(analyzer):
    rows = ["İ" * 500, "", "Ⱥ" * 500 + "İ", "ΑΣ ΑΣ", "İ.İ " * 300]
    assert read(Strings.of(rows), Tokenization(Analyzer(analyzer))) == [units(row, analyzer) for row in rows]


def test_a_greek_block_is_copied_once(monkeypatch):
    import linnet.data.features.tokenizer as module

    calls = []
    lowered = module._lowered
    monkeypatch.setattr(module, "_lowered", lambda *given: calls.append(1) or lowered(*given))
    rows = ["ΟΔΥΣΣΕΥΣ", "x", "ΣΑΣ", ""] * 50
    assert read(Strings.of(rows), Tokenization()) == [units(row, "word") for row in rows]
    assert len(calls) == 1


@given(rows=st.lists(texts, min_size=2, max_size=6), first=st.integers(0, 5), analyzer=st.sampled_from(ANALYZERS))
def test_part_of_a_buffer_is_split_as_if_it_were_alone(rows, first, analyzer):
    whole = Strings.of(rows)
    first = min(first, len(rows) - 1)
    part = Strings(whole.data, whole.starts[first:])
    assert read(part, Tokenization(Analyzer(analyzer))) == [units(row, analyzer) for row in rows[first:]]


@pytest.mark.parametrize("analyzer", ANALYZERS)
@pytest.mark.parametrize("before", [b"", b"ab ", "éß".encode(), "Σ".encode(), "漢".encode()])
@pytest.mark.parametrize(
    "bad",
    [b"\xff", b"\x80", b"\xc0\xaf", b"\xc1\x81", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf5\x80",
     b"\xc3", b"\xe2\x82", b"\xf0\x9f\xa6", b"\xc3(", b"\xe2(\x82"],
)  # fmt: skip
def test_bytes_that_are_no_utf8_are_named(analyzer, before, bad):
    with pytest.raises(UnicodeDecodeError) as python:
        (before + bad).decode()
    data = np.frombuffer(b"good" + before + bad, dtype=np.uint8)
    starts = np.array([0, 4, len(data)])
    with pytest.raises(NotUtf8, match=r"row 1: byte \d+ is not valid UTF-8") as ours:
        tokenize(Strings(data, starts), Tokenization(Analyzer(analyzer)))
    assert (ours.value.row, ours.value.byte) == (1, python.value.start)


def test_a_row_of_bad_bytes_after_greek_is_still_named():
    rows = ["ΑΣ".encode(), b"fine", "Σ".encode() + b"\xff"]
    starts = np.cumsum([0, *map(len, rows)])
    with pytest.raises(NotUtf8) as error:
        tokenize(Strings(np.frombuffer(b"".join(rows), dtype=np.uint8), starts), Tokenization())
    assert (error.value.row, error.value.byte) == (2, 2)


def test_lower_case_may_be_shorter_than_what_it_stands_for():
    """The Ohm sign has three bytes, its lower case two; and a row with Σ is lowered by Python."""
    for analyzer in Analyzer:
        rows = ["a row before", "the sum Σ over R = 5 Ω, 300 K, 1 Å, ẞ", "one after"]
        found = tokenize(Strings.of(rows), Tokenization(analyzer))
        alone = [tokenize(Strings.of([row]), Tokenization(analyzer)) for row in rows]
        assert found.hashes.tolist() == [h for each in alone for h in each.hashes.tolist()]
