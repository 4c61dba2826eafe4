"""read_rule: a fitted unit, w·x + b > 0 over features that are 0 or 1, as a rule in words.

A feature of negative weight is read as its negation: Σ u_j z_j > θ with all u_j > 0, in falling order.  With P_k the
sum of the k largest and "the others" all but the n largest,

    the unit is "at least m of the n largest"  <=>  the m smallest of these exceed θ:           P_n - P_(n-m) > θ
                                                    and the m-1 largest with all others do not: P_(m-1) + P_d - P_n <= θ

(if a feature is relevant, so is every feature of larger weight: the n must be the largest).  So sorted weights and
their sums decide it for any number of features, without a truth table.  m = n is a conjunction, m = 1 a disjunction.
All sums are exact, in integers: the floating-point weights times a power of two.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import accumulate
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.boolean.expressions import MOST_VARIABLES
from linnet.boolean.function import BooleanFunction, Table, cube
from linnet.boolean.recognition import decide
from linnet.boolean.threshold_units import Unit
from linnet.errors import InputError

READABLE_WEIGHT = 99
READABLE_LITERALS = 40


class RuleKind(StrEnum):
    """The kinds of rules."""

    ALWAYS = "always"
    NEVER = "never"
    CONJUNCTION = "conjunction"
    DISJUNCTION = "disjunction"
    AT_LEAST = "at least"
    WEIGHTED = "weighted"
    NONE = "none"


@dataclass(frozen=True)
class Literal:
    """A feature, or its negation."""

    column: int
    name: str
    negated: bool

    def __str__(self) -> str:
        return f"not {self.name}" if self.negated else self.name


@dataclass(frozen=True)
class Rule:
    """Σ weights · literals >= threshold, which equals the unit wherever every feature is 0 or 1.

    With the kind NONE there is no rule, and `reason` is why.
    """

    kind: RuleKind
    literals: tuple[Literal, ...] = ()
    weights: tuple[int, ...] = ()
    threshold: int = 0
    label: Any = None
    reason: str = ""

    def values(self, X: Any) -> Table:
        """The values of the rule at rows of 0 and 1."""
        if self.kind is RuleKind.NONE:
            raise InputError(f"there is no rule: {self.reason}")
        rows = np.asarray(X)
        sums = np.zeros(len(rows), dtype=np.int64)
        for literal, weight in zip(self.literals, self.weights, strict=True):
            column = rows[:, literal.column] != 0
            sums += weight * (~column if literal.negated else column)
        return sums >= self.threshold

    def __str__(self) -> str:
        names = [str(literal) for literal in self.literals]
        match self.kind:
            case RuleKind.ALWAYS | RuleKind.NEVER:
                return str(self.kind)
            case RuleKind.CONJUNCTION:
                return " and ".join(names)
            case RuleKind.DISJUNCTION:
                return " or ".join(names)
            case RuleKind.AT_LEAST if all(literal.negated for literal in self.literals):
                without_not = ", ".join(literal.name for literal in self.literals)
                return f"at most {len(names) - self.threshold} of {without_not}"
            case RuleKind.AT_LEAST:
                return f"at least {self.threshold} of {', '.join(names)}"
            case RuleKind.WEIGHTED:
                terms = [
                    f"{'' if weight == 1 else f'{weight} '}{f'({name})' if ' ' in name else name}"
                    for weight, name in zip(self.weights, names, strict=True)
                ]
                return f"{' + '.join(terms)} >= {self.threshold}"
        return f"no rule: {self.reason}"


def read_rule(model: Any, names: Sequence[str] | None = None) -> Rule:
    """The rule of a linear model for two classes whose features are 0 or 1: when it predicts the second label, `label`.

    `model` is a classifier with `coef_` and `intercept_` (of linnet or of scikit-learn), a `LinearModel`, a model of
    `linnet.train` or `linnet.load`, or the path of a model file; for the last two the rule is for rows without missing
    numbers.  `names` are the names of the features.

    >>> from linnet import Perceptron, boolean
    >>> table = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    >>> unit = Perceptron().fit(table, [a + b + (not c) >= 2 for a, b, c in table])
    >>> print(boolean.read_rule(unit, names=["rain", "wind", "sun"]))
    at least 2 of rain, wind, not sun
    """
    unit = _unit(model)
    if names is not None and len(names) != len(unit.weights):
        raise InputError(f"the model has {len(unit.weights)} features, but {len(names)} names are given")
    if names is not None:
        unit = _Unit(unit.weights, unit.bias, tuple(names), unit.label, unit.obstacle)
    if unit.obstacle:
        return Rule(RuleKind.NONE, label=unit.label, reason=unit.obstacle)
    return _read(unit)


def rule_of(unit: Unit, names: Sequence[str]) -> Rule:
    """The rule of a unit with integer weights."""
    weights = np.array(unit.weights, dtype=np.float64)
    return _read(_Unit(weights, 0.5 - unit.threshold, tuple(names), True))


@dataclass(frozen=True, eq=False)
class _Unit:
    """w·x + b > 0 for a label; `obstacle` is why the model is not such a unit, if it is not."""

    weights: Any
    bias: float
    names: tuple[str, ...]
    label: Any
    obstacle: str = ""


def _unit(model: Any) -> _Unit:
    """The unit of any supported model."""
    if isinstance(model, str | os.PathLike):
        from linnet.model.file import load

        model = load(model)
    if hasattr(model, "linear") and hasattr(model, "features"):  # a model of linnet.train or linnet.load
        unit = _unit(model.linear)
        weights = np.where(_of_missing(model), 0.0, unit.weights)
        return _Unit(weights, unit.bias, tuple(model.features.names()), unit.label, _obstacle(model) or unit.obstacle)
    if hasattr(model, "coef_"):
        weights, biases, classes = model.coef_, model.intercept_, getattr(model, "classes_", None)
        weights = np.atleast_2d(weights.toarray() if hasattr(weights, "toarray") else np.asarray(weights))
        votes = getattr(getattr(model, "model_", None), "votes", ())
    elif hasattr(model, "weights") and hasattr(model, "intercepts"):
        weights, biases, classes, votes = model.weights.T, model.intercepts, model.classes, model.votes
    else:
        raise InputError(
            f"{type(model).__name__} is not a fitted linear model: fit it, or pass one with coef_ and intercept_"
        )
    if classes is None:
        raise InputError("the model predicts a number: pass a classifier for two labels")
    if len(weights) != 1 or len(classes) != 2:
        raise InputError(f"a rule is for two labels, and the model has {len(classes)}: fit it to two")
    names = tuple(map(str, getattr(model, "feature_names_in_", range(0))))
    return _Unit(
        weights[0].astype(np.float64),
        float(np.asarray(biases, dtype=np.float64).reshape(-1)[0]),
        names or tuple(f"x{j}" for j in range(weights.shape[1])),
        np.asarray(classes).tolist()[1],
        "it is a voted perceptron, which is not linear: fit an averaged one instead" if votes else "",
    )


def _of_missing(model: Any) -> NDArray[np.bool_]:
    """The features that indicate a missing number; they are 0 where every number is 0 or 1."""
    from linnet.data.features.terms import NumberTerm

    terms = [(term, number) for term in model.features.terms for number in range(len(term))]
    return np.array([isinstance(term, NumberTerm) and number == 1 for term, number in terms], dtype=np.bool_)


def _obstacle(model: Any) -> str:
    """Why a trained model has no rule over features that are 0 or 1; empty if it may have one."""
    from linnet.data.features.text import TextTerm

    if any(isinstance(term, TextTerm) for term in model.features.terms):
        return "it has text columns, whose features are not 0 or 1"
    if model.rule is not None:
        return "it decides by costs, not by the sign of its score"
    if model.calibration is not None:
        return "it decides by calibrated probabilities, not by the sign of its score"
    return ""


def _read(unit: _Unit) -> Rule:
    if not np.isfinite(unit.weights).all() or not np.isfinite(unit.bias):
        return Rule(RuleKind.NONE, label=unit.label, reason="its weights are not all finite")
    weighed = np.flatnonzero(unit.weights).tolist()
    exact = [Fraction(float(unit.weights[j])) for j in weighed]
    scale = lcm(Fraction(unit.bias).denominator, *(w.denominator for w in exact))
    whole = [int(w * scale) for w in exact]
    theta = -int(Fraction(unit.bias) * scale) - sum(w for w in whole if w < 0)
    order = sorted(range(len(whole)), key=lambda k: -abs(whole[k]))
    u = [abs(whole[k]) for k in order]
    literals = tuple(Literal(weighed[k], unit.names[weighed[k]], whole[k] < 0) for k in order)
    sums = [0, *accumulate(u)]
    if theta < 0:
        return Rule(RuleKind.ALWAYS, threshold=0, label=unit.label)
    if sums[-1] <= theta:
        return Rule(RuleKind.NEVER, threshold=1, label=unit.label)
    counted = _at_least(sums, theta)
    if counted is not None:
        m, n = counted
        kind = RuleKind.CONJUNCTION if m == n else RuleKind.DISJUNCTION if m == 1 else RuleKind.AT_LEAST
        return Rule(kind, _by_column(literals[:n]), (1,) * n, m, unit.label)
    return _weighted(u, theta, sums, literals, unit.label)


def _by_column(literals: tuple[Literal, ...]) -> tuple[Literal, ...]:
    return tuple(sorted(literals, key=lambda literal: literal.column))


def _at_least(sums: list[int], theta: int) -> tuple[int, int] | None:
    """m and n, if the unit is "at least m of the n largest"."""
    d = len(sums) - 1
    for n in range(1, d + 1):
        # the smallest m with P_n - P_(n-m) > theta, that is P_(n-m) < P_n - theta
        below = bisect_right(sums, sums[n] - theta - 1, 0, n + 1)  # the number of P_0, ..., P_n below
        if below == 0:
            continue
        m = n - (below - 1)
        if m >= 1 and sums[m - 1] + sums[d] - sums[n] <= theta:
            return m, n
    return None


def _weighted(u: list[int], theta: int, sums: list[int], literals: tuple[Literal, ...], label: Any) -> Rule:
    """The smallest weights, if the relevant features fit into a truth table; else its own, if they are readable."""
    n = _relevant(u, theta, sums)
    if n is not None:
        table = cube(n) @ np.array(u[:n], dtype=object) > theta
        found = decide(BooleanFunction(tuple(f"z{k}" for k in range(n)), np.asarray(table, dtype=np.bool_)))
        assert isinstance(found, Unit)
        order = sorted(range(n), key=lambda k: (-found.weights[k], literals[k].column))
        weights = tuple(found.weights[k] for k in order)
        return Rule(RuleKind.WEIGHTED, tuple(literals[k] for k in order), weights, found.threshold, label)
    step = gcd(*u)
    if u[0] // step <= READABLE_WEIGHT and len(u) <= READABLE_LITERALS:
        weights = tuple(each // step for each in u)
        return Rule(RuleKind.WEIGHTED, literals, weights, theta // step + 1, label)
    reason = (
        f"more than {MOST_VARIABLES} of its {len(u):,} features are relevant, it is not an 'at least m of n' rule, "
        "and its weights are not small integers"
    )
    return Rule(RuleKind.NONE, label=label, reason=reason)


def _relevant(u: list[int], theta: int, sums: list[int]) -> int | None:
    """The number of relevant features, the largest ones; None if they are too many for a truth table.

    Partial sums that the other features cannot move across theta are decided and dropped.
    """
    open_sums = {0}
    for n in range(min(len(u), MOST_VARIABLES) + 1):
        rest = sums[-1] - sums[n]
        open_sums = {value for value in open_sums if value <= theta < value + rest}
        if not open_sums:
            return n
        if n < len(u):
            open_sums |= {value + u[n] for value in open_sums}
    return None
