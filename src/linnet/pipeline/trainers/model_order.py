"""From the order in which the features of a stream appeared to that of the model: term after term."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.layout import FeatureLayout
from linnet.learners.linear import LinearModel
from linnet.learners.sparse_weights import SparseWeights
from linnet.learners.voting import Votes


def model_order(layout: FeatureLayout) -> NDArray[np.int64]:
    """From the column of a feature in the rows of the stream to its number in the model."""
    back = np.empty(layout.size, dtype=np.int64)
    back[np.concatenate(layout.by_term)] = np.arange(layout.size)
    return back


def in_model_order(model: LinearModel, layout: FeatureLayout) -> LinearModel:
    """The model of a stream with its features in that order."""
    at, weights = np.concatenate(layout.by_term), model.weights
    placed = weights.take(at) if isinstance(weights, SparseWeights) else np.ascontiguousarray(weights[at])
    return replace(model, weights=placed, votes=tuple(_placed(votes, model_order(layout)) for votes in model.votes))


def _placed(votes: Votes, back: NDArray[np.int64]) -> Votes:
    """Votes with the features of the mistaken rows in that order."""
    from scipy.sparse import csr_array

    mistaken = csr_array(votes.mistaken)
    ids = back[mistaken.indices].astype(np.int32)
    shape = (mistaken.shape[0], len(back))
    return replace(votes, mistaken=csr_array((mistaken.data, ids, mistaken.indptr), shape=shape))
