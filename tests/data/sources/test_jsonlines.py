"""JSON Lines are read like Python's json module reads them, and what is wrong is named with its line and byte."""

from __future__ import annotations

import json
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.column_types import ColumnType, Kind, ReadAs, Reading
from linnet.data.sources import jsonlines
from linnet.data.sources.formats import Format
from linnet.errors import InputError
from tests.data.sources.tools import bad, opened, rows, values, wanted, written

texts = st.text(st.characters(codec="utf-8"), max_size=8)
floats = st.floats(allow_nan=False, allow_infinity=False)
anything = st.recursive(
    st.none() | st.booleans() | floats | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner),
)
columns = {"n": floats | st.integers(), "t": texts, "b": st.booleans(), "o": anything}
objects = st.fixed_dictionaries({}, optional={name: st.none() | value for name, value in columns.items()})


def reading(tmp_path, content, size=None, **how):
    content = content.encode() if isinstance(content, str) else content
    return opened(written(tmp_path, content), Format.JSONL, size=size, **how)


@settings(max_examples=80)
@given(st.lists(objects, max_size=10), st.integers(1, 60), st.booleans())
def test_rows_are_those_of_the_json_module(tmp_path_factory, given, size, ascii_only):
    first = {"n": 1.5, "t": "word", "b": True}
    text = "".join(json.dumps(each, ensure_ascii=ascii_only) + "\n" for each in [first, *given])
    source = reading(tmp_path_factory.mktemp("json"), text, size)
    source.select_columns(wanted(n=True, t=False, b=False))
    expected = [{name: json.loads(line).get(name) for name in "ntb"} for line in text.split("\n")[:-1]]
    for row in expected:
        row["b"] = None if row["b"] is None else str(row["b"]).lower()
        row["n"] = None if row["n"] is None else float(row["n"])
    assert values(source) == expected
    assert not bad(source)


DEEP = b'{"n":' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        (b'{"n":1', 7, "this is not JSON"),
        (b'{"n":1}}', 8, "this is not JSON: Extra data"),
        (b'{"n":1}{"n":2}', 8, "this is not JSON: Extra data"),
        (b'{"n":1},', 8, "this is not JSON: Extra data"),
        (b'{"n":01}', 7, "this is not JSON"),
        (b'{"n":1,}', 8, "this is not JSON"),
        (b"{'n':1}", 2, "this is not JSON"),
        ('{"é":1 2}'.encode(), 9, "this is not JSON"),
        (b'{"n":nan}', 6, "this is not JSON"),
        (b"[1,2]", 1, "a line must be one JSON object"),
        (b'"n"', 1, "a line must be one JSON object"),
        (b"null", 1, "a line must be one JSON object"),
        (b"12", 1, "a line must be one JSON object"),
        (b"oops", 1, "this is not JSON"),
        (DEEP, None, "nested more than 64 deep"),
        (b"[" * 100_000, None, "nested more than 64 deep"),
        (b'{"a":' * 100_000, None, "nested more than 64 deep"),
        (b'{"n":"one"}', 2, "n should be a finite number but is 'one'"),
        (b'{"n":[1]}', 2, "n should be text or a number but is [1]"),
        (b'{"t":"a","n":{}}', 10, "n should be text or a number but is {}"),
        (b'{"t":"\\ud800"}', 2, "t should be text"),
        (b'{"n":1e400}', 2, "n should be a finite number but is inf"),
        (b'{"n":Infinity}', 2, "n should be a finite number but is inf"),
        (b'{"n":' + b"9" * 5000 + b"}", 2, "finite"),
        (b'{"n":1,"n":2}', 2, "n is there twice"),
        (b'{"t":"\xff"}', 7, "is not UTF-8"),
        (b'{"t":"\0"}', 7, "a NUL byte"),
        (b'{"t":"\x01"}', 7, "this is not JSON: Invalid control character"),
        (b'{"t":"a', 6, "this is not JSON: Unterminated string"),
    ],
)
@pytest.mark.parametrize("size", [16, 1 << 20])
def test_what_is_wrong_is_named_with_line_and_byte(line, column, reason, size, tmp_path):
    source = reading(tmp_path, b'{"n":1,"t":"a"}\n\n' + line + b'\n{"n":2,"t":"b"}\n', size, encoding="utf-8")
    source.select_columns(wanted(n=True, t=False))
    (found,) = bad(source)
    assert found[1:3] == (3, column)
    assert reason in found[3]
    assert [(line, value["n"]) for _, line, value in rows(source)] == [(1, 1.0), (4, 2.0)]


def test_objects_that_even_out_are_still_wrong(tmp_path):
    """Two objects on one line and one over two lines are as many as there are lines, but not one a line."""
    source = reading(tmp_path, '{"n":0}\n{"n":1}{"n":2}\n{"n":\n3}\n{"n":4}\n')
    assert [value["n"] for value in values(source)] == [0.0, 4.0]
    assert [line for _, line, *_ in bad(source)] == [2, 3, 4]


@pytest.mark.parametrize("beside", ["", '{"n":"wrong"}\n'])
def test_what_is_allowed_is_read_alone_and_beside_a_bad_row(beside, tmp_path):
    lines = [
        '{"n":1,"t":"x"}', ' \t{"n" : -0.0}\r', '{"n":NaN}', '{"n":null,"t":null}', "{}",
        '{"n":12345678901234567890}', '{"n":1e-400}', '{"t":"\\u00e9\\ud83d\\ude00\\u0000"}', '{"t":""}',
        '{"n":2,"x":[1,"two",{"three":[]}],"x":1}', '{"n":3,"x":"\\ud800"}',
    ]  # fmt: skip
    source = reading(tmp_path, "\ufeff" + "\n".join(lines[:1]) + "\n")
    written(tmp_path, ("\ufeff" + "\n".join(lines) + "\n" + beside).encode())
    source.select_columns(wanted(n=True, t=False))
    got = values(source)
    assert repr([row["n"] for row in got]) == repr(
        [1.0, -0.0, None, None, None, 12345678901234567890.0, 0.0, None, None, 2.0, 3.0]
    )
    assert [row["t"] for row in got] == ["x", *[None] * 6, "é😀\0", "", None, None]
    assert len(bad(source)) == bool(beside)


def test_whole_numbers_keep_every_digit_as_categories(tmp_path):
    ids = [9007199254740993, 9007199254740992, 5]
    source = reading(tmp_path, "".join(f'{{"id":{i}}}\n' for i in ids))
    source.select_columns(wanted(id=False))
    assert [row["id"] for row in values(source)] == list(map(str, ids))
    written(tmp_path, "".join(f'{{"id":{i}}}\n' for i in [*ids, 1.5, 10**30, "NaN", 2.0]).encode())
    assert [row["id"] for row in values(source)] == [*map(str, ids), "1.5", str(10**30), None, "2"]
    written(tmp_path, "".join(f'{{"id":{i}}}\n' for i in [*ids, '"x"', "true", 2.5]).encode())
    assert [row["id"] for row in values(source)] == [*map(str, ids), "x", "true", "2.5"]


def test_dates_are_times_as_numbers_and_themselves_as_categories(tmp_path):
    source = reading(tmp_path, '{"at":"1970-01-01T00:01:00Z"}\n{"at":"1970-01-01 00:02:00"}\n')
    assert [row["at"] for row in values(source)] == [60.0, 120.0]
    source.select_columns(wanted(at=False))
    assert [row["at"] for row in values(source)] == ["1970-01-01T00:01:00Z", "1970-01-01 00:02:00"]
    written(tmp_path, b'{"at":"1970-01-01T00:01:00Z"}\n{"at":"soon"}\n')
    assert [row["at"] for row in values(source)] == ["1970-01-01T00:01:00Z", "soon"]
    source.select_columns({"at": Reading(ColumnType(Kind.DATE), ReadAs.NUMBER, strict=True)})
    assert [row["at"] for row in values(source)] == [60.0]
    assert "at should be a date but is 'soon'" in bad(source)[0][3]


def test_columns_come_from_all_of_the_first_rows(tmp_path):
    text = '{"a":1}\n{"a":1.5,"b":null,"c":[1,"x"]}\nbroken\n{"b":"x","d":true}\n'
    source = reading(tmp_path, text)
    assert source.names == ("a", "b", "c", "d")
    assert values(source) == [
        {"a": 1.0, "b": None, "c": None, "d": None},
        {"a": 1.5, "b": None, "c": "\x1f1\x1fx", "d": None},
        {"a": None, "b": "x", "c": None, "d": "true"},
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "there are no rows"),
        ("\n \n", "there are no rows"),
        ("[1]\n[2]\n", ":1:1: a line must be one JSON object"),
        ('{\n"a": 1\n}\n', ":1:2: this is not JSON"),
        ("{}\n{}\n", "its objects are empty"),
        ('{"a" 1}\n', ":1:6: this is not JSON"),
    ],
)
def test_a_file_without_a_good_row_is_refused_at_once(content, said, tmp_path):
    with pytest.raises(InputError) as told:
        reading(tmp_path, content)
    assert str(told.value).startswith(str(tmp_path))
    assert said in str(told.value)


def test_a_first_line_may_be_longer_than_what_is_looked_at_first(tmp_path):
    text = "word " * 200_000
    assert values(reading(tmp_path, json.dumps({"t": text}) + '\n{"t":"x"}\n'))[0]["t"] == text


BROKEN = [b"{", b"[]", b'{"n":"x","t":"y"}', b'{"n":1,"t":[2]}', b'{"n":1}{}', b'{"t":"\xff"}', b'{"n":Infinity}', b"x"]


@settings(max_examples=30)
@given(st.integers(2, 40), st.integers(0, 10**9), st.integers(1, 300))
def test_corrupting_lines_makes_exactly_those_rows_bad(tmp_path_factory, n, seed, size):
    source = random.Random(seed)
    good = [json.dumps({"n": source.gauss(0, 1), "t": source.choice("aé😀")}).encode() for _ in range(n)]
    path = tmp_path_factory.mktemp("json")
    reader = reading(path, b"\n".join(good), size)
    clean = rows(reader)
    broken = set(source.sample(range(n), source.randrange(n)))
    written(path, b"\n".join(source.choice(BROKEN) if i in broken else line for i, line in enumerate(good)))
    assert [line for _, line, *_ in bad(reader)] == [i + 1 for i in sorted(broken)]
    assert rows(reader) == [row for i, row in enumerate(clean) if i not in broken]
    assert all(math.isfinite(row["n"]) for row in values(reader))


def test_arrow_makes_no_columns_of_keys_that_the_lines_of_a_chunk_lack(tmp_path, monkeypatch):
    asked = []
    reads = jsonlines._arrow_reads
    monkeypatch.setattr(
        jsonlines, "_arrow_reads", lambda text, schema=None: asked.append(len(schema or ())) or reads(text, schema)
    )
    keys = {f"k{i}": "x" if i % 2 else i for i in range(300)}
    lines = [{**keys, "y": "a"}, *([{"k7": "z", "k8": None, "y": "b"}, {"y": "c"}] * 40), {"k9": "w"}]
    text = "\n".join(map(json.dumps, lines)).replace('"k9": "w"', '"\\u006b9": "w"')  # a key spelt with an escape
    source = opened(written(tmp_path, text.encode()), Format.JSONL, size=200)

    assert values(source) == [{**dict.fromkeys([*keys, "y"]), **line} for line in lines]
    assert sum(asked) < 10 * 301
