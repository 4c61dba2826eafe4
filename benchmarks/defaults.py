"""linnet's default beside cross-validated pipelines of scikit-learn: accuracy, log loss and time on the same rows.

    python benchmarks/defaults.py --data FOLDER [--only NAME] [--rows 40,200,1000] [--seeds 3] [--most 4000]
    python benchmarks/defaults.py --synthetic N

The last line sums up: sets and cuts, losses and gains in accuracy and in log loss, and the ratio of all CPU time.

The peer is StandardScaler and one-hot encoding (texts: TF-IDF of words and pairs) with LogisticRegressionCV, 5 folds,
its 10 values of C, chosen by log loss; both get the same training rows, and predict the same test rows.  A cut of a set
is drawn once for every seed.  "full" is all training rows, or the first `--most` for the peer's sake.  A difference
counts as a loss where it is above two standard errors, over the test rows and, for small cuts, also over the seeds.
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

from benchmarks.default_sets import READERS, Rows, Set, sets
from benchmarks.synthetic_sets import synthetic_sets

# Probabilities are clipped to this, as scikit-learn's log_loss does in double precision.
LEAST = float(np.finfo(np.float64).eps)
TARGET = "target of the row"

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


def compared(ours: list[Measured], theirs: list[Measured], what: str) -> tuple[float, float, float, float]:
    """Our mean, theirs, the difference, and its standard error."""
    mine = [np.asarray(getattr(each, what), dtype=float) for each in ours]
    other = [np.asarray(getattr(each, what), dtype=float) for each in theirs]
    excess = np.array([a - b for a, b in zip(mine, other, strict=True)])
    rows = excess.mean(axis=0)
    squares = rows.var(ddof=1) / len(rows)
    if len(excess) > 1:
        squares += excess.mean(axis=1).var(ddof=1) / len(excess)
    return float(np.mean(mine)), float(np.mean(other)), float(excess.mean()), float(np.sqrt(squares))


def cuts(one: Set, sizes: list[int], seeds: int, most: int) -> list[tuple[str, list[Rows]]]:
    """The training rows of each size, for every seed; and all of them, up to `most`."""

    def drawn(size: int, seed: int) -> Rows:
        while True:
            rows = one.train.take(np.random.default_rng(seed).permutation(len(one.train))[:size])
            if len(np.unique(rows.y)) > 1:
                return rows
            seed += 1000

    smaller = [size for size in sizes if size < len(one.train)]
    found = [(str(size), [drawn(size, seed) for seed in range(seeds)]) for size in smaller]
    full = min(len(one.train), most)
    if full not in smaller:
        found.append((f"full {full}", [drawn(full, 0)]))
    return found


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

    def add(self, ours: list[Measured], theirs: list[Measured]) -> str:
        """One line for a set or cut of it, measured over the seeds."""
        a, b, gain, error = compared(ours, theirs, "right")
        c, d, excess, other = compared(ours, theirs, "losses")
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
    parser.add_argument("--seeds", type=int, default=3)
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
        for size, trains in cuts(one, [] if random else sizes, asked.seeds, asked.most):
            ours = [measured(linnet_default, train, one.test) for train in trains]
            theirs = [measured(cross_validated, train, one.test) for train in trains]
            print(f"{one.name:14} {size:>10}   {summary.add(ours, theirs)}", flush=True)
    print(summary)


if __name__ == "__main__":
    main()
