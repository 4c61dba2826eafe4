"""Dual coordinate descent for logistic regression: one epoch over the rows, and the two values of the gap.

With C_i the cost of row i, y_i its sign, and a free intercept b, the two problems are

    primal  min over w, b   1/2 |w|^2 + sum_i C_i log(1 + exp(-y_i (w . x_i + b)))
    dual    max over a      -1/2 |w|^2 + sum_i C_i H(a_i / C_i),   w = sum_i a_i y_i x_i,   sum_i a_i y_i = 0

with 0 <= a_i <= C_i and H(p) = -p log p - (1 - p) log(1 - p).  A step solves for one a_i with all others held (Yu,
Huang, Lin 2011, Dual coordinate descent methods for logistic regression and maximum entropy models, section 3).  At
its optimum a_i = C_i / (1 + exp(t)) where t is the row's margin after the step, so t is what is solved for here: it
needs no logarithm, and a_i keeps its digits however close to 0 it comes.

The intercept is the multiplier of sum_i a_i y_i = 0 (method of multipliers: Hestenes 1969, Powell 1969).  Every step
moves it, b += rho y_i (change of a_i), as if each row had one more entry, the root of rho, in a column of its own.
"""

import cython
from cython.cimports.libc.math import fabs, isinf, log, log1p, sqrt
from cython.cimports.linnet.kernels.losses import Loss, LossPoint, exp_same_bits, loss_at
from cython.cimports.linnet.kernels.rows import add, ask_for, ask_for_row, dot, squared_length, value_t

# How many rows ahead entries are prefetched: rows are visited in a random order.
ROWS_AHEAD = cython.declare(cython.Py_ssize_t, 4)
# Newton's steps converge from where they start; this limit matters only where rounding keeps them from ending.
MOST_STEPS = cython.declare(cython.int, 100)
SHORT_STEP = cython.declare(cython.double, 1e-12)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def probability(margin: cython.double) -> cython.double:
    """1 / (1 + exp(margin))."""
    e: cython.double = exp_same_bits(-fabs(margin))
    return e / (1.0 + e) if margin >= 0 else 1.0 / (1.0 + e)


def margin_after_step(
    margin: cython.double,
    pull: cython.double,
    before: cython.double,
    alpha: cython.double,
    cost: cython.double,
    length: cython.double,
):
    """The t with t = margin + length (cost / (1 + exp(t)) - alpha): the row's margin once its own step is taken.

    `before` is the t of the last step (infinite if there was none) and `pull` is 1 / (1 + exp(margin)).

    F(t) = t - margin - length (cost / (1 + exp(t)) - alpha) rises, convex below 0 and concave above: Newton's steps
    converge from any start on the root's side of 0, if they are kept there.  The root lies between margin and before,
    near where the chord between the two crosses zero.
    """
    t: cython.double = margin
    ahead: cython.double = length * (cost * pull - alpha)
    above: cython.bint = -margin - length * (0.5 * cost - alpha) < 0  # F(0) < 0, so the root is above 0
    p: cython.double
    step: cython.double
    if length == 0.0 or ahead == 0.0:
        return margin
    if not isinf(before) and before != margin:
        t = margin + (before - margin) * ahead / (ahead + (before - margin))
    if (t > 0) != above:
        t = 0.0
    for _ in range(MOST_STEPS):
        p = probability(t)
        step = (t - margin - length * (cost * p - alpha)) / (1.0 + length * cost * p * (1.0 - p))
        t -= step
        if (t > 0) != above:
            t = 0.0
        if fabs(step) <= SHORT_STEP * (1.0 + fabs(t)):
            break
    return t


def epoch(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    order: cython.const[cython.longlong][::1],
    signs: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    lengths: cython.const[cython.double][::1],
    weights: cython.double[::1],
    alphas: cython.double[::1],
    last_margins: cython.double[::1],
    scores: cython.double[:, ::1],
    intercept: cython.double,
    rho: cython.double,
):
    """One step for each row of `order`; weights, alphas, last_margins (each row's t) and scores change in place.

    scores[i] becomes w . x_i after row i's own step: about the score after the epoch, without another pass.

    Returns the intercept; sum_i a_i y_i; of the rows as they were visited, the sum of C times the loss, an estimate of
    the gap between primal and dual, and the mistakes; the row whose score is not finite, which ends the epoch, or -1.
    """
    balance: cython.double = 0.0
    loss: cython.double = 0.0
    gap: cython.double = 0.0
    mistakes: cython.Py_ssize_t = 0
    lost: cython.Py_ssize_t = -1
    n: cython.Py_ssize_t = order.shape[0]
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    following: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    margin: cython.double
    cost: cython.double
    t: cython.double
    change: cython.double
    at: LossPoint
    with cython.nogil:
        for k in range(n):
            i = order[k]
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            if k + ROWS_AHEAD < n:
                following = order[k + ROWS_AHEAD]
                if dense:
                    ask_for_row(values, ids, following * columns, (following + 1) * columns, dense)
                else:
                    ask_for_row(values, ids, starts[following], starts[following + 1], dense)
            margin = dot(values, ids, start, stop, dense, weights, 0)
            if not dense and k + 1 < n:
                following = order[k + 1]
                ask_for(ids, starts[following], starts[following + 1], weights)
            margin = signs[i] * (margin + intercept)
            if margin - margin != 0.0:
                lost = i
                break
            if not margin > 0:
                mistakes += 1
            at = loss_at(Loss.LOGISTIC, margin)
            cost = costs[i] * (at.value + log(at.factor))
            loss += cost
            # What the row adds to the gap is the loss's Bregman divergence from t to the margin: from infinity the loss
            # itself, else nearly half of the symmetrised divergence.
            gap += (
                cost if isinf(last_margins[i]) else 0.5 * (costs[i] * at.pull - alphas[i]) * (last_margins[i] - margin)
            )
            t = margin_after_step(margin, at.pull, last_margins[i], alphas[i], costs[i], lengths[i] + rho)
            last_margins[i] = t
            change = costs[i] * probability(t) - alphas[i]
            if change != 0.0:
                alphas[i] += change
                change *= signs[i]
                intercept += rho * change
                add(values, ids, start, stop, dense, weights, change)
            scores[i, 0] = signs[i] * t - intercept
        for i in range(alphas.shape[0]):
            balance += signs[i] * alphas[i]
    return intercept, balance, loss, gap, mistakes, lost


def squared_lengths(
    values: cython.const[value_t][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    into: cython.double[::1],
):
    """into[i] = |x_i|^2."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(into.shape[0]):
            if dense:
                into[i] = squared_length(values, i * columns, (i + 1) * columns)
            else:
                into[i] = squared_length(values, starts[i], starts[i + 1])


@cython.cdivision(True)
def best_intercept(
    scores: cython.const[cython.double][:, ::1],
    signs: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    b: cython.double,
):
    """The b that minimises sum_i C_i log(1 + exp(-y_i (scores_i + b))): Newton's method, safeguarded by bisection."""
    i: cython.Py_ssize_t
    p: cython.double
    slope: cython.double
    bend: cython.double
    step: cython.double
    low: cython.double = 0.0
    high: cython.double = 0.0
    has_low: cython.bint = False
    has_high: cython.bint = False
    longest: cython.double = 1.0
    last: cython.double = 0.0
    with cython.nogil:
        for _ in range(MOST_STEPS):
            slope = 0.0
            bend = 0.0
            for i in range(scores.shape[0]):
                p = probability(signs[i] * (scores[i, 0] + b))
                slope -= costs[i] * signs[i] * p
                bend += costs[i] * p * (1.0 - p)
            if slope == 0.0:
                break
            if slope > 0:
                high = b
                has_high = True
            else:
                low = b
                has_low = True
            # far out the loss is nearly linear, and Newton's step far too long
            step = -slope / bend if bend * longest > fabs(slope) else (-longest if slope > 0 else longest)
            longest *= 2.0
            # and near a kink of the sum it is too short
            if has_low and has_high and (not low < b + step < high or fabs(step) > 0.5 * last):
                step = 0.5 * low + 0.5 * high - b
            last = fabs(step)
            b += step
            if fabs(step) <= SHORT_STEP * (1.0 + fabs(b)):
                break
    return b


@cython.cdivision(True)
def both_values(
    scores: cython.const[cython.double][:, ::1],
    signs: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    lengths: cython.const[cython.double][::1],
    alphas: cython.const[cython.double][::1],
    norm: cython.double,
    b: cython.double,
    free: cython.bint,
):
    """The primal value at w and b, and a lower bound on the dual value at a point made of alphas.

    `norm` is |w|^2, and scores are w . x_i without intercept.  A free intercept asks for sum_i a_i y_i = 0: the side
    with the larger sum is scaled down by s.  With u the part of w from that side, the weights are then w - (1 - s) u,
    and |w - (1 - s) u|^2 = |w|^2 - 2 (1 - s) w . u + (1 - s)^2 |u|^2; w . u is a sum of scores, and |u| is at most the
    sum of a_i |x_i|, which saves a pass over the rows: (1 - s) times that sum vanishes as the sides balance.
    """
    i: cython.Py_ssize_t
    side: cython.Py_ssize_t
    loss: cython.double = 0.0
    entropy: cython.double = 0.0
    p: cython.double
    at: LossPoint
    sums: cython.double[2]
    along: cython.double[2]
    reach: cython.double[2]
    scale: cython.double[2]
    sums[0] = sums[1] = along[0] = along[1] = reach[0] = reach[1] = 0.0
    scale[0] = scale[1] = 1.0
    with cython.nogil:
        for i in range(scores.shape[0]):
            side = 1 if signs[i] > 0 else 0
            at = loss_at(Loss.LOGISTIC, signs[i] * (scores[i, 0] + b))
            loss += costs[i] * (at.value + log(at.factor))
            sums[side] += alphas[i]
            along[side] += alphas[i] * signs[i] * scores[i, 0]
            reach[side] += alphas[i] * sqrt(lengths[i])
        if free and sums[0] != sums[1]:
            side = 1 if sums[1] > sums[0] else 0
            scale[side] = sums[1 - side] / sums[side]
            p = 1.0 - scale[side]
            norm += p * (p * reach[side] * reach[side] - 2.0 * along[side])
        for i in range(scores.shape[0]):
            if costs[i] > 0:
                p = alphas[i] * scale[1 if signs[i] > 0 else 0] / costs[i]
                if 0.0 < p < 1.0:
                    entropy -= costs[i] * (p * log(p) + (1.0 - p) * log1p(-p))
    return loss, entropy - 0.5 * norm
