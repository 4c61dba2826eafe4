"""The adaptive geometry: every column in its own unit, every weight at its own rate.

NAG (Ross, Mineiro, Langford 2013), kept in scaled units: with s_j the largest |x_j| met so far, the stored weight is
w_j s_j, a row enters as x_j / s_j, and `squares` sums the squared gradients in that unit.  Multiplying a column by any
factor then changes nothing that is stored, and sizes from 1e-300 to 1e300 neither underflow nor overflow.  Penalties
act on the stored weights, so they do not depend on units either.
"""

import cython
from cython.cimports.libc.math import fabs, sqrt
from cython.cimports.linnet.kernels.losses import exp_same_bits, soft_threshold
from cython.cimports.linnet.kernels.passes import Settings, prefetch, value_t

# 1 / s must be a finite number: smaller values count as zero.
TINY_VALUE = cython.declare(cython.double, 1e-300)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def in_its_unit(
    x: cython.double,
    j: cython.Py_ssize_t,
    outputs: cython.Py_ssize_t,
    squares: cython.double[::1],
    inverse_scales: cython.double[::1],
) -> cython.double:
    """x as a share of the largest entry its column has shown, which it may now be itself."""
    size: cython.double = fabs(x)
    inverse: cython.double = inverse_scales[j]
    shrinking: cython.double
    k: cython.Py_ssize_t
    if size * inverse > 1.0 or inverse == 0.0:
        if size < TINY_VALUE:
            return 0.0
        inverse_scales[j] = 1.0 / size
        shrinking = (1.0 / size) / inverse if inverse > 0 else 0.0
        for k in range(j * outputs, (j + 1) * outputs):
            squares[k] = squares[k] * shrinking * shrinking
        return 1.0 if x > 0 else -1.0
    return x * inverse


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def pay(
    j: cython.Py_ssize_t,
    settings: cython.pointer(Settings),
    w: cython.double[::1],
    squares: cython.double[::1],
    touched: cython.double[::1],
    shrunk: cython.double,
) -> cython.void:
    """Give column j the shrinking it owes, each weight at its own rate, 1 / sqrt(squares)."""
    k: cython.Py_ssize_t
    amount: cython.double
    owed: cython.double = shrunk - touched[j]
    if owed > 0:
        for k in range(j * settings.outputs, (j + 1) * settings.outputs):
            if w[k] != 0.0:
                amount = owed / sqrt(squares[k])
                w[k] = soft_threshold(w[k] * exp_same_bits(-settings.l2 * amount), settings.l1 * amount)
        touched[j] = shrunk


def adaptive_scores(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    settings: cython.pointer(Settings),
    w: cython.double[::1],
    squares: cython.double[::1],
    inverse_scales: cython.double[::1],
    touched: cython.double[::1],
    shrunk: cython.double,
    scores: cython.double[::1],
):
    """Score every output on the scaled row; the row's squared length in those units comes back."""
    outputs: cython.Py_ssize_t = settings.outputs
    penalised: cython.bint = settings.l1 > 0 or settings.l2 > 0
    length: cython.double = 1.0 if settings.intercept else 0.0
    e: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    x: cython.double
    total: cython.double = 0.0
    for k in range(outputs):
        scores[k] = 0.0
    for e in range(start, stop):
        if values[e] == 0:  # so that a zero touches nothing, stored or not
            continue
        j = e - start if settings.dense else ids[e]
        if penalised:  # before the unit may change: what is owed, is owed in the old one
            pay(j, settings, w, squares, touched, shrunk)
        x = in_its_unit(values[e], j, outputs, squares, inverse_scales)
        prefetch(cython.address(squares[j * outputs]))  # adaptive_add will want it
        length += x * x
        if outputs == 1:
            total += x * w[j]
        else:
            for k in range(outputs):
                scores[k] += x * w[j * outputs + k]
    if outputs == 1:
        scores[0] = total
    return length


@cython.cdivision(True)
def adaptive_add(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    settings: cython.pointer(Settings),
    w: cython.double[::1],
    squares: cython.double[::1],
    inverse_scales: cython.double[::1],
    k: cython.Py_ssize_t,
    pull: cython.double,
    rate: cython.double,
):
    """w_jk += rate g / sqrt(sum of g^2 so far), with g = pull times the scaled x_j."""
    e: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t
    g: cython.double
    for e in range(start, stop):
        j = e - start if settings.dense else ids[e]
        g = pull * values[e] * inverse_scales[j]
        if g != 0.0:
            at = j * settings.outputs + k
            squares[at] += g * g
            if squares[at] > 0:  # g * g may underflow
                w[at] += rate * g / sqrt(squares[at])
    if settings.intercept:
        at = settings.columns * settings.outputs + k
        squares[at] += pull * pull
        if squares[at] > 0:
            w[at] += rate * pull / sqrt(squares[at])
