"""The SVM of very many classes, by its dual, with weights only for the classes that a feature's rows ever pulled.

With C_i the cost of row i, y its class and z_k = w_k . x_i its scores, and a rival of score 0 beside all classes:

    primal  min over w    1/2 sum_k |w_k|^2 + sum_i C_i max(0, 1 - z_y + max(0, max over k != y of z_k))
    dual    max over t    sum_i t_iy - 1/2 sum_k |w_k|^2,   w_k = sum_i t_ik x_i

where 0 <= t_iy <= C_i, t_ik <= 0 for all other k, and t_iy + sum_(k != y) t_ik >= 0: what is left is the part of the
rival of score 0.  It is the problem of Crammer and Singer (2001) in which a class that no row has pulled is as good a
rival as any: it has the score 0, exactly, and costs nothing.  So scores, steps and memory are those of the classes that
share a pulled feature with the row, not of all classes.

A visit of a row moves its t between two classes at a time, the one whose G = z_k + [k != y] is largest and the one
whose G is smallest of those that can give way, by the best step (Platt 1998, sequential minimal optimization).
"""

import cython
import numpy as np
from cython.cimports.libc.string import memset
from cython.cimports.linnet.kernels.rows import value_t

# Steps between pairs of classes in one visit of a row.
PAIRS = cython.declare(cython.Py_ssize_t, 4)
# The classes that a list has room for at first.
FIRST_ROOM = cython.declare(cython.Py_ssize_t, 2)
# A list with more than one in CROWDED of all classes has a number for each.
CROWDED = cython.declare(cython.Py_ssize_t, 8)
# What stands for the number of classes of such a list.
ALL = cython.declare(cython.uint, 0xFFFFFFFF)


@cython.final
@cython.cclass
class ClassLists:
    """Lists of pairs of class and number, in one array that grows: a list that is full moves to its end.

    Numbers have single precision: they only lead to the dual variables, from which the result is worked out anew.  A
    duality gap below some 1e-5 is out of their reach.
    """

    starts: cython.longlong[::1]
    counts: cython.uint[::1]
    rooms: cython.uint[::1]
    classes: cython.uint[::1]
    numbers: cython.float[::1]
    used: cython.Py_ssize_t
    width: cython.Py_ssize_t

    def __init__(self, lists: cython.Py_ssize_t, width: cython.Py_ssize_t = 0):
        """With a width, which is the number of classes, lists may become crowded."""
        self.starts = np.zeros(lists, dtype=np.int64)
        self.counts = np.zeros(lists, dtype=np.uint32)
        self.rooms = np.zeros(lists, dtype=np.uint32)
        self.classes = np.zeros(1 << 12, dtype=np.uint32)
        self.numbers = np.zeros(1 << 12, dtype=np.float32)
        self.used = 0
        self.width = width

    @property
    def nbytes(self) -> int:
        """What the lists take now."""
        return 8 * self.classes.shape[0] + 16 * self.starts.shape[0]

    def squares(self) -> float:
        """The sum of the squared numbers."""
        total: cython.double = 0.0
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        count: cython.Py_ssize_t
        for i in range(self.starts.shape[0]):
            count = self.width if self.counts[i] == ALL else self.counts[i]
            for c in range(self.starts[i], self.starts[i] + count):
                total += cython.cast(cython.double, self.numbers[c]) * self.numbers[c]
        return total

    def flat(self) -> tuple:
        """(how many pairs each list has, their classes, their numbers), list after list; none may be crowded."""
        counts = np.asarray(self.counts).astype(np.int64)
        ends = np.cumsum(counts)
        total: cython.Py_ssize_t = int(ends[-1]) if len(ends) else 0
        at = np.arange(total) - np.repeat(ends - counts, counts) + np.repeat(np.asarray(self.starts), counts)
        return counts, np.asarray(self.classes)[at], np.asarray(self.numbers)[at].astype(np.float64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def place(self, i: cython.Py_ssize_t, k: cython.uint) -> cython.Py_ssize_t:
        """Where the number of a class is in a list; it is added, as 0, if the list has none."""
        c: cython.Py_ssize_t
        start: cython.Py_ssize_t = self.starts[i]
        if self.counts[i] == ALL:
            return start + k
        for c in range(start, start + self.counts[i]):
            if self.classes[c] == k:
                return c
        if self.counts[i] == self.rooms[i]:
            self.widen(i)
            if self.counts[i] == ALL:
                return self.starts[i] + k
        c = self.starts[i] + self.counts[i]
        self.counts[i] += 1
        self.classes[c] = k
        self.numbers[c] = 0.0
        return c

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def widen(self, i: cython.Py_ssize_t) -> cython.int:
        """Twice the room for a list, or room for every class, at the end of the array."""
        room: cython.Py_ssize_t = 2 * self.rooms[i] if self.rooms[i] else FIRST_ROOM
        crowded: cython.bint = room * CROWDED > self.width > 0
        start: cython.Py_ssize_t = self.starts[i]
        c: cython.Py_ssize_t
        if crowded:
            room = self.width
        if self.used + room > self.classes.shape[0]:
            with cython.gil:
                more = max(2 * self.classes.shape[0], self.used + room)
                classes = np.zeros(more, dtype=np.uint32)
                numbers = np.zeros(more, dtype=np.float32)
                classes[: self.used] = self.classes[: self.used]
                numbers[: self.used] = self.numbers[: self.used]
                self.classes = classes
                self.numbers = numbers
        for c in range(self.counts[i]):
            self.classes[self.used + c] = self.classes[start + c]
            self.numbers[self.used + c] = 0.0 if crowded else self.numbers[start + c]
        if crowded:  # the rest of the array is 0 already
            for c in range(self.counts[i]):
                self.numbers[self.used + self.classes[start + c]] = self.numbers[start + c]
            self.counts[i] = ALL
        self.starts[i] = self.used
        self.rooms[i] = room
        self.used += room
        return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    weights: ClassLists,
    scores: cython.float[::1],
) -> cython.void:
    """The scores of all classes: 0 for one that has no weight for any feature of the row."""
    e: cython.Py_ssize_t
    c: cython.Py_ssize_t
    count: cython.Py_ssize_t
    x: cython.float
    into: cython.p_float = cython.address(scores[0])
    numbers: cython.p_float
    classes: cython.p_uint
    memset(into, 0, scores.shape[0] * cython.sizeof(cython.float))
    for e in range(start, stop):
        x = cython.cast(cython.float, values[e])
        numbers = cython.address(weights.numbers[0]) + weights.starts[ids[e]]
        if weights.counts[ids[e]] == ALL:
            for c in range(weights.width):
                into[c] += x * numbers[c]
            continue
        classes = cython.address(weights.classes[0]) + weights.starts[ids[e]]
        count = weights.counts[ids[e]]
        for c in range(count):
            into[classes[c]] += x * numbers[c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def above_zero(scores: cython.float[::1], y: cython.uint, into: cython.uint[::1]) -> cython.Py_ssize_t:
    """The classes but y whose score is above 0, and how many they are; eight at a time, for most are not."""
    several: cython.Py_ssize_t = 0
    classes: cython.Py_ssize_t = scores.shape[0] - 1
    k: cython.Py_ssize_t = 0
    c: cython.Py_ssize_t
    z: cython.p_float = cython.address(scores[0])
    while k < classes:
        if k + 8 <= classes and not (
            (z[k] > 0) | (z[k + 1] > 0) | (z[k + 2] > 0) | (z[k + 3] > 0)
            | (z[k + 4] > 0) | (z[k + 5] > 0) | (z[k + 6] > 0) | (z[k + 7] > 0)
        ):  # fmt: skip
            k += 8
            continue
        for c in range(k, min(k + 8, classes)):
            if z[c] > 0 and c != y:
                into[several] = cython.cast(cython.uint, c)
                several += 1
        k += 8
    return several


@cython.cdivision(True)
def sweep(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    order: cython.const[cython.uint][::1],
    classes: cython.const[cython.longlong][::1],
    costs: cython.const[cython.double][::1],
    lengths: cython.const[cython.double][::1],
    weights: ClassLists,
    parts: ClassLists,
    scores: cython.float[::1],
    learning: cython.bint,
):
    """Visit these rows; `parts` are their t, the rival of score 0 the class after the last, for which `scores` has
    room, too.

    Returns the sum of C_i times the losses just before each visit, the dual's gain, mistakes and rows that changed.
    """
    loss: cython.double = 0.0
    gain: cython.double = 0.0
    mistakes: cython.Py_ssize_t = 0
    changed: cython.Py_ssize_t = 0
    p: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    y: cython.uint
    top: cython.double
    rivals: cython.uint[::1] = np.zeros(scores.shape[0], dtype=np.uint32)
    pulled: cython.uint[::1] = np.zeros(2 * PAIRS, dtype=np.uint32)
    by: cython.double[::1] = np.zeros(2 * PAIRS)
    several: cython.Py_ssize_t
    moves: cython.Py_ssize_t
    e: cython.Py_ssize_t
    m: cython.Py_ssize_t
    gained: cython.double
    with cython.nogil:
        for p in range(order.shape[0]):
            i = order[p]
            y = cython.cast(cython.uint, classes[i])
            score(values, ids, starts[i], starts[i + 1], weights, scores)
            top = 0.0
            several = above_zero(scores, y, rivals)  # no other can be the largest
            for c in range(several):
                top = scores[rivals[c]] if scores[rivals[c]] > top else top
            mistakes += scores[y] <= top
            if 1.0 + top - scores[y] > 0.0:
                loss += costs[i] * (1.0 + top - scores[y])
            if not learning or costs[i] <= 0.0:
                continue
            gained = 0.0
            moves = climb(
                i, y, several, costs[i], lengths[i], parts, scores, rivals, pulled, by, cython.address(gained)
            )
            gain += gained
            changed += moves > 0
            for m in range(moves):
                if by[m] != 0.0:
                    for e in range(starts[i], starts[i + 1]):
                        c = weights.place(ids[e], pulled[m])
                        weights.numbers[c] += cython.cast(cython.float, by[m] * values[e])
    return loss, gain, mistakes, changed


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.cdivision(True)
def climb(
    i: cython.Py_ssize_t,
    y: cython.uint,
    several: cython.Py_ssize_t,
    cost: cython.double,
    length: cython.double,
    parts: ClassLists,
    scores: cython.float[::1],
    rivals: cython.uint[::1],
    pulled: cython.uint[::1],
    by: cython.double[::1],
    gained: cython.p_double,
) -> cython.Py_ssize_t:
    """Steps on the parts of one row, whose scores follow; how many classes are pulled, each by how much."""
    nobody: cython.uint = cython.cast(cython.uint, scores.shape[0] - 1)
    moves: cython.Py_ssize_t = 0
    c: cython.Py_ssize_t
    k: cython.uint
    down: cython.uint
    up: cython.uint
    largest: cython.double
    smallest: cython.double
    left: cython.double
    room: cython.double
    curvature: cython.double
    delta: cython.double
    for _ in range(PAIRS):
        down = nobody
        largest = 1.0
        for c in range(several):
            k = rivals[c]
            if scores[k] + 1.0 > largest:
                largest = scores[k] + 1.0
                down = k
        if scores[y] > largest:
            largest = scores[y]
            down = y
        up = y
        room = cost
        smallest = scores[y]
        for c in range(parts.starts[i], parts.starts[i] + parts.counts[i]):
            if parts.classes[c] == y:
                room = cost - parts.numbers[c]
        if room <= 1e-6 * cost:  # no more than rounding to single precision leaves
            smallest = largest
        for c in range(parts.starts[i], parts.starts[i] + parts.counts[i]):
            k = parts.classes[c]
            left = 1.0 if k == nobody else scores[k] + 1.0
            if k != y and parts.numbers[c] < 0.0 and left < smallest:
                smallest = left
                up = k
                room = -parts.numbers[c]
        if down == up or largest - smallest <= 1e-6:
            break
        curvature = length * ((up != nobody) + (down != nobody))
        delta = room if (largest - smallest) >= curvature * room else (largest - smallest) / curvature
        gained[0] += delta * (largest - smallest) - 0.5 * delta * delta * curvature
        c = parts.place(i, up)
        if delta == room:  # exactly, whatever the sum is rounded to
            parts.numbers[c] = cython.cast(cython.float, cost) if up == y else 0.0
        else:
            parts.numbers[c] += cython.cast(cython.float, delta)
        c = parts.place(i, down)
        parts.numbers[c] -= cython.cast(cython.float, delta)
        moves = pull(up, delta, length, nobody, moves, scores, pulled, by)
        moves = pull(down, -delta, length, nobody, moves, scores, pulled, by)
    return moves


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def pull(
    k: cython.uint,
    by_how_much: cython.double,
    length: cython.double,
    nobody: cython.uint,
    moves: cython.Py_ssize_t,
    scores: cython.float[::1],
    pulled: cython.uint[::1],
    by: cython.double[::1],
) -> cython.Py_ssize_t:
    """Note that a class moves; how many do by now.  The rival of score 0 never does."""
    m: cython.Py_ssize_t
    if k == nobody:
        return moves
    scores[k] += cython.cast(cython.float, by_how_much * length)
    for m in range(moves):
        if pulled[m] == k:
            by[m] += by_how_much
            return moves
    pulled[moves] = k
    by[moves] = by_how_much
    return moves + 1


def losses(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    classes: cython.const[cython.longlong][::1],
    weight_starts: cython.const[cython.longlong][::1],
    weight_classes: cython.const[cython.uint][::1],
    weights: cython.const[cython.double][::1],
    scores: cython.double[::1],
    into: cython.double[::1],
):
    """into[i] = max(0, 1 - z_y + max(0, max over k != y of z_k)) of row i, by sparse weights as in add_scores."""
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    c: cython.Py_ssize_t
    k: cython.Py_ssize_t
    own: cython.double
    top: cython.double
    with cython.nogil:
        for i in range(into.shape[0]):
            for k in range(scores.shape[0]):
                scores[k] = 0.0
            for e in range(starts[i], starts[i + 1]):
                for c in range(weight_starts[ids[e]], weight_starts[ids[e] + 1]):
                    scores[weight_classes[c]] += values[e] * weights[c]
            own = scores[classes[i]]
            scores[classes[i]] = 0.0
            top = 0.0
            for k in range(scores.shape[0]):
                top = scores[k] if scores[k] > top else top
            into[i] = 1.0 - own + top if 1.0 - own + top > 0.0 else 0.0


def add_scores(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    weight_starts: cython.const[cython.longlong][::1],
    weight_classes: cython.const[cython.uint][::1],
    weights: cython.const[cython.double][::1],
    into: cython.double[:, ::1],
):
    """into[i, k] += row i times column k of sparse weights: of feature j, weight_starts[j] to weight_starts[j + 1]."""
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    c: cython.Py_ssize_t
    j: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    x: cython.double
    with cython.nogil:
        for i in range(into.shape[0]):
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            for e in range(start, stop):
                j = e - start if dense else ids[e]
                x = values[e]
                for c in range(weight_starts[j], weight_starts[j + 1]):
                    into[i, weight_classes[c]] += x * weights[c]
