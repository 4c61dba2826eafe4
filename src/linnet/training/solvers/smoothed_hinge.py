"""The hinge with its kink rounded off, by Newton's method: for few columns of any scales.

    rounded_mu(m) = max over 0 <= a <= 1 of a (1 - m) - mu a^2 / 2

is a parabola within mu of the kink and the hinge elsewhere, up to mu / 2.  Newton's steps on it, with mu a tenth of the
last once they are short, end at weights whose multipliers a_i = clip((1 - m_i) / mu, 0, 1) are a dual point of the
hinge itself: the gap is no more than mu / 2 times the rows near the kink.  (Lee, Mangasarian 2001, SSVM, round it off
in another way.)  If rounding keeps the gap open, the dual is tried, too.

Coordinate ascent on the dual is slow where one column is a hundred times as long as another; Newton's steps do not
depend on the scales.  Nor do they on the squared hinge, which has no kink: there they end at the optimum
itself once the rows that count are found (Mangasarian 2002, A finite Newton method for classification).
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from linnet.data.rows import Examples
from linnet.learners.losses import Loss
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import Certificate, Table, certify
from linnet.training.history import Pass, Watcher
from linnet.training.objective import Flat, Objective
from linnet.training.order import by_content
from linnet.training.row_losses import normalised_weights
from linnet.training.solvers import dual_svm as svm
from linnet.training.solvers.newton import cholesky

# From one mu to the next; and the least one, below which rounding of margins is all that is left.
SHARPER, LEAST = 0.1, 1e-13
# A step that lowers the objective by less than this fraction is the last at its mu.
SHORT = 1e-13
HALVINGS = 40
STEPS_A_MU = 100
# Sparse rows of no more numbers than this, zeros included, are as quick as dense ones: SciPy's own steps take longer.
SMALL = 1 << 18
# Of few rows, how many sweeps of the dual are tried before.
SWEEPS = 50


class _Rounded:
    """The objective at one mu: value, multipliers, gradient and the next step."""

    def __init__(self, problem: Objective) -> None:
        self.problem = problem
        self.X: Any = problem.rows.matrix()
        self.dense = problem.rows.dense or self.X.shape[0] * self.X.shape[1] <= SMALL
        if self.dense and not problem.rows.dense:
            self.X = self.X.toarray()
        self.y = problem.signed
        self.normalised_weights = normalised_weights(problem)
        self.mu = 1.0

    def margins(self, flat: Flat) -> Flat:
        return np.asarray(self.y * (self.X @ flat[:-1] + flat[-1]))

    def value(self, flat: Flat, margins: Flat) -> float:
        a = self.multipliers(margins)
        loss = float(self.normalised_weights @ (a * (1.0 - margins) - 0.5 * self.mu * a * a))
        return loss + 0.5 * self.problem.penalty.l2 * float(flat[:-1] @ flat[:-1])

    def multipliers(self, margins: Flat) -> Flat:
        return np.clip((1.0 - margins) / self.mu, 0.0, 1.0)

    def step(self, flat: Flat, margins: Flat) -> tuple[Flat, float]:
        """Newton's step, and how steeply the objective falls along it."""
        a = self.multipliers(margins)
        pull = -self.y * self.normalised_weights * a
        free = float(self.problem.intercept)
        l2 = self.problem.penalty.l2
        gradient = np.append(np.asarray(self.X.T @ pull) + l2 * flat[:-1], free * pull.sum())
        bent = self.normalised_weights * ((a > 0) & (a < 1)) / self.mu
        hessian = self._hessian(bent, free)
        unit = 1.0 / np.sqrt(hessian.diagonal())  # each column in its own unit, or small scales would count as zeros
        direction = -unit * np.linalg.lstsq(hessian * unit * unit[:, np.newaxis], unit * gradient, rcond=None)[0]
        return direction, float(gradient @ direction)

    def mended(self, flat: Flat, a: Flat) -> Flat:
        """Multipliers of rows near the kink, changed just enough for the gradient at these weights to vanish.

        They are differences of margins over mu, and carry the rounding of the former.
        """
        near = (a > 0) & (a < 1)
        if not near.any():
            return a
        signed = self.normalised_weights * self.y
        rest = np.append(
            self.problem.penalty.l2 * flat[:-1] - np.asarray(self.X.T @ (signed * a)),
            -float(self.problem.intercept) * float(signed @ a),
        )
        rows = self.X[near] if self.dense else self.X[near].toarray()
        table = signed[near] * np.column_stack([rows, np.full(len(rows), float(self.problem.intercept))]).T
        unit = np.maximum(np.abs(table).max(axis=1), 1e-300)
        change = np.linalg.lstsq(table / unit[:, np.newaxis], rest / unit, rcond=None)[0]
        mended = a.copy()
        mended[near] += change
        return np.clip(mended, 0.0, 1.0)

    def proof(self, flat: Flat) -> tuple[Certificate, Table]:
        """What these weights prove of the hinge with the multipliers they have at this mu; and those, as slopes."""
        a = self.mended(flat, self.multipliers(self.margins(flat)))
        slopes = (-self.y * a)[:, np.newaxis]
        return certify(self.problem, flat, slopes), slopes

    def _hessian(self, bent: Flat, free: float) -> Table:
        """Of weights and intercept; the shortest solution does not move along a direction without curvature."""
        d = self.X.shape[1]
        into = np.zeros((d + 1, d + 1))
        product = self.X.T @ (self.X * bent[:, np.newaxis] if self.dense else self.X.multiply(bent[:, np.newaxis]))
        into[:d, :d] = product if self.dense else product.toarray()
        into[np.arange(d), np.arange(d)] += self.problem.penalty.l2
        into[:d, d] = into[d, :d] = free * np.asarray(self.X.T @ bent)
        into[d, d] = free * bent.sum() or 1.0  # no curvature, but perhaps a slope: then a step of size 1
        return into


def newton(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """Steps until the relative gap is at most tol; for two classes and an L2 penalty."""
    smooth = problem.loss is Loss.SQUARED_HINGE
    if not smooth and how.tol is not None and how.start is None and problem.rows.entries <= SMALL:
        # a few sweeps over few rows take less time than a step, and do where columns have one scale
        found = svm.descend(problem, replace(how, most=min(how.most, SWEEPS)), watch)
        if found.converged:
            return found
    found = cholesky(problem, how, watch) if smooth else _newton(problem, how, watch)
    if found.converged:
        return found
    other = svm.descend(problem, how, watch)
    assert found.certificate is not None
    assert other.certificate is not None
    better = other if other.certificate.gap < found.certificate.gap else found
    return replace(better, history=found.history + other.history)


def _newton(problem: Objective, how: Descent, watch: Watcher) -> Found:
    """On the rows in an order of their contents: which rows are near the kink is decided by the last digits of sums,
    and must not depend on the order of the table."""
    weights = problem.sample_weights if len(problem.sample_weights) else None
    order = by_content(Examples(problem.rows, problem.targets, weights))
    found = _steps(problem.in_order(order), how, watch)
    if found.slopes is None:
        return found
    slopes = np.empty_like(found.slopes)
    slopes[order] = found.slopes
    return replace(found, slopes=slopes)


def _steps(problem: Objective, how: Descent, watch: Watcher) -> Found:
    rounded = _Rounded(problem)
    flat, history = how.begin(problem), list[Pass]()
    if how.start is not None:
        rounded.mu = _sharpness(rounded, flat)
    best, best_weights, slopes = Certificate(np.inf, -np.inf), flat, None
    while len(history) < how.most and rounded.mu >= LEAST:
        flat = _minimised(rounded, flat, min(STEPS_A_MU, how.most - len(history)), history, watch)
        certificate, found = rounded.proof(flat)
        if certificate.gap < best.gap or not np.isfinite(best.primal):
            best, best_weights, slopes = certificate, flat, found
        if how.tol is not None and best.within(how.tol):
            return Found(best_weights, history, True, best, slopes)
        rounded.mu *= SHARPER
    return Found(best_weights, history, how.tol is None, best, slopes)


def _sharpness(rounded: _Rounded, flat: Flat) -> float:
    """The mu at which the multipliers of these weights prove the most: where a descent ended that came to them."""
    gaps = {}
    while rounded.mu >= LEAST:
        gaps[rounded.mu] = rounded.proof(flat)[0].gap
        rounded.mu *= SHARPER
    return min(gaps, key=lambda mu: gaps[mu])


def _minimised(rounded: _Rounded, flat: Flat, most: int, history: list[Pass], watch: Watcher) -> Flat:
    """Newton's steps at one mu, until they improve nothing."""
    margins = rounded.margins(flat)
    value = rounded.value(flat, margins)
    for _ in range(most):
        began = perf_counter()
        direction, slope = rounded.step(flat, margins)
        length = 1.0
        for _ in range(HALVINGS):
            after = flat + length * direction
            margins_after = rounded.margins(after)
            value_after = rounded.value(after, margins_after)
            if value_after <= value + 1e-4 * length * slope:
                break
            length *= 0.5
        else:
            after, margins_after, value_after = flat, margins, value
        gained = value - value_after
        flat, margins, value = after, margins_after, value_after
        mistakes = int((margins <= 0).sum())
        history.append(Pass(mistakes, len(margins), value, perf_counter() - began))
        watch(history[-1])
        if gained <= SHORT * abs(value):
            break
    return flat
