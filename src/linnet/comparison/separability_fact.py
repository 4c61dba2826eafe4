"""Whether a plane separates the classes, of few rows at first.

A combination of some rows that is 0 proves that no plane separates all of them.  A plane that separates some rows is
tried on all, and those that it has on the wrong side, or too near, are added; so a few rounds decide (cutting planes).
The work is bounded by rows and entries, and only then by time, so that the answer is the same on every machine unless
it is given up.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.reasons import Fact
from linnet.comparison.row_sample import Place, RowSample, drawn
from linnet.comparison.wording import several, short
from linnet.cores import one_thread
from linnet.data.rows import take_rows
from linnet.theory.linear_separability import decide
from linnet.theory.separability_proofs import Answer, Inseparable, Separable, Undecided, sides
from linnet.theory.signed_points import OUTWARD, Points, without_zeros

Numbers = NDArray[np.int64]

# Rows to begin with, and how often rows may be added.
FIRST_ROWS, ROUNDS = 2000, 12
# Rows that are nearer to the plane than this part of its margin are added: of two classes the margin is reported.
NEAR_ENOUGH, NEAR_ENOUGH_OF_SEVERAL = 0.97, 0.5
# Given up beyond so many entries, classes, and seconds.
MOST_ENTRIES, MOST_CLASSES, SECONDS, FEWEST_SECONDS = 1 << 24, 20, 60.0, 10.0
NAME = "separability"
TOO_LARGE = "so many rows would take too long"


@one_thread()
def separability_fact(sample: RowSample, place: Place, seed: int) -> Fact | None:
    """Of the rows as they are, not scaled; None for very many classes."""
    labels = sample.labels
    if labels is None or labels.sets is not None or not 2 <= len(labels) <= MOST_CLASSES:
        return None
    rows = without_zeros(sample.rows)
    start = drawn(sample.targets, labels, FIRST_ROWS, seed)
    classes = labels.classes.tolist()
    if len(classes) == 2:
        answer = decided(sides(rows, labels, sample.targets, classes[1]), start)
        return _of_two(answer, sample, place)
    limit = max(SECONDS / len(classes), FEWEST_SECONDS)
    answers = [
        decided(sides(rows, labels, sample.targets, label), start, NEAR_ENOUGH_OF_SEVERAL, limit) for label in classes
    ]
    return _of_several(classes, answers, sample)


def decided(points: Points, start: Numbers, near_enough: float = NEAR_ENOUGH, seconds: float = SECONDS) -> Answer:
    """The answer for all points, from some to start with; rows of a proof are numbers of all."""
    pair, twins = points.twins()
    if twins:
        labels = tuple(points.classes[1] if points.signs[row] > 0 else points.classes[0] for row in pair)
        return Inseparable(
            points.classes, "equal rows of different classes", pair, np.full(2, 0.5), labels, (1, 1), twins=twins
        )
    chosen, ends = start, monotonic() + seconds
    best: Answer = Undecided(points.classes, "cutting planes", TOO_LARGE)
    for _ in range(ROUNDS):
        rows = take_rows(points.rows, chosen)
        if rows.entries > MOST_ENTRIES or monotonic() >= ends:
            return best
        answer = decide(Points(rows, points.signs[chosen], points.classes), max(ends - monotonic(), 1e-3))
        if isinstance(answer, Inseparable):
            return replace(answer, rows=chosen[answer.rows])
        if not isinstance(answer, Separable):
            return best if best.separable else answer
        margins = points.sure_margins(answer.weights, answer.bias)
        best = _better(best, answer, float(margins.min()), points)
        near = np.flatnonzero(margins < near_enough * answer.margin)
        if not len(near):
            return best
        nearest = near[np.argsort(margins[near], kind="stable")[: max(FIRST_ROWS, len(chosen))]]
        grown = np.union1d(chosen, nearest)
        if len(grown) == len(chosen):
            return best
        chosen = grown
    return best


def _better(best: Answer, answer: Separable, least: float, points: Points) -> Answer:
    """The plane as one of all points, if it separates them, and by more than the best so far; its margin is at most
    what it could be for some of them."""
    margin = least * (1.0 - OUTWARD)
    if not margin > (best.margin if isinstance(best, Separable) else 0.0):
        return best
    return replace(answer, margin=margin, radius=points.radius(), most=max(answer.most, margin))


def _of_two(answer: Answer, sample: RowSample, place: Place) -> Fact:
    if isinstance(answer, Separable):
        text = f"a plane separates the classes, margin γ = {short(answer.margin)}, radius R = {short(answer.radius)}"
        text += f", γ/R = {short(answer.margin / answer.radius)}{sample.note}"
        meaning = f"a perceptron makes at most (R/γ)² = {short(answer.bound)} mistakes, and none from then on; "
        meaning += "a logistic fit without a penalty has no optimum"
        if sample.total <= 2 * (len(sample.features) + 1):
            # Cover 1965, Geometrical and statistical properties of systems of linear inequalities
            meaning += "; with so many columns even random labels would probably be separable"
        return Fact(NAME, answer.margin, text, meaning)
    if isinstance(answer, Inseparable):
        where = [place(int(row)) for row in sample.numbers[answer.rows]]
        if answer.twins:
            proof = f"{where[0]} and {where[1]} have equal features and different labels"
        else:
            zero = "exactly 0" if answer.exact else "0 to 9 digits"
            proof = f"a signed combination of {len(where)} rows is {zero} ({several(where)})"
        return Fact(
            NAME,
            0.0,
            f"no plane separates the classes: {proof}",
            "a perceptron never stops making mistakes, and its last weights depend on the last rows: "
            "average or vote, or take a learner that minimises a loss",
        )
    reason = answer.reason if isinstance(answer, Undecided) else TOO_LARGE
    return Fact(NAME, float("nan"), f"not known whether a plane separates the classes: {reason}{sample.note}")


def _of_several(classes: list[Any], answers: list[Answer], sample: RowSample) -> Fact:
    can = [str(label) for label, answer in zip(classes, answers, strict=True) if answer.separable]
    cannot = [str(label) for label, answer in zip(classes, answers, strict=True) if answer.separable is False]
    unknown = len(classes) - len(can) - len(cannot)
    fraction = len(can) / len(classes)
    if len(can) == len(classes):
        text = f"each of the {len(classes)} classes can be separated from the rest by a plane{sample.note}"
    else:
        text = f"{len(can)} of {len(classes)} classes can be separated from the rest by a plane{sample.note}"
        text += f"; not {several(cannot)}" if cannot else ""
        text += f"; {unknown} are not known" if unknown else ""
    margins = [answer.margin / answer.radius for answer in answers if isinstance(answer, Separable)]
    text += f"; the smallest margin is γ/R = {short(min(margins))}" if margins else ""
    meaning = "a perceptron one-vs-rest never stops making mistakes on those that cannot" if cannot else ""
    return Fact(NAME, fraction, text, meaning)
