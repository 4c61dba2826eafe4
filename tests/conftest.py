from __future__ import annotations

import signal

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from scipy.sparse import csr_array

settings.register_profile(
    "linnet", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("linnet")
# A shell lets what it runs in the background ignore Ctrl-C, and so would all programs that the tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _errors_name_parameters(monkeypatch):
    """A test that runs the program in this process must not leave its flags to the errors of later tests."""
    monkeypatch.setattr("linnet.errors._flags", {})


@pytest.fixture
def rng():
    return np.random.default_rng(20)


def sparse_table(rng, n, d, density=0.4):
    """Random rows, dense, with many zeros, an empty row and an empty column."""
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < density)
    X[n // 2] = 0
    X[:, d // 2] = 0
    return X


def both_forms(X):
    return [X, csr_array(X)]
