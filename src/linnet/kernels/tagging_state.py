"""The weights of a tagger in training as arrays and back, for checkpoints and for training that goes on with more
tags."""

import cython
import numpy as np
from cython.cimports.linnet.kernels.tagging_trainer import TagTrainer

# The arrays whose numbers must be finite.
FLOATS = ("weights", "sums", "trans", "trans_sums")


def state_of(trainer: TagTrainer):
    """All that later steps depend on."""
    f: cython.Py_ssize_t
    c: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    counts = np.zeros(trainer.features, dtype=np.uint32)
    counts_out: cython.uint[::1] = counts
    for f in range(trainer.features):
        counts_out[f] = trainer.rows[f].count
    total: cython.Py_ssize_t = int(counts.sum(dtype=np.int64))
    square: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, trainer.width) * trainer.width
    tags = np.empty(total, dtype=np.uint32)
    weights = np.empty(total, dtype=np.float32)
    sums = np.empty(total, dtype=np.float64)
    trans = np.empty(square, dtype=np.float32)
    trans_sums = np.empty(square, dtype=np.float64)
    tags_out: cython.uint[::1] = tags
    weights_out: cython.float[::1] = weights
    sums_out: cython.double[::1] = sums
    trans_out: cython.float[::1] = trans
    trans_sums_out: cython.double[::1] = trans_sums
    with cython.nogil:
        for f in range(trainer.features):
            for c in range(trainer.rows[f].start, trainer.rows[f].start + trainer.rows[f].count):
                tags_out[at] = trainer.weights[c].tag
                weights_out[at] = trainer.weights[c].w
                sums_out[at] = trainer.sums[c].u
                at += 1
        for c in range(square):
            trans_out[c] = trainer.trans[c]
            trans_sums_out[c] = trainer.trans_sums[c].u
    return {
        "steps": np.array([trainer.steps], dtype=np.int64), "tags_count": np.array([trainer.tags], dtype=np.int64),
        "counts": counts, "tags": tags, "weights": weights, "sums": sums, "trans": trans, "trans_sums": trans_sums,
    }  # fmt: skip


def restore(trainer: TagTrainer, state):
    """Continue from a state; ValueError if it is not one of a trainer of as many features and tags."""
    counts: cython.const[cython.uint][::1] = state["counts"]
    tags: cython.const[cython.uint][::1] = state["tags"]
    weights: cython.const[cython.float][::1] = state["weights"]
    sums: cython.const[cython.double][::1] = state["sums"]
    trans: cython.const[cython.float][::1] = state["trans"]
    trans_sums: cython.const[cython.double][::1] = state["trans_sums"]
    square: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, trainer.width) * trainer.width
    total: cython.Py_ssize_t = tags.shape[0]
    sound = (
        counts.shape[0] == trainer.features
        and int(state["counts"].sum(dtype=np.int64)) == total
        and total == weights.shape[0]
        and total == sums.shape[0]
        and int(state["counts"].max(initial=0)) <= trainer.tags
        and int(state["tags"].max(initial=0)) < trainer.tags
        and trans.shape[0] == square
        and trans_sums.shape[0] == square
        and all(bool(np.isfinite(state[name]).all()) for name in FLOATS)
        and state["steps"].shape == (1,)
        and state["tags_count"].tolist() == [trainer.tags]
        and int(state["steps"][0]) >= 0
    )
    if not sound:
        raise ValueError("a state of other sentences")
    f: cython.Py_ssize_t
    c: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    if total > trainer.room:
        trainer.grow(total)
    with cython.nogil:
        for f in range(trainer.features):
            trainer.rows[f].start = cython.cast(cython.uint, at)
            trainer.rows[f].count = counts[f]
            trainer.rows[f].room = counts[f]
            for c in range(at, at + counts[f]):
                trainer.weights[c].tag = tags[c]
                trainer.weights[c].w = weights[c]
                trainer.sums[c].u = sums[c]
                trainer.sums[c].delta = 0.0
            at += counts[f]
        trainer.used = total
        for c in range(square):
            trainer.trans[c] = trans[c]
            trainer.trans_sums[c].u = trans_sums[c]
            trainer.trans_sums[c].delta = 0.0
    trainer.steps = int(state["steps"][0])
