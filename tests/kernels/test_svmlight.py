"""svmlight text is read like other readers read it, and what is wrong is named by line, column and kind."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from linnet.kernels.svmlight import Wrong, parse
from linnet.kernels.svmlight_errors import MESSAGES
from tests.conftest import sparse_table
from tests.fuzz import svmlight as fuzz

lines = st.lists(st.one_of(st.sampled_from(fuzz.PIECES), st.binary(max_size=3)), max_size=12).map(b"".join)
files = st.one_of(st.binary(max_size=60), st.lists(lines, max_size=6).map(b"\n".join))


def errors(text):
    got = parse(text)
    return list(zip(got.error_lines.tolist(), got.error_columns.tolist(), got.error_codes.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("zero_based", [True, False])
def test_rows_are_those_scikit_learn_reads(seed, zero_based):
    rng = np.random.default_rng(seed)
    X, y = sparse_table(rng, 60, 30) * 10.0 ** rng.integers(-9, 9, (60, 30)), rng.normal(size=60)
    file = io.BytesIO()
    dump_svmlight_file(X, y, file, zero_based=zero_based, comment="a comment\nof two lines")
    got = parse(file.getvalue())
    file.seek(0)
    wanted, targets = load_svmlight_file(file, zero_based=True)
    assert not len(got.error_lines)
    for ours, theirs in zip(got[:4], (targets, wanted.indptr, wanted.indices, wanted.data), strict=True):
        assert_array_equal(ours, theirs)


def test_the_arrays_have_their_types():
    kinds = [array.dtype.str[1:] for array in parse(b"1 2:3\nx")]
    assert kinds == ["f8", "i8", "u4", "f8", "i8", "i8", "i8", "i4"]


def test_a_file_with_everything_that_is_allowed():
    got = parse(
        b"# head\r\n\r\n \t\n +1\tqid:7 3:.5  0:-0\t12:1e-3#note 9:9\r\n-2.5e0\n1 # \xc3\xa9\n3 0002147483646:5. \r"
    )
    assert not len(got.error_lines)
    assert got.targets.tolist() == [1.0, -2.5, 1.0, 3.0]
    assert got.starts.tolist() == [0, 3, 3, 3, 4]
    assert got.ids.tolist() == [3, 0, 12, 2147483646]
    assert repr(got.values.tolist()) == "[0.5, -0.0, 0.001, 5.0]"
    assert got.lines.tolist() == [3, 4, 5, 6]


@pytest.mark.parametrize("line", [b"1 1:1  2:1", b"1 1:1 2:1  ", b"1  1:1 \t 2:1 # a note", b"1 1:1 2:1 "])
@pytest.mark.parametrize("following", [0, 1, 20])
def test_blanks_count_alike_wherever_a_line_stands(line, following):
    """Many entries are read at once where there is text enough behind them, and one by one at the end."""
    got = parse(b"\n".join([line, *[b"-1 1:2 2:3"] * following]))
    assert not len(got.error_lines)
    assert len(got.targets) == 1 + following
    assert got.values[:2].tolist() == [1.0, 1.0]
    assert got.ids[:2].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("line", "column", "wrong"),
    [
        (b"abc 1:2", 1, Wrong.LABEL),
        (b"  1:2 3:4", 3, Wrong.LABEL),
        (b"1x 3:4", 1, Wrong.LABEL),
        (b"1,2 3:4", 2, Wrong.SEVERAL_LABELS),
        (b"nan 3:4", 1, Wrong.NOT_FINITE),
        (b"1e999 3:4", 1, Wrong.TOO_LARGE),
        (b"1 qid: 3:4", 7, Wrong.QID),
        (b"1 qid:x 3:4", 7, Wrong.QID),
        (b"1 qid:-1", 7, Wrong.QID),
        (b"1 3:4 qid:1", 7, Wrong.ID),
        (b"1 a:4", 3, Wrong.ID),
        (b"1 -3:4", 3, Wrong.ID),
        (b"1 3.0:4", 3, Wrong.ID),
        (b"1 :4", 3, Wrong.ID),
        (b"1 2:3 \r 4:5", 7, Wrong.ID),
        (b"1 2:3 2147483647:4", 7, Wrong.ID_TOO_LARGE),
        (b"1 2:3 18446744073709551617:4", 7, Wrong.ID_TOO_LARGE),
        (b"1 2:3 4", 8, Wrong.NO_COLON),
        (b"1 2:3 4 :5", 8, Wrong.NO_COLON),
        (b"1 2:3 44#:5", 9, Wrong.NO_COLON),
        (b"1 2: 4:5", 5, Wrong.NO_VALUE),
        (b"1 2:", 5, Wrong.NO_VALUE),
        (b"1 2:x", 5, Wrong.VALUE),
        (b"1 2:0x10", 5, Wrong.VALUE),
        (b"1 2:1_0", 5, Wrong.VALUE),
        (b"1 2:1e", 5, Wrong.VALUE),
        (b"1 2:3:4", 5, Wrong.VALUE),
        (b"1 2:3,4", 5, Wrong.VALUE),
        (b"1 2:3\r4", 5, Wrong.VALUE),
        (b"1 2:nan", 5, Wrong.NOT_FINITE),
        (b"1 2:-INF", 5, Wrong.NOT_FINITE),
        (b"1 2:Infinity 3:4", 5, Wrong.NOT_FINITE),
        (b"1 2:infinit", 5, Wrong.VALUE),
        (b"1 2:-2e308", 5, Wrong.TOO_LARGE),
        (b"1 2:3 4:5 2:6 4:7", 11, Wrong.DUPLICATE),
        (b"1 qid:5 4:3  4:5", 14, Wrong.DUPLICATE),
        (b"1 2:3 2:x", 9, Wrong.VALUE),
        (b"1 2:3\x00", 6, Wrong.NUL),
        (b"\x00", 1, Wrong.NUL),
        (b"1 2:3 # a\x00", 10, Wrong.NUL),
        (b"1 2:\xff", 5, Wrong.NOT_UTF8),
        (b"# \xed\xa0\x80", 3, Wrong.NOT_UTF8),
        (b"1 # \xc3\xa9 \xc3", 8, Wrong.NOT_UTF8),
        (b"1 \xc3\xa9:1", 3, Wrong.ID),
    ],
)
@pytest.mark.parametrize("ending", [b"\n1 1:1", b"\r\n1 1:1", b"\n1 1:1\n"])
def test_what_is_wrong_is_named_with_line_and_column(line, column, wrong, ending):
    text = b"1 1:1\n\n" + line + ending
    assert errors(text) == [(2, column, wrong)]
    assert errors(line) == [(0, column, wrong)]
    got = parse(text)
    assert got.lines.tolist() == [0, 3]
    assert got.ids.tolist() == [1, 1]


def test_every_kind_of_error_has_a_message_that_says_what_it_is():
    assert len(MESSAGES) == len(Wrong)
    assert len(set(MESSAGES)) == len(MESSAGES)
    assert "2147483646" in MESSAGES[Wrong.ID_TOO_LARGE]
    assert "already" in MESSAGES[Wrong.DUPLICATE]


@settings(max_examples=1500)
@given(files)
@example(b"")
@example(b"\n")
@example(b"1 1:1")
def test_arbitrary_bytes_give_for_each_line_a_row_or_nothing_or_one_error(text):
    fuzz.check(text)


@settings(max_examples=500)
@given(files, st.data())
def test_blocks_cut_at_line_ends_give_what_the_whole_gives(text, data):
    ends = [i + 1 for i, byte in enumerate(text) if byte == 10]
    cuts = sorted(data.draw(st.sets(st.sampled_from(ends)))) if ends else []
    whole, line, parts = parse(text), 0, []
    for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True):
        part = parse(text[start:stop])
        parts.append(part._replace(lines=part.lines + line, error_lines=part.error_lines + line))
        line += text[start:stop].count(b"\n")
    sizes = np.concatenate([np.diff(part.starts) for part in parts])
    assert_array_equal(np.diff(whole.starts), sizes)
    for name in set(whole._fields) - {"starts"}:
        assert_array_equal(getattr(whole, name), np.concatenate([getattr(part, name) for part in parts]))


@pytest.mark.parametrize("order", ["rising", "falling", "shuffled"])
def test_a_long_row_is_read_and_its_one_duplicate_found(order, rng):
    ids = np.sort(rng.choice(10**6, 20_000, replace=False))
    if order != "rising":
        ids = ids[::-1] if order == "falling" else rng.permutation(ids)
    text = b"1 " + b" ".join(b"%d:1" % i for i in ids)
    assert_array_equal(parse(text).ids, ids)
    assert errors(text + b" %d:2" % ids[7]) == [(0, len(text) + 2, Wrong.DUPLICATE)]


def test_every_kind_of_buffer_is_read():
    text = b"1 2:3\n"
    for data in (bytearray(text), memoryview(text), np.frombuffer(text, dtype=np.uint8)):
        assert parse(data).values.tolist() == [3.0]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_mutated_files_are_read_like_the_twin_reads_them(seed):
    fuzz.run(50_000, seed)
