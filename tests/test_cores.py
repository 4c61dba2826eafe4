"""The cores that are counted, and BLAS on one thread."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from threadpoolctl import threadpool_info

from linnet.cores import cores, one_thread


def test_blas_stays_on_one_thread_until_the_last_who_asked_for_it_is_done():
    with one_thread():
        pass  # every BLAS is loaded now
    before = [each["num_threads"] for each in threadpool_info()]
    inside, leave = threading.Barrier(2), threading.Event()

    def first():
        with one_thread():
            inside.wait()
        leave.set()

    def second():
        with one_thread():
            inside.wait()
            leave.wait()  # the first is done, and has lifted nothing
            return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]

    with ThreadPoolExecutor(2) as pool:
        _, held = pool.submit(first), pool.submit(second)
        assert set(held.result()) == {1}
    assert [each["num_threads"] for each in threadpool_info()] == before


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores cannot be taken away here")
def test_only_cores_that_the_process_may_use_are_counted():
    command = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); from linnet.cores import cores"
    made = subprocess.run(
        [sys.executable, "-c", f"{command}; print(cores())"], check=True, capture_output=True, text=True
    )
    assert int(made.stdout) == 1
    assert cores() == len(os.sched_getaffinity(0))


def test_the_blas_of_scipy_is_held_to_one_thread_also_if_it_is_loaded_later():
    command = """
import numpy
from threadpoolctl import threadpool_info
from linnet.cores import one_thread, scipy
def threads():
    return {each["filepath"]: each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}
before = threads()
with one_thread():
    alone = threads()
    scipy("linalg")
    both = threads()
after = threads()
assert len(both) >= len(alone) and set(both.values()) == set(alone.values()) == {1}, (alone, both)
assert all(after[path] == number for path, number in before.items()), (before, after)
with one_thread():
    assert set(threads().values()) == {1}
assert threads() == after
"""
    subprocess.run([sys.executable, "-c", command], check=True)
