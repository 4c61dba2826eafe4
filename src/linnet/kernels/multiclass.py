"""Many classes at once: a score for each, the true class against the best of the others.

Crammer and Singer 2003: the margin is the true class's lead over its strongest rival, and those two pull apart.
Softmax (for the logistic loss) and least squares move all classes.
"""

import cython
from cython.cimports.linnet.kernels.losses import Loss, LossPoint, exp_same_bits, loss_at
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
):
    """w_k += amount pull_k x for every output k that is pulled."""
    outputs: cython.Py_ssize_t = pulls.shape[0]
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    j: cython.Py_ssize_t
    step: cython.double
    for k in range(outputs):
        step = amount * pulls[k]
        if step != 0.0:
            for e in range(start, stop):
                j = e - start if dense else ids[e]
                w[j * outputs + k] += step * values[e]


def rival_of(scores: cython.double[::1], truth: cython.Py_ssize_t):
    """The best class but the true one; the first of equals."""
    k: cython.Py_ssize_t
    rival: cython.Py_ssize_t = 1 if truth == 0 else 0
    for k in range(scores.shape[0]):
        if k != truth and scores[k] > scores[rival]:
            rival = k
    return rival


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
