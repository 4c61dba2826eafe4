"""Dual coordinate descent for linear support vector regression: one sweep over the active rows.

With C_i the cost of row i, y_i its target, ε the residual that costs nothing, and b a free intercept, these are the two

    primal  min over w, b   1/2 |w|^2 + sum_i C_i max(0, |y_i - w . x_i - b| - ε)^p,    p = 1 or 2
    dual    max over a      sum_i (a_i y_i - ε |a_i| - e_i a_i^2 / 2) - 1/2 |w|^2,   w = sum_i a_i x_i,   sum_i a_i = 0

where |a_i| <= C_i and e_i = 0 for p = 1, and e_i = 1 / (2 C_i) for p = 2.  A step solves for one a_i with all others
held.  A row whose a_i lies at 0 or at a bound, and would stay there by more than any row fell short in the sweep
before, is left out of those to come (Ho, Lin 2012, Large-scale linear support vector regression, algorithm 4).

The intercept is the multiplier of sum_i a_i = 0, as in dual_svm.py.  `states` has a_i, y_i, the limit (C_i, or e_i for
p = 2) and 1 / (|x_i|^2 + e_i + rho), infinite for a row of zeros.
"""

import cython
from cython.cimports.libc.math import INFINITY, fabs
from cython.cimports.linnet.kernels.rows import add, dot, value_t

# Overrelaxation, as in dual_svm.py.
BEYOND = cython.declare(cython.double, 1.15)


@cython.cdivision(True)
def sweep(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    squared: cython.bint,
    epsilon: cython.double,
    order: cython.uint[::1],
    states: cython.double[:, ::1],
    weights: cython.double[::1],
    intercept: cython.double,
    rho: cython.double,
    allowed: cython.double,
):
    """One step for each row of `order`; states and weights change in place, and so does order: the rows that are kept
    come first.  `allowed` is the most by which a row fell short in the sweep before.

    Returns how many rows are kept; the intercept; the most by which a row fell short; of the rows as they were visited
    the loss and the gap between primal and dual; by how much the dual rose, how many a_i changed, and the row whose
    score is not finite, which ends the sweep, or -1.
    """
    kept: cython.Py_ssize_t = 0
    changed: cython.Py_ssize_t = 0
    lost: cython.Py_ssize_t = -1
    cython.declare(k=cython.Py_ssize_t, i=cython.uint, start=cython.Py_ssize_t, stop=cython.Py_ssize_t)
    cython.declare(score=cython.double, residual=cython.double, rise=cython.double, short=cython.double)
    cython.declare(alpha=cython.double, after=cython.double, further=cython.double, change=cython.double)
    cython.declare(cap=cython.double, extra=cython.double, lacking=cython.double, size=cython.double)
    most: cython.double = 0.0
    loss: cython.double = 0.0
    gap: cython.double = 0.0
    gain: cython.double = 0.0
    with cython.nogil:
        for k in range(order.shape[0]):
            i = order[k]
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            score = dot(values, ids, start, stop, dense, weights, 0)
            if score - score != 0.0:
                lost = i
                break
            alpha = states[i, 0]
            cap = INFINITY if squared else states[i, 2]
            extra = states[i, 2] if squared else 0.0
            residual = states[i, 1] - (score + intercept)
            rise = residual - extra * alpha
            lacking = max(fabs(residual) - epsilon, 0.0)
            lacking *= 0.5 * lacking / extra if squared else cap
            loss += lacking
            gap += lacking - alpha * residual + epsilon * fabs(alpha) + 0.5 * extra * alpha * alpha
            # by how much the slope of the dual is not 0, where it may be changed
            if alpha == 0.0:
                short = fabs(rise) - epsilon
            elif alpha > 0:
                short = rise - epsilon
            else:
                short = -rise - epsilon
            if (alpha == 0.0 and short < -allowed) or (fabs(alpha) == cap and short > allowed):
                continue
            order[k] = order[kept]
            order[kept] = i
            kept += 1
            if (alpha == 0.0 and short <= 0.0) or (fabs(alpha) == cap and short >= 0.0):
                continue
            most = max(most, fabs(short))
            after = alpha + rise * states[i, 3]
            size = fabs(after) - epsilon * states[i, 3]
            if size - size != 0.0:  # a row of zeros: any step that pays goes to the bound
                after = cap if rise > epsilon else -cap if rise < -epsilon else 0.0
            else:
                after = 0.0 if size <= 0.0 else size if after > 0 else -size
                further = alpha + BEYOND * (after - alpha)
                if further * after > 0.0:
                    after = further
                after = min(max(after, -cap), cap)
            change = after - alpha
            if change != 0.0:
                changed += 1
                states[i, 0] = after
                gain += change * (rise + intercept - 0.5 * (1.0 / states[i, 3] - rho) * change)
                gain -= epsilon * (fabs(after) - fabs(alpha))
                intercept += rho * change
                add(values, ids, start, stop, dense, weights, change)
    return kept, intercept, most, loss, gap, gain, changed, lost
