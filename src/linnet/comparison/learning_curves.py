"""Learning curves: the error of each contender by the number of training rows, and what more rows would buy.

In each of a few folds the training rows are put in a random order in which every beginning has classes in proportion; a
contender is trained on the first half, quarter, ... of them, and tested on the same test rows as with all of them, for
which its out-of-fold predictions are known.  So subsets are nested, and all contenders see the same ones, each in the
order that its rows have in the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.out_of_fold import Fold, OutOfFold, Refit, Refits
from linnet.comparison.reasons import LearningCurve
from linnet.data.labels import Labels
from linnet.errors import InputError
from linnet.evaluation.exact_sums import Moments
from linnet.evaluation.intervals import Interval, mean_interval, none, share_interval
from linnet.evaluation.power_law import LearningCurveFit
from linnet.evaluation.splits import Purpose, random_keys

Flat = NDArray[np.float64]
Numbers = NDArray[np.int64]

ERROR_RATE, UNEXPLAINED = "error rate", "1 - R²"
# All training rows, half of them, ... as long as there are so many; a law of three numbers needs more than three sizes.
SIZES, FEWEST_ROWS, FEWEST_SIZES = 6, 20, 4
# As many folds as give so many test rows, within these limits.
TEST_ROWS, FEWEST_FOLDS, MOST_FOLDS = 5000, 3, 10


@dataclass(frozen=True, eq=False)
class _Part:
    """The training rows of a fold, the order in which they are chosen, how many each size takes, and the test rows."""

    train: Numbers
    order: Numbers
    test: Numbers
    sizes: tuple[int, ...]

    def subset(self, size: int) -> Numbers:
        return self.train[np.sort(self.order[: self.sizes[size]])]


def learning_curves(
    contenders: Sequence[OutOfFold],
    folds: Sequence[Fold],
    targets: Flat,
    labels: Labels | None,
    weights: Flat | None,
    refits: Refits,
    seed: int,
) -> tuple[LearningCurve, ...]:
    """Of every contender; none where there are too few rows."""
    parts = _parts(folds, targets, labels, seed)
    if not parts or len(parts[0].sizes) < FEWEST_SIZES:
        return ()
    smaller = range(1, len(parts[0].sizes))
    tasks = [
        Refit(each.name, part.subset(size), part.test) for each in contenders for part in parts for size in smaller
    ]
    answers = iter(refits(tasks))
    curves = []
    for each in contenders:
        # size by fold; None where nothing is known
        found = [[_known(each.predicted[part.test])] + [next(answers) for _ in smaller] for part in parts]
        by_size = [list(column) for column in zip(*found, strict=True)]
        curves.append(_curve(each.name, parts, by_size, targets, labels, weights))
    return tuple(curves)


def _known(predicted: Flat) -> Flat | None:
    return None if np.isnan(predicted).any() else predicted


def _parts(folds: Sequence[Fold], targets: Flat, labels: Labels | None, seed: int) -> list[_Part]:
    if not folds:
        return []
    wanted = -(-TEST_ROWS // max(1, len(folds[0].test)))
    chosen = folds[: min(max(wanted, FEWEST_FOLDS), MOST_FOLDS)]
    several = 1 if labels is None else len(labels)
    parts = []
    for number, fold in enumerate(chosen):
        n = len(fold.train)
        sizes = tuple(n >> halved for halved in range(SIZES) if n >> halved >= max(FEWEST_ROWS, 2 * several))
        parts.append(_Part(fold.train, nested_order(fold.train, targets, labels, seed, number), fold.test, sizes))
    fewest = min(len(part.sizes) for part in parts)
    return [replace(part, sizes=part.sizes[:fewest]) for part in parts]


def nested_order(rows: Numbers, targets: Flat, labels: Labels | None, seed: int, turn: int) -> Numbers:
    """The positions of these rows in a random order of which every beginning has each class in proportion."""
    keys = random_keys(rows.astype(np.uint64), seed, Purpose.REASONS, 1 + turn)
    shuffled = np.argsort(keys, kind="stable")
    if labels is None:
        return shuffled
    codes = targets[rows[shuffled]]
    by_class = np.argsort(codes, kind="stable")
    _, begins, sizes = np.unique(codes[by_class], return_index=True, return_counts=True)
    positions = np.empty(len(rows))
    positions[by_class] = (np.arange(len(rows)) - np.repeat(begins, sizes) + 0.5) / np.repeat(sizes, sizes)
    return shuffled[np.argsort(positions, kind="stable")]


def _curve(
    name: str,
    parts: list[_Part],
    by_size: list[list[Flat | None]],
    targets: Flat,
    labels: Labels | None,
    weights: Flat | None,
) -> LearningCurve:
    rows, errors, intervals, table = [], [], [], []
    for size in range(len(by_size) - 1, -1, -1):  # few rows first
        known = [(part, answer) for part, answer in zip(parts, by_size[size], strict=True) if answer is not None]
        if not known:
            continue
        measured = [_losses(part.test, answer, targets, labels, weights) for part, answer in known]
        losses, w = np.concatenate([each for each, _ in measured]), np.concatenate([w for _, w in measured])
        error, interval = _mean(losses, w, mistakes=labels is not None)
        rows.append(round(float(np.mean([part.sizes[size] for part, _ in known]))))
        errors.append(error)
        intervals.append(interval)
        by_fold = iter(float((w * losses).sum() / w.sum()) for losses, w in measured)
        table.append([float("nan") if answer is None else next(by_fold) for answer in by_size[size]])
    metric = UNEXPLAINED if labels is None else ERROR_RATE
    law = _law(rows, table)
    return LearningCurve(name, metric, tuple(rows), tuple(errors), tuple(intervals), *law[:5], len(parts), law[5])


def _losses(
    test: Numbers, predicted: Flat, targets: Flat, labels: Labels | None, weights: Flat | None
) -> tuple[Flat, Flat]:
    """The loss of each test row and its weight: 1 for a mistake; of numbers the squared error by their variance."""
    w = np.ones(len(test)) if weights is None else weights[test]
    truth = targets[test]
    if labels is not None:
        return (predicted != truth).astype(np.float64), w
    variance = float((w * (truth - float((w * truth).sum() / w.sum())) ** 2).sum() / w.sum())
    return (predicted - truth) ** 2 / (variance if variance > 0 else 1.0), w


def _mean(losses: Flat, w: Flat, *, mistakes: bool) -> tuple[float, Interval]:
    """The mean loss, with an interval for as many test rows."""
    total, worth = float(w.sum()), float(w.sum()) ** 2 / float((w * w).sum())
    error = float((w * losses).sum() / total)
    if mistakes:
        return error, share_interval(error * total, total, worth)
    moments = Moments()
    moments.add(losses, w)
    return error, mean_interval(moments, worth)


def _law(rows: list[int], table: list[list[float]]) -> tuple[float, float, float, float, Interval, str]:
    """Floor, scale and exponent; the error at twice the rows with its interval; and why there are none, if so."""
    unknown = float("nan")
    if len(rows) < FEWEST_SIZES:
        reason = "too few sizes were measured for a power law"
        return unknown, unknown, unknown, unknown, none(reason), reason
    try:
        fitted = LearningCurveFit(rows, table)
        law, twice = fitted.law, 2 * rows[-1]
        return law.floor, law.scale, law.exponent, law.at(twice), fitted.at(twice), ""
    except InputError as error:
        return unknown, unknown, unknown, unknown, none(str(error)), str(error)
