"""The loop behind every online learner, and behind the gradients of batch learners.

For each row: compute its score, the loss and its pull on the weights, choose a step size, apply

    additive   w_jk += eta pull_k x_j
    adaptive   the same on scaled columns, each weight with a rate of its own (adaptive.pxd)
    multiplicative   w_j *= a factor to the power of x_j (multiplicative.py)

Weights are one flat array, entry j * K + k for column j and output k (K = 1 for two classes and for regression); the
row after the last column holds the intercepts.  An adaptive learner has its weights in `records` instead.  A row of X
is values[start:stop] with its column ids or, if dense, one value for each column.  Scores are computed from `weights`,
updates are added to `into`: the same array for an online learner; another one for a batch learner, whose weights are
fixed while the loop sums its gradient.

Stored weights v are not always the weights w:
    L2      w = scale v, so that shrinking every weight is one multiplication (the intercept is never scaled);
    L1      column j owes `shrunk - touched[j]` of soft-thresholding, applied when it is next touched (the same as
            soft-thresholding at every step, because thresholds add up; Duchi and Singer 2009, section 5);
    mean    the mean of all w so far is (scale_sum v - sums) / steps, kept by adding only what changes.
"""

import cython
import numpy as np
from cython.cimports.libc.math import log
from cython.cimports.linnet.kernels.adaptive import (
    adaptive_add,
    adaptive_add_each,
    adaptive_move,
    adaptive_reach,
    adaptive_scores,
    ask_for_records,
    not_beyond,
)
from cython.cimports.linnet.kernels.multiclass import (
    Pulled,
    add_each,
    add_to_intercepts,
    dot_each,
    finite_sum,
    pull_each,
    pulled_by,
    rival_of,
)
from cython.cimports.linnet.kernels.multiplicative import multiply
from cython.cimports.linnet.kernels.passes import Averaging, Clock, Geometry, Settings, Step, Tally
from cython.cimports.linnet.kernels.penalties import fold, pay_row
from cython.cimports.linnet.kernels.presentation import (
    Presentation,
    adaptive_rate,
    begin,
    count_row,
    decayed,
    predicted_number,
    pull_alone,
    step_size,
)
from cython.cimports.linnet.kernels.rows import (
    add,
    ask_for,
    ask_for_row,
    dot,
    prefetch,
    squared_length,
    value_t,
)

# Entries to prefetch ahead of the dot product: a few rows of a sparse matrix.
AHEAD = cython.declare(cython.Py_ssize_t, 256)
# Rows to prefetch ahead, where they are presented in a given order; their targets, and where they begin, twice as far.
ROWS_AHEAD = cython.declare(cython.Py_ssize_t, 4)


def run(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    order: cython.const[cython.longlong][::1],
    sample_weights: cython.const[cython.double][::1],
    targets: cython.const[cython.double][::1],
    state: tuple,
    log_of_mistakes: cython.double[:, ::1],
    settings: Settings,
    clock: Clock,
):
    """Present the rows of `order` (empty: all, in their own order) once; the arrays of `state` change in place.

    `state` is (weights, into, sums, touched, records, sides, predictions); what a learner does not have is empty.
    Predictions, unless they are empty, get the number that each presentation was taken for before it was learned, or
    the margin of its class.  Returns the clock after this pass, its tally, and the number of lines of the log.  A row
    whose score is not finite ends the pass; tally["lost"] is its number, or -1.
    """
    tally: Tally
    logged: cython.Py_ssize_t = 0
    at: Presentation
    begin(cython.address(at), cython.address(tally))
    if settings.geometry == Geometry.ADAPTIVE:
        adaptive_pass(
            values, ids, starts, order, sample_weights, targets, state,
            cython.address(settings), cython.address(clock), cython.address(tally), cython.address(at),
        )  # fmt: skip
    else:
        logged = additive_pass(
            values, ids, starts, order, sample_weights, targets, state, log_of_mistakes,
            cython.address(settings), cython.address(clock), cython.address(tally), cython.address(at),
        )  # fmt: skip
    tally.loss += log(at.product)
    return clock, tally, logged


@cython.cfunc
@cython.cdivision(True)
def additive_pass(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    order: cython.const[cython.longlong][::1],
    sample_weights: cython.const[cython.double][::1],
    targets: cython.const[cython.double][::1],
    state: tuple,
    log_of_mistakes: cython.double[:, ::1],
    given: cython.pointer(Settings),
    clocked: cython.pointer(Clock),
    tallied: cython.pointer(Tally),
    began: cython.pointer(Presentation),
) -> cython.Py_ssize_t:
    """The loop of additive and multiplicative learners; the number of mistakes that were logged."""
    cython.declare(weights=cython.double[::1], into=cython.double[::1], sums=cython.double[::1])
    cython.declare(touched=cython.double[::1], sides=cython.double[::1], predictions=cython.double[::1])
    weights, into, sums, touched, _, sides, predictions = state
    scores: cython.double[::1] = np.zeros(given.outputs)
    pulls: cython.double[::1] = np.zeros(given.outputs)
    settings: Settings = given[0]  # copies, which no array can alias
    clock: Clock = clocked[0]
    tally: Tally = tallied[0]
    at: Presentation = began[0]
    ordered: cython.bint = order.shape[0] > 0
    weighted: cython.bint = sample_weights.shape[0] > 0
    presentations: cython.Py_ssize_t = order.shape[0] if ordered else targets.shape[0]
    dense: cython.bint = settings.dense
    joint: cython.bint = settings.outputs > 1
    intercepts: cython.Py_ssize_t = settings.columns * settings.outputs
    averaged: cython.bint = settings.averaging == Averaging.AVERAGE
    voting: cython.bint = settings.averaging == Averaging.VOTE
    owing: cython.bint = settings.l1 > 0
    multiplicative: cython.bint = settings.geometry == Geometry.MULTIPLICATIVE
    aggressive: cython.bint = settings.step != Step.POWER
    predicting: cython.bint = predictions.shape[0] > 0
    ahead: cython.Py_ssize_t = 0 if ordered else AHEAD
    logged: cython.Py_ssize_t = 0
    length: cython.double = 0.0
    cython.declare(p=cython.Py_ssize_t, k=cython.Py_ssize_t, row=cython.Py_ssize_t, following=cython.Py_ssize_t)
    cython.declare(start=cython.Py_ssize_t, stop=cython.Py_ssize_t, amount=cython.double, pulled=Pulled)
    with cython.nogil:
        for p in range(presentations):
            row = order[p] if ordered else p
            start = row * settings.columns if dense else starts[row]
            stop = start + settings.columns if dense else starts[row + 1]
            at.target = targets[row]
            if weighted:
                at.weight = sample_weights[row]
            if ordered and p + 2 * ROWS_AHEAD < presentations:
                following = order[p + 2 * ROWS_AHEAD]
                prefetch(cython.address(targets[following]))
                if not dense:
                    prefetch(cython.address(starts[following]))
                following = order[p + ROWS_AHEAD]
                if dense:
                    ask_for_row(values, ids, following * settings.columns, (following + 1) * settings.columns, dense)
                else:
                    ask_for_row(values, ids, starts[following], starts[following + 1], dense)
            clock.steps += 1.0
            at.spread_over = clock.steps if clock.steps < settings.population else settings.population
            if owing:
                pay_row(ids, start, stop, dense, settings.outputs, weights, touched, clock.shrunk)
            if joint:
                dot_each(values, ids, start, stop, dense, weights, clock.scale, scores)
                if settings.intercept:
                    for k in range(settings.outputs):
                        scores[k] += weights[intercepts + k]
                at.score = finite_sum(scores)
            else:
                at.score = clock.scale * dot(values, ids, start, stop, dense, weights, ahead)
                if not dense and p + 1 < presentations:
                    following = order[p + 1] if ordered else p + 1
                    ask_for(ids, starts[following], starts[following + 1], weights)
                if settings.intercept:
                    at.score += weights[intercepts]
            if at.score - at.score != 0.0:  # infinite or NaN: it would spoil every weight it touches
                tally.lost = row
                break
            if joint:
                at.truth = cython.cast(cython.Py_ssize_t, at.target)
                at.rival = rival_of(scores, at.truth)
                at.margin = scores[at.truth] - scores[at.rival]
                at.loss = pull_each(settings.loss, scores, at.truth, at.rival, pulls)
            else:
                pull_alone(cython.address(at), cython.address(settings), cython.address(clock))
            if predicting:
                predictions[p] = at.score if settings.regression else at.margin
            count_row(cython.address(at), cython.address(tally), cython.address(clock), weighted or settings.regression)
            if multiplicative:
                if at.loss.pull != 0.0:
                    tally.updates += 1
                    multiply(values, ids, start, stop, given, weights, sides, at.target > 0, at.weight)
                continue
            if aggressive and at.loss.pull != 0.0:
                # jointly, the row moves the weights of two classes at once
                length = (squared_length(values, start, stop) + settings.intercept) * (2.0 if joint else 1.0)
                if length == 0.0:
                    at.loss.pull = 0.0  # there is nothing to move
            at.eta = step_size(cython.address(settings), clock.steps, at.loss.value, length, at.weight)
            if decayed(cython.address(at), cython.address(settings), cython.address(clock)):
                fold(weights, sums, touched, given, cython.address(clock))
            if at.loss.pull != 0.0:
                tally.updates += 1
                amount = at.eta * at.weight / clock.scale
                if joint:
                    pulled = pulled_by(settings.loss, at.truth, at.rival, settings.outputs)
                    add_each(values, ids, start, stop, dense, into, amount, pulls, pulled)
                    if averaged:
                        add_each(values, ids, start, stop, dense, sums, amount * clock.scale_sum, pulls, pulled)
                    if settings.intercept:
                        add_to_intercepts(into, at.eta * at.weight, pulls, 1.0, pulled)
                        if averaged:
                            add_to_intercepts(sums, at.eta * at.weight, pulls, clock.steps - 1.0, pulled)
                else:
                    add(values, ids, start, stop, dense, into, amount * at.pull)
                    if averaged:
                        add(values, ids, start, stop, dense, sums, amount * clock.scale_sum * at.pull)
                    if settings.intercept:
                        into[intercepts] += at.eta * at.weight * at.pull
                        if averaged:
                            sums[intercepts] += at.eta * at.weight * at.pull * (clock.steps - 1.0)
                if voting:
                    amount = at.eta * at.weight * (at.loss.pull if joint else at.pull)
                    write_line(log_of_mistakes, logged, row, at.truth, at.rival, amount, clock.survived)
                    logged += 1
                    clock.survived = 0.0
            elif voting:
                clock.survived += 1.0
            if owing:
                clock.shrunk += at.eta * settings.l1 / at.spread_over / clock.scale
            clock.scale_sum += clock.scale
    clocked[0], tallied[0], began[0] = clock, tally, at
    return logged


@cython.cfunc
@cython.cdivision(True)
def adaptive_pass(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    order: cython.const[cython.longlong][::1],
    sample_weights: cython.const[cython.double][::1],
    targets: cython.const[cython.double][::1],
    state: tuple,
    given: cython.pointer(Settings),
    clocked: cython.pointer(Clock),
    tallied: cython.pointer(Tally),
    began: cython.pointer(Presentation),
) -> cython.void:
    """The loop of adaptive learners, whose weights are in records with their scales and rates (adaptive.pxd)."""
    records: cython.double[::1] = state[4]
    predictions: cython.double[::1] = state[6]
    predicting: cython.bint = predictions.shape[0] > 0
    scores: cython.double[::1] = np.zeros(given.outputs)
    pulls: cython.double[::1] = np.zeros(given.outputs)
    settings: Settings = given[0]  # copies, which no array can alias
    clock: Clock = clocked[0]
    tally: Tally = tallied[0]
    at: Presentation = began[0]
    ordered: cython.bint = order.shape[0] > 0
    weighted: cython.bint = sample_weights.shape[0] > 0
    presentations: cython.Py_ssize_t = order.shape[0] if ordered else targets.shape[0]
    dense: cython.bint = settings.dense
    joint: cython.bint = settings.outputs > 1
    cython.declare(p=cython.Py_ssize_t, k=cython.Py_ssize_t, row=cython.Py_ssize_t, following=cython.Py_ssize_t)
    cython.declare(start=cython.Py_ssize_t, stop=cython.Py_ssize_t, reach=cython.double)
    # of a row's entries and the intercept
    directions: cython.double[::1] = np.empty(1 + (longest_row(starts, given) if given.regression else 0))
    with cython.nogil:
        for p in range(presentations):
            row = order[p] if ordered else p
            start = row * settings.columns if dense else starts[row]
            stop = start + settings.columns if dense else starts[row + 1]
            at.target = targets[row]
            if weighted:
                at.weight = sample_weights[row]
            if ordered and p + 2 * ROWS_AHEAD < presentations:
                following = order[p + 2 * ROWS_AHEAD]
                prefetch(cython.address(targets[following]))
                if not dense:
                    prefetch(cython.address(starts[following]))
                following = order[p + ROWS_AHEAD]
                if dense:
                    ask_for_row(values, ids, following * settings.columns, (following + 1) * settings.columns, dense)
                else:
                    ask_for_row(values, ids, starts[following], starts[following + 1], dense)
            clock.steps += 1.0
            at.spread_over = clock.steps if clock.steps < settings.population else settings.population
            if ordered and not dense and p + 1 < presentations:
                following = order[p + 1]
                ask_for_records(ids, starts[following], starts[following + 1], cython.address(settings), records)
            clock.norm += adaptive_scores(
                values, ids, start, stop, not ordered, cython.address(settings), records, clock.shrunk, scores,
            )  # fmt: skip
            at.score = finite_sum(scores) if joint else scores[0]  # an array takes as long to hand over as a short row
            if at.score - at.score != 0.0:  # infinite or NaN: it would spoil every weight it touches
                tally.lost = row
                break
            if predicting and settings.regression:
                predictions[p] = predicted_number(cython.address(at), cython.address(clock))
            if joint:
                at.truth = cython.cast(cython.Py_ssize_t, at.target)
                at.rival = rival_of(scores, at.truth)
                at.margin = scores[at.truth] - scores[at.rival]
                at.loss = pull_each(settings.loss, scores, at.truth, at.rival, pulls)
            else:
                pull_alone(cython.address(at), cython.address(settings), cython.address(clock))
            if predicting and not settings.regression:
                predictions[p] = at.margin
            count_row(cython.address(at), cython.address(tally), cython.address(clock), weighted or settings.regression)
            adaptive_rate(cython.address(at), cython.address(settings), cython.address(clock))
            if at.loss.pull != 0.0:
                tally.updates += 1
                if settings.regression:
                    reach = at.weight * adaptive_reach(
                        values, ids, start, stop, cython.address(settings), records, at.weight * at.pull, at.eta,
                        directions,
                    )  # fmt: skip
                    at.eta *= not_beyond(reach)
                    adaptive_move(
                        ids, start, stop, cython.address(settings), records, at.eta * (at.weight * at.pull), directions
                    )
                    continue
                if joint and pulled_by(settings.loss, at.truth, at.rival, settings.outputs).most:
                    for k in range(settings.outputs):
                        pulls[k] *= at.weight
                    adaptive_add_each(values, ids, start, stop, cython.address(settings), records, pulls, at.eta)
                    continue
                for k in range(settings.outputs):
                    if joint:
                        at.pull = pulls[k]
                    if at.pull != 0.0:
                        adaptive_add(
                            values, ids, start, stop, cython.address(settings), records, k, at.weight * at.pull,
                            at.eta,
                        )  # fmt: skip
    clocked[0], tallied[0], began[0] = clock, tally, at


@cython.cfunc
def longest_row(starts: cython.const[cython.longlong][::1], given: cython.pointer(Settings)) -> cython.Py_ssize_t:
    """How many entries a row has, at most."""
    longest: cython.Py_ssize_t = given.columns if given.dense else 0
    i: cython.Py_ssize_t
    if not given.dense:
        for i in range(starts.shape[0] - 1):
            if starts[i + 1] - starts[i] > longest:
                longest = starts[i + 1] - starts[i]
    return longest


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_line(
    log_of_mistakes: cython.double[:, ::1],
    line: cython.Py_ssize_t,
    row: cython.Py_ssize_t,
    truth: cython.Py_ssize_t,
    rival: cython.Py_ssize_t,
    step: cython.double,
    survived: cython.double,
) -> cython.void:
    """A mistake of a voting learner: the row, its classes, the step, and how many rows the last weights survived."""
    log_of_mistakes[line, 0] = row
    log_of_mistakes[line, 1] = truth
    log_of_mistakes[line, 2] = rival
    log_of_mistakes[line, 3] = step
    log_of_mistakes[line, 4] = survived
