"""Five hundred random problems: every fit is as good as an independent solver's, and its certificate tells no lie."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

import linnet

TOL = 1e-6
PROBLEMS = 500
AT_ONCE = 25


@dataclass
class Drawn:
    """A problem: rows, classes, weights of rows, and what is asked of the estimator."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    C: float
    penalty: str
    loss: str
    intercept: bool
    sparse: bool

    def estimator(self):
        settings = {"C": self.C, "tol": TOL, "max_iter": 100_000, "fit_intercept": self.intercept}
        if self.loss == "logistic":
            l1_ratio = {"l1_ratio": 0.4} if self.penalty == "elasticnet" else {}
            return linnet.LogisticRegression(penalty=self.penalty, **l1_ratio, **settings)
        return linnet.LinearSVC(loss=self.loss, **settings)

    @property
    def rows(self):
        return csr_array(self.X) if self.sparse else self.X

    @property
    def costs(self):
        return np.ones(len(self.y)) if self.weights is None else self.weights

    @property
    def classes(self):
        return len(np.unique(self.y[self.costs > 0]))

    def l1_and_l2(self):
        """(l1, l2) of the penalty on the sum of losses over C."""
        l1 = {"l2": 0.0, "l1": 1.0, "elasticnet": 0.4}[self.penalty]
        return l1 / self.C, (1 - l1) / self.C

    def losses(self, scores):
        if self.classes > 2 and self.loss == "logistic":
            top = scores.max(axis=1)
            return np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top - scores[np.arange(len(self.y)), self.y]
        margins = np.where(self.y == 1, 1.0, -1.0) * scores[:, 0]
        if self.loss == "logistic":
            return np.logaddexp(0.0, -margins)
        short = np.maximum(0.0, 1.0 - margins)
        return short if self.loss == "hinge" else short**2

    def slopes(self, scores):
        """d loss / d scores."""
        if self.classes > 2 and self.loss == "logistic":
            e = np.exp(scores - scores.max(axis=1, keepdims=True))
            e /= e.sum(axis=1, keepdims=True)
            e[np.arange(len(self.y)), self.y] -= 1.0
            return e
        sign = np.where(self.y == 1, 1.0, -1.0)
        margins = sign * scores[:, 0]
        pull = (
            1 / (1 + np.exp(np.clip(margins, -700, 700))) if self.loss == "logistic" else 2 * np.maximum(0, 1 - margins)
        )
        return (-sign * pull)[:, None]

    def objective(self, W, b):
        """The mean of the losses and the penalty, from their definitions."""
        l1, l2 = self.l1_and_l2()
        total = self.costs.sum()
        scores = self.X @ W + b
        return (self.costs @ self.losses(scores) + l1 * np.abs(W).sum() + l2 / 2 * (W**2).sum()) / total

    def best(self):
        """The optimum by another way: L-BFGS-B over columns in units of their own, w as a difference where L1 has a
        kink; for the hinge, the dual as a quadratic programme."""
        return self._best_hinge() if self.loss == "hinge" else self._best_smooth()

    def _best_smooth(self):
        d, outputs = self.X.shape[1], self.classes if self.classes > 2 else 1
        unit = np.abs(self.X).max(axis=0)
        unit[unit == 0] = 1.0
        l1, l2 = self.l1_and_l2()
        total = self.costs.sum()

        def split(v):
            up, down, b = v[: d * outputs], v[d * outputs : 2 * d * outputs], v[2 * d * outputs :]
            return (up - down).reshape(d, outputs) / unit[:, None], b * self.intercept, (up + down).reshape(d, outputs)

        def value(v):
            W, b, size = split(v)
            scores = self.X @ W + b
            g = self.costs[:, None] * self.slopes(scores)
            slope = (self.X.T @ g + l2 * W) / unit[:, None]
            by_size = np.broadcast_to(l1 / unit[:, None], slope.shape)
            f = self.costs @ self.losses(scores) + (l1 / unit[:, None] * size).sum() + l2 / 2 * (W**2).sum()
            both = np.concatenate(
                [(by_size + slope).ravel(), (by_size - slope).ravel(), g.sum(axis=0) * self.intercept]
            )
            return f / total, both / total

        bounds = [(0, None)] * (2 * d * outputs) + [(None, None)] * outputs
        start = np.zeros(len(bounds))
        options = {"maxiter": 50_000, "maxfun": 200_000, "ftol": 0.0, "gtol": 1e-12, "maxcor": 30}
        found = minimize(value, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        return found.fun

    def _best_hinge(self):
        sign = np.where(self.y == 1, 1.0, -1.0)
        Z = sign[:, None] * self.X
        K = Z @ Z.T
        limits = [(0.0, self.C * c) for c in self.costs]
        balance = [{"type": "eq", "fun": lambda a: a @ sign, "jac": lambda _: sign}] if self.intercept else []
        found = minimize(
            lambda a: (0.5 * a @ K @ a - a.sum(), K @ a - 1.0), np.zeros(len(sign)), jac=True, bounds=limits,
            constraints=balance, method="SLSQP", options={"maxiter": 2000, "ftol": 1e-14},
        )  # fmt: skip
        w = (Z.T @ found.x)[:, None]
        return min(self.objective(w, b) for b in ([*(sign - self.X @ w[:, 0]), 0.0] if self.intercept else [0.0]))


def draw(seed):
    rng = np.random.default_rng(seed)
    loss = rng.choice(["logistic", "logistic", "squared_hinge", "hinge"])
    n = int(rng.integers(5, 40 if loss == "hinge" else 150))
    d = int(rng.integers(1, 12))
    classes = int(rng.integers(3, 5)) if loss == "logistic" and rng.random() < 0.4 else 2
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < rng.choice([0.2, 0.7, 1.0]))
    if rng.random() < 0.3:  # collinear
        X = np.column_stack([X, X[:, 0] * 2 - (X[:, 1] if d > 1 else 0)])
    if rng.random() < 0.3:  # constant
        X = np.column_stack([X, np.full(n, rng.normal())])
    if rng.random() < 0.3:  # scales
        X = X * 10.0 ** rng.integers(-2, 3, X.shape[1])
    y = (
        X @ rng.normal(size=(X.shape[1], classes)) + rng.choice([0.1, 1.0, 10.0]) * rng.normal(size=(n, classes))
    ).argmax(axis=1)
    y[:classes] = np.arange(classes)
    weights = None
    if rng.random() < 0.4:
        weights = rng.choice([0.0, 0.5, 1.0, 3.0], n)
        weights[:classes] = 1.0
    penalty = rng.choice(["l2", "l1", "elasticnet"]) if loss == "logistic" else "l2"
    C = float(10.0 ** rng.uniform(-2, 2))
    return Drawn(X, y, weights, C, str(penalty), str(loss), bool(rng.random() < 0.8), bool(rng.random() < 0.5))


@pytest.mark.parametrize("first", range(0, PROBLEMS, AT_ONCE))
def test_every_problem_is_solved_and_its_certificate_is_true(first):
    for seed in range(first, first + AT_ONCE):
        problem = draw(seed)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            fitted = problem.estimator().fit(problem.rows, problem.y, problem.weights)
        reached = problem.objective(fitted.coef_.T, fitted.intercept_)
        best = problem.best()
        certificate = fitted.certificate_
        said = any(issubclass(each.category, ConvergenceWarning) for each in told)
        where = f"problem {seed}: {problem.loss} {problem.penalty} {problem.X.shape} C={problem.C:.3g}"
        assert certificate.primal == pytest.approx(reached, rel=1e-9), where
        assert certificate.dual <= best * (1 + 1e-9) + 1e-12, where  # what is stated is so
        assert certificate.gap <= TOL or said, f"{where}: gap {certificate.gap:.3g} and not a word"
        assert reached <= best + 1e-6 * abs(best) + 1e-12 or said, where
        assert not said, f"{where}: {told[0].message}"
