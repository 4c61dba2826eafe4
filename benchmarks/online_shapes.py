"""Workloads of online defaults on dense rows, of naive Bayes, and of texts with many labels.

linnet's defaults beside the peer's, each with its own stopping rule; scores are of held-out rows, beside the ratio.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import Figure, Goal, take_turns

if TYPE_CHECKING:
    from benchmarks.workloads import Options

# rows, columns, classes (0: numbers)
DENSE = ((200_000, 28, 2), (50_000, 100, 10), (12_000, 784, 10))
LABELS = (200, 2_000)
TWICE = Goal(least=2)


def dense_online(options: Options) -> Iterator[Figure]:
    """Noisy dense classes that no plane separates."""
    from sklearn import linear_model

    import linnet

    pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "Perceptron": (linnet.Perceptron, linear_model.Perceptron),
        "PassiveAggressive": (linnet.PassiveAggressive, linear_model.PassiveAggressiveClassifier),
        "OnlineClassifier": (linnet.OnlineClassifier, lambda: linear_model.SGDClassifier(loss="log_loss")),
    }
    for rows, columns, classes in DENSE:
        X, y = noisy(rows, columns, classes)
        for name, (ours, theirs) in pairs.items():
            yield _beside(f"dense {rows:,} x {columns}, {classes} classes", name, ours, theirs, X, y, options)


def dense_online_regression(options: Options) -> Iterator[Figure]:
    """Many rows of few columns."""
    from sklearn.linear_model import SGDRegressor

    import linnet

    X, y = noisy(500_000, 10, 0)
    yield _beside("dense 500,000 x 10, numbers", "OnlineRegressor", linnet.OnlineRegressor, SGDRegressor, X, y, options)


def naive_bayes_of_many_classes(options: Options) -> Iterator[Figure]:
    """Wide sparse rows in memory, 50 classes."""
    from scipy.sparse import csr_array
    from sklearn.naive_bayes import MultinomialNB

    import linnet

    rng = np.random.default_rng(0)
    n, d, each = 20_000, 200_000, 100
    ids = rng.integers(0, d, n * each)
    X = csr_array((rng.integers(1, 4, n * each).astype(float), ids, np.arange(0, n * each + 1, each)), shape=(n, d))
    X.sum_duplicates()
    y = rng.integers(0, 50, n)
    yield _beside(
        f"sparse {n:,} x {d:,}, 50 classes", "MultinomialNB", linnet.MultinomialNB, MultinomialNB, X, y, options
    )


def many_labels(options: Options) -> Iterator[Figure]:
    """Short texts from a file to a model; Vowpal Wabbit by --oaa, which takes no held-out rows."""
    import vowpalwabbit

    import linnet

    for labels in LABELS:
        texts, codes = short_texts(22_000, labels)
        with tempfile.TemporaryDirectory() as folder:
            path, theirs = Path(folder) / "texts.csv", Path(folder) / "texts.vw"
            rows = list(zip(codes.tolist(), texts, strict=True))
            path.write_text("label,text\n" + "".join(f"l{code},{text}\n" for code, text in rows[:20_000]))
            theirs.write_text("".join(f"{code + 1} | {text}\n" for code, text in rows[:20_000]))
            models: dict[str, Any] = {}

            def ours(path: Path = path, models: dict[str, Any] = models) -> None:
                models["linnet"] = linnet.train(path, target="label")

            def wabbit(path: Path = theirs, labels: int = labels, models: dict[str, Any] = models) -> None:
                models["wabbit"] = vowpalwabbit.Workspace(f"--oaa {labels} -b 18 --quiet -d {path}")

            seconds = take_turns({"linnet": ours, "Vowpal Wabbit": wabbit}, max(1, options.repeats // 4))
            test = [{"text": text} for _, text in rows[20_000:]]
            predicted = [str(each) for each in models["linnet"].predict(test)]
            truth = codes[20_000:]
            right = np.mean([label == f"l{code}" for label, code in zip(predicted, truth, strict=True)])
            asked = [models["wabbit"].predict(f"| {row['text']}") - 1 for row in test]
            models["wabbit"].finish()
        detail = {name: f"{taken:.2f} s" for name, taken in seconds.items()}
        detail |= {"accuracy": f"{right:.3f} beside {np.mean(np.array(asked) == truth):.3f}"}
        ratio = seconds["Vowpal Wabbit"] / seconds["linnet"]
        yield Figure(f"20,000 texts, {labels:,} labels", "times Vowpal Wabbit", ratio, Goal(least=1), detail)


def _beside(
    shape: str, name: str, ours: Callable[[], Any], theirs: Callable[[], Any], X: Any, y: Any, options: Options
) -> Figure:
    """How many times faster our fit is, with the scores of both on the last tenth of the rows."""
    train = X.shape[0] * 9 // 10
    fitted: dict[str, Any] = {}

    def fit(who: str, make: Callable[[], Any]) -> Callable[[], None]:
        return lambda: fitted.__setitem__(who, make().fit(X[:train], y[:train]))

    contenders = {"linnet": fit("linnet", ours), "scikit-learn": fit("scikit-learn", theirs)}
    seconds = take_turns(contenders, max(1, options.repeats // 3))
    scores = {who: f"{seconds[who]:.2f} s, {fitted[who].score(X[train:], y[train:]):.3f}" for who in contenders}
    return Figure(shape, f"{name}, times scikit-learn", seconds["scikit-learn"] / seconds["linnet"], TWICE, scores)


def noisy(rows: int, columns: int, classes: int) -> tuple[Any, Any]:
    """Gaussian columns, and classes (or, of 0 classes, numbers) that depend on them with as much noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    scores = X @ rng.standard_normal((columns, max(1, classes)))
    scores += np.sqrt(columns) * rng.standard_normal(scores.shape)
    return X, scores.argmax(axis=1) if classes else scores[:, 0]


def short_texts(rows: int, labels: int) -> tuple[list[str], Any]:
    """Texts of 6 to 18 words, a quarter of them from six words of the label, the others by Zipf's law."""
    rng = np.random.default_rng(0)
    words, own = 50_000, 6
    shares = np.cumsum(1.0 / np.arange(1, words + 1))
    topics = rng.integers(200, words, (labels, own))
    codes = rng.integers(0, labels, rows)
    texts = []
    for code, length in zip(codes, rng.integers(6, 19, rows), strict=True):
        drawn = np.searchsorted(shares / shares[-1], rng.random(length))
        mine = rng.random(length) < 0.25
        drawn[mine] = topics[code, rng.integers(0, own, int(mine.sum()))]
        texts.append(" ".join(f"w{word}" for word in drawn))
    return texts, codes


WORKLOADS: dict[str, Callable[[Any], Iterator[Figure]]] = {
    "dense-online": dense_online,
    "dense-online-regression": dense_online_regression,
    "naive-bayes-classes": naive_bayes_of_many_classes,
    "many-labels": many_labels,
}
