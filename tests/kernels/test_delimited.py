"""Records of delimited text are found like a slow twin finds them, and like the csv module does."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.kernels.delimited import records, rewritten
from tests.fuzz import delimited as fuzz

files = st.one_of(st.binary(max_size=60), st.lists(st.sampled_from(fuzz.PIECES), max_size=30).map(b"".join))


def bytes_of(text):
    return np.frombuffer(text, dtype=np.uint8)


@settings(max_examples=1000)
@given(files)
def test_arbitrary_bytes_are_cut_like_the_twin_cuts_them(text):
    fuzz.check(text)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_mutated_texts_are_cut_like_the_twin_cuts_them(seed):
    fuzz.run(50_000, seed)


@settings(max_examples=300)
@given(st.lists(st.lists(st.text(st.sampled_from('a",\n\r; '), max_size=5), min_size=1, max_size=4), max_size=8))
def test_what_the_csv_module_writes_is_cut_as_it_was(table):
    file = io.StringIO()
    csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(table)
    _, _, _, fields, stray, is_open = records(bytes_of(file.getvalue().encode()), ord(","))
    assert fields.tolist() == [len(row) for row in table]
    assert (stray == -1).all()
    assert not is_open


def test_lines_of_records_count_every_line_end_once():
    starts, stops, numbers, fields, *_ = records(bytes_of(b'a\r\nb\rc\n"d\n\re\r\n",f\n\ng'), ord(","))
    assert numbers.tolist() == [0, 1, 2, 3, 8]
    assert fields.tolist() == [1, 1, 1, 2, 1]
    assert (stops - starts).tolist() == [1, 1, 1, 10, 1]


def test_a_quote_that_encloses_no_field_is_literal():
    for text in (b'a,"b\nc,d\n', b'a,"b\nc,"d\ne,f\n', b'a,"b\nc,d"e\n'):
        *_, fields, stray, _ = records(bytes_of(text), ord(","))
        assert (fields == 2).all()
        assert stray[0] == 2
    assert records(bytes_of(b'a,"b\nc,d\n'), ord(","), 34, 2, False)[5]
    assert not records(bytes_of(b'a,"b\nc,d\n'), ord(","), 34, 2, False, 2)[5]


def test_runs_of_blanks_separate_and_do_not_count_at_the_ends():
    starts, stops, _, fields, *_ = records(bytes_of(b'  1  2\t"a b"  \n\n \t\n3 4 5'), ord(" "))
    assert fields.tolist() == [3, 3]
    assert (stops - starts).tolist() == [10, 5]
    assert rewritten(bytes_of(b'1  2 \t"a\tb"'), starts[:1] * 0, np.array([11]), 32, 34).tobytes() == b'1\t2\t"a\tb"\n'


def test_nothing_has_no_records():
    assert len(records(bytes_of(b""), ord(","))[0]) == 0
