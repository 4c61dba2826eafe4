"""Options that do not combine, or that the task or the learner does not take: refused before anything is read."""

from __future__ import annotations

from collections.abc import Mapping

from linnet.data.task import Task
from linnet.decisions.costs import check_given
from linnet.decisions.thresholds import Goal
from linnet.errors import RecipeError
from linnet.errors import option as spelt
from linnet.learners import catalogue
from linnet.learners.entry import AUTO, Entry, Way
from linnet.learners.recipe import Reduction
from linnet.learners.regularisation import PenaltyKind
from linnet.model.predictor import no_probabilities
from linnet.pipeline.declaration import in_shell
from linnet.pipeline.options import TrainOptions


def check(options: TrainOptions) -> None:
    """Refuse options that do not combine, whatever the data."""
    check_given(options.costs, options.reject, options.least)
    if options.threshold_for is not None:
        Goal.parsed(options.threshold_for)
        if options.priced:
            raise RecipeError(
                "a threshold is chosen for a metric or follows from costs: give either "
                f"{spelt('threshold_for')}, or {spelt('costs')}, {spelt('reject')} and {spelt('least')}"
            )
    if options.summary:
        _check_summary(options)
    _check_tuning(options)
    options.strength.check()


def _check_tuning(options: TrainOptions) -> None:
    """Refuse a strength that is both given and tuned, and options of tuning without it."""
    tuned = spelt("tune") if options.tune else spelt("C" if options.C == AUTO else "alpha", AUTO)
    if options.tuning is None:
        given = [name for name in ("tune_rule", "folds") if getattr(options, name) is not None]
        if given:
            raise RecipeError(f"{', '.join(map(spelt, given))} goes with {spelt('tune')}: add it")
        return
    if options.strength.C is not None or options.strength.alpha is not None:
        raise RecipeError(f"{tuned} chooses the strength: leave the value of {spelt('C')} or {spelt('alpha')} out")
    if options.C is not None and options.alpha is not None:
        raise RecipeError(f"a learner takes {spelt('C')} or {spelt('alpha')}: give one of them, or {spelt('tune')}")
    if options.summary or options.penalty is PenaltyKind.NONE:
        without = spelt("summary") if options.summary else spelt("penalty", PenaltyKind.NONE)
        raise RecipeError(f"{without} has no penalty to tune: leave {tuned} out")
    if options.checkpoint_every or options.resume:
        raise RecipeError(f"{tuned} needs all rows in memory, and there is no checkpoint of that: leave it out")


def _check_summary(options: TrainOptions) -> None:
    """Standard errors are those of a likelihood without a penalty: refuse what would make it another."""
    names = ("C", "alpha", "l1_ratio", "class_weight", "passes", "checkpoint_every")
    given = [name for name in names if getattr(options, name) is not None]
    given += ["penalise_intercept"] if options.penalise_intercept else []
    given += ["penalty"] if options.penalty not in (None, PenaltyKind.NONE) else []
    given += ["multiclass"] if options.multiclass not in (None, Reduction.REFERENCE) else []
    if given:
        raise RecipeError(
            f"{spelt('summary')} is of a fit by maximum likelihood to all rows at once, without a penalty: leave "
            f"{', '.join(map(spelt, given))} out"
        )


def check_task(options: TrainOptions, task: Task, learner: Entry | None) -> None:
    """Refuse options that the task or the learner does not take."""
    if learner is not None:
        _check_learner(options, learner)
    if options.class_weight is not None:
        _check_class_weight(options, task, learner)
    if not (options.decides or options.calibrate):
        return
    if task is Task.REGRESSION:
        raise RecipeError("costs, rejection, thresholds and calibration are for classification; this is regression")
    if options.calibrate is not None:
        return
    # which learner is chosen when the data are known: no other one, where decisions need probabilities
    learner = learner or catalogue.default(Way.BATCH, task)
    if options.strength.fits(learner) and not options.strength.of(learner).recipe.has_probabilities:
        raise no_probabilities(learner)


def check_label_sets(options: TrainOptions, learner: Entry | None, *, several: bool) -> None:
    """Refuse what goes with one label a row, where rows have several; and the other way round."""
    if not several:
        if options.multiclass is Reduction.EACH_LABEL:
            raise RecipeError(
                f"{spelt('multiclass', Reduction.EACH_LABEL)} is for rows with several labels, which svmlight "
                "(1,5,7 3:0.5) and fastText's lines (__label__a __label__b text) can have: leave it out"
            )
        return
    names = ("costs", "reject", "least", "threshold_for", "calibrate", "class_weight", "summary")
    given = [name for name in names if getattr(options, name)]
    if given:
        raise RecipeError(
            f"the rows have several labels, and {', '.join(map(spelt, given))} is for one label a row: leave it out"
        )
    if learner is not None and not learner.takes_each_label:
        takes = ", ".join(each.name for each in catalogue.entries() if each.takes_each_label)
        raise RecipeError(f"the rows have several labels, which {learner.name} does not take: take one of {takes}")


def check_tuned(options: TrainOptions, learner: Entry) -> None:
    """Refuse to tune what this learner, which may have been chosen by the data, does not have."""
    if options.tuning is None:
        return
    asked = "tune" if options.tune else "C" if options.C == AUTO else "alpha"
    takes = [each for each in catalogue.entries() if (each.strength if asked == "tune" else each.strength == asked)]
    if learner.name not in {each.name for each in takes}:
        own = f", which takes {spelt(learner.strength)}" if learner.strength else ""
        names = ", ".join(each.name for each in takes if set(each.tasks) & set(learner.tasks))
        raise RecipeError(
            f"{spelt(asked)} is not for {learner.name}{own}: it is for {names or 'no learner of this task'}"
        )


def _check_learner(options: TrainOptions, learner: Entry) -> None:
    for each in in_shell(type(options)):
        takes = each.written.learners
        if takes is not None and getattr(options, each.name) != each.default and not takes(learner):
            names = ", ".join(other.name for other in catalogue.entries() if takes(other))
            raise RecipeError(f"{spelt(each.name)} is not for {learner.name}: it is for {names}")


def _check_class_weight(options: TrainOptions, task: Task, learner: Entry | None) -> None:
    if task is Task.REGRESSION:
        raise RecipeError(f"{spelt('class_weight')} is for classification; this is regression")
    if learner is not None and learner.way is Way.COUNTING:
        raise RecipeError(
            f"{spelt('class_weight')} is not for {learner.name}, which counts the rows as they are: give costs "
            f"({spelt('costs')}), or choose a threshold ({spelt('threshold_for')})"
        )
    if learner is not None and learner.way is Way.ONLINE and not isinstance(options.class_weight, Mapping):
        raise balanced_stream(learner.name)


def balanced_stream(name: str) -> RecipeError:
    """Balanced class weights need class frequencies, which a stream does not know in advance."""
    return RecipeError(
        f"{spelt('class_weight', 'balanced')} needs the number of rows of every class before training starts, and "
        f"{name} is an online learner: give numbers ({spelt('class_weight', 'LABEL=WEIGHT')}), or use a batch learner, "
        "such as logistic-regression"
    )
