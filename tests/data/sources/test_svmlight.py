"""svmlight files are read like scikit-learn reads them, in chunks of any size, and bad lines are named."""

from __future__ import annotations

import io

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from linnet.data.sources.formats import Format
from tests.conftest import sparse_table
from tests.data.sources.tools import bad, blocks, opened, rows, written


@pytest.mark.parametrize("size", [1, 100, 1 << 20])
@pytest.mark.parametrize("how", ["", "gz"])
def test_rows_are_those_scikit_learn_reads(size, how, tmp_path, rng):
    X, y = sparse_table(rng, 60, 30), rng.normal(size=60)
    file = io.BytesIO()
    dump_svmlight_file(X, y, file, comment="a comment")
    source = opened(written(tmp_path, file.getvalue(), how=how), Format.SVMLIGHT, size=size)
    file.seek(0)
    wanted, targets = load_svmlight_file(file, zero_based=True)
    found = blocks(source)
    assert_array_equal(np.concatenate([block.targets for block in found]), targets)
    assert_array_equal(np.concatenate([block.sparse.ids for block in found]), wanted.indices)
    assert_array_equal(np.concatenate([block.sparse.values for block in found]), wanted.data)
    assert_array_equal(np.concatenate([np.diff(block.sparse.starts) for block in found]), np.diff(wanted.indptr))


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_bad_lines_are_named_by_their_line_in_the_file_and_kept_whole(size, tmp_path):
    content = b"\xef\xbb\xbf# head\n1 1:2\n2 x:1\r\n\n3 2:5 2:6\n4 1:1"
    source = opened(written(tmp_path, content), Format.SVMLIGHT, size=size)
    assert [found[1:3] for found in bad(source)] == [(3, 3), (5, 7)]
    assert [row.raw for block in blocks(source) for row in block.bad] == [b"2 x:1\r", b"3 2:5 2:6"]
    assert [(line, value) for _, line, value in rows(source)] == [(2, (1.0, [(1, 2.0)])), (6, (4.0, [(1, 1.0)]))]


def test_an_empty_file_has_no_rows(tmp_path):
    assert rows(opened(written(tmp_path, b"", b"# only a note\n"), Format.SVMLIGHT)) == []
