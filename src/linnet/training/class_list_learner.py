"""ClassListLearner: an online learner of very many classes, with weights only for those that a feature's rows pulled.

A perceptron or a passive-aggressive learner moves the weights of two classes at a mistake, so a table of all features
and classes would be nearly empty: 20,000 texts with 2,000 labels fill 1 % of it.  The weights have the same bits as
those of the table (kernels/class_list_pass.py), so that it does not matter when one takes the place of the other.
"""

from __future__ import annotations

from copy import copy
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.kernels import class_list_pass
from linnet.learners.losses import Loss
from linnet.learners.recipe import Averaging, Penalty, Recipe, Reduction, Update
from linnet.learners.sparse_weights import DENSE_AT_MOST, SparseWeights
from linnet.training.history import Pass
from linnet.training.online_learner import AS_THEY_STAND, NOTHING, Learner, check_scores, finite

# Entries that there is room for at first.
FIRST_ENTRIES = 1 << 12
NO_TALLY = {"loss": 0.0, "mistakes": 0, "updates": 0, "lost": -1}
# The losses whose steps move two classes: the true one, and its strongest rival.
OF_TWO = (Loss.PERCEPTRON, Loss.HINGE, Loss.SQUARED_HINGE)


def is_for(recipe: Recipe) -> bool:
    """Whether a step of this learner moves the weights of two classes and leaves all others as they are."""
    return (
        recipe.loss in OF_TWO
        and recipe.update is Update.ADDITIVE
        and recipe.penalty == Penalty()
        and recipe.averaging is not Averaging.VOTE
        and not recipe.average_from
        and recipe.reduction is Reduction.JOINT
    )


def is_large(columns: int, outputs: int) -> bool:
    """Whether a table of all columns and classes would take so much memory that lists are worth while."""
    return outputs > 2 and columns * outputs > DENSE_AT_MOST


class ClassListLearner(Learner):
    """The weights of column j are those of its list, all others are 0; `weights` and `sums` have the intercepts alone.

    `alive` says which classes take part: those that a row has had.
    """

    def __init__(self, recipe: Recipe, columns: int, outputs: int, *, intercept: bool = True) -> None:
        super().__init__(recipe, 0, outputs, intercept=intercept)
        self.columns = columns
        self.starts = np.zeros(columns, dtype=np.int64)
        self.counts = np.zeros(columns, dtype=np.uint32)
        self.rooms = np.zeros(columns, dtype=np.uint32)
        self.used = 0
        self.classes = np.zeros(FIRST_ENTRIES, dtype=np.uint32)
        self.values = np.zeros(FIRST_ENTRIES)
        self.value_sums = np.zeros(FIRST_ENTRIES if len(self.sums) else 0)
        self.alive = np.zeros(outputs, dtype=np.uint8)

    @classmethod
    def of(cls, table: Learner, numbers: NDArray[np.int64], outputs: int) -> ClassListLearner:
        """The state of a learner with a table, whose class k is now number numbers[k]; all of its classes take part."""
        lists = cls(table.recipe, table.columns, outputs, intercept=table.intercept)
        lists.clock = dict(table.clock)
        w, sums = table.weights[:-1], table.sums[:-1]
        columns, old = np.nonzero(w if not len(sums) else (w != 0) | (sums != 0))
        lists.fill(
            np.bincount(columns, minlength=table.columns), numbers[old], w[columns, old],
            sums[columns, old] if len(sums) else NOTHING,
        )  # fmt: skip
        lists.weights[-1, numbers] = table.weights[-1]
        if len(sums):
            lists.sums[-1, numbers] = table.sums[-1]
        lists.alive[numbers] = 1
        return lists

    def fill(
        self,
        counts: NDArray[Any],
        classes: NDArray[Any],
        values: NDArray[np.float64],
        value_sums: NDArray[np.float64],
    ) -> None:
        """Take these lists, one column's after the other's."""
        self.counts, self.rooms = counts.astype(np.uint32), counts.astype(np.uint32)
        self.starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        self.used = len(classes)
        self.classes, self.values = classes.astype(np.uint32), values.copy()
        self.value_sums = value_sums.copy()

    def flat(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]]:
        """What `fill` takes: the counts, and the entries of all lists without the room between them."""
        several = self.counts.astype(np.int64)
        at = np.repeat(self.starts - np.cumsum(several) + several, several) + np.arange(several.sum())
        return self.counts, self.classes[at], self.values[at], self.value_sums[at] if len(self.sums) else NOTHING

    @property
    def nbytes(self) -> int:
        """The memory that the lists take."""
        arrays = (self.starts, self.counts, self.rooms, self.classes, self.values, self.value_sums)
        return sum(array.nbytes for array in arrays)

    def renumbered(self, numbers: NDArray[np.int64], outputs: int) -> ClassListLearner:
        """The same learner with room for more classes: class k is now number numbers[k]."""
        other = copy(self)
        other.outputs = outputs
        other.classes = numbers[self.classes].astype(np.uint32)
        other.weights, other.alive = np.zeros((1, outputs)), np.zeros(outputs, dtype=np.uint8)
        other.weights[:, numbers], other.alive[numbers] = self.weights, self.alive
        if len(self.sums):
            other.sums = np.zeros((1, outputs))
            other.sums[:, numbers] = self.sums
        return other

    def copied(self) -> ClassListLearner:
        other = copy(self)
        for name in ("weights", "sums", "starts", "counts", "rooms", "classes", "values", "value_sums", "alive"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def widen(self, columns: int) -> None:
        """Room for more columns, whose lists are empty."""
        more = columns - self.columns
        self.columns = columns
        for name in ("starts", "counts", "rooms"):
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.zeros(more, dtype=old.dtype)]))

    def present(
        self,
        rows: Rows,
        targets: NDArray[np.float64],
        order: NDArray[np.int64] | None,
        sample_weights: NDArray[np.float64],
        predictions: NDArray[np.float64] = NOTHING,
    ) -> Pass:
        """Train on these sparse rows in this order (None: all, in their own order)."""
        began = perf_counter()
        presented = len(targets) if order is None else len(order)
        if not presented:
            return Pass(0, 0, 0.0, 0.0)
        sums = self.sums[-1] if len(self.sums) else NOTHING
        tally, done = dict(NO_TALLY), 0
        while True:
            self.clock, tally, done, self.used = class_list_pass.run(
                rows.values,
                rows.ids,
                rows.starts,
                AS_THEY_STAND if order is None else order,
                sample_weights,
                targets,
                (self.starts, self.counts, self.rooms, self.classes, self.values, self.value_sums),
                (self.weights[-1], sums, self.alive, predictions),
                self.settings(rows),
                self.clock,
                tally,
                done,
                self.used,
            )
            if done == presented or tally["lost"] >= 0:
                break
            self._grow()
        counted = float(presented)
        if len(sample_weights):
            counted = float(sample_weights.sum() if order is None else sample_weights[order].sum())
        check_scores(rows, tally)
        return Pass(tally["mistakes"], tally["updates"], tally["loss"] / counted, perf_counter() - began)

    def _grow(self) -> None:
        """Twice the room for entries."""
        for name in ("classes", "values", "value_sums"):
            old = getattr(self, name)
            more = max(FIRST_ENTRIES, len(self.classes)) if name == "classes" or len(old) or len(self.sums) else 0
            setattr(self, name, np.concatenate([old, np.zeros(more, dtype=old.dtype)]))

    @np.errstate(over="ignore", invalid="ignore")  # `finite` raises one error
    def solution(self) -> tuple[Any, NDArray[np.float64]]:
        """(SparseWeights, intercepts) as the recipe defines them; the state does not change."""
        counts, classes, values, value_sums = self.flat()
        b, clock = self.weights[-1].copy(), self.clock
        if len(self.sums) and clock["steps"]:
            values = (clock["scale_sum"] * values - value_sums) / clock["steps"]
            b = b - self.sums[-1] / clock["steps"]
        values, b = finite(values, b)
        columns = np.repeat(np.arange(self.columns), counts)
        order = np.lexsort((classes, columns))
        order = order[values[order] != 0]
        starts = np.zeros(self.columns + 1, dtype=np.int64)
        np.cumsum(np.bincount(columns[order], minlength=self.columns), out=starts[1:])
        return SparseWeights(starts, classes[order], values[order], (self.columns, self.outputs)), b
