"""Cost-sensitive decisions: the label of least expected cost, or none where rejecting the row costs less.

With cost[i][j] of predicting class j for a row of class i, and probabilities p, the label is

    argmin_j Σ_i p_i cost[i][j],

and the row is rejected, at the cost r, where even that sum exceeds r (Chow 1970, On optimum recognition error and
reject tradeoff).  Adding a number to a row of the costs adds the same to the sum of every label, so the label is
computed as argmax_j Σ_i p_i (max_k cost[i][k] - cost[i][j]): for costs of 0 and 1 the sum is p_j itself, nothing is
rounded, and the label is exactly the most probable one.

Ties go to the earlier label.  Two scores so close that their probabilities round to the same number are a tie here,
although a model without a rule, which decides by scores, would distinguish them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import RecipeError, option

REJECTED = -1
MOST_NAMED = 20
# Sums and squares of costs up to this do not overflow.
LARGEST_COST = 1e100

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Costs = Mapping[tuple[Any, Any], float]
# Costs by pairs of labels, or as the command line takes them.
GivenCosts = Costs | Sequence[str]


@dataclass(frozen=True, eq=False)
class Rule:
    """The cost of each error, a row a true class and a column a decision; and when to reject a row.

    Rows are rejected at the cost `reject`, or below the probability `least`.  With a `metric` the costs encode the
    threshold that was chosen for it (thresholds.py).
    """

    costs: Floats
    reject: float | None = None
    least: float | None = None
    metric: str | None = None

    def __post_init__(self) -> None:
        check_rejection(self.reject, self.least)
        costs = self.costs
        if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or not len(costs):
            raise RecipeError(f"costs need one row and one column for every label; they have the shape {costs.shape}")
        if not ((costs >= 0) & (costs <= LARGEST_COST)).all():
            raise RecipeError(f"costs must be numbers from 0 to {LARGEST_COST:g}")

    @classmethod
    def of(
        cls, classes: Any, costs: GivenCosts | None = None, reject: float | None = None, least: float | None = None
    ) -> Rule:
        """The rule for these classes: every error costs 1, except those that `costs` names as (truth, decision)."""
        labels = np.asarray(classes).tolist()
        codes = {label: code for code, label in enumerate(labels)}
        matrix = 1.0 - np.eye(len(labels))
        if costs is None:
            return cls(matrix, reject, least)
        for pair, cost in (costs if isinstance(costs, Mapping) else parsed(costs, labels)).items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise RecipeError(f"costs are given by (true label, predicted label); not by {pair!r}")
            truth, decision = (_known(label, codes) for label in pair)
            matrix[truth, decision] = _number(f"the cost of predicting {pair[1]!r} for {pair[0]!r}", cost)
        return cls(matrix, reject, least)

    @classmethod
    def above(cls, threshold: float, metric: str) -> Rule:
        """For two classes: the second, where its probability is above the threshold chosen for this metric."""
        return cls(np.array([[0.0, threshold], [1.0 - threshold, 0.0]]), metric=metric)

    @property
    def threshold(self) -> float | None:
        """For two classes: the second is predicted where its probability is above this, before any rejection."""
        if len(self.costs) != 2:
            return None
        (a, b), (c, d) = self.costs.tolist()
        false_alarm, miss = b - a, c - d
        if false_alarm < 0 or miss < 0:  # a correct decision costs more than an error
            return None
        return false_alarm / (false_alarm + miss) if false_alarm + miss > 0 else None

    def expected(self, probabilities: Floats) -> Floats:
        """(rows, classes): the expected cost of each decision."""
        return _weighted(probabilities, self.costs)

    def preferred(self, probabilities: Floats) -> Codes:
        """The class number of least expected cost, without rejection."""
        savings = _weighted(probabilities, self.costs.max(axis=1, keepdims=True) - self.costs)
        codes: Codes = savings.argmax(axis=1)
        return codes

    def rejects(self, probabilities: Floats, preferred: Codes) -> NDArray[np.bool_]:
        """The rows to reject."""
        rows = np.arange(len(preferred))
        if self.reject is not None:
            costly: NDArray[np.bool_] = self.expected(probabilities)[rows, preferred] > self.reject
            return costly
        if self.least is not None:
            improbable: NDArray[np.bool_] = probabilities[rows, preferred] < self.least
            return improbable
        return np.zeros(len(preferred), dtype=bool)

    def decide(self, probabilities: Floats) -> Codes:
        """The class number of each row, -1 for rejected rows."""
        preferred = self.preferred(probabilities)
        return np.where(self.rejects(probabilities, preferred), REJECTED, preferred)


def parsed(costs: Iterable[str], classes: Any) -> dict[tuple[Any, Any], float]:
    """Costs of these classes given as TRUE,PREDICTED=COST; a label may itself contain commas."""
    labels = {str(label): label for label in np.asarray(classes).tolist()}
    numbers = {float(label): name for name, label in labels.items() if isinstance(label, int | float)}
    found: dict[tuple[Any, Any], float] = {}
    for text in costs:
        pair, cost = split(text)
        cuts = [at for at, sign in enumerate(pair) if sign == ","]
        named = [(_spelt(pair[:cut], numbers), _spelt(pair[cut + 1 :], numbers)) for cut in cuts]
        known = (both for both in named if labels.keys() >= set(both))
        truth, decision = next(known, named[0])
        found[_known(truth, labels), _known(decision, labels)] = cost
    return found


def _spelt(text: str, numbers: Mapping[float, str]) -> str:
    """The name of a label; a number may be spelt differently, +1 for 1."""
    text = text.strip()
    try:
        return numbers.get(float(text), text)
    except ValueError:
        return text


def split(text: str) -> tuple[str, float]:
    """The pair and the number of TRUE,PREDICTED=COST, checked as far as possible without the labels."""
    pair, _, cost = text.rpartition("=")
    try:
        number = float(cost)
    except ValueError:
        number = math.nan
    if "," not in pair or not 0 <= number <= LARGEST_COST:
        raise RecipeError(f"{option('costs')} takes TRUE,PREDICTED=COST, COST >= 0, such as spam,ham=10; not {text!r}")
    return pair, number


def check_given(costs: GivenCosts | None, reject: float | None, least: float | None) -> None:
    """Refuse costs and rejections that are wrong whatever the labels are."""
    check_rejection(reject, least)
    if not isinstance(costs, Mapping):
        for text in costs or ():
            split(text)


def check_rejection(reject: float | None, least: float | None) -> None:
    """Refuse numbers out of range, and both kinds of rejection at once."""
    if reject is not None and least is not None:
        raise RecipeError("rows are rejected at a cost or below a probability, not both: leave one of them out")
    if reject is not None:
        _number("the cost of rejecting", reject)
    if least is not None and _number("the probability below which rows are rejected", least) > 1:
        raise RecipeError(f"the probability below which rows are rejected must be between 0 and 1; it is {least!r}")


def _weighted(probabilities: Floats, worth: Floats) -> Floats:
    """Σ_i p_i worth[i], added in the order of the classes: the same bits on every machine."""
    total = np.zeros((len(probabilities), worth.shape[1]))
    for p, row in zip(probabilities.T, worth, strict=True):
        total += p[:, np.newaxis] * row
    return total


def _known(label: Any, known: Mapping[Any, Any]) -> Any:
    if label not in known:
        raise RecipeError(f"a cost names the label {label!r}, but the model has the labels {_listed(known)}")
    return known[label]


def _listed(labels: Iterable[Any]) -> str:
    names = [repr(label) for label in labels]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _number(name: str, value: Any) -> float:
    sound = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not sound or not 0 <= float(value) <= LARGEST_COST:
        raise RecipeError(f"{name} must be a number from 0 to {LARGEST_COST:g}; it is {value!r}")
    return float(value)
