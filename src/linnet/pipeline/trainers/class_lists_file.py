"""The weights of an online learner of very many classes in a checkpoint: its lists, one after the other."""

from __future__ import annotations

import numpy as np

from linnet.model.file_checks import Tensors, require
from linnet.training.class_list_learner import ClassListLearner

ARRAYS = ("counts", "classes", "values", "value_sums", "alive")


def lists_to_file(learner: ClassListLearner, prefix: str, tensors: Tensors) -> None:
    for name, array in zip(ARRAYS, (*learner.flat(), learner.alive), strict=True):
        tensors[f"{prefix}.{name}"] = np.ascontiguousarray(array)


def lists_from_file(learner: ClassListLearner, prefix: str, tensors: Tensors, path: str) -> None:
    """Fill the lists of a new learner; refused where a kernel would read or write beside them."""
    counts, classes, values, value_sums, alive = (tensors[f"{prefix}.{name}"] for name in ARRAYS)
    typed = counts.dtype == classes.dtype == np.uint32 and values.dtype == value_sums.dtype == np.float64
    flat = all(array.ndim == 1 for array in (counts, classes, values, value_sums, alive))
    require(typed and flat and alive.dtype == np.uint8, path, "the learner's lists have the wrong types")
    whole = len(counts) == learner.columns and int(counts.sum(dtype=np.int64)) == len(classes) == len(values)
    sums = len(value_sums) == (len(values) if len(learner.sums) else 0)
    require(whole and sums and len(alive) == learner.outputs, path, "the learner's lists have the wrong lengths")
    named = not len(classes) or int(classes.max()) < learner.outputs
    require(named and bool((alive <= 1).all()), path, "the learner's lists name what is not there")
    pairs = np.repeat(np.arange(len(counts)), counts) * learner.outputs + classes
    require(len(np.unique(pairs)) == len(pairs), path, "a feature has two weights for a class")
    learner.fill(counts, classes, values, value_sums)
    learner.alive = alive.copy()
