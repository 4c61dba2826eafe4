"""By how much the last weights of a tagger's training separate the true tags of its sentences from all others."""

import cython
import numpy as np
from cython.cimports.linnet.kernels.tagging_decoder import NEVER
from cython.cimports.linnet.kernels.tagging_margins import margins_of, trigram_margins
from cython.cimports.linnet.kernels.tagging_trainer import TagTrainer


def smallest_margin(trainer: TagTrainer):
    """Over all sentences, by the last weights: the least by which the true tags score more than any other sequence that
    is allowed; below 0 where some other scores more, infinite where no sentence has another."""
    longest: cython.Py_ssize_t = max(1, int(np.diff(np.asarray(trainer.sentences)).max(initial=1)))
    ahead: cython.float[::1] = np.empty(longest * trainer.width, dtype=np.float32)
    gaps: cython.float[::1] = np.empty(longest, dtype=np.float32)
    s: cython.Py_ssize_t
    t: cython.Py_ssize_t
    n: cython.Py_ssize_t
    first: cython.Py_ssize_t
    top: cython.float
    least: cython.float = -NEVER
    with cython.nogil:
        for s in range(trainer.sentences.shape[0] - 1):
            first = trainer.sentences[s]
            n = trainer.sentences[s + 1] - first
            if n == 0:
                continue
            trainer.score(s, trainer.weights)
            top = score_of_truth(trainer, first, n)
            if trainer.trigrams is None:
                margins_of(trainer.emit, trainer.trans, cython.address(trainer.only[first]), n, trainer.tags,
                           trainer.width, cython.address(ahead[0]), top, cython.address(trainer.gold[first]),
                           cython.address(gaps[0]))  # fmt: skip
            else:
                trigram_margins(trainer.trigrams, trainer.emit, trainer.trans, cython.address(trainer.only[first]), n,
                                top, cython.address(trainer.gold[first]), cython.address(gaps[0]))  # fmt: skip
            for t in range(n):
                if gaps[t] < least:
                    least = gaps[t]
    return float(least) if least < -NEVER / 2 else float("inf")


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_of_truth(trainer: TagTrainer, first: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.float:
    """The score of the true tags of a sentence that has been scored."""
    t: cython.Py_ssize_t
    a: cython.int = trainer.tags
    b: cython.int = trainer.tags
    tag: cython.int
    score: cython.float = 0.0
    for t in range(n + 1):
        tag = trainer.gold[first + t] if t < n else trainer.tags
        if t < n:
            score += trainer.emit[t * trainer.width + tag]
        score += trainer.trans[b * trainer.width + tag]
        if trainer.trigrams is not None:
            score += trainer.trigrams.scores[trainer.trigrams.cell(a, b, tag)]
        a, b = b, tag
    return score
