"""A sweep of dual coordinate ascent for softmax, beside the conditions that its steps solve."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.special import logsumexp, softmax

from linnet.data.rows import Rows
from linnet.kernels.dual_softmax import sweep
from tests.conftest import sparse_table


@pytest.mark.parametrize("rho", [0.0, 0.7])
@pytest.mark.parametrize("cost", [1e-3, 1.0, 1e4])
def test_a_step_makes_q_the_softmax_of_the_scores_it_leads_to(cost, rho, rng):
    X, y, outputs = sparse_table(rng, 12, 9), np.arange(12) % 4, 4
    X[3] = 0.0
    weights, room = rng.normal(size=(9, outputs)), np.zeros((6, outputs))
    room[0] = rng.normal(size=outputs) if rho else 0.0
    for i in range(12):
        q = np.full((12, outputs), 0.25)
        logs, before, intercepts = np.log(q), weights.copy(), room[0].copy()
        flat, balance = weights.reshape(-1), room[1].copy()
        lengths, costs = (X * X).sum(axis=1), np.full(12, cost)
        for _ in range(3):  # a visit may end near the solution, and the next begins there
            loss, gap, mistakes, lost = sweep(
                *Rows.of(csr_array(X)).layout[:3], np.array([i]), y.astype(float), costs, lengths, rho,
                logs, q, flat, room,
            )  # fmt: skip
        change = cost * (0.25 - q[i])
        z = X[i] @ weights + room[0]
        assert lost == -1
        assert_allclose(weights, before + np.outer(X[i], change), atol=1e-8 * (1 + cost))
        assert_allclose(room[0], intercepts + rho * change, atol=1e-8 * (1 + cost))
        assert_allclose(room[1], balance + change, atol=1e-8 * (1 + cost))
        assert_allclose(q[i].sum(), 1.0)
        assert_allclose(logs[i], np.log(q[i]), atol=1e-12)
        assert_allclose(q[i], softmax(z), atol=1e-4)
        assert_allclose(loss, cost * (logsumexp(z) - z[y[i]]), rtol=1e-2, atol=1e-3 * cost)
        assert gap >= -1e-9 * cost
        assert mistakes == (z.argmax() != y[i])
