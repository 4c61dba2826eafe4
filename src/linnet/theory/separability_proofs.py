"""The three answers to whether two classes are linearly separable, each with its proof and a check of it.

With z_i = y_i (x_i, 1), exactly one of these holds (Gordan 1873):

    separable     some v = (w, b) has z_i . v > 0 for every i.  Its margin is gamma = min_i z_i . v / |v|, and a
                  perceptron makes at most (R / gamma)^2 mistakes, R = max_i |z_i| (Novikoff 1962)
    inseparable   some l >= 0, sum_i l_i = 1, has sum_i l_i z_i = 0.  At most d + 2 of them need to be above 0
                  (Caratheodory)

Margin and radius are those of the augmented space (x, 1), in which the intercept is a weight like the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from linnet.data.labels import Labels
from linnet.data.rows import Rows
from linnet.notebook import card
from linnet.theory.signed_points import OUTWARD, Flat, Indices, Points, norm, read

# A combination is 0 to this tolerance, relative to the longest point in it.
TOLERANCE = 1e-9
SHOWN = 6


@dataclass(frozen=True, eq=False)
class Answer:
    """An answer for two classes, the negative one first."""

    classes: tuple[Any, Any]
    method: str
    separable: ClassVar[bool | None]

    def check(self, X: Any, y: Any) -> bool:
        """Recompute the proof from the data; True where it holds."""
        return not self.why_not(X, y)

    def why_not(self, X: Any, y: Any) -> str:
        """Why the proof does not hold on these data; empty if it does."""
        return self.why_not_in(*read(X, y))

    def why_not_in(self, rows: Rows, labels: Labels, codes: Flat) -> str:
        """The same of rows that are read already."""
        known = labels.classes.tolist()
        negative, positive = self.classes
        rest = negative == REST and REST not in known
        if positive not in known or not (rest or (negative in known and len(known) == 2)):
            return f"the labels are {known}, not {negative!r} and {positive!r}"
        return self.why_not_of(sides(rows, labels, codes, positive))

    def why_not_of(self, points: Points) -> str:
        raise NotImplementedError

    def as_dict(self) -> dict[str, Any]:
        """The whole proof, for JSON."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        verdict, _, proof = str(self).partition(": ")
        return card(verdict, [("classes", f"{self.classes[1]} from {self.classes[0]}"), ("proof", proof)])


@dataclass(frozen=True, eq=False)
class Separable(Answer):
    """A plane w . x + b = 0, |(w, b)| = 1, with w . x + b > 0 for the positive class and < 0 for the negative one.

    `margin` is gamma and `radius` R, both in the augmented space; no plane has a margin above `most` there.
    """

    weights: Flat
    bias: float
    margin: float
    radius: float
    most: float = float("inf")
    separable: ClassVar[bool | None] = True

    @property
    def bound(self) -> float:
        """(R / gamma)^2: the most mistakes that a perceptron makes on these rows, in any order and number of passes."""
        return (self.radius / self.margin) ** 2

    def why_not_of(self, points: Points) -> str:
        if len(self.weights) != points.d:
            return f"the plane has {len(self.weights)} weights, but the rows have {points.d} columns"
        sure = points.sure_margins(self.weights, self.bias)
        worst = int(sure.argmin())
        if sure[worst] <= 0:
            return f"row {worst} is on the wrong side of the plane"
        length = norm(np.append(self.weights, self.bias))
        if not float(sure[worst]) / length >= self.margin * (1.0 - OUTWARD):
            return f"row {worst} has the margin {sure[worst] / length:.6g}, less than the stated {self.margin:.6g}"
        if not points.radius() <= self.radius * (1.0 + OUTWARD):
            return f"the longest point has length {points.radius():.6g}, more than the stated {self.radius:.6g}"
        return ""

    @property
    def one_class(self) -> bool:
        """Whether all rows have one label: then the weights are 0 and only the bias is not."""
        return not self.weights.any()

    def as_dict(self) -> dict[str, Any]:
        return {
            "separable": True,
            "classes": list(self.classes),
            "method": self.method,
            "space": "augmented (x, 1)",
            "margin": self.margin,
            "radius": self.radius if np.isfinite(self.radius) else None,
            "bound": self.bound if np.isfinite(self.bound) else None,
            "margin_at_most": self.most if np.isfinite(self.most) else None,
            "weights": self.weights.tolist(),
            "bias": self.bias,
        }

    def __str__(self) -> str:
        most = f" (at most {self.most:.6g} is possible)" if np.isfinite(self.most) else ""
        what = f"a plane separates {self.classes[1]} from {self.classes[0]}"
        if self.one_class:
            what = f"every row is {self.classes[1]}"
        return (
            f"separable: {what}, with margin γ = {self.margin:.6g}{most} and radius R = {self.radius:.6g} in the "
            f"space (x, 1); a perceptron makes at most (R/γ)² = {self.bound:.6g} mistakes"
        )


@dataclass(frozen=True, eq=False)
class Inseparable(Answer):
    """Rows (from 0) and multipliers l >= 0, sum 1, with sum_i l_i y_i (x_i, 1) = 0: no plane separates them.

    `whole` holds the multipliers as integers, to be divided by their sum: then the combination is exactly 0.  Where
    that was too expensive it is empty, and the combination has the length `residual`: no plane has a larger margin.
    `twins` is the number of rows that have an equal row of the other class.
    """

    rows: Indices
    multipliers: Flat
    labels: tuple[Any, ...]
    whole: tuple[int, ...] = ()
    residual: float = 0.0
    twins: int = 0
    separable: ClassVar[bool | None] = False

    @property
    def exact(self) -> bool:
        return bool(self.whole)

    def why_not_of(self, points: Points) -> str:
        rows = self.rows.tolist()
        if len(set(rows)) != len(rows) or not rows or min(rows) < 0 or max(rows) >= points.n:
            return f"the proof names a row twice, or one that is not among the {points.n}"
        labels = [self.classes[1] if points.signs[row] > 0 else self.classes[0] for row in rows]
        if labels != list(self.labels):
            at = next(k for k, label in enumerate(labels) if label != self.labels[k])
            return f"row {rows[at]} has the label {labels[at]!r}, not the stated {self.labels[at]!r}"
        if self.exact:
            return self._not_zero(points)
        if not (self.multipliers >= 0).all() or not abs(self.multipliers.sum() - 1.0) <= OUTWARD:
            return "the multipliers are not nonnegative with sum 1"
        length, longest = combined(points, self.rows, self.multipliers)
        if not length <= TOLERANCE * longest:
            return f"the combination has length {length:.3g}, which is not 0 to a tolerance of {TOLERANCE:g}"
        if not length <= self.residual * (1.0 + TOLERANCE):
            return f"the combination has length {length:.3g}, more than the stated {self.residual:.3g}"
        return ""

    def _not_zero(self, points: Points) -> str:
        if len(self.whole) != len(self.rows) or min(self.whole) < 0 or not any(self.whole):
            return "a multiplier is negative, or all of them are 0"
        total: dict[int, Fraction] = {-1: Fraction(0)}
        for row, many in zip(self.rows.tolist(), self.whole, strict=True):
            signed = many if points.signs[row] > 0 else -many
            total[-1] += signed
            columns, values = points.entries_of(row)
            for column, value in zip(columns.tolist(), values.tolist(), strict=True):
                total[column] = total.get(column, Fraction(0)) + signed * Fraction(value)
        off = [column for column, each in total.items() if each]
        if off:
            what = "the column of ones" if off[0] < 0 else f"column {off[0]}"
            return f"the combination is not 0 in {what}"
        return ""

    def as_dict(self) -> dict[str, Any]:
        return {
            "separable": False,
            "classes": list(self.classes),
            "method": self.method,
            "space": "augmented (x, 1)",
            "exact": self.exact,
            "residual": self.residual,
            "rows_with_an_equal_row_of_the_other_class": self.twins,
            "examples": [
                {"row": row, "label": label, "multiplier": float(multiplier)}
                | ({"whole_multiplier": str(self.whole[k])} if self.exact else {})
                for k, (row, label, multiplier) in enumerate(
                    zip(self.rows.tolist(), self.labels, self.multipliers.tolist(), strict=True)
                )
            ],
        }

    def __str__(self) -> str:
        proof = list(zip(self.rows.tolist(), self.labels, self.multipliers.tolist(), strict=True))
        shown = ", ".join(f"{multiplier:.4g} × row {row} ({label})" for row, label, multiplier in proof[:SHOWN])
        more = f" and {len(self.rows) - SHOWN} more" if len(self.rows) > SHOWN else ""
        if self.twins and len(self.rows) == 2:
            first, second = self.rows.tolist()
            return (
                f"not linearly separable: rows {first} ({self.labels[0]}) and {second} ({self.labels[1]}) are equal; "
                f"{self.twins:,} rows have an equal row of the other class"
            )
        zero = "exactly 0" if self.exact else f"0 to a tolerance of {TOLERANCE:g} (its length is {self.residual:.2g})"
        return f"not linearly separable: a signed combination of {len(self.rows)} examples is {zero}: {shown}{more}"


@dataclass(frozen=True, eq=False)
class Undecided(Answer):
    """Neither separability nor inseparability was proven; no plane has a margin above `most`."""

    reason: str
    most: float = field(default=float("inf"))
    separable: ClassVar[bool | None] = None

    def why_not_of(self, points: Points) -> str:  # noqa: ARG002
        return f"nothing is proven: {self.reason}"

    def as_dict(self) -> dict[str, Any]:
        most = self.most if np.isfinite(self.most) else None
        return {
            "separable": None, "classes": list(self.classes), "method": self.method, "space": "augmented (x, 1)",
            "reason": self.reason, "margin_at_most": most,
        }  # fmt: skip

    def __str__(self) -> str:
        most = f"; no plane has a margin above {self.most:.3g} in the space (x, 1)" if np.isfinite(self.most) else ""
        return f"undecided: {self.reason}{most}"


@dataclass(frozen=True, eq=False)
class Answers:
    """More than two classes: an answer for each against the rest.

    `separable` is True where every class is separable from the rest, False where one is not (`inseparable` lists them),
    and None where that is undecided.
    """

    classes: tuple[Any, ...]
    answers: tuple[Answer, ...]

    @property
    def separable(self) -> bool | None:
        found = [answer.separable for answer in self.answers]
        return False if False in found else None if None in found else True

    @property
    def inseparable(self) -> list[Any]:
        return [name for name, each in zip(self.classes, self.answers, strict=True) if each.separable is False]

    def __getitem__(self, label: Any) -> Answer:
        return self.answers[self.classes.index(label)]

    def check(self, X: Any, y: Any) -> bool:
        return not self.why_not(X, y)

    def why_not(self, X: Any, y: Any) -> str:
        return self.why_not_in(*read(X, y))

    def why_not_in(self, rows: Rows, labels: Labels, codes: Flat) -> str:
        """The same of rows that are read already."""
        if labels.classes.tolist() != list(self.classes):
            return f"the labels are {labels.classes.tolist()}, not {list(self.classes)}"
        for name, answer in zip(self.classes, self.answers, strict=True):
            why = answer.why_not_of(sides(rows, labels, codes, name))
            if why:
                return f"{name} against the rest: {why}"
        return ""

    def as_dict(self) -> dict[str, Any]:
        return {"separable": self.separable, "each_against_the_rest": [each.as_dict() for each in self.answers]}

    def __str__(self) -> str:
        return "\n".join(
            f"{name} against the rest: {each}" for name, each in zip(self.classes, self.answers, strict=True)
        )

    def _repr_html_(self) -> str:
        lines = [(f"{name} against the rest", str(each)) for name, each in zip(self.classes, self.answers, strict=True)]
        verdict = {True: "separable", False: "not linearly separable", None: "undecided"}[self.separable]
        return card(verdict, lines)


REST = "the rest"


def sides(rows: Rows, labels: Labels, codes: Flat, positive: Any) -> Points:
    """The points of one label against the other, or against the rest."""
    known = labels.classes.tolist()
    code = known.index(positive)
    negative = known[1 - code] if len(known) == 2 else REST
    return Points(rows, np.where(codes == code, 1.0, -1.0), (negative, positive))


def combined(points: Points, which: Indices, multipliers: Flat) -> tuple[float, float]:
    """The length of sum_i l_i z_i plus its rounding error, and the length of the longest point in it."""
    amounts = np.zeros(points.n)
    amounts[which] = multipliers
    w, b = points.combination(amounts)
    longest = float(np.sqrt(points.squared_lengths()[which].max() + 1.0))
    return norm(np.append(w, b)) + len(which) * 4e-16 * longest, longest
