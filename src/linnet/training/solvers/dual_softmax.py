"""Softmax over sparse rows, begun and proven in its dual (kernels/dual_softmax.py states both).

A sweep takes one step for every row, with the weights that all steps before have moved: on sparse rows the first few
dozen come nearer the optimum than hundreds of steps along a gradient, which see all rows at the same weights.  Where
rows have little in common, as normalised text has, they come all the way.  Elsewhere they slow down, and the weights
are a start for a method that does not.

Sweeps also prove the end of such a method.  At weights that are off the optimum by e, the objective is off by e'He / 2,
with H its Hessian, but the dual point that the slopes there make by e'HHe / (2 l2): far more where H is much larger
than l2.  Those are the directions that rows have in common, in which a few sweeps from that point suffice.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from linnet.data.rows import Examples
from linnet.errors import NumericalError
from linnet.kernels import dual_logistic as dual
from linnet.kernels import dual_softmax as kernel
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import Table, certify
from linnet.training.history import Pass, Watcher
from linnet.training.objective import Flat, Objective
from linnet.training.order import presentations
from linnet.training.row_losses import normalised_weights
from linnet.training.solvers.dual_ascent import RHO, TOO_LONG, squared_norm

# So few weights take few steps of any method, whose cost is then the calls, not the rows.
FEW_WEIGHTS = 100
# This many sweeps are worth their time in any case; more of them, while this many would do at the rate of the last.
SWEEPS, MORE = 24, 60
# At first all but this of a row's q is with its class: at 0 its logarithm would have no end.
ELSEWHERE = 1e-2
# A proof takes 4 to 6 sweeps mostly; what this many do not prove is not near enough to the optimum.
PROOF = 8


@dataclass(frozen=True)
class _Swept:
    """A sweep's tally, and estimates of the objective and of its gap from the rows as they were visited."""

    tally: Pass
    value: float
    gap: float


class DualSoftmax:
    """The q of all rows, and the weights and intercepts that they determine."""

    def __init__(self, problem: Objective) -> None:
        n, _ = problem.rows.shape
        outputs = problem.outputs
        self.problem, self.sweeps = problem, 0
        sample_weights = normalised_weights(problem)
        self._costs, self._lengths = sample_weights / problem.penalty.l2, np.empty(n)
        values, _, starts, d, dense = problem.rows.layout
        dual.squared_lengths(values, starts, d, dense, self._lengths)
        self._presentations = presentations(Examples(problem.rows, problem.targets), shuffle=True)
        self._rho = RHO * float(sample_weights @ self._lengths) if problem.intercept else 0.0
        with np.errstate(over="ignore"):
            if not np.isfinite(float(self._costs.max()) * (float(self._lengths.max()) + self._rho)):
                raise NumericalError(TOO_LONG)
        self._own = problem.targets.astype(np.int64)
        self._q = np.full((n, outputs), ELSEWHERE / outputs)
        self._q[np.arange(n), self._own] += 1.0 - ELSEWHERE
        self._logs = np.log(self._q)
        self._room = np.zeros((6, outputs))  # the intercepts, the balance of the classes, and room for a row
        self._determine_weights()

    def start_at(self, scores: Table, intercepts: Flat) -> None:
        """Start from the slopes of the losses at these scores."""
        shifted = scores - scores.max(axis=1, keepdims=True)
        shifted -= np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        np.maximum(shifted, kernel.LEAST_LOG, out=self._logs)
        np.exp(self._logs, out=self._q)
        self._room[0] = intercepts
        self._determine_weights()

    def _determine_weights(self) -> None:
        outputs, sums = self.problem.outputs, self.problem.summed(self._costs[:, np.newaxis] * self.slopes())
        self._weights, self._room[1] = -sums[:-outputs], -sums[-outputs:]

    def slopes(self) -> Table:
        """The dual point as duality_gap.py has it: of the loss by the scores, for a row of weight 1."""
        slopes = self._q.copy()
        slopes[np.arange(len(slopes)), self._own] -= 1.0
        return slopes

    def weights(self) -> Flat:
        """All, with the intercepts."""
        return np.append(self._weights, self._room[0])

    def value(self) -> float:
        """About what the dual is, once the classes are balanced: that costs their intercepts, to first order."""
        spread = float((self._costs * (self._q * self._logs).sum(axis=1)).sum())
        unbalanced = float((self._room[0] * self._room[1]).sum()) if self.problem.intercept else 0.0
        return self.problem.penalty.l2 * (-0.5 * squared_norm(self._weights) - spread - unbalanced)

    def sweep(self) -> _Swept:
        """One step for each row of some weight, in a new random order."""
        began, order = perf_counter(), self._presentations.in_pass(self.sweeps, 0)
        assert order is not None  # a shuffled order always is one
        order, rows = order[self._costs[order] > 0], self.problem.rows
        loss, gap, mistakes, lost = kernel.sweep(
            rows.values, rows.ids, rows.starts, order, self.problem.targets, self._costs, self._lengths, self._rho,
            self._logs, self._q, self._weights, self._room,
        )  # fmt: skip
        if lost >= 0:
            raise NumericalError(TOO_LONG)
        self.sweeps += 1
        if self.problem.intercept:
            self._room[0] += self._rho * self._room[1]
        l2 = self.problem.penalty.l2
        tally = Pass(mistakes, len(order), l2 * loss, perf_counter() - began)
        return _Swept(tally, l2 * (loss + 0.5 * squared_norm(self._weights)), l2 * gap)


def suits(problem: Objective) -> bool:
    """Whether there are sweeps for it, and they pay: on sparse rows, with no class whose weights are held at 0, and
    with more than a few weights."""
    return not problem.rows.dense and not problem.reference and problem.size > FEW_WEIGHTS


def begin(climbed: DualSoftmax, how: Descent, watch: Watcher) -> Found:
    """Sweeps while they are worth their time, or until the gap is proven: then it has converged.

    One step is left for the method that takes over.
    """
    problem, history, gaps = climbed.problem, list[Pass](), list[float]()
    tol, enough, tried = how.tol or 0.0, 0.0, np.inf
    while len(history) < how.most - 1 and (len(history) < SWEEPS or _left(gaps, enough) <= MORE):
        swept = climbed.sweep()
        history.append(swept.tally)
        gaps.append(max(swept.gap, 0.0))
        enough = tol * swept.value
        watch(swept.tally)
        # the gap after a sweep is about the gap it met, reduced by the same factor as from the sweep before
        left = swept.gap * min(1.0, swept.gap / gaps[-2]) if len(gaps) > 1 and gaps[-2] > 0 else swept.gap
        if how.tol is not None and left <= min(enough, 0.5 * tried):
            tried = left
            weights, slopes = climbed.weights(), climbed.slopes()
            certificate = certify(problem, weights, slopes)
            if certificate.within(tol):
                return Found(weights, history, True, certificate, slopes)
    return Found(climbed.weights(), history, False)


def _left(gaps: list[float], enough: float) -> float:
    """How many more sweeps it takes at the rate of the last half of them."""
    half = len(gaps) // 2
    if not gaps[-1] > enough > 0:
        return 0.0 if enough > 0 else np.inf
    rate = np.log(gaps[half - 1] / gaps[-1]) / (len(gaps) - half)
    return float(np.log(gaps[-1] / enough) / rate) if rate > 0 else np.inf


def prove(climbed: DualSoftmax, found: Found, scores: Table, value: float, tol: float, watch: Watcher) -> Found:
    """The same weights, of this objective and with these scores, with a certificate if a few sweeps give one.

    Every sweep is one more step in the history, with the loss and the mistakes of the weights, which stay.
    """
    problem, history, last = climbed.problem, list(found.history), found.history[-1]
    climbed.start_at(scores, found.weights[-problem.outputs :])
    for _ in range(PROOF):
        swept = climbed.sweep()
        history.append(last._replace(updates=swept.tally.updates, seconds=swept.tally.seconds))
        watch(history[-1])
        if value - climbed.value() <= tol * value:
            slopes = climbed.slopes()
            certificate = certify(problem, found.weights, slopes, scores=scores)
            if certificate.within(tol):
                return Found(found.weights, history, True, certificate, slopes)
    return Found(found.weights, history, False)
