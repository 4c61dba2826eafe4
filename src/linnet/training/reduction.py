"""How K classes become problems that a learner can take: jointly, one against the rest, or pair by pair."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from linnet.errors import RecipeError, option
from linnet.learners.recipe import Averaging, Reduction, Update
from linnet.training.class_list_learner import ClassListLearner, is_large
from linnet.training.online_learner import Learner

# Pairs of classes, 200 of them: a fit of two rows takes half a millisecond, and a pair of rare classes is hardly more.
MOST_PAIRS = 20_000


@dataclass(frozen=True)
class Problem:
    """Class `positive` against class `negative`; against all others where that is None; all jointly where both are."""

    positive: int | None = None
    negative: int | None = None

    def outputs(self, classes: int) -> int:
        return classes if self.positive is None else 1

    def members(self, codes: NDArray[np.float64], classes: int) -> NDArray[np.bool_] | None:
        """Which rows take part; None for all."""
        if self.negative is None or classes <= 2:
            return None
        members: NDArray[np.bool_] = (codes == self.positive) | (codes == self.negative)
        return members


def problems(classes: int, reduction: Reduction) -> list[Problem]:
    """Two classes are one problem whatever the reduction."""
    if reduction is Reduction.EACH_LABEL:
        return [Problem(k) for k in range(classes)]
    if classes <= 2:
        return [Problem(1, 0)]
    if reduction in (Reduction.JOINT, Reduction.REFERENCE):
        return [Problem()]
    if reduction is Reduction.ONE_VS_REST:
        return [Problem(k) for k in range(classes)]
    pairs = classes * (classes - 1) // 2
    if pairs > MOST_PAIRS:
        raise RecipeError(
            f"{classes:,} labels make {pairs:,} pairs, each a fit of its own, and more than {MOST_PAIRS:,}: take "
            f"{option('multiclass', Reduction.ONE_VS_REST)}"
        )
    return [Problem(b, a) for a, b in combinations(range(classes), 2)]


def grown(
    learners: dict[Problem, Learner],
    reduction: Reduction,
    numbers: NDArray[np.int64],
    classes: int,
    *,
    lists: bool = False,
) -> dict[Problem, Learner]:
    """The learners for more classes, when new labels appear mid-stream; as lists, where a table would be large.

    Old class k is now number numbers[k] of `classes`.  The old weights still decide between the old classes as it
    did; a new class starts from nothing.
    """
    some = next(iter(learners.values()))
    voting = some.recipe.averaging is Averaging.VOTE
    if voting and classes > 2 and (reduction is not Reduction.JOINT or len(numbers) < 2):
        raise RecipeError(
            "a voted perceptron takes in new classes later only jointly, from two on: name all in the first call "
            "(classes=)"
        )
    new: dict[Problem, Learner] = {}
    for problem in problems(classes, reduction):
        if problem.positive is None:
            new[problem] = _joined(some, numbers, classes, lists=lists)
            continue
        found = _renumbered(learners, numbers).get(problem)
        new[problem] = found if found is not None else _fresh(some)
        new[problem].positive = float(problem.positive)
    return new


def _renumbered(learners: dict[Problem, Learner], numbers: NDArray[np.int64]) -> dict[Problem, Learner]:
    """The old learners under every problem of the new numbering that they already solve."""
    known: dict[Problem, Learner] = {}
    for problem, learner in learners.items():
        if problem.positive is None:
            continue
        if len(numbers) == 1:  # one class alone was trained as the negative side, its rival yet unknown
            other = 1 - int(numbers[0]) if numbers[0] <= 1 else 0
            pair = (other, int(numbers[0]))
        elif problem.negative is None:
            known[Problem(int(numbers[problem.positive]))] = learner
            continue
        else:
            pair = (int(numbers[problem.positive]), int(numbers[problem.negative]))
        known[Problem(*pair)] = learner
        known[Problem(pair[1], pair[0])] = _negated(learner)
        if len(learners) == 1:  # two classes: each of them against the rest, as far as the rest was known
            known[Problem(pair[0])] = learner
            known[Problem(pair[1])] = _negated(learner)
    return known


def _fresh(like: Learner) -> Learner:
    return Learner(
        like.recipe,
        like.columns,
        intercept=like.intercept,
        regression=like.regression,
        population=like.population,
    )


def _negated(learner: Learner) -> Learner:
    """The same learner with the classes' sides changed; a copy."""
    if learner.recipe.update is Update.MULTIPLICATIVE and not learner.recipe.factors.balanced:
        return _fresh(learner)  # weights that cannot be below 0 say nothing of the other side
    mistaken, log = learner.mistakes()
    other = learner.copied()
    if len(other.sides):
        other.sides = np.ascontiguousarray(other.sides[:, ::-1])
    # 0 - w, not -w: a column that no row has had yet must weigh 0, not -0, wherever blocks begin
    np.subtract(0.0, other.weights, out=other.weights)
    np.subtract(0.0, other.sums, out=other.sums)
    other.restore_mistakes(mistaken, log * np.array([1.0, 1.0, 1.0, -1.0, 1.0]))
    return other


def _joined(learner: Learner, numbers: NDArray[np.int64], classes: int, *, lists: bool = False) -> Learner:
    """A joint learner of more classes that decides between the old ones just as `learner` does."""
    if isinstance(learner, ClassListLearner):
        return learner.renumbered(numbers, classes)
    if lists and learner.outputs > 1 and is_large(learner.columns, classes):
        return ClassListLearner.of(learner, numbers, classes)
    learner.pay_penalties()
    joined = Learner(
        learner.recipe,
        learner.columns,
        classes,
        intercept=learner.intercept,
        regression=learner.regression,
        population=learner.population,
    )
    joined.touched[:], joined.inverse_scales[:] = learner.touched, learner.inverse_scales
    joined.clock = dict(learner.clock)
    mistaken, log = learner.mistakes()
    joined.restore_mistakes(mistaken, _renamed(log, numbers, binary=learner.outputs == 1))
    for name in ("weights", "sums", "squares"):
        old, new = getattr(learner, name), getattr(joined, name)
        if not len(new):
            continue
        if learner.outputs > 1:
            _spread(old, numbers, new)
        elif name == "squares":
            new[:, numbers] = old
        elif len(numbers) == 2:  # one score w.x becomes a lead of w.x: half up, half down
            new[:, numbers[1:]] = old / 2
            new[:, numbers[:1]] = 0.0 - old / 2  # never -0 (see _negated)
        else:
            new[:, numbers[:1]] = 0.0 - old
    return joined


def _spread(old: NDArray[np.float64], numbers: NDArray[np.int64], new: NDArray[np.float64]) -> None:
    """new[:, numbers] = old, for numbers that rise: a run of neighbours is copied as a whole."""
    ends = np.flatnonzero(np.diff(numbers) != 1) + 1
    for start, stop in pairwise([0, *ends.tolist(), len(numbers)]):
        new[:, numbers[start] : numbers[start] + stop - start] = old[:, start:stop]


def _renamed(log: NDArray[np.float64], numbers: NDArray[np.int64], *, binary: bool) -> NDArray[np.float64]:
    """The log of mistakes (row, true class, rival, amount, survived) under the classes' new numbers."""
    new = log.copy()
    if not binary:
        new[:, 1:3] = numbers[log[:, 1:3].astype(np.int64)]
    elif len(log):  # the sign of the amount is the true side; a lead of twice the half is the same lead
        positive = log[:, 3] > 0
        new[:, 1], new[:, 2] = numbers[positive.astype(np.int64)], numbers[1 - positive.astype(np.int64)]
        new[:, 3] = np.abs(log[:, 3]) / 2
    return new
