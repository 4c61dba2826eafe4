"""L1 penalties and elastic nets beside liblinear, skglm and celer, to the same objective and by everyone's defaults.

Peers are run from loose to strict until they come within a fraction of 1e-4 of the objective that linnet reached with
its defaults; the quickest of them is who is compared.  Peers that are not installed are left out, as are those that a
problem does not suit: celer's logistic regression has no intercept, and is compared with linnet's without one.  Times
are processor seconds: a peer on one core and linnet on two are counted alike.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import Figure, Goal

if TYPE_CHECKING:
    from benchmarks.workloads import Options

TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
# How near a peer must come to linnet's objective.
AS_GOOD = 1e-4
# Peers that take longer than this many seconds to come near are left where they are.
LONGEST = 12.0
# A fit of this many seconds is not repeated.
ONCE = 1.0

Make = Callable[[float], Any]


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows and targets; ours, by its tolerance, and the peers; and the objective of a fitted model."""

    name: str
    X: Any
    y: np.ndarray
    ours: Callable[..., Any]
    peers: dict[str, Make]
    objective: Callable[[Any], float]


def l1(options: Options) -> Iterator[Figure]:
    """Processor time to the same objective, and of everyone's defaults."""
    for problem in _problems(options.folder):
        yield from _figures(problem, max(3, options.repeats // 3))


def _figures(problem: Problem, turns: int) -> Iterator[Figure]:
    ours = problem.ours()
    seconds = {"linnet": _seconds(ours, problem, turns)}
    reached = problem.objective(ours)
    by_default: dict[str, tuple[float, float]] = {}
    for name, make in problem.peers.items():
        found = _as_good(name, make, problem, reached, turns)
        if found is not None:
            seconds[name] = found
        own = make(float("nan"))
        by_default[name] = _seconds(own, problem, turns), problem.objective(own)
    made_of = {who: f"{1e3 * taken:.0f} ms" for who, taken in seconds.items()}
    rivals = [taken for who, taken in seconds.items() if who != "linnet"]
    gap = f"{ours.certificate_.gap:.1g}"
    if rivals:
        yield Figure(
            f"l1, {problem.name}",
            "times the quickest peer, same objective",
            min(rivals) / seconds["linnet"],
            Goal(least=3),
            {**made_of, "gap": gap},
        )
    if by_default:
        # a default that is further off than a hundredth has not solved the problem, and does not count
        honest = [taken for taken, value in by_default.values() if value <= 1.01 * reached]
        details = {
            who: f"{1e3 * taken:.0f} ms ({value / reached - 1:+.1e})" for who, (taken, value) in by_default.items()
        }
        yield Figure(
            f"l1, {problem.name}",
            "times the quickest peer, defaults",
            min(honest, default=float("nan")) / seconds["linnet"],
            None,
            {"linnet": made_of["linnet"], **details},
        )


def _seconds(model: Any, problem: Problem, turns: int) -> float:
    """The median processor time of a fit, after one that does not count (some peers compile then)."""
    times = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(turns + 1):
            began = process_time()
            model.fit(problem.X, problem.y)
            times.append(process_time() - began)
            if times[-1] > (ONCE if len(times) > 1 else LONGEST):
                return times[-1]
    return median(times[1:])


def _as_good(name: str, make: Make, problem: Problem, reached: float, turns: int) -> float | None:
    """The seconds of a peer with the loosest tolerance that is good enough; None where none is."""
    for tol in TOLERANCES:
        model = make(tol)
        taken = _seconds(model, problem, 1)
        if problem.objective(model) <= reached * (1 + AS_GOOD):
            return _seconds(model, problem, turns) if taken < ONCE else taken
        if taken > LONGEST:
            break
    print(f"{name} does not come as near on {problem.name}")
    return None


def _with_tol(cls: Any, tol: float, **settings: Any) -> Any:
    """A peer with this tolerance, or its default, if that is NaN."""
    return cls(**settings) if np.isnan(tol) else cls(tol=tol, max_iter=100_000, **settings)


# -- problems ----------------------------------------------------------------------------------------------------------


def _problems(folder: Path | None) -> Iterator[Problem]:
    yield from _classifiers("dense 200 x 20,000", *wide_classes())
    yield from _classifiers("sparse 20,000 x 200,000", *sparse_rows(classes=True))
    if folder is not None:
        yield from _classifiers("a9a", *_a9a(folder))
    for name, (X, y) in (
        ("dense 100,000 x 100", tall()),
        ("dense 500 x 50,000", wide_numbers()),
        ("sparse 20,000 x 200,000", sparse_rows(classes=False)),
    ):
        alpha = float(np.abs(X.T @ (y - y.mean())).max()) / len(y) / 20
        yield _lasso(name, X, y, alpha)
        yield _net(name, X, y, alpha)


def _classifiers(name: str, X: Any, y: np.ndarray) -> Iterator[Problem]:
    from sklearn.linear_model import LogisticRegression as Theirs

    from linnet import LogisticRegression

    ours = partial(LogisticRegression, penalty="l1")
    peers: dict[str, Make] = {
        "liblinear": lambda tol: _with_tol(Theirs, tol, l1_ratio=1, solver="liblinear"),
    }
    if find_spec("skglm"):
        from skglm import SparseLogisticRegression

        peers["skglm"] = lambda tol: (
            SparseLogisticRegression(alpha=1 / len(y))
            if np.isnan(tol)
            else SparseLogisticRegression(1 / len(y), tol=tol)
        )
    yield Problem(f"logistic, {name}", X, y, ours, peers, partial(_logistic_objective, X=X, y=y))
    if find_spec("celer"):
        from celer import LogisticRegression as Celer

        peers = {"celer": lambda tol: Celer() if np.isnan(tol) else Celer(tol=tol)}
        without = partial(ours, fit_intercept=False)
        yield Problem(
            f"logistic without intercept, {name}", X, y, without, peers, partial(_logistic_objective, X=X, y=y)
        )


def _lasso(name: str, X: Any, y: np.ndarray, alpha: float) -> Problem:
    from sklearn.linear_model import Lasso as Theirs

    from linnet import Lasso

    peers: dict[str, Make] = {"scikit-learn": lambda tol: _with_tol(Theirs, tol, alpha=alpha)}
    if find_spec("skglm"):
        from skglm import Lasso as Skglm

        peers["skglm"] = lambda tol: Skglm(alpha) if np.isnan(tol) else Skglm(alpha, tol=tol)
    if find_spec("celer"):
        from celer import Lasso as Celer

        peers["celer"] = lambda tol: Celer(alpha) if np.isnan(tol) else Celer(alpha, tol=tol)
    return Problem(f"Lasso, {name}", X, y, partial(Lasso, alpha), peers, partial(_squared, X=X, y=y, l1=alpha, l2=0.0))


def _net(name: str, X: Any, y: np.ndarray, alpha: float) -> Problem:
    from sklearn.linear_model import ElasticNet as Theirs

    from linnet import ElasticNet

    settings = {"alpha": alpha, "l1_ratio": 0.7}
    peers: dict[str, Make] = {"scikit-learn": lambda tol: _with_tol(Theirs, tol, **settings)}
    if find_spec("skglm"):
        from skglm import ElasticNet as Skglm

        peers["skglm"] = lambda tol: Skglm(**settings) if np.isnan(tol) else Skglm(tol=tol, **settings)
    if find_spec("celer"):
        from celer import ElasticNet as Celer

        peers["celer"] = lambda tol: Celer(**settings) if np.isnan(tol) else Celer(tol=tol, **settings)
    objective = partial(_squared, X=X, y=y, l1=0.7 * alpha, l2=0.3 * alpha)
    return Problem(f"elastic net, {name}", X, y, partial(ElasticNet, **settings), peers, objective)


def _logistic_objective(model: Any, X: Any, y: np.ndarray) -> float:
    """|w|_1 + the sum of the rows' losses."""
    scores = np.asarray(X @ np.ravel(model.coef_)).ravel() + np.ravel(model.intercept_)
    return float(np.abs(model.coef_).sum() + np.logaddexp(0.0, -np.where(y == y.max(), 1.0, -1.0) * scores).sum())


def _squared(model: Any, X: Any, y: np.ndarray, l1: float, l2: float) -> float:
    w = np.ravel(model.coef_)
    missed = y - np.asarray(X @ w).ravel() - np.ravel(model.intercept_)
    return float(missed @ missed) / (2 * len(y)) + l1 * float(np.abs(w).sum()) + 0.5 * l2 * float(w @ w)


def wide_classes(n: int = 200, d: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    """Ten of the columns decide, with noise."""
    X, score = wide_numbers(n, d)
    return X, (score > 0).astype(int)


def wide_numbers(n: int = 500, d: int = 50_000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((n, d)), np.zeros(d)
    w[rng.choice(d, 10, replace=False)] = 2 * rng.standard_normal(10)
    score = X @ w
    return X, score + 0.5 * score.std() * rng.standard_normal(n)


def tall(n: int = 100_000, d: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Columns that have something in common, and means other than 0."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.1 * rng.standard_normal((d, d))) + rng.standard_normal(d)
    return X, X[:, :20] @ rng.standard_normal(20) + 2 * rng.standard_normal(n) + 3


def sparse_rows(n: int = 20_000, d: int = 200_000, entries: int = 100, *, classes: bool) -> tuple[Any, np.ndarray]:
    """A hundred entries a row, in frequent and rare columns; the 2,000 most frequent ones count."""
    rng = np.random.default_rng(0)
    ids = (d * rng.random(n * entries) ** 3).astype(np.int32)
    values = np.abs(rng.standard_normal(n * entries))
    X = sp.csr_matrix((values, ids, np.arange(0, n * entries + 1, entries, dtype=np.int32)), shape=(n, d))
    X.sum_duplicates()
    w = np.zeros(d)
    w[:2000] = rng.standard_normal(2000)
    score = X @ w
    score = score - score.mean() + 0.5 * score.std() * rng.standard_normal(n)
    return X, (score > 0).astype(int) if classes else score


def _a9a(folder: Path) -> tuple[Any, np.ndarray]:
    from sklearn.datasets import load_svmlight_file

    path = folder / "svmlight" / "a9a"
    X, y = load_svmlight_file(str(path))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y.astype(int)


WORKLOADS: dict[str, Callable[[Any], Iterator[Figure]]] = {"l1": l1}
