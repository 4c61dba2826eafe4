"""Columns of numbers to rows: what a table has one after the other, put side by side."""

import cython
import numpy as np


def rows_of(columns: list):
    """The table whose columns these are, row after row; all are contiguous doubles of one length."""
    k: cython.Py_ssize_t = len(columns)
    n: cython.Py_ssize_t = len(columns[0])
    column: cython.const[cython.double][::1]
    addresses: cython.size_t[::1] = np.empty(k, dtype=np.uintp)
    c: cython.Py_ssize_t
    for c in range(k):
        column = columns[c]
        if column.shape[0] != n:
            raise ValueError(f"columns of {n} and {column.shape[0]} numbers")
        addresses[c] = cython.cast(cython.size_t, cython.address(column[0])) if n else 0
    table = np.empty((n, k))
    into: cython.double[:, ::1] = table
    values: cython.pointer(cython.const[cython.double])
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for first in range(0, n, 64):  # as many rows as stay in the nearest cache
            last = first + 64 if first + 64 < n else n
            for c in range(k):
                values = cython.cast(cython.pointer(cython.const[cython.double]), addresses[c])
                for i in range(first, last):
                    into[i, c] = values[i]
    return table
