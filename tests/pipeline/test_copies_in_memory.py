"""Rows in memory: taken and scaled without room for much more than the result, and not kept beside what is fitted."""

from __future__ import annotations

import gc
import json
import tracemalloc
from unittest import mock

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse import random as random_matrix

from linnet.data.rows import Rows
from linnet.pipeline.dataset import Dataset
from linnet.pipeline.scaling import Scaling
from linnet.pipeline.separable import separability_of
from linnet.pipeline.services import Services
from linnet.pipeline.train import TrainOptions, train
from linnet.pipeline.trainers import solving


def extra_memory(function):
    """What a function returns, and the most memory that it took, beside the size of the rows that it returns."""
    tracemalloc.start()
    try:
        made = function()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return made, most / (made.values.nbytes + made.ids.nbytes + made.starts.nbytes)


@pytest.fixture
def matrix():
    return csr_array(random_matrix(4000, 1500, 0.5, format="csr", random_state=0))


def test_some_rows_are_taken_without_room_for_a_place_of_every_entry(matrix):
    which = np.flatnonzero(np.arange(4000) % 10)
    taken, times = extra_memory(lambda: Rows.of(matrix).take(which))
    assert (taken.matrix() != matrix[which]).nnz == 0
    assert times < 1.3


def test_rows_of_any_length_are_taken_in_any_order(rng):
    lengths = rng.integers(0, 5, 300)
    lengths[[7, 200]] = 400_000  # more than are taken at once
    starts = np.concatenate([[0], np.cumsum(lengths)])
    ids = np.concatenate([np.arange(length) for length in lengths])
    X = csr_array((rng.normal(size=len(ids)), ids, starts), shape=(300, 400_000))
    for which in (rng.permutation(300)[:150], rng.integers(300, size=310), np.empty(0, dtype=np.int64)):
        taken, wanted = Rows.of(X).take(which), X[which]
        assert np.array_equal(taken.values, wanted.data)
        assert np.array_equal(taken.ids, wanted.indices)
        assert np.array_equal(taken.starts, wanted.indptr)


def test_rows_are_scaled_without_room_for_a_centre_and_a_unit_of_every_entry(matrix, rng):
    none = np.empty(0, dtype=np.int64)
    scaling = Scaling(rng.normal(size=1500), rng.uniform(1, 2, 1500), none, none)
    rows = Rows.of(matrix)
    scaled, times = extra_memory(lambda: scaling.scaled(rows))
    assert np.array_equal(scaled.values, (rows.values - scaling.centres[rows.ids]) / scaling.units[rows.ids])
    assert times < 1.3


def test_only_the_rows_that_are_fitted_to_are_beside_all_rows(tmp_path):
    """Each is as large as memory may have room for: the others, taken for the scales, must be gone.

    With more threads the fits to rows that are small are side by side.
    """
    first = json.dumps({**{f"k{i}": "x" for i in range(300)}, "y": "a"})
    (tmp_path / "wide.jsonl").write_text("\n".join([first] + ['{"y":"a"}', '{"y":"b"}'] * 300))
    seen = []

    def counted(entry, examples, *more):
        arrays = {id(each.values.base if each.values.base is not None else each.values): each.entries
                  for each in gc.get_objects() if type(each) is Rows}  # fmt: skip
        seen.append(sum(entries > 50_000 for entries in arrays.values()))
        return fit(entry, examples, *more)

    fit = solving.fit
    with mock.patch.object(solving, "fit", counted):
        train(tmp_path / "wide.jsonl", TrainOptions(target="y", learner="svm"), services=Services(threads=1))
    assert len(seen) == 2  # without the held-out rows, then to all
    assert seen[0] == 2
    assert seen[1] == 1


def test_what_rows_were_made_of_is_gone_when_a_plane_is_looked_for(tmp_path):
    first = json.dumps({**{f"k{i}": "x" for i in range(300)}, "y": "a"})
    (tmp_path / "wide.jsonl").write_text("\n".join([first] + ['{"y":"a"}', '{"y":"b"}'] * 300))
    alive = []

    def counted(rows, *more):
        alive.append(sum(type(each) is Dataset for each in gc.get_objects()))
        return check(rows, *more)

    check = Rows.check_finite
    with mock.patch.object(Rows, "check_finite", counted):
        separability_of(tmp_path / "wide.jsonl", "y")
    assert alive[0] == 0
