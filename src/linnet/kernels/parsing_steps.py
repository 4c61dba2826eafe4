"""Passive-aggressive steps of a parser's weights (1-best MIRA: Crammer and others 2006).

Where a structure is wrong, w moves by τ Δ, with Δ the features of the true one less those of the guess, and

    τ = min(C, (loss - w·Δ) / ‖Δ‖²)

the least step after which the true one scores more than the guess by the loss, its number of mistakes.  τ is rounded to
a multiple of 2^-16: so weights below 256 and their sums over all steps are exact, as they are for whole steps, and the
mean of the weights is that of all weight vectors, to the last bit.
"""

import cython
import numpy as np
from cython.cimports.libc.stdlib import free, malloc, realloc
from cython.cimports.linnet.kernels.parsing_steps import Move, sort_moves, step_size
from cython.cimports.linnet.kernels.parsing_weights import Slot, Weights


@cython.final
@cython.cclass
class Steps:
    """The features of one step, gathered one by one; C is 0 for those of the perceptron, which are not gathered."""

    def __cinit__(self, C: cython.double):
        if not 0.0 <= C < 1e9:
            raise ValueError(f"C is {C}: at least 0, and below 1e9")
        self.C = C
        self.room = 1024
        self.moves = cython.cast(cython.pointer(Move), malloc(self.room * cython.sizeof(Move)))
        if not self.moves:
            raise MemoryError

    def __dealloc__(self):
        free(self.moves)

    def add(self, key, label, times):
        """Add a feature of the true structure (1) or of the guess (-1) to Δ."""
        if self.used == self.room:
            more: cython.p_void = realloc(self.moves, 2 * self.room * cython.sizeof(Move))
            if not more:
                with cython.gil:
                    raise MemoryError
            self.moves = cython.cast(cython.pointer(Move), more)
            self.room *= 2
        self.moves[self.used].key = key
        self.moves[self.used].label = label
        self.moves[self.used].times = times
        self.used += 1
        return 0

    def make(self, weights, loss):
        """Move the weights by τ Δ, and begin a new Δ."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        last: cython.Py_ssize_t = 0
        norm: cython.double = 0.0
        margin: cython.double = 0.0
        tau: cython.double
        slot: cython.pointer(Slot)
        moves: cython.pointer(Move) = self.moves
        sort_moves(moves, self.used)
        for i in range(1, self.used):  # what both have in common is no difference
            if moves[i].key == moves[last].key and moves[i].label == moves[last].label:
                moves[last].times += moves[i].times
            else:
                last += 1
                moves[last] = moves[i]
        if self.used:
            self.used = last + 1
        for i in range(self.used):
            norm += cython.cast(cython.double, moves[i].times) * moves[i].times
            slot = weights.find(moves[i].key)
            if slot.room and moves[i].times:
                for j in range(slot.start, slot.start + slot.count):
                    if weights.entries[j].label == moves[i].label:
                        margin += moves[i].times * cython.cast(cython.double, weights.entries[j].w)
        tau = step_size((loss - margin) / norm, self.C) if norm > 0.0 else 0.0
        if tau > 0.0:
            for i in range(self.used):
                if moves[i].times:
                    weights.change(moves[i].key, moves[i].label, cython.cast(cython.float, tau * moves[i].times))
        self.used = 0
        return 0


def step_by(
    weights: Weights,
    keys: cython.const[cython.ulonglong][::1],
    labels: cython.const[cython.uint][::1],
    times: cython.const[cython.int][::1],
    loss: cython.double,
    C: cython.double,
):
    """One step by these features, for tests."""
    i: cython.Py_ssize_t
    steps: Steps = Steps(C)
    if weights.frozen or not keys.shape[0] == labels.shape[0] == times.shape[0]:
        raise ValueError("keys, classes and times do not fit")
    if keys.shape[0] and int(np.asarray(labels).max()) >= weights.classes:
        raise ValueError("a class that the weights have not got")
    for i in range(keys.shape[0]):
        steps.add(keys[i], labels[i], times[i])
    steps.make(weights, loss)
