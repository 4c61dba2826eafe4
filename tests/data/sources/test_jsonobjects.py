"""Arrays of JSON, and objects over several lines, are read like the same objects one a line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.sources.block import Position
from linnet.data.sources.formats import Format
from linnet.data.sources.opening import open_source
from linnet.kernels.json_objects import elements
from tests.data.sources.tools import bad, opened, rows, values, written

leaves = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=4)
objects = st.dictionaries(st.sampled_from(["a", "b", "c", 'q"{', "ü"]), leaves, max_size=4)
nested = st.recursive(
    leaves, lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=3), each), max_leaves=8
)
indents = st.sampled_from([None, 0, 2, "\t"])


def dumped(every, indent, separator, ascii_only):
    texts = [json.dumps(each, indent=indent, ensure_ascii=ascii_only) for each in every]
    return {"array": f"[{','.join(texts)}]", "lines": "\n".join(texts), "pretty": json.dumps(every, indent=indent)}[
        separator
    ]


@settings(max_examples=150)
@given(
    st.lists(st.dictionaries(st.text(max_size=3), nested), max_size=5),
    indents,
    st.sampled_from(["array", "lines", "pretty"]),
    st.booleans(),
)
def test_elements_are_the_objects_that_json_finds(every, indent, separator, ascii_only):
    text = dumped(every, indent, separator, ascii_only).encode("utf-8", "surrogatepass")
    starts, stops, lines, is_open = elements(np.frombuffer(text, dtype=np.uint8))
    assert [json.loads(text[a:b].decode("utf-8", "surrogatepass")) for a, b in zip(starts, stops, strict=True)] == every
    assert lines.tolist() == [text.count(b"\n", 0, start) for start in starts.tolist()]
    assert not is_open


@given(
    st.binary(max_size=40)
    | st.lists(st.sampled_from([b"{", b"}", b"[", b"]", b'"', b"\\", b",", b"a", b"\n", b" "]), max_size=40).map(
        b"".join
    )
)
def test_arbitrary_bytes_are_cut_in_order_whole_or_in_part(text):
    data = np.frombuffer(text, dtype=np.uint8)
    starts, stops, _, _ = elements(data)
    assert (starts < stops).all()
    assert (stops[:-1] <= starts[1:]).all()
    between = bytearray(text)
    for a, b in zip(starts.tolist(), stops.tolist(), strict=True):
        between[a:b] = b" " * (b - a)
    assert not bytes(between).strip(b" \t\r\n,[]")
    # what is whole in the first part stays as it is when more is read
    for cut in range(len(text)):
        first = elements(data[:cut], False)
        count = len(first[0])
        assert first[0].tolist() == starts[:count].tolist()
        assert first[1].tolist() == stops[:count].tolist()


@settings(max_examples=60)
@given(st.lists(objects, min_size=1, max_size=8), indents, st.sampled_from(["array", "pretty"]), st.integers(1, 40))
def test_an_array_is_read_like_lines(tmp_path_factory, every, indent, separator, size):
    every = [{"n": 1, **each} for each in every]
    folder = tmp_path_factory.mktemp("json")
    expected = [
        value for *_, value in rows(opened(written(folder, "\n".join(map(json.dumps, every)).encode()), Format.JSONL))
    ]
    paths = written(folder, dumped(every, indent, separator, True).encode(), suffix=".json")
    source = opened(paths, size=size)
    assert source.format == "json"
    assert values(source) == expected
    for start in [chunk.at for chunk in source.chunks(Position())]:
        left = rows(source, start)
        assert left == rows(source)[len(expected) - len(left) :]


def test_objects_may_go_on_over_lines_without_an_array(tmp_path):
    text = '{\n  "a": 1,\n  "t": "x"\n}\n{\n  "a": 2,\n  "t": "y"\n}\n'
    source = opened(written(tmp_path, text.encode(), suffix=".json"))
    assert [(line, value) for _, line, value in rows(source)] == [(1, {"a": 1.0, "t": "x"}), (5, {"a": 2.0, "t": "y"})]


@pytest.mark.parametrize("size", [1, 30, None])
def test_what_is_wrong_in_an_array_is_named_with_its_line(size, tmp_path):
    text = '[{"a": 1, "t": "x"},\n 5,\n {"a": 1 2},\n {"a": 3, "t": "z"},\n "word",\n {"a": 4'
    source = opened(written(tmp_path, text.encode(), suffix=".json"), size=size)
    assert [value["a"] for value in values(source)] == [1.0, 3.0]
    found = bad(source)
    assert [line for _, line, *_ in found] == [2, 3, 5, 6]
    assert "one JSON object" in found[0][3]
    assert "this is not JSON" in found[1][3]


def test_lines_of_a_jsonl_file_stay_lines(tmp_path):
    for name in ("a.json", "a.jsonl", "a"):
        (tmp_path / name).write_text('{"a": 1}\n{"a": 2}\n')
        assert open_source([tmp_path / name]).format == "jsonl"
    (tmp_path / "a.jsonl").write_text('[{"a": 1}]')
    assert open_source([tmp_path / "a.jsonl"]).format == "json"
