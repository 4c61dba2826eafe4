"""Data sets in memory, as a comparison reads them, and simple contenders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from linnet.data.features.terms import NumberTerm
from linnet.data.on_error import BadRows
from linnet.data.role import Role
from linnet.data.sources.block import Position
from linnet.data.sources.opening import open_data
from linnet.data.targets import unusable_rows
from linnet.data.task import Task
from linnet.pipeline.dataset import Collected, Dataset
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.plan import features_of
from linnet.pipeline.services import Services
from linnet.pipeline.stream import RowStream


def dataset_of(data: Any, *, packing: bool = True, **options: Any) -> Dataset:
    """A file, a frame, or (X, y), where y are labels of text or numbers, as a data set; numbers as they are."""
    if isinstance(data, tuple) and np.asarray(data[1]).dtype.kind == "U":
        X, y = data
        if issparse(X):
            data, options = (X, np.unique(y, return_inverse=True)[1]), {"task": Task.CLASSIFICATION, **options}
        else:
            numbers = {f"x{j}": Role.NUMBER for j in range(X.shape[1])}
            data = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": list(y)}
            options = {"target": "y", "columns": numbers, **options}
    source = open_data(data)
    features, _ = features_of(source, TrainOptions(**options))
    features.terms = [NumberTerm(each.columns[0]) if isinstance(each, NumberTerm) else each for each in features.terms]
    collected = Collected(features, packing=packing)
    stream = RowStream(source, features, lambda block: unusable_rows(block, features), BadRows(), Services())
    for made in stream.numbered(Position()):
        collected.add(made)
    return collected.dataset()


@dataclass
class Part:
    """A fold."""

    train: np.ndarray
    test: np.ndarray


def folds_of(n: int, parts: int, seed: int = 0) -> list[Part]:
    number = np.random.default_rng(seed).permutation(n) % parts
    return [Part(np.flatnonzero(number != k), np.flatnonzero(number == k)) for k in range(parts)]
