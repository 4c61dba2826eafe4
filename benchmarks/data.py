"""The data: made here with a fixed seed, or read from a folder of real sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix


@dataclass(frozen=True)
class Data:
    """Rows to learn from and rows to test on; labels 0 and 1."""

    name: str
    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray

    @property
    def nbytes(self) -> int:
        X = self.X
        return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if hasattr(X, "indptr") else X.nbytes


def _labels(scores: np.ndarray, rng: np.random.Generator, noise: float) -> np.ndarray:
    noisy = scores + noise * scores.std() * rng.standard_normal(len(scores))
    return (noisy > np.median(scores)).astype(np.int64)


def _split(name: str, X: Any, y: np.ndarray, test: int) -> Data:
    return Data(name, X[:-test], y[:-test], X[-test:], y[-test:])


def sparse(rows: int = 200_000, columns: int = 50_000, entries: int = 57, test: int = 20_000) -> Data:
    """Like text: equally many different columns in every row, column k drawn with a probability like 1 / k (Zipf)."""
    rng = np.random.default_rng(1)
    n = rows + test
    cumulative = np.cumsum(1 / np.arange(1, columns + 1))
    ids = np.empty((n, entries), dtype=np.int32)
    for first in range(0, n, 10_000):
        ids[first : first + 10_000] = _distinct(rng, cumulative, min(10_000, n - first), entries)
    values = rng.random(n * entries) + 0.1
    X = csr_matrix((values, ids.reshape(-1), np.arange(0, n * entries + 1, entries, dtype=np.int32)), (n, columns))
    return _split("sparse", X, _labels(X @ rng.standard_normal(columns), rng, 0.3), test)


def _distinct(rng: np.random.Generator, cumulative: np.ndarray, n: int, entries: int) -> np.ndarray:
    """For each of n rows the first K different columns of a long enough run of draws, sorted."""
    draws = 5 * entries
    drawn = np.searchsorted(cumulative, rng.random((n, draws)) * cumulative[-1])
    order = np.argsort(drawn, axis=1, kind="stable")
    in_order = np.take_along_axis(drawn, order, axis=1)
    repeated = np.zeros((n, draws), dtype=bool)
    repeated[:, 1:] = in_order[:, 1:] == in_order[:, :-1]
    when = np.where(repeated, draws, order)
    chosen = np.argpartition(when, entries - 1, axis=1)[:, :entries]
    assert np.take_along_axis(when, chosen, axis=1).max() < draws, "too few draws for that many different columns"
    return np.sort(np.take_along_axis(in_order, chosen, axis=1), axis=1)


def dense(rows: int = 200_000, columns: int = 100, test: int = 20_000) -> Data:
    rng = np.random.default_rng(2)
    X = rng.standard_normal((rows + test, columns))
    return _split("dense", X, _labels(X @ rng.standard_normal(columns), rng, 0.3), test)


def svmlight_text(form: str, rows: int = 20_000) -> str:
    """The rows of `sparse` as svmlight text, values printed in this form."""
    one = sparse(rows, test=1)
    pattern = " ".join(["%d"] + [f"%d:{form}"] * (one.X.nnz // rows)) + "\n"
    numbers = np.empty((rows, 1 + 2 * (one.X.nnz // rows)))
    numbers[:, 0] = one.y
    numbers[:, 1::2] = one.X.indices.reshape(rows, -1)
    numbers[:, 2::2] = one.X.data.reshape(rows, -1)
    return "".join(pattern % tuple(row) for row in numbers.tolist())


def real(folder: Path) -> Iterator[Data]:
    """The real sets that the folder has."""
    from sklearn.datasets import load_svmlight_file

    train, test = folder / "svmlight" / "a9a", folder / "svmlight" / "a9a.t"
    if train.exists() and test.exists():
        X, y = load_svmlight_file(str(train), n_features=123)
        Z, z = load_svmlight_file(str(test), n_features=123)
        yield Data("a9a", _narrow(X), (y > 0).astype(np.int64), _narrow(Z), (z > 0).astype(np.int64))


def _narrow(X: Any) -> Any:
    """32-bit ids, which every peer takes; load_svmlight_file gives 64."""
    return csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)
