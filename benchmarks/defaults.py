"""linnet's default beside cross-validated pipelines of scikit-learn: accuracy, log loss and time on the same rows.

    python benchmarks/defaults.py --data FOLDER [--only NAME] [--rows 40,200,1000] [--most 4000]
    python benchmarks/defaults.py --synthetic N

The last line sums up: sets and cuts, losses and gains in accuracy and in log loss, and the ratio of all CPU time.

The peer is StandardScaler and one-hot encoding (texts: TF-IDF of words and pairs) with LogisticRegressionCV, 5 folds,
its 10 values of C, chosen by log loss; both get the same training rows, and predict the same test rows.  A cut of a
set is drawn several times.  "full" is all training rows, or `--most` of them for the peer's sake.  A difference counts
as a loss where it is above two standard errors: over the test rows and over the draws; of a small set, which is divided
anew for each draw, over the draws alone, corrected for the rows that these have in common (Nadeau, Bengio 2003).
CPU time is that of fits in this process after both have fitted once, so without imports.  BLAS runs on one thread for
both: on several, threads of the peer that wait for one another count, too, five times the work on a busy machine.
With `--synthetic N` the sets are random tables instead (synthetic_sets.py), which follow from the seed N.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is loaded

import numpy as np

from benchmarks.default_sets import READERS, Rows, Set, joined, sets
from benchmarks.synthetic_sets import synthetic_sets

# Probabilities are clipped to this, as scikit-learn's log_loss does in double precision.
LEAST = float(np.finfo(np.float64).eps)
TARGET = "target of the row"
# Cuts are drawn this often: which rows there are decides more than which are tested.  Sets of up to SMALL rows in all
# are divided anew for each draw: a single division of so few decides nothing.
DRAWS = {40: 10, 200: 10, 1000: 5}
SMALL = 2000

# Test rows in; labels, and the probability of each label for each row, out.
Predict = Callable[[Rows], tuple[list[str], np.ndarray]]


def linnet_default(train: Rows) -> Predict:
    import linnet

    if train.columns is None:
        model = linnet.train((train.X, train.y))
    else:
        model = linnet.train({**train.columns, TARGET: train.y.tolist()}, target=TARGET)
    labels = [f"{label:g}" if isinstance(label, float) else str(label) for label in model.classes or []]

    def predict(test: Rows) -> tuple[list[str], np.ndarray]:
        return labels, np.asarray(model.predict_proba(test.X if test.columns is None else test.columns))

    return predict


def cross_validated(train: Rows) -> Predict:
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.model_selection import KFold, StratifiedKFold
    from sklearn.pipeline import make_pipeline

    fewest = int(np.unique(train.y, return_counts=True)[1].min())
    folds = StratifiedKFold(5) if fewest >= 5 else StratifiedKFold(max(2, fewest)) if fewest >= 2 else KFold(5)
    fit = LogisticRegressionCV(cv=folds, scoring="neg_log_loss", max_iter=200)
    model = make_pipeline(*_preparation(train), fit)
    model.fit(_table(train), train.y)

    def predict(test: Rows) -> tuple[list[str], np.ndarray]:
        return [str(label) for label in fit.classes_], model.predict_proba(_table(test))

    return predict


def _preparation(rows: Rows) -> list[Any]:
    from sklearn.compose import make_column_transformer
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler

    if rows.columns is None:
        return [MaxAbsScaler() if hasattr(rows.X, "indptr") else StandardScaler()]
    if "text" in rows.columns:
        return [TfidfVectorizer(ngram_range=(1, 2), min_df=min(2, len(rows) // 20), sublinear_tf=True)]
    numbers = [name for name, values in rows.columns.items() if isinstance(values[0], float)]
    others = [name for name in rows.columns if name not in numbers]
    return [make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), others))]


def _table(rows: Rows) -> Any:
    if rows.columns is None:
        return rows.X
    if "text" in rows.columns:
        return rows.columns["text"]
    import pandas as pd

    return pd.DataFrame(rows.columns)


@dataclass(frozen=True)
class Measured:
    """Whether each test row was predicted right, its log loss, and the seconds of the fit."""

    right: np.ndarray
    losses: np.ndarray
    seconds: float


def measured(fit: Callable[[Rows], Predict], train: Rows, test: Rows) -> Measured:
    began = time.process_time()
    predict = fit(train)
    seconds = time.process_time() - began
    labels, probabilities = predict(test)
    number = {label: at for at, label in enumerate(labels)}
    codes = np.array([number.get(str(label), -1) for label in test.y])
    own = np.where(codes < 0, 0.0, probabilities[np.arange(len(codes)), codes])
    return Measured(probabilities.argmax(axis=1) == codes, -np.log(np.maximum(own, LEAST)), seconds)


def compared(ours: list[Measured], theirs: list[Measured], what: str, overlap: float) -> tuple[float, ...]:
    """Our mean, theirs, the difference, and its standard error."""
    mine = [np.asarray(getattr(each, what), dtype=float) for each in ours]
    other = [np.asarray(getattr(each, what), dtype=float) for each in theirs]
    excess = np.array([a - b for a, b in zip(mine, other, strict=True)])
    draws = excess.mean(axis=1)
    if overlap:
        squares = draws.var(ddof=1) * (1 / len(draws) + overlap)
    else:
        rows = excess.mean(axis=0)
        squares = rows.var(ddof=1) / len(rows)
        squares += draws.var(ddof=1) / len(draws) if len(draws) > 1 else 0.0
    return float(np.mean(mine)), float(np.mean(other)), float(excess.mean()), float(np.sqrt(squares))


@dataclass(frozen=True)
class Cut:
    """Training and test rows of each draw; `overlap` is tested over trained rows where both are drawn anew."""

    name: str
    draws: list[tuple[Rows, Rows]]
    overlap: float = 0.0


def cuts(one: Set, sizes: list[int], most: int) -> list[Cut]:
    """The set cut to each size, drawn several times; and all of its training rows, up to `most`."""
    full = min(len(one.train), most)
    names = {size: str(size) for size in sizes if size < len(one.train)} | {full: f"full {full}"}
    total = len(one.train) + len(one.test)
    if total > SMALL:
        return [
            Cut(name, [(_drawn(one.train, size, seed), one.test) for seed in range(DRAWS.get(size, 1))])
            for size, name in names.items()
        ]
    every, tested = joined(one.train, one.test), len(one.test)

    def split(size: int, seed: int) -> tuple[Rows, Rows]:
        order = np.random.default_rng([seed, 1]).permutation(total)
        return _drawn(every.take(order[tested:]), size, seed), every.take(order[:tested])

    return [
        Cut(name, [split(size, seed) for seed in range(DRAWS.get(size, 5))], tested / size)
        for size, name in names.items()
    ]


def _drawn(rows: Rows, size: int, seed: int) -> Rows:
    """Some of the rows, of two labels at least."""
    while True:
        some = rows.take(np.random.default_rng(seed).permutation(len(rows))[:size])
        if len(np.unique(some.y)) > 1:
            return some
        seed += 1000


def warm_up() -> None:
    """Load everything first: what a process loads once is not the time of a fit."""
    y = np.array(["a", "b"] * 20)
    numbers = {"x": np.random.default_rng(0).normal(size=40).tolist(), "z": ["u", "v", "v", "u"] * 10}
    for columns in (numbers, {"text": ["good film", "bad film", "good", "so bad"] * 10}):
        for fit in (linnet_default, cross_validated):
            measured(fit, Rows(columns, None, y), Rows(columns, None, y))


class Summary:
    """What was lost and gained, and the seconds of both."""

    def __init__(self) -> None:
        self.sets, self.seconds = 0, np.zeros(2)
        self.lost, self.gained = np.zeros(2, dtype=int), np.zeros(2, dtype=int)

    def add(self, ours: list[Measured], theirs: list[Measured], overlap: float) -> str:
        """One line for a set or cut of it, measured over its draws."""
        a, b, gain, error = compared(ours, theirs, "right", overlap)
        c, d, excess, other = compared(ours, theirs, "losses", overlap)
        took = np.array([sum(each.seconds for each in ours), sum(each.seconds for each in theirs)])
        worse = np.array([gain < -2 * error, excess > 2 * other])
        self.sets, self.seconds = self.sets + 1, self.seconds + took
        self.lost += worse
        self.gained += np.array([gain > 2 * error, excess < -2 * other])
        marks = "".join(mark if wrong else " " for mark, wrong in zip("AL", worse, strict=True))
        return (
            f"{100 * a:8.1f} {100 * b:6.1f} {100 * gain:+7.2f} ± {100 * error:5.2f}   "
            f"{c:8.4f} {d:6.4f} {excess:+8.4f} ± {other:6.4f}   {took[0]:7.2f} {took[1]:8.2f} {marks}"
        )

    def __str__(self) -> str:
        return (
            f"{self.sets} sets and cuts: beyond two standard errors linnet loses {self.lost[0]} and gains "
            f"{self.gained[0]} in accuracy, loses {self.lost[1]} and gains {self.gained[1]} in log loss; "
            f"CPU time {self.seconds[0]:.1f} s beside {self.seconds[1]:.1f} s: "
            f"{self.seconds[1] / self.seconds[0]:.1f} times less"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path())
    parser.add_argument("--only", action="append", default=[], choices=list(READERS))
    parser.add_argument("--rows", default="40,200,1000")
    parser.add_argument("--most", type=int, default=4000)
    parser.add_argument("--synthetic", type=int)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    sizes = [int(size) for size in asked.rows.split(",") if size]
    accuracy = f"{'accuracy':>8} {'peer':>6} {'diff ± se':>15}"
    log_loss = f"{'log loss':>8} {'peer':>6} {'diff ± se':>17}"
    print(f"{'set':14} {'rows':>10}   {accuracy}   {log_loss}   {'CPU s':>7} {'peer':>8}")
    warm_up()
    summary, random = Summary(), asked.synthetic is not None
    for one in synthetic_sets(asked.synthetic) if random else sets(asked.data, asked.only):
        for cut in cuts(one, [] if random else sizes, asked.most):
            ours = [measured(linnet_default, *draw) for draw in cut.draws]
            theirs = [measured(cross_validated, *draw) for draw in cut.draws]
            print(f"{one.name:14} {cut.name:>10}   {summary.add(ours, theirs, cut.overlap)}", flush=True)
    print(summary)


if __name__ == "__main__":
    main()
