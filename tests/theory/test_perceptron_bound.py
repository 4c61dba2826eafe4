from __future__ import annotations

import pytest

from linnet.theory.perceptron_bound import JOINT, perceptron_bound


def test_without_losses_it_is_novikoffs():
    assert perceptron_bound(3.0, 0.5, 0.0) == pytest.approx(36)
    assert perceptron_bound(3.0, 0.5, 0.0, JOINT) == pytest.approx(72)


def test_with_losses_it_solves_the_inequality_of_its_proof():
    assert perceptron_bound(3.0, 1.0, 10.0) == pytest.approx(25)  # 1 (25 - 10) = 3 sqrt(25)
