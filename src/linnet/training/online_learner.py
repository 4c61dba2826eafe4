"""Learner: the state of one problem that is trained online."""

from __future__ import annotations

import math
from copy import copy
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.errors import NumericalError
from linnet.kernels import passes
from linnet.learners.recipe import Averaging, Factors, Recipe, Update
from linnet.learners.voting import Votes
from linnet.training.history import Pass

# The kernel's numbers for one weight a column, and for two.
ONE_SIDE, BALANCED, COMPLEMENTED = 0, 1, 2

NOTHING: NDArray[np.float64] = np.empty(0)
# Numbers in a cache line of 64 bytes.
LINE = 8
AS_THEY_STAND = np.empty(0, dtype=np.int64)
NO_LOG = np.empty((0, 5))
EPOCH = {
    "steps": 0.0,
    "scale": 1.0,
    "scale_sum": 0.0,
    "shrunk": 0.0,
    "norm": 0.0,
    "mean": 0.0,
    "spread": 0.0,
    "survived": 0.0,
    "mistakes": 0.0,
}


class Learner:
    """Weights of (columns + 1) x outputs, the last row the intercepts, stored as the kernel has them.

    An adaptive learner's arrays are views into one, `records`, in which everything about a column is together.

    One output serves regression, and two sides of classes: targets equal to `positive`, and all others.  Several
    serve as many classes, whose numbers are the targets.  `population` is how many rows a penalty given in total is
    spread over (see Penalty).
    """

    def __init__(
        self,
        recipe: Recipe,
        columns: int,
        outputs: int = 1,
        *,
        intercept: bool = True,
        regression: bool = False,
        population: float = 1.0,
        positive: float = 1.0,
    ) -> None:
        self.recipe = recipe
        self.columns = columns
        self.outputs = outputs
        multiplicative = recipe.update is Update.MULTIPLICATIVE
        self.threshold = _threshold(recipe.factors, columns) if multiplicative else 0.0
        # a sum that is not balanced has its threshold there
        self.intercept = intercept or self.threshold > 0
        self.regression = regression
        self.population = population
        self.positive = positive
        size = (columns + 1, outputs)
        self.sums = np.zeros(size) if recipe.averaging is Averaging.AVERAGE else NOTHING
        self.records = self.squares = self.inverse_scales = self.sides = NOTHING
        if recipe.update is Update.ADAPTIVE:
            self._view(_in_cache_lines(columns + 1, 2 + 2 * outputs))
        else:
            self.weights = np.zeros(size)
            self.touched = np.zeros(columns) if recipe.penalty.l1 > 0 else NOTHING
        if multiplicative:
            self._begin_with_ones()
        self.clock: dict[str, float] = dict(EPOCH)
        self._mistakes: tuple[Any, NDArray[np.float64]] = (np.empty((0, columns)), NO_LOG)
        self._pending: tuple[Rows, list[NDArray[np.float64]]] | None = None

    def _view(self, records: NDArray[np.float64]) -> None:
        """Keep the state of an adaptive learner there (kernels/adaptive.pxd has the layout)."""
        penalty = self.recipe.penalty
        self.records = records
        self.inverse_scales = records[:-1, 0]
        self.touched = records[:-1, 1] if penalty.l1 > 0 or penalty.l2 > 0 else NOTHING
        self.weights, self.squares = records[:, 2 : 2 + self.outputs], records[:, 2 + self.outputs :]

    def _begin_with_ones(self) -> None:
        """Every weight is 1; of two sides, those for and those against."""
        factors = self.recipe.factors
        if factors.balanced or factors.complement:
            self.sides = np.ones((self.columns + 1, 2))
        else:
            self.weights[:-1] = 1.0
        if not factors.balanced:
            self.weights[-1] = (self.columns if factors.complement else 0.0) - self.threshold

    def copied(self) -> Learner:
        """The same state, in arrays of its own."""
        other = copy(self)
        if len(self.records):
            other._view(_in_cache_lines(*self.records.shape))
            other.records[:] = self.records
        else:
            other.weights, other.touched = self.weights.copy(), self.touched.copy()
        other.sums, other.sides = self.sums.copy(), self.sides.copy()
        return other

    def widen(self, columns: int) -> None:
        """Room for more columns (one at least is there); new ones weigh what all began with, and owe nothing."""
        old = self.columns
        self.columns = columns
        factors = self.recipe.factors
        one_side = self.recipe.update is Update.MULTIPLICATIVE and not len(self.sides)
        beginning = 1.0 if one_side else 0.0
        if len(self.sides):
            assert not factors.complement, "complements of columns that are yet to come cannot have been counted"
            self.sides = _widened(self.sides, np.ones((columns + 1, 2)))
        if len(self.records):
            self._view(_widened(self.records, _in_cache_lines(columns + 1, self.records.shape[1])))
        else:
            self.weights = _widened(self.weights, np.full((columns + 1, self.outputs), beginning))
            if len(self.touched):
                self.touched = np.concatenate([self.touched, np.zeros(columns - old)])
        if len(self.sums):
            self.sums = _widened(self.sums, np.zeros((columns + 1, self.outputs)))
        if self.recipe.averaging is Averaging.VOTE:
            self._copy_pending_mistakes()
            mistaken, log = self._mistakes
            if mistaken.shape[0]:
                from scipy.sparse import csr_array

                mistaken = csr_array(mistaken)
                mistaken.resize((mistaken.shape[0], columns))
            else:
                mistaken = np.empty((0, columns))
            self._mistakes = (mistaken, log)

    def settings(self, rows: Rows) -> dict[str, Any]:
        """The recipe as the kernel takes it."""
        recipe = self.recipe
        return {
            "columns": self.columns,
            "outputs": self.outputs,
            "dense": rows.dense,
            "intercept": self.intercept,
            "regression": self.regression,
            "loss": recipe.loss.code,
            "geometry": int(recipe.update),
            "step": int(recipe.schedule.step),
            "averaging": int(recipe.averaging),
            "eta": recipe.eta,
            "power": recipe.schedule.power,
            "offset": recipe.schedule.offset,
            "l1": recipe.penalty.l1,
            "l2": recipe.penalty.l2,
            "epsilon": recipe.loss.epsilon,
            "population": self.population,
            "positive": self.positive,
            "sides": BALANCED if recipe.factors.balanced else COMPLEMENTED if recipe.factors.complement else ONE_SIDE,
            "promotion": recipe.factors.promotion,
            "demotion": recipe.factors.demotion,
            "log_promotion": math.log(recipe.factors.promotion),
            "log_demotion": math.log(recipe.factors.demotion) if recipe.factors.demotion else 0.0,
            "threshold": self.threshold,
        }

    def present(
        self,
        rows: Rows,
        targets: NDArray[np.float64],
        order: NDArray[np.int64] | None,
        sample_weights: NDArray[np.float64],
        predictions: NDArray[np.float64] = NOTHING,
    ) -> Pass:
        """Train on these rows in this order (None: all, in their own order).

        `predictions` has room for what each presentation was taken for just before: a number, or the margin of its
        class.
        """
        began = perf_counter()
        presented = len(targets) if order is None else len(order)
        if not presented:
            return Pass(0, 0, 0.0, 0.0)
        before = self.recipe.average_from - self.clock["steps"]
        if 0 < before < presented:
            return self._present_in_two(int(before), rows, targets, order, sample_weights, predictions)
        voting = self.recipe.averaging is Averaging.VOTE
        log = np.empty((presented, 5)) if voting else NO_LOG
        adaptive = self.recipe.update is Update.ADAPTIVE
        weights = NOTHING if adaptive else self.weights.reshape(-1)
        self.clock, tally, logged = passes.run(
            rows.values,
            rows.ids,
            rows.starts,
            AS_THEY_STAND if order is None else order,
            sample_weights,
            targets,
            (
                weights,
                weights,
                self.sums.reshape(-1),
                NOTHING if adaptive else self.touched,
                self.records.reshape(-1),
                self.sides.reshape(-1),
                predictions,
            ),
            log,
            self.settings(rows),
            self.clock,
        )
        check_scores(rows, tally)
        if before == presented:
            self._begin_average()
        if voting:
            self._remember(rows, log[:logged])
        loss = tally["loss"] / _counted(targets, order, sample_weights)
        return Pass(tally["mistakes"], tally["updates"], loss, perf_counter() - began)

    def _present_in_two(
        self,
        before: int,
        rows: Rows,
        targets: NDArray[np.float64],
        order: NDArray[np.int64] | None,
        sample_weights: NDArray[np.float64],
        predictions: NDArray[np.float64],
    ) -> Pass:
        """As `present`: the rows before the average begins, and those after."""
        order = np.arange(len(targets)) if order is None else order
        halves = order[:before], order[before:]
        first, second = (
            self.present(rows, targets, each, sample_weights, told)
            for each, told in zip(halves, (predictions[:before], predictions[before:]), strict=True)
        )
        counts = [_counted(targets, each, sample_weights) for each in halves]
        return Pass(
            first.mistakes + second.mistakes,
            first.updates + second.updates,
            (first.loss * counts[0] + second.loss * counts[1]) / sum(counts),
            first.seconds + second.seconds,
        )

    def _begin_average(self) -> None:
        """Take what was summed so far off the sums of all weights met: steps times the intercepts, 0 for others."""
        self.clock["scale_sum"] = 0.0
        self.sums[:-1] = 0.0
        self.sums[-1] = self.clock["steps"] * self.weights[-1]

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")  # `finite` raises one error
    def solution(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(weights of columns x outputs, intercepts) as the recipe defines them; the state does not change."""
        w, b, clock = self._paid(), self.weights[-1].copy(), self.clock
        if self.recipe.update is Update.ADAPTIVE:
            w *= self.inverse_scales[:, np.newaxis]
            if self.regression and clock["steps"]:
                deviation = np.sqrt(clock["spread"] / clock["steps"])
                w, b = w * deviation, b * deviation + clock["mean"]
            return finite(w, b)
        averaged = clock["steps"] - self.recipe.average_from
        if self.recipe.averaging is Averaging.AVERAGE and averaged > 0:
            w = (clock["scale_sum"] * w - self.sums[:-1]) / averaged
            late = self.recipe.average_from > 0
            b = (clock["steps"] * b - self.sums[-1]) / averaged if late else b - self.sums[-1] / averaged
        else:
            w *= clock["scale"]
        return finite(w, b)

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")  # what they lead to is not finite, and refused
    def _paid(self) -> NDArray[np.float64]:
        """The stored weights of columns x outputs, a copy, after the penalties that they still owe."""
        w = self.weights[:-1].copy()
        if not len(self.touched):
            return w
        owed = (self.clock["shrunk"] - self.touched)[:, np.newaxis]
        if self.recipe.update is not Update.ADAPTIVE:
            return soft_threshold(w, owed)
        penalty = self.recipe.penalty
        amount = owed / np.sqrt(np.where(w != 0, self.squares[:-1], 1.0))
        return soft_threshold(w * np.exp(-penalty.l2 * amount), penalty.l1 * amount)

    def pay_penalties(self) -> None:
        """Pay all penalties now, leaving no debt that depends on the size of the weights."""
        if len(self.touched):
            self.weights[:-1] = self._paid()
            self.touched[:] = self.clock["shrunk"]

    def votes(self) -> Votes | None:
        """All hypotheses so far, where the recipe votes."""
        if self.recipe.averaging is not Averaging.VOTE:
            return None
        self._copy_pending_mistakes()
        mistaken, log = self._mistakes
        which, truths, rivals = np.ascontiguousarray(log[:, :3].T).astype(np.int64)
        amounts = np.ascontiguousarray(log[:, 3])
        survived = np.append(log[:, 4], self.clock["survived"])
        return Votes(mistaken, which, truths, rivals, amounts, survived, self.outputs, self.intercept)

    def mistakes(self) -> tuple[Any, NDArray[np.float64]]:
        """The rows of all mistakes so far and the log of them, where the recipe votes."""
        self._copy_pending_mistakes()
        return self._mistakes

    def restore_mistakes(self, mistaken: Any, log: NDArray[np.float64]) -> None:
        """Continue from the mistakes of an earlier run."""
        self._pending, self._mistakes = None, (mistaken, log)

    def _remember(self, rows: Rows, log: NDArray[np.float64]) -> None:
        """Note the mistakes of a pass; passes over the same rows share one copy of the rows, made at the end."""
        if self._pending is not None and self._pending[0] is not rows:
            self._copy_pending_mistakes()
        logs = self._pending[1] if self._pending else []
        self._pending = (rows, [*logs, log.copy()])

    def _copy_pending_mistakes(self) -> None:
        """Copy the rows of the pending mistakes, each once, so that the caller's rows are not kept alive."""
        if self._pending is None:
            return
        rows, logs = self._pending
        self._pending = None
        log = np.concatenate(logs)
        numbers, which = np.unique(log[:, 0].astype(np.int64), return_inverse=True)
        before, log_before = self._mistakes
        log[:, 0] = which + before.shape[0]
        both = (before, rows.matrix(numbers))
        mistaken = both[1] if not before.shape[0] else _stacked(*both)
        self._mistakes = (mistaken, np.concatenate([log_before, log]))


def _in_cache_lines(rows: int, width: int) -> NDArray[np.float64]:
    """Zeros that begin where a cache line does, so that a row is in no more lines than it must."""
    room = np.zeros(rows * width + LINE)
    begin = -(room.ctypes.data // room.itemsize) % LINE
    return room[begin : begin + rows * width].reshape(rows, width)


def _widened(narrow: NDArray[np.float64], wide: NDArray[np.float64]) -> NDArray[np.float64]:
    """The wider array with the columns of the narrower, and the intercepts at its end."""
    wide[: len(narrow) - 1], wide[-1] = narrow[:-1], narrow[-1]
    return wide


def _threshold(factors: Factors, columns: int) -> float:
    """What the sum is compared with: as given, or half the number of variables; balanced weights have an intercept."""
    if factors.balanced:
        return 0.0
    variables = 2 * columns if factors.complement else columns
    return variables / 2 if factors.threshold is None else factors.threshold


def _stacked(above: Any, below: Any) -> Any:
    if isinstance(above, np.ndarray) and isinstance(below, np.ndarray):
        return np.concatenate([above, below])
    from scipy.sparse import csr_array, vstack

    return vstack([csr_array(above), csr_array(below)], format="csr")


def soft_threshold(w: NDArray[np.float64], by: NDArray[np.float64]) -> NDArray[np.float64]:
    """sign(w) max(0, |w| - by)."""
    shrunk: NDArray[np.float64] = np.sign(w) * np.maximum(np.abs(w) - by, 0.0) + 0.0  # 0 for -0
    return shrunk


def check_scores(rows: Rows, tally: dict[str, Any]) -> None:
    """Raise where a pass ended at a row whose score is not a number, or its losses add up to none."""
    if tally["lost"] >= 0 or not math.isfinite(tally["loss"]):
        rows.check_finite()
        where = f"row {tally['lost']} has a score" if tally["lost"] >= 0 else "the losses add up to a number"
        raise NumericalError(
            f"{where} beyond the range of numbers: scale the features down "
            f"(sklearn.preprocessing.StandardScaler), lower eta0, or take the adaptive learner"
        )


def finite(w: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if not (np.isfinite(w).all() and np.isfinite(b).all()):
        raise NumericalError(
            "the weights left the range of numbers: scale the features down, or lower the step size eta0"
        )
    w += 0.0  # 0 for -0: which of the two a weight is could depend on when its column was added
    b += 0.0
    return w, b


def _counted(
    targets: NDArray[np.float64], order: NDArray[np.int64] | None, sample_weights: NDArray[np.float64]
) -> float:
    """The weight of the rows presented."""
    if not len(sample_weights):
        return float(len(targets) if order is None else len(order))
    return float(sample_weights.sum() if order is None else sample_weights[order].sum())
