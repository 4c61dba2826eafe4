"""Quantile regression, a linear programme, by an interior point method or by HiGHS.

    minimise  sum_i c_i rho_q(y_i - w . x_i - b) / N + l1 |w|_1,      rho_q(r) = q r where r > 0, (q - 1) r elsewhere

has the dual

    maximise  sum_i a_i y_i,   sum_i a_i (x_i, 1) = (p, 0),   (q - 1) c_i / N <= a_i <= q c_i / N,   -l1 <= p_j <= l1

whose a are minus the weighted slopes of the losses.  The penalty is d more rows, with the entry 1 in one column each
and the target 0.  With t = a - its least value, 0 <= t <= u, the predictor-corrector steps of Mehrotra (1992) solve

    (X' D X) dw = X' D r,   D_i = 1 / (z_i / t_i + v_i / (u_i - t_i)),

z and v the multipliers of the two bounds, r = z - v the dual residual (Portnoy, Koenker 1997, The Gaussian hare and the
Laplacian tortoise): one table of the pairs of columns a step, some 10 to 30 steps whatever the number of rows.  At the
end the rows that the solution passes through are those whose a is between its bounds: they give the weights exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.cores import scipy
from linnet.errors import NumericalError, RecipeError
from linnet.learners.robust_losses import Pinball
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import certify
from linnet.training.history import Pass, Watcher
from linnet.training.objective import Flat, Objective
from linnet.training.positive_definite import ScaledFactors, mirrored
from linnet.training.row_losses import normalised_weights
from linnet.training.solvers.summed_squares import weighted_squares

Table = NDArray[np.float64]

# The part of the way to a bound that a step goes.
INSIDE = 0.99995
# The gap of the programme, beside the one that is asked for; and how much smaller it is made while that is not proven.
FRACTION, SMALLER, SMALLEST = 0.1, 0.03, 1e-15
# A gap that falls by less than this, this often, is kept from falling by rounding.
SLOWEST, PATIENCE = 0.99, 4
# Rows that are tried for the vertex, times the weights.
CANDIDATES = 3
# A multiplier of this fraction of its bounds' distance is between them.
BETWEEN = 1e-9
# The objective and its bound are sums that may be off by this fraction of their terms.
SUMMED = 1e-14
# The most entries of a table that HiGHS is given where the steps end too soon.
TABLE_AT_MOST = 1 << 18


@dataclass(eq=False)
class _Iterate:
    """t and its distance from the upper bound, the multipliers of both bounds, and the weights."""

    t: Flat
    left: Flat
    z: Flat
    v: Flat
    w: Flat

    @property
    def gap(self) -> float:
        return float(self.z @ self.t + self.v @ self.left)


class _Programme:
    """The rows and those of the penalty, behind them: products, and bounds."""

    def __init__(self, problem: Objective) -> None:
        loss = problem.loss
        if not isinstance(loss, Pinball):
            raise RecipeError("solver='interior-point' is for the pinball loss of quantiles")
        self.problem, self.n = problem, len(problem.targets)
        self.extra = problem.columns if problem.penalty.l1 > 0 else 0
        self.free = problem.columns + problem.intercept
        weights = normalised_weights(problem)
        # a row of weight 0 must have bounds that differ: it has none that matter
        self.weightless = weights == 0.0
        self.weights = np.maximum(weights, 1e-12 / problem.total)
        self.width = np.append(self.weights, np.full(self.extra, 2.0 * problem.penalty.l1))
        self.low = np.append((loss.quantile - 1.0) * self.weights, np.full(self.extra, -problem.penalty.l1))
        self.y = np.append(problem.targets, np.zeros(self.extra))

    def scores(self, w: Flat) -> Flat:
        """Every row times w."""
        flat = np.zeros(self.problem.size)
        flat[: self.free] = w
        return np.append(self.problem.scores(flat)[:, 0], w[: self.extra])

    def summed(self, amounts: Flat) -> Flat:
        """The sum of the rows, each times its amount."""
        sums = self.problem.summed(np.ascontiguousarray(amounts[: self.n, np.newaxis]))[: self.free]
        sums[: self.extra] += amounts[self.n :]
        return sums

    def factored(self, bends: Flat) -> ScaledFactors:
        """Of the table of squares, each row times its bend."""
        squares = weighted_squares(self.problem.rows, bends[: self.n])
        table = mirrored(squares[: self.free, : self.free].T)
        at = np.arange(self.extra)
        table[at, at] += bends[self.n :]
        return ScaledFactors(table)

    def begin(self) -> _Iterate:
        """a = 0, which meets all conditions; weights by least squares."""
        t = -self.low.copy()
        bends = (
            self.weights if not self.extra else np.append(self.weights, np.full(self.extra, 1e-3 / self.problem.total))
        )
        right = self.summed(np.append(self.weights * self.y[: self.n], np.zeros(self.extra)))
        w = self.factored(bends).solve(right)
        off = self.scores(w) - self.y
        spread = float(np.abs(off).mean()) or 1.0
        z = np.maximum(off, 0.0) + 0.1 * spread
        return _Iterate(t, self.width - t, z, z - off, w)

    def objective(self, w: Flat) -> float:
        off = self.y - self.scores(w)
        at_most = self.low + self.width
        return float(np.maximum(at_most * off, self.low * off).sum())

    def is_near(self, at: _Iterate, tol: float) -> bool:
        """Whether the objective is within tol of the dual's, and not only by the multipliers.

        Where columns are (nearly) collinear the steps lose the equations between weights, residuals and multipliers to
        rounding, and then a gap of multipliers bounds nothing.
        """
        a, value = at.t + self.low, self.objective(at.w)
        apart = max(at.gap, abs(value - float(a @ self.y)))
        return apart <= tol * value + SUMMED * float(np.abs(a) @ np.abs(self.y))


def interior_point(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Steps until the gap is proven to be at most tol; then the vertex next to it."""
    programme = _Programme(problem)
    history: list[Pass] = []
    at, enough, in_vain = programme.begin(), FRACTION * (how.tol or 0.0), 0
    best: Found | None = None
    for left in reversed(range(how.most)):
        began, before = perf_counter(), at.gap
        at = _stepped(programme, at)
        value = programme.objective(at.w)
        history.append(Pass(0, 1, value, perf_counter() - began))
        watch(history[-1])
        in_vain = in_vain + 1 if at.gap > SLOWEST * before else 0
        ends = left == 0 or in_vain == PATIENCE or at.gap <= SMALLEST * value
        if not ends and at.gap > enough * value:
            continue
        found = _ended(programme, at, how, history)
        best = found if best is None else _nearer(best, found)
        if ends or found.converged or found.certificate is None:
            break
        enough *= SMALLER
    assert best is not None
    if not best.converged and how.tol is not None and len(programme.y) * programme.free <= TABLE_AT_MOST:
        best = _better(programme, best, highs(problem, how, watch))
    return best


def _better(programme: _Programme, one: Found, other: Found) -> Found:
    """That with the lower objective, after the iterations of both; no higher than an optimum, it is one."""
    lower = min((other, one), key=lambda found: programme.objective(found.weights[: programme.free]))
    return replace(lower, history=[*one.history, *other.history], converged=one.converged or other.converged)


def _ended(programme: _Programme, at: _Iterate, how: Descent, history: list[Pass]) -> Found:
    """The vertex next to an iterate, and what is proven of it."""
    problem, tol = programme.problem, how.tol or 0.0
    flat = np.zeros(problem.size)
    flat[: programme.free] = _vertex(programme, at)
    near = how.tol is None or programme.is_near(at, tol)
    if not how.proven:
        return Found(flat, history, near)
    slopes = -(at.t + programme.low)[: programme.n, np.newaxis] / programme.weights[:, np.newaxis]
    certificate = certify(problem, flat, slopes)
    converged = near if certificate.reason or how.tol is None else certificate.within(tol)
    return Found(flat, history, converged, certificate, slopes)


def _nearer(one: Found, other: Found) -> Found:
    """That with the smaller proven gap."""
    assert one.certificate is not None
    assert other.certificate is not None
    return other if other.certificate.gap <= one.certificate.gap else one


def _stepped(programme: _Programme, at: _Iterate) -> _Iterate:
    """Mehrotra's predictor and corrector."""
    if at.gap == 0:
        return at
    t, s, z, v = at.t, at.left, at.z, at.v
    bends, r = 1.0 / (z / t + v / s), z - v
    try:
        factors = programme.factored(bends)
    except NumericalError:  # rows that are met exactly, to the last digit, are beyond all bounds
        return at
    right = programme.summed(bends * r)
    # with these signs the weights fall by dw
    dw = factors.solve(right)
    dt = bends * (programme.scores(dw) - r)
    dz, dv = -z * (1.0 + dt / t), -v * (1.0 - dt / s)
    primal, dual = _length(t, dt, s, -dt), _length(z, dz, v, dv)
    if min(primal, dual) < 1.0:
        gap = at.gap
        after = float((z + dual * dz) @ (t + primal * dt) + (v + dual * dv) @ (s - primal * dt))
        mu = gap * (after / gap) ** 3 / (2.0 * len(t))
        both = dt * dz / t + dt * dv / s  # ds = -dt
        xi = mu * (1.0 / t - 1.0 / s)
        right = right + programme.summed(bends * (both - xi))
        dw = factors.solve(right)
        change_z, change_v = dt * dz / t, -dt * dv / s
        dt = bends * (programme.scores(dw) + xi - r - both)
        dz = mu / t - z - z * dt / t - change_z
        dv = mu / s - v + v * dt / s - change_v
        primal, dual = _length(t, dt, s, -dt), _length(z, dz, v, dv)
    after_both = _Iterate(t + primal * dt, s - primal * dt, z + dual * dz, v + dual * dv, at.w - dual * dw)
    return after_both if np.isfinite(after_both.gap) else at  # rounding has taken the last digits


def _length(one: Flat, change_one: Flat, other: Flat, change_other: Flat) -> float:
    """How far both may go and stay above 0."""
    least = min(float((change_one / one).min()), float((change_other / other).min()))
    return 1.0 if least >= -INSIDE else INSIDE / -least


def _vertex(programme: _Programme, at: _Iterate) -> Flat:
    """The weights that pass through as many rows as there are weights, if they are no worse."""
    between = np.minimum(at.t, at.left) / programme.width
    between[: programme.n][programme.weightless] = 0.0
    count = min(CANDIDATES * programme.free, len(between))
    which = np.sort(np.argpartition(-between, count - 1)[:count])
    which = which[between[which] > BETWEEN]
    table = _rows_of(programme, which)
    if len(which) < programme.free:
        return at.w
    q, _, order = scipy("linalg").qr((table * between[which, np.newaxis]).T, mode="economic", pivoting=True)
    del q
    chosen = order[: programme.free]
    try:
        w = np.linalg.solve(table[chosen], programme.y[which[chosen]])
    except np.linalg.LinAlgError:
        return at.w
    penalties = which[chosen][which[chosen] >= programme.n]
    w[penalties - programme.n] = 0.0  # as their rows have it, but for rounding
    better = np.isfinite(w).all() and programme.objective(w) <= programme.objective(at.w)
    return np.asarray(w) if better else at.w


def _rows_of(programme: _Programme, which: NDArray[np.int64]) -> Table:
    """Some rows, with the intercept's 1, and those of the penalty."""
    d, real = programme.problem.columns, which[which < programme.n]
    X = programme.problem.rows.matrix(real)
    X = X.toarray() if hasattr(X, "toarray") else X
    table = np.zeros((len(which), programme.free))
    table[: len(real), :d] = X
    if programme.problem.intercept:
        table[: len(real), d] = 1.0
    table[np.arange(len(real), len(which)), which[len(real) :] - programme.n] = 1.0
    return table


def highs(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """By SciPy's HiGHS, to its own tolerances: for more columns than a table of their pairs allows."""
    sparse, optimize = scipy("sparse"), scipy("optimize")
    programme, began = _Programme(problem), perf_counter()
    n, d, free = programme.n, problem.columns, programme.free
    X = sparse.csr_array(problem.rows.matrix())
    if problem.intercept:
        X = sparse.hstack([X, np.ones((n, 1))])
    # over positive and negative parts of the weights, and of the residuals
    penalty = np.append(np.full(d, problem.penalty.l1), np.zeros(free - d))
    top, bottom = (programme.low + programme.width)[:n], -programme.low[:n]
    # times the rows, for its tolerances are absolute
    found = optimize.linprog(
        problem.total * np.concatenate([penalty, penalty, top, bottom]),
        A_eq=sparse.hstack([X, -X, sparse.eye_array(n), -sparse.eye_array(n)]).tocsc(),
        b_eq=problem.targets,
        method="highs",
    )
    if found.x is None:
        raise NumericalError(f"HiGHS found no optimum: {found.message}")
    flat = np.zeros(problem.size)
    flat[:free] = found.x[:free] - found.x[free : 2 * free]
    slopes = -np.asarray(found.eqlin.marginals)[:, np.newaxis] / (problem.total * programme.weights[:, np.newaxis])
    history = [Pass(0, 1, float(found.fun) / problem.total, perf_counter() - began)]
    watch(history[0])
    certificate = certify(problem, flat, slopes)
    converged = how.tol is None or certificate.within(how.tol) or bool(certificate.reason)
    return Found(flat, history, converged, certificate, slopes)
