"""The weights of a tagger in training as arrays and back: for models, for checkpoints, and for training that goes on
with more tags."""

import cython
import numpy as np
from cython.cimports.linnet.kernels.tagging_trainer import TagTrainer

# The largest numbers of the arrays, far beyond what training gives: a forbidden transition has -1e30.
FLOATS = {"weights": 1e31, "sums": 1e60, "trans": 1e31, "trans_sums": 1e60, "trigrams": 1e31, "trigram_sums": 1e60}
MOST_STEPS = 1 << 53


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_used(trainer: TagTrainer, c: cython.Py_ssize_t) -> cython.bint:
    """Whether a weight has ever moved: dense rows have room for others, too."""
    return trainer.weights[c] != 0.0 or trainer.sums[c].u != 0.0


def state_of(trainer: TagTrainer):
    """All that later steps depend on."""
    f: cython.Py_ssize_t
    c: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    counts = np.zeros(trainer.features, dtype=np.uint32)
    counts_out: cython.uint[::1] = counts
    with cython.nogil:
        for f in range(trainer.features):
            for c in range(trainer.rows[f].start, trainer.rows[f].start + trainer.rows[f].count):
                counts_out[f] += is_used(trainer, c)
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
                if is_used(trainer, c):
                    tags_out[at] = trainer.tag_of[c]
                    weights_out[at] = trainer.weights[c]
                    sums_out[at] = trainer.sums[c].u
                    at += 1
        for c in range(square):
            trans_out[c] = trainer.trans[c]
            trans_sums_out[c] = trainer.trans_sums[c].u
    of_pairs = {}
    if trainer.trigrams is not None:
        of_pairs = dict(zip(("trigrams", "trigram_sums"), trainer.trigrams.values(), strict=True))
    return {
        "steps": np.array([trainer.steps], dtype=np.int64), "tags_count": np.array([trainer.tags], dtype=np.int64),
        "counts": counts, "tags": tags, "weights": weights, "sums": sums, "trans": trans, "trans_sums": trans_sums,
        **of_pairs,
    }  # fmt: skip


def restore(trainer: TagTrainer, state):
    """Continue from a state, all weights being 0; ValueError if it is not one of a trainer of as many features and
    tags."""
    counts: cython.const[cython.uint][::1] = state["counts"]
    tags: cython.const[cython.uint][::1] = state["tags"]
    weights: cython.const[cython.float][::1] = state["weights"]
    sums: cython.const[cython.double][::1] = state["sums"]
    trans: cython.const[cython.float][::1] = state["trans"]
    trans_sums: cython.const[cython.double][::1] = state["trans_sums"]
    square: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, trainer.width) * trainer.width
    total: cython.Py_ssize_t = tags.shape[0]
    side = trainer.tags + 1
    if trainer.trigrams is None:
        fits = "trigrams" not in state
    else:
        shapes = (state["trigrams"].shape, state["trigram_sums"].shape)
        fits = shapes == ((side, side, side), (side, side, side))
    sound = (
        counts.shape[0] == trainer.features
        and int(state["counts"].sum(dtype=np.int64)) == total
        and total == weights.shape[0]
        and total == sums.shape[0]
        and int(state["counts"].max(initial=0)) <= trainer.tags
        and int(state["tags"].max(initial=0)) < trainer.tags
        and trans.shape[0] == square
        and trans_sums.shape[0] == square
        and fits
        and all(bool(np.abs(state[name]).max(initial=0.0) <= most) for name, most in FLOATS.items() if name in state)
        and state["steps"].shape == (1,)
        and state["tags_count"].tolist() == [trainer.tags]
        and state["steps"].dtype == np.int64
        and 0 <= int(state["steps"][0]) <= MOST_STEPS
    )
    if not sound:
        raise ValueError("a state of other sentences")
    f: cython.Py_ssize_t
    c: cython.Py_ssize_t
    at: cython.Py_ssize_t
    before: cython.Py_ssize_t = 0
    with cython.nogil:
        for f in range(trainer.features):
            for at in range(before, before + counts[f]):
                c = trainer.place(cython.cast(cython.uint, f), tags[at])
                trainer.weights[c] = weights[at]
                trainer.sums[c].u = sums[at]
            before += counts[f]
        for c in range(square):
            trainer.trans[c] = trans[c]
            trainer.trans_sums[c].u = trans_sums[c]
            trainer.trans_sums[c].delta = 0.0
    if trainer.trigrams is not None:
        trainer.trigrams.fill(state["trigrams"], state["trigram_sums"])
    trainer.steps = int(state["steps"][0])


def weights_of(trainer: TagTrainer, averaged: cython.bint = True):
    """The weights that are not 0: where the row of each feature begins, tags, weights; those of transitions, tags + 1
    squared, the last standing for the outside; and those of three tags in a row, of second order, or None."""
    f: cython.Py_ssize_t
    c: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    to: cython.Py_ssize_t
    w: cython.double
    scale: cython.double = 1.0 / trainer.steps if trainer.steps and averaged else 0.0
    starts_out = np.zeros(trainer.features + 1, dtype=np.int64)
    tags_out = np.empty(max(trainer.used, 1), dtype=np.int32)
    weights_out = np.empty(max(trainer.used, 1), dtype=np.float64)
    starts: cython.longlong[::1] = starts_out
    tags: cython.int[::1] = tags_out
    weights: cython.double[::1] = weights_out
    with cython.nogil:
        for f in range(trainer.features):
            for c in range(trainer.rows[f].start, trainer.rows[f].start + trainer.rows[f].count):
                w = trainer.weights[c] - trainer.sums[c].u * scale
                if w != 0.0:  # in the order of tags, whatever the order in which they were met
                    to = at
                    while to > starts[f] and tags[to - 1] > trainer.tag_of[c]:
                        tags[to] = tags[to - 1]
                        weights[to] = weights[to - 1]
                        to -= 1
                    tags[to] = trainer.tag_of[c]
                    weights[to] = w
                    at += 1
            starts[f + 1] = at
    between = np.zeros((trainer.tags + 1, trainer.tags + 1))
    for f in range(trainer.tags + 1):
        for c in range(trainer.tags + 1):
            between[f, c] = trainer.trans[f * trainer.width + c] - trainer.trans_sums[f * trainer.width + c].u * scale
    triples = None
    if trainer.trigrams is not None:
        last, sums = trainer.trigrams.values()
        triples = last - sums * scale
    return starts_out, tags_out[:at].copy(), weights_out[:at].copy(), between, triples
