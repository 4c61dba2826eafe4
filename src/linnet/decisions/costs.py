"""Decisions from probabilities: the label that costs least on average, or none where deciding costs more than passing.

With cost[i][j] of taking a row of class i for one of class j, and probabilities p, the label to take is

    argmin_j Σ_i p_i cost[i][j],

and to reject the row instead, at the cost r, is right where even that sum exceeds r (Chow 1970, On optimum recognition
error and reject tradeoff).  Adding a number to a row of the costs adds the same to every label's sum, so the label is
found as argmax_j Σ_i p_i (max_k cost[i][k] - cost[i][j]): for costs of 0 and 1 the sum is p_j itself, nothing is
rounded, and the label is the most probable one exactly.

Ties go to the earlier label.  Where two scores differ by so little that their probabilities round to one number, that
is a tie here, though deciding by scores, as models without a rule do, would tell them apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import RecipeError

REJECTED = -1
MOST_NAMED = 20
# Sums and squares of costs up to this stay well within the range of numbers.
DEAREST = 1e100

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Costs = Mapping[tuple[Any, Any], float]
# Costs by pairs of labels, or as the command line takes them.
GivenCosts = Costs | Sequence[str]


@dataclass(frozen=True, eq=False)
class Rule:
    """What a mistake costs, truth down and decision across; and when to reject: at a cost, or below a probability.

    With a `metric` the costs are nobody's: they say where a threshold lies that was chosen for it (thresholds.py).
    """

    costs: Floats
    reject: float | None = None
    least: float | None = None
    metric: str | None = None

    def __post_init__(self) -> None:
        check_rejection(self.reject, self.least)
        costs = self.costs
        if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or not len(costs):
            raise RecipeError(f"costs need a row and a column for every label; they have the shape {costs.shape}")
        if not ((costs >= 0) & (costs <= DEAREST)).all():
            raise RecipeError(f"costs must be numbers from 0 to {DEAREST:g}")

    @classmethod
    def of(
        cls, classes: Any, costs: GivenCosts | None = None, reject: float | None = None, least: float | None = None
    ) -> Rule:
        """The rule for these classes: every mistake costs 1 but those that `costs` names as (truth, decision)."""
        labels = np.asarray(classes).tolist()
        places = {label: place for place, label in enumerate(labels)}
        matrix = 1.0 - np.eye(len(labels))
        if costs is None:
            return cls(matrix, reject, least)
        for pair, cost in (costs if isinstance(costs, Mapping) else parsed(costs, labels)).items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise RecipeError(f"costs name a pair, (true label, predicted label); not {pair!r}")
            truth, decision = (_place(label, places) for label in pair)
            matrix[truth, decision] = _number(f"the cost of {pair[0]!r} taken for {pair[1]!r}", cost)
        return cls(matrix, reject, least)

    @classmethod
    def above(cls, threshold: float, metric: str) -> Rule:
        """Of two classes the second, where its probability is above the threshold that was chosen for this metric."""
        return cls(np.array([[0.0, threshold], [1.0 - threshold, 0.0]]), metric=metric)

    @property
    def threshold(self) -> float | None:
        """For two classes: the second is decided for where its probability is above this (before any rejection)."""
        if len(self.costs) != 2:
            return None
        (a, b), (c, d) = self.costs.tolist()
        false_alarm, miss = b - a, c - d
        if false_alarm < 0 or miss < 0:  # being right costs more than being wrong
            return None
        return false_alarm / (false_alarm + miss) if false_alarm + miss > 0 else None

    def expected(self, probabilities: Floats) -> Floats:
        """(rows, classes): what each decision costs on average."""
        return _weighted(probabilities, self.costs)

    def preferred(self, probabilities: Floats) -> Codes:
        """The number of the label that costs least, rejection left aside."""
        savings = _weighted(probabilities, self.costs.max(axis=1, keepdims=True) - self.costs)
        codes: Codes = savings.argmax(axis=1)
        return codes

    def rejects(self, probabilities: Floats, preferred: Codes) -> NDArray[np.bool_]:
        """The rows where no label is worth deciding for."""
        rows = np.arange(len(preferred))
        if self.reject is not None:
            dear: NDArray[np.bool_] = self.expected(probabilities)[rows, preferred] > self.reject
            return dear
        if self.least is not None:
            doubtful: NDArray[np.bool_] = probabilities[rows, preferred] < self.least
            return doubtful
        return np.zeros(len(preferred), dtype=bool)

    def decide(self, probabilities: Floats) -> Codes:
        """The number of each row's label, -1 for rows that are rejected."""
        preferred = self.preferred(probabilities)
        return np.where(self.rejects(probabilities, preferred), REJECTED, preferred)


def parsed(costs: Iterable[str], classes: Any) -> dict[tuple[Any, Any], float]:
    """What users type, TRUE,PREDICTED=COST, as costs of these classes; a label may itself have commas."""
    labels = {str(label): label for label in np.asarray(classes).tolist()}
    numbers = {float(label): name for name, label in labels.items() if isinstance(label, int | float)}
    found: dict[tuple[Any, Any], float] = {}
    for text in costs:
        pair, cost = split(text)
        cuts = [place for place, sign in enumerate(pair) if sign == ","]
        named = [(_spelt(pair[:cut], numbers), _spelt(pair[cut + 1 :], numbers)) for cut in cuts]
        known = (both for both in named if labels.keys() >= set(both))
        truth, decision = next(known, named[0])
        found[_place(truth, labels), _place(decision, labels)] = cost
    return found


def _spelt(text: str, numbers: Mapping[float, str]) -> str:
    """A label's name; of one that is a number also as files may spell it: +1 for 1."""
    text = text.strip()
    try:
        return numbers.get(float(text), text)
    except ValueError:
        return text


def split(text: str) -> tuple[str, float]:
    """The pair and the number of TRUE,PREDICTED=COST, as far as it can be told without knowing the labels."""
    pair, _, cost = text.rpartition("=")
    try:
        number = float(cost)
    except ValueError:
        number = math.nan
    if "," not in pair or not 0 <= number <= DEAREST:
        raise RecipeError(f"--cost takes TRUE,PREDICTED=COST, the cost 0 or more, such as spam,ham=10; not {text!r}")
    return pair, number


def check_given(costs: GivenCosts | None, reject: float | None, least: float | None) -> None:
    """Refuse what is wrong whatever the labels are, before they are known."""
    check_rejection(reject, least)
    if not isinstance(costs, Mapping):
        for text in costs or ():
            split(text)


def check_rejection(reject: float | None, least: float | None) -> None:
    """Refuse numbers that mean nothing, and two answers to one question."""
    if reject is not None and least is not None:
        raise RecipeError("reject at a cost, or below a least probability: give one of them")
    if reject is not None:
        _number("the cost of rejecting", reject)
    if least is not None and _number("the least probability to decide on", least) > 1:
        raise RecipeError(f"the least probability to decide on lies between 0 and 1; it is {least!r}")


def _weighted(probabilities: Floats, worth: Floats) -> Floats:
    """Σ_i p_i worth[i], added in the order of the classes, so that the bits are the same on every machine."""
    total = np.zeros((len(probabilities), worth.shape[1]))
    for share, row in zip(probabilities.T, worth, strict=True):
        total += share[:, np.newaxis] * row
    return total


def _place(label: Any, places: Mapping[Any, Any]) -> Any:
    if label not in places:
        raise RecipeError(f"a cost names the label {label!r}, which the model does not know: it has {_listed(places)}")
    return places[label]


def _listed(labels: Iterable[Any]) -> str:
    names = [repr(label) for label in labels]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _number(name: str, value: Any) -> float:
    sound = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not sound or not 0 <= float(value) <= DEAREST:
        raise RecipeError(f"{name} must be a number from 0 to {DEAREST:g}; it is {value!r}")
    return float(value)
