"""`linnet train --tune` beside the default fit, and beside scikit-learn's LogisticRegressionCV.

    python benchmarks/tuning.py --data FOLDER [--only NAME] [--peer]

For every set: test accuracy and log loss of the default, of `tune=True` (by log loss) and of `tune="accuracy"`, and the
CPU time of tuning beside that of the default.  With `--peer` also LogisticRegressionCV (Cs=10, cv=5, by log loss) on
the columns of the same set, standardised or by TF-IDF of words and pairs (defaults.py); its time is that of its fit
alone.  CPU time is of this process and all its threads, after a first fit; BLAS runs on one thread.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is loaded

import numpy as np

from benchmarks.default_sets import Rows, Set, sets
from benchmarks.measure import Figure, Goal

TARGET = "target of the row"
LEAST = float(np.finfo(np.float64).eps)
# Tuning takes at most this many times the default fit.
SLOWER = 6.0
WAYS: dict[str, dict[str, Any]] = {"default": {}, "tuned": {"tune": True}, "by accuracy": {"tune": "accuracy"}}


class Outcome(NamedTuple):
    """Test accuracy, log loss and CPU seconds of a way to train; and which C it took."""

    accuracy: float
    log_loss: float
    seconds: float
    C: float


def outcome(one: Set, **options: Any) -> Outcome:
    """Train with these options, and predict the test rows."""
    import linnet

    train = one.train
    began = time.process_time()
    if train.columns is None:
        model = linnet.train((train.X, train.y), **options)
    else:
        model = linnet.train({**train.columns, TARGET: train.y.tolist()}, target=TARGET, **options)
    seconds = time.process_time() - began
    labels = [f"{label:g}" if isinstance(label, float) else str(label) for label in model.classes or []]
    p = np.asarray(model.predict_proba(one.test.X if one.test.columns is None else one.test.columns))
    return Outcome(*_scored(labels, p, one.test), seconds, 1.0 / model.record.recipe.penalty.l2)


def _scored(labels: list[str], p: np.ndarray, test: Rows) -> tuple[float, float]:
    """Accuracy and log loss of these probabilities."""
    number = {label: at for at, label in enumerate(labels)}
    codes = np.array([number.get(str(label), -1) for label in test.y.tolist()])
    own = np.where(codes >= 0, p[np.arange(len(codes)), codes], LEAST)
    return float((p.argmax(axis=1) == codes).mean()), float(-np.log(np.clip(own, LEAST, 1.0)).mean())


def peer(one: Set) -> Outcome:
    """LogisticRegressionCV on columns prepared as usual; the time is that of its fit alone."""
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.pipeline import make_pipeline

    from benchmarks.defaults import _preparation, _table

    X = _table(one.train)
    preparation = make_pipeline(*_preparation(one.train)).fit(X)
    rows = preparation.transform(X)
    fit = LogisticRegressionCV(Cs=10, cv=5, scoring="neg_log_loss", l1_ratios=(0,), use_legacy_attributes=False)
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it stops unconverged at 100 iterations
        fit.fit(rows, one.train.y)
    seconds = time.process_time() - began
    p = fit.predict_proba(preparation.transform(_table(one.test)))
    return Outcome(*_scored([str(label) for label in fit.classes_], p, one.test), seconds, float(fit.C_))


def compared(one: Set) -> dict[str, Outcome]:
    """Every way to train on this set."""
    outcome(one)  # imports, and pages of the rows
    return {name: outcome(one, **options) for name, options in WAYS.items()}


def tuning(options: Any) -> Iterator[Figure]:
    """As a workload: how much longer tuning takes than the default, and what it gains in accuracy, in points."""
    if options.folder is None:
        return
    for one in sets(options.folder, []):
        found = compared(one)
        default, tuned, best = found.values()
        yield Figure(f"tune, {one.name}", "CPU time / default", tuned.seconds / default.seconds, Goal(most=SLOWER))
        gained = 100 * (best.accuracy - default.accuracy)
        yield Figure(f"tune accuracy, {one.name}", "points of accuracy gained", gained, None)


WORKLOADS = {"tuning": tuning}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only")
    parser.add_argument("--peer", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for one in sets(asked.data, [asked.only] if asked.only else []):
        found = compared(one)
        if asked.peer:
            found["LogisticRegressionCV"] = peer(one)
        for name, each in found.items():
            ratio = each.seconds / found["default"].seconds
            print(
                f"{one.name:<24} {name:<22} accuracy {100 * each.accuracy:6.2f} %  log loss {each.log_loss:.4f}  "
                f"C {each.C:<10.4g} {each.seconds:8.2f} s CPU, {ratio:6.2f} x default",
                flush=True,
            )


if __name__ == "__main__":
    main()
