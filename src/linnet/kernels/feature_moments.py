"""Sums that give the mean and the deviation of every column, row after row, in whatever cut of the rows.

Of each column: the weight of the rows where it is not 0, the first such value p, and the weighted sums of x - p and of
(x - p)²; measured from p, a column like a year keeps its digits.  Zeros add nothing, stored or not.
"""

import cython
from cython.cimports.linnet.kernels.rows import prefetch, value_t

# How many entries ahead the sums of a column are prefetched.
AHEAD = cython.declare(cython.Py_ssize_t, 12)


def add_rows(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    rows: cython.Py_ssize_t,
    weights: cython.const[cython.double][::1],
    into: cython.double[:, ::1],
):
    """into[j] = (weight, p, sum of x - p, sum of (x - p)²) of column j, with these rows; no weights: 1 each."""
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    stored: cython.Py_ssize_t = ids.shape[0]
    sums: cython.p_double
    x: cython.double
    off: cython.double
    weight: cython.double = 1.0
    weighted: cython.bint = weights.shape[0] > 0
    with cython.nogil:
        for i in range(rows):
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            if weighted:
                weight = weights[i]
            for e in range(start, stop):
                x = values[e]
                if not dense and e + AHEAD < stored:
                    prefetch(cython.address(into[ids[e + AHEAD], 0]))
                if x == 0.0:
                    continue
                sums = cython.address(into[e - start if dense else ids[e], 0])
                if sums[0] == 0.0:
                    sums[1] = x
                off = x - sums[1]
                sums[0] += weight
                sums[2] += weight * off
                sums[3] += weight * off * off
