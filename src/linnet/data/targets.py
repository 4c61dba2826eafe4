"""Targets of a block: numbers to predict, or labels and the codes that stand for them, in the order they appeared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.schema import Role, Schema
from linnet.data.features.terms import WHOLE
from linnet.data.sources.block import Block, Column, Numbers, Strings
from linnet.errors import InputError
from linnet.kernels.vocabulary import Vocabulary

# So many classes need no further reason; more must have rows to show.
MOST_CLASSES_OF_FEW = 20
# Floating-point numbers from here on are whole numbers only because they have no digits left for a fraction.
CERTAIN = 2.0**53


@dataclass
class Seen:
    """The labels met so far, each with its number by first appearance."""

    labels: dict[Any, int] = field(default_factory=dict)
    _spellings: Vocabulary = field(default_factory=Vocabulary)
    _meanings: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def numbers(self, block: Block, schema: Schema, *, frozen: bool = False) -> NDArray[np.int64]:
        """Each row's label by number, new ones added as their rows come; -1 for one that is new and frozen out."""
        if block.sparse is None:
            column = block.columns[schema.target or ""]
            assert isinstance(column, Strings)
            return self._spelt(column, frozen=frozen)
        if (known := self._known(block.targets)) is not None:
            return known
        labels, which = labels_of(block)
        table = self._numbered(labels, frozen=frozen)
        return table[which] if len(which) else which

    def _spelt(self, column: Strings, *, frozen: bool) -> NDArray[np.int64]:
        """As numbers, of labels as they are spelt in a file: few spellings, so each is made a label only once."""
        which = np.asarray(self._spellings.numbers(column.data, column.starts, b"", frozen=False))
        met = len(self._meanings)
        new = [_label(self._spellings.name(number)) for number in range(met, len(self._spellings))]
        if new:
            self._meanings = np.concatenate([self._meanings, self._numbered(new, frozen=frozen)])
        return np.asarray(self._meanings[which])

    def _numbered(self, labels: Sequence[Any], *, frozen: bool) -> NDArray[np.int64]:
        table = np.empty(len(labels), dtype=np.int64)
        for place, label in enumerate(labels):
            if label not in self.labels and not frozen:
                self.labels[label] = len(self.labels)
            table[place] = self.labels.get(label, -1)
        return table

    def _known(self, targets: Any) -> NDArray[np.int64] | None:
        """Each number's label, where all are known: mostly so, and then no sort of the block is needed."""
        if not self.labels:
            return None
        values = np.array(list(self.labels), dtype=np.float64)
        order = np.argsort(values)
        numbers = order[np.minimum(np.searchsorted(values[order], targets), len(order) - 1)]
        return numbers if np.array_equal(values[numbers], targets) else None


def labels_of(block: Block) -> tuple[list[Any], NDArray[np.int64]]:
    """An svmlight block's different labels in the order of their first rows, and which of them each row has."""
    assert block.targets is not None
    values, first, which = np.unique(block.targets, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return [tidy(value) for value in values[order].tolist()], place[which]


def _label(value: str) -> str:
    """A label without blanks around it, and 1 for 1.0, so that every format means the same class."""
    value = value.strip() or value
    return value.partition(".")[0] if WHOLE.fullmatch(value) else value


def tidy(value: float) -> float | int:
    """A whole number as one, if all its digits are certain."""
    return int(value) if abs(value) < CERTAIN and value == int(value) else value


def target_numbers(block: Block, schema: Schema) -> NDArray[np.float64]:
    """The numbers to predict."""
    if block.sparse is not None:
        assert block.targets is not None
        return block.targets
    column = block.columns[schema.target or ""]
    assert isinstance(column, Numbers)
    return column.values


def without_infinities(block: Block) -> dict[int, str]:
    """The rows with a number that is infinite, which no weight can be put on."""
    reasons: dict[int, str] = {}
    for name, column in block.columns.items():
        if isinstance(column, Numbers) and np.isinf(column.values).any():
            rows = np.flatnonzero(np.isinf(column.values)).tolist()
            reasons |= dict.fromkeys(rows, f"{name} is infinite: leave it empty, or mend it")
    return reasons


def fit_to_learn(block: Block, schema: Schema) -> dict[int, str]:
    """The rows that cannot be learnt from or measured on: no target, no weight, or an infinite number."""
    if block.sparse is not None:
        return {}
    reasons = without_infinities(block)
    target, weight = schema.target, schema.only(Role.WEIGHT)
    if target is not None:
        missing = _missing(block.columns[target])
        reasons |= dict.fromkeys(np.flatnonzero(missing).tolist(), f"the target {target} is missing")
    if weight is not None:
        weights = block.columns[weight]
        assert isinstance(weights, Numbers)
        bad = ~(weights.values >= 0) | np.isinf(weights.values)
        reasons |= dict.fromkeys(np.flatnonzero(bad).tolist(), f"the weight {weight} is negative, infinite or missing")
    return reasons


def _missing(column: Column) -> NDArray[np.bool_]:
    if isinstance(column, Numbers):
        return np.isnan(column.values)
    empty: NDArray[np.bool_] = np.diff(column.starts) == 0
    return empty if column.missing is None else empty | column.missing


def row_weights(block: Block, schema: Schema) -> NDArray[np.float64] | None:
    """How much each row counts, if a column says."""
    name = schema.only(Role.WEIGHT)
    if name is None:
        return None
    column = block.columns[name]
    assert isinstance(column, Numbers)
    return column.values


def few_labels(rows: int, labels: int, schema: Schema) -> None:
    """Raise where there are so many labels that the target cannot be one of classes."""
    if labels > max(MOST_CLASSES_OF_FEW, rows // 2):
        raise InputError(
            f"{rows:,} rows have {labels:,} different labels: is {schema.target or 'the target'} "
            "the right column? (--target; for numbers --task regression)"
        )


def enough_labels(labels: list[Any], weighed: Sequence[float] | NDArray[Any] | None = None) -> None:
    """Raise where there is one label only, or one whose rows all weigh nothing; `weighed` is what those of each do."""
    if len(labels) < 2:
        raise InputError(f"every row has the label {labels[0]!r}: there is nothing to tell apart")
    if weighed is None:
        return
    for label, weight in zip(labels, weighed, strict=True):
        if not weight > 0:
            raise InputError(f"all rows with the label {label!r} have the weight 0: leave them out, or weigh them")


def no_rows() -> InputError:
    return InputError("there are no rows to learn from")
