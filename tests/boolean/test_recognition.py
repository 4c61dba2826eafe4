"""Random functions and units, decided as by a linear programme."""

from __future__ import annotations

import pytest

from linnet import boolean
from linnet.boolean.recognition import decide
from tests.boolean.independent import cube, proves, separable


@pytest.mark.parametrize("n", [5, 6, 7])
def test_random_functions_and_random_units_are_recognised(n, rng):
    for _ in range(10):
        table = rng.integers(0, 2, 2**n).astype(bool)
        assert proves(decide(boolean.BooleanFunction.of(table)), table)
        w = rng.integers(-9, 10, n)
        table = cube(n) @ w >= rng.integers(-5, 10)
        found = decide(boolean.BooleanFunction.of(table))
        assert found.holds(cube(n), table)
        assert sum(map(abs, found.weights)) <= abs(w).sum()


def test_a_unit_with_one_point_turned_is_decided_as_a_linear_programme_does(rng):
    """Nearly linear functions: most are unate, and many pass every test but the last."""
    kinds = set()
    for _ in range(60):
        table = cube(5) @ rng.integers(1, 6, 5) >= rng.integers(3, 12)
        table[rng.integers(0, 32)] ^= True
        found = decide(boolean.BooleanFunction.of(table))
        assert isinstance(found, boolean.Unit) == separable(cube(5), table)
        kinds.add(type(found))
    assert len(kinds) == 2
