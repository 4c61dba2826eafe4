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

    NaN where nothing was predicted.  `probabilities` has a column for each class, where the contender gives any.
    """

    name: str
    predicted: Flat
    probabilities: Flat | None = None


class Refit(NamedTuple):
    """A contender to be trained on some rows, and asked for predictions of others."""

    contender: str
    train: Numbers
    asked: Numbers


# Fits, each of them independent of the others, in any order or beside one another: the predictions of each, in order, as
# `OutOfFold.predicted` has them; None for a fit that failed.
Refits = Callable[[Sequence[Refit]], Sequence[Flat | None]]
