"""Softmax with an L2 penalty by L-BFGS over all classes' weights, until a proven gap is small enough.

Sparse rows begin with sweeps of the dual, which are all it takes where rows have little in common (dual_softmax.py).
Then it is L-BFGS (Liu, Nocedal 1989) with two changes, which make a step cost one read of the rows there and one back:

- Along a step the scores are z + t X p: the search for its length needs no further pass, so it can be a good one, by
  Newton's method on t.
- The last steps s and changes of the gradient y are only read twice: once for their products with the new gradient, and
  once for their combination (kernels/quasi_newton.py); between the two all is done on the small table of their products
  (Chen, Wang, Zhou 2014, Large-scale L-BFGS using MapReduce).  Those of many weights are kept in single precision: they
  only shape the direction.

At weights of gradient g the slopes of the losses are a dual point with a gap of |g|^2 / (2 l2), but for the intercepts'
part; duality_gap.py certifies it.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.errors import NumericalError
from linnet.kernels import quasi_newton as memories
from linnet.kernels import softmax as kernel
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import certify
from linnet.training.history import Pass, Watcher, ignore
from linnet.training.objective import TOO_LARGE, Flat, Objective
from linnet.training.row_losses import normalised_weights
from linnet.training.solvers import dual_softmax
from linnet.training.solvers.dual_softmax import FEW_WEIGHTS
from linnet.training.threads import over_parts

Table = NDArray[np.float64]

# How many of the last steps are remembered.
REMEMBERED = 10
# Weights are measured in their column's unit to this power.  Whole units undo the columns' scales, but bring rare
# columns level with common ones; no units leave it all to L-BFGS.  On word counts a
# power of 1/4 came furthest in the first hundred steps.  Few weights are measured in whole units, and
# remembered in double precision, which costs them nothing.
UNIT_POWER = 0.25
# Numbers a part, for work on weights and on scores.
PART = 1 << 16
# A length is good where f has fallen by this fraction of what the slope promised, and the slope by all but this.
ENOUGH = 1e-4
FLAT = 0.3
TRIALS = 30
# A fall of less than this fraction of f is lost in its rounding.
ROUNDING = 1e-15
# What f will still fall by is estimated from twice this many steps, and little if at most this fraction of the gap.
LOOK = 10
LITTLE = 0.25


class _Memory:
    """The last steps s and changes y of the gradient, and the products of all of them and of the gradient."""

    def __init__(self, size: int) -> None:
        self.kept = np.zeros((2 * REMEMBERED, size), dtype=np.float64 if size <= FEW_WEIGHTS else np.float32)
        self.products = np.zeros((2 * REMEMBERED + 1, 2 * REMEMBERED + 1))
        self.slots: list[int] = []

    def next_slot(self) -> int:
        """Where the next step goes: over the oldest, once there is no more room."""
        if len(self.slots) == REMEMBERED:
            return self.slots.pop(0)
        return min(set(range(REMEMBERED)) - set(self.slots))

    def remember(self, slot: int, along: Flat, bend: float, squared: float) -> None:
        """The step and the change that are new in this slot, by the products of all and of the gradient with the
        gradient, of the two with one another, and of the change with itself.

        A change's products are differences of the gradient's.  Those of a step with earlier changes are not needed.
        """
        y, last, table = slot + REMEMBERED, 2 * REMEMBERED, self.products
        table[y, :last] = table[:last, y] = along[:last] - table[last, :last]
        table[last] = table[:, last] = along
        table[y, slot], table[slot, y], table[y, y] = bend, bend, squared
        if bend > 0:
            self.slots.append(slot)

    def combination(self) -> Flat:
        """The coefficients of steps, changes and gradient in the next direction: the two loops of L-BFGS."""
        products, last = self.products, 2 * REMEMBERED
        c = np.zeros(last + 1)
        c[last] = -1.0
        alphas = {}
        for s in reversed(self.slots):
            y = s + REMEMBERED
            alphas[s] = float(products[s] @ c) / products[s, y]
            c[y] -= alphas[s]
        if self.slots:
            y = self.slots[-1] + REMEMBERED
            c *= products[self.slots[-1], y] / products[y, y]
        for s in self.slots:
            c[s] += alphas[s] - float(products[s + REMEMBERED] @ c) / products[s, s + REMEMBERED]
        return c


class _Walk:
    """Weights, their scores, f, and, measured in each column's unit, its gradient and the memory."""

    def __init__(self, problem: Objective, start: Flat | None, part: int) -> None:
        self.problem, self.normalised_weights, self.part = problem, normalised_weights(problem), part
        self.units = problem.units() ** (1.0 if problem.size <= FEW_WEIGHTS else UNIT_POWER)
        self.per_unit = 1.0 / self.units
        self.l2, self.penalised = problem.penalty.l2, problem.size - problem.outputs
        self.weights = np.zeros(problem.size) if start is None else start.copy()
        self.scores = problem.scores(self.weights)
        self.direction, self.change = np.zeros(problem.size), np.zeros_like(self.scores)
        self.slopes, self.gradient = np.empty_like(self.scores), np.zeros(problem.size)
        self.room, self.memory = np.empty(problem.size), _Memory(problem.size)
        self.loss, _, _, self.mistakes = self._along(0.0)
        self.squared = self.l2 * float(np.sum(problem.penalised(self.weights) ** 2))
        self.steepness = self._arrive(0.0)

    @property
    def value(self) -> float:
        return self.loss + 0.5 * self.squared

    def _along(self, length: float) -> tuple[float, float, float, int]:
        """Loss, slope, bend and mistakes so far along the direction; the slopes by the scores are set."""

        def part(first: int, last: int) -> tuple[float, float, float, int]:
            at = slice(first, last)
            found: tuple[float, float, float, int] = kernel.along(
                self.scores[at], self.change[at], length,
                self.problem.targets[at], self.normalised_weights[at], self.slopes[at],
            )  # fmt: skip
            return found

        sums = over_parts(part, len(self.scores), max(1, self.part // self.problem.outputs))
        loss, slope, bend, mistakes = (sum(each) for each in zip(*sums, strict=True))
        return float(loss), float(slope), float(bend), int(mistakes)

    def step(self) -> bool:
        """Take one step; False where f can fall no further."""
        crossed, squared, slope = self._turn()
        if not slope < 0 and self.memory.slots:
            self.memory = _Memory(self.problem.size)
            self.memory.products[-1, -1] = 1.0
            crossed, squared, slope = self._turn()
        if not np.isfinite(slope):
            raise NumericalError(TOO_LARGE)
        self.problem.scores(self.direction, self.change)
        length = self._length(crossed, squared, slope)
        if length == 0.0:
            return False
        self.squared += length * (2.0 * crossed + length * squared)
        self.scores += length * self.change
        self.steepness = self._arrive(length)
        return True

    def _turn(self) -> tuple[float, float, float]:
        """Set the direction; its penalty with the weights and with itself; f's slope that way."""
        c = self.memory.combination()
        kept = c[:-1].astype(self.memory.kept.dtype)

        def part(first: int, stop: int) -> tuple[float, float, float]:
            sums: tuple[float, float, float] = memories.direction(
                first, stop, kept, self.memory.kept, c[-1], self.gradient,
                self.per_unit, self.weights, self.penalised, self.direction,
            )  # fmt: skip
            return sums

        sums = over_parts(part, self.problem.size, self.part)
        slope, crossed, squared = (float(sum(each)) for each in zip(*sums, strict=True))
        return self.l2 * crossed, self.l2 * squared, slope

    def _length(self, crossed: float, squared: float, slope: float) -> float:
        """The length of the step: Newton's method on it, kept between one too short and one too long."""
        least, most, before = 0.0, np.inf, self.value
        length = 1.0
        if not self.memory.slots:
            length = -slope / (self._along(0.0)[2] + squared)
        for _ in range(TRIALS):
            loss, rise, bend, mistakes = self._along(length)
            value = loss + 0.5 * (self.squared + length * (2.0 * crossed + length * squared))
            rise += crossed + length * squared
            fell = value <= before + ENOUGH * length * slope + ROUNDING * before
            if fell and abs(rise) <= FLAT * -slope:
                break
            if fell and rise < 0:
                least = length
            else:
                most = length
            length -= rise / (bend + squared) if bend + squared > 0 else 0.0
            if not least < length < most:
                length = 0.5 * (least + most) if np.isfinite(most) else 2.0 * least
        else:
            if not fell:
                return 0.0
        self.loss, self.mistakes = loss, mistakes
        return length if -slope * length > ROUNDING * before else 0.0

    def _arrive(self, length: float) -> float:
        """Take the step of this length, work out the gradient there, and remember; |gradient|^2, but for intercepts."""
        problem, memory = self.problem, self.memory
        summed = problem.summed(self.slopes, self.room)
        if not problem.intercept:
            summed[-problem.outputs :] = 0.0
        slot = memory.next_slot()

        def part(first: int, stop: int) -> Flat:
            along = np.empty(2 * REMEMBERED)
            sums = memories.arrival(
                first, stop, length, self.direction, summed, self.units, self.per_unit, self.l2, self.penalised,
                self.weights, self.gradient, memory.kept, slot, along,
            )  # fmt: skip
            return np.append(along, sums)

        sums = np.sum(over_parts(part, problem.size, self.part), axis=0)
        if not np.isfinite(sums).all():
            raise NumericalError(TOO_LARGE)
        *along, bend, squared, steepness = sums
        memory.remember(slot, np.array(along), bend, squared)
        return float(steepness)


class _Falls:
    """The values that f has had, and what it will still fall by."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def left(self) -> float:
        """Estimated from the falls over the last LOOK steps and over those before: the next ones in proportion."""
        if len(self.values) <= 2 * LOOK:
            return np.inf
        before, middle, now = (self.values[-1 - back] for back in (2 * LOOK, LOOK, 0))
        rate = (middle - now) / (before - middle) if before > middle else 1.0
        return (middle - now) * rate / (1.0 - rate) if rate < 1.0 else np.inf


def lbfgs(problem: Objective, how: Descent, watch: Watcher = ignore, *, part: int = PART) -> Found:
    """Steps until the gap is at most tol, or until rounding lets f fall no further; threads take parts of this size.

    Over sparse rows the first are sweeps of the dual, and the last, once f will fall by little more, are to prove it.
    """
    start, history, dual = how.start, list[Pass](), None
    if how.most > 1 and dual_softmax.suits(problem):
        dual = dual_softmax.DualSoftmax(problem)
        if start is None:
            begun = dual_softmax.begin(dual, how, watch)
            if begun.converged:
                return begun
            start, history = begun.weights, begun.history
    walk = _Walk(problem, start, part)
    tol, aim, l2, tried, falls, little = how.tol or 0.0, how.aim, problem.penalty.l2, np.inf, _Falls(), np.inf
    while True:
        began = perf_counter()
        ends = not walk.step() or len(history) + 1 >= how.most
        tally = Pass(walk.mistakes, len(problem.targets), walk.loss, perf_counter() - began)
        history.append(tally)
        watch(tally)
        guess = 0.5 * walk.steepness / l2
        if ends or guess <= min(aim * walk.value, 0.5 * tried):
            tried = guess
            certificate = certify(problem, walk.weights, scores=walk.scores)
            if ends or certificate.within(tol):
                break
        falls.values.append(walk.value)
        if dual is not None and falls.left() <= min(LITTLE * aim * walk.value, 0.5 * little):
            little = falls.left()
            if len(history) + dual_softmax.PROOF < how.most:
                found = dual_softmax.prove(
                    dual, Found(walk.weights, history, False), walk.scores, walk.value, tol, watch
                )
                if found.converged:
                    return found
                history = found.history
    return Found(walk.weights, history, how.tol is None or certificate.within(tol), certificate)
