"""Dual coordinate ascent for softmax with an L2 penalty: one sweep over the rows, all classes of a row at once.

With C_i the cost of row i, y_i its class and z_k = w_k . x_i + b_k its scores, the problems are

    primal  min over w, b   1/2 sum_k |w_k|^2 + sum_i C_i (log sum_k exp(z_k) - z_(y_i))
    dual    max over q      -1/2 sum_k |w_k|^2 - sum_i C_i sum_k q_ik log q_ik,   w_k = sum_i C_i ([k = y_i] - q_ik) x_i

where each q_i is a distribution over the classes and, for free intercepts, sum_i C_i q_ik is the cost of all rows of
class k.  A step solves for one q_i with all others held (Yu, Huang, Lin 2011, Dual coordinate descent methods for
logistic regression and maximum entropy models).  With a = C_i (|x_i|^2 + rho) and u = log q it is where

    u_k + a exp(u_k) = z_k + a q_ik + level   for all k,   sum_k exp(u_k) = 1

which takes a few of Newton's steps on u and the level together: each u_k depends on the others through the level only.
(Yu and others take one pair of classes after the other.)  The intercepts are the multipliers of their conditions; every
step moves them, as in dual_logistic.py.
"""

import cython
from cython.cimports.libc.math import fabs, log
from cython.cimports.linnet.kernels.losses import exp_inline
from cython.cimports.linnet.kernels.multiclass import Pulled, add_each, dot_each
from cython.cimports.linnet.kernels.rows import ask_for_row, value_t

ROWS_AHEAD = cython.declare(cython.Py_ssize_t, 4)
# Newton's steps for a row at most, and the change of all its q after which no more are worth their time: its next visit
# begins where this one ended.
STEPS = cython.declare(cython.Py_ssize_t, 8)
NEAR = cython.declare(cython.double, 1e-4)
# A step of Newton's is good for no larger change of log q: upwards exp(u) soon takes over, downwards it is gone.
RISE = cython.declare(cython.double, 3.0)
FALL = cython.declare(cython.double, -30.0)
# The least log q: what is less is 0 for any sum.
LEAST = cython.declare(cython.double, -600.0)
LEAST_LOG = LEAST


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def solve(a: cython.double, wanted: cython.double[::1], u: cython.double[::1], q: cython.double[::1]) -> cython.void:
    """Moves q = exp(u) to where u_k + a q_k - wanted_k is the same for all k and the q_k sum to 1."""
    outputs: cython.Py_ssize_t = u.shape[0]
    k: cython.Py_ssize_t
    _: cython.Py_ssize_t
    level: cython.double = 0.0
    total: cython.double
    off: cython.double
    pliable: cython.double
    sums: cython.double
    change: cython.double
    largest: cython.double
    for _ in range(STEPS):
        total = off = sums = 0.0
        for k in range(outputs):
            pliable = q[k] / (1.0 + a * q[k])
            total += q[k]
            sums += pliable
            off += pliable * (u[k] + a * q[k] - wanted[k])
        level = (1.0 - total + off) / sums
        largest = 0.0
        for k in range(outputs):
            change = (level - (u[k] + a * q[k] - wanted[k])) / (1.0 + a * q[k])
            change = RISE if change > RISE else (FALL if change < FALL else change)
            u[k] += change
            change = fabs(change) * q[k]
            largest = change if change > largest else largest
        for k in range(outputs):
            u[k] = LEAST if u[k] < LEAST else u[k]
            q[k] = exp_inline(u[k])
        if largest < NEAR:
            break
    total = 0.0
    for k in range(outputs):
        total += q[k]
    level = log(total)
    for k in range(outputs):
        q[k] /= total
        u[k] -= level


@cython.cdivision(True)
def sweep(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    order: cython.const[cython.longlong][::1],
    targets: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    lengths: cython.const[cython.double][::1],
    rho: cython.double,
    logs: cython.double[:, ::1],
    q: cython.double[:, ::1],
    weights: cython.double[::1],
    rows_of_room: cython.double[:, ::1],
):
    """One step for each sparse row of `order`; q, its logs and the weights change in place.

    The first of `rows_of_room` are the intercepts, the second the sums of C_i ([k = y_i] - q_ik) over all rows, which
    change with q; four more are room for a row.

    Returns, of the rows as they were visited, the loss, the gap between primal and dual, and the mistakes; and the row
    whose score is not finite, which ends the sweep, or -1.
    """
    n: cython.Py_ssize_t = order.shape[0]
    outputs: cython.Py_ssize_t = q.shape[1]
    everyone: Pulled = Pulled(0, outputs - 1, 1, True)
    intercepts: cython.double[::1] = rows_of_room[0]
    balance: cython.double[::1] = rows_of_room[1]
    scores: cython.double[::1] = rows_of_room[2]
    u: cython.double[::1] = rows_of_room[3]
    there: cython.double[::1] = rows_of_room[4]
    room: cython.double[::1] = rows_of_room[5]
    loss: cython.double = 0.0
    gap: cython.double = 0.0
    mistakes: cython.Py_ssize_t = 0
    lost: cython.Py_ssize_t = -1
    cython.declare(i=cython.Py_ssize_t, r=cython.Py_ssize_t, k=cython.Py_ssize_t, y=cython.Py_ssize_t)
    cython.declare(following=cython.Py_ssize_t, best=cython.Py_ssize_t)
    cython.declare(a=cython.double, top=cython.double, total=cython.double, held=cython.double, own=cython.double)
    with cython.nogil:
        for r in range(n):
            i = order[r]
            if r + ROWS_AHEAD < n:
                following = order[r + ROWS_AHEAD]
                ask_for_row(values, ids, starts[following], starts[following + 1], False)
            y = cython.cast(cython.Py_ssize_t, targets[i])
            a = costs[i] * (lengths[i] + rho)
            dot_each(values, ids, starts[i], starts[i + 1], False, weights, 1.0, scores)
            best = 0
            held = 0.0
            for k in range(outputs):
                scores[k] += intercepts[k]
                held += q[i, k] * (logs[i, k] - scores[k])
                if scores[k] > scores[best]:
                    best = k
            top = scores[best]
            own = scores[y]
            if held - held != 0.0 or top - top != 0.0:
                lost = i
                break
            for k in range(outputs):
                room[k] = exp_inline(scores[k] - top)
                u[k] = logs[i, k]
                there[k] = q[i, k]
                scores[k] += a * q[i, k]
            total = 0.0
            for k in range(outputs):
                total += room[k]
            top += log(total)
            gap += costs[i] * (top + held)
            loss += costs[i] * (top - own)
            if best != y:
                mistakes += 1
            solve(a, scores, u, there)
            for k in range(outputs):
                room[k] = costs[i] * (q[i, k] - there[k])
                q[i, k] = there[k]
                logs[i, k] = u[k]
                balance[k] += room[k]
                intercepts[k] += rho * room[k]
            add_each(values, ids, starts[i], starts[i + 1], False, weights, 1.0, room, everyone)
    return loss, gap, mistakes, lost
