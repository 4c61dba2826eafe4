"""Cores and BLAS threads do not change a bit of any estimator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def digests(*, one_core=False, **environment):
    first = min(os.sched_getaffinity(0))
    begin = f"import os; os.sched_setaffinity(0, {{{first}}}); " if one_core else ""
    run = f"{begin}import runpy; runpy.run_module('tests.estimators.coefficients', run_name='__main__')"
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    made = subprocess.run(
        [sys.executable, "-c", run, "11000"],
        env={**os.environ, "PYTHONPATH": path, **environment},
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return json.loads(made.stdout)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be taken away here")
def test_cores_and_blas_threads_do_not_change_a_bit_of_any_estimator():
    wanted = digests(OPENBLAS_NUM_THREADS="2")
    assert len(set(wanted.values())) > len(wanted) // 2
    assert digests(OPENBLAS_NUM_THREADS="1") == wanted
    assert digests(one_core=True) == wanted
