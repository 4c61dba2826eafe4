"""Work on several threads: results in order, errors, nesting, and children of a fork."""

from __future__ import annotations

import os
import threading

import pytest

from linnet.training.threads import beside, in_threads, over_parts


def test_results_come_in_the_order_of_their_items():
    assert in_threads(lambda x: x * x, range(100), 4) == [x * x for x in range(100)]
    assert over_parts(lambda first, last: (first, last), 10, 4) == [(0, 4), (4, 8), (8, 10)]


def test_work_within_work_ends():
    assert in_threads(lambda x: sum(in_threads(lambda y: x * y, range(5), 3)), range(6), 3) == [
        10 * x for x in range(6)
    ]


def test_an_error_ends_the_work_and_the_threads_work_on():
    def fails(x):
        if x == 7:
            raise ZeroDivisionError
        return x

    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            in_threads(fails, range(20), 4)
        assert in_threads(fails, range(5), 4) == list(range(5))


def test_threads_are_started_once():
    def names():
        barrier = threading.Barrier(3, timeout=30)

        def named(_):
            barrier.wait()
            return threading.current_thread().name

        return set(in_threads(named, range(3), 3))

    assert names() == names()


def test_work_beside_other_work_gives_its_result_or_its_error():
    go_on = threading.Event()
    waits = beside(lambda: go_on.wait(30))
    assert in_threads(abs, range(-4, 0), 2) == [4, 3, 2, 1]  # on other threads than the one that waits
    go_on.set()
    assert waits() is True
    with pytest.raises(ZeroDivisionError):
        beside(lambda: 1 // 0)()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_child_of_a_fork_starts_threads_of_its_own():
    in_threads(abs, range(8), 4)
    child = os.fork()
    if not child:
        os._exit(0 if in_threads(abs, range(-8, 0), 4) == list(range(8, 0, -1)) else 1)
    assert os.waitpid(child, 0)[1] == 0
