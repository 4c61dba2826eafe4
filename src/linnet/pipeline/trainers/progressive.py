"""Progressive validation: every row is predicted once, just before it is first trained on, in the first pass.

A row counts by its own weight: not by that of its class, which is for training, and not again where it is trained on
several times, for by then it is known.  Sums are exact, so that the result does not depend on how the rows were cut
into blocks, or on where a run was interrupted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.exact_sums import Moments, as_float
from linnet.evaluation.intervals import proportion_interval
from linnet.evaluation.regression import RegressionResult, RegressionTally
from linnet.evaluation.splits import Purpose, random_keys
from linnet.evaluation.weights import carry, parts_of, whole_or_float
from linnet.model.record import MOST_PREDICTIONS_KEPT, Progressive

MOST_KEPT = MOST_PREDICTIONS_KEPT

Floats = NDArray[np.float64]
NO_LABELS = np.zeros((0, 3), dtype=np.int64)


class Kept:
    """Keys, targets, predictions and weights of the rows with the smallest random keys, 100,000 at most.

    The keys are drawn from seed and row number: which rows are kept does not depend on blocks.
    """

    NAMES = ("keys", "truth", "predicted", "weights")

    def __init__(self, *columns: NDArray[Any]) -> None:
        self._blocks = [columns] if columns else []
        self._rows = sum(len(block[0]) for block in self._blocks)
        self._limit = np.uint64(2**64 - 1)  # no row of a larger key is kept in the end

    def __len__(self) -> int:
        return self._rows

    def add(self, keys: NDArray[np.uint64], *columns: Floats) -> None:
        near = keys <= self._limit
        self._blocks.append((keys[near], *(column[near] for column in columns)))
        self._rows += len(self._blocks[-1][0])
        if self._rows >= 2 * MOST_KEPT:
            self.columns()

    def columns(self) -> tuple[NDArray[Any], ...]:
        """Of no more rows than there is room for, in their order."""
        if not self._blocks:
            return (np.empty(0, dtype=np.uint64), np.empty(0), np.empty(0), np.empty(0))
        joined = tuple(map(np.concatenate, zip(*self._blocks, strict=True)))
        if self._rows > MOST_KEPT:
            nearest = np.sort(np.argsort(joined[0], kind="stable")[:MOST_KEPT])
            joined = tuple(column[nearest] for column in joined)
            self._limit = joined[0].max()
        self._blocks, self._rows = [joined], len(joined[0])
        return joined


@dataclass
class ProgressiveTally:
    """The rows predicted so far, and how that went.

    `presented` and `loss` are for the display alone: what was presented, as often as it was.
    """

    rows: int = 0
    mistakes: int = 0
    presented: int = 0
    loss: float = 0.0
    weight: Fraction = Fraction(0)
    squared_weights: Fraction = Fraction(0)
    mistaken_weight: Fraction = Fraction(0)
    whole: bool = True  # whether all weights are
    possible: bool = True  # not for pairs of classes: a row is predicted by all pairs, and trained on by some
    of_labels: NDArray[np.int64] = field(default_factory=lambda: NO_LABELS)  # (labels, 3): weights in parts
    kept: Kept = field(default_factory=Kept)
    curve: list[int] = field(default_factory=list)  # mistakes in the first 1, 2, 3, 4, 6, 8, 11, 16, ... rows

    def add_classes(self, labels: NDArray[np.int64], mistaken: NDArray[np.bool_], weights: Floats | None) -> None:
        """Rows of labels by their numbers, and which of them were taken for another."""
        upto = mistaken.cumsum()
        while (size := curve_size(len(self.curve))) <= self.rows + len(labels):
            self.curve.append(self.mistakes + int(upto[size - self.rows - 1]))
        self.rows += len(labels)
        self.mistakes += int(mistaken.sum())
        if weights is None:
            self.weight += len(labels)
            self.squared_weights += len(labels)
            self.mistaken_weight += int(mistaken.sum())
        else:
            self.whole = self.whole and bool((weights == np.floor(weights)).all())
            all_rows, wrong = Moments(), Moments()
            all_rows.add(weights)
            wrong.add(weights[mistaken])
            self.weight += all_rows.sum()
            self.squared_weights += all_rows.squares()
            self.mistaken_weight += wrong.sum()
        more = int(labels.max(initial=-1)) + 1 - len(self.of_labels)
        self.of_labels = np.pad(self.of_labels, ((0, max(more, 0)), (0, 0)))
        parts: list[Any] = [1] if weights is None else parts_of(weights)
        for number, part in enumerate(parts):
            np.add.at(self.of_labels[:, number], labels, part)
        carry(list(self.of_labels.T))

    def give_up(self) -> None:
        """No prediction can be had from now on, so those until now are of some rows only."""
        self.rows, self.possible, self.of_labels, self.curve = 0, False, NO_LABELS, []

    def add_numbers(
        self, numbers: NDArray[np.int64], seed: int, truth: Floats, predicted: Floats, weights: Floats | None
    ) -> None:
        """Rows with these numbers: what was to be predicted, and what was."""
        self.rows += len(numbers)
        keys = random_keys(numbers.astype(np.uint64), seed, Purpose.PROGRESSIVE)
        self.kept.add(keys, truth, predicted, np.ones(len(truth)) if weights is None else weights)

    def result(self) -> Progressive:
        if len(self.kept):
            return Progressive(self.rows, None, numbers=self._of_numbers())
        if not self.rows:
            return Progressive(0, None)
        right, worth = self.weight - self.mistaken_weight, self.weight
        if not self.whole:  # in rows of equal weight (Kish 1965, Survey Sampling)
            worth = self.weight**2 / self.squared_weights
        return Progressive(
            self.rows,
            self.mistakes,
            as_float(right / self.weight),
            proportion_interval(*map(_plain, (worth * right / self.weight, worth))),
            as_float(Fraction(whole_or_float(list(self.of_labels.T)).max().item()) / self.weight),
            curve_rows=tuple(map(curve_size, range(len(self.curve)))),
            curve_mistakes=tuple(self.curve),
        )

    def _of_numbers(self) -> RegressionResult:
        _, truth, predicted, weights = self.kept.columns()
        tally = RegressionTally()
        tally.add(truth, predicted, None if (weights == 1).all() else weights)
        return tally.result()

    # -- in a checkpoint ---------------------------------------------------------------------------------------------

    _EXACT: ClassVar[tuple[str, ...]] = ("weight", "squared_weights", "mistaken_weight")
    _COUNTS: ClassVar[tuple[str, ...]] = ("rows", "mistakes", "presented", "loss", "whole", "possible", "curve")

    def to_file(self, tensors: dict[str, Any]) -> dict[str, Any]:
        """What JSON can hold; arrays go among the tensors."""
        tensors["progressive.of_labels"] = self.of_labels
        tensors |= {f"progressive.{name}": c for name, c in zip(Kept.NAMES, self.kept.columns(), strict=True)}
        exact = {name: str(getattr(self, name)) for name in self._EXACT}
        counts = {name: getattr(self, name) for name in self._COUNTS}
        return counts | exact

    @classmethod
    def from_file(cls, content: dict[str, Any], tensors: dict[str, Any], labels: int) -> ProgressiveTally:
        """What `to_file` wrote; a ValueError for anything else."""
        exact = {name: Fraction(content[name]) for name in cls._EXACT}
        columns = [tensors[f"progressive.{name}"] for name in Kept.NAMES]
        found = cls(**(content | exact), of_labels=tensors["progressive.of_labels"], kept=Kept(*columns))
        kept = 0 if labels else min(found.rows, MOST_KEPT)
        sound = (
            [column.dtype for column in columns] == [np.uint64, np.float64, np.float64, np.float64]
            and all(column.shape == (kept,) for column in columns)
            and found.of_labels.dtype == np.int64
            and found.of_labels.shape == (labels if found.possible else 0, 3)
            and all(type(count) is int for count in (found.rows, found.mistakes, found.presented))
            and type(found.loss) is float
            and (type(found.whole), type(found.possible)) == (bool, bool)
            and isinstance(found.curve, list)
            and all(type(count) is int for count in found.curve)
            and (len(found.curve) == 0 or curve_size(len(found.curve) - 1) <= found.rows)
        )
        if not sound:
            raise ValueError("the progressive validation is not of its learner")
        return found


def curve_size(index: int) -> int:
    """The numbers of rows after which mistakes are noted: two to every doubling."""
    sizes = (1, 2, 3)
    return sizes[index] if index < len(sizes) else round(2.0 ** ((index + 1) / 2))


def _plain(number: Fraction) -> Any:
    """As an integer where it is one."""
    return number.numerator if number.denominator == 1 else as_float(number)
