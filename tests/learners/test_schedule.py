from __future__ import annotations

import math

import pytest

from linnet import RecipeError
from linnet.learners.schedule import Schedule, constant, inverse, inverse_sqrt, passive_aggressive


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (constant(0.5), [0.5, 0.5, 0.5, 0.5]),
        (inverse(2), [2, 1, 2 / 3, 0.5]),
        (inverse_sqrt(2), [2, math.sqrt(2), 2 / math.sqrt(3), 1]),
    ],
)
def test_steps_by_number(schedule, expected):
    assert [schedule.at(t) for t in (1, 2, 3, 4)] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("power", "meets"), [(0, False), (0.3, False), (0.5, False), (0.51, True), (0.75, True), (1, True), (1.01, False)]
)
def test_robbins_monro_holds_exactly_for_powers_over_a_half_up_to_one(power, meets):
    assert bool(Schedule(0.1, power).robbins_monro()) is meets


@pytest.mark.parametrize("power", [0.25, 0.5, 0.6, 1.0, 1.5])
def test_the_verdict_on_each_sum_agrees_with_its_growth(power):
    """Cauchy condensation: sum t^-q diverges exactly if the blocks 2^k * 2^(-kq) do not shrink."""
    verdict = Schedule(1.0, power).robbins_monro()
    blocks = [[sum(t**-q for t in range(2**k, 2 ** (k + 1))) for k in (6, 12)] for q in (power, 2 * power)]
    assert verdict.sum_diverges == (blocks[0][1] > 0.9 * blocks[0][0])
    assert verdict.sum_of_squares_converges == (blocks[1][1] < 0.9 * blocks[1][0])


def test_reasons_are_given_in_words():
    assert "too slowly" in inverse_sqrt().robbins_monro().reason
    assert "never converges" in constant().robbins_monro().reason
    assert "too fast" in Schedule(1, 2).robbins_monro().reason
    assert not passive_aggressive().robbins_monro()


@pytest.mark.parametrize(("eta", "power"), [(0, 0), (-1, 0), (math.nan, 0), (math.inf, 0), (1, -1), (1, math.nan)])
def test_impossible_steps_are_refused(eta, power):
    with pytest.raises(RecipeError):
        Schedule(eta, power)
