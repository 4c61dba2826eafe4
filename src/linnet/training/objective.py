"""The objective of batch training, its gradient, and what its shape allows.

    f(w, b) = (1/N) sum_i c_i loss(x_i . w + b, y_i) + l1 |w|_1 + l2/2 |w|_2^2,   N = sum_i c_i

The gradient comes from the online kernel with the weights held still; for a loss that the kernels do not know, from
the loss itself (learners/losses.py).  With a reference class the weights and the intercept of the last class stay 0.
"""

from __future__ import annotations

from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.packed_rows import PackedRows
from linnet.data.rows import Examples, Rows, take_rows
from linnet.errors import InputError, NumericalError, RecipeError, option
from linnet.kernels import passes
from linnet.kernels.hessian import gradient
from linnet.kernels.scores import scores as row_scores
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty, Recipe
from linnet.training.column_sizes import largest_entries, squares
from linnet.training.history import Pass
from linnet.training.online_learner import AS_THEY_STAND, EPOCH, NO_LOG, NOTHING, Learner
from linnet.training.threads import added, over_parts

Flat = NDArray[np.float64]

TOO_LARGE = (
    "the weights left the range of numbers: scale the features down (sklearn.preprocessing.StandardScaler), "
    "or lower the step size eta0"
)

# The least penalty that there is: dividing by it gives a number.
LEAST = float(np.finfo(np.float64).tiny)

# A residual of less than this fraction of its target is rounding.
EXACT = 4.0 * float(np.finfo(np.float64).eps)

# Threads take rows in parts of this many entries, or of ENTRIES_A_SUM times the weights: every part has its own sums.
PART = 1 << 18
ENTRIES_A_SUM = 8
# Dense rows that would make more parts than this, and are fewer than the columns, are summed by this many columns.
MANY_PARTS, COLUMNS_A_PART = 4, 4096
# Of dense rows, weights are looked at alone where there are at most this fraction of them.
FEW_WEIGHTS = 0.1
# The same for rows with many outputs, which have no sums: this many entries times outputs.
PART_OF_OUTPUTS = 1 << 20


class Objective:
    """f and its gradient for one problem, whose rows are finite; weights flat, (columns + 1) x outputs, the intercepts
    last."""

    def __init__(
        self,
        examples: Examples,
        loss: Loss,
        penalty: Penalty,
        outputs: int,
        *,
        intercept: bool,
        regression: bool,
        positive: float = 1.0,
        reference: bool = False,
        part: int = PART,
    ) -> None:
        self.rows, self.targets, self.loss = examples.rows, examples.targets, loss
        self.outputs, self.intercept, self.reference = outputs, intercept, reference
        self.columns = examples.rows.shape[1]
        self.sample_weights = NOTHING if examples.weights is None else examples.weights
        self.mistaken_weight = 0.0  # of the rows that the last gradient found on the wrong side
        self.order = AS_THEY_STAND
        if examples.weights is not None and not examples.weights.all():
            self.order = np.flatnonzero(examples.weights)
            if not len(self.order):
                raise InputError("every sample weight is zero: there is nothing to train on")
        self.total = examples.total_weight
        self.penalty = self.of_mean(penalty)
        self.regression, self.positive, self.part = regression, positive, part
        self.size = (self.columns + 1) * outputs

    def of_mean(self, penalty: Penalty) -> Penalty:
        """The penalty as it stands beside the mean loss: one that there is does not round to none, nor to infinity."""
        if not penalty.total:
            return penalty
        l1, l2 = (
            min(max(each / self.total, LEAST), 1.0 / LEAST) if each > 0 else 0.0 for each in (penalty.l1, penalty.l2)
        )
        return Penalty(l1, l2, positive=penalty.positive)

    def in_order(self, which: NDArray[np.int64]) -> Objective:
        """The same problem with its rows in this order."""
        weights = self.sample_weights[which] if len(self.sample_weights) else None
        return self._of(Examples(take_rows(self.rows, which), self.targets[which], weights))

    def of_rows(self, which: NDArray[np.int64]) -> Objective:
        """The same problem over some of the rows, with the same penalty beside their mean loss."""
        made = self.in_order(which)
        made.total = float(made.sample_weights.sum()) if len(made.sample_weights) else float(len(which))
        return made

    def of_columns(self, columns: NDArray[np.int64]) -> Objective:
        """The same problem over some of the columns, as if the weights of all others were held at 0."""
        if self.rows.dense:
            table = np.empty((self.rows.shape[0], len(columns)))

            def part(first: int, last: int) -> None:
                self.rows.some_columns(columns, slice(first, last), table[first:last])

            over_parts(part, len(table), self.rows_a_part)
            rows = Rows.of(table)
        else:
            rows = Rows.of(self._by_column.matrix(columns).T.tocsr())
        return self._of(Examples(rows, self.targets, self.sample_weights if len(self.sample_weights) else None))

    def _of(self, examples: Examples) -> Objective:
        """The same objective of other rows or columns."""
        made = Objective(
            examples,
            self.loss,
            Penalty(),
            self.outputs,
            intercept=self.intercept,
            regression=self.regression,
            positive=self.positive,
            reference=self.reference,
            part=self.part,
        )
        made.total, made.penalty = self.total, self.penalty
        return made

    @property
    def has_kinks(self) -> bool:
        """Whether the gradient jumps."""
        return not self.loss.smooth

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The objective as the online kernel takes it."""
        plain = Learner(
            Recipe(self.loss), self.columns, self.outputs,
            intercept=self.intercept, regression=self.regression, positive=self.positive,
        )  # fmt: skip
        return plain.settings(self.rows)

    @cached_property
    def signed(self) -> Flat:
        """The targets as a loss takes them: numbers; of classes, 1 for the positive one and -1 for all others."""
        return self.targets if self.regression else np.where(self.targets == self.positive, 1.0, -1.0)

    def pull(self, weights: Flat) -> tuple[Flat, Pass]:
        """-gradient of the mean loss, and the tally of the rows."""
        if self.loss.code is None:
            return self._pull_of_own_loss(weights)
        into, tally = self.pull_of_sum(weights)
        return into / self.total, tally

    def pull_of_sum(self, weights: Flat) -> tuple[Flat, Pass]:
        """-gradient of the summed loss: of whole numbers it is exact; and the tally of the rows."""
        began = perf_counter()
        into = np.zeros(self.size)
        weighted = len(self.sample_weights) > 0
        margins = np.empty(len(self.order) or len(self.targets)) if weighted else NOTHING
        _, tally, _ = passes.run(
            self.rows.values, self.rows.ids, self.rows.starts, self.order, self.sample_weights, self.targets,
            (weights, into, NOTHING, NOTHING, NOTHING, NOTHING, margins), NO_LOG, self.settings, dict(EPOCH),
        )  # fmt: skip
        self.mistaken_weight = float(tally["mistakes"])
        if weighted:
            presented = self.sample_weights[self.order] if len(self.order) else self.sample_weights
            self.mistaken_weight = float(presented[margins <= 0].sum())
        if tally["lost"] >= 0:
            raise NumericalError(TOO_LARGE)
        mean = tally["loss"] / self.total
        return self.free(into), Pass(tally["mistakes"], tally["updates"], mean, perf_counter() - began)

    def _pull_of_own_loss(self, weights: Flat) -> tuple[Flat, Pass]:
        """The same for a loss that the kernels do not know."""
        if self.outputs > 1:
            raise RecipeError(
                f"the {self.loss.name} loss takes several classes one by one: {option('multiclass', 'one-vs-rest')}"
            )
        began, scores = perf_counter(), self.scores(weights)[:, 0]
        values, slopes = self.loss.at(scores, self.signed)
        c = self.sample_weights if len(self.sample_weights) else np.ones(len(scores))
        pull = -self.summed((c * slopes / self.total)[:, np.newaxis])
        if not self.intercept:
            pull[-1] = 0.0
        if not np.isfinite(pull).all():
            raise NumericalError(TOO_LARGE)
        mistakes = 0 if self.regression else int(np.count_nonzero((self.signed * scores <= 0) & (c > 0)))
        updates = int(np.count_nonzero(slopes[c > 0]))
        return pull, Pass(mistakes, updates, float(c @ values) / self.total, perf_counter() - began)

    def scores(self, weights: Flat, into: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """w . x + b of every row and output, for these weights or for a change of them; `into` is room for them."""
        table = weights.reshape(-1, self.outputs)
        into = np.empty((self.rows.shape[0], self.outputs)) if into is None else into
        if not self.rows.dense and self.outputs > 1:
            _on_threads(self.rows, table[:-1], table[-1], into)
            return into

        used = self._few(table[:-1, 0]) if self.rows.dense and self.outputs == 1 else None
        if used is None:
            over_parts(lambda a, b: self.scores_part(weights, a, into[a:b]), len(into), self.rows_a_part)
            return into

        def part(first: int, last: int) -> None:
            np.add(self.rows.some_columns(used, slice(first, last)) @ table[used], table[-1], out=into[first:last])

        over_parts(part, len(into), self.rows_a_part)
        return into

    def scores_part(self, weights: Flat, first: int, into: NDArray[np.float64]) -> None:
        """The same for as many rows as there is room for, from the first."""
        table, last = weights.reshape(-1, self.outputs), first + len(into)
        if self.rows.dense:
            np.add(self.rows.matrix(slice(first, last)) @ table[:-1], table[-1], out=into)
        else:
            row_scores(*self.layout(first, last), table[:-1], table[-1], into)

    def _few(self, w: Flat) -> NDArray[np.int64] | None:
        """Where these weights are other than 0, if they are at so few places that it is quicker to look only there."""
        if isinstance(self.rows, PackedRows):
            return None
        used = np.flatnonzero(w)
        return used if len(used) <= FEW_WEIGHTS * self.columns else None

    def summed(self, amounts: NDArray[np.float64], into: Flat | None = None) -> Flat:
        """The rows (x, 1) summed, each times its amount, for every output: flat as weights are.

        `into` is room for the sums, which may be taken or not.
        """
        if self._wide:
            return self._summed_by_column(amounts[:, 0])
        if self.rows.dense or self.outputs == 1:
            parts = over_parts(lambda a, b: self.summed_part(amounts[a:b], a), len(amounts), self.rows_a_part)
            return self.free(added(parts))
        # as sums by column, each is added up by one thread in the order of the rows
        into = np.empty(self.size) if into is None else into
        table = into.reshape(-1, self.outputs)
        _on_threads(self._by_column, np.ascontiguousarray(amounts), np.zeros(self.outputs), table[:-1])
        table[-1] = amounts.sum(axis=0)
        return self.free(into)

    @property
    def _wide(self) -> bool:
        """Whether dense rows are so long that sums of them are taken column by column, all rows at once."""
        return (
            self.rows.dense and self.outputs == 1 and self.rows_a_part * MANY_PARTS < self.rows.shape[0] <= self.columns
        )

    def _summed_by_column(self, amounts: Flat) -> Flat:
        X, into = self.rows.matrix(), np.empty(self.size)

        def part(first: int, last: int) -> None:
            into[first:last] = amounts @ X[:, first:last]

        over_parts(part, self.columns, COLUMNS_A_PART)
        into[-1] = amounts.sum()
        return self.free(into)

    def summed_part(self, amounts: NDArray[np.float64], first: int) -> Flat:
        """The same for as many rows as there are amounts, from the first."""
        into, last = np.zeros(self.size), first + len(amounts)
        if self.rows.dense:
            X = self.rows.matrix(slice(first, last))
            into[: -self.outputs] = np.asarray((amounts.T @ X).T).reshape(-1)  # quicker than X' amounts
            into[-self.outputs :] = amounts.sum(axis=0)
        else:
            gradient(*self.layout(first, last), amounts, into)
        return into

    def free(self, slopes: Flat) -> Flat:
        """Slopes by all weights, without those by weights that are held at 0: the reference class's."""
        if self.reference:
            slopes.reshape(-1, self.outputs)[:, -1] = 0.0
        return slopes

    @cached_property
    def _by_column(self) -> Rows:
        """The columns of sparse rows, as rows."""
        return Rows.of(self.rows.matrix().T.tocsr())

    @cached_property
    def mean_target(self) -> float:
        """The mean of numbers to predict, weighted by the sample weights."""
        c = self.sample_weights
        return float(c @ self.targets if len(c) else self.targets.sum()) / self.total

    @cached_property
    def rounded_away(self) -> float:
        """The mean loss of residuals that are nothing but rounding: a fit as good as this is exact, as far as one can
        see.  0 for losses of anything but residuals."""
        if not (self.regression and self.loss.of_residual):
            return 0.0
        c, off = self.sample_weights, EXACT * np.abs(self.targets)
        if self.loss.smooth:
            off = 0.5 * self.loss.largest_curvature * off * off
        return float(c @ off if len(c) else off.sum()) / self.total

    @property
    def about_mean(self) -> bool:
        """Whether scores and targets may be taken less the mean target: the intercept is free, and only their
        difference counts."""
        return self.regression and self.intercept and self.loss.of_residual

    def first_weights(self) -> Flat:
        """Where a descent begins: 0, and the intercept at the level of the targets."""
        weights = np.zeros(self.size)
        if self.intercept and self.regression:
            weights[-1] = self.loss.level(self.mean_target)
        return weights

    @cached_property
    def rows_a_part(self) -> int:
        """How many rows a thread takes at once; the same for any number of threads."""
        entries = max(1.0, self.rows.entries / max(1, self.rows.shape[0]))
        return max(1, int(max(self.part, ENTRIES_A_SUM * self.size) / entries))

    @property
    def rows_a_sum(self) -> int:
        """The most rows that are added up one after the other."""
        return self.rows.shape[0] if self._wide else self.rows_a_part

    @cached_property
    def most_entries(self) -> int:
        """The entries of the row that has the most."""
        return self.columns if self.rows.dense else int(np.diff(self.rows.starts).max(initial=0))

    @cached_property
    def largest_entries(self) -> Flat:
        """The largest |x| of every column."""
        return largest_entries(self.rows, self.rows_a_part)

    @property
    def largest_entry(self) -> float:
        """The largest |x| of all."""
        if isinstance(self.rows, PackedRows):
            return float(self.largest_entries.max(initial=0.0))
        return self.rows.largest_entry

    def layout(self, first: int, last: int) -> tuple[NDArray[Any], NDArray[np.uint32], NDArray[np.int64], int, bool]:
        """Some of the sparse rows, as kernels take them."""
        values, ids, starts, d, dense = self.rows.layout
        return values, ids, starts[first : last + 1], d, dense

    def penalised(self, weights: Flat) -> Flat:
        """The weights that a penalty sees: all but the intercepts."""
        return weights[: self.columns * self.outputs]

    def summed_gradient(self, weights: Flat) -> tuple[Flat, Pass]:
        """The gradient of the smooth part of N f, and the tally."""
        pull, tally = self.pull_of_sum(weights)
        gradient = 0.0 - pull
        self.penalised(gradient)[:] += self.total * self.penalty.l2 * self.penalised(weights)
        return gradient, tally

    def smooth(self, weights: Flat) -> tuple[float, Flat, Pass]:
        """The smooth part of f (all but L1), its gradient, and the tally."""
        pull, tally = self.pull(weights)
        gradient = -pull
        w = self.penalised(weights)
        self.penalised(gradient)[:] += self.penalty.l2 * w
        return tally.loss + 0.5 * self.penalty.l2 * float(w @ w), gradient, tally

    def column_squares(self) -> NDArray[np.float64]:
        """(1/N) sum_i c_i x_ij^2 for every column j."""
        return squares(self.rows, self.sample_weights) / self.total

    def units(self) -> Flat:
        """A unit for every weight, the root of its column's own curvature bound: columns of any scale become alike."""
        bend = self.loss.usual_curvature(self.mean_target)
        curvature = np.sqrt(bend * self.column_squares() + self.penalty.l2)
        unit = np.append(np.where(curvature > 0, curvature, 1.0), np.sqrt(bend))
        return np.repeat(unit, self.outputs)


def _on_threads(rows: Rows, weights: NDArray[np.float64], free: Flat, into: NDArray[np.float64]) -> None:
    """The scores of sparse rows, in parts, each by one thread."""
    values, ids, starts, columns, dense = rows.layout

    def part(first: int, last: int) -> None:
        row_scores(values, ids, starts[first : last + 1], columns, dense, weights, free, into[first:last])

    entries = max(1, len(values) * weights.shape[1])
    over_parts(part, rows.shape[0], max(1, rows.shape[0] * PART_OF_OUTPUTS // entries))
