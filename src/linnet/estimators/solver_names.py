"""Solvers by the names that scikit-learn gives them: the nearest here, which is said once.

What a solver minimises is the same under either name (liblinear also penalises the intercept, and so does its nearest
here); how it gets there is not, nor what `random_state` decides.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import NamedTuple

from linnet.learners.entry import AUTO

# What was said already.
_said: set[tuple[str, str]] = set()
# No gap smaller than this is asked for: rounding would hide it.
LEAST_GAP = 1e-13


class Nearest(NamedTuple):
    """The solver to take, and, where that is another than was asked for, a sentence that says so."""

    solver: str
    note: str = ""


def gap_of_gradient(tol: float | None) -> float | None:
    """The duality gap for a tolerance of scikit-learn's solvers, which bounds a gradient: the gap is its square."""
    return None if tol is None else min(tol, max(tol * tol, LEAST_GAP))


def nearest(estimator: str, asked: str, names: Mapping[str, str], own: tuple[str, ...]) -> Nearest:
    """The solver here for the one asked for: itself, where it is among the `own`; else the nearest by `names`."""
    if asked in own or asked not in names:
        return Nearest(asked)
    taken = names[asked]
    by = "the one that suits the rows (solver='auto')" if taken == AUTO else repr(taken)
    note = f"{estimator} does not take solver={asked!r} here: it takes {by}, and ends at the same optimum"
    if (estimator, asked) not in _said:
        _said.add((estimator, asked))
        logging.getLogger("linnet").warning("%s", note)
    return Nearest(taken, note)
