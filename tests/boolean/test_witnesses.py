"""Witnesses, by an exact check that shares nothing with the code."""

from __future__ import annotations

import numpy as np

from linnet import boolean
from linnet.boolean.recognition import decide
from linnet.boolean.witnesses import by_programme, pairs_with_one_sum
from tests.boolean.independent import cube, proves, separable


def test_a_witness_that_proves_nothing_is_not_accepted():
    xor = boolean.parse("x1 ^ x2")
    good = decide(xor)
    assert good.holds(xor)
    for wrong in (
        boolean.Witness(good.false, good.true, (1, 1), (1, 1)),
        boolean.Witness(good.true, good.false, (1, 2), (1, 1)),
        boolean.Witness(good.true, good.false, (0, 0), (0, 0)),
        boolean.Witness(good.true[:1], good.false[:1], (1,), (1,)),
        boolean.Witness(((0, 2), (2, 0)), good.false, (1, 1), (1, 1)),
    ):
        assert not wrong.holds(xor)
    assert not good.holds(boolean.parse("x1 & x2"))


def magic():
    """Of nine variables in a square: true are sums above 15, and the square's rows; false its columns.

    8 1 6 / 3 5 7 / 4 9 2 is magic: every row and column has 15, so only sets with 15 can refute it, and the others of
    these are told apart by a plane through all rows and columns: no four points do, but three rows and three columns.
    """
    points = cube(9)
    sums = points @ [8, 1, 6, 3, 5, 7, 4, 9, 2]
    tie = points @ [-36, -20, 56, -15, -37, 52, 51, 57, -108]
    table = (sums > 15) | ((sums == 15) & (tie > 0))
    for k in range(3):
        table[(points.reshape(-1, 3, 3) == (np.arange(3) == k)[:, np.newaxis]).all(axis=(1, 2))] = True
        table[(points.reshape(-1, 3, 3) == (np.arange(3) == k)).all(axis=(1, 2))] = False
    return table


def test_where_four_points_are_not_enough_six_are_found():
    table = magic()
    assert pairs_with_one_sum(table) is None
    witness = decide(boolean.BooleanFunction.of(table))
    assert proves(witness, table)
    assert not witness.smallest
    assert len(witness.true) + len(witness.false) <= 9 + 2


def test_a_linear_programme_proves_what_pairs_of_points_prove(rng):
    for n in (2, 3, 4, 5, 6):
        for _ in range(8):
            table = rng.integers(0, 2, 2**n).astype(bool)
            by_pairs, by_points = pairs_with_one_sum(table), by_programme(table)
            assert (by_pairs is None) == (by_points is None) == separable(cube(n), table)
            if by_pairs is not None:
                assert proves(by_pairs, table)
                assert proves(by_points, table)
                assert len(by_points.true) + len(by_points.false) <= n + 2
