"""Ridge regression beside scikit-learn's: its quickest solver, at an objective as near to the optimum as ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import data
from benchmarks.measure import Figure, Goal, take_turns

if TYPE_CHECKING:
    from benchmarks.workloads import Options

# How near to the optimum an objective must be, as a fraction of it.
NEAR = 1e-6
# scikit-learn's quickest solvers for either kind of rows; the others take longer, or do not take an intercept.
DENSE, SPARSE = "cholesky", "sparse_cg"
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6)


def ridge(options: Options) -> Iterator[Figure]:
    """A fit from arrays to weights, with its certificate."""
    for name, X, y in _sets(options.folder):
        yield _beside(name, X, y, 3 if hasattr(X, "indptr") else options.repeats)


def _beside(name: str, X: Any, y: np.ndarray, repeats: int) -> Figure:
    from sklearn.linear_model import Ridge as Peer

    from linnet import Ridge

    best = _objective(Ridge(tol=1e-12).fit(X, y), X, y)
    ours = _loosest(Ridge, X, y, best)
    solver = SPARSE if hasattr(X, "indptr") else DENSE
    theirs = _loosest(partial(Peer, solver=solver), X, y, best)
    seconds = take_turns({"linnet": lambda: ours().fit(X, y), solver: lambda: theirs().fit(X, y)}, repeats)
    return Figure(
        f"ridge, {name}",
        "times scikit-learn",
        seconds[solver] / seconds["linnet"],
        Goal(least=1),
        {who: f"{1e3 * taken:.1f} ms" for who, taken in seconds.items()},
    )


def _loosest(make: Callable[..., Any], X: Any, y: np.ndarray, best: float) -> Callable[[], Any]:
    """The estimator with the largest tolerance that comes near enough to the optimum."""
    for tol in TOLERANCES:
        if _objective(make(tol=tol).fit(X, y), X, y) <= best * (1 + NEAR):
            break
    return partial(make, tol=tol)


def _objective(model: Any, X: Any, y: np.ndarray) -> float:
    residuals = y - model.predict(X)
    return float(residuals @ residuals + model.coef_ @ model.coef_)


def _sets(folder: Path | None) -> Iterator[tuple[str, Any, np.ndarray]]:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((100_000, 50))
    yield "dense 100,000 x 50", X, _targets(X, rng)
    # as wide as YearPrediction: 90 columns of very different scales and means
    X = rng.standard_normal((200_000, 90)) * np.logspace(0, 3, 90) + 10 * rng.standard_normal(90)
    yield "dense 200,000 x 90", X, _targets(X, rng)
    X = data.sparse(20_000, 20_000, test=1).X
    yield "sparse 20,000 x 20,000", X, _targets(X, rng)
    if folder is not None:
        yield "winequality", *_wine(folder)


def _targets(X: Any, rng: np.random.Generator) -> np.ndarray:
    scores = X @ rng.standard_normal(X.shape[1])
    return np.asarray(scores + 0.5 * scores.std() * rng.standard_normal(len(scores)))


def _wine(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    parts = [folder / "regression" / f"winequality-{colour}.csv" for colour in ("red", "white")]
    texts = [part.read_text().replace(";", ",") for part in parts]  # the two are not separated alike
    table = np.vstack([np.loadtxt(text.splitlines(), delimiter=",", skiprows=1) for text in texts])
    return np.ascontiguousarray(table[:, :-1]), table[:, -1]


WORKLOADS: dict[str, Callable[[Options], Iterator[Figure]]] = {"ridge": ridge}
