"""The hypotheses of a voted perceptron in a file, and sparse matrices as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet.learners.voting import Votes
from linnet.model.file_checks import Tensors, float64_array, require
from linnet.storage import container

VOTE_ARRAYS = ("which", "truths", "rivals", "amounts", "survived")


def votes_to_file(votes: Votes, number: int, tensors: Tensors) -> dict[str, Any]:
    matrix_to_file(votes.mistaken, f"votes{number}", tensors)
    for name in VOTE_ARRAYS:
        tensors[f"votes{number}.{name}"] = getattr(votes, name)
    return {"outputs": votes.outputs, "intercept": votes.intercept}


def votes_from_file(content: dict[str, Any], number: int, tensors: Tensors, columns: int, path: str) -> Votes:
    mistaken = matrix_from_file(f"votes{number}", columns, tensors, path)
    which, truths, rivals, amounts, survived = (tensors[f"votes{number}.{name}"] for name in VOTE_ARRAYS)
    outputs, intercept = content["outputs"], content["intercept"]
    require(type(outputs) is int and outputs >= 1 and type(intercept) is bool, path, "a vote is damaged")
    steps = len(which)
    for array in (which, truths, rivals):
        require(array.dtype == np.int64 and array.shape == (steps,), path, "a vote has arrays of the wrong type")
    known = [(which, mistaken.shape[0])] + ([(truths, outputs), (rivals, outputs)] if outputs > 1 else [])
    for array, size in known:
        inside = not steps or 0 <= int(array.min()) <= int(array.max()) < size
        require(inside, path, "a vote names a row or class that is not there")
    for name, array, length in (("amounts", amounts, steps), ("survived", survived, steps + 1)):
        require(len(float64_array(array, 1)) == length, path, "a vote has arrays of the wrong length")
        container.finite(array, name, path)
    require(bool((survived >= 0).all()), path, "a hypothesis was right on a negative number of rows")
    return Votes(mistaken, which, truths, rivals, amounts, survived, outputs, intercept)


def matrix_to_file(matrix: Any, name: str, tensors: Tensors) -> None:
    """A sparse matrix (or an empty dense one) among the tensors."""
    from scipy.sparse import csr_array

    rows = csr_array(matrix)
    tensors[f"{name}.values"] = np.asarray(rows.data, dtype=np.float64)
    tensors[f"{name}.ids"] = np.asarray(rows.indices, dtype=np.int32)
    tensors[f"{name}.starts"] = np.asarray(rows.indptr, dtype=np.int64)


def matrix_from_file(name: str, columns: int, tensors: Tensors, path: str) -> Any:
    """The matrix, once its pointers rise and its ids lie within the columns."""
    from scipy.sparse import csr_array

    values, ids, starts = (tensors[f"{name}.{part}"] for part in ("values", "ids", "starts"))
    for array, dtype in ((values, np.float64), (ids, np.int32), (starts, np.int64)):
        require(array.dtype == dtype and array.ndim == 1, path, f"{name} has arrays of the wrong type")
    rising = len(starts) > 0 and starts[0] == 0 and bool((starts[1:] >= starts[:-1]).all())
    require(rising and starts[-1] == len(ids) == len(values), path, f"the rows of {name} do not follow each other")
    require(not len(ids) or 0 <= int(ids.min()) <= int(ids.max()) < columns, path, f"{name} names unknown features")
    container.finite(values, f"{name}.values", path)
    # in the type of the ids where they fit: SciPy would widen all ids to that of the starts
    fitting = starts.astype(np.int32) if len(ids) <= np.iinfo(np.int32).max else starts
    return csr_array((values, ids, fitting), shape=(len(starts) - 1, columns))
