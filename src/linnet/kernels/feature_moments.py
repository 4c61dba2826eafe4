"""Sums that give the mean and the deviation of every column, row after row, in whatever cut of the rows.

Of each column: the weight of the rows where it is not 0, the first such value p, and the weighted sums of x - p and of
(x - p)²; measured from p, a column like a year keeps its digits.  Zeros add nothing, stored or not.
"""

import cython
from cython.cimports.linnet.kernels.rows import prefetch, value_t

# How many entries ahead the sums of a column are prefetched.
AHEAD = cython.declare(cython.Py_ssize_t, 12)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add(sums: cython.p_double, x: cython.double, weight: cython.double) -> cython.void:
    """One value of a column."""
    off: cython.double
    if x == 0.0:
        return
    if sums[0] == 0.0:
        sums[1] = x
    off = x - sums[1]
    sums[0] += weight
    off_weighted: cython.double = weight * off
    sums[2] += off_weighted
    sums[3] += off_weighted * off


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
    all_sums: cython.p_double
    x: cython.pointer(cython.const[value_t])
    j: cython.pointer(cython.const[cython.uint])
    weight: cython.double = 1.0
    weighted: cython.bint = weights.shape[0] > 0
    if values.shape[0] == 0 or into.shape[0] == 0:
        return
    all_sums, x = cython.address(into[0, 0]), cython.address(values[0])
    j = cython.NULL if dense else cython.address(ids[0])
    with cython.nogil:
        for i in range(rows):
            if weighted:
                weight = weights[i]
            if dense:
                for e in range(columns):
                    add(all_sums + 4 * e, x[i * columns + e], weight)
                continue
            start, stop = starts[i], starts[i + 1]
            for e in range(start, stop):
                if e + AHEAD < stored:
                    prefetch(all_sums + 4 * j[e + AHEAD])
                add(all_sums + 4 * j[e], x[e], weight)
