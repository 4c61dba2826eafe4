"""Ridge regression, in closed form or by conjugate gradients.

    minimise  sum_i c_i (w . x_i + b - y_i)^2 + alpha |w|^2          (the intercept b is free)

which is 2 N times the squared objective of objective.py, whose l2 is alpha / N.  With m the weighted means, and
A = sqrt(c) (X - m), r = A' sqrt(c) (y - mean):

    narrow   (A'A + alpha I) w = r                   one pass over the rows, then Cholesky
    wide     w = A' u,  (A A' + alpha I) u = sqrt(c) (y - mean)
             many columns and rows from squares in single precision, with all digits (refined_ridge.py)
    else     by the singular values of A (least_squares.py), where either is too near to singular to keep its digits
    large    conjugate gradients (Hestenes, Stiefel 1952) on the first, with the diagonal as preconditioner

Conjugate gradients know how far they are from the optimum: with g the gradient of the objective f there,
f(w) - min f <= |g|^2 / (2 l2), which is the duality gap that the certificate shows.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples
from linnet.errors import NumericalError
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import Certificate, certify
from linnet.training.history import Pass, Watcher
from linnet.training.objective import Objective
from linnet.training.solvers.centred_squares import NARROWEST, centred_squares
from linnet.training.solvers.least_squares import TOO_LARGE, checked, decomposed, dense, examples_of
from linnet.training.solvers.least_squares import solve as least_squares
from linnet.training.solvers.normal_equations import by_squares
from linnet.training.solvers.positive_systems import positive_solution
from linnet.training.solvers.refined_ridge import refined
from linnet.training.solvers.ridge_certificate import certificate_of
from linnet.training.solvers.row_products import centred_products
from linnet.training.solvers.shortest import shortest

Flat = NDArray[np.float64]

# After some steps of conjugate gradients the closed form is quicker, if there are at most this many rows; whether they
# are enough is foreseen at every tenth, by those since FIRST.
FIRST, MULTIPLIED_AT_MOST = 5, 4096
# What either takes in nanoseconds, measured on one core: the closed form by n^3 / CUBES and n^2, a step by itself, by
# columns and by entries.
CUBES, BY_PAIR, BY_STEP, BY_COLUMN, BY_ENTRY = 135.0, 10.0, 3e4, 3.3, 0.9


def analytic(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """In closed form."""
    if problem.penalty.l2 == 0:
        return _unpenalised(problem, how, watch)
    began = perf_counter()
    w, b, proof = _solved(examples_of(problem), problem.penalty.l2 * problem.total, problem.intercept)
    flat = np.append(w, b)
    if proof is None:
        proof = _proof(problem, flat)
    loss = max(0.0, proof.primal - 0.5 * problem.penalty.l2 * float(w @ w))
    tally = Pass(0, 1, loss, perf_counter() - began)
    watch(tally)
    return Found(flat, [tally], True, proof)


def _unpenalised(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """By a table of squares, of columns or of rows; by singular values where those lose too many digits."""
    began, found = perf_counter(), _few_rows(problem) or by_squares(problem)
    if found is None:
        return least_squares(problem, how, watch)
    flat, proof = found
    tally = Pass(0, 1, proof.primal, perf_counter() - began)
    watch(tally)
    return Found(flat, [tally], True, proof)


def _few_rows(problem: Objective) -> tuple[Flat, Certificate] | None:
    found = shortest(examples_of(problem), intercept=problem.intercept)
    return None if found is None else (found[0][0].copy(), found[1][0])


def ridge(examples: Examples, alpha: float, *, intercept: bool) -> tuple[Flat, float]:
    """The weights and the intercept, in closed form."""
    return _solved(examples, alpha, intercept)[:2]


def _solved(examples: Examples, alpha: float, intercept: bool) -> tuple[Flat, float, Certificate | None]:
    """The weights, the intercept, and what the way to them proved already."""
    (n, d), proof = examples.rows.shape, None
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is solved by singular values instead
        found = refined(examples, alpha, intercept=intercept)
        if found is None and d <= n:
            found, proof = _narrow(examples, alpha, intercept)
        elif found is None:
            found = _wide(examples, alpha, intercept)
    if found is None:
        found = decomposed(examples, intercept=intercept).weights(alpha)
    return *checked(*found), proof


def _narrow(examples: Examples, alpha: float, intercept: bool) -> tuple[tuple[Flat, float] | None, Certificate | None]:
    """By the d x d table of squares."""
    d, found = examples.rows.shape[1], centred_squares(examples, intercept=intercept)
    table, means = found.squares[:d, :d].copy(), found.means
    table.flat[:: d + 1] += alpha
    if (table.diagonal() < NARROWEST * found.total * means[:d] ** 2).any():
        return None, None
    w = positive_solution(table, found.squares[:d, d])
    if w is None:
        return None, None
    return (w, float(means[d] - means[:d] @ w)), certificate_of(found, w, alpha)


def _wide(examples: Examples, alpha: float, intercept: bool) -> tuple[Flat, float] | None:
    """By the n x n table of the rows' products."""
    n, d = examples.rows.shape
    y, c = examples.targets, np.ones(n) if examples.weights is None else examples.weights
    root, mean = np.sqrt(c), float(c @ y / c.sum()) if intercept else 0.0
    table = centred_products(examples, c if intercept else None)
    table *= root[:, np.newaxis]
    table *= root
    table.flat[:: n + 1] += alpha
    u = positive_solution(table, root * (y - mean))
    if u is None:
        return None
    X = dense(examples, slice(0, n)) if examples.rows.dense else examples.rows.matrix()
    means = np.asarray(c @ X / c.sum() if intercept else np.zeros(d), dtype=np.float64)
    w = np.asarray((root * u) @ X - float(root @ u) * means, dtype=np.float64)
    return w, float(mean - means @ w)


def conjugate_gradients(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Until the duality gap is at most tol times the objective; without a penalty, |gradient| <= tol |first one|."""
    l2, curved = problem.penalty.l2, _Curvature(problem)
    history: list[Pass] = []
    w = how.begin(problem)[:-1]
    residual = curved.start if how.start is None else curved.start - curved.along(w) - l2 * w
    scale = 1.0 / np.where(curved.diagonal + l2 > 0, curved.diagonal + l2, 1.0)
    ahead = scale * residual
    direction, product = ahead, float(residual @ ahead)
    first, patience = float(curved.start @ curved.start), _patience(problem)

    def near(value: float) -> bool:
        squared, tol = float(residual @ residual), how.tol or 0.0
        return squared <= (2.0 * l2 * tol * value if l2 > 0 else tol**2 * first)

    def value_there() -> float:
        return curved.variance - 0.5 * float(w @ (curved.start + residual))

    def too_few(steps: int) -> bool:
        """Whether steps are too few while they are quicker than the closed form, if all are like these."""
        if steps == patience or steps % 10 or steps < 2 * FIRST:
            return steps == patience
        left, goal = float(residual @ residual), 2.0 * l2 * (how.tol or 0.0) * value_there()
        if not 0 < goal < left < begun:
            return bool(left >= begun)
        return bool((steps - FIRST) * np.log(begun / goal) > (patience - FIRST) * np.log(begun / left))

    met = how.tol is None or not residual.any() or (how.start is not None and near(value_there()))
    closer, tried, begun = None, False, first
    while len(history) < how.most and product > 0 and not (met and how.tol is not None):
        began = perf_counter()
        bent = curved.along(direction) + l2 * direction
        step = product / float(direction @ bent)
        w = w + step * direction
        residual = residual - step * bent
        if len(history) + 1 == FIRST:
            begun = float(residual @ residual)
        if not tried and too_few(len(history) + 1):
            tried, closer = True, _by_products(problem)
            if closer is not None:
                w, residual = closer, curved.start - curved.along(closer) - l2 * closer
        value = value_there()
        loss = value - 0.5 * l2 * float(w @ w)
        history.append(Pass(0, 1, loss, perf_counter() - began))
        watch(history[-1])
        if how.tol is not None:
            met = near(value)
        ahead = scale * residual
        before, product = product, float(residual @ ahead)
        direction = ahead if closer is not None else ahead + product / before * direction
        closer = None
    if not np.isfinite(w).all():
        raise NumericalError(TOO_LARGE)
    flat = np.append(w, curved.target_mean - float(curved.means @ w))
    if not history:
        history.append(Pass(0, 0, value_there() - 0.5 * l2 * float(w @ w), 0.0))
    return Found(flat, history, met, _proof(problem, flat))


def _patience(problem: Objective) -> int:
    """How many steps of conjugate gradients take as long as the closed form."""
    n, d = problem.rows.shape
    step = BY_STEP + BY_COLUMN * d + BY_ENTRY * problem.rows.entries
    return max(2 * FIRST, round((n**3 / CUBES + BY_PAIR * n**2) / step))


def _by_products(problem: Objective) -> Flat | None:
    """The weights in closed form, of few wide rows under a weak penalty, by which gradients take long."""
    n, d = problem.rows.shape
    if problem.penalty.l2 == 0 or n > MULTIPLIED_AT_MOST or d <= n:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        found = _wide(examples_of(problem), problem.penalty.l2 * problem.total, problem.intercept)
    return None if found is None or not np.isfinite(found[0]).all() else found[0]


def _proof(problem: Objective, flat: Flat) -> Certificate:
    """The certificate; none where squares leave the range of numbers."""
    proof = certify(problem, flat)
    if np.isfinite(proof.primal) and not np.isnan(proof.dual):
        return proof
    return Certificate(proof.primal, -np.inf, "the squares leave the range of numbers")


class _Curvature:
    """The Hessian of the loss, (1/N) sum_i c_i (x_i - m)(x_i - m)', as a product with a vector.

    The kernel that sums the gradient does it in one read of the rows: with all targets 0 the gradient at (v, -m . v) is
    the Hessian times v, centred row by row and so without cancellation.
    """

    def __init__(self, problem: Objective) -> None:
        examples = examples_of(problem)
        y = problem.targets
        c = np.ones(len(y)) if examples.weights is None else examples.weights
        self.problem = problem
        self.plain = Objective(
            Examples(problem.rows, np.zeros(len(y)), examples.weights),
            Loss.SQUARED,
            Penalty(),
            1,
            intercept=problem.intercept,
            regression=True,
        )
        self.means, self.target_mean = np.zeros(problem.columns), 0.0
        if problem.intercept:
            one = np.append(np.zeros(problem.columns), 1.0)
            self.means = -self.plain.pull(one)[0][:-1]
            self.target_mean = float(c @ y) / problem.total
        self.start = problem.pull(np.append(np.zeros(problem.columns), self.target_mean))[0][:-1]
        self.variance = 0.5 * float(c @ (y - self.target_mean) ** 2) / problem.total
        self.diagonal = np.maximum(problem.column_squares() - self.means**2, 0.0)

    def along(self, v: Flat) -> Flat:
        return -self.plain.pull(np.append(v, -float(self.means @ v)))[0][:-1]
