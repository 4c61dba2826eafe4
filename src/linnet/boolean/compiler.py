"""compile: a Boolean function to a linear threshold unit; or a proof that there is none, and conjunctions that help."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from linnet.boolean.conjunction_lifting import Lifted, lift
from linnet.boolean.expressions import MOST_VARIABLES, checked_names, parse, too_many
from linnet.boolean.function import BooleanFunction
from linnet.boolean.recognition import decide
from linnet.boolean.threshold_units import Unit
from linnet.boolean.witnesses import Witness
from linnet.errors import RecipeError

DIGITS = re.compile(r"\s*[01]{2,}\s*")


@dataclass(frozen=True, eq=False)
class Compiled:
    """A Boolean function as a linear threshold unit.

    If it is not a linear threshold function, `unit` is None, `witness` proves it, and `lifted` has the conjunctions
    that make it linear.  `unit` has the smallest integer weights: the smallest Σ|w_j|, and of these the smallest
    threshold when each negative weight is read as a positive one of the negated variable.
    """

    function: BooleanFunction
    unit: Unit | None
    witness: Witness | None
    lifted: Lifted | None

    @property
    def linear(self) -> bool:
        """Whether it is a linear threshold function of its variables."""
        return self.unit is not None

    @property
    def variables(self) -> tuple[str, ...]:
        return self.function.variables

    @property
    def weights(self) -> dict[str, int]:
        """The weight of each variable, and of each conjunction if there are any."""
        unit = self._over_all
        names = self.variables if self.lifted is None else self.lifted.names(self.variables)
        return {} if unit is None else dict(zip(names, unit.weights, strict=True))

    @property
    def threshold(self) -> int | None:
        unit = self._over_all
        return None if unit is None else unit.threshold

    @property
    def formula(self) -> str:
        """The unit as an inequality over variables and conjunctions: x1 + x2 - 2 x1·x2 >= 1"""
        unit = self._over_all
        return "" if unit is None else unit.formula(list(self.weights))

    @property
    def _over_all(self) -> Unit | None:
        """The unit over variables and conjunctions."""
        return self.unit if self.lifted is None else self.lifted.unit

    def check(self) -> bool:
        """Recheck the unit or the witness at every point, in integers; True where all of it holds."""
        if self.unit is not None:
            return self.unit.holds(self.function.points, self.function.table)
        assert self.witness is not None
        lifted = self.lifted is None or self.lifted.holds(self.function)
        return lifted and self.witness.holds(self.function)

    def as_dict(self) -> dict[str, Any]:
        """The function, its unit, witness and conjunctions, for JSON."""
        result: dict[str, Any] = {
            "variables": list(self.variables),
            "table": "".join(map(str, self.function.table.astype(int).tolist())),
            "linear": self.linear,
            "formula": self.formula,
            "weights": self.weights,
            "threshold": self.threshold,
            "smallest_weights": self._over_all is not None and self._over_all.smallest,
        }
        if self.witness is not None:
            total = sum(self.witness.true_multipliers) + sum(self.witness.false_multipliers)
            result["witness"] = {
                side: [
                    {"point": list(point), "multiplier": m, "lambda": str(Fraction(m, total))}
                    for point, m in zip(points, multipliers, strict=True)
                ]
                for side, points, multipliers in (
                    ("true", self.witness.true, self.witness.true_multipliers),
                    ("false", self.witness.false, self.witness.false_multipliers),
                )
            }
            result["witness"]["meeting_point"] = [str(value) for value in self.witness.meeting_point]
            result["witness"]["smallest"] = self.witness.smallest
        if self.lifted is not None:
            result["conjunctions"] = [[self.variables[j] for j in each] for each in self.lifted.conjunctions]
            result["conjunctions_at_least"] = self.lifted.at_least
            result["smallest_conjunctions"] = self.lifted.smallest
        return result

    def __str__(self) -> str:
        if self.linear:
            return self.formula
        assert self.lifted is not None
        count = len(self.lifted.conjunctions)
        return f"not a linear threshold function; with {count} conjunction{'s' * (count > 1)}: {self.formula}"


def compile(  # noqa: A001
    function: str | Sequence[Any] | BooleanFunction, variables: Sequence[str] | None = None, *, seconds: float = 10.0
) -> Compiled:
    """Compile an expression (`x1 & ~x2`) or a truth table (`"0110"`, or values in binary order) to a threshold unit.

    If it is not a linear threshold function, conjunctions that make it one are searched for up to `seconds`.

    >>> from linnet import boolean
    >>> print(boolean.compile("x1 & x2 & ~x3"))
    x1 + x2 - x3 >= 2
    >>> print(boolean.compile("a ^ b"))
    not a linear threshold function; with 1 conjunction: a + b - 2 a·b >= 1
    """
    given = _function(function, variables)
    found = decide(given)
    if isinstance(found, Unit):
        return Compiled(given, found, None, None)
    return Compiled(given, None, found, lift(given, seconds))


def _function(given: Any, variables: Sequence[str] | None) -> BooleanFunction:
    if isinstance(given, BooleanFunction):
        return given if variables is None else BooleanFunction.of(given.table, checked_names(variables))
    if isinstance(given, str) and not DIGITS.fullmatch(given):
        return parse(given, variables)
    values = [int(digit) for digit in given.strip()] if isinstance(given, str) else given
    if not hasattr(values, "__len__"):
        raise RecipeError(f"expected an expression such as 'x1 & ~x2' or a truth table; not {given!r:.100}")
    if len(values) > 2**MOST_VARIABLES:
        raise RecipeError(too_many((len(values) - 1).bit_length()))
    return BooleanFunction.of(values, None if variables is None else checked_names(variables))
