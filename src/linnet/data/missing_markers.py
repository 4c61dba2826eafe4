"""How files spell that a value is missing: compared without surrounding blanks, in any case.

A light module: `linnet --help` must not load NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

BLANKS = " \t\u00a0\u202f"

# Of features.  As a category such a value becomes `column is missing`, so nothing is lost where it means something.
_WORDS = "na n/a n.a. nan -nan +nan none null nil nat <na> (null) unknown missing #n/a #na #null! #value! #ref! #div/0!"
MARKERS = frozenset({"", "?", "-", "--", "\u2013", "\u2014", ".", "not available", *_WORDS.split()})
# Of labels, where `-`, `none` and `unknown` are classes like others.
LABEL_MARKERS = frozenset({"", "?", "na", "n/a", "nan", "null", "#n/a", "<na>", "nat"})


def normal(text: str) -> str:
    """A value as markers are compared."""
    return text.strip(BLANKS).lower()


@lru_cache(maxsize=64)
def with_given(given: tuple[str, ...], markers: frozenset[str] = MARKERS) -> frozenset[str]:
    """The markers, and those that the user gave."""
    return markers | {normal(each) for each in given} if given else markers


def spellings(markers: Iterable[str]) -> list[str]:
    """The usual spellings of these markers, for a parser that compares them exactly."""
    return sorted({each for marker in markers for each in (marker, marker.upper(), marker.capitalize())} | {"NaN"})


@lru_cache(maxsize=64)
def encoded_spellings(markers: frozenset[str]) -> tuple[bytes, ...]:
    """The same in UTF-8; they are asked for once a column."""
    return tuple(each.encode() for each in spellings(markers))
