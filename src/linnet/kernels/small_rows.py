"""Sums over the rows of a small dense table, each in row order, and a dual point brought into its bounds."""

import cython
from cython.cimports.libc.math import log
from cython.cimports.linnet.kernels.losses import Loss, LossPoint, loss_there
from cython.cimports.linnet.kernels.rows import value_t


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scored(values: cython.const[value_t][::1], weights: cython.double[::1], scores: cython.double[::1]) -> cython.void:
    """scores = (x, 1) . weights of every row, each in two sums."""
    d: cython.Py_ssize_t = weights.shape[0] - 1
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    start: cython.Py_ssize_t = 0
    even: cython.double
    odd: cython.double
    for i in range(scores.shape[0]):
        even = odd = 0.0
        for j in range(0, d - 1, 2):
            even += values[start + j] * weights[j]
            odd += values[start + j + 1] * weights[j + 1]
        if d % 2:
            even += values[start + d - 1] * weights[d - 1]
        scores[i] = even + odd + weights[d]
        start += d


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def pulled(
    values: cython.const[value_t][::1],
    sample_weights: cython.const[cython.double][::1],
    slopes: cython.double[::1],
    into: cython.double[::1],
) -> cython.void:
    """into = the sum of the rows (x, 1), each times its weight and slope."""
    d: cython.Py_ssize_t = into.shape[0] - 1
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    start: cython.Py_ssize_t = 0
    amount: cython.double
    into[:] = 0.0
    for i in range(slopes.shape[0]):
        amount = sample_weights[i] * slopes[i]
        for j in range(d):
            into[j] += amount * values[start + j]
        into[d] += amount
        start += d


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def squared_columns(
    values: cython.const[value_t][::1],
    sample_weights: cython.const[cython.double][::1],
    bends: cython.double[::1],
    table: cython.double[:, ::1],
) -> cython.void:
    """The lower triangle of the sum of (x, 1)(x, 1)', each row times its weight and second derivative."""
    d: cython.Py_ssize_t = table.shape[0] - 1
    n: cython.Py_ssize_t = bends.shape[0]
    i: cython.Py_ssize_t = 0
    cython.declare(j=cython.Py_ssize_t, k=cython.Py_ssize_t, row=cython.Py_ssize_t, second=cython.Py_ssize_t)
    into: cython.p_double
    cython.declare(bend=cython.double, other=cython.double, amount=cython.double, more=cython.double)
    table[:, :] = 0.0
    while i < n:  # two rows at once: the table is read and written half as often
        row = i * d
        bend = sample_weights[i] * bends[i]
        second = row + d if i + 1 < n else row
        other = sample_weights[i + 1] * bends[i + 1] if i + 1 < n else 0.0
        for j in range(d):
            into = cython.address(table[j, 0])
            amount = bend * values[row + j]
            more = other * values[second + j]
            for k in range(j + 1):
                into[k] += amount * values[row + k] + more * values[second + k]
        into = cython.address(table[d, 0])
        for k in range(d):
            into[k] += bend * values[row + k] + other * values[second + k]
        into[d] += bend + other
        i += 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def looked_at(
    loss: cython.int,
    signs: cython.const[cython.double][::1],
    sample_weights: cython.const[cython.double][::1],
    scores: cython.double[::1],
    slopes: cython.double[::1],
    bends: cython.double[::1],
    mistakes: cython.pointer(cython.Py_ssize_t),
) -> cython.double:
    """The mean loss at these scores; slopes, second derivatives and the number of mistakes are set."""
    total: cython.double = 0.0
    wrong: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    at: LossPoint
    for i in range(scores.shape[0]):
        at = loss_there(loss, signs[i] * scores[i])
        slopes[i] = -signs[i] * at.pull
        bends[i] = at.factor
        total += sample_weights[i] * at.value
        wrong += signs[i] * scores[i] <= 0 and sample_weights[i] > 0
    mistakes[0] = wrong
    return total


# -- the dual ----------------------------------------------------------------------------------------------------------


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def bring_into_bounds(
    loss: cython.int,
    signs: cython.const[cython.double][::1],
    sample_weights: cython.const[cython.double][::1],
    intercept: cython.bint,
    dual: cython.double[::1],
) -> cython.void:
    """The nearest slopes that the losses can have; where the intercept is free, the larger side is scaled down until
    they add up to 0."""
    below: cython.double = 0.0
    above: cython.double = 0.0
    pull: cython.double
    i: cython.Py_ssize_t
    for i in range(dual.shape[0]):
        pull = -signs[i] * dual[i]
        pull = 0.0 if pull < 0.0 else 1.0 if pull > 1.0 and loss == Loss.LOGISTIC else pull
        dual[i] = -signs[i] * pull
        if dual[i] < 0.0:
            below -= sample_weights[i] * dual[i]
        else:
            above += sample_weights[i] * dual[i]
    if not intercept:
        return
    for i in range(dual.shape[0]):
        if dual[i] < 0.0 and below > above:
            dual[i] *= above / below
        elif dual[i] > 0.0 and above > below:
            dual[i] *= below / above


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def conjugates(
    loss: cython.int,
    signs: cython.const[cython.double][::1],
    sample_weights: cython.const[cython.double][::1],
    dual: cython.double[::1],
    shrink: cython.double,
) -> cython.double:
    """The mean of the conjugates of these slopes times `shrink`."""
    total: cython.double = 0.0
    pull: cython.double
    i: cython.Py_ssize_t
    for i in range(dual.shape[0]):
        pull = -signs[i] * (shrink * dual[i])
        if loss != Loss.LOGISTIC:
            total += sample_weights[i] * (0.25 * pull * pull - pull)
        elif 0.0 < pull < 1.0:
            total += sample_weights[i] * (pull * log(pull) + (1.0 - pull) * log(1.0 - pull))
    return total
