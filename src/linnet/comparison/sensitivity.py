"""How much the order of the rows changes what online learners end with: one pass each, in several random orders, and in
that of the data.

The perceptron's last weights, their average and the vote of all of them see the same rows in the same orders.  Batch
learners end at their optimum in any order, and are not shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.out_of_fold import Fold
from linnet.comparison.reasons import Sensitivity
from linnet.comparison.row_sample import drawn
from linnet.cores import one_thread
from linnet.data.rows import Examples, Rows, take_rows
from linnet.data.task import Task
from linnet.errors import InputError, NumericalError
from linnet.learners import catalogue
from linnet.learners.entry import Entry, Way
from linnet.learners.linear import LinearModel
from linnet.pipeline.dataset import Dataset, TrainingSet
from linnet.training.compact_rows import compact
from linnet.training.fit import Settings, fit

Flat = NDArray[np.float64]
Numbers = NDArray[np.int64]

ORDERS = 8
PERCEPTRONS = ("perceptron", "averaged-perceptron", "voted-perceptron")
# Rows, and entries of them, that are trained and tested on: a vote compares each tested row with every mistake.
MOST_TRAINED, MOST_TESTED, MOST_ENTRIES = 20_000, 2000, 1 << 21


@one_thread()
def sensitivities(dataset: Dataset, contenders: Iterable[str], fold: Fold, seed: int) -> tuple[Sensitivity, ...]:
    """Of the three perceptrons, the online learners among the contenders, and the one that is taken by default."""
    if dataset.labels is not None and (dataset.labels.sets is not None or len(dataset.labels) < 2):
        return ()
    train, test = _rows(dataset, fold, seed)
    found, rows = [], dict[str, tuple[Rows, Rows]]()
    for entry in _entries(dataset.features.task, contenders):
        data = dataset.for_learner(entry, None)
        if entry.text not in rows:
            both = compact(take_rows(data.rows, np.concatenate([train, test])))
            order = np.arange(len(train) + len(test))
            rows[entry.text] = take_rows(both, order[: len(train)]), take_rows(both, order[len(train) :])
        measured = _sensitivity(entry, data, rows[entry.text], (train, test), seed)
        found += [] if measured is None else [measured]
    return tuple(found)


def _entries(task: Task, contenders: Iterable[str]) -> list[Entry]:
    names = PERCEPTRONS if task is Task.CLASSIFICATION else ()
    online = {each.name for each in catalogue.entries(Way.ONLINE, task)}
    chosen = [*names, *(name for name in contenders if name in online), catalogue.default(Way.ONLINE, task).name]
    return [catalogue.find(name) for name in dict.fromkeys(chosen)]


def _rows(dataset: Dataset, fold: Fold, seed: int) -> tuple[Numbers, Numbers]:
    """Rows to train on and to test on, at random, where there are too many."""
    packed = dataset.packed_rows
    entries = dataset.entries if packed is None else packed.entries
    allowed = max(1000, MOST_ENTRIES * len(dataset.targets) // max(1, entries))
    found = []
    for rows, most in ((fold.train, MOST_TRAINED), (fold.test, MOST_TESTED)):
        found.append(rows[drawn(dataset.targets[rows], dataset.labels, min(most, allowed), seed)])
    return found[0], found[1]


def _sensitivity(
    entry: Entry, data: TrainingSet, rows: tuple[Rows, Rows], which: tuple[Numbers, Numbers], seed: int
) -> Sensitivity | None:
    """None for a learner that does not take values such as these."""
    train, test = which
    weights = None if data.weights is None else data.weights[train]
    examples = Examples(rows[0], data.targets[train], weights)
    found, errors = [], []
    for order in range(ORDERS + 1):
        once = Settings(max_iter=1, all_passes=True, shuffle=order < ORDERS, seed=seed * ORDERS + order)
        try:
            model = fit(entry, examples, data.labels, once).model
            score, error = _score(model, rows[1], data, test)
        except NumericalError:
            score, error = float("nan"), float("nan")
        except InputError:
            return None
        found.append(score)
        errors.append(error)
    scores, as_given = [score for score in found[:-1] if not isnan(score)], found[-1]
    note = f"one pass over {len(train):,} rows, tested on {len(test):,}"
    if len(scores) < ORDERS:
        note += f"; in {ORDERS - len(scores)} of {ORDERS} orders it diverged"
    deviation = float(np.std(scores, ddof=1)) if len(scores) > 1 else float("nan")
    metric = "R²" if data.labels is None else "accuracy"
    known = [error for error in errors[:-1] if not isnan(error)]
    sampling = float(np.mean(known)) if known else float("nan")
    return Sensitivity(entry.name, metric, tuple(scores), deviation, sampling, as_given, note)


def _score(model: LinearModel, rows: Rows, data: TrainingSet, test: Numbers) -> tuple[float, float]:
    """Accuracy or R², and its standard error for so many rows."""
    truth, decision = data.targets[test], model.decision(rows)
    w = np.ones(len(test)) if data.weights is None else data.weights[test]
    if data.labels is not None:
        right = model.codes(decision) == truth
        score = float((w * right).sum() / w.sum())
        return score, float(np.sqrt(score * (1 - score) * (w * w).sum()) / w.sum())
    spread = (truth - float((w * truth).sum() / w.sum())) ** 2
    with np.errstate(over="ignore", invalid="ignore"):
        squares = (truth - model.means(decision)) ** 2
        variance = float((w * spread).sum() / w.sum())
        lost = (squares / variance) if variance > 0 else np.full(len(test), np.nan)
        return 1 - float((w * lost).sum() / w.sum()), float(np.std(lost) * np.sqrt((w * w).sum()) / w.sum())
