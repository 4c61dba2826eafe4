"""Sparse matrices that lie about themselves, and arrays changed after a fit."""

from __future__ import annotations

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


def columns_beyond_the_last() -> Case:
    def predict(name: str) -> None:
        import linnet

        S, y = _matrix()
        model = getattr(linnet, name)().fit(S.copy(), y)
        S.indices[3] = 10**9
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
