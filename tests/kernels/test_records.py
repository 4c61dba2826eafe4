"""Lines and brackets are found like slow twins find them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.kernels.records import count_byte, depths, first_of, is_text, lines
from tests.fuzz import records as fuzz

pieces = st.sampled_from([bytes([each]) if isinstance(each, int) else each for each in fuzz.PIECES])
files = st.one_of(st.binary(max_size=60), st.lists(pieces, max_size=30).map(b"".join))


def bytes_of(text):
    return np.frombuffer(text, dtype=np.uint8)


@settings(max_examples=1000)
@given(files)
def test_arbitrary_bytes_are_cut_like_the_twins_cut_them(text):
    fuzz.check(text)


@given(st.binary(max_size=3), st.integers(0, 700), st.integers(0, 255))
def test_a_byte_is_counted_as_bytes_count_counts_it(text, times, byte):
    assert count_byte(text * times, byte) == (text * times).count(byte)


nested = st.recursive(
    st.none() | st.integers() | st.text(), lambda each: st.lists(each) | st.dictionaries(st.text(), each), max_leaves=10
)


def depth_of(value):
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


@settings(max_examples=60)
@given(st.dictionaries(st.text(), nested), st.booleans())
def test_depth_of_an_object_is_what_json_says(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert depths(bytes_of(text), np.array([0]), np.array([len(text)])).tolist() == [depth_of(value)]


@pytest.mark.parametrize(
    "line", [b"", b"[]", b"{}{}", b"{} x", b"x{}", b"{", b"}{", b'{"', b'{"}', b'{"\\"}', b'"{}"', b"{}}", b"\\{}"]
)
def test_what_is_not_one_object_has_no_depth(line):
    assert depths(bytes_of(line + b"}"), np.array([0]), np.array([len(line)])).tolist() == [0]


def test_a_tower_of_brackets_is_measured():
    text = b"{" * 10**6 + b"}" * 10**6
    assert depths(bytes_of(text), np.array([0]), np.array([len(text)])).tolist() == [10**6]


def test_nothing_has_no_lines():
    assert [len(each) for each in lines(bytes_of(b""))] == [0, 0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_mutated_texts_are_cut_like_the_twins_cut_them(seed):
    fuzz.run(50_000, seed)


@given(st.binary(max_size=40), st.integers(0, 9))
def test_text_is_what_python_decodes_and_has_no_nul(raw, before):
    data = b"a" * before + raw
    try:
        expected = "\0" not in data.decode()
    except UnicodeDecodeError:
        expected = False
    assert is_text(bytes_of(data)) == expected


@given(st.text(max_size=60).filter(lambda text: "\0" not in text))
def test_every_character_is_text(text):
    assert is_text(bytes_of(text.encode()))


@given(st.lists(st.text("ab \t", max_size=12), max_size=6))
def test_the_first_of_two_signs_is_found_in_each_part(parts):
    stops = np.cumsum([len(part) for part in parts], dtype=np.int64)
    starts = stops - [len(part) for part in parts]
    data = bytes_of("".join(parts).encode())
    found = first_of(data, starts.astype(np.int64), stops, *b" \t")
    assert found.tolist() == [
        start + next((i for i, sign in enumerate(part) if sign in " \t"), len(part))
        for start, part in zip(starts.tolist(), parts, strict=True)
    ]
