"""The objective after a change of the weights, for two classes: scores, losses, slopes, curvatures, the gradient.

For a margin m = y z and s = 1 - m, with slope = -y pull and bend the second derivative,

    logistic       log(1 + exp(-m))     pull 1 / (1 + exp(m))       bend pull (1 - pull)
    squared hinge  max(0, s)^2          pull 2 max(0, s)            bend 2 where s > 0

Sparse rows are read once for all of it: a row's entries are still in cache when its slope is known.  Dense ones are
multiplied by BLAS.  Everything adds in row order.
"""

import cython
from cython.cimports.linnet.kernels.losses import LossPoint, loss_there
from cython.cimports.linnet.kernels.rows import add, dot, value_t

# How many entries ahead of a dot product the next ones are prefetched.
ENTRIES_AHEAD = cython.declare(cython.Py_ssize_t, 256)


def moved(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    loss: cython.int,
    signs: cython.const[cython.double][::1],
    sample_weights: cython.const[cython.double][::1],
    change: cython.double[::1],
    before: cython.const[cython.double][::1],
    along: cython.double[::1],
    scores: cython.double[::1],
    slopes: cython.double[::1],
    bends: cython.double[::1],
    gradient: cython.double[::1],
):
    """Of sparse rows: along = (x, 1) . change, scores = before + along, and slopes and bends there; adds
    sample_weights times slopes times (x, 1) to gradient.

    Returns the weighted sum of the losses, and how many rows of positive weight have a score of the wrong sign.
    """
    total: cython.double = 0.0
    pulls: cython.double = 0.0
    mistakes: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    t: cython.double
    at: LossPoint
    with cython.nogil:
        for i in range(signs.shape[0]):
            along[i] = dot(values, ids, starts[i], starts[i + 1], False, change, ENTRIES_AHEAD) + change[columns]
            scores[i] = before[i] + along[i]
            at = loss_there(loss, signs[i] * scores[i])
            slopes[i] = -signs[i] * at.pull
            bends[i] = at.factor
            total += sample_weights[i] * at.value
            mistakes += signs[i] * scores[i] <= 0 and sample_weights[i] > 0
            t = sample_weights[i] * slopes[i]
            if t != 0.0:
                pulls += t
                add(values, ids, starts[i], starts[i + 1], False, gradient, t)
        gradient[columns] += pulls
    return total, mistakes


def moved_by(
    loss: cython.int,
    signs: cython.const[cython.double][::1],
    sample_weights: cython.const[cython.double][::1],
    before: cython.const[cython.double][::1],
    along: cython.const[cython.double][::1],
    scores: cython.double[::1],
    slopes: cython.double[::1],
    bends: cython.double[::1],
    pulls: cython.double[::1],
):
    """The same of rows whose scores are known to change by `along`; pulls are sample_weights times slopes."""
    total: cython.double = 0.0
    mistakes: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    at: LossPoint
    with cython.nogil:
        for i in range(signs.shape[0]):
            scores[i] = before[i] + along[i]
            at = loss_there(loss, signs[i] * scores[i])
            slopes[i] = -signs[i] * at.pull
            bends[i] = at.factor
            pulls[i] = sample_weights[i] * slopes[i]
            total += sample_weights[i] * at.value
            mistakes += signs[i] * scores[i] <= 0 and sample_weights[i] > 0
    return total, mistakes
