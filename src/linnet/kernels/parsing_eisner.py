"""The best projective tree of a sentence by scores of its arcs, exactly, and the perceptron for it.

    score(tree) = sum over its arcs (h, m, l) of w[arc] . f(h, m) + w[l] . f(h, m)

Class 0 of the weights is the arc whatever its label, class 1 + l the label l: the best label of an arc does not depend
on the other arcs, so s(h, m) = w[arc] . f + max over l of w[l] . f.  With C and I the best complete and incomplete
spans from i to j, whose head is i (right) or j (left), the dynamic program is (Eisner 1996, Three new probabilistic
models for dependency parsing)

    I_right(i, j) = s(i, j) + max over k of C_right(i, k) + C_left(k + 1, j)
    I_left(i, j)  = s(j, i) + max over k of C_right(i, k) + C_left(k + 1, j)
    C_right(i, j) = max over k of I_right(i, k) + C_right(k, j)
    C_left(i, j)  = max over k of C_left(i, k) + I_left(k, j)

over the words alone; the root has one dependent r, the best of s(0, r) + C_left(1, r) + C_right(r, n).
"""

import cython
import numpy as np
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.linnet.kernels.parsing_arcs import arc_keys, between
from cython.cimports.linnet.kernels.parsing_greedy import Room, Workspace, place_tokens
from cython.cimports.linnet.kernels.parsing_steps import Steps
from cython.cimports.linnet.kernels.parsing_weights import Weights

from linnet.kernels.parsing_checks import checked_arcs, longest_of

LOWEST = cython.declare(cython.double, -1e300)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_arc(
    weights: Weights, room: cython.pointer(Room), keys: cython.Py_ssize_t,
    allowed: cython.pointer(cython.const[cython.uchar]), labels: cython.int, average: cython.double,
    label: cython.pointer(cython.int),
) -> cython.double:  # fmt: skip
    """The score of an arc with its best label."""
    k: cython.int
    best: cython.int = -1
    weights.scores(room.keys, keys, room.found, average, room.scores)
    for k in range(labels):
        if allowed[k] and (best < 0 or room.scores[1 + k] > room.scores[1 + best]):
            best = k
    label[0] = best
    return cython.cast(cython.double, room.scores[0]) + room.scores[1 + best]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_arcs(
    weights: Weights, room: cython.pointer(Room), plan: cython.pointer(cython.const[cython.schar]),
    single: cython.Py_ssize_t, count: cython.Py_ssize_t, n: cython.int, labels: cython.int,
    allowed: cython.pointer(cython.const[cython.uchar]),
    average: cython.double, scores: cython.pointer(cython.double), best: cython.pointer(cython.int),
) -> cython.void:  # fmt: skip
    """s(h, m) and its label for all arcs, at h (n + 1) + m; `allowed` as labels of the root's arcs, then others."""
    h: cython.int
    m: cython.int
    side: cython.int
    found: cython.int
    keys: cython.Py_ssize_t
    at: cython.Py_ssize_t
    tags: cython.ulonglong[24]
    for h in range(n + 1):
        for side in range(2):
            found = 0
            m = h + 1 if side else h - 1
            while 0 < m <= n:
                keys = arc_keys(room, plan, single, count, cython.address(tags[0]), found, h, m, n)
                at = cython.cast(cython.Py_ssize_t, h) * (n + 1) + m
                scores[at] = score_arc(
                    weights,
                    room,
                    keys,
                    allowed if h == 0 else allowed + labels,
                    labels,
                    average,
                    cython.address(best[at]),
                )
                found = between(room, cython.address(tags[0]), found, m)
                m += 1 if side else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_tree(
    scores: cython.pointer(cython.const[cython.double]), n: cython.Py_ssize_t, spans: cython.pointer(cython.double),
    splits: cython.pointer(cython.int), pending: cython.pointer(cython.int), heads: cython.pointer(cython.int),
) -> cython.double:  # fmt: skip
    """The best projective tree with one dependent of the root: its score; heads of words 1 ... n are written.

    `spans` and `splits` have room for four tables of (n + 1)^2: I_right, I_left, C_right, C_left; `pending` for 6 n.
    """
    cython.declare(i=cython.Py_ssize_t, j=cython.Py_ssize_t, k=cython.Py_ssize_t, length=cython.Py_ssize_t)
    cython.declare(w=cython.Py_ssize_t, size=cython.Py_ssize_t, at=cython.int, kind=cython.int, value=cython.double)
    cython.declare(top=cython.double, best=cython.double, root=cython.Py_ssize_t, left=cython.Py_ssize_t)
    w = n + 1
    size = w * w
    for i in range(1, n + 1):
        spans[2 * size + i * w + i] = spans[3 * size + i * w + i] = 0.0
    for length in range(1, n):
        for i in range(1, n - length + 1):
            j = i + length
            top = LOWEST
            left = i
            for k in range(i, j):
                value = spans[2 * size + i * w + k] + spans[3 * size + (k + 1) * w + j]
                if value > top:
                    top = value
                    left = k
            spans[i * w + j] = top + scores[i * w + j]
            spans[size + i * w + j] = top + scores[j * w + i]
            splits[i * w + j] = splits[size + i * w + j] = cython.cast(cython.int, left)
            top = LOWEST
            left = j
            for k in range(i + 1, j + 1):
                value = spans[i * w + k] + spans[2 * size + k * w + j]
                if value > top:
                    top = value
                    left = k
            spans[2 * size + i * w + j] = top
            splits[2 * size + i * w + j] = cython.cast(cython.int, left)
            top = LOWEST
            left = i
            for k in range(i, j):
                value = spans[3 * size + i * w + k] + spans[size + k * w + j]
                if value > top:
                    top = value
                    left = k
            spans[3 * size + i * w + j] = top
            splits[3 * size + i * w + j] = cython.cast(cython.int, left)
    best = LOWEST
    root = 1
    for i in range(1, n + 1):
        value = scores[i] + spans[3 * size + w + i] + spans[2 * size + i * w + n]
        if value > best:
            best = value
            root = i
    heads[root] = 0
    # spans still to be opened: kind (table), i, j
    at = 0
    at = push(pending, at, 3, 1, root)
    at = push(pending, at, 2, root, n)
    while at > 0:
        at -= 3
        kind = pending[at]
        i = pending[at + 1]
        j = pending[at + 2]
        k = splits[kind * size + i * w + j]
        if kind == 2:
            at = push(pending, at, 0, i, k)
            at = push(pending, at, 2, k, j)
        elif kind == 3:
            at = push(pending, at, 3, i, k)
            at = push(pending, at, 1, k, j)
        else:
            if kind == 0:
                heads[j] = cython.cast(cython.int, i)
            else:
                heads[i] = cython.cast(cython.int, j)
            at = push(pending, at, 2, i, k)
            at = push(pending, at, 3, k + 1, j)
    return best


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def push(
    pending: cython.pointer(cython.int), at: cython.int, kind: cython.int, i: cython.Py_ssize_t, j: cython.Py_ssize_t
) -> cython.int:
    """Remember a span to open, unless it is a word alone."""
    if i == j:
        return at
    pending[at] = kind
    pending[at + 1] = cython.cast(cython.int, i)
    pending[at + 2] = cython.cast(cython.int, j)
    return at + 3


@cython.cclass
class Chart:
    """Room for the scores and the spans of sentences of up to n words."""

    scores: cython.pointer(cython.double)
    spans: cython.pointer(cython.double)
    best: cython.pointer(cython.int)
    splits: cython.pointer(cython.int)
    pending: cython.pointer(cython.int)
    heads: cython.pointer(cython.int)

    def __cinit__(self, n: cython.Py_ssize_t):
        size: cython.Py_ssize_t = (n + 1) * (n + 1)
        self.scores = cython.cast(cython.p_double, malloc(size * cython.sizeof(cython.double)))
        self.spans = cython.cast(cython.p_double, malloc(4 * size * cython.sizeof(cython.double)))
        self.best = cython.cast(cython.p_int, malloc(size * cython.sizeof(cython.int)))
        self.splits = cython.cast(cython.p_int, malloc(4 * size * cython.sizeof(cython.int)))
        self.pending = cython.cast(cython.p_int, malloc((6 * n + 12) * cython.sizeof(cython.int)))
        self.heads = cython.cast(cython.p_int, malloc((n + 2) * cython.sizeof(cython.int)))
        if not (self.scores and self.spans and self.best and self.splits and self.pending and self.heads):
            raise MemoryError

    def __dealloc__(self):
        free(self.scores)
        free(self.spans)
        free(self.best)
        free(self.splits)
        free(self.pending)
        free(self.heads)


def best_heads(scores: cython.const[cython.double][:, ::1]):
    """The heads of the best projective tree by scores[h, m] (row and column 0 are the root), and its score."""
    n: cython.Py_ssize_t = scores.shape[0] - 1
    if n < 1 or scores.shape[1] != n + 1 or not np.isfinite(scores).all():
        raise ValueError("a square table of finite scores is expected, for the root and at least a word")
    chart: Chart = Chart(n)
    value: cython.double = best_tree(
        cython.address(scores[0, 0]), n, chart.spans, chart.splits, chart.pending, chart.heads
    )
    return np.array([chart.heads[i] for i in range(1, n + 1)], dtype=np.int32), value


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def move_arc(
    weights: Weights, room: cython.pointer(Room), plan: cython.pointer(cython.const[cython.schar]),
    single: cython.Py_ssize_t, count: cython.Py_ssize_t, h: cython.int, m: cython.int, n: cython.int,
    label: cython.int, delta: cython.int,
    with_arc: cython.bint, steps: Steps,
) -> cython.int:  # fmt: skip
    """Add `delta` to the weights of an arc's label, and of the arc itself unless that is right; or to the Δ of a
    passive-aggressive step."""
    tags: cython.ulonglong[24]
    found: cython.int = 0
    i: cython.int = h
    j: cython.Py_ssize_t
    keys: cython.Py_ssize_t
    step: cython.int = 1 if h < m else -1
    while i + step != m:  # from the head outwards, as `score_arcs` goes
        i += step
        found = between(room, cython.address(tags[0]), found, i)
    keys = arc_keys(room, plan, single, count, cython.address(tags[0]), found, h, m, n)
    for j in range(keys):
        if steps.C > 0.0:
            if with_arc:
                steps.add(room.keys[j], 0, delta)
            steps.add(room.keys[j], cython.cast(cython.uint, 1 + label), delta)
        else:
            if with_arc:
                weights.change(room.keys[j], 0, cython.cast(cython.float, delta))
            weights.change(room.keys[j], cython.cast(cython.uint, 1 + label), cython.cast(cython.float, delta))
    return 0


def train(
    weights: Weights,
    templates: cython.const[cython.schar][:, ::1],
    single: cython.Py_ssize_t,
    tokens: cython.const[cython.ulonglong][:, ::1],
    starts: cython.const[cython.longlong][::1],
    heads: cython.const[cython.int][::1],
    labels: cython.const[cython.int][::1],
    allowed: cython.const[cython.uchar][:, ::1],
    order: cython.const[cython.longlong][::1],
    C: cython.double = 0.0,
):
    """Train on the sentences of `order`; arrays as in parsing_greedy.train.  Templates from `single` on have a tag
    between head and dependent.  Returns how many sentences were wrong, how many words, and the number of words."""
    checked_arcs(weights, templates, single, tokens, starts, heads, labels, allowed, order)
    kinds: cython.int = allowed.shape[1]
    longest: cython.Py_ssize_t = longest_of(starts, order)
    chart: Chart = Chart(longest)
    cython.declare(i=cython.Py_ssize_t, s=cython.longlong, n=cython.int, m=cython.int, h=cython.int, label=cython.int)
    cython.declare(at=cython.longlong, wrong=cython.longlong, words=cython.longlong, before=cython.longlong)
    cython.declare(bad=cython.longlong, same=cython.bint, plan=cython.pointer(cython.const[cython.schar]))
    plan = cython.address(templates[0, 0])
    wrong = words = bad = 0
    steps: Steps = Steps(C)
    work: Workspace = Workspace(longest, 1, weights.stride)
    room: cython.pointer(Room) = cython.address(work.room)
    with cython.nogil:
        for i in range(order.shape[0]):
            s = order[i]
            at = starts[s] - 1
            n = cython.cast(cython.int, starts[s + 1] - starts[s])
            if n == 0:
                continue
            place_tokens(room, cython.address(tokens[starts[s], 0]), n)
            score_arcs(
                weights, room, plan, single, templates.shape[0], n, kinds,
                cython.address(allowed[0, 0]), 0.0, chart.scores, chart.best,
            )  # fmt: skip
            best_tree(chart.scores, n, chart.spans, chart.splits, chart.pending, chart.heads)
            before = wrong
            for m in range(1, n + 1):
                h = chart.heads[m]
                label = chart.best[cython.cast(cython.Py_ssize_t, h) * (n + 1) + m]
                same = h == heads[at + m]
                if same and label == labels[at + m]:
                    continue
                wrong += 1
                move_arc(weights, room, plan, single, templates.shape[0], h, m, n, label, -1, not same, steps)
                move_arc(
                    weights, room, plan, single, templates.shape[0], heads[at + m], m, n,
                    labels[at + m], 1, not same, steps,
                )  # fmt: skip
            if C > 0.0 and wrong > before:
                steps.make(weights, cython.cast(cython.double, wrong - before))
            bad += wrong > before
            words += n
            weights.steps += 1.0
    return bad, wrong, words


def parse(
    weights: Weights,
    templates: cython.const[cython.schar][:, ::1],
    single: cython.Py_ssize_t,
    tokens: cython.const[cython.ulonglong][:, ::1],
    starts: cython.const[cython.longlong][::1],
    allowed: cython.const[cython.uchar][:, ::1],
    average: cython.double,
    order: cython.const[cython.longlong][::1],
    heads: cython.int[::1],
    labels: cython.int[::1],
):
    """Parse the sentences of `order`; heads and labels are written in place."""
    checked_arcs(weights, templates, single, tokens, starts, heads, labels, allowed, order, trees=False)
    kinds: cython.int = allowed.shape[1]
    longest: cython.Py_ssize_t = longest_of(starts, order)
    chart: Chart = Chart(longest)
    cython.declare(i=cython.Py_ssize_t, s=cython.longlong, n=cython.int, m=cython.int, at=cython.longlong)
    work: Workspace = Workspace(longest, 1, weights.stride)
    room: cython.pointer(Room) = cython.address(work.room)
    with cython.nogil:
        for i in range(order.shape[0]):
            s = order[i]
            at = starts[s] - 1
            n = cython.cast(cython.int, starts[s + 1] - starts[s])
            if n == 0:
                continue
            place_tokens(room, cython.address(tokens[starts[s], 0]), n)
            score_arcs(
                weights, room, cython.address(templates[0, 0]), single, templates.shape[0], n,
                kinds, cython.address(allowed[0, 0]), average, chart.scores, chart.best,
            )  # fmt: skip
            best_tree(chart.scores, n, chart.spans, chart.splits, chart.pending, chart.heads)
            for m in range(1, n + 1):
                heads[at + m] = chart.heads[m]
                labels[at + m] = chart.best[cython.cast(cython.Py_ssize_t, chart.heads[m]) * (n + 1) + m]
