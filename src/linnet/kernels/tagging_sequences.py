"""The best sequences of tags of one sentence, from arrays of scores: the best one by either decoder, and the k best."""

import cython
import numpy as np
from cython.cimports.linnet.kernels.tagging_decoder import NEVER, viterbi
from cython.cimports.linnet.kernels.tagging_pruning import Pruning

from linnet.kernels.tagging_decoder import followed_tags


def best_tags(emit, between, only, pruned: cython.bint):
    """The best tags of a sentence and their score, by pruning or by the full table."""
    n: cython.Py_ssize_t = emit.shape[0]
    tags: cython.int = emit.shape[1]
    width: cython.int = (tags + 1 + 3) // 4 * 4
    if between.shape != (tags + 1, tags + 1) or len(only) != n or n == 0 or tags == 0:
        raise ValueError("scores do not fit")
    padded = np.zeros((n, width), dtype=np.float32)
    padded[:, :tags] = emit
    square = np.full((width, width), NEVER, dtype=np.float32)
    square[: tags + 1, : tags + 1] = between
    starts: cython.const[cython.int][::1]
    places: cython.const[cython.int][::1]
    starts, places = followed_tags(square, tags)
    scores: cython.const[cython.float][:, ::1] = padded
    trans: cython.const[cython.float][:, ::1] = square
    known: cython.const[cython.int][::1] = only
    rows: cython.float[::1] = np.empty(n * width, dtype=np.float32)
    found = np.empty(n, dtype=np.int32)
    out: cython.int[::1] = found
    if pruned:
        pruning: Pruning = Pruning(tags, width)
        pruning.reserve(n)
        pruning.bound(cython.address(trans[0, 0]))
        top = pruning.viterbi(
            cython.address(scores[0, 0]),
            cython.address(trans[0, 0]),
            cython.address(known[0]),
            n,
            cython.address(out[0]),
        )
    else:
        top = viterbi(
            cython.address(scores[0, 0]), cython.address(trans[0, 0]), cython.address(starts[0]),
            cython.address(places[0]), cython.address(known[0]), n, tags, width, cython.address(rows[0]),
            cython.address(out[0]),
        )  # fmt: skip
    return found, top


def best_sequences(emit, between, only, k: cython.Py_ssize_t):
    """The k best sequences of tags, best first (k × tokens), and their scores; fewer where there are not as many.

    Each tag of a token keeps its k best beginnings (k-best Viterbi); of equal ones, those of smaller tags come first:
    the last tag decides, then the one before it, and so on.
    """
    emit = np.asarray(emit, dtype=np.float64)
    between = np.asarray(between, dtype=np.float64)
    n, tags = emit.shape
    if k < 1 or n == 0:
        return np.empty((0, n), dtype=np.int32), np.empty(0)
    emit = np.where((np.asarray(only)[:, None] < 0) | (np.asarray(only)[:, None] == np.arange(tags)), emit, -np.inf)
    between = np.where(between <= NEVER / 2, -np.inf, between)
    scores = (between[tags, :tags] + emit[0])[:, None]
    back: list = []
    for t in range(1, n):
        paths = scores.shape[1]
        # for each tag: all beginnings of all tags before it
        every = (scores[:, :, None] + between[:tags, None, :tags]).reshape(tags * paths, tags)
        kept = np.argsort(-every, axis=0, kind="stable")[:k]
        scores = (np.take_along_axis(every, kept, axis=0) + emit[t]).T
        back.append((kept.T, paths))
    last = (scores + between[:tags, tags][:, None]).reshape(-1)
    order = np.argsort(-last, kind="stable")[:k]
    order = order[last[order] > -np.inf]
    found = np.empty((len(order), n), dtype=np.int32)
    width = scores.shape[1]
    for number, at in enumerate(order.tolist()):
        tag, path = divmod(at, width)
        for t in range(n - 1, 0, -1):
            found[number, t] = tag
            kept, paths = back[t - 1]
            tag, path = divmod(int(kept[tag, path]), paths)
        found[number, 0] = tag
    return found, last[order]
