"""Where contenders predict differently out of fold, and which rows none of them has right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.out_of_fold import OutOfFold
from linnet.comparison.reasons import Disagreement, Fact
from linnet.comparison.row_sample import Place
from linnet.comparison.wording import percent, several, short
from linnet.data.labels import Labels

Flat = NDArray[np.float64]

# Rows that are named of each pair of contenders.
SHOWN = 5
# The fewest contenders that can all be wrong for reasons of the data.
ENOUGH = 3


def disagreements(
    contenders: Sequence[OutOfFold], targets: Flat, labels: Labels | None, place: Place
) -> tuple[Disagreement, ...]:
    """Of every pair of contenders, over the rows that both predicted."""
    compare = _of_numbers if labels is None else _of_classes
    return tuple(compare(first, second, targets, labels, place) for first, second in combinations(contenders, 2))


def _of_classes(
    first: OutOfFold, second: OutOfFold, targets: Flat, labels: Labels | None, place: Place
) -> Disagreement:
    assert labels is not None
    both = np.flatnonzero(~np.isnan(first.predicted) & ~np.isnan(second.predicted))
    a, b, truth = first.predicted[both], second.predicted[both], targets[both]
    rows = both[a != b][:SHOWN].tolist()

    def label(code: float) -> str:
        return str(labels.classes[int(code)])

    return Disagreement(
        first.name,
        second.name,
        float((a != b).mean()) if len(both) else float("nan"),
        int(((a == truth) & (b != truth)).sum()),
        int(((b == truth) & (a != truth)).sum()),
        tuple(place(row) for row in rows),
        tuple((label(targets[row]), label(first.predicted[row]), label(second.predicted[row])) for row in rows),
        len(both),
    )


def _of_numbers(
    first: OutOfFold, second: OutOfFold, targets: Flat, labels: Labels | None, place: Place
) -> Disagreement:
    """Numbers are different that are farther apart than the typical error of the better of the two, its RMSE."""
    assert labels is None
    both = np.flatnonzero(~np.isnan(first.predicted) & ~np.isnan(second.predicted))
    a, b, truth = first.predicted[both], second.predicted[both], targets[both]
    errors = [float(np.sqrt(((each - truth) ** 2).mean())) if len(both) else float("nan") for each in (a, b)]
    tolerance = min(errors)
    apart = np.abs(a - b) > tolerance
    rows = both[apart][:SHOWN].tolist()
    nearer = np.abs(a - truth) - np.abs(b - truth)
    return Disagreement(
        first.name,
        second.name,
        float(apart.mean()) if len(both) else float("nan"),
        int((apart & (nearer < 0)).sum()),
        int((apart & (nearer > 0)).sum()),
        tuple(place(row) for row in rows),
        tuple((short(targets[row]), short(first.predicted[row]), short(second.predicted[row])) for row in rows),
        len(both),
        tolerance,
    )


def hard_rows_fact(contenders: Sequence[OutOfFold], targets: Flat, place: Place) -> Fact | None:
    """The rows that every contender has wrong, and those that at least one has right."""
    if len(contenders) < ENOUGH:
        return None
    predicted = np.stack([each.predicted for each in contenders])
    both = np.flatnonzero(~np.isnan(predicted).any(axis=0))
    if not len(both):
        return None
    right = (predicted[:, both] == targets[both]).sum(axis=0)
    hard, easy = both[right == 0], float((right == len(contenders)).mean())
    fraction = len(hard) / len(both)
    text = f"all {len(contenders)} learners are wrong on {percent(fraction)} of the rows, and right on {percent(easy)}"
    text += (
        f"; the first of the former: {several([place(int(row)) for row in hard[:SHOWN]], SHOWN)}" if len(hard) else ""
    )
    best = float((predicted[:, both] == targets[both]).mean(axis=1).max())
    gain = 100 * (1 - fraction - best)
    meaning = f"choosing among these learners row by row could gain at most {gain:.1f} points of accuracy over the best"
    return Fact("rows that all have wrong", fraction, text, meaning if gain >= 0.1 else "")
