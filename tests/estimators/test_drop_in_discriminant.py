"""LinearDiscriminantAnalysis beside scikit-learn's: attributes, directions, covariances, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.covariance import OAS, ShrunkCovariance
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs

import linnet

SETTINGS = [
    {},
    {"solver": "svd", "store_covariance": True},
    {"solver": "eigen"},
    {"solver": "lsqr"},
    {"solver": "eigen", "shrinkage": 0.3},
    {"solver": "eigen", "shrinkage": "auto"},
    {"solver": "lsqr", "shrinkage": "auto"},
    {"solver": "eigen", "covariance_estimator": ShrunkCovariance()},
    {"solver": "lsqr", "covariance_estimator": OAS()},
    {"n_components": 1},
    {"solver": "eigen", "priors": [0.2, 0.5, 0.3]},
]
ATTRIBUTES = ["priors_", "means_", "covariance_", "explained_variance_ratio_", "coef_", "intercept_"]


def data(rng, n=90):
    y = rng.integers(3, size=n)
    X = rng.normal(size=(n, 5)) @ rng.normal(size=(5, 5)) + rng.normal(size=(3, 5))[y]
    return X, y


@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
def test_attributes_and_predictions_are_scikit_learns(parameters, rng):
    X, y = data(rng)
    ours, theirs = linnet.LinearDiscriminantAnalysis(**parameters).fit(X, y), Theirs(**parameters).fit(X, y)
    for attribute in ATTRIBUTES:
        assert hasattr(ours, attribute) == hasattr(theirs, attribute), attribute
        if hasattr(theirs, attribute) and attribute not in ("coef_", "intercept_"):  # ours are about the mean
            assert_allclose(getattr(ours, attribute), getattr(theirs, attribute), rtol=1e-7, atol=1e-9)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    assert ours.coef_.shape == theirs.coef_.shape
    if parameters.get("solver") == "lsqr":
        for model in (ours, theirs):
            with pytest.raises(NotImplementedError, match="lsqr"):
                model.transform(X)
        return
    made = ours.transform(X)
    wanted = theirs.transform(X)
    assert_allclose(made * np.sign(made[0]), wanted * np.sign(wanted[0]), rtol=1e-6, atol=1e-8)
    assert_allclose(ours.transform(csr_array(X)), made, rtol=1e-9, atol=1e-9)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_a_stream_has_the_directions_of_all_its_rows(rng):
    X, y = data(rng)
    whole, stream = linnet.LinearDiscriminantAnalysis().fit(X, y), linnet.LinearDiscriminantAnalysis()
    for rows in np.split(np.arange(90), 3):
        stream.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        stream.transform(X)
    np.testing.assert_array_equal(stream.transform(X), whole.transform(X))


def test_rows_with_fewer_dimensions_than_columns_have_directions(rng):
    X, y = data(rng)
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.ones(90)])
    ours, theirs = linnet.LinearDiscriminantAnalysis().fit(X, y).transform(X), Theirs().fit(X, y).transform(X)
    assert_allclose(np.abs(ours), np.abs(theirs), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"solver": "svd", "shrinkage": "auto"}, NotImplementedError),
        ({"solver": "svd", "covariance_estimator": OAS()}, ValueError),
        ({"solver": "lsqr", "covariance_estimator": OAS(), "shrinkage": 0.1}, ValueError),
        ({"solver": "lsqr", "covariance_estimator": KMeans(2)}, ValueError),
        ({"n_components": 3}, ValueError),
        ({"priors": [0.5, 0.7, -0.2]}, ValueError),
        ({"solver": "qr"}, ValueError),
        ({"shrinkage": 2.0, "solver": "lsqr"}, ValueError),
    ],
    ids=str,
)
def test_what_scikit_learn_refuses_is_refused_with_the_same_error(parameters, error, rng):
    for cls in (linnet.LinearDiscriminantAnalysis, Theirs):
        with pytest.raises(error):
            cls(**parameters).fit(*data(rng))


def test_priors_are_brought_to_the_sum_one_with_a_warning(rng):
    with pytest.warns(UserWarning, match="do not sum to 1"):
        model = linnet.LinearDiscriminantAnalysis(priors=[1, 1, 2]).fit(*data(rng))
    assert_allclose(model.priors_, [0.25, 0.25, 0.5])
