from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.kernels import losses, passes
from linnet.learners.losses import NAMED, Loss
from linnet.learners.recipe import Averaging, Update
from linnet.learners.robust_losses import FixedHuber
from linnet.learners.schedule import Step
from linnet.learners.svr_losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from tests import twins

MARGINS = st.floats(-50, 50)


@given(st.floats(-700, 700))
def test_exp_is_within_one_unit_in_the_last_place(x):
    assert abs(losses.exp_same_bits(x) - math.exp(x)) <= math.ulp(math.exp(x))


@pytest.mark.parametrize(("x", "expected"), [(-1e4, 0.0), (-math.inf, 0.0), (0.0, 1.0), (-0.0, 1.0)])
def test_exp_at_its_ends(x, expected):
    assert losses.exp_same_bits(x) == expected
    assert math.isfinite(losses.exp_same_bits(1e4))


@pytest.mark.parametrize("loss", NAMED)
@given(margin=MARGINS)
def test_losses_equal_their_formulas(loss, margin):
    at = losses.loss_at(loss.code, margin)
    value, pull = twins.loss_and_pull(loss, margin)
    assert at["value"] + math.log(at["factor"]) == pytest.approx(value, rel=1e-13, abs=1e-15)
    assert at["pull"] == pytest.approx(pull, rel=1e-13, abs=1e-300)


@pytest.mark.parametrize("loss", NAMED)
@given(margin=MARGINS)
def test_pulls_are_the_negative_slopes_of_the_losses(loss, margin):
    h = 1e-6
    kinks = {Loss.PERCEPTRON: 0.0, Loss.HINGE: 1.0}
    if abs(margin - kinks.get(loss, np.inf)) <= h:
        return

    def value(m):
        at = losses.loss_at(loss.code, m)
        return at["value"] + math.log(at["factor"])

    slope = (value(margin + h) - value(margin - h)) / (2 * h)
    assert losses.loss_at(loss.code, margin)["pull"] == pytest.approx(-slope, rel=1e-5, abs=2e-6)


def test_the_names_and_numbers_of_the_choices_are_the_kernels():
    codes = {loss.name.upper(): loss.code for loss in NAMED}
    codes |= {loss.family.upper(): loss.code for loss in (EpsilonInsensitive, SquaredEpsilonInsensitive)}
    assert codes | {"HUBER": FixedHuber.code} == {choice.name: int(choice) for choice in losses.Loss}
    for ours, kernels in [
        (Update, passes.Geometry),
        (Step, passes.Step),
        (Averaging, passes.Averaging),
    ]:
        assert {choice.name: int(choice) for choice in ours} == {choice.name: int(choice) for choice in kernels}
