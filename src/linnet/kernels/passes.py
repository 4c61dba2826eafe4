"""The one loop behind every online learner, and behind every batch gradient.

For each row in turn: score it, turn score and target into pulls, choose a step, apply

    additive   w_jk += eta pull_k x_j
    adaptive   the same on scaled columns, each weight with a rate of its own (adaptive.pxd)
    multiplicative   w_j *= a factor to the power of x_j (multiplicative.py)

Weights are one flat array, entry j * K + k for column j and output k (K = 1 for two classes and for regression); the
row after the last column holds the intercepts.  An adaptive learner has its weights in `records` instead.  A row of X
is values[start:stop] with its column ids, or, dense, with the columns in order.  Scores come from `weights` and changes
go to `into`: one array for an online learner, two for a batch learner, whose weights hold still while the same loop
sums its gradient.

Stored weights v are not always the weights w:
    L2      w = scale v, so that shrinking every weight is one multiplication (the intercept is never scaled);
    L1      a column owes `shrunk - touched[j]` of soft-thresholding, paid when next touched (exactly what paying
            at every step would give, because soft thresholds add up; Duchi and Singer 2009, section 5);
    mean    the mean of all w so far is (scale_sum v - sums) / steps, kept by adding only what changes.
"""

import cython
import numpy as np
from cython.cimports.libc.math import log, sqrt
from cython.cimports.libc.math import pow as power_of
from cython.cimports.linnet.kernels.adaptive import adaptive_add, adaptive_scores, ask_for_records
from cython.cimports.linnet.kernels.losses import LossPoint, loss_at
from cython.cimports.linnet.kernels.multiclass import add_each, dot_each, pull_each, rival_of
from cython.cimports.linnet.kernels.multiplicative import multiply
from cython.cimports.linnet.kernels.passes import Averaging, Clock, Geometry, Settings, Step, Tally
from cython.cimports.linnet.kernels.penalties import fold, pay_row
from cython.cimports.linnet.kernels.rows import add, ask_for, ask_for_row, dot, squared_length, value_t

# A row that scores exactly 0 is predicted negative, and for a negative row that is right: a margin, if the least.
RIGHT_BY_A_TIE = cython.declare(cython.double, 1e-300)
# How many entries ahead of the dot product the next ones are asked for: a few rows of a sparse matrix.
AHEAD = cython.declare(cython.Py_ssize_t, 256)
# How many rows ahead, where they come in an order of their own.
ROWS_AHEAD = cython.declare(cython.Py_ssize_t, 4)
# The scale is folded into the weights before it gets this small: what is added meanwhile is divided by it, and an
# average would lose as many digits as it has zeros.
TINY_SCALE = cython.declare(cython.double, 1e-4)
# The product of the losses' factors is turned into a logarithm before it overflows.
LARGE_PRODUCT = cython.declare(cython.double, 1e280)


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


@cython.cdivision(True)
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
    records: cython.double[::1],
    sides: cython.double[::1],
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
    product: cython.double = 1.0
    logged: cython.Py_ssize_t = 0
    ordered: cython.bint = order.shape[0] > 0
    shared: cython.bint = shares.shape[0] > 0
    presentations: cython.Py_ssize_t = order.shape[0] if ordered else targets.shape[0]
    dense: cython.bint = settings.dense
    ahead: cython.Py_ssize_t = 0 if ordered else AHEAD
    joint: cython.bint = settings.outputs > 1
    adaptive: cython.bint = settings.geometry == Geometry.ADAPTIVE
    multiplicative: cython.bint = settings.geometry == Geometry.MULTIPLICATIVE
    aggressive: cython.bint = settings.step != Step.POWER
    intercepts: cython.Py_ssize_t = settings.columns * settings.outputs
    owing: cython.bint = settings.l1 > 0 and not adaptive
    averaged: cython.bint = settings.averaging == Averaging.AVERAGE
    voting: cython.bint = settings.averaging == Averaging.VOTE

    p: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    following: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    truth: cython.Py_ssize_t = 0
    rival: cython.Py_ssize_t = 0
    share: cython.double = 1.0
    target: cython.double
    score: cython.double
    margin: cython.double
    pull: cython.double = 0.0
    at: LossPoint
    unit: cython.double = 1.0
    delta: cython.double
    length: cython.double = 0.0
    spread_over: cython.double
    eta: cython.double = 0.0
    decay: cython.double
    amount: cython.double

    with cython.nogil:
        for p in range(presentations):
            i = order[p] if ordered else p
            start = i * settings.columns if dense else starts[i]
            stop = start + settings.columns if dense else starts[i + 1]
            if shared:
                share = shares[i]
            target = targets[i]
            if ordered and p + ROWS_AHEAD < presentations:
                following = order[p + ROWS_AHEAD]
                if dense:
                    following *= settings.columns
                    ask_for_row(values, ids, following, following + settings.columns, dense)
                else:
                    ask_for_row(values, ids, starts[following], starts[following + 1], dense)
            clock.steps += 1.0
            spread_over = clock.steps if clock.steps < settings.population else settings.population

            # score
            if adaptive:
                if ordered and not dense and p + 1 < presentations:
                    following = order[p + 1]
                    ask_for_records(ids, starts[following], starts[following + 1], cython.address(settings), records)
                length = adaptive_scores(
                    values, ids, start, stop, not ordered, cython.address(settings), records, clock.shrunk, scores,
                )  # fmt: skip
                clock.norm += length
            else:
                if owing:
                    pay_row(ids, start, stop, dense, settings.outputs, weights, touched, clock.shrunk)
                if joint:
                    dot_each(values, ids, start, stop, dense, weights, clock.scale, scores)
            if joint:
                score = 0.0  # their sum, which is finite if all are
                for k in range(settings.outputs):
                    if settings.intercept and not adaptive:
                        scores[k] += weights[intercepts + k]
                    score += scores[k]
            elif adaptive:
                score = scores[0]
            else:
                score = clock.scale * dot(values, ids, start, stop, dense, weights, ahead)
                if not dense and p + 1 < presentations:
                    following = order[p + 1] if ordered else p + 1
                    ask_for(ids, starts[following], starts[following + 1], weights)
                if settings.intercept:
                    score += weights[intercepts]
            if score - score != 0.0:  # infinite, or no number: it would poison every weight it touches
                tally.lost = i
                break

            # pull
            if joint:
                truth = cython.cast(cython.Py_ssize_t, target)
                rival = rival_of(scores, truth)
                margin = scores[truth] - scores[rival]
                at = pull_each(settings.loss, scores, truth, rival, pulls)
            elif settings.regression:
                if adaptive:  # predict (y - mean) / deviation, both as known so far; without intercept the mean is 0
                    delta = target - clock.mean
                    if settings.intercept:
                        clock.mean += delta / clock.steps
                    clock.spread += delta * (target - clock.mean)
                    unit = sqrt(clock.spread / clock.steps)
                    target = (target - clock.mean) / unit if unit > 0 else 0.0
                margin = 1.0
                pull = target - score
                at.value = 0.5 * pull * pull
                at.factor = 1.0
                at.pull = pull
            else:
                target = 2.0 * (target == settings.positive) - 1.0
                margin = target * score
                if multiplicative and score == 0.0 and target < 0:
                    margin = RIGHT_BY_A_TIE
                at = loss_at(settings.loss, margin)
                pull = at.pull * target
            if not margin > 0:
                tally.mistakes += 1
                clock.mistakes += 1.0
            if shared or settings.regression:
                tally.loss += share * unit * unit * (at.value + log(at.factor))
            else:
                tally.loss += at.value
                product *= at.factor
                if product > LARGE_PRODUCT:
                    tally.loss += log(product)
                    product = 1.0

            # step and apply
            if adaptive:
                eta = settings.eta * sqrt(clock.steps / clock.norm) if clock.norm > 0 else settings.eta
                clock.shrunk += eta / spread_over
                if at.pull != 0.0:
                    tally.updates += 1
                    for k in range(settings.outputs):
                        if joint:
                            pull = pulls[k]
                        if pull != 0.0:
                            adaptive_add(
                                values, ids, start, stop, cython.address(settings), records, k, share * pull, eta,
                            )  # fmt: skip
                continue
            if multiplicative:
                if at.pull != 0.0:
                    tally.updates += 1
                    multiply(
                        values, ids, start, stop, cython.address(settings), weights, sides, target > 0, share,
                    )  # fmt: skip
                continue
            if aggressive and at.pull != 0.0:
                length = squared_length(values, start, stop) + (1.0 if settings.intercept else 0.0)
                length *= 2.0 if joint else 1.0  # the row moves in two classes' weights at once
                if length == 0.0:
                    at.pull = 0.0  # nothing to move
            eta = step_size(settings, clock.steps, at.value, length, share)
            if settings.l2 > 0:
                decay = 1.0 - eta * settings.l2 / spread_over
                clock.scale *= decay if decay > 0 else 0.0
                if clock.scale < TINY_SCALE:
                    fold(weights, sums, touched, cython.address(settings), cython.address(clock))
            if at.pull != 0.0:
                tally.updates += 1
                amount = eta * share / clock.scale
                if joint:
                    add_each(values, ids, start, stop, dense, into, amount, pulls)
                    if averaged:
                        add_each(values, ids, start, stop, dense, sums, amount * clock.scale_sum, pulls)
                else:
                    add(values, ids, start, stop, dense, into, amount * pull)
                    if averaged:
                        add(values, ids, start, stop, dense, sums, amount * clock.scale_sum * pull)
                if settings.intercept:
                    for k in range(settings.outputs):
                        if joint:
                            pull = pulls[k]
                        into[intercepts + k] += eta * share * pull
                        if averaged:
                            sums[intercepts + k] += eta * share * pull * (clock.steps - 1.0)
                if voting:
                    log_of_mistakes[logged, 0] = i
                    log_of_mistakes[logged, 1] = truth
                    log_of_mistakes[logged, 2] = rival
                    log_of_mistakes[logged, 3] = eta * share * (at.pull if joint else pull)
                    log_of_mistakes[logged, 4] = clock.survived
                    logged += 1
                    clock.survived = 0.0
            elif voting:
                clock.survived += 1.0
            if owing:
                clock.shrunk += eta * settings.l1 / spread_over / clock.scale
            clock.scale_sum += clock.scale
    tally.loss += log(product)
    return clock, tally, logged
