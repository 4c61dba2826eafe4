"""w . x + b for every row and output: adding in one fixed order, so that the bits never depend on threads."""

import cython
from cython.cimports.linnet.kernels.passes import value_t


def scores(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    weights: cython.const[cython.double][:, ::1],
    intercepts: cython.const[cython.double][::1],
    into: cython.double[:, ::1],
):
    """into[i, k] = row i times column k of weights (d x K), plus intercepts[k]."""
    outputs: cython.Py_ssize_t = weights.shape[1]
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    j: cython.Py_ssize_t
    x: cython.double
    total: cython.double
    with cython.nogil:
        for i in range(into.shape[0]):
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            if outputs == 1:
                total = 0.0
                for e in range(start, stop):
                    j = e - start if dense else ids[e]
                    total += values[e] * weights[j, 0]
                into[i, 0] = total + intercepts[0]
            else:
                for k in range(outputs):
                    into[i, k] = intercepts[k]
                for e in range(start, stop):
                    j = e - start if dense else ids[e]
                    x = values[e]
                    for k in range(outputs):
                        into[i, k] += x * weights[j, k]
