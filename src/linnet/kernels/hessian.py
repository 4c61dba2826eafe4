"""Second derivatives of the loss, as Newton's method needs them: the whole matrix, or its product with a vector.

With D_i the second derivative of row i's loss by its score

    hessian         H = sum_i D_i x_i x_i'              rows' outer products: as many entries as a row has, squared
    product         sum_i D_i (x_i . v) x_i             one read of the rows: v's score of a row, then the row times it
    diagonal        sum_i D_i x_i^2
    gradient        sum_i g_i x_i

each for the rows (x_i, 1), the intercept their last column.  Sparse and dense rows; everything adds in row order.
"""

import cython
from cython.cimports.linnet.kernels.rows import add, ask_for, dot, value_t


def hessian(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    bends: cython.const[cython.double][::1],
    into: cython.double[:, ::1],
):
    """Adds sum_i bends_i x_i x_i' to `into`, every pair once: above the diagonal where ids rise within a row.

    Sparse rows.  For rows whose ids do not rise, the caller adds the lower triangle to the upper one.
    """
    d: cython.Py_ssize_t = into.shape[0] - 1
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    f: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    x: cython.double
    line: cython.p_double
    with cython.nogil:
        for i in range(bends.shape[0]):
            if bends[i] == 0.0:
                continue
            stop = starts[i + 1]
            for e in range(starts[i], stop):
                x = bends[i] * values[e]
                line = cython.address(into[ids[e], 0])
                for f in range(e, stop):
                    line[ids[f]] += x * values[f]
                line[d] += x
            into[d, d] += bends[i]


def product(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    bends: cython.const[cython.double][::1],
    v: cython.double[::1],
    along: cython.double[:, ::1],
    into: cython.double[::1],
):
    """along_i = (x_i, 1) . v, and adds sum_i bends_i along_i (x_i, 1) to `into`."""
    n: cython.Py_ssize_t = along.shape[0]
    i: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    t: cython.double
    total: cython.double = 0.0
    with cython.nogil:
        for i in range(n):
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            if not dense and i + 1 < n:
                ask_for(ids, stop, starts[i + 2], v)
            t = dot(values, ids, start, stop, dense, v, 0) + v[columns]
            along[i, 0] = t
            t *= bends[i]
            total += t
            add(values, ids, start, stop, dense, into, t)
        into[columns] += total


def gradient(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    slopes: cython.double[:, ::1],
    into: cython.double[::1],
):
    """Adds sum_i slopes_ik (x_i, 1) to output k of `into`."""
    outputs: cython.Py_ssize_t = slopes.shape[1]
    i: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    with cython.nogil:
        for i in range(slopes.shape[0]):
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            spread_each(values, ids, start, stop, columns, dense, into, cython.address(slopes[i, 0]), outputs)


def diagonal(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    bends: cython.const[cython.double][:, ::1],
    into: cython.double[::1],
):
    """Adds sum_i bends_ik (x_i, 1)^2, each entry squared, to output k of `into`."""
    outputs: cython.Py_ssize_t = bends.shape[1]
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    at: cython.Py_ssize_t
    square: cython.double
    with cython.nogil:
        for i in range(bends.shape[0]):
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            for e in range(start, stop):
                at = (e - start if dense else ids[e]) * outputs
                square = cython.cast(cython.double, values[e]) * values[e]
                for k in range(outputs):
                    into[at + k] += square * bends[i, k]
            for k in range(outputs):
                into[columns * outputs + k] += bends[i, k]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def spread_each(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    into: cython.double[::1],
    pulls: cython.p_double,
    outputs: cython.Py_ssize_t,
) -> cython.void:
    """into_k += pulls_k (x, 1)."""
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    x: cython.double
    line: cython.p_double = cython.address(into[columns * outputs])
    for k in range(outputs):
        line[k] += pulls[k]
    for e in range(start, stop):
        line = cython.address(into[(e - start if dense else ids[e]) * outputs])
        x = values[e]
        for k in range(outputs):
            line[k] += x * pulls[k]
