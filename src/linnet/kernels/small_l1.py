"""Proximal Newton steps on a small dense table, all in one call.

The method is that of training/solvers/coordinate_descent.py, for

    f(w, b) = sum_i c_i loss(y_i z_i) + l1 |w|_1 + l2/2 |w|^2,   z_i = w . x_i + b

with c_i the normalised sample weights.  A step is to the minimum of

    q(u) = g'(u - v) + 1/2 (u - v)' H (u - v) + l1 |u|_1 + l2/2 |u|^2,   v = (w, b)

where the intercept in u has no penalty: one weight at a time, over a table of all pairs of columns.  The dual point of
the gap are the slopes of the losses after the step.  Everything adds in row order.
"""

import cython
import numpy as np
from cython.cimports.libc.math import INFINITY, fabs
from cython.cimports.linnet.kernels.losses import Loss, loss_there
from cython.cimports.linnet.kernels.rows import value_t
from cython.cimports.linnet.kernels.small_rows import (
    bring_into_bounds,
    conjugates,
    looked_at,
    pulled,
    scored,
    squared_columns,
)

# Armijo's fraction of the fall that the model promises; and how often a step is halved.
ENOUGH = cython.declare(cython.double, 1e-4)
HALVINGS = cython.declare(cython.int, 40)
# A promised fall of less than this fraction of f is lost in its rounding.
ROUNDING = cython.declare(cython.double, 1e-12)
# Second derivatives are at least this fraction of the largest there is: where a loss is flat, the model is not.
LEAST_CURVATURE = cython.declare(cython.double, 1e-6)
# How far the model is solved: slopes are off by this fraction of what the gap asked for allows, or of what they were
# off by at first; and the most sweeps over the weights.
OF_GAP = cython.declare(cython.double, 0.3)
OF_FIRST = cython.declare(cython.double, 0.02)
SWEEPS = cython.declare(cython.int, 200)


@cython.cdivision(True)
def descend(
    values: cython.const[value_t][::1],
    loss: cython.int,
    intercept: cython.bint,
    signs: cython.const[cython.double][::1],
    sample_weights: cython.const[cython.double][::1],
    l1: cython.double,
    l2: cython.double,
    tol: cython.double,
    weights: cython.double[::1],
    tallies: cython.double[:, ::1],
):
    """Steps from these weights, which change in place, until the relative gap is at most `tol`, f falls no further, or
    `tallies` is full: it gets the mean loss and the mistakes after each step.

    Returns the number of steps, -1 where numbers left their range, and whether the gap is that small.
    """
    n: cython.Py_ssize_t = signs.shape[0]
    d: cython.Py_ssize_t = weights.shape[0] - 1
    cython.declare(scores=cython.double[::1], slopes=cython.double[::1], bends=cython.double[::1])
    cython.declare(along=cython.double[::1], dual=cython.double[::1], gradient=cython.double[::1])
    cython.declare(change=cython.double[::1], left=cython.double[::1], v=cython.double[::1])
    cython.declare(table=cython.double[:, ::1])
    scores, slopes, bends, along, dual = np.zeros((5, n))
    gradient, change, left, v = np.zeros((4, d + 1))
    table = np.zeros((d + 1, d + 1))
    made: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    mistakes: cython.Py_ssize_t = 0
    closed: cython.bint = False
    flat: cython.double = LEAST_CURVATURE * (0.25 if loss == Loss.LOGISTIC else 2.0)
    cython.declare(mean=cython.double, value=cython.double, gap=cython.double, fall=cython.double)
    cython.declare(length=cython.double, enough=cython.double)
    least: cython.double = INFINITY
    with cython.nogil:
        scored(values, weights, scores)
        mean = looked_at(loss, signs, sample_weights, scores, slopes, bends, cython.address(mistakes))
        value = mean + penalty(weights, weights, 0.0, l1, l2)
        while made < tallies.shape[0]:
            pulled(values, sample_weights, slopes, gradient)
            for i in range(n):
                bends[i] = max(bends[i], flat)
            squared_columns(values, sample_weights, bends, table)
            for i in range(d + 1):
                for j in range(i):
                    table[j, i] = table[i, j]
            enough = max(penalty(weights, weights, 0.0, 1.0, 0.0), 1e-3 * value / l1)
            enough = min(OF_GAP * tol * value / enough, 0.1 * l1)
            minimise(table, gradient, weights, l1, l2, intercept, enough, left, change)
            fall = penalty(weights, change, 1.0, l1, l2) - penalty(weights, weights, 0.0, l1, l2)
            for j in range(d + 1):
                fall += gradient[j] * change[j]
            if fall - fall != 0.0:  # infinite or NaN
                made = -1
                break
            scored(values, change, along)
            length = searched(loss, signs, sample_weights, scores, along, weights, change, l1, l2, value, fall)
            for i in range(n):
                scores[i] += length * along[i]
            for j in range(d + 1):
                weights[j] += length * change[j]
                if length == 1.0 and left[j] == 0.0:
                    weights[j] = 0.0  # which the sum may miss by its rounding
            mean = looked_at(loss, signs, sample_weights, scores, slopes, bends, cython.address(mistakes))
            value = mean + penalty(weights, weights, 0.0, l1, l2)
            tallies[made, 0] = mean
            tallies[made, 1] = cython.cast(cython.double, mistakes)
            made += 1
            dual[:] = slopes
            bring_into_bounds(loss, signs, sample_weights, intercept, dual)
            pulled(values, sample_weights, dual, v)
            gap = value - bound(loss, signs, sample_weights, l1, l2, dual, v)
            closed = gap <= tol * value
            if closed or length == 0.0 or (-fall <= ROUNDING * value and gap >= least):
                break
            least = min(least, gap)
    return made, closed


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def penalty(
    weights: cython.double[::1],
    change: cython.double[::1],
    length: cython.double,
    l1: cython.double,
    l2: cython.double,
) -> cython.double:
    """l1 |w|_1 + l2/2 |w|^2 after this length of a change."""
    sizes: cython.double = 0.0
    squares: cython.double = 0.0
    w: cython.double
    j: cython.Py_ssize_t
    for j in range(weights.shape[0] - 1):
        w = weights[j] + length * change[j]
        sizes += fabs(w)
        squares += w * w
    return l1 * sizes + 0.5 * l2 * squares


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def minimise(
    table: cython.double[:, ::1],
    gradient: cython.double[::1],
    weights: cython.double[::1],
    l1: cython.double,
    l2: cython.double,
    intercept: cython.bint,
    enough: cython.double,
    u: cython.double[::1],
    change: cython.double[::1],
) -> cython.void:
    """The minimum u of the model, up to slopes of `enough`, and the change that leads there.  `gradient` is that of the
    losses."""
    d: cython.Py_ssize_t = u.shape[0] - 1
    cython.declare(j=cython.Py_ssize_t, k=cython.Py_ssize_t, slope=cython.double, best=cython.double)
    cython.declare(by=cython.double, own=cython.double, worst=cython.double)
    s: cython.p_double = cython.address(change[0])  # the slopes of the losses' part of the model, until the end
    for j in range(d + 1):
        u[j] = weights[j]
        s[j] = gradient[j]
    for sweep in range(SWEEPS):
        worst = 0.0
        for j in range(d, -1, -1):  # the intercept first
            own = table[j, j] + (l2 if j < d else 0.0)
            if own <= 0.0 or (j == d and not intercept):
                best = 0.0
                by = 0.0
            else:
                slope = s[j] + (l2 * u[j] if j < d else 0.0)
                best = u[j] - slope / own
                by = l1 / own if j < d else 0.0
            best = best - by if best > by else best + by if best < -by else 0.0
            by = best - u[j]
            if by != 0.0:
                worst = max(worst, fabs(by) * own)
                u[j] = best
                for k in range(d + 1):
                    s[k] += by * table[j, k]
        if sweep == 0:
            enough = max(enough, OF_FIRST * worst)
        if worst <= enough:
            break
    for j in range(d + 1):
        change[j] = u[j] - weights[j]


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
    l1: cython.double,
    l2: cython.double,
    value: cython.double,
    fall: cython.double,
) -> cython.double:
    """1, 1/2, 1/4, ...: the first part of the change after which f has fallen enough; 0 for none."""
    length: cython.double = 1.0
    after: cython.double
    i: cython.Py_ssize_t
    if fall > -ROUNDING * value:  # f cannot show it; near the optimum the model is to be trusted
        return 1.0
    for _ in range(HALVINGS):
        after = penalty(weights, change, length, l1, l2)
        for i in range(scores.shape[0]):
            after += sample_weights[i] * loss_there(loss, signs[i] * (scores[i] + length * along[i])).value
        if after <= value + ENOUGH * length * fall:
            return length
        length *= 0.5
    return 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def bound(
    loss: cython.int,
    signs: cython.const[cython.double][::1],
    sample_weights: cython.const[cython.double][::1],
    l1: cython.double,
    l2: cython.double,
    dual: cython.double[::1],
    v: cython.double[::1],
) -> cython.double:
    """A value that f cannot fall below, by slopes within their bounds, which weigh v."""
    largest: cython.double = 0.0
    squares: cython.double = 0.0
    beyond: cython.double
    j: cython.Py_ssize_t
    for j in range(v.shape[0] - 1):
        largest = max(largest, fabs(v[j]))
        beyond = max(0.0, fabs(v[j]) - l1)
        squares += beyond * beyond
    if l2 > 0.0:
        return -conjugates(loss, signs, sample_weights, dual, 1.0) - 0.5 * squares / l2
    return -conjugates(loss, signs, sample_weights, dual, l1 / largest if largest > l1 else 1.0)
