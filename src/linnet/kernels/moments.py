"""Sums and sums of squares of columns by class, in twice the digits of a double, and the variance that follows.

A variance is what is left of Σ x² after Σ_k (Σ_{class k} x)² / n_k is taken away; for a column like a year nearly
nothing is, and of sums in doubles it would be rounding.  Here a number is the unevaluated sum of two doubles (Dekker
1971, A floating-point technique for extending the available precision): 106 bits, so that a single read in any cut of
blocks is enough, zeros need not be touched, and rows are added in order.
"""

import cython
from cython.cimports.linnet.kernels.passes import value_t

# 2^27 + 1, which cuts a double into two halves of 26 bits.
_SPLITTER = cython.declare(cython.double, 134217729.0)

Pair = cython.struct(high=cython.double, low=cython.double)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def product(a: cython.double, b: cython.double) -> Pair:
    """a times b, exactly."""
    result: Pair
    t: cython.double = _SPLITTER * a
    a_high: cython.double = t - (t - a)
    a_low: cython.double = a - a_high
    t = _SPLITTER * b
    b_high: cython.double = t - (t - b)
    b_low: cython.double = b - b_high
    result.high = a * b
    result.low = ((a_high * b_high - result.high) + a_high * b_low + a_low * b_high) + a_low * b_low
    return result


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def sum_of(a: Pair, b: Pair) -> Pair:
    """a + b, to about 104 bits."""
    result: Pair
    s: cython.double = a.high + b.high
    v: cython.double = s - a.high
    e: cython.double = ((a.high - (s - v)) + (b.high - v)) + a.low + b.low
    result.high = s + e
    result.low = e - (result.high - s)
    return result


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def times(a: Pair, b: Pair) -> Pair:
    """a times b."""
    p: Pair = product(a.high, b.high)
    rest: Pair
    rest.high = a.high * b.low + a.low * b.high
    rest.low = 0.0
    return sum_of(p, rest)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.cdivision(True)
@cython.exceptval(check=False)
def over(a: Pair, b: Pair) -> Pair:
    """a / b: a first quotient, and one for what it leaves."""
    first: Pair
    second: Pair
    back: Pair
    first.high = a.high / b.high
    first.low = 0.0
    back = times(first, b)
    back.high, back.low = -back.high, -back.low
    back = sum_of(a, back)
    second.high = back.high / b.high
    second.low = 0.0
    return sum_of(first, second)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_to(cell: cython.pointer(cython.double), amount: Pair) -> cython.void:
    """Add to a pair that lies in an array."""
    held: Pair
    held.high, held.low = cell[0], cell[1]
    held = sum_of(held, amount)
    cell[0], cell[1] = held.high, held.low


def add_moments(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    codes: cython.const[cython.double][::1],
    weights: cython.const[cython.double][::1],
    counts: cython.double[:, ::1],
    sums: cython.double[:, :, ::1],
    squares: cython.double[:, ::1],
):
    """counts[k] += weight, sums[j, k] += weight x_j, squares[j] += weight x_j², all as pairs (the last axis)."""
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    j: cython.Py_ssize_t
    x: Pair
    weight: Pair
    weighed: Pair
    weighted: cython.bint = weights.shape[0] > 0
    x.low = weight.low = 0.0
    weight.high = 1.0
    with cython.nogil:
        for i in range(codes.shape[0]):
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            k = cython.cast(cython.Py_ssize_t, codes[i])
            if weighted:
                weight.high = weights[i]
            add_to(cython.address(counts[k, 0]), weight)
            for e in range(start, stop):
                x.high = values[e]
                if x.high == 0.0:
                    continue
                j = e - start if dense else ids[e]
                weighed = times(weight, x) if weighted else x
                add_to(cython.address(sums[j, k, 0]), weighed)
                add_to(cython.address(squares[j, 0]), times(weighed, x))


def variances(
    counts: cython.const[cython.double][:, ::1],
    sums: cython.const[cython.double][:, :, ::1],
    squares: cython.const[cython.double][:, ::1],
    into: cython.double[::1],
):
    """into[j] = (Σ x_j² - Σ_k (Σ_{class k} x_j)² / n_k) / n: how far rows lie from the mean of their class."""
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n: Pair
    total: Pair
    part: Pair
    left: Pair
    with cython.nogil:
        total.high = total.low = 0.0
        for k in range(counts.shape[0]):
            n.high, n.low = counts[k, 0], counts[k, 1]
            total = sum_of(total, n)
        for j in range(into.shape[0]):
            left.high, left.low = squares[j, 0], squares[j, 1]
            for k in range(counts.shape[0]):
                n.high, n.low = counts[k, 0], counts[k, 1]
                if n.high <= 0.0:
                    continue
                part.high, part.low = sums[j, k, 0], sums[j, k, 1]
                part = over(times(part, part), n)
                part.high, part.low = -part.high, -part.low
                left = sum_of(left, part)
            left = over(left, total)
            into[j] = 0.0 if left.high <= 0.0 else left.high  # NaN stays NaN
