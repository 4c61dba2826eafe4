"""Winnow beside the perceptron: mistakes on one stream whose labels are a disjunction of k among d variables.

    python examples/winnow.py

Every row has a tenth of the variables that do not matter, and half of the rows one of the k that do.  Winnow1's
mistakes grow with the logarithm of d, and stay below the bound; the perceptron's grow with d, until every other row is
one.  (Of short rows the perceptron makes few mistakes, too: its bound grows with the length of the rows.)
"""

import numpy as np
from scipy.sparse import csr_matrix

from linnet import Perceptron, Winnow

ROWS, SHARE = 2000, 10


def stream(rng: np.random.Generator, d: int, k: int) -> tuple[csr_matrix, np.ndarray]:
    """Rows of d Boolean variables, and whether one of the first k is on."""
    on = d // SHARE
    columns = rng.integers(k, d, size=(ROWS, on))
    positive = rng.random(ROWS) < 0.5
    columns[positive, 0] = rng.integers(k, size=positive.sum())
    starts = np.arange(0, columns.size + 1, on)
    X = csr_matrix((np.ones(columns.size, dtype=np.float32), columns.ravel(), starts), shape=(ROWS, d))
    X.sum_duplicates()
    X.data[:] = 1.0
    return X, positive.astype(int)


def main() -> None:
    print(f"{'d':>7} {'k':>3} {'Winnow1':>8} {'bound':>6} {'perceptron':>11}")
    once = {"max_iter": 1, "tol": None, "shuffle": False}
    for d in (100, 1000, 10_000, 100_000):
        for k in (1, 5, 20):
            X, y = stream(np.random.default_rng(d + k), d, k)
            winnow, perceptron = Winnow(variant="winnow1", **once).fit(X, y), Perceptron(**once).fit(X, y)
            proven = winnow.certificate_
            assert proven.made <= proven.bound
            print(f"{d:>7,} {k:>3} {proven.made:>8,} {proven.bound:>6.0f} {perceptron.history_[0].mistakes:>11,}")


if __name__ == "__main__":
    main()
