"""Lines of flat JSON objects are read as the json module reads them, or not at all."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.kernels.json_strings import STRING, text_fields
from tests.fuzz import json_strings as fuzz

any_text = st.text(st.characters(codec="utf-8"), max_size=20)
texts = any_text | st.text(st.sampled_from('"\\/\n\tué€u0041 {}:,'), max_size=12)
rows_of_texts = st.lists(st.fixed_dictionaries({"text": texts, "label": texts, "more": texts}), min_size=1, max_size=5)


@settings(max_examples=300)
@given(rows_of_texts, st.booleans())
def test_objects_of_strings_are_read(rows, ascii_only):
    lines = [json.dumps(row, ensure_ascii=ascii_only).encode() for row in rows]
    found = fuzz.read(lines, ["label", "text"])
    if found is None:  # an escape that is left to others: NUL, or half of a surrogate pair
        assert any(b"\\ud" in line or b"\\u0000" in line for line in lines)
    else:
        assert found == [{"label": row["label"], "text": row["text"]} for row in rows]


@settings(max_examples=1000)
@given(st.lists(st.sampled_from(fuzz.PIECES), max_size=14).map(b"".join))
def test_what_is_read_is_what_the_json_module_reads(line):
    fuzz.check(line, {"a": "1", "b": "2"})
    fuzz.check(line, {"t": False, "n": 12})


@pytest.mark.parametrize(
    "line",
    [
        b"", b"{}", b'{"a": 1}', b'{"a": null}', b'{"a": "x"', b'{"a": "x"}}', b'{"a": "x",}', b'{"a": "x" "b": "y"}',
        b'{"a": "x", "a": "y"}', b'{"b": "x"}', b'{"\\u0061": "x"}', b'{"a": "\\ud83d\\ude00"}', b'{"a": ["x"]}',
        b'{"a": "x", "b": 2.5}', b'["a", "x"]', b'{"a": "tab\there"}', b'{"a" "x"}', b"{'a': 'x'}", b'{"a": "x\\"}',
    ],
)  # fmt: skip
def test_what_is_left_to_a_parser_of_all_of_json(line):
    assert fuzz.read([line], ["a"]) is None


@pytest.mark.parametrize(
    "value", ["1.0", "1e3", "-0", "01", "+1", "1_000", "9" * 19, '"1"', "null", "true", "- 1", "-", "0x1", "1 2", "[1]"]
)
def test_a_number_that_is_not_an_integer_as_programs_write_it_is_left_to_others(value):
    assert fuzz.read([b'{"n": 3}', f'{{"n": {value}}}'.encode()], ["n"]) is None


@pytest.mark.parametrize("value", ["1", '"true"', "null", "True", "tru", "falsehood", "[true]"])
def test_what_is_not_true_or_false_is_left_to_others(value):
    assert fuzz.read([b'{"t": false}', f'{{"t": {value}}}'.encode()], ["t"]) is None


@given(st.lists(st.tuples(texts, st.integers(-(10**18) + 1, 10**18 - 1), st.booleans()), min_size=1, max_size=5))
def test_integers_and_booleans_are_read_as_they_are_spelt(rows):
    lines = [json.dumps({"n": n, "skipped": n, "a": a, "t": t, "none": None}).encode() for a, n, t in rows]
    found = fuzz.read(lines, ["t", "a", "n"])
    if found is None:
        assert any(b"\\ud" in line or b"\\u0000" in line for line in lines)
    else:
        assert found == [{"t": str(t).lower(), "a": a, "n": str(n)} for a, n, t in rows]


def test_a_long_text_of_escapes_is_read_once():
    """Looking for the last quote anew at each escape would take minutes."""
    text = "\n" * 2_000_000
    assert fuzz.read([json.dumps({"a": text}).encode()], ["a"]) == [{"a": text}]


def test_no_lines_give_no_values():
    nowhere = np.empty(0, dtype=np.int64)
    assert [len(at) for _, at in text_fields(np.empty(0, dtype=np.uint8), nowhere, nowhere, [b"a"], [STRING])] == [1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_mutated_lines_are_read_as_the_json_module_reads_them(seed):
    fuzz.run(50_000, seed)
