"""Hostile arrays to every estimator and method: shapes, types, orders, values, sparse matrices that lie."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np
from scipy import sparse

from attack.case import Call, Case, Limits

ODD = [np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 1e-300, 1e160, -0.0, 2.0**53]
METHODS = [
    "predict",
    "decision_function",
    "predict_proba",
    "predict_log_proba",
    "score",
    "transform",
    "explain",
    "vote",
    "summary",
    "densify",
    "sparsify",
]
TEXTS = ["good film", "", "\x1b[31m", "a\0b", "\ud800", "é" * 50, "x" * 10_000, None, 5, b"bytes", np.nan, ["list"]]


AT_ONCE = 8  # attacks in one process: most are refused within a millisecond


def make(random: Random) -> Case:
    return Case({}, [Call(attack_estimators, random.random(), Limits(seconds=60.0))])


def attack_estimators(seed: float) -> None:
    """Some attacks, one after the other."""
    random = Random(seed)
    for _ in range(AT_ONCE):
        try:
            attack_estimator(random.random())
        except (ValueError, TypeError) as refused:
            print(f"refused: {refused}"[:300])


def attack_estimator(seed: float) -> None:
    """Fit one estimator to something hostile, ask it for everything, and look at what it says."""
    warnings.simplefilter("ignore")
    random = Random(seed)
    generator = np.random.default_rng(random.randrange(2**32))
    estimator = _estimator(random)
    rows, columns = random.choice([0, 1, 2, 5, 20, 60]), random.choice([0, 1, 2, 5, 40])
    good = np.round(generator.normal(size=(20, 5)), 2)
    if _wants_booleans(estimator) or random.random() < 0.2:
        good = (good > 0).astype(float)
    y = generator.integers(2, size=20)
    texts = type(estimator).__name__ == "BagOfWords"
    print(f"{estimator!r}")
    if random.random() < 0.45:
        X = [random.choice(TEXTS) for _ in range(rows)] if texts else hostile_matrix(random, generator, rows, columns)
        target = hostile_target(random, generator, rows)
        given = _fitted(random, estimator, X, target, generator, rows)
    else:
        given = estimator.fit(["good film", "bad film"] * 10 if texts else good, y)
        X = (
            [random.choice(TEXTS) for _ in range(rows)]
            if texts
            else hostile_matrix(random, generator, rows, random.choice([5, 5, columns]))
        )
    for name in random.sample(METHODS, 5):
        _asked(given, name, X, random, generator, rows)
    if hasattr(given, "certificate_") and random.random() < 0.5:
        spoil(random, X)
        str(given.certificate_)


def _estimator(random: Random) -> Any:
    import linnet
    from linnet.estimators.sgd import OF_CLASSES, OF_NUMBERS, RATES
    from linnet.learners import catalogue
    from linnet.learners.catalogue import Task, Way

    few = {"max_iter": random.choice([1, 5]), "tol": random.choice([None, 1e-3])}
    steps = {"learning_rate": random.choice(RATES), "eta0": 0.1, "average": random.choice([0, 5])}
    online = [entry.name for entry in catalogue.entries(Way.ONLINE, Task.CLASSIFICATION)]
    numeric = [entry.name for entry in catalogue.entries(Way.ONLINE, Task.REGRESSION)]
    makers = [
        lambda: linnet.Perceptron(**few, averaging=random.choice([None, "average", "vote"])),
        lambda: linnet.Perceptron(**few, mode="batch"),
        lambda: linnet.PassiveAggressive(**few),
        lambda: linnet.LogisticRegression(
            **few, solver=random.choice(["auto", "gradient", "dual", "newton-cholesky", "newton-cg", "lbfgs", "online"])
        ),
        lambda: linnet.LogisticRegression(**few, penalty=random.choice(["l1", "elasticnet", None]), l1_ratio=0.5),
        lambda: linnet.LinearSVC(**few, loss=random.choice(["hinge", "squared_hinge"])),
        lambda: linnet.BernoulliNB(),
        lambda: linnet.MultinomialNB(),
        lambda: linnet.SharedGaussianNB(),
        lambda: linnet.LinearDiscriminantAnalysis(shrinkage=random.choice([None, "auto", 0.3])),
        lambda: linnet.LinearRegression(),
        lambda: linnet.Ridge(alpha=random.choice([0.0, 1.0, 1e300])),
        lambda: linnet.RidgeClassifier(alpha=random.choice([0.0, 1.0])),
        lambda: random.choice([linnet.RidgeCV, linnet.RidgeClassifierCV])(cv=random.choice([None, 2])),
        lambda: random.choice([linnet.LassoCV, linnet.ElasticNetCV])(**few, alphas=3, cv=2),
        lambda: random.choice([linnet.LogisticRegressionCV, linnet.LinearSVCCV])(Cs=2, cv=2),
        lambda: linnet.Lasso(**few, alpha=random.choice([0.0, 1e-3, 1.0]), positive=random.random() < 0.3),
        lambda: linnet.ElasticNet(**few, alpha=random.choice([0.0, 1e-3, 1.0])),
        lambda: random.choice([linnet.PoissonRegressor, linnet.GammaRegressor])(**few),
        lambda: linnet.TweedieRegressor(**few, power=random.choice([0, 1, 1.5, 2, 3])),
        lambda: linnet.HuberRegressor(**few, epsilon=random.choice([1.0, 1.35])),
        lambda: linnet.QuantileRegressor(quantile=random.choice([0.1, 0.5]), alpha=random.choice([0.0, 1.0])),
        lambda: linnet.LinearSVR(**few, epsilon=random.choice([0.0, 0.5])),
        lambda: linnet.SGDClassifier(random.choice(list(OF_CLASSES)), **few, **steps),
        lambda: linnet.SGDRegressor(random.choice(list(OF_NUMBERS)), **few, **steps),
        lambda: linnet.ComplementNB(),
        lambda: linnet.PassiveAggressiveClassifier(**few, average=random.random() < 0.3),
        lambda: linnet.MultiLabelClassifier(linnet.LogisticRegression(**few)),
        lambda: linnet.Winnow(),
        lambda: linnet.Halving(),
        lambda: linnet.OnlineClassifier(random.choice(online), **few),
        lambda: linnet.OnlineRegressor(random.choice(numeric), **few),
        lambda: linnet.BagOfWords(),
        lambda: linnet.OneHot(),
        lambda: linnet.Polynomial(degree=random.choice([1, 2, 3])),
        lambda: linnet.Conjunctions(),
        lambda: linnet.CostSensitive(linnet.LogisticRegression(**few), costs={(0, 1): 3.0}),
        lambda: linnet.BestThreshold(linnet.LogisticRegression(**few)),
    ]
    return random.choice(makers)()


def _wants_booleans(estimator: Any) -> bool:
    return type(estimator).__name__ in ("Winnow", "Halving", "Conjunctions") or "winnow" in repr(estimator)


def _fitted(random: Random, estimator: Any, X: Any, y: Any, generator: Any, rows: int) -> Any:
    weights = None if random.random() < 0.8 else hostile_target(random, generator, rows)
    if hasattr(estimator, "partial_fit") and random.random() < 0.3:
        return estimator.partial_fit(X, y, classes=np.unique(np.asarray([0, 1])))
    return estimator.fit(X, y) if weights is None else estimator.fit(X, y, sample_weight=weights)


def _asked(estimator: Any, name: str, X: Any, random: Random, generator: Any, rows: int) -> None:
    if not hasattr(estimator, name):
        return
    try:
        if name in ("summary", "score", "explain"):
            answer = (
                getattr(estimator, name)(X, hostile_target(random, generator, rows))
                if name != "explain"
                else estimator.explain(X)
            )
        elif name in ("densify", "sparsify"):
            answer = getattr(estimator, name)()
        else:
            answer = getattr(estimator, name)(X)
    except (ValueError, TypeError):
        return
    if isinstance(answer, np.ndarray) and answer.dtype.kind == "f" and name not in ("predict_log_proba", "transform"):
        # of a class that it was told of and has not seen, a probability is 0 and its logarithm infinite
        known = getattr(estimator, "class_count_", getattr(estimator, "priors_", 1))
        unseen = name == "decision_function" and not np.all(known)
        sound = ~np.isnan(answer) if unseen else np.isfinite(answer)
        assert sound.all(), f"{name} gave a value that is not finite"


def hostile_matrix(random: Random, generator: Any, rows: int, columns: int) -> Any:
    """Dense or sparse, of any type and order; sometimes a lie."""
    X = np.round(generator.normal(size=(rows, columns)), 2)
    if random.random() < 0.4 and X.size:
        for _ in range(random.choice([1, 3])):
            X[random.randrange(rows), random.randrange(columns)] = random.choice(ODD)
    if random.random() < 0.2:
        X = (X > 0).astype(float)
    if random.random() < 0.5:
        return hostile_sparse(random, X)
    ways = [
        lambda: X, lambda: X.astype(np.float32), lambda: np.asfortranarray(X), lambda: X[::-1, ::-1], lambda: X.T,
        lambda: X.astype(">f8"), lambda: np.nan_to_num(X, posinf=9, neginf=-9).clip(-99, 99).astype(np.int8),
        lambda: X > 0, lambda: X.astype(object), lambda: X.astype(str), lambda: X.astype(complex), lambda: X[None],
        lambda: X.ravel(), lambda: X.tolist(), lambda: np.ma.masked_invalid(X),
        lambda: np.matrix(X) if X.size else X,
        lambda: np.lib.stride_tricks.as_strided(X, X.shape, (0, 0)) if X.size else X,
        lambda: X.astype(np.longdouble), lambda: X.astype(np.float16), lambda: None, lambda: "text", lambda: 5.0,
        lambda: [[1, 2], [3]], list, lambda: np.array(3.0), lambda: X.astype("M8[s]"), lambda: _broadcast(X),
    ]  # fmt: skip
    return random.choice(ways)()


def _broadcast(X: np.ndarray) -> np.ndarray:
    return np.broadcast_to(X[:1], X.shape) if X.size else X


def hostile_sparse(random: Random, X: np.ndarray) -> Any:
    """A sparse matrix, perhaps with arrays that do not fit together."""
    S = random.choice([sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.lil_array])(X)
    if S.format in ("csr", "csc") and random.random() < 0.7:
        _lie(random, S)
    return S


def _lie(random: Random, S: Any) -> None:
    match random.randrange(12):
        case 0:
            S.indptr = S.indptr[: random.randrange(len(S.indptr) + 1)]
        case 1 if len(S.indices):
            S.indices[random.randrange(len(S.indices))] = random.choice([-1, 10**9, 2**31 - 1, S.shape[1]])
        case 2:
            S.indptr[random.randrange(len(S.indptr))] = random.choice([-1, 10**9, 2**31 - 1])
        case 3:
            S.indices = S.indices[: len(S.indices) // 2]
        case 4:
            S.data = S.data[: len(S.data) // 2]
        case 5:
            S.indptr = S.indptr[::-1].copy()
        case 6:
            S.data = S.data.astype(random.choice([object, complex, np.float16, bool, np.longdouble]))
        case 7:
            S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(random.choice([np.int32, np.int64]))
        case 8:
            S.indptr = np.append(S.indptr, S.indptr[-1])
        case 9:
            S.indices = S.indices.astype(random.choice([np.uint32, np.float64, np.int8]))
        case 10:
            S._shape = (S.shape[0] * 1000, S.shape[1])
        case _:
            S.data = np.zeros((len(S.data), 2))


def hostile_target(random: Random, generator: Any, rows: int) -> Any:
    y = generator.integers(2, size=rows)
    ways = [
        lambda: y, lambda: y, lambda: y, lambda: y.astype(float), lambda: np.array(["a", "b"])[y] if rows else y,
        lambda: y[: rows // 2], lambda: y[:, None], lambda: np.zeros(rows), lambda: np.arange(rows),
        lambda: np.full(rows, np.nan), lambda: np.full(rows, np.inf), lambda: y.astype(object),
        lambda: [None] * rows, lambda: ["\x1b[31m", "b"] * (rows // 2) + ["b"] * (rows % 2),
        lambda: np.full(rows, 1e308), lambda: None, lambda: 1, lambda: [[1]] * rows, lambda: y.astype(complex),
        lambda: generator.normal(size=rows), lambda: y.astype("M8[D]"), lambda: [{}] * rows,
        lambda: sparse.csr_array(y[None]) if rows else y, lambda: y * 2.0**60, lambda: -y,
        lambda: y.astype(np.uint8), lambda: y.astype(bool),
    ]  # fmt: skip
    return random.choice(ways)()


def spoil(random: Random, X: Any) -> None:
    """Change the caller's arrays after the fit."""
    try:
        if sparse.issparse(X) and X.format in ("csr", "csc") and len(X.indices):
            X.indices[:] = 10**9 if X.indices.itemsize > 1 else 100
            X.indptr[:] = random.choice([0, 10**6])
        elif isinstance(X, np.ndarray) and X.dtype.kind == "f":
            X *= 1e-3
    except (ValueError, AttributeError):
        pass
