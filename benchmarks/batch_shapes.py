"""Batch solvers on tables of many shapes: defaults beside defaults, and the hinge beside LIBLINEAR at the same gap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.measure import Figure, Goal, take_turns
from benchmarks.solvers import objective as log_loss

if TYPE_CHECKING:
    from benchmarks.workloads import Options

# What a hinge SVM is solved to, and LIBLINEAR's tolerances, tried from loose to strict until it comes as near.
GAP = 1e-4
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
STRENGTHS = (0.01, 1.0, 100.0)
# The fits of large tables take turns fewer times.
FEW_TURNS = 2


class Cell(NamedTuple):
    """A table, a learner by its name in both libraries, and its objective: None where both solve in closed form."""

    shape: str
    make: Callable[[], tuple[np.ndarray, np.ndarray]]
    learner: str
    objective: Callable[[Any, Any, np.ndarray], float] | None


def images(n: int, largest: float) -> tuple[np.ndarray, np.ndarray]:
    """Ten classes of smooth 28 x 28 images, three quarters of them empty, in 256 shades from 0 to `largest`."""
    from scipy.ndimage import gaussian_filter

    rng, side, styles, patterns = np.random.default_rng(0), 28, 4, 120

    def smooth(count: int, width: float) -> np.ndarray:
        drawn = np.array([gaussian_filter(each, width) for each in rng.standard_normal((count, side, side))])
        return (drawn / drawn.std(axis=(1, 2), keepdims=True)).reshape(count, side * side)

    prototypes, noise = smooth(10 * styles, 2.2), smooth(patterns, 1.3)
    fade = np.exp(-(((np.arange(side) - side / 2 + 0.5) / (side / 3.2)) ** 4))
    y = rng.integers(0, 10, n)
    drawn = prototypes[styles * y + rng.integers(0, styles, n)]
    drawn += (0.6 * rng.standard_normal((n, patterns)) / np.sqrt(1 + np.arange(patterns))) @ noise
    shades = np.clip(0.8 * (drawn - 0.7) * np.outer(fade, fade).reshape(-1), 0, 1)
    return np.round(255 * shades) * (largest / 255), y


def numbers(n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns; classes by noisy linear scores, or with no classes numbers."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal((d, max(1, classes - (classes == 2)))) / np.sqrt(d)
    scores += rng.standard_normal(scores.shape)
    if classes < 2:
        return X, scores[:, 0]
    return X, (scores[:, 0] > 0).astype(int) if classes == 2 else scores.argmax(axis=1)


def _squared_hinge(model: Any, X: Any, y: np.ndarray) -> float:
    """1/2 |w|^2 + the sum of the rows' squared hinge losses, for each class; the intercept apart."""
    scores, penalty = X @ model.coef_.T + model.intercept_, 0.5 * float((model.coef_**2).sum())
    classes = model.classes_[1:] if len(model.classes_) == 2 else model.classes_
    signs = np.where(y[:, np.newaxis] == classes, 1.0, -1.0)
    return penalty + float((np.maximum(0.0, 1.0 - signs * scores) ** 2).sum())


CELLS = (
    Cell("images, 0 to 1, 60,000 x 784", partial(images, 60_000, 1.0), "LogisticRegression", log_loss),
    Cell("images, 0 to 255, 10,000 x 784", partial(images, 10_000, 255.0), "LogisticRegression", log_loss),
    Cell("images, 0 to 1, 60,000 x 784", partial(images, 60_000, 1.0), "LinearSVC", _squared_hinge),
    Cell("1,000,000 x 28, 2 classes", partial(numbers, 1_000_000, 28, 2), "LogisticRegression", log_loss),
    Cell("100,000 x 100, 10 classes", partial(numbers, 100_000, 100, 10), "LogisticRegression", log_loss),
    Cell("100,000 x 100, 10 classes", partial(numbers, 100_000, 100, 10), "LinearSVC", _squared_hinge),
    Cell("5,000,000 x 10", partial(numbers, 5_000_000, 10, 0), "Ridge", None),
    Cell("20,000 x 1,000", partial(numbers, 20_000, 1_000, 0), "Ridge", None),
    Cell("20,000 x 1,000", partial(numbers, 20_000, 1_000, 0), "LinearRegression", None),
    Cell("2,000 x 5,000", partial(numbers, 2_000, 5_000, 0), "Ridge", None),
    Cell("2,000 x 5,000", partial(numbers, 2_000, 5_000, 0), "LinearRegression", None),
    Cell("20,000 x 1,000, 5 classes", partial(numbers, 20_000, 1_000, 5), "LinearDiscriminantAnalysis", None),
    Cell("300 x 2,000, 5 classes", partial(numbers, 300, 2_000, 5), "LinearDiscriminantAnalysis", None),
)


def shapes(options: Options) -> Iterator[Figure]:
    """Each learner's defaults beside those of scikit-learn; the objectives that both end at are stated."""
    import linnet

    for cell in CELLS:
        X, y = cell.make()
        ours, theirs = getattr(linnet, cell.learner)(), _scikit_learn(cell.learner)
        contenders = {"linnet": partial(ours.fit, X, y), "scikit-learn": partial(theirs.fit, X, y)}
        seconds = take_turns(contenders, min(options.repeats, FEW_TURNS))
        made_of = {who: f"{1e3 * taken:.0f} ms" for who, taken in seconds.items()}
        if cell.objective is not None:
            made_of |= {f"objective of {who}": f"{cell.objective(each, X, y):.6g}" for who, each in
                        (("linnet", ours), ("scikit-learn", theirs))}  # fmt: skip
        ratio = seconds["scikit-learn"] / seconds["linnet"]
        yield Figure(f"{cell.learner}, {cell.shape}", "times scikit-learn's default", ratio, Goal(least=2), made_of)


def _scikit_learn(learner: str) -> Any:
    from sklearn import discriminant_analysis, linear_model, svm

    return next(
        getattr(part, learner) for part in (linear_model, svm, discriminant_analysis) if hasattr(part, learner)
    )()


def small_hinge(options: Options) -> Iterator[Figure]:
    """The SVM on small narrow tables, as given and scaled: the time to a gap of 1e-4 beside LIBLINEAR's."""
    from linnet import LinearSVC

    for name, X, y in _small_tables(options.folder):
        for C in STRENGTHS:
            ours = LinearSVC(loss="hinge", C=C, tol=GAP)
            rival, enough = _liblinear(X, y, C)
            seconds = take_turns({"linnet": partial(ours.fit, X, y), "LIBLINEAR": partial(rival.fit, X, y)},
                                 options.repeats)  # fmt: skip
            made_of = {who: f"{1e3 * taken:.2f} ms" for who, taken in seconds.items()}
            made_of |= {"gap": f"{ours.certificate_.gap:.1g}"} | ({} if enough else {"LIBLINEAR": "did not converge"})
            ratio = seconds["LIBLINEAR"] / seconds["linnet"]
            yield Figure(f"hinge, {name}, C={C:g}", "times LIBLINEAR at the same gap", ratio, Goal(least=1), made_of)


def _small_tables(folder: Path | None) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    for n, d, noise in ((1243, 22, 3.0), (270, 13, 1.0), (392, 7, 0.5)):
        X = rng.standard_normal((n, d))
        y = np.where(X @ rng.standard_normal(d) + noise * rng.standard_normal(n) > 0, 1, -1)
        yield f"{n} x {d}, scaled", X, y
        yield f"{n} x {d}, raw", X * 10.0 ** rng.uniform(-1, 2, d) + rng.uniform(0, 5, d), y
    if folder is not None:
        from sklearn.datasets import load_svmlight_file

        X, y = load_svmlight_file(str(folder / "svmlight" / "heart_scale"))
        yield "heart_scale", X.toarray(), y.astype(int)


def _liblinear(X: np.ndarray, y: np.ndarray, C: float) -> tuple[Any, bool]:
    """LIBLINEAR at the loosest tolerance that comes within GAP of the optimum of its objective, and whether it did.

    It penalises the intercept as a weight; the optimum of that is linnet's with a column of ones.
    """
    from sklearn.svm import LinearSVC as Liblinear

    from linnet import LinearSVC

    ones = np.column_stack([X, np.ones(len(X))])
    best = LinearSVC(loss="hinge", C=C, tol=1e-7, fit_intercept=False).fit(ones, y)
    optimum = C * len(y) * best.certificate_.dual
    for tol in TOLERANCES:
        rival = Liblinear(loss="hinge", C=C, tol=tol, max_iter=20_000).fit(X, y)
        margins = y * rival.decision_function(X)
        value = 0.5 * float((rival.coef_**2).sum() + (rival.intercept_**2).sum())
        value += C * float(np.maximum(0.0, 1.0 - margins).sum())
        if value * (1 - GAP) <= optimum:
            return rival, True
    return rival, False


WORKLOADS: dict[str, Callable[[Any], Iterator[Figure]]] = {"batch-shapes": shapes, "small-hinge": small_hinge}
