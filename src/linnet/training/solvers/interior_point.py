"""The SVM with the hinge loss by an interior-point method: for few columns of any scales.

    primal  1/2 |w|^2 + sum_i C_i xi_i,   y_i (w . x_i + b) - 1 + xi_i = s_i,   xi_i, s_i >= 0
    dual    sum_i a_i - 1/2 |sum_i a_i y_i x_i|^2,   0 <= a_i <= C_i,   sum_i a_i y_i = 0

At the optimum a_i s_i = 0 and (C_i - a_i) xi_i = 0.  Newton's steps solve these with a small mu in place of 0, and mu
shrinks as fast as the bounds let the variables follow (Mehrotra 1992, On the implementation of a primal-dual
interior point method).  With few columns a step is cheap (Ferris, Munson 2002, Interior-point methods for massive
support vector machines): without the a_i, it is a system in w and b,

    (I + A' T A) dw = -(w - A'a) - A' T q,   da = -T (q + A dw),   A_i = y_i (x_i, 1),   T_i = 1 / (xi_i/u_i + s_i/a_i)

with u_i = C_i - a_i and 0 for the intercept in I.  Ten to twenty steps are enough, whatever C and the columns' scales,
where coordinate ascent on the dual may take thousands of sweeps.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from linnet.errors import NumericalError
from linnet.kernels import interior_point as kernel
from linnet.kernels.triangular import solve_factored
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import Certificate, Table, certify
from linnet.training.history import Pass, Watcher, ignore
from linnet.training.objective import PART, TOO_LARGE, Flat, Objective
from linnet.training.threads import added, over_parts

# Rows of no more numbers than this are kept as the steps take them: signed, dense, with a column for the intercept.
SMALL = 1 << 18
# How much of the way to the nearest bound a step takes.
SHORT_OF = 0.995
# After this many steps without a smaller gap, rounding keeps it from closing.
PATIENCE = 5


class _SignedRows:
    """A, in parts of a fixed number of rows: its products are the same for any number of threads."""

    def __init__(self, problem: Objective, part: int) -> None:
        self.problem, self.y = problem, problem.signed
        self.n, self.width = len(self.y), problem.columns + int(problem.intercept)
        self.rows_a_part = max(1, part // max(1, self.width))
        self._kept = self._made(0, self.n) if self.n * self.width <= SMALL else None

    def _made(self, first: int, last: int) -> Table:
        X, y = self.problem.rows.matrix(slice(first, last)), self.y[first:last, np.newaxis]
        into = np.empty((last - first, self.width))
        np.multiply(X if self.problem.rows.dense else X.toarray(), y, out=into[:, : self.problem.columns])
        if self.problem.intercept:
            into[:, -1:] = y
        return into

    def part(self, first: int, last: int) -> Table:
        return self._made(first, last) if self._kept is None else self._kept[first:last]

    def scores(self, w: Flat) -> Flat:
        """A w."""
        if self._kept is not None:
            return np.asarray(self._kept @ w)
        return np.concatenate(over_parts(lambda a, b: self.part(a, b) @ w, self.n, self.rows_a_part))

    def sums(self, amounts: Flat) -> Flat:
        """A' times these amounts."""
        if self._kept is not None:
            return np.asarray(amounts @ self._kept)
        return added(over_parts(lambda a, b: amounts[a:b] @ self.part(a, b), self.n, self.rows_a_part))

    def squares(self, T: Flat) -> Table:
        """A' T A."""

        def part(first: int, last: int) -> Table:
            weighed = self.part(first, last) * np.sqrt(T[first:last])[:, np.newaxis]
            return np.asarray(weighed.T @ weighed)

        if self._kept is not None:
            return part(0, self.n)
        return added(over_parts(part, self.n, self.rows_a_part))


class _Inside:
    """A point within the bounds, and the steps from it."""

    def __init__(self, problem: Objective, costs: Flat, part: int) -> None:
        self.A, self.costs = _SignedRows(problem, part), costs
        n = self.A.n
        self.penalised = np.ones(self.A.width)
        self.penalised[problem.columns :] = 0.0
        self.w, self.margins = np.zeros(self.A.width), np.zeros(n)
        self.a = 0.5 * costs
        # at w = 0 all margins are 0, so xi - s = 1
        self.s, self.xi = np.ones(n), np.full(n, 2.0)
        self.missing = -self.A.sums(self.a)
        self.loss, self.primal, self.dual, self.mistakes = 0.0, np.inf, -np.inf, n
        self._T, self._pulls, self._da, self._ds, self._dxi = (np.empty(n) for _ in range(5))

    def step(self) -> None:
        """A predictor, which shows how far mu may fall, and the step to that mu, as far as the bounds allow."""
        here, T, pulls = (self.costs, self.a, self.s, self.xi), self._T, self._pulls
        da, ds, dxi = self._da, self._ds, self._dxi
        kernel.weighed(*here, self.margins, T, pulls)
        self._factor(T)
        along = self.A.scores(self._solve(-self.missing - self.A.sums(pulls)))
        furthest, products, second = kernel.predicted(*here, self.margins, T, along, da)
        length = 1.0 / max(1.0, furthest)
        left = max(0.0, (1.0 - length) * products - length * length * second) / products
        kernel.aimed(*here, self.margins, T, da, left**3 * products / (2 * len(da)), ds, dxi, pulls)
        dw = self._solve(-self.missing - self.A.sums(pulls))
        along = self.A.scores(dw)
        furthest = kernel.directed(*here, T, along, pulls, da, ds, dxi)
        length = min(1.0, SHORT_OF / furthest) if furthest > 0 else 1.0
        self.w += length * dw
        self.loss, total, self.mistakes = kernel.moved(
            length, along, da, ds, dxi, self.costs, self.margins, self.a, self.s, self.xi
        )
        self._look(total)

    def _look(self, total: float) -> None:
        """The primal and the dual value here, but for an imbalance of the a_i, and what is missing of w = A'a."""
        pulled = self.A.sums(self.a)
        w, v = self.penalised * self.w, self.penalised * pulled
        self.missing = w - pulled
        self.primal = 0.5 * float(w @ w) + self.loss
        self.dual = total - 0.5 * float(v @ v)

    def _factor(self, T: Flat) -> None:
        table = self.A.squares(T)
        table.flat[:: len(table) + 1] += self.penalised
        diagonal = np.maximum(table.diagonal(), np.finfo(np.float64).tiny)
        self._unit = 1.0 / np.sqrt(diagonal)  # each column in its own unit, or small scales would count as zeros
        table *= self._unit
        table *= self._unit[:, np.newaxis]
        extra = 1e-13
        while extra < 1:
            try:
                self._lower = np.linalg.cholesky(table)
            except np.linalg.LinAlgError:  # nearly collinear columns: as with a little more penalty
                table.flat[:: len(table) + 1] += extra
                extra *= 10
            else:
                return
        raise NumericalError(TOO_LARGE)

    def _solve(self, right: Flat) -> Flat:
        """Not corrected by what is left of the right side: the next step is."""
        found = self._unit * right
        solve_factored(self._lower, found)
        return np.asarray(self._unit * found)


def descend(problem: Objective, how: Descent, watch: Watcher = ignore, *, part: int = PART) -> Found:
    """Steps until the relative gap is at most tol; for two classes and an L2 penalty."""
    c = problem.sample_weights
    if not len(c) or c.all():
        return _descended(problem, how, watch, part)
    there = np.flatnonzero(c)  # a row of no weight has no room between its bounds
    found = _descended(problem.in_order(there), how, watch, part)
    assert found.slopes is not None
    slopes = np.zeros((len(c), 1))
    slopes[there] = found.slopes
    return Found(found.weights, found.history, found.converged, found.certificate, slopes)


def _descended(problem: Objective, how: Descent, watch: Watcher, part: int) -> Found:
    n, scale = len(problem.targets), problem.total * problem.penalty.l2
    costs = (problem.sample_weights if len(problem.sample_weights) else np.ones(n)) / scale
    inside, history = _Inside(problem, costs, part), list[Pass]()
    best, weights, slopes = Certificate(np.inf, -np.inf), np.zeros(problem.size), np.zeros((n, 1))
    tol, least, in_vain = how.tol or 0.0, np.inf, 0
    while len(history) < how.most and in_vain < PATIENCE:
        began = perf_counter()
        inside.step()
        history.append(Pass(inside.mistakes, n, inside.loss / float(costs.sum()), perf_counter() - began))
        watch(history[-1])
        gap = abs(inside.primal - inside.dual)
        in_vain = 0 if gap < least else in_vain + 1
        if gap <= tol * inside.primal or len(history) == how.most or in_vain == PATIENCE:
            flat = np.zeros(problem.size)
            flat[: len(inside.w)] = inside.w
            found = -problem.signed * (inside.a / costs)
            certificate = certify(problem, flat, found[:, np.newaxis])
            if certificate.gap < best.gap or not np.isfinite(best.primal):
                best, weights, slopes = certificate, flat, found[:, np.newaxis]
            if best.within(tol):
                break
        least = min(least, gap)
    return Found(weights, history, how.tol is None or best.within(tol), best, slopes)
