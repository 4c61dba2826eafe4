"""What held-out rows decide: how scores are calibrated to probabilities, and the threshold for a metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.decisions import calibration, thresholds
from linnet.decisions.calibration import Calibration, Method
from linnet.decisions.costs import Rule
from linnet.decisions.thresholds import Goal, ThresholdChoice
from linnet.errors import option
from linnet.evaluation.classification import ClassificationResult
from linnet.learners.linear import logistic
from linnet.model.predictor import Result
from linnet.model.record import Threshold

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Decided:
    """The calibration, the decision rule, and the choice of its threshold, as far as they were wanted."""

    calibration: Calibration | None = None
    rule: Rule | None = None
    choice: ThresholdChoice | None = None

    def threshold(self, held_out: Result | None) -> Threshold | None:
        """For the record: the choice, and its figures on held-out rows, which it was not made on."""
        if self.choice is None:
            return None
        if not isinstance(held_out, ClassificationResult):
            return Threshold(self.choice)
        labels = [each.label for each in held_out.classes]
        figures = thresholds.of_confusion(self.choice.goal, labels, held_out.confusion)
        return Threshold(self.choice, figures, held_out.rows)


@dataclass(frozen=True, eq=False)
class Wanted:
    """How scores are to be calibrated and decided on: by a known rule, or by a threshold for a goal."""

    calibrate: Method | None = None
    rule: Rule | None = None
    goal: Goal | None = None
    classes: Any = None

    @property
    def needs_rows(self) -> bool:
        return self.calibrate is not None or self.goal is not None

    @property
    def purpose(self) -> str:
        """What rows are needed for."""
        return "to calibrate on" if self.goal is None else "to choose a threshold on"

    @property
    def remedy(self) -> str:
        """What to do where there are too few rows."""
        asked = (self.calibrate is not None, "calibrate"), (self.goal is not None, "threshold_for")
        return f"give more, or leave out {' and '.join(option(name) for given, name in asked if given)}"

    def decided(self, evidence: Floats, truth: Floats, weights: Floats | None) -> Decided:
        """By the outcomes at these scores (`LinearModel.evidence`).

        A calibration rises with the score: that it was fitted to the rows that then choose the threshold does not
        change which of them lie above which.
        """
        maps = None if self.calibrate is None else calibration.fit(self.calibrate, evidence, truth, weights)
        if self.goal is None:
            return Decided(maps, self.rule)
        second = logistic(evidence) if maps is None else maps.probabilities(evidence)[:, 1]
        choice = thresholds.choose(self.goal, self.classes, second, truth, weights)
        return Decided(maps, Rule.above(choice.threshold, str(choice.goal)), choice)

    def without_rows(self) -> Decided:
        """Where no rows are needed."""
        assert not self.needs_rows
        return Decided(rule=self.rule)


NOTHING = Wanted()
