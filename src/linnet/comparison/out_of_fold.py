"""What a comparison hands over to those who explain it: out-of-fold predictions, folds, and a way to fit again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Flat = NDArray[np.float64]
Numbers = NDArray[np.int64]


class Fold(Protocol):
    """Numbers of rows to train on, and of those to test on."""

    @property
    def train(self) -> Numbers: ...

    @property
    def test(self) -> Numbers: ...


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """What one contender predicted for each row when it was not trained on it: the number of a class, or a number.

    NaN where nothing was predicted.  `learner` is the row of the catalogue that it is of; empty for a yardstick.
    """

    name: str
    predicted: Flat
    learner: str = ""


class Refit(NamedTuple):
    """A contender to be trained on some rows, and asked for predictions of others."""

    contender: str
    train: Numbers
    asked: Numbers


# Fits that do not need one another, in any order or side by side: the predictions of each, in order, as those of
# `OutOfFold`; None for a fit that failed.
Refits = Callable[[Sequence[Refit]], Sequence[Flat | None]]
