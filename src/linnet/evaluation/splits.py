"""Which rows are held out, and which fold a row is in: random, but drawn from the seed and the row numbers alone.

So the same rows are held out however the data are cut into blocks and files.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError
from linnet.kernels.fingerprints import scramble

FOLDS = 5
# The fraction of rows that decisions (calibration, thresholds) are fitted on in a stream, which leaves no room for
# folds: it is read once.
DECISION_FRACTION = 0.1
# Rows among which the first of each label is looked for at first.
FIRST_ROWS = 1024

Mask = NDArray[np.bool_]


class Purpose(IntEnum):
    """What random numbers are drawn for; each purpose has a stream of its own."""

    HOLD_OUT = 1
    SHUFFLE_CHUNKS = 2
    SHUFFLE_ROWS = 3
    DECISIONS = 4
    FOLDS = 5
    PROGRESSIVE = 6
    STRENGTH = 7
    TUNING = 8
    REASONS = 9
    COMPARISON = 10


def random_keys(numbers: NDArray[np.uint64], seed: int, purpose: Purpose, turn: int = 0) -> NDArray[np.uint64]:
    """A random 64-bit key for each number: the same for the same seed, purpose and turn."""
    keys = np.empty_like(numbers)
    scramble(numbers, (seed * 0x9E3779B97F4A7C15 + purpose * 0xD1342543DE82EF95 + turn + 1) % 2**64, keys)
    return keys


def held_out(first: int, rows: int, fraction: float, seed: int, purpose: Purpose = Purpose.HOLD_OUT) -> Mask:
    """Which of the rows first, first + 1, ... are held out."""
    numbers = np.arange(first, first + rows, dtype=np.uint64)
    held: Mask = random_keys(numbers, seed, purpose) < np.uint64(int(fraction * 2**64))
    return held


def first_of_each(numbers: NDArray[Any], known: int) -> NDArray[np.int64]:
    """The first row of each label from number `known` on: labels are numbered in the order of their first rows.

    These rows are trained on, never held out, so that a label of few rows keeps one: which they are depends on the rows
    before them alone, so it is known in a stream, too.
    """
    new = np.flatnonzero(numbers >= known)
    labels = np.count_nonzero(np.bincount(numbers[new].astype(np.int64) - known)) if len(new) else 0
    looked_at = FIRST_ROWS
    while True:  # mostly the first rows have them all, and later ones need not be sorted
        first = np.unique(numbers[new[:looked_at]], return_index=True)[1]
        if len(first) == labels:
            return new[first]
        looked_at *= 8


def decision_rows(first: int, rows: int, seed: int) -> Mask:
    """Which rows of a stream decisions are fitted on, if they are."""
    return held_out(first, rows, DECISION_FRACTION, seed, Purpose.DECISIONS)


def stratified_folds(
    codes: NDArray[np.float64], labels: Sequence[Any], members: Mask, seed: int, purpose: str = "to cross-validate"
) -> NDArray[np.int64]:
    """The fold of every row: the members of each class are dealt out evenly, in a random order."""
    keys = random_keys(np.arange(len(codes), dtype=np.uint64), seed, Purpose.FOLDS)
    fold = np.zeros(len(codes), dtype=np.int64)
    for code, label in enumerate(labels):
        rows = np.flatnonzero(members & (codes == code))
        if len(rows) < 2:
            raise InputError(f"the label {label!r} has fewer than two rows {purpose}")
        fold[rows[np.argsort(keys[rows], kind="stable")]] = np.arange(len(rows)) % FOLDS
    return fold


def stratified_sample(codes: NDArray[np.float64], most: int, seed: int) -> NDArray[np.int64]:
    """At most this many of the rows, but at least one of each class: the same fraction of each, at random, in order."""
    every = np.ones(len(codes), dtype=bool)
    if len(codes) <= most:
        return np.flatnonzero(every)
    keys = random_keys(np.arange(len(codes), dtype=np.uint64), seed, Purpose.STRENGTH)
    classes = _by_class(codes, every, keys)
    return np.sort(np.concatenate([rows[: max(1, len(rows) * most // len(codes))] for rows in classes]))


def dealt_folds(codes: NDArray[np.float64], parts: int, seed: int) -> NDArray[np.int64]:
    """The fold of every row, -1 for a row that is alone in its class: the rows of a class are dealt out, in a random
    order, from where the class before ended, so that folds are even in size and every class is outside of each."""
    keys = random_keys(np.arange(len(codes), dtype=np.uint64), seed, Purpose.STRENGTH, 1)
    fold, dealt = np.full(len(codes), -1, dtype=np.int64), 0
    for rows in _by_class(codes, np.ones(len(codes), dtype=bool), keys):
        if len(rows) > 1:
            fold[rows] = (dealt + np.arange(len(rows))) % parts
            dealt += len(rows)
    return fold


def grouped_folds(
    groups: NDArray[np.uint64], codes: NDArray[np.float64] | None, folds: int, seed: int
) -> NDArray[np.int64]:
    """The fold of every row: rows of one group, such as copies of a row, are in the same one.

    Groups are dealt out in a random order that follows from their numbers and the seed; with `codes`, the groups of one
    class after those of another, by the smallest code in a group, so that every fold has its part of each class.
    """
    _, first, which = np.unique(groups, return_index=True, return_inverse=True)
    keys = random_keys(groups[first], seed, Purpose.TUNING)
    of_group = np.zeros(len(first))
    if codes is not None:
        of_group = np.full(len(first), np.inf)
        np.minimum.at(of_group, which, codes)
    order = np.lexsort((keys, of_group))
    fold = np.empty(len(first), dtype=np.int64)
    fold[order] = np.arange(len(first)) % folds
    return fold[which]


def _by_class(codes: NDArray[np.float64], members: Mask, keys: NDArray[np.uint64]) -> list[NDArray[np.int64]]:
    """The members of each class, in the order of their keys."""
    rows = np.flatnonzero(members)
    rows = rows[np.lexsort((keys[rows], codes[rows]))]
    return np.split(rows, np.flatnonzero(np.diff(codes[rows])) + 1)
