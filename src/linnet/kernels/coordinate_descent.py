"""Coordinate descent on a quadratic model with an L1 and an L2 penalty, one weight at a time.

    q(u) = g'(u - w) + 1/2 (u - w)' H (u - w) + l1 |u|_1 + l2/2 |u|_2^2,   H = A'DA less the part of a free intercept

The best u_j with all others held is soft(H_jj u_j - s_j, l1) / (H_jj + l2), with s the slopes g + H (u - w) at u, and
no less than 0 where weights are not to be negative (Friedman, Hastie, Tibshirani 2010, Regularization paths for
generalized linear models via coordinate descent).  H is a table of all pairs of columns, and s is kept up to date; or
it stays in the columns themselves, and the slopes of the rows, p = r + D A (u - w), are kept up to date.

With a free intercept b the model is that of the best b for every u: with M = A'D1 and T = 1'D1, H = A'DA - M M'/T, and
the rows' slopes are p + D shift, where shift = (change of b) is -(sum of r + M'(u - w)) / T.
"""

import cython
from cython.cimports.libc.math import fabs
from cython.cimports.linnet.kernels.rows import dot, value_t


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def best(at: cython.double, slope: cython.double, own: cython.double, l1: cython.double, l2: cython.double,
         positive: cython.bint) -> cython.double:  # fmt: skip
    """The best weight, from this one and its slope; 0 for a column without any curvature."""
    t: cython.double = own * at - slope
    if own + l2 <= 0.0:
        return 0.0
    if t > l1:
        return (t - l1) / (own + l2)
    if t < -l1 and not positive:
        return (t + l1) / (own + l2)
    return 0.0


def by_pairs(
    table: cython.const[cython.double][:, ::1],
    own: cython.const[cython.double][::1],
    slopes: cython.double[::1],
    weights: cython.double[::1],
    l1: cython.double,
    l2: cython.double,
    positive: cython.bint,
    enough: cython.double,
    most: cython.Py_ssize_t,
):
    """Sweeps over all weights, until none was off by more than `enough` (as a slope), `most` of them at most.

    `table` is H, `own` its diagonal, 0 where a column is constant.  Returns the sweeps, and by how much the worst
    weight of the last one was off.
    """
    k: cython.Py_ssize_t = weights.shape[0]
    sweeps: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    change: cython.double
    worst: cython.double = 0.0
    line: cython.p_double
    s: cython.p_double
    with cython.nogil:
        while sweeps < most:
            sweeps += 1
            worst = 0.0
            for j in range(k):
                change = best(weights[j], slopes[j], own[j], l1, l2, positive) - weights[j]
                if change == 0.0:
                    continue
                weights[j] += change
                worst = max(worst, fabs(change) * (own[j] + l2))
                line = cython.cast(cython.p_double, cython.address(table[j, 0]))
                s = cython.address(slopes[0])
                for i in range(k):
                    s[i] += change * line[i]
            if not worst > enough:
                break
    return sweeps, worst


@cython.cdivision(True)
def by_columns(
    values: cython.const[cython.double][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    rows: cython.Py_ssize_t,
    dense: cython.bint,
    order: cython.const[cython.longlong][::1],
    bends: cython.const[cython.double][::1],
    own: cython.const[cython.double][::1],
    sums: cython.const[cython.double][::1],
    total: cython.double,
    slopes: cython.double[::1],
    shift: cython.double,
    weights: cython.double[::1],
    l1: cython.double,
    l2: cython.double,
    positive: cython.bint,
):
    """One sweep over the weights of `order`; weights and the slopes of the rows change in place.

    Column j is dense or sparse (`starts`); `sums` is M and `total` T, or 0 without a free intercept.  Returns the
    shift, and by how much the worst weight was off.
    """
    k: cython.Py_ssize_t
    j: cython.Py_ssize_t
    e: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    change: cython.double
    worst: cython.double = 0.0
    with cython.nogil:
        for k in range(order.shape[0]):
            j = order[k]
            start = j * rows if dense else starts[j]
            stop = start + rows if dense else starts[j + 1]
            change = dot(values, ids, start, stop, dense, slopes, 0) + shift * sums[j]
            change = best(weights[j], change, own[j], l1, l2, positive) - weights[j]
            if change == 0.0:
                continue
            weights[j] += change
            worst = max(worst, fabs(change) * (own[j] + l2))
            if total > 0.0:
                shift -= change * sums[j] / total
            if dense:
                for e in range(rows):
                    slopes[e] += change * bends[e] * values[start + e]
            else:
                for e in range(start, stop):
                    slopes[ids[e]] += change * bends[ids[e]] * values[e]
    return shift, worst


def column_sums(
    values: cython.const[cython.double][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    rows: cython.Py_ssize_t,
    dense: cython.bint,
    bends: cython.double[::1],
    sums: cython.double[::1],
    squares: cython.double[::1],
):
    """sums_j = sum_i bends_i x_ij, squares_j = sum_i bends_i x_ij^2."""
    j: cython.Py_ssize_t
    e: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    t: cython.double
    first: cython.double
    second: cython.double
    with cython.nogil:
        for j in range(sums.shape[0]):
            start = j * rows if dense else starts[j]
            stop = start + rows if dense else starts[j + 1]
            first = second = 0.0
            for e in range(start, stop):
                t = values[e] * bends[e - start if dense else ids[e]]
                first += t
                second += t * values[e]
            sums[j] = first
            squares[j] = second


def products(
    values: cython.const[cython.double][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    rows: cython.Py_ssize_t,
    dense: cython.bint,
    amounts: cython.double[::1],
    into: cython.double[::1],
):
    """into_j = sum_i amounts_i x_ij."""
    j: cython.Py_ssize_t
    start: cython.Py_ssize_t
    with cython.nogil:
        for j in range(into.shape[0]):
            start = j * rows if dense else starts[j]
            into[j] = dot(values, ids, start, start + rows if dense else starts[j + 1], dense, amounts, 0)


def combined(
    values: cython.const[cython.double][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    amounts: cython.const[cython.double][::1],
    into: cython.double[::1],
):
    """Adds sum_j amounts_j x_j to into; sparse columns."""
    j: cython.Py_ssize_t
    e: cython.Py_ssize_t
    with cython.nogil:
        for j in range(amounts.shape[0]):
            if amounts[j] != 0.0:
                for e in range(starts[j], starts[j + 1]):
                    into[ids[e]] += amounts[j] * values[e]


def some_columns(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    place: cython.const[cython.int][::1],
    into_values: cython.double[::1],
    into_ids: cython.uint[::1],
    into_starts: cython.longlong[::1],
):
    """The entries of sparse rows in some columns, row by row: column j becomes place[j], -1 leaves it out.

    There is room for one entry more than there are: each is written, and the next one over it if it is left out.
    """
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    size: cython.Py_ssize_t = 0
    at: cython.int
    with cython.nogil:
        into_starts[0] = 0
        for i in range(into_starts.shape[0] - 1):
            for e in range(starts[i], starts[i + 1]):
                at = place[ids[e]]
                into_values[size] = values[e]
                into_ids[size] = cython.cast(cython.uint, at)
                size += at >= 0
            into_starts[i + 1] = size


def by_column(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    place: cython.const[cython.int][::1],
    following: cython.longlong[::1],
    into_values: cython.double[::1],
    into_ids: cython.uint[::1],
):
    """The same entries column by column, in the order of the rows; `following` has where each column begins, and ends
    as where it stops."""
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    at: cython.int
    to: cython.longlong
    with cython.nogil:
        for i in range(starts.shape[0] - 1):
            for e in range(starts[i], starts[i + 1]):
                at = place[ids[e]]
                if at >= 0:
                    to = following[at]
                    into_values[to] = values[e]
                    into_ids[to] = cython.cast(cython.uint, i)
                    following[at] = to + 1
