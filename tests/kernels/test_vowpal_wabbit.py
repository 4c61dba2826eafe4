"""Lines of Vowpal Wabbit's format are read like a slow twin reads them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz import vowpal_wabbit as fuzz

lines = st.lists(st.sampled_from(fuzz.PIECES), max_size=14).map(b"".join) | st.binary(max_size=30).map(
    lambda raw: raw.replace(b"\n", b"")
)


@settings(max_examples=500)
@given(st.lists(lines, min_size=1, max_size=3))
def test_arbitrary_lines_are_read_like_the_twin_reads_them(every):
    fuzz.check(every)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_mutated_lines_are_read_like_the_twin_reads_them(seed):
    fuzz.run(50_000, seed)


def test_the_examples_of_the_format():
    line = b"1 1.0 |MetricFeatures:3.28 height:1.5 length:2.0 |Says black with white stripes |Other NumberOfLegs:4.0"
    label, importance, tag, features = fuzz.twin(line)
    assert (label, importance, tag) == (b"1", 1.0, b"")
    assert features[:2] == [(b"MetricFeatures^height", 1.5 * 3.28), (b"MetricFeatures^length", 2.0 * 3.28)]
    assert features[2] == (b"Says^black", 1.0)
    fuzz.check([line, b"1 1.0 zebra|MetricFeatures:3.28 height:1.5", b"|f a", b"-1 'tag |f a | b"])
