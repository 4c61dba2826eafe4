"""No hidden copies: what a fit adds to the peak of memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import numpy as np
from scipy.sparse import csr_matrix
import linnet

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

rng = np.random.default_rng(0)
n, d, m = 100_000, 20_000, 50
if {kind!r} == "sparse":
    ids = np.sort(rng.permuted(np.tile(np.arange(0, d, d // m, dtype=np.int32)[:m], (n, 1)), axis=1), axis=1)
    ids += rng.integers(d // m, size=(n, 1), dtype=np.int32)
    X = csr_matrix((rng.random(n * m), ids.ravel(), np.arange(0, n * m + 1, m, dtype=np.int32)), (n, d))
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
else:
    X = rng.random((n, 80)).astype({dtype!r})
    size = X.nbytes
y = rng.integers(2, size=n)
model = linnet.{model}
model.fit(X[:1000], y[:1000])
with open("/proc/self/clear_refs", "w") as clear:
    clear.write("5")
before = peak()
model.fit(X, y)
print((peak() - before) / size)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak is read as Linux tells it")
@pytest.mark.parametrize(
    "model",
    [
        "Perceptron(max_iter=1, tol=None, shuffle=False)",
        "Perceptron(max_iter=1, tol=None, shuffle=False, averaging='average')",
        "PassiveAggressive(max_iter=1, tol=None, shuffle=False)",
        "OnlineClassifier(max_iter=1, tol=None, shuffle=False)",
        "OnlineClassifier(max_iter=1, tol=None)",
    ],
)
@pytest.mark.parametrize(("kind", "dtype"), [("sparse", "float64"), ("dense", "float64"), ("dense", "float32")])
def test_a_fit_adds_less_than_a_tenth_of_X(kind, dtype, model):
    code = CODE.format(kind=kind, dtype=dtype, model=model)
    fraction = float(subprocess.check_output([sys.executable, "-c", code], text=True))
    # shuffling keeps a number, a key and a position for every row
    assert fraction < (0.1 if "shuffle=False" in model else 0.25)
