"""Version spaces: of a finite class of concepts, those that no example has contradicted yet.

    V_0 = C;   predict what most of V say, yes where they tie;   V_i = {c in V_{i-1} : c(x_i) = y_i}

A mistake means that at least half of V was wrong, so |V| <= |C| / 2^mistakes; and while some concept of C fits all
examples, |V| >= 1, so mistakes <= log2 |C| (Littlestone 1988, Learning quickly when irrelevant attributes abound).
A class is kept as one bit a concept, and one more while it votes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, lgamma, log, log2
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError, RecipeError
from linnet.kernels import version_space as kernel

Bits = NDArray[np.uint64]
Voter = Callable[[NDArray[Any], Bits], None]

KINDS = ("disjunctions", "conjunctions", "m-of-n")
# Beyond so many binary digits the size of a class is told by its digits alone.
COUNTED_DIGITS = 100
# What binomial coefficients may take, in numbers: only sets of nearly all of very many variables come near it.
WIDEST_TABLE = 2**24


class Concepts(Protocol):
    """A finite class: concepts in a fixed order, each known by its position."""

    size: int

    def __str__(self) -> str:
        """The class in words, with its plural: disjunctions of at most 2 of 20 variables."""

    def name(self, position: int) -> str:
        """A concept in words."""

    def voter(self, alive: Bits, live: NDArray[np.uint8]) -> Voter:
        """A function of a row that sets the bits of the concepts that say yes, at least of those alive."""


class Rules:
    """At least m of a set of at most k of d Boolean variables: disjunctions (m = 1), conjunctions (m = all), m-of-n.

    Small sets come first.  The smallest is empty (a disjunction of none is never true, a conjunction of none always),
    or has the m variables that an m-of-n rule needs.  m-of-n without an m: sets of 1 to k variables, with every m.
    """

    def __init__(
        self, kind: str, d: int, k: int, m: int | None = None, *, most: int, names: Sequence[str] = ()
    ) -> None:
        self.kind, self.d, self.k, self.m = kind, d, k, m
        self.names = tuple(names)
        if k > d:
            raise RecipeError(f"k={k} variables in a rule are more than the {d} columns there are: lower k")
        self._refuse_above(most)
        self.ways = _binomials(d, k)
        rules = list(self._segments())
        firsts = np.concatenate([[0], np.cumsum([comb(d, j) for j, _ in rules])])
        self.size = int(firsts[-1])
        self.segments = np.column_stack([np.array(rules, dtype=np.int64), firsts[:-1]]).astype(np.int64)

    def _segments(self) -> Iterator[tuple[int, int]]:
        """(variables in the set, how many must be true), in the order of the concepts."""
        for j in range(self.m or 0, self.k + 1):
            if self.kind == "disjunctions":
                yield j, 1
            elif self.kind == "conjunctions":
                yield j, j
            else:
                yield from ((j, m) for m in ([self.m] if self.m is not None else range(1, j + 1)))

    def _refuse_above(self, most: int) -> None:
        """The class's size, worked out before anything is allocated."""
        # the size of the largest sets is estimated first: numbers of a million digits are slow to make
        fewest = self.m or 0
        j = max(fewest, min(self.k, self.d // 2))
        digits = (lgamma(self.d + 1) - lgamma(j + 1) - lgamma(self.d - j + 1)) / log(2)
        size = None if digits > COUNTED_DIGITS else sum(comb(self.d, j) for j, _ in self._segments())
        if size is None or size > most:
            told = f"some 2^{digits:,.0f}" if size is None else f"{size:,}"
            raise RecipeError(
                f"{self} are {told} concepts: at two bits each, at most max_concepts={most:,} are kept; "
                "lower k, take fewer columns, or raise max_concepts"
            )
        if (self.d + 1) * (self.k + 1) > WIDEST_TABLE:
            raise RecipeError(f"{self}: sets of so many of so many variables cannot be numbered; lower k or d")

    def __str__(self) -> str:
        kind = self.kind if self.m is None else f"{self.m}-of-n"
        kind += " rules" if self.kind == "m-of-n" else ""
        return f"{kind} of at most {self.k} of {self.d} variables"

    def name(self, position: int) -> str:
        """The rule in words."""
        segment = self.segments[np.searchsorted(self.segments[:, 2], position, side="right") - 1]
        j, m, rank = int(segment[0]), int(segment[1]), position - int(segment[2])
        chosen = [self.names[v] if self.names else f"x{v}" for v in self._set(j, rank)]
        if not chosen:
            return "never" if m else "always"
        if self.kind == "m-of-n":
            return f"at least {m} of {', '.join(chosen)}"
        return (" or " if self.kind == "disjunctions" else " and ").join(chosen)

    def _set(self, j: int, rank: int) -> Iterator[int]:
        """The variables of that rank among the sets of j in lexicographic order."""
        v = 0
        for left in range(j - 1, -1, -1):
            while rank >= (size := int(self.ways[self.d - v - 1, left])):
                rank -= size
                v += 1
            yield v
            v += 1

    def voter(self, alive: Bits, live: NDArray[np.uint8]) -> Voter:
        """Of rows of zeros and ones."""
        packed = np.zeros(self.d // 64 + 2, dtype=np.uint64)
        after = np.zeros(self.d + 1, dtype=np.int64)
        walk = np.zeros((2, max(1, self.k)), dtype=np.int64)
        return lambda row, votes: kernel.vote(row, self.segments, self.ways, alive, live, packed, after, walk, votes)


def _binomials(d: int, k: int) -> NDArray[np.int64]:
    """ways[n, j]: the sets of j out of n; what is larger than any class that is kept stands as 2^61."""
    ways = np.zeros((d + 1, k + 1), dtype=np.int64)
    ways[:, 0] = 1
    for n in range(1, d + 1):
        np.minimum(ways[n - 1, 1:] + ways[n - 1, :-1], 2**61, out=ways[n, 1:])
    return ways


class Functions:
    """Concepts that are functions: of a row, to True or False."""

    def __init__(self, functions: Sequence[Callable[..., Any]] | Mapping[str, Callable[..., Any]]) -> None:
        self.names = [str(name) for name in functions] if isinstance(functions, Mapping) else None
        self.functions: list[Callable[..., Any]] = list(
            functions.values() if isinstance(functions, Mapping) else functions
        )
        self.size = len(self.functions)

    def __str__(self) -> str:
        return f"{self.size:,} concepts of your own"

    def name(self, position: int) -> str:
        """Its key, or the function's own name."""
        if self.names is not None:
            return self.names[position]
        name = getattr(self.functions[position], "__name__", "<lambda>")
        return f"concept {position}" if name == "<lambda>" else str(name)

    def voter(self, alive: Bits, live: NDArray[np.uint8]) -> Voter:  # noqa: ARG002
        """Only those alive are asked."""

        def vote(row: NDArray[Any], votes: Bits) -> None:
            said = np.zeros(64 * len(votes), dtype=bool)
            for position in positions(alive):
                answer = self.functions[position](row)
                if np.ndim(answer) or answer not in (0, 1):
                    said_instead = " ".join(repr(answer).split())
                    raise InputError(
                        f"the concept {self.name(position)!r} says {said_instead:.80} to {row.tolist()!s:.80}: "
                        "a concept is a function of one row to True or False"
                    )
                said[position] = bool(answer)
            votes[:] = packed_bits(said)

        return vote


class Table:
    """Concepts as rows of a Boolean table whose columns are all points there are: an example is its point's number."""

    def __init__(self, table: NDArray[Any]) -> None:
        self.size, self.points = table.shape
        self.bits = packed_bits(np.ascontiguousarray(table.T.astype(bool)))

    def __str__(self) -> str:
        return f"{self.size:,} concepts in a table of {self.points:,} points"

    def name(self, position: int) -> str:
        """Its row."""
        return f"concept {position}"

    def voter(self, alive: Bits, live: NDArray[np.uint8]) -> Voter:  # noqa: ARG002
        """Of rows of one number, the point's."""

        def vote(row: NDArray[Any], votes: Bits) -> None:
            votes[:] = self.bits[int(row[0])]

        return vote


class Planes:
    """Concepts w·x >= θ."""

    def __init__(self, weights: NDArray[np.float64], thresholds: NDArray[np.float64]) -> None:
        self.weights, self.thresholds = weights, thresholds
        self.size = len(weights)

    def __str__(self) -> str:
        return f"{self.size:,} concepts w·x >= θ"

    def name(self, position: int) -> str:
        """Its inequality."""
        terms = " ".join(f"{w:+g} x{v}" for v, w in enumerate(self.weights[position]) if w)
        return f"{terms or '0'} >= {self.thresholds[position]:g}"

    def voter(self, alive: Bits, live: NDArray[np.uint8]) -> Voter:  # noqa: ARG002
        """Of rows of numbers."""

        def vote(row: NDArray[Any], votes: Bits) -> None:
            votes[:] = packed_bits(self.weights @ row >= self.thresholds)

        return vote


def packed_bits(flags: NDArray[np.bool_]) -> Bits:
    """The flags along the last axis as words of 64 bits, the first flag lowest, padded with zeros."""
    short = -flags.shape[-1] % 64
    padded = np.pad(flags, [(0, 0)] * (flags.ndim - 1) + [(0, short)])
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def positions(alive: Bits, first: int | None = None) -> list[int]:
    """Where bits are set, in order; only the `first` of them where that is given."""
    found: list[int] = []
    for word in np.flatnonzero(alive).tolist():
        bits = int(alive[word])
        found += [64 * word + b for b in range(64) if bits >> b & 1]
        if first is not None and len(found) >= first:
            return found[:first]
    return found


@dataclass(frozen=True)
class Halvings:
    """What a run has shown: every mistake at least halved the space, so that mistakes <= log2 |C|."""

    concepts: int
    survivors: int
    examples: int
    mistakes: int

    @property
    def bound(self) -> float:
        """log2 |C|."""
        return log2(self.concepts)

    @property
    def holds(self) -> bool:
        """|V| 2^mistakes <= |C|, in whole numbers."""
        return self.survivors >= 1 and self.survivors << self.mistakes <= self.concepts

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "concepts": self.concepts, "survivors": self.survivors, "examples": self.examples,
            "mistakes": self.mistakes, "bound": self.bound, "holds": self.holds,
        }  # fmt: skip

    def __str__(self) -> str:
        relation = "<=" if self.holds else "ABOVE"
        fit = "1 concept fits" if self.survivors == 1 else f"{self.survivors:,} concepts fit"
        return (
            f"{self.mistakes} mistakes in {self.examples:,} examples {relation} log2 {self.concepts:,} = "
            f"{self.bound:.2f}; {fit} all of them"
        )


class VersionSpace:
    """The concepts that every example so far agrees with."""

    def __init__(self, concepts: Concepts) -> None:
        if not concepts.size:
            raise RecipeError("there is no concept to choose from: give at least one")
        self.concepts = concepts
        self.size = concepts.size
        words = -(-self.size // 64)
        self.alive: Bits = np.full(words, 2**64 - 1, dtype=np.uint64)
        self.alive[-1] >>= np.uint64(-self.size % 64)
        self.live = np.ones(-(-words // kernel.WORDS_A_BLOCK), dtype=np.uint8)
        self.sizes: list[int] = []  # after each example
        self.mistaken: list[bool] = []

    @property
    def shown(self) -> Halvings:
        """The bound, and what the examples so far made of it."""
        return Halvings(self.concepts.size, self.size, len(self.sizes), sum(self.mistaken))

    def yes(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """How many survivors say yes to each row."""
        votes, vote = np.zeros_like(self.alive), self.concepts.voter(self.alive, self.live)
        found = np.zeros(len(rows), dtype=np.int64)
        for i, row in enumerate(rows):
            vote(row, votes)
            found[i] = kernel.count(self.alive, self.live, votes)
        return found

    def learn(self, rows: NDArray[Any], truths: NDArray[np.bool_]) -> int:
        """Take the rows in order, and tell how many were taken: it ends before one that contradicts every survivor."""
        votes, vote = np.zeros_like(self.alive), self.concepts.voter(self.alive, self.live)
        for i, (row, truth) in enumerate(zip(rows, truths.tolist(), strict=True)):
            vote(row, votes)
            yes = kernel.count(self.alive, self.live, votes)
            left = yes if truth else self.size - yes
            if not left:
                return i
            self.mistaken.append((2 * yes >= self.size) != truth)
            if left < self.size:
                kernel.keep(self.alive, self.live, votes, truth)
                self.size = left
            self.sizes.append(left)
        return len(rows)

    def survivors(self, first: int | None = None) -> list[str]:
        """The concepts that are left, by name, in the order of the class."""
        return [self.concepts.name(position) for position in positions(self.alive, first)]
