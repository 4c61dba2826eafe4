"""Newton's method on a small dense table, all steps in one call: training/solvers/newton.py has the equations.

On few rows a step takes less time than asking NumPy for it.  For two classes, with c_i the normalised sample weights,

    f(w, b) = sum_i c_i loss(y_i z_i) + l2/2 |w|^2,   z_i = w . x_i + b

After a full step p the gap is that of the dual point g + D X p, where g and D are the slopes and the second derivatives
of the losses before it.
"""

import cython
import numpy as np
from cython.cimports.libc.math import sqrt
from cython.cimports.linnet.kernels.losses import loss_there
from cython.cimports.linnet.kernels.rows import value_t
from cython.cimports.linnet.kernels.small_rows import (
    bring_into_bounds,
    conjugates,
    looked_at,
    pulled,
    scored,
    squared_columns,
)

# As in training/solvers/newton.py: Armijo's fraction, how often a step is halved, the fraction of f that is lost in its
# rounding, and the one below which a step leaves H good for one more.
ENOUGH = cython.declare(cython.double, 1e-4)
HALVINGS = cython.declare(cython.int, 40)
ROUNDING = cython.declare(cython.double, 1e-15)
NEAR = cython.declare(cython.double, 2e-2)
# What is first added to the diagonal of a table that has no factor, each column in its own unit.
EXTRA = cython.declare(cython.double, 1e-12)
# The least that a diagonal entry counts as.
TINY = cython.declare(cython.double, 2.2250738585072014e-308)


@cython.cdivision(True)
def descend(
    values: cython.const[value_t][::1],
    loss: cython.int,
    intercept: cython.bint,
    signs: cython.const[cython.double][::1],
    sample_weights: cython.const[cython.double][::1],
    l2: cython.double,
    tol: cython.double,
    weights: cython.double[::1],
    dual: cython.double[::1],
    tallies: cython.double[:, ::1],
):
    """Steps from these weights, which change in place, until the relative gap is at most `tol`, f falls no further, or
    `tallies` is full: it gets the mean loss and the mistakes after each step.  `dual` becomes the dual point.

    Returns the number of steps, -1 where numbers left their range; whether the gap is that small; and whether there is
    a dual point, as there is after a full step.
    """
    n: cython.Py_ssize_t = signs.shape[0]
    d: cython.Py_ssize_t = weights.shape[0] - 1
    free: cython.Py_ssize_t = d + 1 if intercept else d
    cython.declare(scores=cython.double[::1], slopes=cython.double[::1], bends=cython.double[::1])
    cython.declare(along=cython.double[::1], bent=cython.double[::1], gradient=cython.double[::1])
    cython.declare(change=cython.double[::1], unit=cython.double[::1], room=cython.double[::1])
    cython.declare(table=cython.double[:, ::1], lower=cython.double[:, ::1])
    scores, slopes, bends, along, bent = np.zeros((5, n))
    gradient, change, unit, room = np.zeros((4, d + 1))
    table, lower = np.zeros((2, d + 1, d + 1))
    made: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    mistakes: cython.Py_ssize_t = 0
    again: cython.bint = False
    closed: cython.bint = False
    full: cython.bint = False
    cython.declare(mean=cython.double, value=cython.double, slope=cython.double, length=cython.double)
    cython.declare(gap=cython.double)
    with cython.nogil:
        scored(values, weights, scores)
        mean = looked_at(loss, signs, sample_weights, scores, slopes, bends, cython.address(mistakes))
        value = mean + 0.5 * l2 * squared_length(weights, weights, 0.0, d)
        while made < tallies.shape[0]:
            pulled(values, sample_weights, slopes, gradient)
            for j in range(d):
                gradient[j] += l2 * weights[j]
            if not again:
                squared_columns(values, sample_weights, bends, table)
                for j in range(d):
                    table[j, j] += l2
                if table[d, d] == 0.0:
                    table[d, d] = 1.0  # no curvature, but perhaps a slope: then a step of size 1
                bent[:] = bends
                if not factored(table, free, unit, lower):
                    made = -1
                    break
            slope = solved(table, lower, unit, free, gradient, room, change)
            if slope - slope != 0.0:  # infinite or NaN
                made = -1
                break
            scored(values, change, along)
            length = searched(loss, signs, sample_weights, scores, along, weights, change, l2, value, slope)
            full = length == 1.0
            for i in range(n):
                dual[i] = slopes[i] + bent[i] * along[i]
                scores[i] += length * along[i]
            for j in range(free):
                weights[j] += length * change[j]
            mean = looked_at(loss, signs, sample_weights, scores, slopes, bends, cython.address(mistakes))
            value = mean + 0.5 * l2 * squared_length(weights, weights, 0.0, d)
            tallies[made, 0] = mean
            tallies[made, 1] = cython.cast(cython.double, mistakes)
            made += 1
            if full:
                bring_into_bounds(loss, signs, sample_weights, intercept, dual)
                pulled(values, sample_weights, dual, room)
                gap = value + conjugates(loss, signs, sample_weights, dual, 1.0)
                gap += 0.5 / l2 * squared_length(room, room, 0.0, d)
                closed = gap <= tol * value
            if closed or length == 0.0 or -slope <= ROUNDING * value:
                break
            again = not again and full and -slope <= NEAR * value
    return made, closed, full


# -- the length of a step ----------------------------------------------------------------------------------------------


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def searched(
    loss: cython.int,
    signs: cython.const[cython.double][::1],
    sample_weights: cython.const[cython.double][::1],
    scores: cython.double[::1],
    along: cython.double[::1],
    weights: cython.double[::1],
    change: cython.double[::1],
    l2: cython.double,
    value: cython.double,
    slope: cython.double,
) -> cython.double:
    """1, 1/2, 1/4, ...: the first part of the change after which f has fallen enough; 0 for none."""
    length: cython.double = 1.0
    after: cython.double
    i: cython.Py_ssize_t
    for _ in range(HALVINGS):
        after = 0.5 * l2 * squared_length(weights, change, length, weights.shape[0] - 1)
        for i in range(scores.shape[0]):
            after += sample_weights[i] * loss_there(loss, signs[i] * (scores[i] + length * along[i])).value
        if after <= value + ENOUGH * length * slope + ROUNDING * value:
            return length
        length *= 0.5
    return 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def squared_length(
    weights: cython.double[::1], change: cython.double[::1], length: cython.double, d: cython.Py_ssize_t
) -> cython.double:
    """|w + length change|^2, of the first d."""
    total: cython.double = 0.0
    j: cython.Py_ssize_t
    for j in range(d):
        total += (weights[j] + length * change[j]) * (weights[j] + length * change[j])
    return total


# -- the system of a step ----------------------------------------------------------------------------------------------


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def factored(
    table: cython.double[:, ::1], free: cython.Py_ssize_t, unit: cython.double[::1], lower: cython.double[:, ::1]
) -> cython.bint:
    """lower lower' = table, whose lower triangle is measured in units in which its diagonal is 1.  To that of nearly
    collinear columns a little is added.  False where that is not enough."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    extra: cython.double = EXTRA
    for j in range(free):
        unit[j] = 1.0 / sqrt(table[j, j] if table[j, j] > TINY else TINY)
    for i in range(free):
        for j in range(i + 1):
            table[i, j] *= unit[i] * unit[j]
    while extra < 1.0:
        if has_factor(table, free, lower):
            return True
        for j in range(free):
            table[j, j] += extra
        extra *= 10.0
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def has_factor(table: cython.double[:, ::1], free: cython.Py_ssize_t, lower: cython.double[:, ::1]) -> cython.bint:
    """Whether the table is positive definite; then lower is its factor."""
    cython.declare(i=cython.Py_ssize_t, j=cython.Py_ssize_t, k=cython.Py_ssize_t, left=cython.double)
    for i in range(free):
        for j in range(i + 1):
            left = table[i, j]
            for k in range(j):
                left -= lower[i, k] * lower[j, k]
            if i > j:
                lower[i, j] = left / lower[j, j]
            elif left > 0.0 and left - left == 0.0:
                lower[i, i] = sqrt(left)
            else:
                return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def solved(
    table: cython.double[:, ::1],
    lower: cython.double[:, ::1],
    unit: cython.double[::1],
    free: cython.Py_ssize_t,
    gradient: cython.double[::1],
    left: cython.double[::1],
    change: cython.double[::1],
) -> cython.double:
    """change = -H^-1 gradient, corrected once by what is left of the gradient; returns the slope of f that way."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    slope: cython.double = 0.0
    for i in range(free):
        change[i] = -unit[i] * gradient[i]
    substituted(lower, free, change)
    for i in range(free):
        left[i] = -unit[i] * gradient[i]
        for j in range(free):
            left[i] -= (table[i, j] if j <= i else table[j, i]) * change[j]
    substituted(lower, free, left)
    for i in range(free):
        change[i] = unit[i] * (change[i] + left[i])
        slope += gradient[i] * change[i]
    return slope


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def substituted(lower: cython.double[:, ::1], free: cython.Py_ssize_t, x: cython.double[::1]) -> cython.void:
    """x = (L L')^-1 x, in place."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for i in range(free):
        for j in range(i):
            x[i] -= lower[i, j] * x[j]
        x[i] /= lower[i, i]
    for i in range(free - 1, -1, -1):
        x[i] /= lower[i, i]
        for j in range(i):
            x[j] -= x[i] * lower[i, j]
