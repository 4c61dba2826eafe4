from __future__ import annotations

import pytest

from linnet.training.history import Pass, added, memorised


def test_several_problems_sum_their_work_and_average_their_losses():
    """One that has come to rest keeps the mistakes and the loss it ended with, and works no more."""
    long, short = [Pass(5, 6, 0.5, 1.0), Pass(3, 4, 0.3, 1.0)], [Pass(1, 2, 0.1, 1.0)]
    first, second = added([long, short])
    assert first == pytest.approx((6, 8, 0.3, 2.0))
    assert second == pytest.approx((4, 4, 0.2, 1.0))


def test_one_problem_is_its_own_history():
    assert added([[Pass(1, 2, 0.5, 0.1)]]) == [Pass(1, 2, 0.5, 0.1)]


def test_rows_are_memorised_when_the_loss_is_half_of_that_on_new_rows_and_the_passes_are_enough():
    falling = [Pass(0, 1, loss, 0.0) for loss in (1.0, 0.6, 0.5)]
    assert memorised(falling, 3)
    assert not memorised(falling, 4)
    assert not memorised(falling[:2], 2)
