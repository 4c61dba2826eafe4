"""Separation beside cases known by construction, and a brute-force twin by another linear programme."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

from linnet import LogisticRegression, SeparationWarning
from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.theory.separation import Kind, Limits, examine_model

NO_PROGRAMME = Limits(entries=0)


def fitted(X, y, weights=None, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LogisticRegression(penalty=None, **how).fit(X, y, weights)


def separation(X, y, weights=None, **how):
    return fitted(X, y, weights, **how).separation_


def limited(X, y, limits):
    examples = Examples(Rows.of(X), Labels.of(y)[1], None)
    return examine_model(examples, fitted(X, y).model_, intercept=True, limits=limits)


def truth(X, y, intercept=True):
    """By one programme a row: which margins can be positive while none is negative."""
    Z = np.column_stack([X, np.ones(len(X))]) if intercept else X
    signed = np.where(y == 1, 1.0, -1.0)[:, np.newaxis] * Z
    positive = [-linprog(-row, A_ub=-signed, b_ub=np.zeros(len(Z)), bounds=(-1, 1)).fun > 1e-6 for row in signed]
    return Kind.COMPLETE if all(positive) else Kind.QUASI if any(positive) else Kind.OVERLAP


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("intercept", [True, False])
def test_small_tables_of_whole_numbers(seed, intercept):
    """Few rows of small whole numbers meet all three cases."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(5, 14)), int(rng.integers(1, 4))
    X, y = rng.integers(-1, 2, size=(n, d)).astype(float), rng.integers(2, size=n)
    y[:2] = 0, 1
    assert separation(X, y, fit_intercept=intercept).kind is truth(X, y, intercept)


def test_complete_separation_names_the_column_and_warns_with_the_remedy(rng):
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["age", "dose", "height"])
    y = np.where(X["dose"] > 0.1, "ill", "well")
    with pytest.warns(SeparationWarning, match=r"the classes are completely separated by dose .*penalty='l2'"):
        model = LogisticRegression(penalty=None).fit(X, y)
    assert model.separation_.kind is Kind.COMPLETE
    assert model.separation_.features == ("dose",)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-8])
def test_a_category_of_one_class_only_is_quasi_complete(form, tol, rng):
    X, y = rng.normal(size=(300, 4)), rng.integers(2, size=300)
    X[:, 2] = (rng.random(300) < 0.1) * y
    found = separation(form(X), y, tol=tol)
    assert found.kind is Kind.QUASI
    assert found.features == ("x2",)
    assert found.collinear == ()


def test_overlapping_classes_are_proven_without_a_programme(rng):
    X, y = rng.normal(size=(5000, 10)), rng.integers(2, size=5000)
    found = limited(X, y, NO_PROGRAMME)
    assert (found.kind, found.method) == (Kind.OVERLAP, "shown by dual multipliers")


def test_large_data_are_suspected_by_a_test_that_is_named(rng):
    X, y = rng.normal(size=(300, 4)), rng.integers(2, size=300)
    X[:, 2] = (rng.random(300) < 0.1) * y
    found = limited(X, y, NO_PROGRAMME)
    assert (found.kind, found.features) == (Kind.SUSPECTED, ("x2",))
    assert "not a proof" in str(found)


def test_too_many_columns_are_not_guessed_about(rng):
    X, y = rng.normal(size=(300, 3)), rng.integers(2, size=300)
    found = limited(X, y, Limits(columns=2))
    assert found.kind is Kind.UNKNOWN
    assert str(found) == "whether the classes are separated is unknown (more than 2 columns)"
    assert limited(X, X[:, 1] > 0, Limits(columns=2)).kind is Kind.COMPLETE


def test_collinear_columns_are_reported_beside_separation(rng):
    X, y = rng.normal(size=(200, 5)), rng.integers(2, size=200)
    X[:, 3], X[:, 4] = X[:, 0] - 2 * X[:, 1], 3.7
    found = separation(X, y)
    assert found.kind is Kind.OVERLAP
    assert len(found.collinear) == 2
    assert "x4" in found.collinear
    X[:, 2] = (rng.random(200) < 0.2) * y
    both = separation(X, y)
    assert (both.kind, both.features, len(both.collinear)) == (Kind.QUASI, ("x2",), 2)


def test_rows_of_no_weight_do_not_count(rng):
    X, y = rng.normal(size=(80, 2)), rng.integers(2, size=80)
    separated = (X[:, 0] > 0) == y
    assert separation(X, y, separated.astype(float)).kind is Kind.COMPLETE
    assert separation(X, y).kind is Kind.OVERLAP


def test_a_penalty_needs_no_examination(rng):
    X = rng.normal(size=(40, 2))
    assert LogisticRegression().fit(X, X[:, 0] > 0).separation_ is None


def truth_of_classes(X, y, intercept=True):
    """By one programme a row and rival: which leads can be positive while none is negative."""
    Z = np.column_stack([X, np.ones(len(X))]) if intercept else X
    labels, codes = np.unique(y, return_inverse=True)
    unit = np.eye(len(labels))
    leads = np.array(
        [np.kron(unit[c] - unit[k], z) for c, z in zip(codes, Z, strict=True) for k in range(len(labels)) if k != c]
    )
    positive = [-linprog(-row, A_ub=-leads, b_ub=np.zeros(len(leads)), bounds=(-1, 1)).fun > 1e-6 for row in leads]
    return Kind.COMPLETE if all(positive) else Kind.QUASI if any(positive) else Kind.OVERLAP


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("multiclass", ["joint", "reference"])
def test_small_tables_of_three_classes(seed, intercept, multiclass):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 40)), int(rng.integers(1, 4))
    X, y = rng.integers(-1, 2, size=(n, d)).astype(float), rng.integers(3, size=n)
    y[:3] = 0, 1, 2
    form = csr_array if seed % 2 else np.asarray
    found = separation(form(X), y, fit_intercept=intercept, multiclass=multiclass)
    assert found.kind is truth_of_classes(X, y, intercept)


def test_complete_separation_of_three_classes_names_the_column(rng):
    X = pd.DataFrame(rng.normal(size=(90, 3)), columns=["age", "dose", "height"])
    y = np.digitize(X["dose"], [-0.5, 0.5])
    with pytest.warns(SeparationWarning, match=r"completely separated by dose \(shown by the fitted weights\)"):
        model = LogisticRegression(penalty=None).fit(X, y)
    assert model.separation_.features == ("dose",)


def test_a_category_of_one_class_of_three_is_quasi_complete(rng):
    X, y = rng.normal(size=(400, 4)), rng.integers(3, size=400)
    X[:, 2] = (rng.random(400) < 0.15) * (y == 1)
    found = separation(X, y)
    assert (found.kind, found.features) == (Kind.QUASI, ("x2",))
    suspected = limited(X, y, NO_PROGRAMME)
    assert (suspected.kind, suspected.features) == (Kind.SUSPECTED, ("x2",))
    overlapping = limited(np.delete(X, 2, axis=1), y, NO_PROGRAMME)
    assert (overlapping.kind, overlapping.method) == (Kind.OVERLAP, "shown by dual multipliers")


def test_of_many_classes_the_weights_count_against_the_limit(rng):
    X, y = rng.normal(size=(300, 3)), rng.integers(3, size=300)
    assert limited(X, y, Limits(columns=5)).kind is Kind.UNKNOWN
    assert limited(X[:, :2], y, Limits(columns=5)).kind is Kind.OVERLAP


@pytest.mark.parametrize(
    ("multiclass", "between"), [("one-vs-rest", "2 against the rest"), ("pairwise", "2 against 0")]
)
def test_each_problem_of_several_classes_is_examined_by_itself(multiclass, between, rng):
    X, y = rng.normal(size=(200, 2)), rng.integers(2, size=200)
    y[X[:, 0] > 1] = 2
    found = separation(X, y, multiclass=multiclass)
    assert (found.kind, found.features, found.between) == (Kind.COMPLETE, ("x0",), between)
    assert str(found).startswith(f"{between}: the classes are completely separated")
    assert separation(X, rng.integers(3, size=200), multiclass=multiclass).kind is Kind.OVERLAP
