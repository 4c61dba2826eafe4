"""Winnow and the perceptron: mistakes on a stream whose labels are a disjunction of k of d variables.

    python examples/winnow.py

In every row a tenth of the irrelevant variables are 1, and in half of the rows one of the k relevant ones.  The
mistakes of Winnow1 grow with the logarithm of d and stay below the bound; those of the perceptron grow with d, up to
half of the rows.  (On short rows the perceptron makes few mistakes too: its bound grows with the length of the rows.)
"""

import numpy as np
from scipy.sparse import csr_matrix

from linnet import Perceptron, Winnow

ROWS, ONE_IN = 2000, 10


def stream(rng: np.random.Generator, d: int, k: int) -> tuple[csr_matrix, np.ndarray]:
    """Rows of d Boolean variables, and whether one of the first k is 1."""
    on = d // ONE_IN
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
            mistakes = winnow.certify(X, y)
            assert mistakes.made <= mistakes.bound
            print(f"{d:>7,} {k:>3} {mistakes.made:>8,} {mistakes.bound:>6.0f} {perceptron.history_[0].mistakes:>11,}")


if __name__ == "__main__":
    main()
