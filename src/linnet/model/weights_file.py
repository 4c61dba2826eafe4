"""The weights of a model in its file: a table, or of sparse weights the outputs and values of each feature."""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet.learners.sparse_weights import SparseWeights
from linnet.model.file_checks import Tensors, float64_array, require
from linnet.storage import container

STARTS, OUTPUTS, VALUES = "weights.starts", "weights.outputs", "weights.values"


def weights_to_file(weights: Any) -> Tensors:
    if isinstance(weights, SparseWeights):
        return {STARTS: weights.starts, OUTPUTS: weights.outputs, VALUES: weights.values}
    return {"weights": weights}


def weights_from_file(tensors: Tensors, features: int, outputs: int, path: str) -> Any:
    """The weights, of these numbers of features and outputs."""
    if STARTS not in tensors:
        table = float64_array(tensors["weights"], 2)
        require(table.shape == (features, outputs), path, "weights and features differ in number")
        container.finite(table, "weights", path)
        return table
    starts, which, values = tensors[STARTS], tensors[OUTPUTS], float64_array(tensors[VALUES], 1)
    container.finite(values, "weights", path)
    typed = starts.dtype == np.int64 and which.dtype == np.uint32 and starts.ndim == which.ndim == 1
    require(typed and "weights" not in tensors, path, "sparse weights have the wrong types")
    fits = len(starts) == features + 1 and len(which) == len(values)
    require(fits, path, "weights and features differ in number")
    rising = starts[0] == 0 and starts[-1] == len(values) and bool((np.diff(starts) >= 0).all())
    require(bool(rising), path, "the weights of features overlap")
    require(not len(which) or int(which.max()) < outputs, path, "a weight is for an output that there is not")
    # within a feature outputs rise, so that none has two weights
    within = np.ones(len(which), dtype=bool)
    within[starts[:-1][starts[:-1] < len(which)]] = False
    require(bool((np.diff(which.astype(np.int64)) > 0)[within[1:]].all()), path, "an output has two weights")
    return SparseWeights(np.ascontiguousarray(starts), np.ascontiguousarray(which), values, (features, outputs))
