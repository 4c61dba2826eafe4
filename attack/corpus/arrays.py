"""Sparse matrices that lie about themselves, and arrays changed after a fit."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from attack.case import Call, Case


def _every(attack: Callable[[Any], None]) -> Case:
    return Case(
        {},
        [
            Call(attack, name)
            for name in ("Perceptron", "LogisticRegression", "LinearSVC", "Ridge", "BernoulliNB", "Halving")
        ],
    )


def _matrix() -> tuple[Any, np.ndarray]:
    random = np.random.default_rng(0)
    return csr_array((random.random((20, 5)) < 0.5).astype(float)), random.integers(2, size=20)


def row_pointers_shorter_than_the_rows() -> Case:
    def fit(name: str) -> None:
        import linnet

        S, y = _matrix()
        S.indptr = S.indptr[:2]
        getattr(linnet, name)().fit(S, y)

    return _every(fit)


def row_pointers_shorter_than_the_rows_to_predict() -> Case:
    def predict(name: str) -> None:
        import linnet

        S, y = _matrix()
        model = getattr(linnet, name)().fit(S.copy(), y)
        S.indptr = S.indptr[:2]
        model.predict(S)

    return _every(predict)


def arrays_changed_before_the_certificate() -> Case:
    def certify(name: str) -> None:
        import linnet

        warnings.simplefilter("ignore")
        S, y = _matrix()
        model = getattr(linnet, name)().fit(S, y)
        S.indices[:] = 10**9
        S.indptr[:] = 10**6
        str(getattr(model, "certificate_", ""))

    return _every(certify)


def columns_of_other_formats_that_lie() -> Case:
    """What SciPy would convert without a check."""

    def predict(name: str) -> None:
        import linnet

        S, y = _matrix()
        model = linnet.LogisticRegression().fit(S.copy(), y)
        S = S.asformat(name[:3])
        if name == "csc ids":
            S.indices[3] = 10**9
        elif name == "csc pointers":
            S.indptr[2] = 10**9
        else:
            S.coords[0][3] = 10**9
        model.predict(S)

    return Case({}, [Call(predict, name) for name in ("csc ids", "csc pointers", "coo rows")])


def cells_that_arrow_cannot_convert() -> Case:
    def train(cells: list[Any]) -> None:
        import linnet

        linnet.train({"n": cells * 10, "y": ["a", "b"] * 10}, target="y").predict({"n": cells})

    return Case(
        {}, [Call(train, cells) for cells in ([10**30, 1], [b"12345678", b"87654321"], [[1], [2]], [{"a": 1}, {}])]
    )


def numbers_whose_squares_are_infinite() -> Case:
    def fit(name: str) -> None:
        import linnet

        warnings.simplefilter("ignore")
        for size in (1e160, 1e300, 1e-170):
            X = np.random.default_rng(0).normal(size=(20, 5))
            X[3, 2] = size
            for table in (X, csr_array(X), X * size, X.T):
                for y in (np.arange(table.shape[0]) % 2, np.arange(table.shape[0]) * size):
                    with contextlib.suppress(ValueError):
                        str(getattr(linnet, name)().fit(table, y).certificate_)

    names = ("Perceptron", "LogisticRegression", "LinearSVC", "Ridge", "LinearRegression", "Lasso", "HuberRegressor")
    return Case({}, [Call(fit, name) for name in names])


def sample_weights_whose_sum_is_infinite() -> Case:
    def fit(name: str) -> None:
        import linnet

        X, y = np.random.default_rng(0).normal(size=(20, 5)), np.arange(20) % 2
        for weight in (1e308, 5e-324):
            with contextlib.suppress(ValueError):
                getattr(linnet, name)().fit(X, y, sample_weight=np.full(20, weight))

    names = ("LogisticRegression", "LinearSVC", "Ridge", "Lasso", "QuantileRegressor", "LinearDiscriminantAnalysis")
    return Case({}, [Call(fit, name) for name in names])
