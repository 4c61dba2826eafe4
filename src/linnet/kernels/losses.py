"""What a score costs, and how hard it pulls the weights.

For a margin m (y times the score for two classes, the true class's lead for more) each loss gives

    perceptron     max(0, -m)         pull 1 where m <= 0
    hinge          max(0, 1 - m)      pull 1 where m < 1
    squared hinge  max(0, 1 - m)^2    pull 2 (1 - m) where m < 1
    logistic       log(1 + exp(-m))   pull 1 / (1 + exp(m))
    squared        (1 - m)^2 / 2      pull 1 - m

with pull = -d loss / d m.  The perceptron pulls at m = 0 too: with w = 0 nothing else would ever begin.

A loss is handed over as value + log(factor).  Who adds up many multiplies the factors and takes one logarithm of
hundreds: a logarithm for every row would cost as much as the row's dot product.
"""

import cython
from cython.cimports.libc.math import fabs
from cython.cimports.linnet.kernels.losses import Loss, LossPoint

Bits = cython.union(number=cython.double, pattern=cython.longlong)


@cython.cdivision(True)
def exp_same_bits(x: cython.double):
    """exp(x) to one unit in the last place, with the same bits on every machine.

    The C library picks its own exp by processor (with or without fused multiply-add), so two machines may differ
    in the last bit, and an online learner carries that bit on.  Here only +, -, * and / decide.
    """
    if x < -708.0:  # the result would be subnormal: nothing that learns from it could tell it from 0
        return 0.0
    if x > 709.0:
        x = 709.0
    # adding and taking away 1.5 * 2^52 rounds to the nearest whole number
    k: cython.double = (x * 1.4426950408889634 + 6755399441055744.0) - 6755399441055744.0
    # ln 2 in two parts, the first short enough for k times it to be exact
    r: cython.double = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10
    # exp(r) on |r| <= ln(2) / 2 as r + r^2 q(r) + 1, q by its Taylor series in pairs
    r2: cython.double = r * r
    q0: cython.double = 0.5 + r * (1.0 / 6.0)
    q1: cython.double = 1.0 / 24.0 + r * (1.0 / 120.0)
    q2: cython.double = 1.0 / 720.0 + r * (1.0 / 5040.0)
    q3: cython.double = 1.0 / 40320.0 + r * (1.0 / 362880.0)
    q4: cython.double = 1.0 / 3628800.0 + r * (1.0 / 39916800.0)
    q5: cython.double = 1.0 / 479001600.0 + r * (1.0 / 6227020800.0)
    r4: cython.double = r2 * r2
    q: cython.double = (q0 + r2 * q1) + r4 * ((q2 + r2 * q3) + r4 * (q4 + r2 * q5))
    power_of_two: Bits
    power_of_two.pattern = (cython.cast(cython.longlong, k) + 1023) << 52
    return (1.0 + (r + r2 * q)) * power_of_two.number


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
    elif margin < 1:
        if loss == Loss.HINGE:
            at.value = 1.0 - margin
            at.pull = 1.0
        else:
            at.value = (1.0 - margin) * (1.0 - margin)
            at.pull = 2.0 * (1.0 - margin)
    return at


def soft_threshold(w: cython.double, by: cython.double):
    """w moved towards 0 by so much, and not beyond: what an L1 penalty does to a weight."""
    if w > by:
        return w - by
    if w < -by:
        return w + by
    return 0.0
