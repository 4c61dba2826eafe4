"""Can a plane separate the classes?  A proof either way.

Four ways, from the cheapest to the most thorough:

    twins       two equal rows of different classes (their multipliers are 1/2 and 1/2)
    margin      dual coordinate descent on the hard margin (hard_margin.py), which brackets the best margin
    within      multipliers of many points at once (interior.py), where there are hundreds of columns or more
    programme   linear programmes over few of the points (programme.py), where descent has found no plane

A plane is a proof as soon as every point is on its side for sure (points.py), whatever the data.  Multipliers that
descent or HiGHS find are a guess; their rows are the proof, once the multipliers are worked out in whole numbers
(rational.py).  Where that is too much work, the combination must be 0 to a tolerance, and the answer says so; never
where whole numbers have shown that the combination is not 0.  What is neither is called undecided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any

import numpy as np

from linnet.errors import NumericalError, RecipeError
from linnet.theory.active_set import COLUMNS_AT_MOST, nearest
from linnet.theory.exact_solver import SIMPLEX_AT_MOST, decided, independent, vanishing, whole_points
from linnet.theory.hard_margin import Bracket, HardMargin, bracketed
from linnet.theory.interior_point import within
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

# Passes of descent before a programme is tried (if the problem is small enough for it), between measurements, and
# beyond those that found a plane, for a better one.
PASSES, BETWEEN, FURTHER = 20, 5, 60
# Problems of so many columns or stored numbers are handed to linear programmes after PASSES; for larger ones those are
# slow, so descent goes on until half of the time is over, or what it leaves of the margin is next to nothing.
FEW_COLUMNS, FEW_NUMBERS = 500, 1 << 20
NEXT_TO_NOTHING = 1e-6
# The margin is near enough to the best.
NEAR = 0.05
SECONDS = 60.0
TOO_FINE = (
    "a plane separates the classes, but floating-point weights have too few digits for it: move the columns nearer to 0"
)


def separability(X: Any, y: Any, *, max_seconds: float = SECONDS, watch: Watch = lambda _: None) -> Answer | Answers:
    """Whether a plane w . x + b = 0 has the classes strictly on its two sides, with a proof.

    X is an array, a SciPy matrix or a frame of numbers, y its labels.  The answer has `.separable` and `.check(X, y)`:
    a `Separable` has the plane, its margin, radius and mistake bound in the space (x, 1); an `Inseparable` the examples
    and multipliers that prove that there is none; an `Undecided` says why (`.separable` is None).  More than two
    classes are taken each against the rest, and an `Answers` has an answer for each.

    After `max_seconds` (for each pair of sides; the work on large numbers at the end may take some more) the answer is
    what is proven until then.

    >>> from linnet.theory import separability
    >>> print(separability([[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "other", "other"]))
    not separable: of 4 examples the signed combination is 0 exactly: 0.25 × row 0 (same), ...
    """
    if not max_seconds > 0:
        raise RecipeError(f"max_seconds must be above 0; it is {max_seconds!r}")
    rows, labels, codes = read(X, y)
    classes = labels.classes.tolist()
    if len(classes) <= 2:
        return answered(sides(rows, labels, codes, classes[-1]), max_seconds, watch)
    found = []
    for label in classes:
        one_against_the_rest = sides(rows, labels, codes, label)
        found.append(answered(one_against_the_rest, max_seconds, partial(_said_of, watch, label)))
    return Answers(tuple(classes), tuple(found))


def _said_of(watch: Watch, label: Any, said: str) -> None:
    watch(f"{label}: {said}")


def answered(points: Points, max_seconds: float = SECONDS, watch: Watch = lambda _: None) -> Answer:
    """The answer for one class against another."""
    ends = monotonic() + max_seconds

    def seconds_left() -> float:
        return ends - monotonic()

    if abs(points.signs.sum()) == points.n:
        return _plane(points, np.zeros(points.d), float(points.signs[0]), "there is one class only")
    watch("looking for equal rows of different classes")
    pair, twins = points.twins()
    if twins:
        return _inseparable(points, pair, (1, 1), "equal rows of different classes", twins)
    bracket, shares = _descended(points, seconds_left, watch)
    if bracket is not None and bracket.margin > 0:
        return _plane(points, bracket.w, bracket.b, "dual coordinate descent on the hard margin", bracket.most)
    most = float("inf") if bracket is None else bracket.most
    answer: Answer | None = None
    if points.d > FEW_COLUMNS and shares is not None:
        watch("multipliers from within")
        answer = _from_within(points, shares, seconds_left)
    answer = answer or _programmed(points, shares, seconds_left, watch)
    if answer is not None:
        return answer
    if shares is not None:
        answer = _by_rows(points, np.flatnonzero(shares), shares[shares > 0], "dual coordinate descent")
    return answer or Undecided(points.classes, "all ways", _why(seconds_left()), most)


def _why(left: float) -> str:
    if left <= 0:
        return "time ended before a plane or a proof that there is none was found: allow more"
    return "the margin, if there is one, is too small for floating point, and the problem too large for exact numbers"


def _descended(points: Points, seconds_left: Callable[[], float], watch: Watch) -> tuple[Bracket | None, Flat | None]:
    """The bracket of the margin; None where the numbers are too large for it."""
    try:
        climbed = HardMargin(points, free=False)
        found, further, in_time = None, 0, 0.5 * seconds_left()
        small = points.d <= FEW_COLUMNS or len(points.rows.values) <= FEW_NUMBERS
        nothing = NEXT_TO_NOTHING * points.radius()
        while seconds_left() > 0:
            climbed.passes(BETWEEN)
            found = climbed.measured()
            watch(f"margin from {found.margin:.3g} to {found.most:.3g}")
            if found.margin > 0:
                further += BETWEEN
                if found.gap <= NEAR or further > FURTHER:
                    break
            elif climbed.sweeps >= PASSES and (small or found.most <= nothing or seconds_left() < in_time):
                break
    except NumericalError:
        return None, None
    return found, None if found is None else found.multipliers


def _from_within(points: Points, shares: Flat, seconds_left: Callable[[], float]) -> Answer | None:
    """By multipliers of many points at once; None where they are not found, as where there are none."""
    found = within(points, shares, seconds_left)
    if found is None:
        return None
    # so few may be independent of each other, however short a combination of them is
    proof = _by_rows if len(found[0]) <= points.d + 2 else _by_tolerance
    return proof(points, *found, "affine scaling of multipliers")


def _programmed(points: Points, shares: Flat | None, seconds_left: Callable[[], float], watch: Watch) -> Answer | None:
    """By linear programmes, from the points of the largest multipliers on; None where they prove nothing."""
    watch("linear programmes")
    first = np.arange(points.n) if shares is None else np.argsort(-shares, kind="stable")
    guess = guessed(points, first, seconds_left)
    if guess is not None and guess.plane is not None:
        found = _plane(points, *guess.plane, "a linear programme")
        if isinstance(found, Separable):
            return _widened(points, found, shares)
    answer: Answer | None = None
    if guess is not None and len(guess.which):
        watch(f"multipliers of {len(guess.which)} examples in whole numbers")
        answer = _by_rows(points, guess.which, guess.multipliers, "a linear programme")
    if (answer is None or not _is_exact(answer)) and seconds_left() > 0 and points.n * points.d <= SIMPLEX_AT_MOST:
        answer = _by_simplex(points)
    return answer


def _widened(points: Points, found: Separable, shares: Flat | None) -> Separable:
    """A plane of larger margin, where the columns are few enough for the largest: a programme knows no margins."""
    if points.d > COLUMNS_AT_MOST or shares is None:
        return found
    exact = nearest(points, shares, free=False, tol=NEAR)
    if exact is None:
        return found
    better = bracketed(points, *exact, free=False)
    if better.margin <= found.margin:
        return replace(found, most=max(better.most, found.margin))
    return replace(found, weights=better.w, bias=better.b, margin=better.margin, most=better.most)


def _is_exact(answer: Answer) -> bool:
    return isinstance(answer, Inseparable) and answer.exact


def _by_rows(points: Points, which: Indices, multipliers: Flat, method: str) -> Inseparable | None:
    """These rows as a proof: with multipliers in whole numbers or, where that is too much work, to a tolerance."""
    if not 0 < len(which) <= points.d + 2:
        return None
    table = whole_points(points, which)
    whole = None if table is None else vanishing(table)
    if whole == [] or (whole is None and independent(points, which)):
        return None  # however short the combination may be, it is not 0
    if whole is None:
        return _by_tolerance(points, which, multipliers, method)
    there = np.array([many > 0 for many in whole])
    answer = _inseparable(points, which[there], tuple(filter(None, whole)), f"{method}, then whole numbers")
    return None if answer.why_not_of(points) else answer


def _by_simplex(points: Points) -> Answer:
    whole, plane = decided(points)
    if whole:
        which = np.flatnonzero([many > 0 for many in whole])
        return _inseparable(points, which, tuple(filter(None, whole)), "the simplex method in fractions")
    largest = max(map(abs, plane))
    v = np.array([float(each / largest) for each in plane])
    w = v[:-1] / (norm(v) or 1.0)
    for b in (float(v[-1]) / (norm(v) or 1.0), _midway(points, w)):  # rounded weights may want another intercept
        answer = _plane(points, w, b, "the simplex method in fractions")
        if answer.separable:
            return answer
    return Undecided(points.classes, "the simplex method in fractions", TOO_FINE)


def _midway(points: Points, w: Flat) -> float:
    """The intercept that has the classes equally far from the plane, rounded once."""
    reached = [points.exact_margin(row, w, 0.0) for row in range(points.n)]
    nearest = [min(each for each, sign in zip(reached, points.signs, strict=True) if sign == side) for side in (1, -1)]
    return float((nearest[1] - nearest[0]) / 2)


def _by_tolerance(points: Points, which: Indices, multipliers: Flat, method: str) -> Inseparable | None:
    total = float(multipliers.sum())
    if not total > 0:
        return None
    shares = multipliers / total
    length, longest = combined(points, which, shares)
    if not length <= TOLERANCE * longest:
        return None
    return Inseparable(points.classes, method, which, shares, _labels(points, which), residual=length)


def _plane(points: Points, w: Flat, b: float, method: str, most: float = float("inf")) -> Answer:
    """The plane, if it separates the points for sure."""
    length = norm(np.append(w, b))
    if length > 0:
        w, b = w / length, b / length
        margin = float(points.sure_margins(w, b).min()) * (1.0 - OUTWARD)
        if margin > 0:
            return Separable(points.classes, method, w, b, margin, points.radius(), max(most, margin))
    return Undecided(points.classes, method, "a plane was found, but floating point does not tell whether it separates")


def _inseparable(points: Points, which: Indices, whole: tuple[int, ...], method: str, twins: int = 0) -> Inseparable:
    total = sum(whole)
    shares = np.array([many / total for many in whole])
    return Inseparable(points.classes, method, which, shares, _labels(points, which), whole, twins=twins)


def _labels(points: Points, which: Indices) -> tuple[Any, ...]:
    return tuple(points.classes[1] if sign > 0 else points.classes[0] for sign in points.signs[which])
