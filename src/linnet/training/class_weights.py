"""Class weights: numbers that are given, or inversely proportional to class frequencies."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import label_text
from linnet.errors import RecipeError, listed, option

BALANCED = "balanced"

Floats = NDArray[np.float64]
# As Python takes them, or the command line.
Given = Mapping[Any, float] | Sequence[str] | str


@dataclass(frozen=True)
class ClassWeights:
    """A weight for each label that is named, 1 for others; without any, n / (classes * rows of the class).

    Labels are compared by `key`: by their text, as users type them in a shell; or by value, in Python alone.
    """

    named: Mapping[Any, float] | None = None
    key: Callable[[Any], Hashable] = label_text

    @classmethod
    def of(cls, given: Given) -> ClassWeights:
        """`balanced`, a dictionary by label, or one or several LABEL=WEIGHT."""
        if given == BALANCED or (isinstance(given, list | tuple) and list(given) == [BALANCED]):
            return cls()
        named = given if isinstance(given, Mapping) else _parsed([given] if isinstance(given, str) else given)
        for label, weight in named.items():
            if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 < float(weight) < float("inf"):
                raise RecipeError(f"the weight of the class {label!r} must be a number above 0; it is {weight!r}")
        return cls({label: float(weight) for label, weight in named.items()})

    @property
    def balanced(self) -> bool:
        return self.named is None

    def given_to(self, labels: Iterable[Any]) -> Floats:
        """The weights given to these labels."""
        assert self.named is not None
        by_key = {self.key(label): weight for label, weight in self.named.items()}
        return np.array([by_key.get(self.key(label), 1.0) for label in labels], dtype=np.float64)

    def each(self, labels: Sequence[Any], totals: NDArray[Any]) -> Floats:
        """The weight of each class, given the total sample weight of its rows."""
        return _balanced(totals) if self.named is None else self.given_to(labels)

    def by_row(self, labels: Sequence[Any], codes: Floats, sample_weights: Floats | None) -> Floats:
        """The sample weights of rows of these classes, times the weights of their classes."""
        which = codes.astype(np.int64)
        each = self.each(labels, np.bincount(which, sample_weights, minlength=len(labels)))[which]
        return each if sample_weights is None else each * sample_weights

    def check_some(self, labels: Sequence[Any]) -> None:
        """As `check`, but where every label has a weight others may be named, too: of rows that are not among these."""
        named = {self.key(label) for label in self.named or ()}
        if not all(self.key(label) in named for label in labels):
            self.check(labels)

    def check(self, labels: Sequence[Any]) -> None:
        """Refuse a name that no label has, now that all are known: its weight would have no effect."""
        known = {self.key(label) for label in labels}
        for label in self.named or ():
            if self.key(label) not in known:
                some = listed(list(map(repr, labels)))
                raise RecipeError(f"a class weight names the label {label!r}, which no row has: there are {some}")


def _balanced(totals: NDArray[Any]) -> Floats:
    """Weights inversely proportional to these totals, which keep the total over all classes."""
    return np.asarray(totals.sum() / (len(totals) * totals), dtype=np.float64)


def _parsed(texts: Sequence[str]) -> dict[str, float]:
    named: dict[str, float] = {}
    for text in texts:
        label, equals, weight = str(text).rpartition("=")
        try:
            number = float(weight)
        except ValueError:
            number = float("nan")
        if not equals or not label.strip() or not 0 < number < float("inf"):
            raise RecipeError(f"{option('class_weight')} takes balanced, or LABEL=WEIGHT such as spam=5; not {text!r}")
        named[label.strip()] = number
    return named
