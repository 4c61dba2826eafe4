"""Broken sparse matrices at every door, in a process of their own: what they used to do to it was to end it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import linnet
from linnet.data.rows import Rows
from tests.estimators import broken_matrices

ROOT = Path(broken_matrices.__file__).parents[2]


def brought(*arguments):
    """How many matrices were brought to a door, and those with a wrong answer."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.estimators.broken_matrices", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert run.returncode == 0, f"ended by {run.returncode} after\n{run.stderr[-2000:]}"
    found = json.loads(run.stdout)
    return found["count"], found["failures"]


def test_a_broken_matrix_is_refused_and_an_unusual_one_read_at_every_door():
    count, failures = brought()
    assert failures == []
    assert count > 2000


@pytest.mark.slow
def test_every_broken_matrix_is_refused_at_every_door():
    count, failures = brought("--all")
    assert failures == []
    assert count > 30_000


def test_the_error_names_what_is_wrong():
    X = csr_matrix(np.eye(4))
    X.indptr = X.indptr[:2]
    with pytest.raises(linnet.InputError, match="4 rows take 5 row pointers; indptr has 2"):
        linnet.Perceptron().fit(X, [0, 1, 0, 1])


def test_rows_whose_arrays_do_not_fit_their_shape_are_never_made():
    values, ids, starts = np.ones(3), np.zeros(3, dtype=np.uint32), np.array([0, 1, 3])
    Rows(values, ids, starts, (2, 1))
    for wrong in ((values[:2], ids, starts), (values, ids[:2], starts), (values, ids, starts[:2])):
        with pytest.raises(linnet.InputError, match="do not fit its shape, 2 x 1"):
            Rows(*wrong, (2, 1))
