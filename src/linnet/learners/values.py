"""The numbers a learner can take, where it cannot take all, and what to do with others."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from linnet.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Range(StrEnum):
    """Which numbers."""

    NON_NEGATIVE = "0 or more"
    POSITIVE = "above 0"
    ZERO_OR_ONE = "0 or 1"
    ZERO_TO_ONE = "0 to 1"


@dataclass(frozen=True)
class Values:
    """The range, why it is that, and the remedy for numbers outside it."""

    range: Range
    reason: str
    remedy: str

    def misfits(self, values: NDArray[Any]) -> NDArray[Any]:
        """Which of the values lie outside the range; a missing one does not."""
        wrong: NDArray[Any] = values <= 0 if self.range is Range.POSITIVE else values < 0
        if self.range in (Range.ZERO_OR_ONE, Range.ZERO_TO_ONE):
            wrong = wrong | (values > 1)
        if self.range is Range.ZERO_OR_ONE:
            wrong = wrong | ((values > 0) & (values < 1))
        return wrong

    def check_targets(self, targets: NDArray[Any]) -> None:
        """Raise for the first target that is outside the range."""
        wrong = self.misfits(targets)
        if wrong.any():
            row = int(wrong.argmax())
            raise InputError(
                f"Some value(s) of y are out of the valid range of the loss: y is {targets[row]:g} at row {row}: {self}"
            )

    def __str__(self) -> str:
        return f"{self.reason}: {self.remedy}"


ZERO_TO_ONE = Values(
    Range.ZERO_TO_ONE,
    "Winnow takes numbers from 0 to 1",
    "scale the column (sklearn.preprocessing.MinMaxScaler)",
)
ZERO_OR_ONE = Values(
    Range.ZERO_OR_ONE,
    "Winnow1 takes 0 and 1 only",
    "make the column Boolean (x > threshold, or one column a value), or take winnow2 for numbers from 0 to 1",
)
COUNTS = Values(
    Range.NON_NEGATIVE, "naive Bayes counts, and takes numbers of 0 or more", "take the learner naive-bayes-gaussian"
)
PRESENCE = Values(
    Range.ZERO_OR_ONE, "Bernoulli naive Bayes takes 0 and 1 only", "take the learner naive-bayes-gaussian"
)
NON_NEGATIVE_TARGETS = Values(
    Range.NON_NEGATIVE,
    "a Poisson or Tweedie deviance (1 <= power < 2) is of numbers of 0 or more",
    "take least-squares, ridge or huber for others",
)
POSITIVE_TARGETS = Values(
    Range.POSITIVE,
    "a gamma or Tweedie deviance (power >= 2) is of numbers above 0",
    "take tweedie with a power below 2 where there are zeros, or least-squares, ridge or huber for any number",
)
