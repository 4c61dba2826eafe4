"""Classes that join a joint learner one by one, while there is room for all of them already.

A class takes part from the first row that has it.  To make room for it then, in a table of many columns, takes far
longer than the few rows until the next class joins.  So the table has room for all classes of a block from the first
that joins on, and these rows are taken by a learner of only the columns that they have and the classes so far.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.learners.recipe import Averaging, Update
from linnet.training.class_list_learner import ClassListLearner
from linnet.training.online_learner import Learner


def can_join(learner: Learner) -> bool:
    """Whether a class that takes no part yet is one whose numbers are all 0.

    Penalties are paid when a class joins, by all columns; a vote remembers the rows; and two classes share an output.
    """
    recipe = learner.recipe
    if isinstance(learner, ClassListLearner):
        return False  # there classes join by themselves
    plain = (
        recipe.averaging is not Averaging.VOTE
        and not recipe.average_from
        and recipe.update is not Update.MULTIPLICATIVE
    )
    return learner.outputs > 1 and plain and not len(learner.touched)


@dataclass(frozen=True, eq=False)
class Joined:
    """A learner of some columns and classes of another."""

    whole: Learner
    part: Learner
    columns: NDArray[np.int64]  # of the whole, the intercepts' last
    classes: NDArray[np.int64]

    @classmethod
    def of(cls, learner: Learner, rows: Rows, classes: NDArray[np.int64]) -> tuple[Joined, Rows]:
        """The learner of the columns that these rows, which are sparse, have; and the rows in its columns."""
        used, ids = np.unique(rows.ids, return_inverse=True)
        if not len(used):  # a learner has a column at least
            used = np.zeros(1, dtype=np.uint32)
        rows = Rows(rows.values, ids.astype(np.uint32), rows.starts, (rows.shape[0], len(used)))
        part = Learner(
            learner.recipe,
            len(used),
            len(classes),
            intercept=learner.intercept,
            regression=learner.regression,
            population=learner.population,
        )
        part.clock = learner.clock
        joined = cls(learner, part, np.append(used.astype(np.int64), learner.columns), classes)
        if len(part.records):
            part.inverse_scales[:] = learner.inverse_scales[used]
        for mine, theirs in joined._tables():
            mine[:] = theirs[np.ix_(joined.columns, classes)]
        return joined, rows

    def put_back(self) -> None:
        """The part's numbers into the whole."""
        self.whole.clock = self.part.clock
        if len(self.part.records):
            self.whole.inverse_scales[self.columns[:-1]] = self.part.inverse_scales
        for mine, theirs in self._tables():
            theirs[np.ix_(self.columns, self.classes)] = mine

    def _tables(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """What has a number for each column and class, of the part and of the whole."""
        part, whole = self.part, self.whole
        both = [(part.weights, whole.weights), (part.squares, whole.squares), (part.sums, whole.sums)]
        return [(mine, theirs) for mine, theirs in both if len(mine)]
