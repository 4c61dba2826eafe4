from __future__ import annotations

import numpy as np
import pytest

from linnet.learners.recipe import Factors
from linnet.theory.winnow_bound import balanced_winnow_bound, log_cosh, winnow_bound


def test_balanced_winnow_in_numbers():
    assert log_cosh(0.7) == pytest.approx(np.log(np.cosh(0.7)))
    assert balanced_winnow_bound(9, 2.0, 0.1, 0.0) == np.inf
    assert balanced_winnow_bound(9, 2.0, 1.0, 0.0) == pytest.approx(np.log(20) / (np.log(2) - np.log(1.25)))


def test_winnow1_is_littlestones_formula():
    """alpha k (log_alpha Theta + 1) + d / Theta."""
    assert winnow_bound(3, 64, Factors(2.0, 0.0), 32.0) == pytest.approx(2 * 3 * (5 + 1) + 2)


def test_winnow2_adds_promotions_and_demotions():
    """u = 3 (5 + 1) = 18 promotions, (2 + 18) / (1 - 1/2) = 40 demotions."""
    assert winnow_bound(3, 64, Factors(2.0, 0.5), 32.0) == pytest.approx(58)
