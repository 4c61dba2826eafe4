"""Checks of the row pointers and column ids of a sparse matrix, in one read of them."""

import cython

ROWS_AT_ONCE = cython.declare(cython.Py_ssize_t, 64)


def pointers_rise(starts: cython.const[cython.longlong][::1], entries: cython.Py_ssize_t):
    """Whether the row pointers rise from 0 and stay within the stored entries."""
    rows: cython.Py_ssize_t = starts.shape[0] - 1
    i: cython.Py_ssize_t
    falls: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(rows):
            falls += starts[i] > starts[i + 1]
    return falls == 0 and starts[0] == 0 and starts[rows] <= entries


def ids_rise(ids: cython.const[cython.int][::1], starts: cython.const[cython.longlong][::1], columns: cython.longlong):
    """Whether the ids of each of these rows rise strictly and lie in 0 to columns - 1.

    Rising steps are counted over some rows together, in a loop without branches that compiles to vectors, and then
    over the steps between those rows, which do not count: within rows all rise exactly if the rest is every step.
    """
    rows: cython.Py_ssize_t = starts.shape[0] - 1
    first: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t
    e: cython.Py_ssize_t
    i: cython.Py_ssize_t
    rises: cython.int
    steps: cython.Py_ssize_t
    wrong: cython.Py_ssize_t = 0
    with cython.nogil:
        while first < rows:
            last = first + ROWS_AT_ONCE if first + ROWS_AT_ONCE < rows else rows
            steps = 0
            rises = 0
            for e in range(starts[first], starts[last] - 1):
                rises += ids[e] < ids[e + 1]
            for i in range(first, last):
                if starts[i] < starts[i + 1]:
                    steps += starts[i + 1] - starts[i] - 1
                    wrong += ids[starts[i]] < 0 or ids[starts[i + 1] - 1] >= columns
                    if starts[i] > starts[first]:
                        rises -= ids[starts[i] - 1] < ids[starts[i]]
            wrong += rises != steps
            first = last
    return wrong == 0
