"""SparseWeights: the weights of very many classes, where most features have one for few of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.kernels.sparse_weights import add_scores

# Weights that fit in this many numbers (32 MB) are kept as a table, which everything takes.
DENSE_AT_MOST = 1 << 22


@dataclass(frozen=True, eq=False)
class SparseWeights:
    """Features x outputs: of feature j the outputs and values from starts[j] to starts[j + 1]; all others are 0."""

    starts: NDArray[np.int64]
    outputs: NDArray[np.uint32]
    values: NDArray[np.float64]
    shape: tuple[int, int]

    @classmethod
    def of(cls, table: Any) -> SparseWeights:
        """A SciPy matrix, its zeros left out."""
        table.eliminate_zeros()
        table.sort_indices()
        starts = table.indptr.astype(np.int64)
        return cls(starts, table.indices.astype(np.uint32), table.data.astype(np.float64), table.shape)

    @classmethod
    def of_table(cls, table: NDArray[np.float64]) -> SparseWeights:
        """A table, its zeros left out."""
        features, outputs = np.nonzero(table)
        starts = np.append(0, np.cumsum(np.bincount(features, minlength=len(table)))).astype(np.int64)
        return cls(starts, outputs.astype(np.uint32), table[features, outputs], (table.shape[0], table.shape[1]))

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def fits_a_table(self) -> bool:
        return self.shape[0] * self.shape[1] <= DENSE_AT_MOST

    def add_scores(self, rows: Rows, into: NDArray[np.float64]) -> None:
        """into += rows times weights."""
        add_scores(*rows.layout, self.starts, self.outputs, self.values, into)

    def scaled(self, by: NDArray[np.float64]) -> SparseWeights:
        """The weights of each feature times its number."""
        return replace(self, values=self.values * np.repeat(by, np.diff(self.starts)))

    def take(self, features: NDArray[np.int64]) -> SparseWeights:
        """The weights of these features, in their order."""
        several = np.diff(self.starts)[features]
        starts = np.append(0, np.cumsum(several)).astype(np.int64)
        at = np.repeat(self.starts[features] - starts[:-1], several) + np.arange(starts[-1])
        return SparseWeights(starts, self.outputs[at], self.values[at], (len(features), self.shape[1]))

    def matrix(self) -> Any:
        """As a SciPy matrix, which is indexed and multiplied as a table is."""
        from scipy.sparse import csr_array

        return csr_array((self.values, self.outputs.astype(np.int64), self.starts), shape=self.shape)

    def table(self) -> NDArray[np.float64]:
        """As a table, of whatever size it is."""
        table = np.zeros(self.shape)
        table[np.repeat(np.arange(self.shape[0]), np.diff(self.starts)), self.outputs] = self.values
        return table

    def output(self, number: int) -> NDArray[np.float64]:
        """The weights of all features for one output."""
        weights = np.zeros(self.shape[0])
        at = np.flatnonzero(self.outputs == number)
        weights[np.searchsorted(self.starts, at, side="right") - 1] = self.values[at]
        return weights

    def mean_of_outputs(self) -> NDArray[np.float64]:
        """Of each feature, the mean of its weights over all outputs."""
        which = np.repeat(np.arange(self.shape[0]), np.diff(self.starts))
        return np.asarray(np.bincount(which, self.values / self.shape[1], self.shape[0]))
