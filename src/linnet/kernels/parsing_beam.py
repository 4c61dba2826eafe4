"""The transition parser with a beam: the best sequences of moves by the sum of their scores.

    score(moves) = sum over t of w[move t] . features(state t)

A beam keeps the `width` best states after each move; all sequences of a sentence are equally long.  With a beam as wide
as there are sequences the search is exact.  Training for it: parsing_beam_training.py.
"""

import cython
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.linnet.kernels.parsing_beam import Beam, Candidate, Item
from cython.cimports.linnet.kernels.parsing_greedy import Room, Workspace, label_of, move_of, place_tokens
from cython.cimports.linnet.kernels.parsing_transitions import (
    LEFT,
    RIGHT,
    SHIFT,
    State,
    atoms_of,
    begin,
    keys_of,
    moved,
    possible,
)  # fmt: skip
from cython.cimports.linnet.kernels.parsing_weights import Weights

from linnet.kernels.parsing_checks import checked, longest_of

MOST_WIDTH = 1 << 12


@cython.cclass
class BeamRoom:
    """Room for what a beam keeps of a sentence of up to `longest` words."""

    def __cinit__(self, longest: cython.Py_ssize_t, width: cython.int):
        steps: cython.Py_ssize_t = 2 * longest + 1
        self.beam.width = width
        self.beam.items = cython.cast(cython.pointer(Item), malloc(steps * width * cython.sizeof(Item)))
        self.beam.gold = cython.cast(cython.pointer(Item), malloc(steps * cython.sizeof(Item)))
        self.beam.counts = cython.cast(cython.p_int, malloc(steps * cython.sizeof(cython.int)))
        self.beam.candidates = cython.cast(cython.pointer(Candidate), malloc((width + 1) * cython.sizeof(Candidate)))
        if not (self.beam.items and self.beam.gold and self.beam.counts and self.beam.candidates):
            raise MemoryError

    def __dealloc__(self):
        free(self.beam.items)
        free(self.beam.gold)
        free(self.beam.counts)
        free(self.beam.candidates)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def offer(
    beam: cython.pointer(Beam), kept: cython.int, score: cython.double, parent: cython.int, action: cython.int
) -> cython.int:
    """Keep a candidate if it is among the best so far, which are in descending order; of equal ones the first stay."""
    at: cython.int = kept
    if kept == beam.width:
        if not score > beam.candidates[kept - 1].score:
            return kept
        at = kept - 1
        kept -= 1
    while at > 0 and score > beam.candidates[at - 1].score:
        beam.candidates[at] = beam.candidates[at - 1]
        at -= 1
    beam.candidates[at].score = score
    beam.candidates[at].parent = parent
    beam.candidates[at].action = action
    return kept + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_state(
    weights: Weights, room: cython.pointer(Room), state: cython.pointer(State),
    templates: cython.pointer(cython.const[cython.schar]), count: cython.Py_ssize_t, n: cython.int,
    average: cython.double,
) -> cython.void:  # fmt: skip
    """The scores of all classes in a state."""
    atoms_of(state, room.pool, room.tokens, n, room.atoms)
    keys_of(room.atoms, templates, count, room.keys)
    weights.scores(room.keys, count, room.found, average, room.scores)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def offer_all(
    beam: cython.pointer(Beam), room: cython.pointer(Room), item: cython.pointer(Item), parent: cython.int,
    kept: cython.int, n: cython.int, labels: cython.int, allowed: cython.pointer(cython.const[cython.uchar]),
) -> cython.int:  # fmt: skip
    """Offer all that may follow an item, whose scores are in the room."""
    k: cython.int
    moves: cython.int = possible(cython.address(item.state), room.pool, n)
    if moves & (1 << SHIFT):
        kept = offer(beam, kept, item.score + room.scores[0], parent, 0)
    if moves & (1 << LEFT):
        for k in range(1, 1 + labels):
            if allowed[k - 1]:
                kept = offer(beam, kept, item.score + room.scores[k], parent, k)
    if moves & (1 << RIGHT):
        for k in range(1 + labels, 1 + 2 * labels):
            if allowed[k - 1 - labels]:
                kept = offer(beam, kept, item.score + room.scores[k], parent, k)
    return kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def advance(
    beam: cython.pointer(Beam), room: cython.pointer(Room), step: cython.int, kept: cython.int, n: cython.int,
    labels: cython.int,
) -> cython.void:  # fmt: skip
    """Make the items of the next step from the candidates."""
    j: cython.int
    item: cython.pointer(Item)
    for j in range(kept):
        item = beam.items + (cython.cast(cython.Py_ssize_t, step) + 1) * beam.width + j
        item.score = beam.candidates[j].score
        item.parent = beam.candidates[j].parent
        item.action = beam.candidates[j].action
        item.state = beam.items[cython.cast(cython.Py_ssize_t, step) * beam.width + item.parent].state
        beam.used = moved(
            cython.address(item.state), room.pool, beam.used, n, move_of(item.action, labels),
            label_of(item.action, labels),
        )  # fmt: skip
    beam.counts[step + 1] = kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def start(beam: cython.pointer(Beam), room: cython.pointer(Room), n: cython.int) -> cython.void:
    """The first step: one item."""
    begin(cython.address(beam.items[0].state), room.pool, n)
    beam.items[0].score = 0.0
    beam.items[0].parent = beam.items[0].action = -1
    beam.counts[0] = 1
    beam.used = 1


def parse(
    weights: Weights,
    templates: cython.const[cython.schar][:, ::1],
    tokens: cython.const[cython.ulonglong][:, ::1],
    starts: cython.const[cython.longlong][::1],
    allowed: cython.const[cython.uchar][:, ::1],
    average: cython.double,
    order: cython.const[cython.longlong][::1],
    width: cython.int,
    heads: cython.int[::1],
    labels: cython.int[::1],
    scores: cython.double[::1],
):
    """Parse the sentences of `order` with a beam; heads and labels are written in place, and into `scores`, for each
    sentence, the score of its sequence."""
    checked(weights, templates, tokens, starts, heads, labels, allowed, order, trees=False)
    if not 1 <= width <= MOST_WIDTH or scores.shape[0] != starts.shape[0] - 1:
        raise ValueError(f"a beam is 1 to {MOST_WIDTH} wide, not {width}; there is a score for each sentence")
    kinds: cython.int = allowed.shape[1]
    count: cython.Py_ssize_t = templates.shape[0]
    longest: cython.Py_ssize_t = longest_of(starts, order)
    cython.declare(i=cython.Py_ssize_t, s=cython.longlong, n=cython.int, j=cython.int, step=cython.int, kept=cython.int)
    cython.declare(item=cython.pointer(Item), before=cython.pointer(Item), at=cython.longlong, s0=cython.int)
    cython.declare(flags=cython.pointer(cython.const[cython.uchar]), plan=cython.pointer(cython.const[cython.schar]))
    plan = cython.address(templates[0, 0])
    held: BeamRoom = BeamRoom(longest, width)
    beam: cython.pointer(Beam) = cython.address(held.beam)
    elements: cython.Py_ssize_t = 2 * longest * width + 1
    work: Workspace = Workspace(longest, elements, weights.stride)
    room: cython.pointer(Room) = cython.address(work.room)
    with cython.nogil:
        for i in range(order.shape[0]):
            s = order[i]
            at = starts[s] - 1
            n = cython.cast(cython.int, starts[s + 1] - starts[s])
            if n == 0:
                continue
            place_tokens(room, cython.address(tokens[starts[s], 0]), n)
            start(beam, room, n)
            for step in range(2 * n):
                flags = cython.address(allowed[1 if step < 2 * n - 1 else 0, 0])
                kept = 0
                for j in range(beam.counts[step]):
                    item = beam.items + cython.cast(cython.Py_ssize_t, step) * width + j
                    score_state(weights, room, cython.address(item.state), plan, count, n, average)
                    kept = offer_all(beam, room, item, j, kept, n, kinds, flags)
                advance(beam, room, step, kept, n, kinds)
            item = beam.items + cython.cast(cython.Py_ssize_t, 2 * n) * width
            scores[s] = item.score
            for step in range(2 * n - 1, -1, -1):
                before = beam.items + cython.cast(cython.Py_ssize_t, step) * width + item.parent
                if item.action != 0:
                    s0 = room.pool[before.state.top].node
                    labels[at + s0] = label_of(item.action, kinds)
                    heads[at + s0] = (
                        before.state.b
                        if move_of(item.action, kinds) == LEFT
                        else room.pool[room.pool[before.state.top].below].node
                    )
                item = before
