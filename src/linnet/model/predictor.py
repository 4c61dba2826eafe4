"""Predictions of a model, and how they do against the truth, for the tallies of evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import LabelSets
from linnet.data.rows import Rows, take_rows
from linnet.data.sources.block import Strings
from linnet.decisions.calibration import Calibration
from linnet.decisions.costs import Rule
from linnet.errors import RecipeError
from linnet.evaluation.classification import ClassificationResult, ClassificationTally
from linnet.evaluation.label_sets import LabelSetResult, LabelSetTally, indicator
from linnet.evaluation.regression import RegressionResult, RegressionTally
from linnet.learners.catalogue import Entry
from linnet.learners.linear import LinearModel, logistic
from linnet.learners.losses import Loss
from linnet.learners.recipe import Reduction

Tally = ClassificationTally | RegressionTally | LabelSetTally
Result = ClassificationResult | RegressionResult | LabelSetResult
Floats = NDArray[np.float64]
# Labels of more bytes than this are not copied for every row.
WIDE = 256
# Scores of several labels a row that are kept at once.
SCORES_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Answers:
    """What a block of rows is taken for: codes of classes, and which of them a rule would not decide on."""

    decision: NDArray[np.float64]
    probabilities: NDArray[np.float64] | None
    codes: NDArray[np.int64]
    rejected: NDArray[np.bool_] | None


@dataclass(frozen=True, eq=False)
class Classifier:
    """From rows to scores to probabilities to labels.

    Without a rule the largest score decides.  With a rule, or with calibrated probabilities, these do: what is printed
    as most probable is what is predicted.
    """

    linear: LinearModel
    probable: bool
    calibration: Calibration | None = None
    rule: Rule | None = None

    @property
    def classes(self) -> NDArray[Any]:
        assert self.linear.classes is not None
        return self.linear.classes

    def tally(self) -> ClassificationTally:
        priced = self.rule is not None and self.rule.metric is None
        return ClassificationTally(self.classes, self.rule if priced else None)

    def answers(self, rows: Rows) -> Answers:
        decision = self.linear.decision(rows)
        probabilities = self._probabilities(decision)
        rejected = None
        if probabilities is None or (self.rule is None and self.calibration is None):
            codes = self.linear.codes(decision)
        elif self.rule is None:
            codes = probabilities.argmax(axis=1)
        else:
            codes = self.rule.preferred(probabilities)
            rejected = self.rule.rejects(probabilities, codes)
        return Answers(decision, probabilities, codes, rejected)

    def _probabilities(self, decision: NDArray[np.float64]) -> NDArray[np.float64] | None:
        if self.calibration is not None:
            return self.calibration.probabilities(self.linear.evidence(decision))
        return self.linear.probabilities(decision) if self.probable else None

    def labels(self, answers: Answers) -> NDArray[Any]:
        """The labels, None where a rule would not decide: then the array is one of objects."""
        # a NumPy array of text takes for every row what its longest label takes
        wide = self.classes.dtype.kind == "U" and self.classes.dtype.itemsize > WIDE
        found: NDArray[Any] = (self.classes.astype(object) if wide else self.classes)[answers.codes]
        if answers.rejected is not None and answers.rejected.any():
            found = found.astype(object)
            found[answers.rejected] = None
        return found

    def add_result(self, tally: ClassificationTally, rows: Rows, truth: Floats, weights: Floats | None) -> float:
        """Predict rows, add the result to the tally, each by its weight (1 if there are none).

        Returns the weighted sum of losses: log loss, or mistakes.
        """
        answers = self.answers(rows)
        two = answers.decision.ndim == 1 and len(self.classes) == 2
        scores, margins = (answers.decision, None) if two else (None, _leads(answers.decision, truth))
        tally.add(truth, answers.codes, answers.probabilities, scores, weights, margins)
        if answers.probabilities is None:
            return _total(answers.codes != truth, weights)
        known = truth >= 0
        right = answers.probabilities[np.flatnonzero(known), truth[known].astype(np.int64)]
        return _total(-np.log(np.maximum(right, 1e-15)), None if weights is None else weights[known])


@dataclass(frozen=True, eq=False)
class LabelPicker:
    """From rows to several labels each, or none: those whose score is above 0.

    `sets` are the sets of labels that targets are the numbers of.
    """

    linear: LinearModel
    probable: bool
    sets: LabelSets | None = None

    @property
    def classes(self) -> NDArray[Any]:
        assert self.linear.classes is not None
        return self.linear.classes

    def tally(self) -> LabelSetTally:
        return LabelSetTally(self.classes)

    def answers(self, rows: Rows) -> tuple[NDArray[Any], Floats | None]:
        """The labels of each row, as tuples, and the probability of every label if there is one."""
        scores = self.linear.scores(rows)
        labels = np.empty(len(scores), dtype=object)
        for row, taken in enumerate(scores > 0):
            labels[row] = tuple(self.classes[taken].tolist())
        return labels, logistic(scores) if self.probable else None

    def add_block(self, tally: LabelSetTally, rows: Rows, spelt: Strings) -> None:
        """Predict rows and add the result to the tally, a part at a time; labels may be unknown to the model."""
        several, sets = max(1, SCORES_AT_ONCE // len(self.classes)), spelt.strings()
        for first in range(0, len(sets), several):
            some = np.arange(first, min(first + several, len(sets)))
            has, unknown = indicator(sets[first : first + several], self.classes.tolist())
            part = rows if len(some) == len(sets) else take_rows(rows, some)
            tally.add(has, self.linear.scores(part), unknown)

    def add_result(self, tally: LabelSetTally, rows: Rows, truth: Floats, _: Floats | None) -> float:
        """Predict rows and add the result to the tally; the formats of sets have no weights.

        Returns the sum of losses over all rows and labels: log loss, or wrong answers.
        """
        assert self.sets is not None
        has, scores = self.sets.indicator(truth, len(self.classes)), self.linear.scores(rows)
        tally.add(has, scores)
        if not self.probable:
            return float(np.count_nonzero(has != (scores > 0)))
        return float(np.logaddexp(0.0, np.where(has, -scores, scores)).sum())


@dataclass(frozen=True, eq=False)
class Regressor:
    """From rows to numbers; the loss is that of the fit."""

    linear: LinearModel
    loss: Loss | None = None

    def tally(self) -> RegressionTally:
        return RegressionTally(self.loss)

    def add_result(self, tally: RegressionTally, rows: Rows, truth: Floats, weights: Floats | None) -> float:
        """Predict rows, add the result to the tally, each by its weight; returns the weighted sum of squares."""
        predicted = self.linear.predict(rows)
        tally.add(truth, predicted, weights)
        with np.errstate(over="ignore"):  # numbers may be as large as they like: the sum is then infinite
            return _total((predicted - truth) ** 2, weights)


def _leads(decision: Floats, truth: Floats) -> Floats | None:
    """The score of the true class less the largest of the others; 0 for a label that the model does not know."""
    if decision.ndim == 1:
        return None
    rows, codes = np.arange(len(truth)), truth.astype(np.int64)
    own = decision[rows, codes]
    others = np.partition(decision, -2, axis=1)[:, -2:]
    return np.where(codes < 0, 0.0, own - np.where(own == others[:, 1], others[:, 0], others[:, 1]))


def _total(losses: NDArray[Any], weights: Floats | None) -> float:
    return float(losses.sum() if weights is None else (losses * weights).sum())


def scorer(
    model: LinearModel,
    probable: bool,
    calibration: Calibration | None = None,
    rule: Rule | None = None,
    loss: Loss | None = None,
    sets: LabelSets | None = None,
) -> Any:
    """What predicts with this model and compares with the truth."""
    if model.reduction is Reduction.EACH_LABEL:
        return LabelPicker(model, probable, sets)
    return Regressor(model, loss) if model.classes is None else Classifier(model, probable, calibration, rule)


def no_probabilities(learner: Entry) -> RecipeError:
    """What to say where decisions need probabilities and there are none."""
    if learner.recipe.loss.log_odds:
        return RecipeError(
            "pairs of classes that vote have no probabilities: train with --calibrate sigmoid, or jointly"
        )
    return RecipeError(
        f"{learner.name} gives no probabilities: train with --calibrate sigmoid, or with a logistic learner"
    )
