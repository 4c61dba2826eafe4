"""Every learner makes the same model file of the same rows: however they are cut, wherever from, on any cores.

Roles and task are inferred here, unlike in test_same_bytes.py: the guess must not depend on any of it, either.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from linnet.learners import catalogue
from linnet.pipeline.train import TrainOptions, train
from tests.pipeline.every_learner import KINDS, PARTS, cases, digest, files, write_data
from tests.pipeline.making import cut, write_svmlight

ALL = [entry.name for entry in catalogue.entries()]
# one of every way of training, for every run of the suite; all of them are in the slow ones
SOME = ["adaptive", "perceptron", "ridge", "naive-bayes-gaussian"]
SOME_OF_BLAS = "ridge,svm-squared"
IN_SLOW_RUNS = [pytest.param(name, marks=[] if name in SOME else pytest.mark.slow) for name in ALL]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("rows")
    write_data(where, 300)
    return where


@contextmanager
def piped(content, piece=777):
    """These bytes on standard input, delivered in small pieces."""
    read, write = os.pipe()

    def deliver():
        with os.fdopen(write, "wb", buffering=0) as pipe:
            for at in range(0, len(content), piece):
                pipe.write(content[at : at + piece])

    feeder, before = threading.Thread(target=deliver), sys.stdin
    feeder.start()
    with os.fdopen(read) as sys.stdin:
        try:
            yield
        finally:
            sys.stdin = before
    feeder.join()


@pytest.mark.parametrize("learner", IN_SLOW_RUNS)
def test_files_pipes_compression_threads_and_chunks_do_not_change_a_byte(learner, folder, tmp_path):
    for case in cases([learner]):
        (one,) = files(folder, case)
        wanted, content = digest(one, case), Path(one).read_bytes()
        for parts in PARTS[1:]:
            assert digest(files(folder, case, parts), case) == wanted, (case, f"{parts} parts")
        (tmp_path / "rows.gz").write_bytes(gzip.compress(content))
        assert digest(tmp_path / "rows.gz", case) == wanted, (case, "gz")
        with piped(content):
            assert digest("-", case) == wanted, (case, "pipe")
        for threads in (1, 2, 4):
            assert digest(one, case, threads=threads) == wanted, (case, f"{threads} threads")
        for chunk in (1000, 20_000):
            with cut(chunk, cache=4096):
                assert digest(one, case) == wanted, (case, f"chunks of {chunk}")


def digests(folder, learners, kinds, *, one_core=False, **environment):
    """The models of a process with these cores and this environment."""
    first = min(os.sched_getaffinity(0))
    begin = f"import os; os.sched_setaffinity(0, {{{first}}}); " if one_core else ""
    run = f"{begin}import runpy; runpy.run_module('tests.pipeline.every_learner', run_name='__main__')"
    python_path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    made = subprocess.run(
        [sys.executable, "-c", run, str(folder), learners, ",".join(kinds)],
        env={**os.environ, "PYTHONPATH": python_path, **environment},
        check=True, capture_output=True, text=True, cwd=folder,
    )  # fmt: skip
    return json.loads(made.stdout)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be taken away here")
@pytest.mark.parametrize(
    ("learners", "kinds"), [(SOME_OF_BLAS, ("two", "numbers")), pytest.param("", KINDS, marks=pytest.mark.slow)]
)
def test_cores_and_blas_threads_do_not_change_a_byte(learners, kinds, tmp_path):
    write_data(tmp_path, 11_000, kinds, parts_of=(1,))  # BLAS adds up longer sums than 10,000 on several threads
    wanted = digests(tmp_path, learners, kinds, OPENBLAS_NUM_THREADS="2")
    assert wanted
    assert digests(tmp_path, learners, kinds, one_core=True) == wanted
    if not learners:
        for threads in ("1", "3"):
            assert digests(tmp_path, learners, kinds, OPENBLAS_NUM_THREADS=threads) == wanted


@pytest.mark.parametrize("learner", [entry.name for entry in catalogue.entries() if str(entry.way) == "online"])
def test_columns_that_no_row_has_weigh_zero_and_not_minus_zero(learner, tmp_path):
    # the second label comes first, so that sides are changed; most columns are left out, and more come than have room
    rows, columns = 90, 3000
    X, y = np.zeros((rows, columns)), np.array([2.0, 2.0, 1.0] * 30)
    X[np.arange(rows), 1 + 33 * np.arange(rows)] = 1.0
    X[:, 3] = y - 1
    write_svmlight(tmp_path / "all.svm", X, y)
    parts = []
    for number, at in enumerate(np.array_split(np.arange(rows), 7)):
        parts.append(str(tmp_path / f"{number}.svm"))
        write_svmlight(parts[-1], X[at], y[at])
    case = (learner, "two", "svm")
    assert digest(tmp_path / "all.svm", case) == digest(parts, case)
    model = train(str(tmp_path / "all.svm"), TrainOptions(learner=learner)).linear
    assert not np.signbit(model.weights[model.weights == 0]).any()
