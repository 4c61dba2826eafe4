"""Multipliers by the interior point method: combinations that are 0 on noisy data, none on separable data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from linnet.theory import Inseparable, separability
from linnet.theory.hard_margin import HardMargin
from linnet.theory.interior_point import interior_multipliers
from linnet.theory.separability_proofs import sides
from linnet.theory.signed_points import read


def noisy(seed, n=4000, d=520, noise=0.05, ones=False):
    rng = np.random.default_rng(seed)
    X = csr_array(random_array((n, d), density=0.02, format="csr", rng=rng, data_sampler=rng.standard_normal))
    if ones:
        X.data = np.ones_like(X.data)
    return X, (X @ rng.normal(size=d) > 0) ^ (rng.random(n) < noise)


def found_multipliers(X, y):
    points = sides(*read(X, y), positive=True)
    descent = HardMargin(points, free=False)
    descent.passes(20)
    return interior_multipliers(points, descent.measured().multipliers, lambda: 1e9)


def length_of_combination(X, y, rows, multipliers):
    signs = np.where(y[rows], 1.0, -1.0)
    total = np.append(X[rows].T @ (signs * multipliers), signs @ multipliers)
    return np.linalg.norm(total)


@pytest.mark.parametrize("ones", [False, True])
@pytest.mark.parametrize("noise", [0.05, 0.5])
def test_noise_is_proven_by_a_combination_that_is_0(noise, ones):
    X, y = noisy(1, noise=noise, ones=ones)
    answer = separability(X, y)
    assert isinstance(answer, Inseparable)
    assert answer.check(X, y)
    rows, multipliers = answer.rows, answer.multipliers
    assert len(set(rows.tolist())) == len(rows) < len(y)
    assert (multipliers > 0).all()
    assert multipliers.sum() == pytest.approx(1)
    longest = np.sqrt((X.multiply(X)).sum(axis=1)[rows].max() + 1)
    assert length_of_combination(X, y, rows, multipliers) <= 1e-9 * longest


def test_no_plane_separates_the_rows_that_are_named():
    """By a linear programme of its own: some v with z . v >= 1 for all of them."""
    from scipy.optimize import linprog

    X, y = noisy(2, n=1500, d=150, noise=0.3)
    rows, _ = found_multipliers(X, y)
    Z = np.where(y[rows], 1.0, -1.0)[:, np.newaxis] * np.hstack([X[rows].toarray(), np.ones((len(rows), 1))])
    free = [(None, None)] * Z.shape[1]
    assert linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=free).status == 2  # infeasible


@pytest.mark.parametrize("n", [300, 3000])
def test_nothing_is_found_where_a_plane_separates(n):
    X, y = noisy(3, n=n, d=200, noise=0.0)
    assert found_multipliers(X, y) is None


def test_columns_that_are_alike_or_never_used_do_not_matter():
    X, y = noisy(4, n=1500, d=100, noise=0.3)
    doubled = csr_array(np.hstack([X.toarray(), X.toarray()[:, ::-1], np.zeros((1500, 7))]))
    rows, multipliers = found_multipliers(doubled, y)
    assert length_of_combination(doubled, y, rows, multipliers / multipliers.sum()) <= 1e-12


def test_rows_with_a_coordinate_that_none_opposes_are_left_out():
    """A chain: the last row goes because of its own column, and then the one before it, and so on."""
    rng = np.random.default_rng(5)
    X, y = noisy(5, n=1500, d=100, noise=0.3)
    chain = np.zeros((5, 105))
    chain[:, :100] = rng.normal(size=(5, 100))
    chain[np.arange(5), 100 + np.arange(5)] = 1.0
    chain[np.arange(1, 5), 99 + np.arange(1, 5)] = -1.0
    both = csr_array(np.vstack([np.hstack([X.toarray(), np.zeros((1500, 5))]), chain]))
    labels = np.append(y, [True] * 5)
    rows, multipliers = found_multipliers(both, labels)
    assert rows.max() < 1500
    assert length_of_combination(both, labels, rows, multipliers / multipliers.sum()) <= 1e-12


def test_too_many_columns_and_too_little_time_give_no_answer():
    X, y = noisy(6, n=500, d=50, noise=0.5)
    points = sides(*read(X, y), positive=True)
    assert interior_multipliers(points, np.ones(500), lambda: 0.0) is None
    assert interior_multipliers(points, np.ones(500), lambda: 1e9, most_columns=49) is None
    assert interior_multipliers(points, np.ones(500), lambda: 1e9, most_columns=50) is not None
