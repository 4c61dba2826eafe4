"""The softmax loss of all rows along a change of their scores, with its slope and curvature in that direction.

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
