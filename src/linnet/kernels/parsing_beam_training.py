"""Training the transition parser with a beam, by the averaged perceptron for inexact search.

The gold sequence makes each arc as soon as it can.  Where the best sequence of the beam (parsing_beam.py) at the end is
another, weights rise along a prefix of the gold sequence and fall along the best other prefix of that length, and which
length is the choice of an update:

    max-violation  where the gold prefix falls behind the best one by most (Huang, Fayong, Guo 2012, Structured
                   perceptron with inexact search)
    early          where the gold prefix falls out of the beam, or at the end (Collins, Roark 2004)
"""

import cython
from cython.cimports.linnet.kernels.parsing_beam import Beam, BeamRoom, Item, advance, offer_all, score_state, start
from cython.cimports.linnet.kernels.parsing_greedy import (
    Oracle,
    Room,
    Workspace,
    costs_of,
    follow,
    label_of,
    move_of,
    place_gold,
    place_tokens,
)  # fmt: skip
from cython.cimports.linnet.kernels.parsing_steps import Steps
from cython.cimports.linnet.kernels.parsing_transitions import (
    LEFT,
    RIGHT,
    SHIFT,
    atoms_of,
    keys_of,
    moved,
    possible,
)  # fmt: skip
from cython.cimports.linnet.kernels.parsing_weights import Weights

from linnet.kernels.parsing_beam import MOST_WIDTH
from linnet.kernels.parsing_checks import checked, longest_of


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gold_action(
    room: cython.pointer(Room), gold: cython.pointer(Oracle), n: cython.int, labels: cython.int
) -> cython.int:
    """The class that the gold sequence takes in room.state: an arc if it costs nothing, else SHIFT.

    Of a tree that is not projective, the move that loses least.
    """
    moves: cython.int = possible(cython.address(room.state), room.pool, n)
    best: cython.int = -1
    s0: cython.int = room.pool[room.state.top].node
    costs_of(room, gold, n)
    if moves & (1 << LEFT):
        best = LEFT
    if moves & (1 << RIGHT) and (best < 0 or gold.costs[RIGHT] < gold.costs[best]):
        best = RIGHT
    if moves & (1 << SHIFT) and (best < 0 or gold.costs[SHIFT] < gold.costs[best]):
        best = SHIFT
    if best == SHIFT:
        return 0
    return 1 + gold.labels[s0] if best == LEFT else 1 + labels + gold.labels[s0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gold_sequence(
    beam: cython.pointer(Beam),
    room: cython.pointer(Room),
    gold: cython.pointer(Oracle),
    n: cython.int,
    labels: cython.int,
) -> cython.void:
    """The states and classes of the gold sequence; their elements follow those of the first step in the pool."""
    step: cython.int
    action: cython.int
    room.state = beam.items[0].state
    beam.gold[0] = beam.items[0]
    for step in range(2 * n):
        action = gold_action(room, gold, n, labels)
        follow(gold, room, move_of(action, labels))
        beam.used = moved(
            cython.address(room.state), room.pool, beam.used, n, move_of(action, labels), label_of(action, labels)
        )
        beam.gold[step + 1].state = room.state
        beam.gold[step + 1].action = action


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def update(
    weights: Weights, beam: cython.pointer(Beam), room: cython.pointer(Room),
    templates: cython.pointer(cython.const[cython.schar]), count: cython.Py_ssize_t, n: cython.int, length: cython.int,
    steps: Steps,
) -> cython.int:  # fmt: skip
    """Raise weights along the gold prefix of this length, and lower them along the best one, from where they part; by
    1, or by a passive-aggressive step whose loss is the number of moves that differ."""
    loss: cython.int = 0
    step: cython.int
    at: cython.int = 0
    j: cython.Py_ssize_t
    item: cython.pointer(Item)
    before: cython.pointer(Item)
    # the path is marked in the items themselves, backwards: `counts` of a step becomes the place of its item
    for step in range(length, -1, -1):
        beam.counts[step] = at
        at = beam.items[cython.cast(cython.Py_ssize_t, step) * beam.width + at].parent
    step = 0
    while (
        step < length
        and beam.items[(cython.cast(cython.Py_ssize_t, step) + 1) * beam.width + beam.counts[step + 1]].action
        == beam.gold[step + 1].action
    ):
        step += 1
    while step < length:
        before = beam.items + cython.cast(cython.Py_ssize_t, step) * beam.width + beam.counts[step]
        item = beam.items + (cython.cast(cython.Py_ssize_t, step) + 1) * beam.width + beam.counts[step + 1]
        atoms_of(cython.address(before.state), room.pool, room.tokens, n, room.atoms)
        keys_of(room.atoms, templates, count, room.keys)
        loss += item.action != beam.gold[step + 1].action
        for j in range(count):
            if steps.C > 0.0:
                steps.add(room.keys[j], cython.cast(cython.uint, item.action), -1)
            else:
                weights.change(room.keys[j], cython.cast(cython.uint, item.action), -1.0)
        atoms_of(cython.address(beam.gold[step].state), room.pool, room.tokens, n, room.atoms)
        keys_of(room.atoms, templates, count, room.keys)
        for j in range(count):
            if steps.C > 0.0:
                steps.add(room.keys[j], cython.cast(cython.uint, beam.gold[step + 1].action), 1)
            else:
                weights.change(room.keys[j], cython.cast(cython.uint, beam.gold[step + 1].action), 1.0)
        step += 1
    if steps.C > 0.0:
        steps.make(weights, loss)
    return 0


def train(
    weights: Weights,
    templates: cython.const[cython.schar][:, ::1],
    tokens: cython.const[cython.ulonglong][:, ::1],
    starts: cython.const[cython.longlong][::1],
    heads: cython.const[cython.int][::1],
    labels: cython.const[cython.int][::1],
    allowed: cython.const[cython.uchar][:, ::1],
    order: cython.const[cython.longlong][::1],
    width: cython.int,
    early: cython.bint,
    C: cython.double = 0.0,
):
    """Train on the sentences of `order`; arrays as in parsing_greedy.train.  Returns how many sentences were wrong;
    the same once more, as they are the decisions of this parser; and the number of sentences."""
    checked(weights, templates, tokens, starts, heads, labels, allowed, order)
    if not 1 <= width <= MOST_WIDTH:
        raise ValueError(f"a beam is 1 to {MOST_WIDTH} wide, not {width}")
    kinds: cython.int = allowed.shape[1]
    count: cython.Py_ssize_t = templates.shape[0]
    longest: cython.Py_ssize_t = longest_of(starts, order)
    cython.declare(i=cython.Py_ssize_t, s=cython.longlong, n=cython.int, j=cython.int, step=cython.int, kept=cython.int)
    cython.declare(gold_at=cython.int, action=cython.int, length=cython.int, mistakes=cython.longlong)
    cython.declare(behind=cython.double, most=cython.double, reached=cython.double)
    cython.declare(item=cython.pointer(Item), flags=cython.pointer(cython.const[cython.uchar]))
    cython.declare(plan=cython.pointer(cython.const[cython.schar]))
    plan = cython.address(templates[0, 0])
    mistakes = 0
    steps: Steps = Steps(C)
    held: BeamRoom = BeamRoom(longest, width)
    beam: cython.pointer(Beam) = cython.address(held.beam)
    elements: cython.Py_ssize_t = 2 * longest * (width + 1) + 1
    work: Workspace = Workspace(longest, elements, weights.stride)
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
            start(beam, room, n)
            gold_sequence(beam, room, gold, n, kinds)
            gold_at = 0
            length = 0
            most = -1.0
            reached = 0.0
            for step in range(2 * n):
                flags = cython.address(allowed[1 if step < 2 * n - 1 else 0, 0])
                action = beam.gold[step + 1].action
                if gold_at < 0:
                    score_state(weights, room, cython.address(beam.gold[step].state), plan, count, n, 0.0)
                    reached += room.scores[action]
                kept = 0
                for j in range(beam.counts[step]):
                    item = beam.items + cython.cast(cython.Py_ssize_t, step) * width + j
                    score_state(weights, room, cython.address(item.state), plan, count, n, 0.0)
                    if j == gold_at:
                        reached += room.scores[action]
                    kept = offer_all(beam, room, item, j, kept, n, kinds, flags)
                advance(beam, room, step, kept, n, kinds)
                if gold_at >= 0:
                    for j in range(kept + 1):
                        if j == kept:
                            gold_at = -1
                        elif beam.candidates[j].parent == gold_at and beam.candidates[j].action == action:
                            gold_at = j
                            break
                behind = beam.candidates[0].score - reached
                if gold_at != 0 and behind >= most:
                    most = behind
                    length = step + 1
                if early and gold_at < 0:
                    length = step + 1
                    break
            weights.steps += 1.0
            if gold_at != 0:
                mistakes += 1
                update(weights, beam, room, plan, count, n, length, steps)
    return mistakes, mistakes, order.shape[0]
