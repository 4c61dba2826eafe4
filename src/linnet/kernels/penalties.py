"""Penalties of the additive learners, paid late: what L1 owes, and the scale that L2 leaves (see passes.py)."""

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
    """Give column j the soft-thresholding it owes."""
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
    """Give every column of a row what it owes, before the row is scored."""
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
    """Multiply the scale into the weights and go on from scale 1, before the scale underflows."""
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
