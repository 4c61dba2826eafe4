"""Sums of rows by class, row after row: the bits do not depend on how the rows were cut into blocks."""

import cython
from cython.cimports.linnet.kernels.passes import value_t


def add_rows(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    codes: cython.const[cython.double][::1],
    weights: cython.const[cython.double][::1],
    into: cython.double[:, ::1],
):
    """into[j, k] += weight times x_j, for every row of class k; no weights: 1 each."""
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    j: cython.Py_ssize_t
    weight: cython.double = 1.0
    weighted: cython.bint = weights.shape[0] > 0
    with cython.nogil:
        for i in range(codes.shape[0]):
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            k = cython.cast(cython.Py_ssize_t, codes[i])
            if weighted:
                weight = weights[i]
            for e in range(start, stop):
                j = e - start if dense else ids[e]
                into[j, k] += weight * values[e]


def add_weights(
    codes: cython.const[cython.double][::1],
    weights: cython.const[cython.double][::1],
    into: cython.double[::1],
):
    """into[k] += the weight of every row of class k; no weights: 1 each."""
    i: cython.Py_ssize_t
    weighted: cython.bint = weights.shape[0] > 0
    with cython.nogil:
        for i in range(codes.shape[0]):
            into[cython.cast(cython.Py_ssize_t, codes[i])] += weights[i] if weighted else 1.0


def add_products(
    left: cython.const[cython.double][:, ::1],
    right: cython.const[cython.double][:, ::1],
    into: cython.double[:, ::1],
):
    """into += left' right, one row of the two after the other: a BLAS may add in another order for another width."""
    r: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    x: cython.double
    with cython.nogil:
        for j in range(left.shape[1]):
            for r in range(left.shape[0]):
                x = left[r, j]
                for k in range(right.shape[1]):
                    into[j, k] += x * right[r, k]
