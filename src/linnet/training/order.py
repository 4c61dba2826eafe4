"""In which order rows are presented, and how often.

A row of weight k is presented k times; a weight that is not a whole number in equal parts.  A shuffled order is drawn
from the rows' contents, not from their positions: sort the table and the learner still meets the rows in the same
random order and ends with the same bits, and a weight of 3 is, to the bit, three copies of the row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples
from linnet.errors import InputError
from linnet.kernels import fingerprints as kernel

WHOLE = np.empty(0, dtype=np.float64)
# A heavier row is presented this often, with more weight each time: time must not grow with the unit of weight.
MOST_PRESENTATIONS = 64


@dataclass(frozen=True, eq=False)
class Presentations:
    """Which rows a pass presents (None: each once, in their own order) and the sample weight of each presentation."""

    rows: NDArray[np.int64] | None
    sample_weights: NDArray[np.float64]
    identities: NDArray[np.uint64] | None

    @property
    def fingerprint(self) -> int | None:
        """One number for the contents of all presentations, whatever their order; None if they are not shuffled, for
        then their contents were not read."""
        if self.identities is None:
            return None
        mixed = np.empty_like(self.identities)  # a row's own number is a sum, and a sum of sums would mix up rows
        kernel.scramble(self.identities, 0, mixed)
        return int(mixed.sum(dtype=np.uint64))

    @property
    def by_content(self) -> NDArray[np.int64]:
        """The presentations in an order that depends on the contents of shuffled rows alone."""
        assert self.identities is not None
        return np.argsort(self.identities, kind="stable")

    def in_pass(self, number: int, seed: int) -> NDArray[np.int64] | None:
        """The rows in the order of this pass."""
        if self.identities is None:
            return self.rows
        order = scrambled_order(self.identities, ((seed + 1) * 0x9E3779B97F4A7C15 + number) % 2**64)
        return order if self.rows is None else self.rows[order]


def scrambled_order(numbers: NDArray[np.uint64], seed: int) -> NDArray[np.int64]:
    """The stable order of these numbers, each mixed with the seed."""
    order = np.empty(len(numbers), dtype=np.int64)
    if not kernel.sorted_scrambled(numbers, seed, order):
        keys = np.empty_like(numbers)
        kernel.scramble(numbers, seed, keys)
        order = np.argsort(keys, kind="stable")
    return order


def row_identities(examples: Examples) -> NDArray[np.uint64]:
    """A number for each row, from its content and, of equal rows, which copy it is."""
    return _identities(examples, None, WHOLE if examples.weights is None else examples.weights)


def by_content(examples: Examples) -> NDArray[np.int64]:
    """The rows in an order that depends on their contents alone, so that sorting the table changes no sum over them."""
    return np.argsort(row_identities(examples), kind="stable")


def presentations(examples: Examples, *, shuffle: bool) -> Presentations:
    """How often each row is presented, by its weight; shuffled if asked."""
    rows, sample_weights = None, WHOLE
    if examples.weights is not None:
        times = np.minimum(np.ceil(examples.weights), MOST_PRESENTATIONS).astype(np.int64)
        if not times.any():
            raise InputError("every sample weight is zero: there is nothing to train on")
        sample_weights = np.divide(examples.weights, times, out=np.zeros(len(times)), where=times > 0)
        if (times != 1).any():
            rows = np.repeat(np.arange(len(times)), times)
        if (sample_weights[times > 0] == 1).all():
            sample_weights = WHOLE
    identities = _identities(examples, rows, sample_weights) if shuffle else None
    return Presentations(rows, sample_weights, identities)


def _identities(
    examples: Examples, rows: NDArray[np.int64] | None, sample_weights: NDArray[np.float64]
) -> NDArray[np.uint64]:
    """A number for each presentation: from the row's content, and, of equal rows, which copy it is."""
    block = examples.rows
    contents = np.empty(block.shape[0], dtype=np.uint64)
    kernel.fingerprints(
        block.values, block.ids, block.starts, block.shape[1], block.dense, examples.targets, sample_weights, contents
    )
    if rows is not None:
        contents = contents[rows]
    by_content = scrambled_order(contents, 0)  # mixing keeps different numbers different, and so equal ones together
    ordered = contents[by_content]
    first_of_kind = np.empty(len(ordered), dtype=bool)
    first_of_kind[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first_of_kind[1:])
    if first_of_kind.all():
        return contents
    positions = np.arange(len(ordered))
    copies = np.empty(len(ordered), dtype=np.uint64)
    copies[by_content] = positions - np.maximum.accumulate(np.where(first_of_kind, positions, 0))
    with np.errstate(over="ignore"):
        return contents + copies * np.uint64(0xD1342543DE82EF95)
