"""The weighted vote of every hypothesis a perceptron passed through, without ever storing the hypotheses.

Hypothesis m + 1 is hypothesis m plus amount_m x_m, so its score on x is the score before plus amount_m (x_m . x):
running sums over the mistakes give all the scores, one after the other.
"""

import cython
import numpy as np


def count_votes(
    products: cython.const[cython.double][:, ::1],
    which: cython.const[cython.longlong][::1],
    truths: cython.const[cython.longlong][::1],
    rivals: cython.const[cython.longlong][::1],
    amounts: cython.const[cython.double][::1],
    survived: cython.const[cython.double][::1],
    intercept: cython.double,
    into: cython.double[:, ::1],
):
    """into[i, k]: the votes for output k on row i; for one output, votes for minus votes against.

    products[i, u] is row i times the u-th distinct mistaken row, `which[m]` is the one of mistake m, and
    survived[m] how many rows hypothesis m got right before mistake m (the last entry: before the end).
    """
    outputs: cython.Py_ssize_t = into.shape[1]
    mistakes: cython.Py_ssize_t = which.shape[0]
    scores: cython.double[::1] = np.zeros(outputs)
    i: cython.Py_ssize_t
    m: cython.Py_ssize_t
    k: cython.Py_ssize_t
    best: cython.Py_ssize_t
    move: cython.double
    with cython.nogil:
        for i in range(products.shape[0]):
            for k in range(outputs):
                scores[k] = 0.0
                into[i, k] = 0.0
            for m in range(mistakes):
                move = amounts[m] * (products[i, which[m]] + intercept)
                if outputs == 1:
                    scores[0] += move
                    if scores[0] > 0:
                        into[i, 0] += survived[m + 1]
                    elif scores[0] < 0:
                        into[i, 0] -= survived[m + 1]
                else:
                    scores[truths[m]] += move
                    scores[rivals[m]] -= move
                    best = 0
                    for k in range(1, outputs):
                        if scores[k] > scores[best]:
                            best = k
                    into[i, best] += survived[m + 1]
