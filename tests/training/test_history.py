from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.training.history import Lowest, Pass, added, helps, judged_passes, memorised


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


@given(
    mistakes=st.lists(st.integers(0, 40), min_size=1, max_size=60),
    passes=st.integers(1, 12),
    tol=st.sampled_from([0.0, 0.01, 0.2]),
)
def test_passes_help_if_one_of_the_later_half_made_fewer_mistakes_than_all_before(mistakes, passes, tol):
    lowest = Lowest()
    for each in mistakes:
        lowest.add(each)
    late = max(passes, len(mistakes) // 2)
    before, after = mistakes[:-late], mistakes[-late:]
    assert helps(lowest, 20, tol, passes) == (not before or min(before) - min(after) > tol * 20)


def test_mean_losses_of_very_many_rows_are_judged_by_fewer_passes_but_two():
    assert [judged_passes(rows, 5) for rows in (1, 200_000, 200_001, 500_000, 10**6, 10**9)] == [5, 5, 5, 2, 2, 2]
    assert [judged_passes(rows, 20) for rows in (0, 200_000, 400_000, 10**6)] == [20, 20, 10, 4]
    assert judged_passes(10**9, 1) == 1
