"""Newton's method until a proven gap is small enough: logistic regression, two classes or softmax; the squared hinge;
generalised linear models, also without a penalty.

A step solves H p = -gradient (hessian.py) with H = X'DX + l2 I, D_i the second derivative of row i's loss: by
Cholesky where H is small, else by conjugate gradients, which ask only for H times a vector (Nash 1985, Preconditioning
of truncated-Newton methods; the preconditioner is the diagonal of H, or its blocks by class, class_blocks.py).  It is
halved until f itself falls enough (Armijo 1966): along the step the scores are z + t X p, which takes no further pass
over the rows.

The same step solves the dual.  With g the slopes of the losses at z, g + D X p are slopes that weigh

    X'(g + D X p) = gradient - l2 w + (H - l2 I) p = -l2 (w + p)

and nothing on the intercept: a dual point that fits w + p exactly.  What is left of the gap is how far each loss is
from its own parabola, which falls with the fourth power of the step and is not multiplied by 1 / l2, as the gap of the
slopes at w + p would be.  It is estimated from that, and certified (duality_gap.py) once the estimate is small enough.
Without a penalty, or for a loss that is not convex, nothing can be proven, and what a step gains decides.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.errors import NumericalError, RecipeError
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import certify
from linnet.training.history import Pass, Watcher, ignore
from linnet.training.objective import TOO_LARGE, Flat, Objective
from linnet.training.positive_definite import Factored, mirrored
from linnet.training.solvers import near_step, small_tables
from linnet.training.solvers.class_blocks import ClassBlocks, suits, worn_out_after
from linnet.training.solvers.fewer_rows import fewer
from linnet.training.solvers.hessian import Point
from linnet.training.solvers.softmax_point import DenseSums, point_at
from linnet.training.solvers.summed_squares import BLOCKING, Blocking, SummedSquares

Table = NDArray[np.float64]

# Armijo's fraction of the fall that the slope promises; and how often a step is halved.
ENOUGH = 1e-4
HALVINGS = 40
# A promised fall of less than this fraction of f is lost in its rounding.
ROUNDING = 1e-15
# Where f has not fallen by the fraction `tol` in this many steps, it does not fall to the optimum.
PATIENCE = 25
# The gap to which a sample of the rows is solved.
ROUGHLY = 1e-3
# After a step that promised less than this fraction of f, H is still good for one more.
NEAR = 2e-2
# A step near the optimum that promises more than this fraction of what the one before did has not been accurate.
STALLED = 0.5
# What a step may gain, beside the square root of the gap that is asked for, to be taken on trust.
TRUSTED = 0.3
# Conjugate gradients end when the residual has shrunk by this much, sooner the nearer the optimum; and after how many
# steps at most.
LOOSEST = 0.25
MOST_PRODUCTS = 500
# The fraction of the gap that the residual of conjugate gradients may make up.
RESIDUAL_FRACTION = 0.2
# How much longer the next step may be after a full one.
FURTHER = 2.5


@dataclass(frozen=True, eq=False)
class _Step:
    """Where to go: the change of the weights, f's slope that way, D times a change of the scores, that of the scores
    itself if it is known, and |H p + gradient|^2."""

    change: Flat
    slope: float
    bent: Callable[[Table], Table]
    along: Table | None = None
    residual: float = 0.0


class _Direction(ABC):
    """How a step is found; `squared`: by all of H; `sums`: by how dense rows of several classes are looked at."""

    squared = False
    sums: DenseSums | None = None

    @abstractmethod
    def __call__(self, point: Point, tol: float, /) -> _Step:
        """The step from here, as accurate as this relative gap requires."""

    def refine(self) -> bool:
        """Find steps more accurately from now on; False where that cannot be."""
        return False

    @abstractmethod
    def taken(self, step: _Step, length: float, value: float) -> None:
        """Note what fraction of the step was taken, and f there."""


def cholesky(problem: Objective, how: Descent, watch: Watcher = ignore, *, blocking: Blocking = BLOCKING) -> Found:
    """Newton's method with all of H, for two classes: where a table of all pairs of columns is small.

    The first steps are on a sample of the rows.
    """
    _check(problem, "newton-cholesky")
    if problem.outputs > 1:
        raise RecipeError("solver='newton-cholesky' takes many classes one by one: multiclass='one-vs-rest'")
    if small_tables.suits(problem):
        return small_tables.newton(problem, how, watch)
    start = how.start
    if start is None and (rough := _rough_fit(problem, how.most, lambda _: _Cholesky(blocking))):
        start = rough.weights
        if near_step.suits(problem, how):
            found = near_step.near_step(problem, start, rough.history[-1].loss, how, watch)
            if found is not None:
                return found
    return _descend(problem, problem.first_weights() if start is None else start, how, watch, _Cholesky(blocking))


def _rough_fit(problem: Objective, most: int, direction: Callable[[Objective], _Direction]) -> Found | None:
    """The approximate optimum on a sample of the rows, without a proof; None where there are few rows."""
    few = fewer(problem)
    if few is None:
        return None
    how = Descent(most, ROUGHLY, proven=False)
    rough = _rough_fit(few, most, direction)
    start = few.first_weights() if rough is None else rough.weights
    return _descend(few, start, how, ignore, direction(few))


def conjugate_gradients(problem: Objective, how: Descent, watch: Watcher = ignore) -> Found:
    """Newton's method with H times vectors only: for any number of columns and classes.

    The first steps of several classes over dense rows are on a sample of the rows.
    """
    _check(problem, "newton-cg")
    start = how.begin(problem)
    sampled = how.start is None and problem.outputs > 1 and problem.rows.dense
    if sampled and (rough := _rough_fit(problem, how.most, _ConjugateGradients)):
        start = rough.weights
    return _descend(problem, _centred(problem, start), how, watch, _ConjugateGradients(problem))


def _centred(problem: Objective, weights: Flat) -> Flat:
    """The weights of several classes less their mean: it changes no probability, and adds to the penalty."""
    if problem.outputs == 1 or problem.reference:
        return weights
    table = weights.reshape(-1, problem.outputs)
    return np.ravel(table - table.mean(axis=1, keepdims=True))


def _check(problem: Objective, name: str) -> None:
    joint = problem.loss.joint if problem.outputs > 1 else None
    smooth = problem.loss.smooth if problem.outputs == 1 else joint is not None and joint.smooth
    unpenalised = problem.penalty.l2 == 0 and not problem.loss.unpenalised_by_newton
    if not smooth or problem.penalty.l1 > 0 or unpenalised:
        raise RecipeError(f"solver={name!r} needs penalty='l2': take solver='auto'")


def _descend(problem: Objective, start: Flat, how: Descent, watch: Watcher, direction: _Direction) -> Found:
    """Newton steps until the gap is at most tol, or until rounding lets f fall no further."""
    point = point_at(problem, start, direction.sums, squared=direction.squared)
    history: list[Pass] = []
    tol, aim, provable = how.tol or 0.0, how.aim, problem.penalty.l2 > 0 and problem.loss.has_conjugate
    values = deque([point.value], maxlen=PATIENCE + 1)
    for left in reversed(range(how.most)):
        began = perf_counter()
        step = direction(point, aim)
        if not how.proven and direction.squared and _is_trusted(point, step, aim):
            history.append(Pass(point.mistakes, len(problem.targets), point.loss, perf_counter() - began))
            watch(history[-1])
            return Found(point.weights + step.change, history, True)
        before = point
        point, length = _searched(before, step)
        direction.taken(step, length, point.value)
        tally = Pass(point.mistakes, len(problem.targets), point.loss, perf_counter() - began)
        history.append(tally)
        watch(tally)
        slopes = None
        if length == 1.0:
            slopes = step.bent(point.along)
            slopes += before.slopes
        del before  # its arrays, like those of a point below, take as much memory as the next ones will
        values.append(point.value)
        exact = how.tol is not None and point.value <= problem.rounded_away
        stalled = len(values) > PATIENCE and values[0] - point.value <= aim * point.value
        ends = left == 0 or length == 0.0 or -step.slope <= ROUNDING * point.value or exact or stalled
        if ends and left > 0 and direction.refine():
            continue
        if not provable:
            near = _is_near(step, length, aim, point.value)
            if ends or near:
                converged = near or exact or left > 0 or how.tol is None
                return Found(point.weights, history, converged, certify(problem, point.weights) if how.proven else None)
            continue
        closed = slopes is not None and _estimated_gap(point, slopes, step) <= aim * point.value
        if ends or closed:
            if not how.proven:
                return Found(point.weights, history, exact or not ends)
            # not by the scores at hand: they were summed over the steps, and rounding with them
            weights = point.weights
            del point, step
            certificate = certify(problem, weights, slopes)
            if ends or certificate.within(tol):
                break
            direction.refine()
            point = point_at(problem, weights, direction.sums)
    return Found(weights, history, how.tol is None or exact or certificate.within(tol), certificate)


def _is_near(step: _Step, length: float, tol: float, value: float) -> bool:
    """Whether a full step promised to gain at most the fraction `tol` of f: where no gap can be proven, the end."""
    return length == 1.0 and -step.slope <= tol * value


def _is_trusted(point: Point, step: _Step, tol: float) -> bool:
    """Whether a step by all of H is so short that it needs no look at the rows to see that it leads to the optimum.

    What it leaves is about the square of what it gains, as fractions of f.
    """
    smooth = point.problem.loss.strictly_convex
    return smooth and -step.slope <= TRUSTED * np.sqrt(tol) * point.value


def _estimated_gap(point: Point, slopes: Table, step: _Step) -> float:
    """An estimate of the gap, primal - dual, that these slopes prove at the point after the step."""
    return point.distance(slopes) + 0.5 * step.residual / point.problem.penalty.l2


def _searched(point: Point, step: _Step) -> tuple[Point, float]:
    """The point after the step or its half, quarter, ...: the first where f fell enough; and which part that was."""
    length = 1.0
    for _ in range(HALVINGS):
        after = point.moved(step.change, length, step.along)
        if after.value <= point.value + ENOUGH * length * step.slope + ROUNDING * point.value:
            return after, length
        length /= 2
    return point, 0.0


# -- all of H ----------------------------------------------------------------------------------------------------------


class _Cholesky(_Direction):
    """The step by factors of H, with every column in its own unit so that only nearly collinear columns matter.

    Near the optimum H hardly changes: every other step reuses the last one, with its D.  Where D is of few values, as
    that of the squared hinge, H changes by the rows whose D does.
    """

    squared = True

    def __init__(self, blocking: Blocking) -> None:
        self._summed, self._again = SummedSquares(blocking), False
        self._factored: Factored | None = None
        self._unit, self._bends = np.empty(0), np.empty((0, 1))

    def __call__(self, point: Point, _: float, /) -> _Step:
        problem = point.problem
        gradient = point.gradient()
        if self._factored is None or not self._again:
            hessian = _hessian(point, self._summed)
            self._factored = self._factor(hessian if problem.intercept else hessian[:-1, :-1])
            self._bends = point.own_bends()
        change, free = np.zeros(problem.size), len(self._unit)
        change[:free] = -self._unit * self._factored.solve(self._unit * gradient[:free])
        return _Step(change, float(gradient @ change), partial(np.multiply, self._bends))

    def taken(self, step: _Step, length: float, value: float) -> None:
        self._again = not self._again and length == 1.0 and -step.slope <= NEAR * value

    def _factor(self, hessian: Table) -> Factored:
        self._unit = 1.0 / np.sqrt(np.maximum(np.diagonal(hessian), np.finfo(np.float64).tiny))
        scaled = mirrored((hessian * np.outer(self._unit, self._unit)).T)
        extra = 1e-12
        while extra < 1:
            try:
                return Factored(scaled)
            except np.linalg.LinAlgError:  # nearly collinear columns: as with a little more penalty
                scaled.flat[:: len(scaled) + 1] += extra
                extra *= 10
        raise NumericalError(TOO_LARGE)


def _hessian(point: Point, summed: SummedSquares) -> Table:
    """H; only the upper triangle is used."""
    d = point.problem.columns
    hessian = summed(point).copy()
    hessian.flat[: d * (d + 2) : d + 2] += point.problem.penalty.l2
    hessian[d, d] = hessian[d, d] or 1.0  # no curvature, but perhaps a slope: then a step of size 1
    return hessian


# -- H times vectors ---------------------------------------------------------------------------------------------------


class _ConjugateGradients(_Direction):
    """The step by conjugate gradients (Hestenes, Stiefel 1952), as accurate as the gap requires, and no longer than f
    can be trusted to be quadratic (Steihaug 1983).

    A step is measured with every column in its own unit.  One that had to be halved shows how far that is; after a
    full step the next may be longer.  The intercepts' part is solved exactly: an imbalance there would cost the dual
    point the most.
    """

    def __init__(self, problem: Objective) -> None:
        self._squares = problem.units() ** 2
        self._reach = np.inf
        self._blocks: ClassBlocks | None = None
        self._by_blocks: bool | None = None
        self._diagonal: Flat | None = None
        self._promised = np.inf
        if problem.outputs > 1 and problem.rows.dense:
            self.sums = DenseSums(problem, single=True)

    def refine(self) -> bool:
        return self.sums is not None and self.sums.refine()

    def __call__(self, point: Point, tol: float, /) -> _Step:
        problem, outputs = point.problem, point.problem.outputs
        gradient, precondition = point.gradient(), self._preconditioner(point)
        change = np.zeros(problem.size)
        # of dense rows of several classes, the next point finds the change of the scores by one more look
        along, t = (None, None) if self.sums else (np.zeros_like(point.scores), np.empty_like(point.scores))
        residual = -gradient
        preconditioned = precondition(residual)
        v, size, squared = preconditioned.copy(), float(residual @ preconditioned), float(residual @ residual)
        enough = RESIDUAL_FRACTION * 2.0 * problem.penalty.l2 * tol * point.value
        loose = min(LOOSEST, np.sqrt(size / point.value)) ** 2 * size
        worn_out = worn_out_after(problem)
        for products in range(MOST_PRODUCTS):
            if products == worn_out:
                self._blocks = None  # the next step makes them anew
            if squared <= enough or size <= loose or size == 0.0:
                break
            product = point.product(v, t)
            curvature = float(v @ product)
            if not curvature > 0.0 and self.refine():  # rounding: there is none in truth that is not positive
                product = point.product(v, t)
                curvature = float(v @ product)
            length = size / curvature
            within = self._within(change, v, length)
            change += within * v
            if along is not None and t is not None:
                along += within * t
            product *= within
            residual -= product
            squared = float(residual @ residual)
            if within < length:
                break
            preconditioned = precondition(residual)
            size, before = float(residual @ preconditioned), size
            v *= size / before
            v += preconditioned
        if problem.intercept:
            rest = point.intercepts(residual[-outputs:])
            change[-outputs:] += rest
            if along is not None:
                along += rest
        if outputs > 1 and not problem.reference:
            change = _centred(problem, change)
            if along is not None:
                along -= along.mean(axis=1, keepdims=True)
        return _Step(change, float(gradient @ change), point.bent, along, squared)

    def _preconditioner(self, point: Point) -> Callable[[Flat], Flat]:
        """By the blocks of H for each class, where that helps, until they serve no more; or its diagonal, until a step
        was long."""
        if self._by_blocks is None:
            self._by_blocks = suits(point)
        if self._by_blocks:
            if self._blocks is None:
                self._blocks = ClassBlocks(point)
            return self._blocks
        if self._diagonal is None:
            self._diagonal = point.diagonal()
        return partial(np.multiply, 1.0 / self._diagonal)

    def _within(self, change: Flat, v: Flat, length: float) -> float:
        """As much of the length as keeps change + length v within reach."""
        if not np.isfinite(self._reach):
            return length
        weighed = self._squares * v
        vv, cv = float(weighed @ v), float(weighed @ change)
        room = self._reach**2 - float(self._squares @ (change * change))
        most = room / (cv + np.sqrt(cv * cv + vv * max(room, 0.0))) if room > 0 else 0.0
        return min(length, float(most))

    def taken(self, step: _Step, length: float, value: float) -> None:
        if not (length == 1.0 and -step.slope <= NEAR * value):
            self._diagonal = None
        elif -step.slope > STALLED * self._promised:
            self.refine()
        self._promised = -step.slope
        far = float(np.sqrt(self._squares @ (step.change * step.change)))
        self._reach = max(self._reach, FURTHER * far) if length == 1.0 else length * far
