"""Damaged files neither crash nor hang a reader, nor change the rows that are not damaged."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.data.sources import mutations

FORMS = list(mutations.SEEDS)


@pytest.mark.parametrize("form", FORMS)
def test_mutated_text_is_read_the_same_in_chunks_of_any_size(form):
    mutations.run_lines(form, 500, 1)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_much_mutated_text_is_read_the_same_in_chunks_of_any_size(form):
    mutations.run_lines(form, 100_000, 2)


def test_damaged_compressed_files_are_told():
    mutations.run_compressed(2000, 1)


@pytest.mark.slow
def test_many_damaged_compressed_files_are_told():
    mutations.run_compressed(100_000, 2)


def crashes_of_parquet(files: int, seed: int) -> list[tuple[int, str]]:
    """Read damaged files in a process of their own, and in another from the next on when that dies."""
    died, at, end = [], seed, seed + files
    while at < end:
        command = [sys.executable, mutations.__file__, str(end - at), str(at)]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), os.environ.get("PYTHONPATH")])),
        }
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=1000)
        at = int(done.stdout.split()[-1]) + 1
        if done.returncode:
            died.append((at - 1, done.stderr))
    return died


def test_damaged_parquet_files_are_told():
    assert crashes_of_parquet(500, 0) == []


@pytest.mark.slow
def test_many_damaged_parquet_files_are_told():
    assert crashes_of_parquet(100_000, 1000) == []
