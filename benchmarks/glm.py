"""Counts, amounts, quantiles and outliers beside scikit-learn and glum: at an objective as near to the optimum as ours.

Seconds are of the processor, over all threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import data
from benchmarks.measure import Figure, Goal

if TYPE_CHECKING:
    from benchmarks.workloads import Options

# How near to the optimum an objective must be, as a fraction of it; of half a deviance, which is not negative.
NEAR = 1e-6
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-8)
ALPHA = 1e-3


def glm(options: Options) -> Iterator[Figure]:
    """Fits from arrays to weights, with their certificates."""
    rng = np.random.default_rng(5)
    sets = {
        "500,000 x 20": rng.standard_normal((500_000, 20)),
        "2,000 x 10": rng.standard_normal((2_000, 10)),
        "sparse 20,000 x 5,000": data.sparse(20_000, 5_000, test=1).X,
    }
    for name, X in sets.items():
        scores = np.asarray(X @ rng.standard_normal(X.shape[1]))
        scores *= 0.5 / scores.std()
        means, repeats = np.exp(scores), options.repeats if X.shape[0] < 10_000 else min(options.repeats, 3)
        yield from _beside(f"poisson, {name}", X, rng.poisson(means).astype(float), 1.0, repeats)
        yield from _beside(f"gamma, {name}", X, rng.gamma(2.0, means / 2.0), 2.0, repeats)
        outlying = scores + 0.3 * rng.standard_t(2, size=len(scores))
        if not hasattr(X, "indptr"):
            yield from _huber(f"huber, {name}", X, outlying, repeats)
    for rows, columns in ((2_000, 10), (10_000, 20)):  # HiGHS takes minutes for more
        X = rng.standard_normal((rows, columns))
        yield from _quantile(f"quantile, {rows:,} x {columns}", X, X.sum(axis=1) + rng.standard_t(2, size=rows))


def _beside(name: str, X: Any, y: np.ndarray, power: float, repeats: int) -> Iterator[Figure]:
    from sklearn import linear_model

    import linnet

    kind = "PoissonRegressor" if power == 1 else "GammaRegressor"
    ours, peer = (partial(getattr(module, kind), alpha=ALPHA, max_iter=1000) for module in (linnet, linear_model))
    contenders = {"linnet": ours, "lbfgs": peer}
    if X.shape[1] < 1000:
        contenders["newton-cholesky"] = partial(peer, solver="newton-cholesky")
        if find_spec("glum") is not None:
            from glum import GeneralizedLinearRegressor

            family = "poisson" if power == 1 else "gamma"
            contenders["glum"] = partial(_glum, GeneralizedLinearRegressor, family)

    def objective(model: Any) -> float:
        from linnet.learners.glm_losses import Tweedie

        z = np.asarray(X @ model.coef_) + model.intercept_
        return float(Tweedie(power).value(z, y).mean() + 0.5 * ALPHA * model.coef_ @ model.coef_)

    yield from _figures(name, contenders, objective, X, y, repeats)


def _glum(cls: Any, family: str, tol: float) -> Any:
    # what scikit-learn calls tol is its gradient_tol
    return cls(family=family, link="log", alpha=ALPHA, l1_ratio=0, gradient_tol=tol, max_iter=1000)


def _huber(name: str, X: np.ndarray, y: np.ndarray, repeats: int) -> Iterator[Figure]:
    from sklearn.linear_model import HuberRegressor as Peer

    from linnet import HuberRegressor

    def objective(model: Any) -> float:
        t = np.abs(y - X @ model.coef_ - model.intercept_) / model.scale_
        each = np.where(t < 1.35, t * t, 2.7 * t - 1.35**2)
        return float(model.scale_ * (1.0 + each).sum() + 1e-4 * model.coef_ @ model.coef_)

    contenders = {"linnet": partial(HuberRegressor, max_iter=1000), "scikit-learn": partial(Peer, max_iter=1000)}
    yield from _figures(name, contenders, objective, X, y, repeats)


def _quantile(name: str, X: np.ndarray, y: np.ndarray) -> Iterator[Figure]:
    from sklearn.linear_model import QuantileRegressor as Peer

    from linnet import QuantileRegressor

    def objective(model: Any) -> float:
        r = y - X @ model.coef_ - model.intercept_
        return float(np.maximum(0.9 * r, -0.1 * r).mean() + ALPHA * np.abs(model.coef_).sum())

    def peer(tol: float) -> Any:  # noqa: ARG001
        return Peer(quantile=0.9, alpha=ALPHA, solver="highs")

    contenders = {"linnet": partial(QuantileRegressor, quantile=0.9, alpha=ALPHA), "scikit-learn": peer}
    yield from _figures(name, contenders, objective, X, y, 1)


def _figures(
    name: str,
    contenders: dict[str, Callable[..., Any]],
    objective: Callable[[Any], float],
    X: Any,
    y: np.ndarray,
    repeats: int,
) -> Iterator[Figure]:
    best = objective(contenders["linnet"](tol=1e-10).fit(X, y))
    made = {who: _loosest(make, objective, X, y, best) for who, make in contenders.items()}
    seconds: dict[str, list[float]] = {who: [] for who in made}
    for _ in range(repeats):
        for who, make in made.items():
            estimator, began = make(), process_time()
            estimator.fit(X, y)
            seconds[who].append(process_time() - began)
    taken = {who: median(each) for who, each in seconds.items()}
    fastest = min(value for who, value in taken.items() if who != "linnet")
    yield Figure(
        name,
        "times the fastest peer",
        fastest / taken["linnet"],
        Goal(least=2),
        {who: f"{1e3 * value:.1f} ms" for who, value in taken.items()},
    )


def _loosest(
    make: Callable[..., Any], objective: Callable[[Any], float], X: Any, y: np.ndarray, best: float
) -> Callable[[], Any]:
    """The estimator with the largest tolerance that comes near enough to the optimum."""
    for tol in TOLERANCES:
        if objective(make(tol=tol).fit(X, y)) <= best * (1 + NEAR):
            break
    return partial(make, tol=tol)


WORKLOADS: dict[str, Callable[[Options], Iterator[Figure]]] = {"glm": glm}
