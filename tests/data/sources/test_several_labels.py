"""Lines with several labels, or none, are read like scikit-learn reads them, and what is not a label is named."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import load_svmlight_file

from linnet.data.sources.formats import Format
from linnet.data.sources.label_sets import LABELS, labels_of, numbered, spelt
from linnet.data.sources.opening import format_of_lines
from tests.data.sources.tools import blocks, opened, written


def several(folder, content, size=None):
    source = opened(written(folder, content, suffix=".svm"), Format.SVMLIGHT, size=size)
    source.several = True
    return source


@pytest.mark.parametrize("size", [1, 60, 1 << 20])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_are_those_scikit_learn_reads(size, end, tmp_path, rng):
    lines = ["# head"]
    for _ in range(60):
        labels = ",".join(rng.choice(["7", "-1", "2.5", "1e2", "12"], size=rng.integers(0, 4), replace=False))
        entries = [f"{j}:{rng.normal():.3f}" for j in range(9) if rng.random() < 0.5]
        lines.append(f"{labels} {' '.join(entries)}{' # a note' if rng.random() < 0.2 else ''}")
    lines += ["", "3:1.5 4:2", "\t5:1"]
    content = end.join(lines).encode()
    found = blocks(several(tmp_path, content, size))
    wanted, labels = load_svmlight_file(io.BytesIO(content), multilabel=True, zero_based=True)
    sets = [text for block in found for text in block.columns[LABELS].strings()]
    assert not any(block.bad for block in found)
    assert [sorted(map(float, labels_of(each))) for each in sets] == [sorted(each) for each in labels]
    assert_array_equal(np.concatenate([block.sparse.ids for block in found]), wanted.indices)
    assert_array_equal(np.concatenate([block.sparse.values for block in found]), wanted.data)
    assert_array_equal(np.concatenate([np.diff(block.sparse.starts) for block in found]), np.diff(wanted.indptr))


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        ("1,,2 3:1", 3, "a label is missing here"),
        (",1 3:1", 1, "a label is missing here"),
        ("1, 3:1", 3, "a label is missing here"),
        ("  1,x 3:1", 5, "the label 'x' is not a decimal number"),
        ("1,2;3 3:1", 3, "the label '2;3' is not a decimal number"),
        ("1,nan 3:1", 3, "the label 'nan' is not a decimal number"),
        ("1,1e999 3:1", 3, "the label '1e999' is not a decimal number"),
        ("x 3:1", 1, "the label 'x' is not a decimal number"),
        ("1,2 3:y", 7, "the value is not a decimal number"),
        ("3:1 4:y", 7, "the value is not a decimal number"),
        (" 4:y", 4, "the value is not a decimal number"),
        ("1,2 4", 6, "a colon is missing after the id"),
        ("1 2 3", 4, "a colon is missing after the id"),
    ],
)
def test_what_is_wrong_is_named_by_line_and_column(line, column, reason, size, tmp_path):
    content = f"1,2 3:4\n{line}\n5 3:4\n".encode()
    found = blocks(several(tmp_path, content, size))
    (bad,) = [row for block in found for row in block.bad]
    assert (bad.line, bad.column, bad.raw) == (2, column, line.encode())
    assert bad.reason.startswith(reason)
    assert [text for block in found for text in block.columns[LABELS].strings()] == ["1 2 ", "5 "]


def test_the_header_of_the_extreme_classification_repository_is_not_a_row(tmp_path):
    found = blocks(several(tmp_path, b"2 5 3\n1,2 3:4\n 3:5\n"))
    assert [block.lines.tolist() for block in found] == [[2, 3]]
    assert not found[0].bad


@given(st.lists(st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_a_label_is_the_number_that_it_spells(numbers):
    spelling, end = numbered(",".join(map(str, numbers)).encode() + b" 1:2")
    assert end == len(",".join(map(str, numbers)))
    assert sorted(map(float, labels_of(spelling))) == sorted(set(map(float, numbers)))
    assert numbered(",".join(map(str, numbers[::-1])).encode())[0] == spelling


def test_no_label_is_a_set_too():
    assert spelt(()) == " "
    assert labels_of(" ") == []


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ([b"1,5,7 3:0.5 4:1", b" 3:1", b"2 3:4"], Format.SVMLIGHT),
        ([b"2 5 8", b"1,5 3:0.5", b"7 3:1", b"3:1"], Format.SVMLIGHT),
        ([b"12:30", b"13:45"], Format.CSV),
        ([b"1,5,7", b"2,3,4"], Format.CSV),
        ([b"1,12:30", b"2,13:45"], Format.CSV),
    ],
)
def test_the_format_is_seen_in_the_first_lines(lines, wanted):
    assert format_of_lines(lines) is wanted
