"""RowSample: the rows that facts are measured on: all of them, or as many as can be looked at quickly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.feature_map import Features
from linnet.data.labels import Labels
from linnet.data.rows import Rows, take_rows
from linnet.evaluation.splits import Purpose, random_keys, stratified_sample
from linnet.pipeline.dataset import Dataset

Flat = NDArray[np.float64]
Numbers = NDArray[np.int64]
# Where a row is in the data, by its number: file:line, or the number itself.
Place = Callable[[int], str]

# The entries of rows that are looked at (200 MB).
MOST_ENTRIES = 1 << 24


def by_number(row: int) -> str:
    """The place of a row of which only the number is known; rows count from 1, as lines do."""
    return f"row {row + 1}"


@dataclass(frozen=True, eq=False)
class RowSample:
    """Some rows of a data set, or all, with the number of each there."""

    features: Features
    rows: Rows
    targets: Flat
    weights: Flat | None
    labels: Labels | None
    numbers: Numbers
    total: int

    @property
    def note(self) -> str:
        """What to add to a figure of these rows, if they are not all."""
        return "" if len(self.numbers) == self.total else f" (in {len(self.numbers):,} of {self.total:,} rows)"

    @property
    def codes(self) -> Numbers:
        """The number of each row's class."""
        return self.targets.astype(np.int64)

    @property
    def each_weight(self) -> Flat:
        return np.ones(len(self.targets)) if self.weights is None else self.weights

    def some(self, which: Numbers) -> RowSample:
        """Some of these rows."""
        return RowSample(
            self.features,
            take_rows(self.rows, which),
            self.targets[which],
            None if self.weights is None else self.weights[which],
            self.labels,
            self.numbers[which],
            self.total,
        )

    def at_most(self, rows: int, seed: int) -> RowSample:
        """These rows, or at most this many of them at random."""
        if rows >= len(self.numbers):
            return self
        return self.some(drawn(self.targets, self.labels, rows, seed))


def drawn(targets: Flat, labels: Labels | None, most: int, seed: int) -> Numbers:
    """At most this many rows at random, in order: of classes the same fraction each, and at least one."""
    if labels is not None:
        return stratified_sample(targets, most, seed)
    if len(targets) <= most:
        return np.arange(len(targets))
    keys = random_keys(np.arange(len(targets), dtype=np.uint64), seed, Purpose.REASONS)
    return np.sort(np.argsort(keys, kind="stable")[:most])


def sample_of(dataset: Dataset, seed: int, most_entries: int = MOST_ENTRIES) -> RowSample:
    """All rows of a data set or, where they have very many entries, some; text weighted as the features say."""
    n, packed = len(dataset.targets), dataset.packed_rows
    entries = dataset.entries if packed is None else packed.entries
    which = np.arange(n)
    if entries > most_entries:
        which = drawn(dataset.targets, dataset.labels, max(1, n * most_entries // entries), seed)
    if packed is not None:
        rows = packed.take(which).unpacked()
    else:
        rows = dataset.rows if len(which) == n else take_rows(dataset.rows, which)
    weights = None if dataset.weights is None else dataset.weights[which]
    return RowSample(dataset.features, rows, dataset.targets[which], weights, dataset.labels, which, n)
