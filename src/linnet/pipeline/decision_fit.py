"""What rows that were not learnt from settle: how scores become probabilities, and these decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.decisions import calibration, thresholds
from linnet.decisions.calibration import Calibration, Method
from linnet.decisions.costs import Rule
from linnet.decisions.thresholds import Choice, Goal
from linnet.learners.linear import logistic

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Settled:
    """The maps, the rule to decide by, and the choice of its threshold, as far as they were wanted."""

    calibration: Calibration | None = None
    rule: Rule | None = None
    choice: Choice | None = None

    def told(self, held_out: dict[str, Any] | None) -> dict[str, Any]:
        """For a summary: the choice, and how it did on rows that had no say in it."""
        if self.choice is None:
            return {}
        told = self.choice.as_dict()
        if held_out is not None:
            classes = [each["label"] for each in held_out["classes"]]
            figures = thresholds.of_confusion(self.choice.goal, classes, held_out["confusion"])
            told["held_out"] = {"rows": held_out["rows"], **thresholds.plain(figures)}
        return {"threshold": told}


@dataclass(frozen=True, eq=False)
class Wanted:
    """How scores are to be calibrated, and decided on: by a rule that is known, or by a threshold for a goal."""

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
        asked = (self.calibrate is not None, "--calibrate"), (self.goal is not None, "--threshold-for")
        return f"give more, or leave {' and '.join(option for given, option in asked if given)} out"

    def settled(self, evidence: Floats, truth: Floats, weights: Floats | None) -> Settled:
        """By what happened at such scores (`LinearModel.evidence`).

        A map rises with the score: that it was fitted to the rows that then choose the threshold does not change which
        of them lie above which.
        """
        maps = None if self.calibrate is None else calibration.fit(self.calibrate, evidence, truth, weights)
        if self.goal is None:
            return Settled(maps, self.rule)
        second = logistic(evidence) if maps is None else maps.probabilities(evidence)[:, 1]
        choice = thresholds.choose(self.goal, self.classes, second, truth, weights)
        return Settled(maps, Rule.above(choice.threshold, str(choice.goal)), choice)

    def without_rows(self) -> Settled:
        """Where nothing is left to settle."""
        assert not self.needs_rows
        return Settled(rule=self.rule)


NOTHING = Wanted()
