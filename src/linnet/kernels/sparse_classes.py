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
from cython.cimports.linnet.kernels.class_lists import ALL, ClassLists, List
from cython.cimports.linnet.kernels.rows import value_t

# Steps between pairs of classes in one visit of a row.
PAIRS = cython.declare(cython.Py_ssize_t, 6)


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
    x: cython.float
    into: cython.p_float = cython.address(scores[0])
    words: cython.p_uint
    numbers: cython.p_float
    each: cython.pointer(List)
    memset(into, 0, scores.shape[0] * cython.sizeof(cython.float))
    for e in range(start, stop):
        x = cython.cast(cython.float, values[e])
        each = weights.lists + ids[e]
        words = weights.words + each.start
        numbers = cython.cast(cython.p_float, words)
        if each.count == ALL:
            for c in range(weights.width):
                into[c] += x * numbers[c]
        else:
            for c in range(each.count):
                into[words[2 * c]] += x * numbers[2 * c + 1]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_listed(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    weights: ClassLists,
    i: cython.Py_ssize_t,
    y: cython.uint,
    parts: ClassLists,
    scores: cython.float[::1],
) -> cython.void:
    """The scores of the row's class and of those that it pulls; others are left with anything."""
    nobody: cython.uint = cython.cast(cython.uint, scores.shape[0] - 1)
    e: cython.Py_ssize_t
    c: cython.Py_ssize_t
    x: cython.float
    into: cython.p_float = cython.address(scores[0])
    listed: cython.p_uint = parts.words + parts.lists[i].start
    several: cython.Py_ssize_t = parts.lists[i].count
    words: cython.p_uint
    numbers: cython.p_float
    each: cython.pointer(List)
    own: cython.float = 0.0
    into[y] = 0.0
    for c in range(several):
        into[listed[2 * c]] = 0.0
    for e in range(start, stop):
        x = cython.cast(cython.float, values[e])
        each = weights.lists + ids[e]
        words = weights.words + each.start
        numbers = cython.cast(cython.p_float, words)
        if each.count == ALL:
            own += x * numbers[y]
            for c in range(several):
                if listed[2 * c] != y and listed[2 * c] != nobody:
                    into[listed[2 * c]] += x * numbers[listed[2 * c]]
        else:
            for c in range(each.count):
                into[words[2 * c]] += x * numbers[2 * c + 1]
    into[y] += own


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def strongest(scores: cython.float[::1], y: cython.uint, into: cython.uint[::1]) -> cython.Py_ssize_t:
    """The PAIRS classes but y whose scores are largest, if they are above 0, the first of equals first; how many.

    Sixteen classes at a time, for most have no score as large as those found before.
    """
    classes: cython.Py_ssize_t = scores.shape[0] - 1
    z: cython.p_float = cython.address(scores[0])
    own: cython.float = z[y]
    found: cython.Py_ssize_t = 0
    least: cython.float = 0.0
    k: cython.Py_ssize_t = 0
    c: cython.Py_ssize_t
    m: cython.Py_ssize_t
    larger: cython.int
    z[y] = 0.0
    while k < classes:
        if k + 16 <= classes:
            larger = 0
            for c in range(16):
                larger |= z[k + c] > least
            if not larger:
                k += 16
                continue
        for c in range(k, min(k + 16, classes)):
            if z[c] > least:
                m = found if found < PAIRS else PAIRS - 1
                while m > 0 and z[into[m - 1]] < z[c]:
                    into[m] = into[m - 1]
                    m -= 1
                into[m] = cython.cast(cython.uint, c)
                found += found < PAIRS
                if found == PAIRS:
                    least = z[into[PAIRS - 1]]
        k += 16
    z[y] = own
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def with_pulled(
    i: cython.Py_ssize_t,
    y: cython.uint,
    found: cython.Py_ssize_t,
    parts: ClassLists,
    nobody: cython.uint,
    rivals: cython.uint[::1],
) -> cython.Py_ssize_t:
    """Add the rivals that the row pulls down already: a step that lets one of them up may make it the largest."""
    strong: cython.Py_ssize_t = found
    c: cython.Py_ssize_t
    m: cython.Py_ssize_t
    k: cython.uint
    for c in range(parts.lists[i].count):
        k = parts.words[parts.lists[i].start + 2 * c]
        if k in (y, nobody):
            continue
        for m in range(strong):
            if rivals[m] == k:
                break
        else:
            rivals[found] = k
            found += 1
    return found


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
    pulled_only: cython.bint,
):
    """Visit these rows; `parts` are their t, the rival of score 0 the class after the last, for which `scores` has
    room, too.

    Returns the sum of C_i times the losses just before each visit, the dual's gain, mistakes and rows that changed:
    with `pulled_only`, losses and mistakes by the rivals that a row pulls, as if there were no others.
    """
    loss: cython.double = 0.0
    gain: cython.double = 0.0
    mistakes: cython.Py_ssize_t = 0
    changed: cython.Py_ssize_t = 0
    p: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    y: cython.uint
    nobody: cython.uint = cython.cast(cython.uint, scores.shape[0] - 1)
    top: cython.double
    rivals: cython.uint[::1] = np.zeros(scores.shape[0] + PAIRS, dtype=np.uint32)
    pulled: cython.uint[::1] = np.zeros(2 * PAIRS, dtype=np.uint32)
    by: cython.double[::1] = np.zeros(2 * PAIRS)
    marks: cython.uchar[::1] = np.zeros(scores.shape[0], dtype=np.uint8)
    several: cython.Py_ssize_t
    moves: cython.Py_ssize_t
    e: cython.Py_ssize_t
    m: cython.Py_ssize_t
    gained: cython.double
    with cython.nogil:
        for p in range(order.shape[0]):
            i = order[p]
            y = cython.cast(cython.uint, classes[i])
            if pulled_only:
                score_listed(values, ids, starts[i], starts[i + 1], weights, i, y, parts, scores)
                several = 0
            else:
                score(values, ids, starts[i], starts[i + 1], weights, scores)
                several = strongest(scores, y, rivals)
            several = with_pulled(i, y, several, parts, nobody, rivals)
            top = 0.0
            for c in range(several):
                top = scores[rivals[c]] if scores[rivals[c]] > top else top
            mistakes += scores[y] <= top
            if 1.0 + top - scores[y] > 0.0:
                loss += costs[i] * (1.0 + top - scores[y])
            if costs[i] <= 0.0:
                continue
            gained = 0.0
            moves = climb(
                i, y, several, costs[i], lengths[i], parts, scores, rivals, pulled, by, cython.address(gained)
            )
            gain += gained
            changed += moves > 0
            for m in range(moves):
                marks[pulled[m]] = cython.cast(cython.uchar, m + 1)
            for e in range(starts[i], starts[i + 1]):
                weights.add(
                    ids[e], values[e], moves, cython.address(pulled[0]), cython.address(by[0]), cython.address(marks[0])
                )
            for m in range(moves):
                marks[pulled[m]] = 0
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
    words: cython.p_uint
    numbers: cython.p_float
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
        words = parts.words + parts.lists[i].start
        numbers = cython.cast(cython.p_float, words)
        for c in range(parts.lists[i].count):
            if words[2 * c] == y:
                room = cost - numbers[2 * c + 1]
        if room <= 1e-6 * cost:  # no more than rounding to single precision leaves
            smallest = largest
        for c in range(parts.lists[i].count):
            k = words[2 * c]
            left = 1.0 if k == nobody else scores[k] + 1.0
            if k != y and numbers[2 * c + 1] < 0.0 and left < smallest:
                smallest = left
                up = k
                room = -numbers[2 * c + 1]
        if down == up or largest - smallest <= 1e-6:
            break
        curvature = length * ((up != nobody) + (down != nobody))
        delta = room if (largest - smallest) >= curvature * room else (largest - smallest) / curvature
        gained[0] += delta * (largest - smallest) - 0.5 * delta * delta * curvature
        c = parts.place(i, up)
        numbers = cython.cast(cython.p_float, parts.words)
        if delta == room:  # exactly, whatever the sum is rounded to
            numbers[c] = cython.cast(cython.float, cost) if up == y else 0.0
        else:
            numbers[c] += cython.cast(cython.float, delta)
        c = parts.place(i, down)
        cython.cast(cython.p_float, parts.words)[c] -= cython.cast(cython.float, delta)
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
