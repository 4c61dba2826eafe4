"""The greedy transition parser: training with a dynamic oracle, and parsing.

The cost of a move is the number of gold arcs that can no longer be made after it.  With h(i) the gold head of i, in the
system of parsing_transitions.pxd (Goldberg, Nivre 2013, Training deterministic parsers with non-deterministic oracles):

    SHIFT  [h(b) on the stack below s0] + number of d on the stack with h(d) = b
    LEFT   [h(s0) = s1 or h(s0) > b]    + number of d in the buffer with h(d) = s0
    RIGHT  [h(s0) in the buffer]        + number of d in the buffer with h(d) = s0

and one more for an arc of the tree with another label.  They are exact for projective trees.  Where the best class by
the weights costs more than the least, the weights of the best class of least cost rise and its own fall.  From the
second pass on the parser mostly follows what it predicts, right or wrong, and so sees the states that its mistakes lead
to.  With C above 0 they move by passive-aggressive steps (parsing_steps.py), whose loss is the cost above the least.
"""

import cython
import numpy as np
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.linnet.kernels.parsing_greedy import Oracle, Room, place_gold, place_tokens
from cython.cimports.linnet.kernels.parsing_steps import step_size
from cython.cimports.linnet.kernels.parsing_transitions import (
    COLUMNS,
    LEFT,
    RIGHT,
    SHIFT,
    Element,
    atoms_of,
    begin,
    keys_of,
    moved,
    possible,
)  # fmt: skip
from cython.cimports.linnet.kernels.parsing_weights import Weights
from cython.cimports.linnet.kernels.tokenizer import finish

from linnet.kernels.parsing_checks import check_places, check_sentences, checked, longest_of

NONE = cython.declare(cython.float, -3.0e38)


@cython.cclass
class Workspace:
    """Room for sentences of up to `longest` words."""

    def __cinit__(self, longest: cython.Py_ssize_t, elements: cython.Py_ssize_t, classes: cython.Py_ssize_t):
        n: cython.Py_ssize_t = longest + 2  # the root before them, and none after
        self.room.pool = cython.cast(cython.pointer(Element), malloc(elements * cython.sizeof(Element)))
        self.room.tokens = cython.cast(cython.p_ulonglong, malloc(n * COLUMNS * cython.sizeof(cython.ulonglong)))
        self.room.scores = cython.cast(cython.p_float, malloc(classes * cython.sizeof(cython.float)))
        self.gold.heads = cython.cast(cython.p_int, malloc(4 * n * cython.sizeof(cython.int)))
        self.gold.stacked = cython.cast(cython.p_uchar, malloc(n))
        if not (self.room.pool and self.room.tokens and self.room.scores and self.gold.heads and self.gold.stacked):
            raise MemoryError
        self.gold.labels = self.gold.heads + n
        self.gold.on_stack = self.gold.labels + n
        self.gold.in_buffer = self.gold.on_stack + n

    def __dealloc__(self):
        free(self.room.pool)
        free(self.room.tokens)
        free(self.room.scores)
        free(self.gold.heads)
        free(self.gold.stacked)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def best_of(
    scores: cython.pointer(cython.float), begin: cython.int, end: cython.int, allowed: cython.pointer(cython.uchar),
    best: cython.int, rival: cython.float,
) -> cython.int:  # fmt: skip
    """The class of the highest score from `begin` to `end` whose label is allowed; `best` if none exceeds its score."""
    k: cython.int
    for k in range(begin, end):
        if scores[k] > rival and allowed[k - begin]:
            rival = scores[k]
            best = k
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_class(
    scores: cython.pointer(cython.float), moves: cython.int, labels: cython.int, allowed: cython.pointer(cython.uchar)
) -> cython.int:
    """The possible class of the highest score, the first of equal ones; `allowed` has a flag for each label."""
    best: cython.int = -1
    if moves & (1 << SHIFT):
        best = 0
    if moves & (1 << LEFT):
        best = best_of(scores, 1, 1 + labels, allowed, best, scores[best] if best >= 0 else NONE)
    if moves & (1 << RIGHT):
        best = best_of(scores, 1 + labels, 1 + 2 * labels, allowed, best, scores[best] if best >= 0 else NONE)
    if best < 0:  # no score is a number: any allowed label will do
        best = 1 if moves & (1 << LEFT) else 1 + labels
        while not allowed[(best - 1) % labels]:
            best += 1
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def costs_of(room: cython.pointer(Room), gold: cython.pointer(Oracle), n: cython.int) -> cython.void:
    """The costs of the three moves, without labels."""
    s0: cython.int = room.pool[room.state.top].node
    s1: cython.int = -1
    b: cython.int = room.state.b
    if room.pool[room.state.top].below >= 0:
        s1 = room.pool[room.pool[room.state.top].below].node
    if b <= n:
        gold.costs[SHIFT] = gold.on_stack[b]
        if gold.heads[b] != s0:
            gold.costs[SHIFT] += gold.stacked[gold.heads[b]]
    if s0 > 0:
        gold.costs[LEFT] = gold.costs[RIGHT] = gold.in_buffer[s0]
        if gold.heads[s0] == s1 or gold.heads[s0] > b:
            gold.costs[LEFT] += 1
        if gold.heads[s0] >= b:
            gold.costs[RIGHT] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_gold(
    scores: cython.pointer(cython.float), moves: cython.int, labels: cython.int, allowed: cython.pointer(cython.uchar),
    room: cython.pointer(Room), gold: cython.pointer(Oracle), least: cython.int,
) -> cython.int:  # fmt: skip
    """The class of the highest score among those of the least cost."""
    best: cython.int = -1
    k: cython.int
    first: cython.int
    s0: cython.int = room.pool[room.state.top].node
    rival: cython.float
    if moves & (1 << SHIFT) and gold.costs[SHIFT] == least:
        best = 0
    if moves & (1 << LEFT) and gold.costs[LEFT] == least:
        rival = scores[best] if best >= 0 else NONE
        if gold.heads[s0] == room.state.b:
            k = 1 + gold.labels[s0]
            if scores[k] > rival:
                best = k
        else:
            best = best_of(scores, 1, 1 + labels, allowed, best, rival)
    if moves & (1 << RIGHT) and gold.costs[RIGHT] == least:
        rival = scores[best] if best >= 0 else NONE
        first = 1 + labels
        if gold.heads[s0] == room.pool[room.pool[room.state.top].below].node:
            k = first + gold.labels[s0]
            if scores[k] > rival:
                best = k
        else:
            best = best_of(scores, first, first + labels, allowed, best, rival)
    if best < 0:  # no score is a number: any class of the least cost will do
        if moves & (1 << LEFT) and gold.costs[LEFT] == least:
            first = 1
            k = room.state.b
        else:
            first = 1 + labels
            k = room.pool[room.pool[room.state.top].below].node
        if gold.heads[s0] == k:
            return first + gold.labels[s0]
        best = first
        while not allowed[best - first]:
            best += 1
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_right_label(
    room: cython.pointer(Room), gold: cython.pointer(Oracle), move: cython.int, label: cython.int
) -> cython.bint:
    """Whether an arc that the gold tree has gets the label it has there; other arcs may have any."""
    s0: cython.int = room.pool[room.state.top].node
    if move == SHIFT:
        return True
    if move == LEFT:
        return gold.heads[s0] != room.state.b or gold.labels[s0] == label
    return gold.heads[s0] != room.pool[room.pool[room.state.top].below].node or gold.labels[s0] == label


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def follow(gold: cython.pointer(Oracle), room: cython.pointer(Room), move: cython.int) -> cython.void:
    """Keep the counts of gold dependents on the stack and in the buffer; called before the move is made."""
    i: cython.int
    if move == SHIFT:
        i = room.state.b
        gold.stacked[i] = 1
        gold.on_stack[gold.heads[i]] += 1
        gold.in_buffer[gold.heads[i]] -= 1
    else:
        i = room.pool[room.state.top].node
        gold.stacked[i] = 0
        gold.on_stack[gold.heads[i]] -= 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def move_of(best: cython.int, labels: cython.int) -> cython.int:
    return SHIFT if best == 0 else LEFT if best <= labels else RIGHT


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def label_of(best: cython.int, labels: cython.int) -> cython.int:
    return 0 if best == 0 else (best - 1) % labels


def train(
    weights: Weights,
    templates: cython.const[cython.schar][:, ::1],
    tokens: cython.const[cython.ulonglong][:, ::1],
    starts: cython.const[cython.longlong][::1],
    heads: cython.const[cython.int][::1],
    labels: cython.const[cython.int][::1],
    allowed: cython.const[cython.uchar][:, ::1],
    order: cython.const[cython.longlong][::1],
    explore: cython.double,
    seed: cython.ulonglong,
    C: cython.double = 0.0,
):
    """Train on the sentences of `order`: tokens starts[s] to starts[s + 1], with their gold heads (in the sentence,
    from 1; 0 is the root) and labels.  `allowed` says which labels arcs of the root may have, and which others.

    A mistake is followed with the probability `explore`, by numbers drawn from `seed` and the sentence.  Returns how
    many sentences had a mistake, how many moves were mistakes, and the number of moves.
    """
    checked(weights, templates, tokens, starts, heads, labels, allowed, order)
    kinds: cython.int = allowed.shape[1]
    count: cython.Py_ssize_t = templates.shape[0]
    longest: cython.Py_ssize_t = longest_of(starts, order)
    cython.declare(i=cython.Py_ssize_t, j=cython.Py_ssize_t, s=cython.longlong, n=cython.int, used=cython.int)
    cython.declare(step=cython.int, moves=cython.int, move=cython.int, best=cython.int, right=cython.int)
    cython.declare(least=cython.int, cost=cython.int, mistakes=cython.longlong, made=cython.longlong)
    cython.declare(violation=cython.double, tau=cython.float)
    cython.declare(
        bad=cython.longlong, before=cython.longlong, draw=cython.ulonglong, flags=cython.pointer(cython.uchar)
    )
    mistakes = made = bad = 0
    work: Workspace = Workspace(longest, 2 * longest + 1, weights.stride)
    room: cython.pointer(Room) = cython.address(work.room)
    gold: cython.pointer(Oracle) = cython.address(work.gold)
    with cython.nogil:
        for i in range(order.shape[0]):
            s = order[i]
            n = cython.cast(cython.int, starts[s + 1] - starts[s])
            if n == 0:
                continue
            place_tokens(room, cython.address(tokens[starts[s], 0]), n)
            place_gold(gold, cython.address(heads[starts[s]]), cython.address(labels[starts[s]]), n)
            begin(cython.address(room.state), room.pool, n)
            used = 1
            before = mistakes
            draw = finish(seed ^ finish(cython.cast(cython.ulonglong, s)))
            for step in range(2 * n):
                moves = possible(cython.address(room.state), room.pool, n)
                atoms_of(cython.address(room.state), room.pool, room.tokens, n, room.atoms)
                keys_of(room.atoms, cython.address(templates[0, 0]), count, room.keys)
                weights.scores(room.keys, count, room.found, 0.0, room.scores)
                flags = cython.cast(
                    cython.pointer(cython.uchar), cython.address(allowed[1 if step < 2 * n - 1 else 0, 0])
                )
                best = best_class(room.scores, moves, kinds, flags)
                move = move_of(best, kinds)
                costs_of(room, gold, n)
                least = 0x7FFFFFFF
                for j in range(3):
                    if moves & (1 << j) and gold.costs[j] < least:
                        least = gold.costs[j]
                cost = gold.costs[move]
                if not is_right_label(room, gold, move, label_of(best, kinds)):
                    cost += 1
                if cost > least:
                    right = best_gold(room.scores, moves, kinds, flags, room, gold, least)
                    mistakes += 1
                    tau = 1.0
                    if C > 0.0:  # the features of a state are all different, and so ‖Δ‖² is twice their number
                        violation = cython.cast(cython.double, room.scores[best]) - room.scores[right]
                        tau = cython.cast(cython.float, step_size((cost - least + violation) / (2 * count), C))
                    for j in range(count):
                        weights.change(room.keys[j], cython.cast(cython.uint, right), tau)
                        weights.change(room.keys[j], cython.cast(cython.uint, best), -tau)
                    draw += cython.cast(cython.ulonglong, 0x9E3779B97F4A7C15)
                    if cython.cast(cython.double, finish(draw) >> 11) * (1.0 / 9007199254740992.0) >= explore:
                        best = right
                        move = move_of(best, kinds)
                weights.steps += 1.0
                made += 1
                follow(gold, room, move)
                used = moved(cython.address(room.state), room.pool, used, n, move, label_of(best, kinds))
            bad += mistakes > before
    return bad, mistakes, made


def parse(
    weights: Weights,
    templates: cython.const[cython.schar][:, ::1],
    tokens: cython.const[cython.ulonglong][:, ::1],
    starts: cython.const[cython.longlong][::1],
    allowed: cython.const[cython.uchar][:, ::1],
    average: cython.double,
    order: cython.const[cython.longlong][::1],
    heads: cython.int[::1],
    labels: cython.int[::1],
):
    """Parse the sentences of `order`; heads and labels are written in place.  `average` as in Weights.scores."""
    checked(weights, templates, tokens, starts, heads, labels, allowed, order, trees=False)
    kinds: cython.int = allowed.shape[1]
    count: cython.Py_ssize_t = templates.shape[0]
    longest: cython.Py_ssize_t = longest_of(starts, order)
    cython.declare(i=cython.Py_ssize_t, s=cython.longlong, n=cython.int, used=cython.int, at=cython.longlong)
    cython.declare(step=cython.int, moves=cython.int, move=cython.int, best=cython.int, s0=cython.int)
    cython.declare(flags=cython.pointer(cython.uchar))
    work: Workspace = Workspace(longest, 2 * longest + 1, weights.stride)
    room: cython.pointer(Room) = cython.address(work.room)
    with cython.nogil:
        for i in range(order.shape[0]):
            s = order[i]
            at = starts[s] - 1
            n = cython.cast(cython.int, starts[s + 1] - starts[s])
            if n == 0:
                continue
            place_tokens(room, cython.address(tokens[starts[s], 0]), n)
            begin(cython.address(room.state), room.pool, n)
            used = 1
            for step in range(2 * n):
                moves = possible(cython.address(room.state), room.pool, n)
                atoms_of(cython.address(room.state), room.pool, room.tokens, n, room.atoms)
                keys_of(room.atoms, cython.address(templates[0, 0]), count, room.keys)
                weights.scores(room.keys, count, room.found, average, room.scores)
                flags = cython.cast(
                    cython.pointer(cython.uchar), cython.address(allowed[1 if step < 2 * n - 1 else 0, 0])
                )
                best = best_class(room.scores, moves, kinds, flags)
                move = move_of(best, kinds)
                if move != SHIFT:
                    s0 = room.pool[room.state.top].node
                    heads[at + s0] = room.state.b if move == LEFT else room.pool[room.pool[room.state.top].below].node
                    labels[at + s0] = label_of(best, kinds)
                used = moved(cython.address(room.state), room.pool, used, n, move, label_of(best, kinds))


def state_after(
    templates: cython.const[cython.schar][:, ::1],
    tokens: cython.const[cython.ulonglong][:, ::1],
    heads: cython.const[cython.int][::1],
    labels: cython.const[cython.int][::1],
    kinds: cython.int,
    classes,
):
    """What the parser sees in one sentence after some classes: which moves are possible, their costs (of those that are
    not, a number without meaning), and the keys of the features.  For explanations, and for tests."""
    n: cython.int = tokens.shape[0]
    check_places(templates)
    starts = np.array([0, n], dtype=np.int64)
    check_sentences(tokens, starts, heads, labels, kinds, np.zeros(0, dtype=np.int64), True)
    if n < 1 or kinds < 1:
        raise ValueError("there is no word, or no label")
    action: cython.int
    move: cython.int
    used: cython.int = 1
    work: Workspace = Workspace(n, 2 * n + 1, 1)
    room: cython.pointer(Room) = cython.address(work.room)
    gold: cython.pointer(Oracle) = cython.address(work.gold)
    place_tokens(room, cython.address(tokens[0, 0]), n)
    place_gold(gold, cython.address(heads[0]), cython.address(labels[0]), n)
    begin(cython.address(room.state), room.pool, n)
    for action in classes:
        move = move_of(action, kinds)
        if not 0 <= action <= 2 * kinds or not possible(cython.address(room.state), room.pool, n) & (1 << move):
            raise ValueError("a move is not possible")
        follow(gold, room, move)
        used = moved(cython.address(room.state), room.pool, used, n, move, label_of(action, kinds))
    gold.costs[0] = gold.costs[1] = gold.costs[2] = 0
    costs_of(room, gold, n)
    atoms_of(cython.address(room.state), room.pool, room.tokens, n, room.atoms)
    keys_of(room.atoms, cython.address(templates[0, 0]), templates.shape[0], room.keys)
    keys = np.array([room.keys[i] for i in range(templates.shape[0])], dtype=np.uint64)
    found = possible(cython.address(room.state), room.pool, n)
    return found, (gold.costs[0], gold.costs[1], gold.costs[2]), keys
