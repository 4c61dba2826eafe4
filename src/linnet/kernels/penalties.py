"""Lazy penalties of the additive learners: the L1 debt of a column, and the scale of L2 (see passes.py)."""

import cython
from cython.cimports.linnet.kernels.losses import soft_threshold
from cython.cimports.linnet.kernels.passes import Averaging, Clock, Settings


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def pay(
    j: cython.Py_ssize_t,
    outputs: cython.Py_ssize_t,
    w: cython.double[::1],
    touched: cython.double[::1],
    shrunk: cython.double,
) -> cython.void:
    """Apply the soft-thresholding that column j owes."""
    k: cython.Py_ssize_t
    owed: cython.double = shrunk - touched[j]
    if owed > 0:
        for k in range(j * outputs, (j + 1) * outputs):
            w[k] = soft_threshold(w[k], owed)
        touched[j] = shrunk


def pay_row(
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    dense: cython.bint,
    outputs: cython.Py_ssize_t,
    w: cython.double[::1],
    touched: cython.double[::1],
    shrunk: cython.double,
):
    """Apply what every column of a row owes, before the row is scored."""
    e: cython.Py_ssize_t
    for e in range(start, stop):
        pay(e - start if dense else ids[e], outputs, w, touched, shrunk)


def fold(
    w: cython.double[::1],
    sums: cython.double[::1],
    touched: cython.double[::1],
    settings: cython.pointer(Settings),
    clock: cython.pointer(Clock),
):
    """Multiply the scale into the weights and continue with scale 1, before the scale underflows."""
    j: cython.Py_ssize_t
    n: cython.Py_ssize_t = settings.columns * settings.outputs
    if settings.l1 > 0:
        for j in range(settings.columns):
            pay(j, settings.outputs, w, touched, clock.shrunk)
            touched[j] = 0.0
        clock.shrunk = 0.0
    if settings.averaging == Averaging.AVERAGE:
        for j in range(n):
            sums[j] -= clock.scale_sum * w[j]
        clock.scale_sum = 0.0
    for j in range(n):
        w[j] *= clock.scale
    clock.scale = 1.0
