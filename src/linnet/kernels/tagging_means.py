"""Tags of the sentences of a trainer, by the mean of its weights as it would be if training ended here, or by the last
weights: what held-out sentences are scored by, and tests compare.

The mean of a weight w is w - u / steps (tagging_trainer.py)."""

import cython
import numpy as np
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.linnet.kernels.tagging_trainer import TagTrainer

from linnet.kernels.tagging_checks import check_order


def decode(trainer: TagTrainer, which: cython.const[cython.longlong][::1], averaged: cython.bint = True):
    """The best tags of these sentences, one after the other, by the mean of the weights or by the last."""
    check_order(which, trainer.sentences.shape[0] - 1)
    lengths = np.diff(np.asarray(trainer.sentences))[np.asarray(which)]
    into = np.empty(int(lengths.sum()), dtype=np.int32)
    if not into.size:
        return into
    out: cython.int[::1] = into
    cython.declare(i=cython.Py_ssize_t, c=cython.Py_ssize_t, s=cython.Py_ssize_t, n=cython.Py_ssize_t)
    at: cython.Py_ssize_t = 0
    square: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, trainer.width) * trainer.width
    trans: cython.pointer(cython.float) = cython.cast(cython.pointer(cython.float), malloc(square * 4))
    mean: cython.pointer(cython.float) = cython.cast(cython.pointer(cython.float), malloc(trainer.used * 4 + 4))
    cells: cython.Py_ssize_t = 0 if trainer.trigrams is None else trainer.trigrams.cells
    room: cython.pointer(cython.float) = cython.cast(cython.pointer(cython.float), malloc(cells * 4 + 4))
    trigrams: cython.pointer(cython.float) = room if cells else cython.NULL
    if not trans or not mean or not room:
        free(trans)
        free(mean)
        free(room)
        raise MemoryError
    scale: cython.double = 1.0 / trainer.steps if trainer.steps and averaged else 0.0
    with cython.nogil:
        for c in range(trainer.used):
            mean[c] = cython.cast(cython.float, trainer.weights[c] - trainer.sums[c].u * scale)
        for c in range(square):
            trans[c] = cython.cast(cython.float, trainer.trans[c] - trainer.trans_sums[c].u * scale)
        if cells:
            trainer.trigrams.mean(scale, room)
        if trainer.pruning is not None:
            trainer.pruning.bound(trans)
        for i in range(which.shape[0]):
            s = which[i]
            n = trainer.sentences[s + 1] - trainer.sentences[s]
            if n == 0:
                continue
            trainer.score(s, mean)
            trainer.best(s, trans, trigrams, cython.address(out[at]))
            at += n
    free(trans)
    free(mean)
    free(room)
    return into
