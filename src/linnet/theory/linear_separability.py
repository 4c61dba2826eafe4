"""Linear separability of classes, with a proof either way.

Four methods, from the cheapest to the most thorough:

    equal rows            two equal rows of different classes: their multipliers are 1/2 and 1/2
    hard margin           dual coordinate descent, which brackets the largest margin (hard_margin.py)
    interior point        multipliers of many points at once, for more than 500 columns (interior_point.py)
    linear programme      over few of the points, where descent has found no plane (linear_programme.py)

A plane is a proof once every point is certain to lie on its side (signed_points.py).  The multipliers of descent and of
linear programmes are approximate; their rows are the proof once the multipliers are recomputed in integers
(exact_solver.py).  Where that is too expensive, the combination must be 0 to a tolerance, and the answer reports it;
never where integers have shown that the combination is not 0.  Everything else is undecided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any

import numpy as np

from linnet.cores import one_thread
from linnet.data.labels import Labels
from linnet.data.rows import Rows
from linnet.errors import NumericalError, RecipeError
from linnet.theory.active_set import COLUMNS_AT_MOST, nearest
from linnet.theory.exact_solver import (
    ELIMINATION_SECONDS,
    SIMPLEX_AT_MOST,
    exact_simplex,
    independent,
    vanishing,
    whole_points,
)
from linnet.theory.hard_margin import Bracket, HardMargin, bracketed
from linnet.theory.interior_point import interior_multipliers
from linnet.theory.linear_programme import guessed
from linnet.theory.separability_proofs import (
    TOLERANCE,
    Answer,
    Answers,
    Inseparable,
    Separable,
    Undecided,
    combined,
    sides,
)
from linnet.theory.signed_points import OUTWARD, Flat, Indices, Points, norm, read

Watch = Callable[[str], None]

# Passes of descent: before a linear programme is tried, between measurements, and after a plane is found to improve it.
PASSES, BETWEEN, FURTHER = 20, 5, 60
# Problems with at most this many columns or stored values go to linear programmes after PASSES.  Larger ones would be
# slow, so descent continues until half of the time is used, or until the margin can only be negligible.
FEW_COLUMNS, FEW_VALUES = 500, 1 << 20
NEGLIGIBLE = 1e-6
# The relative gap at which a margin is good enough.
NEAR = 0.05
SECONDS = 60.0
SIMPLEX = "the simplex method in fractions"
TOO_FINE = "a plane separates the classes, but floating-point weights are not precise enough for it: centre the columns"
OUT_OF_TIME = "the time limit was reached before a plane or a proof that there is none was found: raise it"
TOO_SMALL = "the margin, if there is one, is too small for floating point, and the problem too large for exact numbers"


def separability(X: Any, y: Any, *, max_seconds: float = SECONDS, watch: Watch = lambda _: None) -> Answer | Answers:
    """Whether a plane w . x + b = 0 has the classes strictly on its two sides, with a proof.

    X is an array, a SciPy sparse matrix or a data frame of numbers, y its labels.  The answer has `.separable` and
    `.check(X, y)`: a `Separable` holds the plane, its margin, radius and mistake bound in the space (x, 1); an
    `Inseparable` holds the examples and multipliers that prove that there is none; an `Undecided` holds the reason
    (`.separable` is None).  With more than two classes each is tested against the rest, and `Answers` holds one answer
    a class.

    `max_seconds` is the time limit for each class; exact arithmetic at the end may take a little longer.  What is
    proven by then is returned.

    >>> from linnet.theory import separability
    >>> print(separability([[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "other", "other"]))
    not linearly separable: a signed combination of 4 examples is exactly 0: 0.25 × row 0 (same), ...
    """
    if not max_seconds > 0:
        raise RecipeError(f"max_seconds must be above 0; it is {max_seconds!r}")
    return separability_of_rows(*read(X, y), max_seconds, watch)


@one_thread()
def separability_of_rows(
    rows: Rows, labels: Labels, codes: Flat, max_seconds: float = SECONDS, watch: Watch = lambda _: None
) -> Answer | Answers:
    """The same of finite rows without stored zeros, with the number of each row's label."""
    classes = labels.classes.tolist()
    if len(classes) <= 2:
        return decide(sides(rows, labels, codes, classes[-1]), max_seconds, watch)
    found = []
    for label in classes:
        one_against_the_rest = sides(rows, labels, codes, label)
        found.append(decide(one_against_the_rest, max_seconds, partial(_watch_class, watch, label)))
    return Answers(tuple(classes), tuple(found))


def _watch_class(watch: Watch, label: Any, step: str) -> None:
    watch(f"{label}: {step}")


def decide(
    points: Points,
    max_seconds: float = SECONDS,
    watch: Watch = lambda _: None,
    *,
    elimination_seconds: float = ELIMINATION_SECONDS,
) -> Answer:
    """The answer for one class against another."""
    return _Search(points, max_seconds, watch, elimination_seconds).answer()


class _Search:
    """The methods in order, until one of them gives a proof or the time is over."""

    def __init__(self, points: Points, max_seconds: float, watch: Watch, elimination_seconds: float) -> None:
        self.points, self.watch, self.elimination_seconds = points, watch, elimination_seconds
        self.ends = monotonic() + max_seconds

    def seconds_left(self) -> float:
        return self.ends - monotonic()

    def answer(self) -> Answer:
        points = self.points
        if abs(points.signs.sum()) == points.n:
            return _plane(points, np.zeros(points.d), float(points.signs[0]), "there is only one class")
        self.watch("comparing equal rows of different classes")
        pair, twins = points.twins()
        if twins:
            return _inseparable(points, pair, (1, 1), "equal rows of different classes", twins)
        bracket = self.descend()
        if bracket is not None and bracket.margin > 0:
            return _plane(points, bracket.w, bracket.b, "dual coordinate descent on the hard margin", bracket.most)
        likely = None if bracket is None else bracket.multipliers
        found: Answer | None = None
        if points.d > FEW_COLUMNS and likely is not None:
            self.watch("interior point method")
            found = self.by_interior_point(likely)
        found = found or self.by_linear_programme(likely)
        if found is None and likely is not None:
            found = self.by_rows(np.flatnonzero(likely), likely[likely > 0], "dual coordinate descent")
        most = float("inf") if bracket is None else bracket.most
        reason = OUT_OF_TIME if self.seconds_left() <= 0 else TOO_SMALL
        return found or Undecided(points.classes, "all methods", reason, most)

    def descend(self) -> Bracket | None:
        """The bracket of the largest margin; None where the numbers are too large for it."""
        points = self.points
        try:
            descent = HardMargin(points, free=False)
            found, further, half_time = None, 0, 0.5 * self.seconds_left()
            small = points.d <= FEW_COLUMNS or len(points.rows.values) <= FEW_VALUES
            negligible = NEGLIGIBLE * points.radius()
            while self.seconds_left() > 0:
                descent.passes(BETWEEN)
                found = descent.measured()
                self.watch(f"margin between {found.margin:.3g} and {found.most:.3g}")
                if found.margin > 0:
                    further += BETWEEN
                    if found.gap <= NEAR or further > FURTHER:
                        break
                elif descent.sweeps >= PASSES and (
                    small or found.most <= negligible or self.seconds_left() < half_time
                ):
                    break
        except NumericalError:
            return None
        return found

    def by_interior_point(self, likely: Flat) -> Answer | None:
        """By multipliers of many points at once; None where none are found."""
        found = interior_multipliers(self.points, likely, self.seconds_left)
        if found is None:
            return None
        # few points may be linearly independent, however short a combination of them is
        proof = self.by_rows if len(found[0]) <= self.points.d + 2 else self.by_tolerance
        return proof(*found, "an interior point method")

    def by_linear_programme(self, likely: Flat | None) -> Answer | None:
        """By linear programmes, starting with the points of the largest multipliers; None where they prove nothing."""
        points = self.points
        self.watch("linear programmes")
        first = np.arange(points.n) if likely is None else np.argsort(-likely, kind="stable")
        guess = guessed(points, first, self.seconds_left)
        if guess is not None and guess.plane is not None:
            found = _plane(points, *guess.plane, "a linear programme")
            if isinstance(found, Separable):
                return self.widened(found, likely)
        answer: Answer | None = None
        if guess is not None and len(guess.which):
            self.watch(f"exact multipliers of {len(guess.which)} examples")
            answer = self.by_rows(guess.which, guess.multipliers, "a linear programme")
        exact = isinstance(answer, Inseparable) and answer.exact
        if not exact and self.seconds_left() > 0 and points.n * points.d <= SIMPLEX_AT_MOST:
            answer = _by_simplex(points)
        return answer

    def widened(self, found: Separable, likely: Flat | None) -> Separable:
        """A plane of larger margin where the columns are few: a linear programme does not maximise the margin."""
        if self.points.d > COLUMNS_AT_MOST or likely is None:
            return found
        exact = nearest(self.points, likely, free=False, tol=NEAR)
        if exact is None:
            return found
        better = bracketed(self.points, *exact, free=False)
        if better.margin <= found.margin:
            return replace(found, most=max(better.most, found.margin))
        return replace(found, weights=better.w, bias=better.b, margin=better.margin, most=better.most)

    def by_rows(self, which: Indices, multipliers: Flat, method: str) -> Inseparable | None:
        """These rows as a proof: with integer multipliers or, where those are too expensive, to a tolerance."""
        points = self.points
        if not 0 < len(which) <= points.d + 2:
            return None
        table = whole_points(points, which, self.elimination_seconds)
        whole = None if table is None else vanishing(table)
        if whole == [] or (whole is None and independent(points, which)):
            return None  # however short the combination may be, it is not 0
        if whole is None:
            return self.by_tolerance(which, multipliers, method)
        there = np.array([many > 0 for many in whole])
        answer = _inseparable(points, which[there], tuple(filter(None, whole)), f"{method}, then exact arithmetic")
        return None if answer.why_not_of(points) else answer

    def by_tolerance(self, which: Indices, multipliers: Flat, method: str) -> Inseparable | None:
        points, total = self.points, float(multipliers.sum())
        if not total > 0:
            return None
        normalised = multipliers / total
        length, longest = combined(points, which, normalised)
        if not length <= TOLERANCE * longest:
            return None
        return Inseparable(points.classes, method, which, normalised, _labels(points, which), residual=length)


def _by_simplex(points: Points) -> Answer:
    whole, plane = exact_simplex(points)
    if whole:
        which = np.flatnonzero([many > 0 for many in whole])
        return _inseparable(points, which, tuple(filter(None, whole)), SIMPLEX)
    largest = max(map(abs, plane))
    v = np.array([float(each / largest) for each in plane])
    w = v[:-1] / (norm(v) or 1.0)
    for b in (float(v[-1]) / (norm(v) or 1.0), _midway(points, w)):  # rounded weights may need another intercept
        answer = _plane(points, w, b, SIMPLEX)
        if answer.separable:
            return answer
    return Undecided(points.classes, SIMPLEX, TOO_FINE)


def _midway(points: Points, w: Flat) -> float:
    """The intercept at which both classes are equally far from the plane, rounded once."""
    reached = [points.exact_margin(row, w, 0.0) for row in range(points.n)]
    nearest = [min(each for each, sign in zip(reached, points.signs, strict=True) if sign == side) for side in (1, -1)]
    return float((nearest[1] - nearest[0]) / 2)


def _plane(points: Points, w: Flat, b: float, method: str, most: float = float("inf")) -> Answer:
    """The plane, if it is certain to separate the points."""
    length = norm(np.append(w, b))
    if length > 0:
        w, b = w / length, b / length
        margin = float(points.sure_margins(w, b).min()) * (1.0 - OUTWARD)
        if margin > 0:
            return Separable(points.classes, method, w, b, margin, points.radius(), max(most, margin))
    return Undecided(points.classes, method, "a plane was found, but rounding hides whether it separates the classes")


def _inseparable(points: Points, which: Indices, whole: tuple[int, ...], method: str, twins: int = 0) -> Inseparable:
    total = sum(whole)
    multipliers = np.array([many / total for many in whole])
    return Inseparable(points.classes, method, which, multipliers, _labels(points, which), whole, twins=twins)


def _labels(points: Points, which: Indices) -> tuple[Any, ...]:
    return tuple(points.classes[1] if sign > 0 else points.classes[0] for sign in points.signs[which])
