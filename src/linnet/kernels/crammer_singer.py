"""Sequential dual ascent for the SVM of many classes at once: one sweep over the active rows.

With C_i the cost of row i, y_i its class and z_k = w_k . x_i + b_k its scores, the problems are (Crammer, Singer 2001)

    primal  min over w, b   1/2 sum_k |w_k|^2 + sum_i C_i max over k of (z_k + [k != y_i] - z_(y_i))
    dual    max over q      sum_i sum_(k != y_i) q_ik - 1/2 sum_k |w_k|^2,   w_k = sum_i ([k = y_i] C_i - q_ik) x_i

where each q_i lies in the simplex of size C_i (q_ik >= 0, sum_k q_ik = C_i) and, for free intercepts, sum_i q_ik is the
cost of all rows of class k.  A step solves for one q_i with all others held: with A = |x_i|^2 + rho and
G_k = z_k + [k != y_i], it is the point of the simplex next to q_i + G / A (Keerthi, Sundararajan, Chang, Hsieh, Lin
2008, A sequential dual method for large scale multi-class linear SVMs).

A row whose q_i is a corner, and whose G leads there by more than any row fell short in the sweep before, is left out of
those to come.  The intercepts are the multipliers of their conditions; every step moves them, as in dual_logistic.py.

Of thousands of classes few share a row's q_i, and their scores are all that its next steps need.  So a sweep over all
classes lists those for each row, and sweeps over the listed ones alone may follow it.
"""

import cython
from cython.cimports.libc.math import INFINITY
from cython.cimports.linnet.kernels.multiclass import Pulled, add_each, dot_each
from cython.cimports.linnet.kernels.rows import ask_for_row, value_t

ROWS_AHEAD = cython.declare(cython.Py_ssize_t, 4)
# Where more than one class in MANY moves, all classes of a column are moved at once.
MANY = cython.declare(cython.Py_ssize_t, 8)


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def nearest_in_simplex(point: cython.double[::1], size: cython.double, room: cython.double[::1]) -> cython.void:
    """The point of the simplex of this size that lies next to `point`, in place (Michelot 1986).

    What is above a level stays, by as much as it is above it, so that the level is at least the largest - size: of
    thousands of classes few are, and they are copied into `room`.
    """
    n: cython.Py_ssize_t = point.shape[0]
    k: cython.Py_ssize_t
    above: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t
    level: cython.double = -INFINITY
    total: cython.double
    for k in range(n):
        level = point[k] if point[k] > level else level
    level -= size * (1.0 + 1e-9)  # rounding must leave none out
    for k in range(n):
        if point[k] >= level:
            room[above] = point[k]
            above += 1
    count = above + 1
    while above < count:  # the count falls each time, except for rounding
        count = above
        total = 0.0
        for k in range(count):
            total += room[k]
        level = (total - size) / count
        above = 0
        for k in range(count):
            if room[k] > level:
                room[above] = room[k]
                above += 1
        if above == 0:
            break
    for k in range(n):
        point[k] = point[k] - level if point[k] > level else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def dot_listed(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    dense: cython.bint,
    weights: cython.double[::1],
    outputs: cython.Py_ssize_t,
    listed: cython.const[cython.uint][::1],
    m: cython.Py_ssize_t,
    scores: cython.double[::1],
) -> cython.void:
    """w_k . x for the first m of the listed classes."""
    cython.declare(e=cython.Py_ssize_t, c=cython.Py_ssize_t, at=cython.Py_ssize_t, x=cython.double)
    for c in range(m):
        scores[c] = 0.0
    for e in range(start, stop):
        at = (e - start if dense else ids[e]) * outputs
        x = values[e]
        for c in range(m):
            scores[c] += x * weights[at + listed[c]]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_listed(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    dense: cython.bint,
    weights: cython.double[::1],
    outputs: cython.Py_ssize_t,
    listed: cython.const[cython.uint][::1],
    m: cython.Py_ssize_t,
    changes: cython.double[::1],
) -> cython.void:
    """w_k += change x for the first m of the listed classes."""
    cython.declare(e=cython.Py_ssize_t, c=cython.Py_ssize_t, at=cython.Py_ssize_t, x=cython.double)
    for e in range(start, stop):
        at = (e - start if dense else ids[e]) * outputs
        x = values[e]
        for c in range(m):
            weights[at + listed[c]] += changes[c] * x


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def list_classes(y: cython.Py_ssize_t, q: cython.double[::1], listed: cython.uint[::1]) -> cython.Py_ssize_t:
    """List the row's class and those that share its q; returns their number, or 0 if there is no room for them."""
    k: cython.Py_ssize_t
    m: cython.Py_ssize_t = 0
    for k in range(q.shape[0]):
        if q[k] > 0.0 or k == y:
            if m == listed.shape[0]:
                return 0
            listed[m] = cython.cast(cython.uint, k)
            m += 1
    return m


@cython.cdivision(True)
def sweep(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    order: cython.uint[::1],
    classes: cython.const[cython.longlong][::1],
    costs: cython.const[cython.double][::1],
    curvatures: cython.const[cython.double][::1],
    q: cython.double[:, ::1],
    weights: cython.double[::1],
    intercepts: cython.double[::1],
    rows_of_room: cython.double[:, ::1],
    lists: cython.uint[:, ::1],
    counts: cython.uint[::1],
    few: cython.bint,
    rho: cython.double,
    largest: cython.double,
):
    """One step for each row of `order`; q, weights and intercepts change in place, and so does order:
    the rows that are kept come first.  `largest` is by how much a row fell short in the sweep before.  The first of
    `rows_of_room` is the sum of [k = y_i] C_i - q_ik over all rows, for each class, and changes with q; three more are
    room for a row.  A sweep over all classes fills `lists` and `counts`, if there is room in them; one over `few` takes
    steps in the classes that they name, in all where a row's count is 0.

    Returns how many rows are kept; by how much one fell short at most; of the rows as they were visited, in the classes
    that were looked at, the loss, the gap between primal and dual, the mistakes; by how much the dual rose, how many
    q_i changed, how many scores were computed, and the row whose score is not finite, which ends the sweep, or -1.
    """
    n: cython.Py_ssize_t = order.shape[0]
    outputs: cython.Py_ssize_t = intercepts.shape[0]
    everyone: Pulled = Pulled(0, outputs - 1, 1, False)
    balance: cython.double[::1] = rows_of_room[0]
    scores: cython.double[::1] = rows_of_room[1]
    changes: cython.double[::1] = rows_of_room[2]
    room: cython.double[::1] = rows_of_room[3]
    kept: cython.Py_ssize_t = 0
    changed: cython.Py_ssize_t = 0
    mistakes: cython.Py_ssize_t = 0
    lost: cython.Py_ssize_t = -1
    most: cython.double = 0.0
    loss: cython.double = 0.0
    gap: cython.double = 0.0
    gain: cython.double = 0.0
    looked_at: cython.longlong = 0
    cython.declare(i=cython.Py_ssize_t, r=cython.Py_ssize_t, k=cython.Py_ssize_t, y=cython.Py_ssize_t)
    cython.declare(c=cython.Py_ssize_t, m=cython.Py_ssize_t, own=cython.double)
    listed: cython.bint
    cython.declare(start=cython.Py_ssize_t, stop=cython.Py_ssize_t, following=cython.Py_ssize_t)
    cython.declare(top=cython.Py_ssize_t, n_there=cython.Py_ssize_t, moved=cython.Py_ssize_t)
    cython.declare(cost=cython.double, best=cython.double, second=cython.double, worst=cython.double)
    cython.declare(held=cython.double, rival=cython.double)
    with cython.nogil:
        for r in range(n):
            i = order[r]
            if r + ROWS_AHEAD < n:
                following = order[r + ROWS_AHEAD]
                if dense:
                    ask_for_row(values, ids, following * columns, (following + 1) * columns, dense)
                else:
                    ask_for_row(values, ids, starts[following], starts[following + 1], dense)
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            y = classes[i]
            cost = costs[i]
            listed = few and counts[i] > 0
            m = counts[i] if listed else outputs
            looked_at += m
            if listed:
                dot_listed(values, ids, start, stop, dense, weights, outputs, lists[i], m, scores)
            else:
                dot_each(values, ids, start, stop, dense, weights, 1.0, scores)
            # G, its best and second best, the worst of those with q > 0, and q . G
            best = second = rival = own = -INFINITY
            worst = INFINITY
            held = 0.0
            top = 0
            n_there = 0
            for c in range(m):
                k = lists[i, c] if listed else c
                scores[c] += intercepts[k]
                if k != y:
                    scores[c] += 1.0
                    rival = max(rival, scores[c])
                else:
                    own = scores[c]
                if scores[c] > best:
                    second = best
                    best = scores[c]
                    top = c
                elif scores[c] > second:
                    second = scores[c]
                if q[i, k] > 0:
                    worst = min(worst, scores[c])
                    held += q[i, k] * scores[c]
                    n_there += 1
            if best - best != 0.0 or (m > 1 and rival - rival != 0.0) or held - held != 0.0:
                lost = i
                break
            gap += max(0.0, cost * best - held)
            loss += cost * (best - own)
            if rival - 1.0 >= own:
                mistakes += 1
            k = lists[i, top] if listed else top
            if n_there == 1 and q[i, k] > 0 and best - second > largest:
                continue
            order[r] = order[kept]
            order[kept] = cython.cast(cython.uint, i)
            kept += 1
            most = max(most, best - worst)
            if best > worst:
                if curvatures[i] > 0:
                    for c in range(m):
                        k = lists[i, c] if listed else c
                        changes[c] = q[i, k] + scores[c] / curvatures[i]
                    nearest_in_simplex(changes[:m], cost, room)
                else:
                    for c in range(m):
                        changes[c] = cost if c == top else 0.0
                moved = 0
                for c in range(m):
                    k = lists[i, c] if listed else c
                    held = changes[c]
                    changes[c] = q[i, k] - held  # of the coefficient [k = y] C - q
                    if changes[c] != 0.0:
                        moved += 1
                        q[i, k] = held
                        balance[k] += changes[c]
                        gain -= changes[c] * (scores[c] - intercepts[k] + 0.5 * (curvatures[i] - rho) * changes[c])
                        intercepts[k] += rho * changes[c]
                if moved:
                    changed += 1
                    if listed:
                        add_listed(values, ids, start, stop, dense, weights, outputs, lists[i], m, changes)
                    else:
                        everyone.most = moved > outputs // MANY
                        add_each(values, ids, start, stop, dense, weights, 1.0, changes, everyone)
            if not few and lists.shape[1] > 0:
                counts[i] = cython.cast(cython.uint, list_classes(y, q[i], lists[i]))
    return kept, most, loss, gap, mistakes, gain, changed, looked_at, lost
