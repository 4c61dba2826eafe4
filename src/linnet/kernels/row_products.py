"""The products of all pairs of sparse rows, entry by entry: those of SciPy are made sparse first, and both halves."""

import cython
import numpy as np
from cython.cimports.linnet.kernels.passes import value_t


def by_column(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    begins: cython.const[cython.longlong][::1],
    taken: cython.const[cython.uchar][::1],
):
    """The rows and values of each column that is taken: those of column j from begins[j] to begins[j + 1]."""
    size: cython.Py_ssize_t = begins[begins.shape[0] - 1]
    rows_of = np.empty(size, dtype=np.uint32)
    values_of = np.empty(size)
    into_rows: cython.uint[::1] = rows_of
    into_values: cython.double[::1] = values_of
    filled: cython.longlong[::1] = np.array(begins)
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    at: cython.longlong
    with cython.nogil:
        for i in range(starts.shape[0] - 1):
            for e in range(starts[i], starts[i + 1]):
                if taken[ids[e]]:
                    at = filled[ids[e]]
                    filled[ids[e]] = at + 1
                    into_rows[at] = cython.cast(cython.uint, i)
                    into_values[at] = values[e]
    return rows_of, values_of


def add_products(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    begins: cython.const[cython.longlong][::1],
    rows_of: cython.const[cython.uint][::1],
    values_of: cython.const[cython.double][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    into: cython.double[:, ::1],
):
    """into[i, r] += x_i . x_r over the columns that are taken, for the rows i from first to last and all r <= i.

    Columns that are not taken are empty here.
    """
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    p: cython.Py_ssize_t
    x: cython.double
    with cython.nogil:
        for i in range(first, last):
            for e in range(starts[i], starts[i + 1]):
                x = values[e]
                for p in range(begins[ids[e]], begins[ids[e] + 1]):
                    if rows_of[p] > i:
                        break
                    into[i, rows_of[p]] += x * values_of[p]
