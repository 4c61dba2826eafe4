"""Draw the pictures of README.md and docs/plots.md: `python docs/pictures.py [FOLDER]` writes them as PNG.

The data are those that come with scikit-learn, or are made here; the same versions give the same bytes.
"""

from __future__ import annotations

import io
import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from PIL import Image
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.model_selection import train_test_split

import linnet
from linnet import plot, theory

FOLDER = Path(__file__).parent / "pictures"
STYLE = {
    "font.size": 10, "figure.facecolor": "white", "savefig.facecolor": "white", "savefig.dpi": 110,
}  # fmt: skip


def two_clouds():
    """Two classes that a plane separates."""
    rng = np.random.default_rng(3)
    first, second = rng.normal([-1.3, -1.0], 0.7, (40, 2)), rng.normal([1.6, 1.5], 0.7, (40, 2))
    return np.vstack([first, second]), np.repeat(["negative", "positive"], 40)


def nearly_touching():
    """Two classes that a plane separates by a small margin."""
    rng = np.random.default_rng(4)
    X = rng.uniform(-1, 1, (400, 2))
    scores = X @ [0.6, 0.8]
    return X[np.abs(scores) > 0.02], (scores > 0)[np.abs(scores) > 0.02]


def noisy_rows(rows: int = 4000):
    """Two classes of ten columns, one row in ten with the wrong label."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 10))
    y = X @ rng.normal(size=10) > 0
    return X, np.where(rng.random(rows) < 0.1, ~y, y).astype(int)


def tumours() -> pd.DataFrame:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.assign(diagnosis=np.where(y == 1, "benign", "malignant"))


def pictures():
    """Names and axes, one after another."""
    from matplotlib import pyplot

    X, y = two_clouds()
    _, (left, right) = pyplot.subplots(1, 2, figsize=(9.6, 5.2), layout="constrained")
    plot.geometry(linnet.Perceptron(random_state=0).fit(X, y), X, y, ax=left)
    left.set_xlabel("x₁ (perceptron)")
    plot.geometry(theory.max_margin(X, y), X, y, ax=right)
    right.set_xlabel("x₁ (largest margin)")
    yield "geometry", left
    iris = load_iris(as_frame=True)
    petals, kinds = iris.data.iloc[:, 2:], iris.target_names[iris.target]
    yield "regions", plot.geometry(linnet.LogisticRegression(C=100).fit(petals, kinds), petals, kinds)
    yield "mistakes", plot.mistakes(linnet.Perceptron(random_state=0).fit(*nearly_touching()))

    model = linnet.train(tumours(), target="diagnosis", learner="logistic-regression", tune=True, verbose=False)
    yield "path", plot.path(model)
    yield "path-coefficients", plot.path(model, show="coefficients")
    yield "top-features", plot.top_features(model, count=6)

    learners = ["logistic-regression", "svm", "adaptive", "discriminant-analysis", "naive-bayes-gaussian"]
    trees = ["sklearn.tree.DecisionTreeClassifier", "sklearn.neighbors.KNeighborsClassifier"]
    data = {"breast cancer": (tumours(), "diagnosis")}
    results = linnet.compare(data_sets=data, learners=[*learners, *trees], folds=10, repeats=3)
    yield "comparison", plot.comparison(results)

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    columns = ["mean texture", "mean smoothness", "mean symmetry"]  # harder without the best ones
    X_train, X_test, y_train, y_test = train_test_split(X[columns], y, test_size=0.5, random_state=0, stratify=y)
    logistic = linnet.LogisticRegression(C=1e4).fit(X_train, y_train)
    bayes = linnet.SharedGaussianNB().fit(X_train, y_train)
    ax = plot.roc(logistic, X_test, y_test, label="logistic regression")
    yield "roc", plot.roc(bayes, X_test, y_test, label="naive Bayes", ax=ax)
    ax = plot.precision_recall(logistic, X_test, y_test, label="logistic regression")
    yield "precision-recall", plot.precision_recall(bayes, X_test, y_test, label="naive Bayes", ax=ax)
    yield "reliability", plot.reliability(logistic, X_test, y_test)
    yield "margins", plot.margins(logistic, X_test, y_test)
    digits, figures = load_digits(return_X_y=True)
    fitted = linnet.LogisticRegression(C=0.1).fit(digits[:900] / 16, figures[:900])
    yield "confusion", plot.confusion(fitted, digits[900:] / 16, figures[900:])

    X, y = load_diabetes(return_X_y=True, as_frame=True)
    ridge = linnet.Ridge(alpha=0.1).fit(X, y)
    yield "predicted", plot.predicted(ridge, X, y)
    yield "residuals", plot.residuals(ridge, X, y)
    X, y = noisy_rows()
    ax = plot.progressive(linnet.Perceptron(shuffle=False), X, y)
    yield "progressive", plot.progressive(linnet.PassiveAggressiveClassifier(shuffle=False), X, y, ax=ax)


def _save(figure, path: Path) -> None:
    """With a palette of 64 colours, which these pictures do not exhaust: a third of the size."""
    content = io.BytesIO()
    figure.savefig(content, metadata={"Software": None})
    Image.open(content).convert("RGB").quantize(64, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def write(folder: Path) -> None:
    """All of them."""
    from matplotlib import pyplot

    folder.mkdir(exist_ok=True)
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore", linnet.LinnetWarning)
        for name, ax in pictures():
            _save(ax.figure, folder / f"{name}.png")
            pyplot.close(ax.figure)


if __name__ == "__main__":
    matplotlib.use("Agg")
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
