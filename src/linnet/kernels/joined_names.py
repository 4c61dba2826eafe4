"""Names that are made of other names, as strings in one buffer: lists of Python's strings take ten times the memory."""

import cython
import numpy as np
from cython.cimports.libc.string import memcpy


def joined(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    which: cython.const[cython.longlong][::1],
    separator: bytes,
    other_data: cython.const[cython.uchar][::1],
    other_starts: cython.const[cython.longlong][::1],
    others: cython.const[cython.longlong][::1],
):
    """Name which[i], the separator and the other name others[i], for every i: (bytes, starts)."""
    between: cython.const[cython.uchar][::1] = separator
    middle: cython.Py_ssize_t = len(separator)
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t
    into_starts: cython.longlong[::1] = np.empty(which.shape[0] + 1, dtype=np.int64)
    for i in range(which.shape[0]):
        into_starts[i] = at
        at += starts[which[i] + 1] - starts[which[i]] + middle + other_starts[others[i] + 1] - other_starts[others[i]]
    into_starts[which.shape[0]] = at
    into: cython.uchar[::1] = np.empty(at, dtype=np.uint8)
    with cython.nogil:
        at = 0
        for i in range(which.shape[0]):
            size = starts[which[i] + 1] - starts[which[i]]
            if size > 0:
                memcpy(cython.address(into[at]), cython.address(data[starts[which[i]]]), size)
                at += size
            if middle > 0:
                memcpy(cython.address(into[at]), cython.address(between[0]), middle)
                at += middle
            size = other_starts[others[i] + 1] - other_starts[others[i]]
            if size > 0:
                memcpy(cython.address(into[at]), cython.address(other_data[other_starts[others[i]]]), size)
                at += size
    return np.asarray(into), np.asarray(into_starts)


def taken(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    which: cython.const[cython.longlong][::1],
):
    """These names, in this order: (bytes, starts)."""
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t
    into_starts: cython.longlong[::1] = np.empty(which.shape[0] + 1, dtype=np.int64)
    for i in range(which.shape[0]):
        into_starts[i] = at
        at += starts[which[i] + 1] - starts[which[i]]
    into_starts[which.shape[0]] = at
    into: cython.uchar[::1] = np.empty(at, dtype=np.uint8)
    with cython.nogil:
        for i in range(which.shape[0]):
            size = into_starts[i + 1] - into_starts[i]
            if size > 0:
                memcpy(cython.address(into[into_starts[i]]), cython.address(data[starts[which[i]]]), size)
    return np.asarray(into), np.asarray(into_starts)
