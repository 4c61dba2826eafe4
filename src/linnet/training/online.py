"""Online training: passes over the data, until they change nothing more or the limit is reached."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows, select_examples
from linnet.errors import RecipeError, option
from linnet.learners.linear import LinearModel
from linnet.learners.losses import Loss
from linnet.learners.recipe import Averaging, Penalty, Recipe, Reduction, Update
from linnet.learners.sparse_weights import SparseWeights
from linnet.training import class_list_learner
from linnet.training.class_list_learner import ClassListLearner
from linnet.training.history import (
    PATIENCE,
    PRESENTATIONS,
    Lowest,
    Pass,
    Watcher,
    added,
    enough_passes,
    helps,
    ignore,
    judged_passes,
    memorised,
)
from linnet.training.joining import Joined, can_join
from linnet.training.online_learner import NOTHING, Learner
from linnet.training.order import Presentations, presentations
from linnet.training.possible_margin import MistakesPromised
from linnet.training.reduction import Problem, grown, problems
from linnet.training.result import OnlineFacts, Trained
from linnet.training.threads import in_threads
from linnet.training.validation import Validation, validation_rows

# (learners, presentations): numbers, or margins of classes
Predictions = NDArray[np.float64]
NO_PREDICTIONS: Predictions = np.empty((0, 0))


@dataclass(frozen=True)
class Passes:
    """How often to go over the data.

    With `tol` a learner stops early: a perceptron after a pass without a mistake, or when passes no longer reduce the
    mistakes by more than that fraction of the rows (judged over `patience` passes; on few rows over more, as long as
    they may be separable with a margin that is not too small); any other when passes improve the mean loss by no more
    than that fraction of the first pass's (judged over `patience` of them: one alone may be unlucky; of very many rows
    over fewer).  An adaptive learner, whose first pass is in the units of columns and targets already, stops, too,
    when only that fraction of its loss is left; and, as it keeps large steps for rare columns, when it memorises rows
    and no penalty stands against that.  With a fraction of rows for `validation`, any learner stops when that many
    passes improved its score on them by no more than `tol`.  Without `tol`, all passes are made that can change
    anything.
    """

    most: int
    tol: float | None = None
    shuffle: bool = False
    seed: int = 0
    n_jobs: int = 1
    patience: int = PATIENCE
    validation: float = 0.0

    def enough(self, recipe: Recipe, so_far: SoFar, presented: int, promised: Callable[[], float]) -> bool:
        """Whether to stop after these passes.

        `promised` gives the least number of mistakes after which a perceptron may be promised to make no more.
        """
        history = so_far.history
        unchanged = history[-1].updates == 0
        by_mistakes = recipe.loss is Loss.PERCEPTRON
        if self.tol is None:
            # nothing will change any more: neither weights, which only mistakes change, nor a mean or vote of them
            last_weights = recipe.averaging is Averaging.LAST and recipe.penalty == Penalty()
            return unchanged and by_mistakes and last_weights
        if unchanged:
            return True
        patience, scores = self.patience, so_far.scores
        if self.validation:
            return len(scores) > patience and max(scores[-patience:]) <= max(scores[:-patience]) + self.tol
        if by_mistakes:
            if helps(so_far.mistakes, presented, self.tol, patience):
                return False
            many = enough_passes(presented, patience)
            return promised() > PRESENTATIONS or not helps(so_far.mistakes, presented, self.tol, many)
        adaptive = recipe.update is Update.ADAPTIVE
        if adaptive and history[-1].loss <= self.tol * history[0].loss:
            return True  # no loss is below 0
        if adaptive and recipe.penalty == Penalty() and memorised(history, enough_passes(presented, patience)):
            return True
        # the first pass sets the scale but not the mark: an adaptive learner's unit is small while it still grows
        late = judged_passes(presented, patience)
        return len(so_far.losses) > late and so_far.losses.fall(late) <= late * self.tol * history[0].loss

    def converged(self, recipe: Recipe, history: list[Pass]) -> bool:
        """Whether a run that stopped has converged: a loss larger than it began with is not convergence."""
        return recipe.loss is Loss.PERCEPTRON or history[-1].loss <= max(each.loss for each in history[:2])


class SoFar:
    """The passes made, and what they are judged by: mistakes, losses after the first pass, scores of held-out rows."""

    def __init__(self) -> None:
        self.history: list[Pass] = []
        self.mistakes, self.losses = Lowest(), Lowest()
        self.scores: list[float] = []

    def add(self, made: Pass) -> None:
        if self.history:
            self.losses.add(made.loss)
        self.mistakes.add(made.mistakes)
        self.history.append(made)


class OnlineTraining:
    """A recipe being run: on a whole data set (`fit`), or on one block after another (`take`)."""

    def __init__(
        self, recipe: Recipe, columns: int, labels: Labels | None, *, intercept: bool = True, lists: bool = False
    ) -> None:
        """With `lists`, sparse rows of very many classes are trained on without a table of all weights."""
        if recipe.reduction is Reduction.REFERENCE:
            raise RecipeError("a reference class is for solvers that see all rows at once: online, take 'joint'")
        if recipe.penalty.intercept:
            raise RecipeError("the intercept is penalised by solvers that see all rows at once, not online")
        if recipe.loss.code is None:
            raise RecipeError(f"the {recipe.loss.name} loss is for solvers that see all rows at once, not online")
        jointly = labels is not None and len(labels) > 2 and recipe.reduction is Reduction.JOINT
        if jointly and recipe.loss.of_residual and recipe.loss is not Loss.SQUARED:
            one_by_one = option("multiclass", "one-vs-rest")
            raise RecipeError(f"the {recipe.loss.name} loss takes several classes one by one: {one_by_one}")
        self.recipe = recipe
        self.columns = columns
        self.labels = labels
        self.intercept = intercept
        self.lists = lists and class_list_learner.is_for(recipe)
        self.learners = {problem: self._learner(problem) for problem in self._problems()}

    def fit(self, examples: Examples, passes: Passes, watch: Watcher = ignore) -> Trained:
        """Pass over these examples as often as `passes` says."""
        if self.recipe.update is not Update.ADDITIVE or examples.weights is not None:
            examples.rows.check_finite()  # elsewhere a bad value shows in the first score it spoils
        self._check_fit(examples.rows)
        held: Examples | None = None
        if passes.validation:
            which = validation_rows(
                examples,
                passes.validation,
                passes.seed,
                classes=self.labels is not None,
                by_content=passes.shuffle,
            )
            examples, held = select_examples(examples, ~which), select_examples(examples, which)
        plan = presentations(examples, shuffle=passes.shuffle)
        run = partial(self._run, examples, plan, passes, watch, whole=True, held=held)
        results = in_threads(run, self.learners.items(), passes.n_jobs)
        histories = [history for history, _ in results]
        return Trained(
            self.model(),
            added(histories),
            all(converged for _, converged in results),
            online=self.facts(max(map(len, histories))),
            fingerprint=plan.fingerprint,
        )

    def copied(self) -> OnlineTraining:
        """The same as of now, to go on with."""
        other = copy(self)
        other.learners = {problem: learner.copied() for problem, learner in self.learners.items()}
        return other

    @property
    def mistakes_made(self) -> int:
        """Of the present learners, on all rows they were given."""
        return int(sum(learner.clock["mistakes"] for learner in self.learners.values()))

    def facts(self, passes: int, *, joining: bool = False) -> OnlineFacts:
        """What a mistake bound must know of this run, after this many passes."""
        some = next(iter(self.learners.values()))
        return OnlineFacts(self.mistakes_made, passes, some.threshold, some.intercept, joining)

    def take(self, examples: Examples, labels: Labels | None = None) -> Pass:
        """Train on one block of a stream, row by row in its order; `labels` are all known by now.

        A block that raises an error leaves everything as it was.
        """
        before = self.labels, {problem: learner.copied() for problem, learner in self.learners.items()}
        try:
            return self.learn(examples, labels)
        except BaseException:
            self.labels, self.learners = before
            raise

    def learn(
        self,
        examples: Examples,
        labels: Labels | None = None,
        plan: Presentations | None = None,
        predictions: Predictions = NO_PREDICTIONS,
    ) -> Pass:
        """As `take`, but an error leaves an undefined state; `predictions` is room that is filled."""
        examples.rows.check_finite()
        self._check_fit(examples.rows)
        self.extend(labels)
        self.widen(examples.rows.shape[1])
        if not self.learners:  # no row has had a label yet, of rows that may have several
            return Pass(0, 0, 0.0, 0.0)
        plan = presentations(examples, shuffle=False) if plan is None else plan
        once = Passes(most=1)
        into = predictions if len(predictions) else [NOTHING] * len(self.learners)
        learners = zip(self.learners.items(), into, strict=True)
        return added([self._run(examples, plan, once, ignore, *each)[0] for each in learners])[0]

    @property
    def one_by_one(self) -> bool:
        """Whether rows have several labels, each of which is a problem of its own."""
        return self.recipe.reduction is Reduction.EACH_LABEL

    @property
    def can_join(self) -> bool:
        """Whether `learn_some` is possible."""
        return len(self.learners) == 1 and not self.one_by_one and can_join(next(iter(self.learners.values())))

    @property
    def nbytes(self) -> int:
        """The memory that lists of weights take; 0 where there are tables."""
        return sum(learner.nbytes for learner in self.learners.values() if isinstance(learner, ClassListLearner))

    def joins_by_itself(self, columns: int, classes: int) -> bool:
        """Whether a class takes part from its first row on, without being named only then, among so many classes."""
        some = next(iter(self.learners.values()), None)
        if some is None or isinstance(some, ClassListLearner):
            return some is not None
        return self.lists and some.outputs > 1 and class_list_learner.is_large(columns, classes)

    def learn_some(
        self, examples: Examples, classes: NDArray[np.int64], plan: Presentations, predictions: Predictions
    ) -> Pass:
        """As `learn`, of sparse rows while only these classes take part; targets are numbers among them."""
        examples.rows.check_finite()
        ((problem, learner),) = self.learners.items()
        joined, rows = Joined.of(learner, examples.rows, classes)
        into = predictions[0] if len(predictions) else NOTHING
        some = Examples(rows, examples.targets, examples.weights)
        tallies, _ = self._run(some, plan, Passes(most=1), ignore, (problem, joined.part), into)
        joined.put_back()
        return tallies[0]

    def room_for_predictions(self, presented: int) -> Predictions:
        """For what each learner predicts just before each presentation; none where it is not presented all rows."""
        pairs = len(self.learners) > 1 and self.recipe.reduction is Reduction.PAIRWISE
        return NO_PREDICTIONS if pairs or self.one_by_one else np.empty((len(self.learners), presented))

    def mistaken(self, codes: NDArray[np.float64], predictions: Predictions) -> NDArray[np.bool_]:
        """Which rows of these classes were taken for another, by the margins that their learners predicted."""
        if len(predictions) == 1:
            right: NDArray[np.bool_] = predictions[0] > 0
        else:
            signs = np.where(codes == np.arange(len(predictions))[:, np.newaxis], 1.0, -1.0)
            right = (signs * predictions).argmax(axis=0) == codes
        return ~right

    def widen(self, columns: int) -> None:
        """Make room for this many columns; a column that no row has had yet has the weight all begin with."""
        if columns <= self.columns:
            return
        self.columns = columns
        for problem, learner in self.learners.items():
            as_lists = self.lists and class_list_learner.is_large(columns, learner.outputs)
            if as_lists and not isinstance(learner, ClassListLearner):
                every = np.arange(learner.outputs)
                learner = self.learners[problem] = ClassListLearner.of(learner, every, learner.outputs)
            learner.widen(columns)

    def extend(self, labels: Labels | None) -> None:
        """Take in new classes; `labels` are all known by now."""
        if self.labels is None or labels is None or (len(labels) == len(self.labels) and not self.one_by_one):
            return
        if self.one_by_one:
            self._extend_each(self.labels, labels)
            return
        numbers = labels.encode(self.labels.classes).astype(np.int64)
        self.learners = grown(self.learners, self.recipe.reduction, numbers, len(labels), lists=self.lists)
        self.labels = labels

    def _extend_each(self, before: Labels, labels: Labels) -> None:
        """Take in new sets, and the labels in them, whose learners begin with the first row that has them."""
        if len(labels) != len(before):
            numbers = labels.encode(before.classes).tolist() if len(before) else []
            known = {Problem(int(k)): learner for k, learner in zip(numbers, self.learners.values(), strict=True)}
            each = problems(len(labels), self.recipe.reduction)
            self.learners = {problem: known.get(problem) or self._learner(problem) for problem in each}
        self.labels = labels

    def model(self) -> LinearModel:
        """The model as of now."""
        solutions = [learner.solution() for learner in self.learners.values()]
        votes = [found for learner in self.learners.values() if (found := learner.votes()) is not None]
        weights = [w for w, _ in solutions]
        sparse = isinstance(weights[0], SparseWeights)
        return LinearModel(
            # one may be large: it is not copied once more
            weights[0]
            if sparse
            else np.ascontiguousarray(weights[0] if len(weights) == 1 else np.concatenate(weights, axis=1)),
            np.concatenate([b for _, b in solutions]),
            self.labels.classes if self.labels else None,
            self.recipe.reduction,
            votes=tuple(votes),
        )

    def _check_fit(self, rows: Rows) -> None:
        takes = self.recipe.values
        if takes is not None:
            rows.check_fit(takes.misfits(rows.values), str(takes))

    def _problems(self) -> list[Problem]:
        return [Problem()] if self.labels is None else problems(len(self.labels), self.recipe.reduction)

    def _learner(self, problem: Problem) -> Learner:
        outputs = 1 if self.labels is None else problem.outputs(len(self.labels))
        if self.lists and class_list_learner.is_large(self.columns, outputs):
            return ClassListLearner(self.recipe, self.columns, outputs, intercept=self.intercept)
        return Learner(
            self.recipe,
            self.columns,
            outputs,
            intercept=self.intercept,
            regression=self.labels is None,
            population=np.inf if self.recipe.penalty.total else 1.0,
            positive=1.0 if self.one_by_one else float(problem.positive or 0),
        )

    def _run(
        self,
        examples: Examples,
        plan: Presentations,
        passes: Passes,
        watch: Watcher,
        item: tuple[Problem, Learner],
        predictions: NDArray[np.float64] = NOTHING,
        *,
        whole: bool = False,
        held: Examples | None = None,
    ) -> tuple[list[Pass], bool]:
        """All passes of one problem, and whether it converged; `whole` means that these are all its examples but those
        `held` out for validation."""
        problem, learner = item
        targets = examples.targets
        members = None if self.labels is None else problem.members(targets, len(self.labels))
        first = 0
        if self.labels is not None and self.labels.sets is not None:
            has = self.labels.sets.having(problem.positive or 0)[targets.astype(np.int64)]
            targets = has.astype(np.float64)
            first = 0 if learner.clock["steps"] else int(has.argmax())
        validation = None if held is None else Validation(problem, self.labels, held)
        promised = MistakesPromised(learner, examples.rows, members, plan.sample_weights)
        so_far = SoFar()
        while len(so_far.history) < passes.most:
            order = plan.in_pass(len(so_far.history), passes.seed)
            if members is not None:
                order = np.flatnonzero(members) if order is None else order[members[order]]
            if first:
                order = np.arange(first, len(targets)) if order is None else order[order >= first]
            presented = len(targets) if order is None else len(order)
            if self.recipe.penalty.total:  # spread over all rows; of a stream, over those so far
                learner.population = float(presented) if whole else np.inf
            made = learner.present(examples.rows, targets, order, plan.sample_weights, predictions)
            so_far.add(made)
            watch(made)
            if validation is not None:
                so_far.scores.append(validation.score(learner))
            if passes.enough(self.recipe, so_far, presented, promised):
                by_score = bool(so_far.scores)
                return so_far.history, passes.tol is None or by_score or passes.converged(self.recipe, so_far.history)
        return so_far.history, passes.tol is None
