"""The keys of a text of JSON are those that the json module finds."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.kernels.json_objects import key_spans

texts = st.text(st.sampled_from('ab"\\:, \né'), max_size=6)
values = st.recursive(
    texts | st.integers() | st.none(),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(texts, each, max_size=3),
)


def keys_of(data: bytes) -> list[bytes]:
    starts, stops = key_spans(np.frombuffer(data, dtype=np.uint8))
    return [data[a:b] for a, b in zip(starts.tolist(), stops.tolist(), strict=True)]


def nested_keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [key for name, each in value.items() for key in (name, *nested_keys(each))]
    return [key for each in value for key in nested_keys(each)] if isinstance(value, list) else []


@given(st.lists(values, max_size=4), st.sampled_from([None, 1]))
def test_keys_at_any_depth_are_found_in_order_in_lines_and_in_objects_over_several_lines(rows, indent):
    data = "\n".join(json.dumps(row, indent=indent) for row in rows).encode()
    assert [json.loads(b'"' + key + b'"') for key in keys_of(data)] == nested_keys(rows)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", []),
        (b'"', []),
        (b'"a', []),
        (b'"a":', [b"a"]),
        (b'{"a": "no end\n{"b": 1}', [b"a", b"b"]),  # a string ends with its line at the latest
        (b'"a"\r\n \t: 1', [b"a"]),
        (b'"a" x: 1', []),
        (b'"":"":"":', [b"", b"", b""]),
        (b'"\\\\":1,"\\":2,"c":3', [b"\\\\"]),
    ],
)
def test_keys_of_what_is_not_json_are_what_looks_like_them(data, found):
    assert keys_of(data) == found
