"""Many classes at once: a score for each, the true class against the best of the others.

Crammer and Singer 2003: the margin is the true class's lead over its strongest rival, and those two pull apart.
Softmax (for the logistic loss) and least squares move all classes.
"""

import cython
from cython.cimports.libc.math import INFINITY
from cython.cimports.linnet.kernels.losses import Loss, LossPoint, exp_same_bits, loss_at
from cython.cimports.linnet.kernels.multiclass import Pulled
from cython.cimports.linnet.kernels.passes import value_t


def dot_each(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    dense: cython.bint,
    w: cython.double[::1],
    scale: cython.double,
    scores: cython.double[::1],
):
    """scale w_k . x for every output k."""
    outputs: cython.Py_ssize_t = scores.shape[0]
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    at: cython.Py_ssize_t
    x: cython.double
    for k in range(outputs):
        scores[k] = 0.0
    for e in range(start, stop):
        at = (e - start if dense else ids[e]) * outputs
        x = values[e]
        for k in range(outputs):
            scores[k] += x * w[at + k]
    for k in range(outputs):
        scores[k] *= scale


def add_each(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    dense: cython.bint,
    w: cython.double[::1],
    amount: cython.double,
    pulls: cython.double[::1],
    pulled: Pulled,
):
    """w_k += amount pull_k x for every output k that is pulled."""
    outputs: cython.Py_ssize_t = pulls.shape[0]
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    j: cython.Py_ssize_t
    step: cython.double
    if pulled.most:  # the weights of a column are side by side
        for e in range(start, stop):
            j = (e - start if dense else ids[e]) * outputs
            step = values[e]
            for k in range(outputs):
                w[j + k] += amount * pulls[k] * step
        return
    k = pulled.first
    while k <= pulled.last:
        step = amount * pulls[k]
        if step != 0.0:
            for e in range(start, stop):
                j = e - start if dense else ids[e]
                w[j * outputs + k] += step * values[e]
        k += pulled.by


def add_to_intercepts(
    w: cython.double[::1], amount: cython.double, pulls: cython.double[::1], times: cython.double, pulled: Pulled
):
    """w_k += amount pull_k times for the intercepts, which are the last of the weights."""
    at: cython.Py_ssize_t = w.shape[0] - pulls.shape[0]
    k: cython.Py_ssize_t = pulled.first
    while k <= pulled.last:
        w[at + k] += amount * pulls[k] * times
        k += pulled.by


def pulled_by(loss: cython.int, truth: cython.Py_ssize_t, rival: cython.Py_ssize_t, outputs: cython.Py_ssize_t):
    """Two outputs, or all of them: of thousands of classes a perceptron changes two."""
    pulled: Pulled
    if loss == Loss.LOGISTIC or loss == Loss.SQUARED:
        pulled.first = 0
        pulled.last = outputs - 1
        pulled.by = 1
        pulled.most = True
        return pulled
    pulled.first = truth if truth < rival else rival
    pulled.last = rival if truth < rival else truth
    pulled.by = pulled.last - pulled.first
    pulled.most = False
    return pulled


def rival_of(scores: cython.double[::1], truth: cython.Py_ssize_t):
    """The best class but the true one; the first of equals."""
    classes: cython.Py_ssize_t = scores.shape[0]
    k: cython.Py_ssize_t
    top: cython.double = largest_of(scores, 0, truth)
    after: cython.double = largest_of(scores, truth + 1, classes)
    top = after if after > top else top
    for k in range(classes):
        if scores[k] == top and k != truth:
            return k
    return 1 if truth == 0 else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def largest_of(scores: cython.double[::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.double:
    """The largest of these scores, -inf if there are none; four at a time, which do not wait for each other."""
    a: cython.double = -INFINITY
    b: cython.double = -INFINITY
    c: cython.double = -INFINITY
    d: cython.double = -INFINITY
    while start + 4 <= stop:
        a = scores[start] if scores[start] > a else a
        b = scores[start + 1] if scores[start + 1] > b else b
        c = scores[start + 2] if scores[start + 2] > c else c
        d = scores[start + 3] if scores[start + 3] > d else d
        start += 4
    while start < stop:
        a = scores[start] if scores[start] > a else a
        start += 1
    a = b if b > a else a
    c = d if d > c else c
    return c if c > a else a


def finite_sum(scores: cython.double[::1]):
    """A number that is finite if all scores are; four sums at a time, which do not wait for each other."""
    classes: cython.Py_ssize_t = scores.shape[0]
    k: cython.Py_ssize_t = 0
    a: cython.double = 0.0
    b: cython.double = 0.0
    c: cython.double = 0.0
    d: cython.double = 0.0
    while k + 4 <= classes:
        a += scores[k]
        b += scores[k + 1]
        c += scores[k + 2]
        d += scores[k + 3]
        k += 4
    while k < classes:
        a += scores[k]
        k += 1
    return (a + b) + (c + d)


@cython.cdivision(True)
def pull_each(
    loss: cython.int,
    scores: cython.double[::1],
    truth: cython.Py_ssize_t,
    rival: cython.Py_ssize_t,
    pulls: cython.double[::1],
):
    """Sets the pull on every output; returns the loss, with a pull of 0 where nothing pulls."""
    at: LossPoint
    one: LossPoint
    k: cython.Py_ssize_t
    top: cython.double
    if loss == Loss.LOGISTIC:
        top = scores[truth] if scores[truth] > scores[rival] else scores[rival]
        at.factor = 0.0
        for k in range(scores.shape[0]):
            pulls[k] = exp_same_bits(scores[k] - top)
            at.factor += pulls[k]
        for k in range(scores.shape[0]):
            pulls[k] = -pulls[k] / at.factor
        pulls[truth] += 1.0
        at.value = top - scores[truth]
        at.pull = pulls[truth]
        return at
    if loss == Loss.SQUARED:
        at.value = 0.0
        at.factor = 1.0
        at.pull = 1.0
        for k in range(scores.shape[0]):
            one = loss_at(loss, scores[k] if k == truth else -scores[k])
            at.value += one.value
            pulls[k] = one.pull if k == truth else -one.pull
        return at
    at = loss_at(loss, scores[truth] - scores[rival])
    for k in range(scores.shape[0]):
        pulls[k] = 0.0
    pulls[truth] = at.pull
    pulls[rival] = -at.pull
    return at
