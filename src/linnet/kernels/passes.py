"""The one loop behind every online learner, and behind every batch gradient.

For each row in turn: score it, turn score and target into (output, pull) pairs, choose a step, apply

    additive   w_jk += eta pull_k x_j
    adaptive   the same on columns scaled to largest entry 1, each weight with a rate of its own

Weights are one flat array, entry j * K + k for column j and output k (K = 1 for two classes and for regression);
the row after the last column holds the intercepts.  A row of X is values[start:stop] with its column ids, or, dense,
with the columns in order.  Scores come from `weights` and changes go to `into`: one array for an online learner, two
for a batch learner, whose weights hold still while the same loop sums its gradient.

Stored weights v are not always the weights w:
    L2      w = scale v, so that shrinking every weight is one multiplication (the intercept is never scaled);
    L1      a column owes `shrunk - touched[j]` of soft-thresholding, paid when next touched (exactly what paying
            at every step would give, because soft thresholds add up; Duchi and Singer 2009, section 5);
    mean    the mean of all w so far is (scale_sum v - sums) / steps, kept by adding only what changes.
"""

import cython
import numpy as np
from cython.cimports.libc.math import fabs, log, sqrt
from cython.cimports.libc.math import pow as power_of
from cython.cimports.linnet.kernels.losses import Loss, LossPoint, exp_same_bits, loss_at
from cython.cimports.linnet.kernels.passes import Averaging, Clock, Geometry, Settings, Step, Tally, prefetch, value_t

# How many entries ahead of the dot product the next ones are asked for: a few rows of a sparse matrix.
RARE = cython.declare(cython.Py_ssize_t, 20)
AHEAD = cython.declare(cython.Py_ssize_t, 256)
# The scale is folded into the weights before it gets this small: what is added meanwhile is divided by it, and an
# average would lose as many digits as it has zeros.
TINY_SCALE = cython.declare(cython.double, 1e-4)
# An adaptive learner divides by a column's largest entry; below this the quotient would not be a finite number.
TINY_VALUE = cython.declare(cython.double, 1e-300)


# -- additive geometry -------------------------------------------------------------------------------------------


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def dot(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    dense: cython.bint,
    w: cython.double[::1],
) -> cython.double:
    """w . x for one output, in four sums: one alone would wait for each addition before the next."""
    s0: cython.double = 0.0
    s1: cython.double = 0.0
    s2: cython.double = 0.0
    s3: cython.double = 0.0
    e: cython.Py_ssize_t = start
    j: cython.Py_ssize_t = 0
    if dense:
        while e + 4 <= stop:
            s0 += values[e] * w[j]
            s1 += values[e + 1] * w[j + 1]
            s2 += values[e + 2] * w[j + 2]
            s3 += values[e + 3] * w[j + 3]
            e += 4
            j += 4
        while e < stop:
            s0 += values[e] * w[j]
            e += 1
            j += 1
    else:
        while e + 4 <= stop:
            prefetch(cython.address(values[e]) + AHEAD)
            prefetch(cython.address(ids[e]) + AHEAD)
            s0 += values[e] * w[ids[e]]
            s1 += values[e + 1] * w[ids[e + 1]]
            s2 += values[e + 2] * w[ids[e + 2]]
            s3 += values[e + 3] * w[ids[e + 3]]
            e += 4
        while e < stop:
            s0 += values[e] * w[ids[e]]
            e += 1
    return (s0 + s1) + (s2 + s3)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def ask_for(
    ids: cython.const[cython.uint][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t, w: cython.double[::1]
) -> cython.void:
    """Have the next row's weights fetched while this row's loss is computed: only its last ones, where a numbering
    by first appearance has the rare columns (the common ones are in cache anyway)."""
    e: cython.Py_ssize_t
    if stop - start > RARE:
        start = stop - RARE
    for e in range(start, stop):
        prefetch(cython.address(w[ids[e]]))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def dot_each(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    dense: cython.bint,
    w: cython.double[::1],
    scores: cython.double[::1],
) -> cython.void:
    """w_k . x for every output k."""
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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    dense: cython.bint,
    w: cython.double[::1],
    outputs: cython.Py_ssize_t,
    k: cython.Py_ssize_t,
    amount: cython.double,
) -> cython.void:
    """w_k += amount x."""
    e: cython.Py_ssize_t
    j: cython.Py_ssize_t = 0
    x0: cython.double
    x1: cython.double
    x2: cython.double
    x3: cython.double
    if outputs > 1:
        for e in range(start, stop):
            j = e - start if dense else ids[e]
            w[j * outputs + k] += amount * values[e]
    elif dense:
        for j in range(stop - start):
            w[j] += amount * values[start + j]
    else:
        e = start
        while e + 4 <= stop:  # the four products first: they need not wait for one another's stores
            x0 = amount * values[e]
            x1 = amount * values[e + 1]
            x2 = amount * values[e + 2]
            x3 = amount * values[e + 3]
            w[ids[e]] += x0
            w[ids[e + 1]] += x1
            w[ids[e + 2]] += x2
            w[ids[e + 3]] += x3
            e += 4
        while e < stop:
            w[ids[e]] += amount * values[e]
            e += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def squared_length(
    values: cython.const[value_t][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.double:
    total: cython.double = 0.0
    e: cython.Py_ssize_t
    x: cython.double
    for e in range(start, stop):
        x = values[e]
        total += x * x
    return total


# -- penalties, paid late ----------------------------------------------------------------------------------------


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def soft_threshold(w: cython.double, by: cython.double) -> cython.double:
    if w > by:
        return w - by
    if w < -by:
        return w + by
    return 0.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def pay(
    j: cython.Py_ssize_t,
    outputs: cython.Py_ssize_t,
    w: cython.double[::1],
    touched: cython.double[::1],
    shrunk: cython.double,
) -> cython.void:
    """Give column j of an additive learner the soft-thresholding it owes."""
    k: cython.Py_ssize_t
    owed: cython.double = shrunk - touched[j]
    if owed > 0:
        for k in range(j * outputs, (j + 1) * outputs):
            w[k] = soft_threshold(w[k], owed)
        touched[j] = shrunk


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def pay_adaptive(
    j: cython.Py_ssize_t,
    outputs: cython.Py_ssize_t,
    w: cython.double[::1],
    squares: cython.double[::1],
    touched: cython.double[::1],
    shrunk: cython.double,
    l1: cython.double,
    l2: cython.double,
) -> cython.void:
    """The same for an adaptive learner, whose every weight is penalised at its own rate, 1 / sqrt(squares)."""
    k: cython.Py_ssize_t
    amount: cython.double
    owed: cython.double = shrunk - touched[j]
    if owed > 0:
        for k in range(j * outputs, (j + 1) * outputs):
            if w[k] != 0.0:
                amount = owed / sqrt(squares[k])
                w[k] = soft_threshold(w[k] * exp_same_bits(-l2 * amount), l1 * amount)
        touched[j] = shrunk


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fold(
    w: cython.double[::1],
    sums: cython.double[::1],
    touched: cython.double[::1],
    settings: Settings,
    clock: cython.pointer(Clock),
) -> cython.void:
    """Multiply the scale into the weights and go on from scale 1, before the scale underflows."""
    j: cython.Py_ssize_t
    n: cython.Py_ssize_t = settings.columns * settings.outputs
    if settings.l1 > 0:
        for j in range(settings.columns):
            pay(j, settings.outputs, w, touched, clock.shrunk)
            touched[j] = 0.0
        clock.shrunk = 0.0
    if settings.averaging == Averaging.AVERAGE:
        for j in range(n):
            sums[j] -= clock.scale_sum * w[j]
        clock.scale_sum = 0.0
    for j in range(n):
        w[j] *= clock.scale
    clock.scale = 1.0


# -- adaptive geometry -------------------------------------------------------------------------------------------


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def meet(
    x: cython.double,
    j: cython.Py_ssize_t,
    outputs: cython.Py_ssize_t,
    squares: cython.double[::1],
    inverse_scales: cython.double[::1],
) -> cython.double:
    """x as a share of the largest entry its column has shown, which it may now be itself."""
    size: cython.double = fabs(x)
    inverse: cython.double = inverse_scales[j]
    k: cython.Py_ssize_t
    ratio: cython.double
    if size * inverse > 1.0 or inverse == 0.0:
        if size < TINY_VALUE:
            return 0.0
        ratio = 1.0 / size
        for k in range(j * outputs, (j + 1) * outputs):
            # gradients seen so far, in the new unit; twice by the ratio, whose square might underflow
            squares[k] = squares[k] * (ratio / inverse) * (ratio / inverse) if inverse > 0 else 0.0
        inverse_scales[j] = ratio
        return 1.0 if x > 0 else -1.0
    return x * inverse


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def adaptive_scores(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    settings: Settings,
    w: cython.double[::1],
    squares: cython.double[::1],
    inverse_scales: cython.double[::1],
    touched: cython.double[::1],
    shrunk: cython.double,
    scores: cython.double[::1],
) -> cython.double:
    """Score every output on the scaled row; the row's squared length in those units comes back."""
    outputs: cython.Py_ssize_t = settings.outputs
    penalised: cython.bint = settings.l1 > 0 or settings.l2 > 0
    length: cython.double = 1.0 if settings.intercept else 0.0
    e: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    share: cython.double
    total: cython.double = 0.0
    for k in range(outputs):
        scores[k] = 0.0
    for e in range(start, stop):
        if values[e] == 0:  # so that a zero touches nothing, stored or not
            continue
        j = e - start if settings.dense else ids[e]
        share = meet(values[e], j, outputs, squares, inverse_scales)
        if penalised:
            pay_adaptive(j, outputs, w, squares, touched, shrunk, settings.l1, settings.l2)
        length += share * share
        if outputs == 1:
            total += share * w[j]
        else:
            for k in range(outputs):
                scores[k] += share * w[j * outputs + k]
    if outputs == 1:
        scores[0] = total
    return length


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def adaptive_add(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    settings: Settings,
    w: cython.double[::1],
    squares: cython.double[::1],
    inverse_scales: cython.double[::1],
    k: cython.Py_ssize_t,
    pull: cython.double,
    rate: cython.double,
) -> cython.void:
    """w_jk += rate g / sqrt(sum of g^2 so far) with g = pull times the scaled x_j."""
    e: cython.Py_ssize_t
    at: cython.Py_ssize_t
    j: cython.Py_ssize_t
    g: cython.double
    for e in range(start, stop):
        j = e - start if settings.dense else ids[e]
        g = pull * values[e] * inverse_scales[j]
        if g != 0.0:
            at = j * settings.outputs + k
            squares[at] += g * g
            if squares[at] > 0:  # g * g may underflow
                w[at] += rate * g / sqrt(squares[at])
    if settings.intercept:
        at = settings.columns * settings.outputs + k
        squares[at] += pull * pull
        if squares[at] > 0:
            w[at] += rate * pull / sqrt(squares[at])


# -- from scores to pulls ----------------------------------------------------------------------------------------


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def pull_one(settings: Settings, score: cython.double, target: cython.double, pulls: cython.double[::1]) -> LossPoint:
    """One output: two classes (target -1 or +1) or a number to predict. Its pull, and its loss and margin pull."""
    at: LossPoint
    if settings.regression:
        at.pull = target - score
        at.value = 0.5 * at.pull * at.pull
        pulls[0] = at.pull
    else:
        at = loss_at(settings.loss, target * score)
        pulls[0] = at.pull * target
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def rival_of(scores: cython.double[::1], truth: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The best class but the true one; the first of equals."""
    k: cython.Py_ssize_t
    rival: cython.Py_ssize_t = 1 if truth == 0 else 0
    for k in range(scores.shape[0]):
        if k != truth and scores[k] > scores[rival]:
            rival = k
    return rival


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def pull_each(
    settings: Settings,
    scores: cython.double[::1],
    truth: cython.Py_ssize_t,
    rival: cython.Py_ssize_t,
    pulls: cython.double[::1],
) -> LossPoint:
    """Many classes. The true class and its rival pull apart; softmax and least squares move all of them."""
    at: LossPoint
    one: LossPoint
    k: cython.Py_ssize_t
    total: cython.double = 0.0
    top: cython.double
    if settings.loss == Loss.LOGISTIC:
        top = scores[truth] if scores[truth] > scores[rival] else scores[rival]
        for k in range(settings.outputs):
            pulls[k] = exp_same_bits(scores[k] - top)
            total += pulls[k]
        for k in range(settings.outputs):
            pulls[k] = -pulls[k] / total
        pulls[truth] += 1.0
        at.value = log(total) + (top - scores[truth])
        at.pull = pulls[truth]
        return at
    if settings.loss == Loss.SQUARED:
        at.value = 0.0
        for k in range(settings.outputs):
            one = loss_at(Loss.SQUARED, scores[k] if k == truth else -scores[k])
            at.value += one.value
            pulls[k] = one.pull if k == truth else -one.pull
        at.pull = 1.0
        return at
    for k in range(settings.outputs):
        pulls[k] = 0.0
    at = loss_at(settings.loss, scores[truth] - scores[rival])
    pulls[truth] = at.pull
    pulls[rival] = -at.pull
    return at


# -- the loop ----------------------------------------------------------------------------------------------------


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def step_size(
    settings: Settings, steps: cython.double, loss: cython.double, length: cython.double, share: cython.double
) -> cython.double:
    """eta t^-p, or the passive-aggressive step that just mends this row (eta is then the aggressiveness C)."""
    if settings.step == Step.PASSIVE_AGGRESSIVE_1:
        if length * settings.eta * share > loss:
            return loss / (length * share)
        return settings.eta
    if settings.step == Step.PASSIVE_AGGRESSIVE_2:
        return loss / ((length + 0.5 / (settings.eta * share)) * share)
    if settings.power == 0.0:
        return settings.eta
    if settings.power == 0.5:
        return settings.eta / sqrt(steps)
    if settings.power == 1.0:
        return settings.eta / steps
    return settings.eta * power_of(steps, -settings.power)


def run(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    order: cython.const[cython.longlong][::1],
    shares: cython.const[cython.double][::1],
    targets: cython.const[cython.double][::1],
    weights: cython.double[::1],
    into: cython.double[::1],
    sums: cython.double[::1],
    touched: cython.double[::1],
    squares: cython.double[::1],
    inverse_scales: cython.double[::1],
    log_of_mistakes: cython.double[:, ::1],
    settings: Settings,
    clock: Clock,
):
    """Present the rows of `order` (empty: all, as they stand) once; arrays change in place.

    Returns the clock to go on from, the tally of this pass, and how many lines of the log were written.  A row whose
    score is not finite ends the pass at once; tally["lost"] is its number, or -1.
    """
    scores: cython.double[::1] = np.zeros(settings.outputs)
    pulls: cython.double[::1] = np.zeros(settings.outputs)
    tally: Tally
    tally.loss = 0.0
    tally.mistakes = 0
    tally.updates = 0
    tally.lost = -1
    logged: cython.Py_ssize_t = 0
    ordered: cython.bint = order.shape[0] > 0
    shared: cython.bint = shares.shape[0] > 0
    presentations: cython.Py_ssize_t = order.shape[0] if ordered else targets.shape[0]
    joint: cython.bint = settings.outputs > 1
    adaptive: cython.bint = settings.geometry == Geometry.ADAPTIVE
    standardised: cython.bint = adaptive and settings.regression
    intercepts: cython.Py_ssize_t = settings.columns * settings.outputs
    owing: cython.bint = settings.l1 > 0 and not adaptive
    averaged: cython.bint = settings.averaging == Averaging.AVERAGE

    p: cython.Py_ssize_t
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    truth: cython.Py_ssize_t = 0
    rival: cython.Py_ssize_t = 0
    share: cython.double = 1.0
    target: cython.double
    unit: cython.double = 1.0
    delta: cython.double
    length: cython.double = 0.0
    eta: cython.double
    decay: cython.double
    amount: cython.double
    margin: cython.double
    total: cython.double
    at: LossPoint
    following: cython.Py_ssize_t

    with cython.nogil:
        for p in range(presentations):
            i = order[p] if ordered else p
            start = i * settings.columns if settings.dense else starts[i]
            stop = start + settings.columns if settings.dense else starts[i + 1]
            if shared:
                share = shares[i]
            target = targets[i]
            clock.steps += 1.0

            # score
            if adaptive:
                length = adaptive_scores(
                    values, ids, start, stop, settings, weights, squares, inverse_scales, touched, clock.shrunk, scores
                )
                clock.norm += length
            else:
                if owing:
                    for e in range(start, stop):
                        pay(e - start if settings.dense else ids[e], settings.outputs, weights, touched, clock.shrunk)
                if joint:
                    dot_each(values, ids, start, stop, settings.dense, weights, scores)
                    for k in range(settings.outputs):
                        scores[k] *= clock.scale
                else:
                    scores[0] = clock.scale * dot(values, ids, start, stop, settings.dense, weights)
                    if not settings.dense and p + 1 < presentations:
                        following = order[p + 1] if ordered else p + 1
                        ask_for(ids, starts[following], starts[following + 1], weights)
            if settings.intercept:
                for k in range(settings.outputs):
                    scores[k] += weights[intercepts + k]

            # a score that is no number (inf - inf, 0 * inf) would poison every weight it touches
            total = 0.0
            for k in range(settings.outputs):
                total += scores[k]
            if total - total != 0.0:
                tally.lost = i
                break

            # pull
            if joint:
                truth = cython.cast(cython.Py_ssize_t, target)
                rival = rival_of(scores, truth)
                at = pull_each(settings, scores, truth, rival, pulls)
                margin = scores[truth] - scores[rival]
            else:
                if standardised:  # predict (y - mean) / deviation, both as known so far
                    delta = target - clock.mean
                    clock.mean += delta / clock.steps
                    clock.spread += delta * (target - clock.mean)
                    unit = sqrt(clock.spread / clock.steps)
                    target = (target - clock.mean) / unit if unit > 0 else 0.0
                at = pull_one(settings, scores[0], target, pulls)
                margin = target * scores[0]
            tally.loss += share * at.value * unit * unit
            if not settings.regression and not margin > 0:
                tally.mistakes += 1

            # step
            if adaptive:
                eta = settings.eta * sqrt(clock.steps / clock.norm) if clock.norm > 0 else settings.eta
                clock.shrunk += eta / (clock.steps if clock.steps < settings.population else settings.population)
                if at.pull != 0.0:
                    tally.updates += 1
                    for k in range(settings.outputs):
                        if pulls[k] != 0.0:
                            adaptive_add(
                                values,
                                ids,
                                start,
                                stop,
                                settings,
                                weights,
                                squares,
                                inverse_scales,
                                k,
                                share * pulls[k],
                                eta,
                            )
                continue

            if settings.step != Step.POWER and at.pull != 0.0:
                length = squared_length(values, start, stop) + (1.0 if settings.intercept else 0.0)
                length *= 2.0 if joint else 1.0  # the row moves in two classes' weights at once
                if length == 0.0:
                    at.pull = 0.0  # nothing to move
            eta = step_size(settings, clock.steps, at.value, length, share)
            if settings.l2 > 0:
                decay = 1.0 - eta * settings.l2 / (
                    clock.steps if clock.steps < settings.population else settings.population
                )
                clock.scale *= decay if decay > 0 else 0.0
                if clock.scale < TINY_SCALE:
                    fold(weights, sums, touched, settings, cython.address(clock))

            if at.pull != 0.0:
                tally.updates += 1
                for k in range(settings.outputs):
                    if pulls[k] != 0.0:
                        amount = eta * share * pulls[k]
                        add(values, ids, start, stop, settings.dense, into, settings.outputs, k, amount / clock.scale)
                        if averaged:
                            add(
                                values,
                                ids,
                                start,
                                stop,
                                settings.dense,
                                sums,
                                settings.outputs,
                                k,
                                amount / clock.scale * clock.scale_sum,
                            )
                        if settings.intercept:
                            into[intercepts + k] += amount
                            if averaged:
                                sums[intercepts + k] += amount * (clock.steps - 1.0)
                if settings.averaging == Averaging.VOTE:
                    log_of_mistakes[logged, 0] = i
                    log_of_mistakes[logged, 1] = truth
                    log_of_mistakes[logged, 2] = rival
                    log_of_mistakes[logged, 3] = eta * share * (at.pull if joint else pulls[0])
                    log_of_mistakes[logged, 4] = clock.survived
                    logged += 1
                    clock.survived = 0.0
            if settings.averaging == Averaging.VOTE and at.pull == 0.0:
                clock.survived += 1.0
            if owing:
                clock.shrunk += (
                    eta
                    * settings.l1
                    / (clock.steps if clock.steps < settings.population else settings.population)
                    / clock.scale
                )
            clock.scale_sum += clock.scale
    return clock, tally, logged
