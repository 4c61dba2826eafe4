"""Targets of a block: numbers, or labels numbered in the order of their first rows; and the rows that have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.feature_map import Features
from linnet.data.features.schema import Role, Schema, Task
from linnet.data.features.terms import canonical
from linnet.data.label_types import LabelKind, in_label_order, key_of, typed
from linnet.data.labels import Labels
from linnet.data.limits import LARGEST_TARGET, LARGEST_WEIGHT
from linnet.data.sources.block import Block, Column, Numbers, Strings
from linnet.data.sources.label_sets import LABELS
from linnet.errors import InputError, option
from linnet.kernels.vocabulary import Vocabulary

# More labels than this must have two rows each on average.
LABELS_OF_FEW_ROWS = 20
# From here on every floating-point number is an integer, whatever was meant.
EXACT_INTEGERS = 2.0**53


@dataclass
class LabelIndex:
    """The labels seen so far, each with its number in the order of first appearance."""

    labels: dict[Any, int] = field(default_factory=dict)
    _spellings: Vocabulary = field(default_factory=Vocabulary)
    _meanings: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    # of known classes, to find labels that are spelt otherwise
    _keys: dict[Any, int] = field(default_factory=dict)

    @classmethod
    def of(cls, classes: Sequence[Any]) -> LabelIndex:
        """The classes of a model, to look labels up in, however these are spelt."""
        numbers = {label: number for number, label in enumerate(classes)}
        return cls(numbers, _keys={key_of(label): number for label, number in numbers.items()})

    @property
    def count(self) -> int:
        """How many classes there are so far."""
        return len(self.labels)

    def require_enough(self) -> None:
        """Raise if there are too few classes to train on."""
        require_two_labels(list(self.labels))

    def order(self, classes: int | None = None) -> Labels:
        """The first K labels that appeared, or all, as they are spelt, in the order of their classes."""
        return Labels.in_order(np.array(in_label_order(list(self.labels)[:classes])))

    def codes(self, classes: int | None = None) -> NDArray[np.float64]:
        """The code of each of them by its number of appearance."""
        return self.order(classes).encode(np.array(list(self.labels)[:classes]))

    def typed(self, kind: LabelKind) -> Labels:
        """All labels as the values they stand for, in the same order."""
        return Labels.in_order(typed(in_label_order(list(self.labels)), kind))

    def numbers(self, block: Block, schema: Schema, *, frozen: bool = False) -> NDArray[np.int64]:
        """The number of each row's label.  A new label is added; if frozen, its number is -1."""
        if block.sparse is None or schema.labels is LabelKind.SETS:
            column = block.columns[schema.target or LABELS]
            assert isinstance(column, Strings)
            return self._spelt(column, schema.labels, frozen=frozen)
        if (known := self._known(block.targets)) is not None:
            return known
        labels, which = distinct_labels(block)
        table = self._numbered(labels, frozen=frozen)
        return table[which] if len(which) else which

    def _spelt(self, column: Strings, kind: LabelKind, *, frozen: bool) -> NDArray[np.int64]:
        """As `numbers`, of labels as a file spells them: there are few spellings, so each is parsed once."""
        which = np.asarray(self._spellings.numbers(column.data, column.starts, b"", frozen=False))
        met = len(self._meanings)
        new = [_label(self._spellings.name(number), kind) for number in range(met, len(self._spellings))]
        if new:
            self._meanings = np.concatenate([self._meanings, self._numbered(new, frozen=frozen)])
        return np.asarray(self._meanings[which])

    def _numbered(self, labels: Sequence[Any], *, frozen: bool) -> NDArray[np.int64]:
        table = np.empty(len(labels), dtype=np.int64)
        for i, label in enumerate(labels):
            if label not in self.labels and not frozen:
                self.labels[label] = len(self.labels)
            table[i] = self.labels.get(label, self._keys.get(key_of(label), -1) if self._keys else -1)
        return table

    def _known(self, targets: Any) -> NDArray[np.int64] | None:
        """The number of each target if all are known, as they mostly are: then the block need not be sorted."""
        if not self.labels:
            return None
        values = np.array(list(self.labels), dtype=np.float64)
        order = np.argsort(values)
        numbers = order[np.minimum(np.searchsorted(values[order], targets), len(order) - 1)]
        return numbers if np.array_equal(values[numbers], targets) else None


def distinct_labels(block: Block) -> tuple[list[Any], NDArray[np.int64]]:
    """The distinct labels of an svmlight block in the order of their first rows, and which of them each row has."""
    assert block.targets is not None
    values, first, which = np.unique(block.targets, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return [_integer_if_exact(value) for value in values[order].tolist()], rank[which]


def _label(value: str, kind: LabelKind) -> str:
    """A label without surrounding blanks; unless it is text, as every format spells it: 1 for 1.0, true for True."""
    if kind is LabelKind.SETS:
        return value
    return (value.strip() if kind is LabelKind.TEXT else canonical(value)) or value


def _integer_if_exact(value: float) -> float | int:
    return int(value) if abs(value) < EXACT_INTEGERS and value == int(value) else value


def numeric_targets(block: Block, schema: Schema) -> NDArray[np.float64]:
    """The numbers to predict."""
    if block.sparse is not None:
        assert block.targets is not None
        return block.targets
    column = block.columns[schema.target or ""]
    assert isinstance(column, Numbers)
    return column.values


def rows_with_infinities(block: Block) -> dict[int, str]:
    """The rows with an infinite number, each with the reason."""
    reasons: dict[int, str] = {}
    for name, column in block.columns.items():
        if isinstance(column, Numbers) and not column.all_there and np.isinf(column.values).any():
            rows = np.flatnonzero(np.isinf(column.values)).tolist()
            reasons |= dict.fromkeys(rows, f"{name} is infinite: leave it empty, or correct it")
    return reasons


def unusable_rows(block: Block, features: Features) -> dict[int, str | None]:
    """The rows not to train or evaluate on, each with the reason: a bad target, weight or number.

    A row of weight 0 is as if it were not there, whatever else is wrong with it: it has no reason.
    """
    if block.sparse is not None:
        return {**_rows_of_large(block.targets, features)}
    reasons: dict[int, str | None] = {**rows_with_infinities(block)}
    schema = features.schema
    target, weight = schema.target, schema.only(Role.WEIGHT)
    if target is not None:
        if isinstance(column := block.columns[target], Numbers):
            reasons = _rows_of_large(column.values, features) | reasons
        missing = _missing(block.columns[target])
        reasons |= dict.fromkeys(np.flatnonzero(missing).tolist(), f"the target {target} is missing")
    weights = sample_weights_of(block, schema)
    if weights is not None:
        bad, large = ~(weights >= 0) | np.isinf(weights), weights > LARGEST_WEIGHT
        reasons |= dict.fromkeys(np.flatnonzero(large).tolist(), f"the weight {weight} is above {LARGEST_WEIGHT:.4g}")
        reasons |= dict.fromkeys(np.flatnonzero(bad).tolist(), f"the weight {weight} is negative, infinite or missing")
        reasons |= dict.fromkeys(np.flatnonzero(weights == 0).tolist())
    return reasons


def _rows_of_large(targets: NDArray[np.float64] | None, features: Features) -> dict[int, str | None]:
    """The rows whose number to predict is too large, each with the reason; a label may be any number."""
    if targets is None or features.task is Task.CLASSIFICATION:
        return {}
    rows = np.flatnonzero(np.abs(targets) > LARGEST_TARGET).tolist()
    name = features.schema.target or "the target"
    return {row: f"{name} is {targets[row]:g}, beyond {LARGEST_TARGET:g}: scale it down" for row in rows}


def _missing(column: Column) -> NDArray[np.bool_]:
    if isinstance(column, Numbers):
        return np.isnan(column.values)
    empty: NDArray[np.bool_] = np.diff(column.starts) == 0
    return empty if column.missing is None else empty | column.missing


def sample_weights_of(block: Block, schema: Schema) -> NDArray[np.float64] | None:
    """The sample weight of each row, if a column has the role; data to evaluate on may be without it."""
    column = block.columns.get(schema.only(Role.WEIGHT) or "")
    if column is None:
        return None
    assert isinstance(column, Numbers)
    return column.values


def refuse_too_many_labels(rows: int, labels: int, schema: Schema) -> None:
    """Raise if there are too many labels for the target to be a class."""
    if labels > max(LABELS_OF_FEW_ROWS, rows // 2):
        raise InputError(
            f"{rows:,} rows have {labels:,} different labels: is {schema.target or 'the target'} "
            f"the right column ({option('target')})? To predict a number: {option('task', Task.REGRESSION)}"
        )


def require_two_labels(labels: list[Any]) -> None:
    """Raise if there is only one label."""
    if len(labels) < 2:
        raise InputError(
            f"every row has the label {labels[0]!r}: a classifier needs two labels or more, in rows of a weight above 0"
        )


def require_labels(count: int) -> None:
    """Raise if rows that may have several labels have none at all."""
    if not count:
        raise InputError("no row has a label: there is nothing to train on")


def no_training_rows(schema: Schema | None = None) -> InputError:
    weight = None if schema is None else schema.only(Role.WEIGHT)
    weightless = "" if weight is None else f": none has a weight above 0 in the column {weight}"
    return InputError(f"there are no rows to train on{weightless}")
