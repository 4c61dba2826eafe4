"""Hostile numbers: a clear error or a finite model, never a silent NaN, never a crash."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import pytest
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix, lil_array

import linnet
from linnet import catalogue
from linnet.estimators.base import LinearClassifier
from linnet.estimators.naive_bayes import DiscreteNB
from linnet.learners.catalogue import Task, Way
from tests.conftest import both_forms
from tests.estimators.anything import online_classifiers

ESTIMATORS = [
    linnet.Perceptron(max_iter=5, tol=None),
    linnet.Perceptron(max_iter=5, tol=None, averaging="average"),
    linnet.Perceptron(max_iter=5, tol=None, averaging="vote"),
    linnet.Perceptron(max_iter=5, tol=None, mode="batch"),
    linnet.PassiveAggressive(max_iter=5, tol=None),
    linnet.PassiveAggressive(max_iter=5, tol=None, loss="squared_hinge"),
    linnet.LogisticRegression(max_iter=5, tol=None),
    linnet.LogisticRegression(max_iter=5, tol=None, solver="gradient"),
    linnet.LogisticRegression(max_iter=5, tol=None, penalty="l1"),
    linnet.LogisticRegression(max_iter=5, tol=None, solver="dual", multiclass="one-vs-rest"),
    linnet.LogisticRegression(max_iter=5, tol=None, solver="online"),
    linnet.LinearSVC(max_iter=5, tol=None),
    linnet.LinearSVC(max_iter=5, tol=None, loss="hinge"),
    linnet.BernoulliNB(),
    linnet.SharedGaussianNB(),
    linnet.LinearDiscriminantAnalysis(),
    linnet.LinearDiscriminantAnalysis(shrinkage="auto"),
    linnet.LinearRegression(),
    linnet.Ridge(),
    linnet.Ridge(solver="cg", max_iter=5, tol=None),
    linnet.Lasso(alpha=0.01, max_iter=5, tol=None),
    linnet.ElasticNet(alpha=0.01, max_iter=5, tol=None, positive=True),
    linnet.LinearSVC(max_iter=5, tol=None, penalty="l1"),
    linnet.LogisticRegression(max_iter=5, tol=None, penalty="l1", multiclass="one-vs-rest"),
    linnet.LinearRegression(max_iter=5, tol=None, solver="gradient"),
    linnet.LinearRegression(max_iter=5, tol=None, solver="online"),
    *online_classifiers(max_iter=5, tol=None),
    *(
        linnet.OnlineRegressor(entry.name, max_iter=5, tol=None)
        for entry in catalogue.entries(Way.ONLINE, Task.REGRESSION)
    ),
]
CLASSIFIERS = [estimator for estimator in ESTIMATORS if isinstance(estimator, LinearClassifier)]

everywhere = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


def finite_or_explained(estimator, X, y, new=None):
    """Fit and predict: what comes is finite, or one of linnet's own errors, whose text is returned."""
    try:
        model = estimator.fit(X, y)
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.intercept_).all()
        scores = model.decision_function if hasattr(model, "decision_function") else model.predict
        assert np.isfinite(scores(X if new is None else new)).all()
        if hasattr(model, "predict_proba"):
            assert np.isfinite(model.predict_proba(X if new is None else new)).all()
    except linnet.LinnetError as error:
        return str(error)
    return ""


@everywhere
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_no_number_is_named_with_its_place(bad, estimator, rng):
    table, y = rng.normal(size=(30, 4)), rng.integers(2, size=30)
    good = table.copy()
    table[17, 2] = bad
    for X in both_forms(table):
        with pytest.raises(linnet.InputError, match=r"(NaN|inf) at row 17, column 2"):
            estimator.fit(X, y)
        with pytest.raises(linnet.InputError, match=r"(NaN|inf) at row 17, column 2"):
            estimator.fit(good, y).predict(X)


@everywhere
@pytest.mark.parametrize("size", [1e300, 1e200, 1e100, 5e-324, 1e-310, 1e-300, 1e-160])
@pytest.mark.parametrize("where", ["all", "one column", "one value"])
def test_numbers_of_every_size(where, size, estimator, rng):
    table, y = rng.normal(size=(30, 4)), rng.integers(2, size=30)
    if where == "all":
        table = np.sign(table) * size
    elif where == "one column":
        table[:, 1] = np.sign(table[:, 1]) * size
    else:
        table[17, 2] = size
    for X in both_forms(table):
        finite_or_explained(estimator, X, y)


@everywhere
def test_predicting_numbers_of_every_size(estimator, rng):
    X, y = rng.normal(size=(30, 4)), rng.integers(2, size=30)
    for size in (1e308, 1e-320):
        finite_or_explained(estimator, X, y, new=np.sign(X) * size)


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_targets_of_every_size(size, rng):
    X, y = rng.normal(size=(30, 4)), rng.normal(size=30) * size
    for estimator in ESTIMATORS:
        if estimator not in CLASSIFIERS:
            finite_or_explained(estimator, X, y)


@everywhere
def test_duplicate_and_unsorted_columns_count_as_their_sum(estimator, rng):
    table, y = np.round(4 * rng.normal(size=(30, 6))) / 4, rng.integers(2, size=30)  # whose sums are exact
    ids, values, starts = [], [], [0]
    for row in table:
        order = rng.permutation(6)
        ids += [*order, 2, 2]
        values += [*row[order], 0.25, -0.25]
        starts.append(len(ids))
    messy = csr_matrix((np.array(values), np.array(ids), np.array(starts)), shape=(30, 6))
    before = messy.indices.copy(), messy.data.copy()
    got = estimator.fit(messy, y)
    coef = got.coef_.copy()
    np.testing.assert_allclose(coef, estimator.fit(csr_array(table), y).coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(messy.indices, before[0])
    np.testing.assert_array_equal(messy.data, before[1])


@everywhere
@pytest.mark.parametrize("form", [coo_array, csc_array, lil_array, csr_matrix])
def test_every_sparse_format_is_taken(form, estimator, rng):
    X, y = np.round(rng.normal(size=(30, 6))), rng.integers(2, size=30)
    coef = estimator.fit(csr_array(X), y).coef_.copy()
    np.testing.assert_array_equal(estimator.fit(form(X), y).coef_, coef)


@everywhere
def test_64_bit_column_ids_are_taken(estimator, rng):
    X, y = csr_array(np.round(rng.normal(size=(30, 6)))), rng.integers(2, size=30)
    coef = estimator.fit(X, y).coef_.copy()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    np.testing.assert_array_equal(estimator.fit(X, y).coef_, coef)


@pytest.mark.parametrize(
    ("ids", "starts", "message"),
    [
        ([0, 9], [0, 1, 2], "outside 0 to 3"),
        ([0, -1], [0, 1, 2], "outside 0 to 3"),
        ([0, 1], [0, 2, 1], "row pointers"),
        ([0, 1], [0, 1, 9], "row pointers"),
        ([0, 1], [1, 1, 2], "row pointers"),
    ],
)
def test_a_corrupt_sparse_matrix_is_an_error_not_a_crash(ids, starts, message):
    X = csr_matrix((2, 4))
    X.data, X.indices, X.indptr = np.ones(2), np.array(ids, dtype=np.int32), np.array(starts, dtype=np.int32)
    with pytest.raises(linnet.InputError, match=message):
        linnet.data.rows.Rows.of(X)


@everywhere
def test_empty_rows_columns_and_matrices(estimator, rng):
    y = rng.integers(2, size=20)
    assert finite_or_explained(estimator, csr_array((20, 5)), y) == ""
    assert finite_or_explained(estimator, np.zeros((20, 5)), y) == ""
    for shape in ((0, 5), (20, 0)):
        with pytest.raises(ValueError, match=r"(?i)0 (sample|feature)"):
            estimator.fit(np.zeros(shape), y[: shape[0]])


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_one_class_only_is_an_error_that_names_it(estimator, rng):
    if isinstance(estimator, DiscreteNB):  # which predicts it, as scikit-learn's does
        assert set(estimator.fit(rng.integers(2, size=(5, 2)), ["spam"] * 5).predict([[0, 1]])) == {"spam"}
        return
    with pytest.raises(linnet.InputError, match="one class, 'spam'"):
        estimator.fit(rng.normal(size=(5, 2)), ["spam"] * 5)


@everywhere
def test_read_only_arrays_are_read(estimator, rng):
    for X in both_forms(rng.normal(size=(30, 4))):
        y, weights = rng.integers(2, size=30), rng.uniform(size=30)
        for array in (y, weights, *((X,) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr))):
            array.flags.writeable = False
        estimator.fit(X, y, weights).predict(X)


@pytest.mark.parametrize("weights", [[-1.0] * 10, [np.nan] * 10, [np.inf] * 10, [1.0] * 9, [0.0] * 10])
@everywhere
def test_bad_weights_are_refused(estimator, weights, rng):
    with pytest.raises(ValueError, match=r"(?i)weight"):
        estimator.fit(rng.normal(size=(10, 2)), [0, 1] * 5, sample_weight=weights)


@everywhere
def test_weights_whose_sum_leaves_no_digits_are_refused(estimator, rng):
    X, y = rng.normal(size=(20, 3)), rng.integers(2, size=20)
    for weight, how in ((1e308, "more"), (1e100, "more"), (1e-102, "less"), (5e-324, "less")):
        with pytest.raises(linnet.InputError, match=f"the sample weights add up to {how} than"):
            estimator.fit(X, y, sample_weight=np.full(20, weight))


@pytest.mark.parametrize("scale", [1e90, 1e-90])
@pytest.mark.parametrize("C", [1e-300, 1.0, 1e300])
def test_a_penalty_that_is_hardly_there_is_not_none(C, scale, rng):
    X, y = rng.normal(size=(20, 3)), rng.integers(2, size=20)
    for estimator in (linnet.LogisticRegression(C=C, max_iter=5), linnet.LinearSVC(C=C, penalty="l1", max_iter=5)):
        with contextlib.suppress(linnet.NumericalError), warnings.catch_warnings(action="ignore"):
            assert np.isfinite(estimator.fit(X, y, sample_weight=np.full(20, scale)).coef_).all()


@everywhere
def test_enormous_weights_end_in_time_and_finite(estimator, rng):
    X, y = rng.normal(size=(20, 3)), rng.integers(2, size=20)
    weights = np.where(np.arange(20) == 3, 1e12, 1.0)
    try:
        model = estimator.fit(X, y, weights)
        assert np.isfinite(model.coef_).all()
    except linnet.NumericalError:
        pass
