"""LossTally: the mean of a model's own loss over predicted numbers, such as the Poisson deviance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.exact_sums import Moments
from linnet.evaluation.intervals import Interval
from linnet.evaluation.skewed_means import loss_interval
from linnet.learners.losses import Loss

# A loss beyond this counts as this, so that sums of losses stay numbers.
LARGEST = 1e300


@dataclass(frozen=True)
class LossResult:
    """The mean loss, and the fraction of that of the mean of these rows which the model saves (D²).

    D² is NaN for losses whose best constant is not the mean, and where all targets are equal.  It has no interval: that
    of R² is calibrated for squares, and deviances are not.
    """

    name: str
    mean: float
    mean_interval: Interval
    d2: float


class LossTally:
    """Adds up a loss block by block, exactly."""

    def __init__(self, loss: Loss) -> None:
        self._loss = loss
        self._losses, self._saturated = Moments(), Moments()

    def add(self, truth: NDArray[np.float64], predicted: NDArray[np.float64], w: NDArray[np.float64] | None) -> None:
        self._losses.add(np.minimum(self._loss.reported(predicted, truth), LARGEST), w)
        if self._loss.explains:
            self._saturated.add(np.clip(self._loss.saturated(truth), -LARGEST, LARGEST), w)

    def result(self, mean: float, n: float, *, whole: bool, confidence: float) -> LossResult:
        """Of rows whose targets have this mean, and that are worth n."""
        losses: Any = self._losses
        of_mean = math.nan
        if self._loss.explains and n:
            of_mean = 2.0 * (self._saturated.mean() - float(self._loss.saturated(np.array([mean]))[0]))
        return LossResult(
            self._loss.title,
            losses.mean() if n else math.nan,
            loss_interval(losses, n if whole or not n else losses.worth(n), 0.0, confidence),
            1.0 - losses.mean() / of_mean if of_mean > 0 else math.nan,
        )
