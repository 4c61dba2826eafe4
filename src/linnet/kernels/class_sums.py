"""Sums of rows by class, row after row: the bits do not depend on how the rows were cut into blocks."""

import cython
import numpy as np
from cython.cimports.libc.math import log
from cython.cimports.linnet.kernels.column_squares import add_panels
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


# Counts are mostly small whole numbers: their logarithms are looked up.
SMALL = cython.declare(cython.Py_ssize_t, 256)


def smoothed_logs(
    sums: cython.const[cython.double][:, ::1],
    alphas: cython.const[cython.double][::1],
    into: cython.double[:, ::1],
):
    """into[j, k] = log(θ_jk), θ_jk = (sums[j, k] + α_j) / Σ_j (sums[j, k] + α_j); one α for all columns, or one each.

    Most sums of many classes are 0: those of a column have one logarithm.
    """
    columns: cython.Py_ssize_t = sums.shape[0]
    classes: cython.Py_ssize_t = sums.shape[1]
    each: cython.bint = alphas.shape[0] > 1
    totals: cython.double[::1] = np.zeros(classes)
    small: cython.double[::1] = np.empty(SMALL)
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    alpha: cython.double = alphas[0] if columns > 0 else 1.0
    log_alpha: cython.double = log(alpha)
    with cython.nogil:
        for j in range(columns):
            alpha = alphas[j] if each else alpha
            for k in range(classes):
                totals[k] += sums[j, k] + alpha
        for k in range(classes):
            totals[k] = log(totals[k])
        logs_of_small(alpha, small)
        for j in range(columns):
            if each:
                alpha = alphas[j]
                log_alpha = log(alpha)
            for k in range(classes):
                into[j, k] = log_alpha - totals[k]
            for k in range(classes):
                if sums[j, k] != 0:
                    into[j, k] = log_of_sum(sums[j, k], alpha, small, each) - totals[k]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def logs_of_small(alpha: cython.double, into: cython.double[::1]) -> cython.void:
    """log(c + α) for the counts c = 0, 1, ..."""
    c: cython.Py_ssize_t
    for c in range(into.shape[0]):
        into[c] = log(c + alpha)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def log_of_sum(
    x: cython.double, alpha: cython.double, small: cython.const[cython.double][::1], each: cython.bint
) -> cython.double:
    """log(x + α); looked up for a small count, unless every column has its own α."""
    if not each and x < SMALL and x == cython.cast(cython.Py_ssize_t, x):
        return small[cython.cast(cython.Py_ssize_t, x)]
    return log(x + alpha)


def presence_logs(
    sums: cython.const[cython.double][:, ::1],
    counts: cython.const[cython.double][::1],
    alphas: cython.const[cython.double][::1],
    into: cython.double[:, ::1],
    absent: cython.double[::1],
):
    """into[j, k] = log((N_jk + α_j) / (n_k - N_jk + α_j)) of sums N and rows n by class; absent[k] += the logarithms of
    its denominators.
    """
    columns: cython.Py_ssize_t = sums.shape[0]
    classes: cython.Py_ssize_t = sums.shape[1]
    each: cython.bint = alphas.shape[0] > 1
    never: cython.double[::1] = np.empty(classes)  # of a column that no row of the class has
    small: cython.double[::1] = np.empty(SMALL)
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    alpha: cython.double = alphas[0] if columns > 0 else 1.0
    log_alpha: cython.double = log(alpha)
    without: cython.double
    with cython.nogil:
        logs_of_small(alpha, small)
        for j in range(columns):
            if each or j == 0:
                alpha = alphas[j]
                log_alpha = log(alpha)
                for k in range(classes):
                    never[k] = log(counts[k] + alpha)
            for k in range(classes):
                if sums[j, k] == 0:
                    into[j, k] = log_alpha - never[k]
                    absent[k] += never[k]
                    continue
                without = counts[k] - sums[j, k]
                without = without if without > 0 else 0.0  # not below 0: sums of fractional weights are rounded
                without = log_of_sum(without, alpha, small, each)
                into[j, k] = log_of_sum(sums[j, k], alpha, small, each) - without
                absent[k] += without


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


# The columns of a panel: those whose products with twelve others are summed in registers.
PANEL = cython.declare(cython.Py_ssize_t, 12)


def add_scatter(
    rows: cython.const[cython.double][:, ::1],
    step: cython.const[cython.double][::1],
    factor: cython.double,
    into: cython.double[:, ::1],
):
    """into += Σ_i x_i x_i' + factor step step', a symmetric table; the sum is of these rows in their order.

    Each sum is one number's, whatever columns are beside it, and in which order: its bits do not depend on those.
    """
    n: cython.Py_ssize_t = rows.shape[0]
    d: cython.Py_ssize_t = rows.shape[1]
    panels: cython.Py_ssize_t = (d + PANEL - 1) // PANEL
    room: cython.Py_ssize_t = panels * PANEL * n
    if step.shape[0] != d or into.shape[0] != d or into.shape[1] != d:
        raise ValueError("the arrays do not fit the rows")
    if n == 0 or d == 0:
        return
    cython.declare(packed=cython.double[::1], sums=cython.double[144])
    packed = np.zeros(room)
    cython.declare(i=cython.Py_ssize_t, j=cython.Py_ssize_t, k=cython.Py_ssize_t)
    cython.declare(p=cython.Py_ssize_t, q=cython.Py_ssize_t, a=cython.Py_ssize_t, b=cython.Py_ssize_t)
    with cython.nogil:
        for i in range(n):
            for j in range(d):
                packed[(j // PANEL * n + i) * PANEL + j % PANEL] = rows[i, j]
        for p in range(panels):
            for q in range(p, panels):
                for a in range(PANEL * PANEL):
                    sums[a] = 0.0
                add_panels(
                    cython.address(packed[q * n * PANEL]),
                    cython.address(packed[p * n * PANEL]),
                    n,
                    cython.address(sums[0]),
                )
                for a in range(min(PANEL, d - p * PANEL)):
                    j = p * PANEL + a
                    for b in range(a if p == q else 0, min(PANEL, d - q * PANEL)):
                        k = q * PANEL + b
                        into[j, k] = into[j, k] + sums[a * PANEL + b] + factor * (step[j] * step[k])
                        into[k, j] = into[j, k]
