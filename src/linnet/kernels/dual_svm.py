"""Dual coordinate descent for the two-class linear SVM: one sweep over the active rows.

With C_i the cost of row i, y_i its sign and b a free intercept, the two problems are

    primal  min over w, b   1/2 |w|^2 + sum_i C_i loss(y_i (w . x_i + b))
    dual    max over a      sum_i (a_i - e_i a_i^2 / 2) - 1/2 |w|^2,   w = sum_i a_i y_i x_i,   sum_i a_i y_i = 0

where 0 <= a_i <= C_i and e_i = 0 for the hinge, 0 <= a_i and e_i = 1 / (2 C_i) for the squared hinge.  A step solves
for one a_i with all others held.  A row whose a_i lies at a bound, and would go beyond it by more than any row fell
short in the sweep before, is left out of those to come (Hsieh, Chang, Lin, Keerthi, Sundararajan 2008, A dual
coordinate descent method for large-scale linear SVM, algorithm 3).

The intercept is the multiplier of sum_i a_i y_i = 0, and every step moves it by rho y_i (change of a_i), as in
dual_logistic.py.

What a step needs of a row beside its entries is stored together, in one cache line: `states` has a_i, y_i, the
limit (C_i for the hinge, e_i for the squared one) and 1 / (|x_i|^2 + e_i + rho), infinite for a row of zeros.
"""

import cython
from cython.cimports.libc.math import INFINITY
from cython.cimports.linnet.kernels.rows import add, ask_for, ask_for_row, dot, prefetch, value_t

# How many rows ahead entries are prefetched, and how many ahead of those their positions.
ROWS_AHEAD = cython.declare(cython.Py_ssize_t, 4)
STATES_AHEAD = cython.declare(cython.Py_ssize_t, 12)
# Overrelaxation: a step goes beyond the best a_i by this factor, as the next rows mostly move the weights the same way
# (Mangasarian, Musicant 1999, Successive overrelaxation for support vector machines; below 2 every step still climbs).
BEYOND = cython.declare(cython.double, 1.15)
# Up to this many weights are in the nearest cache anyway.
NEAR = cython.declare(cython.Py_ssize_t, 2048)
# How many entries ahead of a dot product the next ones are prefetched, where rows are visited in their own order.
ENTRIES_AHEAD = cython.declare(cython.Py_ssize_t, 256)


def shuffle(order: cython.uint[::1], seed: cython.ulonglong):
    """A random order of these numbers, the same for the same seed (Fisher, Yates 1938; Knuth's MMIX generator)."""
    k: cython.Py_ssize_t
    other: cython.Py_ssize_t
    i: cython.uint
    with cython.nogil:
        for k in range(order.shape[0] - 1, 0, -1):
            seed = seed * cython.cast(cython.ulonglong, 6364136223846793005) + cython.cast(
                cython.ulonglong, 1442695040888963407
            )
            other = cython.cast(cython.Py_ssize_t, ((seed >> 32) * cython.cast(cython.ulonglong, k + 1)) >> 32)
            i = order[k]
            order[k] = order[other]
            order[other] = i


@cython.cdivision(True)
def sweep(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    squared: cython.bint,
    order: cython.uint[::1],
    states: cython.double[:, ::1],
    weights: cython.double[::1],
    intercept: cython.double,
    rho: cython.double,
    highest: cython.double,
    lowest: cython.double,
):
    """One step for each row of `order`; states and weights change in place, and so does order: the rows that are kept
    come first.  `highest` and `lowest` are the largest and the least slope of the sweep before.

    Returns how many rows are kept; the intercept; the largest and the least slope; of the rows as they were visited the
    loss, the gap between primal and dual, the mistakes; by how much the dual rose, how many a_i changed, and the row
    whose score is not finite, which ends the sweep, or -1.
    """
    n: cython.Py_ssize_t = order.shape[0]
    kept: cython.Py_ssize_t = 0
    changed: cython.Py_ssize_t = 0
    mistakes: cython.Py_ssize_t = 0
    lost: cython.Py_ssize_t = -1
    loss: cython.double = 0.0
    gap: cython.double = 0.0
    gain: cython.double = 0.0
    most: cython.double = -INFINITY
    least: cython.double = INFINITY
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    following: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    score: cython.double
    short: cython.double
    lacking: cython.double
    slope: cython.double
    alpha: cython.double
    after: cython.double
    change: cython.double
    cap: cython.double
    extra: cython.double
    far: cython.bint = not dense and columns > NEAR
    with cython.nogil:
        for k in range(n):
            i = order[k]
            if k + STATES_AHEAD < n:
                following = order[k + STATES_AHEAD]
                prefetch(cython.address(states[following, 0]))
                if not dense:
                    prefetch(cython.address(starts[following]))
            if k + ROWS_AHEAD < n:
                following = order[k + ROWS_AHEAD]
                if dense:
                    ask_for_row(values, ids, following * columns, (following + 1) * columns, dense)
                else:
                    ask_for_row(values, ids, starts[following], starts[following + 1], dense)
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            score = dot(values, ids, start, stop, dense, weights, 0)
            if far and k + 1 < n:
                following = order[k + 1]
                ask_for(ids, starts[following], starts[following + 1], weights)
            if score - score != 0.0:
                lost = i
                break
            alpha = states[i, 0]
            cap = INFINITY if squared else states[i, 2]
            extra = states[i, 2] if squared else 0.0
            short = 1.0 - states[i, 1] * (score + intercept)
            slope = extra * alpha - short
            lacking = max(short, 0.0)
            lacking *= 0.5 * lacking / extra if squared else cap
            loss += lacking
            gap += lacking - alpha * (short - 0.5 * extra * alpha)
            mistakes += short >= 1.0
            if (alpha == 0.0 and slope > highest) or (alpha == cap and slope < lowest):
                continue
            order[k] = order[kept]
            order[kept] = cython.cast(cython.uint, i)
            kept += 1
            if (alpha == 0.0 and slope >= 0) or (alpha == cap and slope <= 0):
                most = max(most, 0.0)
                least = min(least, 0.0)
                continue
            most = max(most, slope)
            least = min(least, slope)
            after = min(max(alpha - BEYOND * slope * states[i, 3], 0.0), cap)
            change = after - alpha
            if change != 0.0:
                changed += 1
                states[i, 0] = after
                gain -= change * (slope + 0.5 * (1.0 / states[i, 3] - rho) * change - states[i, 1] * intercept)
                change *= states[i, 1]
                intercept += rho * change
                add(values, ids, start, stop, dense, weights, change)
    return kept, intercept, most, least, loss, gap, mistakes, gain, changed, lost


def renumber(ids: cython.const[cython.uint][::1], new_ids: cython.const[cython.uint][::1], into: cython.uint[::1]):
    """into[e] = new_ids[ids[e]]."""
    e: cython.Py_ssize_t
    with cython.nogil:
        for e in range(ids.shape[0]):
            into[e] = new_ids[ids[e]]


def scores_as_they_stand(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    weights: cython.double[::1],
    into: cython.double[::1],
):
    """into[i] = w . x_i."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(into.shape[0]):
            if dense:
                into[i] = dot(values, ids, i * columns, (i + 1) * columns, dense, weights, 0)
            else:
                into[i] = dot(values, ids, starts[i], starts[i + 1], dense, weights, ENTRIES_AHEAD)


def combination(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    amounts: cython.const[cython.double][::1],
    into: cython.double[::1],
):
    """into += sum_i amounts_i x_i."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(amounts.shape[0]):
            if amounts[i] != 0.0:
                if dense:
                    add(values, ids, i * columns, (i + 1) * columns, dense, into, amounts[i])
                else:
                    add(values, ids, starts[i], starts[i + 1], dense, into, amounts[i])


@cython.cdivision(True)
def both_sums(
    scores: cython.const[cython.double][::1],
    signs: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    alphas: cython.const[cython.double][::1],
    b: cython.double,
    squared: cython.bint,
):
    """sum_i C_i loss(y_i (scores_i + b)) and sum_i (a_i - e_i a_i^2 / 2): primal and dual, but for the lengths of w."""
    loss: cython.double = 0.0
    value: cython.double = 0.0
    short: cython.double
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(scores.shape[0]):
            if costs[i] > 0:
                short = 1.0 - signs[i] * (scores[i] + b)
                if short > 0:
                    loss += costs[i] * (short * short if squared else short)
                value += alphas[i]
                if squared:
                    value -= 0.25 * alphas[i] / costs[i] * alphas[i]
    return loss, value


def mark_copies(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    order: cython.const[cython.longlong][::1],
    keys: cython.const[cython.double][::1],
    into: cython.uchar[::1],
):
    """into[k] = 1 where row order[k] has the key and all entries of the row before it in that order, else 0."""
    k: cython.Py_ssize_t
    e: cython.Py_ssize_t
    one: cython.Py_ssize_t
    other: cython.Py_ssize_t
    length: cython.Py_ssize_t
    same: cython.bint
    with cython.nogil:
        for k in range(order.shape[0]):
            same = k > 0 and keys[order[k]] == keys[order[k - 1]]
            if same:
                one = order[k] * columns if dense else starts[order[k]]
                other = order[k - 1] * columns if dense else starts[order[k - 1]]
                length = columns if dense else starts[order[k] + 1] - one
                same = dense or starts[order[k - 1] + 1] - other == length
                for e in range(length if same else 0):
                    if values[one + e] != values[other + e] or (not dense and ids[one + e] != ids[other + e]):
                        same = False
                        break
            into[k] = same
