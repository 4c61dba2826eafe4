"""The weighted vote of every hypothesis a perceptron passed through, without ever storing the hypotheses.

Hypothesis m + 1 is hypothesis m plus amount_m x_m, so its score on x is the score before plus amount_m (x_m . x):
running sums over the mistakes give all the scores, one after the other.
"""

import cython
import numpy as np
from cython.cimports.linnet.kernels.rows import value_t


def products(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    mistaken_values: cython.const[cython.double][::1],
    mistaken_ids: cython.const[cython.uint][::1],
    mistaken_starts: cython.const[cython.longlong][::1],
    positions: cython.uint[::1],
    columns: cython.double[:, ::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    into: cython.double[:, ::1],
):
    """into[i, u] = row first + i times the u-th mistaken row, up to row last, 16 rows at a time.

    The columns that any of the 16 has are gathered side by side, so that an entry of a mistaken row meets all of them
    at once; positions[j] is where column j is, 0 for one that none has.  It is all 0 before and after, with one more
    of `columns` than 16 rows ever have.
    """
    group: cython.Py_ssize_t
    rows: cython.Py_ssize_t
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    u: cython.Py_ssize_t
    k: cython.Py_ssize_t
    gathered: cython.uint
    place: cython.uint
    value: cython.double
    column: cython.pointer(cython.double)
    sums: cython.double[16]
    with cython.nogil:
        for group in range(first, last, 16):
            rows = min(16, last - group)
            gathered = 0
            for i in range(rows):
                for e in range(starts[group + i], starts[group + i + 1]):
                    if positions[ids[e]] == 0:
                        gathered += 1
                        positions[ids[e]] = gathered
                        for k in range(16):
                            columns[gathered, k] = 0.0
                    columns[positions[ids[e]], i] += values[e]
            for u in range(mistaken_starts.shape[0] - 1):
                for k in range(16):
                    sums[k] = 0.0
                for e in range(mistaken_starts[u], mistaken_starts[u + 1]):
                    place = positions[mistaken_ids[e]]
                    if place > 0:
                        value = mistaken_values[e]
                        column = cython.address(columns[place, 0])
                        for k in range(16):
                            sums[k] += value * column[k]
                for i in range(rows):
                    into[group - first + i, u] = sums[i]
            for e in range(starts[group], starts[group + rows]):
                positions[ids[e]] = 0


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
