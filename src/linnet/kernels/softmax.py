"""The softmax loss of all rows at their scores, or along a change of them, with its slopes and curvature.

For a row of weight c, class y and scores z, with p = exp(z) / sum exp(z):

    loss   c (log sum_k exp(z_k) - z_y)                  slopes by the scores   c (p - [k = y])
    along a change a of the scores:   slope  sum_k slopes_k a_k,   bend  c (sum_k p_k a_k^2 - (sum_k p_k a_k)^2)
"""

import cython
from cython.cimports.libc.math import log
from cython.cimports.linnet.kernels.losses import exp_inline


@cython.cdivision(True)
def along(
    scores: cython.const[cython.double][:, ::1],
    change: cython.const[cython.double][:, ::1],
    length: cython.double,
    targets: cython.const[cython.double][::1],
    sample_weights: cython.const[cython.double][::1],
    slopes: cython.double[:, ::1],
):
    """At scores + length change: sets the slopes by the scores; returns the sums of the loss, its slope, its bend, and
    how many rows of positive weight are predicted wrong."""
    outputs: cython.Py_ssize_t = scores.shape[1]
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    y: cython.Py_ssize_t
    best: cython.Py_ssize_t
    own: cython.double
    top: cython.double
    total: cython.double
    mean: cython.double
    square: cython.double
    loss: cython.double = 0.0
    slope: cython.double = 0.0
    bend: cython.double = 0.0
    mistakes: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(scores.shape[0]):
            y = cython.cast(cython.Py_ssize_t, targets[i])
            best = 0
            for k in range(outputs):
                slopes[i, k] = scores[i, k] + length * change[i, k]
                if slopes[i, k] > slopes[i, best]:
                    best = k
            own = slopes[i, y]
            top = slopes[i, best]
            total = mean = square = 0.0
            for k in range(outputs):
                slopes[i, k] = exp_inline(slopes[i, k] - top)
            for k in range(outputs):
                total += slopes[i, k]
                mean += slopes[i, k] * change[i, k]
                square += slopes[i, k] * change[i, k] * change[i, k]
            mean /= total
            loss += sample_weights[i] * (log(total) + top - own)
            slope += sample_weights[i] * (mean - change[i, y])
            bend += sample_weights[i] * (square / total - mean * mean)
            if best != y and sample_weights[i] > 0:
                mistakes += 1
            total = sample_weights[i] / total
            for k in range(outputs):
                slopes[i, k] *= total
            slopes[i, y] -= sample_weights[i]
    return loss, slope, bend, mistakes


@cython.cdivision(True)
def at(
    scores: cython.const[cython.double][:, ::1],
    targets: cython.const[cython.double][::1],
    sample_weights: cython.const[cython.double][::1],
    p: cython.double[:, ::1],
    slopes: cython.double[:, ::1],
    losses: cython.double[::1],
):
    """At these scores: sets p, the slopes of rows of weight 1 and the rows' losses; returns the sum of the weighted
    losses, and how many rows of positive weight are predicted wrong."""
    outputs: cython.Py_ssize_t = scores.shape[1]
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    y: cython.Py_ssize_t
    best: cython.Py_ssize_t
    top: cython.double
    total: cython.double
    loss: cython.double = 0.0
    mistakes: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(scores.shape[0]):
            y = cython.cast(cython.Py_ssize_t, targets[i])
            best = 0
            for k in range(outputs):
                if scores[i, k] > scores[i, best]:
                    best = k
            top = scores[i, best]
            for k in range(outputs):
                p[i, k] = exp_inline(scores[i, k] - top)
            total = 0.0
            for k in range(outputs):
                total += p[i, k]
            losses[i] = log(total) + top - scores[i, y]
            loss += sample_weights[i] * losses[i]
            if best != y and sample_weights[i] > 0:
                mistakes += 1
            total = 1.0 / total
            for k in range(outputs):
                p[i, k] *= total
                slopes[i, k] = p[i, k]
            slopes[i, y] -= 1.0
    return loss, mistakes


def bent(
    p: cython.const[cython.double][:, ::1],
    along: cython.const[cython.floating][:, ::1],
    sample_weights: cython.const[cython.double][::1],
    into: cython.floating[:, ::1],
    sums: cython.double[::1],
):
    """into = c (p a - p (p . a)) of every row, for a change a of its scores: the second derivative times the change.

    Adds the rows of it to sums.
    """
    outputs: cython.Py_ssize_t = p.shape[1]
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    mean: cython.double
    each: cython.double
    with cython.nogil:
        for i in range(p.shape[0]):
            mean = 0.0
            for k in range(outputs):
                mean += p[i, k] * along[i, k]
            for k in range(outputs):
                each = sample_weights[i] * p[i, k] * (along[i, k] - mean)
                into[i, k] = each
                sums[k] += each


def weighed(
    slopes: cython.const[cython.double][:, ::1],
    sample_weights: cython.const[cython.double][::1],
    into: cython.floating[:, ::1],
    sums: cython.double[::1],
):
    """into = c slopes; adds the rows of it to sums."""
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    each: cython.double
    with cython.nogil:
        for i in range(slopes.shape[0]):
            for k in range(slopes.shape[1]):
                each = sample_weights[i] * slopes[i, k]
                into[i, k] = each
                sums[k] += each


def curvatures(
    p: cython.const[cython.double][:, ::1],
    sample_weights: cython.const[cython.double][::1],
    into: cython.floating[:, ::1],
    sums: cython.double[::1],
):
    """into = c p (1 - p): the second derivative by each score alone; adds the rows of it to sums."""
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    each: cython.double
    with cython.nogil:
        for i in range(p.shape[0]):
            for k in range(p.shape[1]):
                each = sample_weights[i] * p[i, k] * (1.0 - p[i, k])
                into[i, k] = each
                sums[k] += each


@cython.cdivision(True)
def distance(
    p: cython.const[cython.double][:, ::1],
    slopes: cython.const[cython.double][:, ::1],
    others: cython.const[cython.double][:, ::1],
    sample_weights: cython.const[cython.double][::1],
    tiny: cython.double,
):
    """The sum of c_i (slopes - others)^2 / p, with no p below this tiny number."""
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    off: cython.double
    own: cython.double
    total: cython.double = 0.0
    with cython.nogil:
        for i in range(p.shape[0]):
            own = 0.0
            for k in range(p.shape[1]):
                off = slopes[i, k] - others[i, k]
                own += off * off / (p[i, k] if p[i, k] > tiny else tiny)
            total += sample_weights[i] * own
    return total
