"""The loop of perceptrons and passive-aggressive learners over very many classes, whose weights are kept in lists.

A mistake moves the weights of two classes, so most features have weights for few classes.  Column j has those of
classes[starts[j]] to classes[starts[j] + counts[j]], and room for rooms[j] of them; a list that is full moves to the
end of the arrays, where there is twice the room.  Everything is added in the order in which passes.py adds to a table
of all columns and classes, so that weights have the same bits.

A class takes part from the first row that has it on.
"""

import cython
import numpy as np
from cython.cimports.libc.math import INFINITY
from cython.cimports.libc.string import memset
from cython.cimports.linnet.kernels.losses import loss_at
from cython.cimports.linnet.kernels.passes import Averaging, Clock, Settings, Step, Tally
from cython.cimports.linnet.kernels.presentation import Presentation, begin, count_row, step_size
from cython.cimports.linnet.kernels.rows import squared_length, value_t

# The classes that a list has room for at first.
FIRST_ROOM = cython.declare(cython.Py_ssize_t, 4)


def run(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    row_starts: cython.const[cython.longlong][::1],
    order: cython.const[cython.longlong][::1],
    sample_weights: cython.const[cython.double][::1],
    targets: cython.const[cython.double][::1],
    lists: tuple,
    state: tuple,
    settings: Settings,
    clock: Clock,
    tally: Tally,
    first: cython.Py_ssize_t,
    used: cython.Py_ssize_t,
):
    """Present the rows of `order` (empty: all, in their own order) from number `first` on; the arrays change in place.

    `lists` is (starts, counts, rooms, classes, weights, sums), of which `used` entries are taken; `state` is
    (intercepts, their sums, alive, predictions).  Ends before a presentation that the arrays may have no room for.
    Returns the clock, the tally, the number of the next presentation, and how many entries are taken.
    """
    cython.declare(starts=cython.longlong[::1], counts=cython.uint[::1], rooms=cython.uint[::1])
    cython.declare(classes=cython.uint[::1], weights=cython.double[::1], sums=cython.double[::1])
    cython.declare(intercepts=cython.double[::1], intercept_sums=cython.double[::1])
    cython.declare(alive=cython.uchar[::1], predictions=cython.double[::1])
    starts, counts, rooms, classes, weights, sums = lists
    intercepts, intercept_sums, alive, predictions = state
    scores: cython.double[::1] = np.zeros(settings.outputs)
    at: Presentation
    fresh: Tally
    ordered: cython.bint = order.shape[0] > 0
    weighted: cython.bint = sample_weights.shape[0] > 0
    presentations: cython.Py_ssize_t = order.shape[0] if ordered else targets.shape[0]
    averaged: cython.bint = settings.averaging == Averaging.AVERAGE
    aggressive: cython.bint = settings.step != Step.POWER
    predicting: cython.bint = predictions.shape[0] > 0
    length: cython.double = 0.0
    cython.declare(p=cython.Py_ssize_t, row=cython.Py_ssize_t, start=cython.Py_ssize_t, stop=cython.Py_ssize_t)
    cython.declare(e=cython.Py_ssize_t, k=cython.Py_ssize_t, c=cython.Py_ssize_t, j=cython.Py_ssize_t)
    cython.declare(x=cython.double, step=cython.double, kept=cython.double, amount=cython.double)
    begin(cython.address(at), cython.address(fresh))
    p = first
    with cython.nogil:
        while p < presentations:
            row = order[p] if ordered else p
            start = row_starts[row]
            stop = row_starts[row + 1]
            if used + room_needed(ids, start, stop, counts, rooms) > classes.shape[0]:
                break
            if weighted:
                at.weight = sample_weights[row]
            at.truth = cython.cast(cython.Py_ssize_t, targets[row])
            alive[at.truth] = 1
            clock.steps += 1.0
            memset(cython.address(scores[0]), 0, settings.outputs * cython.sizeof(cython.double))
            for e in range(start, stop):
                j = ids[e]
                x = values[e]
                for c in range(starts[j], starts[j] + counts[j]):
                    scores[classes[c]] += x * weights[c]
            if settings.intercept:
                for k in range(settings.outputs):
                    scores[k] += intercepts[k]
            at.rival = rival_of(scores, alive, at.truth, cython.address(at.score))
            if at.score - at.score != 0.0:  # infinite or NaN: it would spoil every weight it touches
                tally.lost = row
                break
            at.margin = scores[at.truth] - scores[at.rival]
            at.loss = loss_at(settings.loss, at.margin)
            if predicting:
                predictions[p] = at.margin
            count_row(cython.address(at), cython.address(tally), cython.address(clock), weighted)
            p += 1
            if aggressive and at.loss.pull != 0.0:
                # the row moves the weights of two classes at once
                length = (squared_length(values, start, stop) + settings.intercept) * 2.0
                if length == 0.0:
                    at.loss.pull = 0.0  # there is nothing to move
            at.eta = step_size(cython.address(settings), clock.steps, at.loss.value, length, at.weight)
            if at.loss.pull != 0.0:
                tally.updates += 1
                amount = at.eta * at.weight
                step = amount * at.loss.pull
                kept = amount * clock.scale_sum * at.loss.pull
                for e in range(start, stop):
                    j = ids[e]
                    for k in range(2):  # the true class first
                        c = place(starts, counts, rooms, classes, j, at.rival if k else at.truth)
                        if c < 0:
                            used = widen(starts, counts, rooms, classes, weights, sums, averaged, j, used)
                            c = place(starts, counts, rooms, classes, j, at.rival if k else at.truth)
                        weights[c] += (-step if k else step) * values[e]
                        if averaged:
                            sums[c] += (-kept if k else kept) * values[e]
                if settings.intercept:
                    intercepts[at.truth] += step
                    intercepts[at.rival] -= step
                    if averaged:
                        intercept_sums[at.truth] += step * (clock.steps - 1.0)
                        intercept_sums[at.rival] -= step * (clock.steps - 1.0)
            clock.scale_sum += clock.scale
    return clock, tally, p, used


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def room_needed(
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    counts: cython.uint[::1],
    rooms: cython.uint[::1],
) -> cython.Py_ssize_t:
    """How many entries further the lists of a row's columns may reach once two classes have joined each."""
    needed: cython.Py_ssize_t = 0
    e: cython.Py_ssize_t
    for e in range(start, stop):
        if counts[ids[e]] + 2 > rooms[ids[e]]:
            needed += FIRST_ROOM if rooms[ids[e]] == 0 else 2 * cython.cast(cython.Py_ssize_t, rooms[ids[e]])
    return needed


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def rival_of(
    scores: cython.double[::1], alive: cython.uchar[::1], truth: cython.Py_ssize_t, total: cython.pointer(cython.double)
) -> cython.Py_ssize_t:
    """The best class but the true one that takes part, the first of equals; `total` is finite if all scores are."""
    best: cython.double = -INFINITY
    rival: cython.Py_ssize_t = 1 if truth == 0 else 0
    k: cython.Py_ssize_t
    total[0] = scores[truth] - scores[truth]
    for k in range(scores.shape[0]):
        if alive[k] and k != truth:
            total[0] += scores[k] - scores[k]
            if scores[k] > best:
                best = scores[k]
                rival = k
    return rival


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def place(
    starts: cython.longlong[::1],
    counts: cython.uint[::1],
    rooms: cython.uint[::1],
    classes: cython.uint[::1],
    j: cython.Py_ssize_t,
    k: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Where column j has its weight of class k, which joins its list if it is not there; -1 if the list is full."""
    c: cython.Py_ssize_t
    end: cython.Py_ssize_t = starts[j] + counts[j]
    for c in range(starts[j], end):
        if classes[c] == k:
            return c
    if counts[j] == rooms[j]:
        return -1
    counts[j] += 1
    classes[end] = cython.cast(cython.uint, k)
    return end


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def widen(
    starts: cython.longlong[::1],
    counts: cython.uint[::1],
    rooms: cython.uint[::1],
    classes: cython.uint[::1],
    weights: cython.double[::1],
    sums: cython.double[::1],
    averaged: cython.bint,
    j: cython.Py_ssize_t,
    used: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Move the list of column j to the end, with twice the room; what follows a list's entries is 0."""
    c: cython.Py_ssize_t
    for c in range(counts[j]):
        classes[used + c] = classes[starts[j] + c]
        weights[used + c] = weights[starts[j] + c]
        if averaged:
            sums[used + c] = sums[starts[j] + c]
    starts[j] = used
    rooms[j] = cython.cast(cython.uint, FIRST_ROOM if rooms[j] == 0 else 2 * rooms[j])
    return used + rooms[j]
