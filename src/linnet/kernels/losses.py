"""The losses of a score, and their pull on the weights.

For a margin m (y times the score for two classes, the true class's lead for more) each loss gives

    perceptron     max(0, -m)         pull 1 where m <= 0
    hinge          max(0, 1 - m)      pull 1 where m < 1
    squared hinge  max(0, 1 - m)^2    pull 2 (1 - m) where m < 1
    logistic       log(1 + exp(-m))   pull 1 / (1 + exp(m))
    squared        (1 - m)^2 / 2      pull 1 - m
    modified Huber max(0, 1 - m)^2    pull 2 (1 - m) where -1 <= m < 1; below -1 a line, -4 m and 4

with pull = -d loss / d m.  The perceptron pulls at m = 0 too: otherwise w = 0 would never change.  Losses of the
residual y - z (`loss_of_residual`) are, of classes, those of the numbers 1 and -1.

A loss is returned as value + log(factor).  A sum of many multiplies the factors and takes one logarithm for hundreds of
rows: a logarithm for every row would cost as much as the row's dot product.
"""

import cython
from cython.cimports.libc.math import fabs
from cython.cimports.linnet.kernels.losses import Loss, LossPoint, exp_inline


def exp_same_bits(x: cython.double):
    """exp(x) to one unit in the last place, with the same bits on every machine."""
    return exp_inline(x)


@cython.cdivision(True)
def loss_at(loss: cython.int, margin: cython.double):
    """The loss at this margin (value + log(factor)) and its pull, by the table above."""
    at: LossPoint
    at.value = 0.0
    at.factor = 1.0
    at.pull = 0.0
    e: cython.double
    inverse: cython.double
    if loss == Loss.LOGISTIC:
        e = exp_same_bits(-fabs(margin))
        inverse = 1.0 / (1.0 + e)
        at.pull = e * inverse if margin >= 0 else inverse
        at.value = -margin if margin < 0 else 0.0
        at.factor = 1.0 + e
    elif loss == Loss.PERCEPTRON:
        if margin <= 0:
            at.value = -margin
            at.pull = 1.0
    elif loss == Loss.SQUARED:
        at.pull = 1.0 - margin
        at.value = 0.5 * at.pull * at.pull
    elif loss == Loss.HINGE and margin < 1:
        at.value = 1.0 - margin
        at.pull = 1.0
    elif loss == Loss.SQUARED_HINGE and margin < 1:
        at.value = (1.0 - margin) * (1.0 - margin)
        at.pull = 2.0 * (1.0 - margin)
    elif loss == Loss.MODIFIED_HUBER and margin < 1:
        at.value = -4.0 * margin if margin < -1 else (1.0 - margin) * (1.0 - margin)
        at.pull = 4.0 if margin < -1 else 2.0 * (1.0 - margin)
    return at


def loss_of_residual(loss: cython.int, residual: cython.double, epsilon: cython.double):
    """The loss of y - z, and its pull on z; `epsilon` is the width of Huber's parabola, or of what costs nothing."""
    at: LossPoint
    size: cython.double = fabs(residual)
    beyond: cython.double = size - epsilon
    sign: cython.double = 1.0 if residual > 0 else -1.0
    at.value = 0.0
    at.factor = 1.0
    at.pull = 0.0
    if loss == Loss.SQUARED or (loss == Loss.HUBER and not beyond > 0):
        at.value = 0.5 * residual * residual
        at.pull = residual
    elif loss == Loss.HUBER:
        at.value = epsilon * (size - 0.5 * epsilon)
        at.pull = sign * epsilon
    elif beyond > 0 and loss == Loss.EPSILON_INSENSITIVE:
        at.value = beyond
        at.pull = sign
    elif beyond > 0:
        at.value = beyond * beyond
        at.pull = 2.0 * sign * beyond
    return at


def soft_threshold(w: cython.double, by: cython.double):
    """w moved towards 0 by `by`, but not beyond: the proximal step of an L1 penalty."""
    if w > by:
        return w - by
    if w < -by:
        return w + by
    return 0.0
