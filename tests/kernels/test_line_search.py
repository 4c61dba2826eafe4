"""Where a change of the weights leads to, beside NumPy: scores, losses, slopes, bends and the gradient."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit

from linnet.data.rows import Rows
from linnet.kernels import line_search
from linnet.learners.losses import Loss
from tests.conftest import both_forms, sparse_table


def logistic(m):
    return np.logaddexp(0, -m), expit(-m), expit(m) * expit(-m)


def squared_hinge(m):
    s = np.maximum(0, 1 - m)
    return s**2, 2 * s, 2.0 * (s > 0)


@pytest.mark.parametrize(
    ("loss", "twin"),
    [(Loss.LOGISTIC, logistic), (Loss.SQUARED_HINGE, squared_hinge)],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_one_read_of_the_rows_gives_all_that_is_known_there(loss, twin, dtype, rng):
    table = sparse_table(rng, 60, 7).astype(dtype)
    Z = np.column_stack([table, np.ones(60)]).astype(np.float64)
    signs, sample_weights = rng.choice([-1.0, 1.0], size=60), rng.random(60) * (rng.random(60) < 0.8)
    change, before = 0.5 * rng.normal(size=8), rng.normal(size=60)
    margins = signs * (before + Z @ change)
    values, pulls, bends = twin(margins)
    got = [np.full(60, np.nan) for _ in range(4)]
    gradient = np.zeros(8)
    *layout, _ = Rows.of(both_forms(table)[1]).layout
    found = line_search.moved(*layout, loss.code, signs, sample_weights, change, before, *got, gradient)
    assert_allclose(gradient, Z.T @ (sample_weights * -signs * pulls), atol=1e-12)
    _check(got, (Z @ change, signs * margins, -signs * pulls, bends))
    assert found == (
        pytest.approx(sample_weights @ values, rel=1e-12),
        np.count_nonzero((margins <= 0) & (sample_weights > 0)),
    )

    again = [np.full(60, np.nan) for _ in range(4)]
    assert line_search.moved_by(loss.code, signs, sample_weights, before, got[0], *again) == found
    _check(again, (*got[1:], sample_weights * got[2]))


def test_a_loss_far_smaller_than_one_keeps_its_digits():
    for margin in (1.0, 20.0, 36.5, 40.0):
        into = [np.empty(1) for _ in range(4)]
        total, _ = line_search.moved_by(
            Loss.LOGISTIC.code, np.ones(1), np.ones(1), np.zeros(1), np.array([margin]), *into
        )
        assert total == pytest.approx(np.log1p(np.exp(-margin)), rel=1e-14)


def _check(got, wanted):
    for one, other in zip(got, wanted, strict=True):
        assert_allclose(one, other, rtol=1e-12, atol=1e-12)
