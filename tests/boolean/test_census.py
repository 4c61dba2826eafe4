"""Every function of few variables: the smallest units by exhaustion, the known numbers of threshold functions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from linnet import RecipeError, boolean
from linnet.boolean.recognition import decide
from tests.boolean.independent import cube, proves


def smallest_by_exhaustion(n, most):
    """For each function that weights with Σ|w| of at most this say: the least Σ|w|, then literals' least threshold."""
    best = {}
    points = cube(n)
    for w in product(range(-most, most + 1), repeat=n):
        if sum(map(abs, w)) > most:
            continue
        sums = points @ np.array(w, dtype=int)
        down = -sum(min(0, each) for each in w)
        for t in range(sums.min(), sums.max() + 2):
            key = tuple((sums >= t).tolist())
            size = (sum(map(abs, w)), t + down)
            best[key] = min(best.get(key, size), size)
    return best


@pytest.mark.parametrize("n", [1, 2, 3])
def test_no_smaller_weights_say_the_same(n):
    best = smallest_by_exhaustion(n, 6)
    for table in product((False, True), repeat=2**n):
        found = decide(boolean.BooleanFunction.of(table))
        assert isinstance(found, boolean.Unit) == (table in best)
        if table in best:
            assert found.holds(cube(n), np.array(table))
            size = sum(map(abs, found.weights))
            assert (size, found.threshold - sum(min(0, w) for w in found.weights)) == best[table]
        else:
            assert proves(found, table)


def test_of_four_variables_every_function_has_a_proof_that_stands_an_independent_check():
    census = boolean.classify(4)
    numbers = np.arange(2**16)
    tables = (numbers[:, np.newaxis] >> np.arange(15, -1, -1) & 1).astype(bool)
    points = cube(4)
    assert census.count == 1882
    said = census.weights @ points.T >= census.thresholds[:, np.newaxis]
    assert (said == tables)[census.linear].all()
    witnesses = census.witnesses[~census.linear]
    truths = np.take_along_axis(tables[~census.linear], witnesses, axis=1)
    assert (truths == [True, True, False, False]).all()
    assert (points[witnesses[:, :2]].sum(axis=1) == points[witnesses[:, 2:]].sum(axis=1)).all()
    for number in (0, 0b0110100110010110, 2**16 - 1, 12345):
        proof = census.proof(number)
        assert proof.holds(points, tables[number]) if census.linear[number] else proves(proof, tables[number])


def test_of_four_variables_every_unit_is_the_smallest():
    census = boolean.classify(4)
    best = smallest_by_exhaustion(4, 9)
    assert len(best) == census.count
    for number in np.flatnonzero(census.linear).tolist():
        w = census.weights[number].tolist()
        size = (sum(map(abs, w)), int(census.thresholds[number]) - sum(min(0, each) for each in w))
        assert size == best[tuple(census.table(number).tolist())]


def test_the_threshold_functions_of_up_to_five_variables_are_as_many_as_is_known():
    assert [boolean.count_threshold_functions(n) for n in range(6)] == [2, 4, 14, 104, 1882, 94572]
    assert [boolean.classify(n).count for n in range(5)] == [2, 4, 14, 104, 1882]


@pytest.mark.slow
def test_the_threshold_functions_of_six_variables_are_as_many_as_is_known():
    assert boolean.count_threshold_functions(6) == 15_028_134


@pytest.mark.slow
def test_weights_to_five_make_every_threshold_function_of_five_variables():
    """The count again, by trying: 94,572 different functions, so at least as many, come of these weights."""
    points, found = cube(5), set()
    ones = np.uint64(1) << np.arange(32, dtype=np.uint64)
    for w in product(range(-5, 6), repeat=5):
        sums = points @ np.array(w)
        levels = np.append(np.unique(sums), sums.max() + 1)
        found.update(((sums >= levels[:, np.newaxis]) * ones).sum(axis=1).tolist())
    assert len(found) == 94_572


@pytest.mark.parametrize("n", [-1, 7, 2.0, True, "4"])
def test_more_variables_than_can_be_counted_are_refused(n):
    with pytest.raises(RecipeError, match="n must be an integer from 0 to 6"):
        boolean.count_threshold_functions(n)
