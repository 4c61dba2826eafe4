"""Version spaces: the concepts of a finite class that are consistent with all examples so far.

    V_0 = C;   predict the majority vote of V, positive on a tie;   V_i = {c in V_{i-1} : c(x_i) = y_i}

A mistake means that at least half of V was wrong, so |V| <= |C| / 2^mistakes; and while some concept of C fits all
examples, |V| >= 1, so mistakes <= log2 |C| (Littlestone 1988, Learning quickly when irrelevant attributes abound).
A class takes one bit a concept, and a second one during a vote.
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
# Sizes of classes beyond this many binary digits are estimated.
EXACT_DIGITS = 100
# The most entries of the table of binomial coefficients; only sets of nearly all of very many variables reach it.
LARGEST_TABLE = 2**24


class Concepts(Protocol):
    """A finite class of concepts in a fixed order, each identified by its position."""

    size: int

    def __str__(self) -> str:
        """The class in words: disjunctions of at most 2 of 20 variables."""

    def name(self, position: int) -> str:
        """A concept in words."""

    def voter(self, alive: Bits, live: NDArray[np.uint8]) -> Voter:
        """A function that sets the bits of the concepts that are true of a row, at least of those alive."""


class Rules:
    """At least m of a set of at most k of d Boolean variables: disjunctions (m = 1), conjunctions (m = all), m-of-n.

    Small sets come first.  The smallest is empty (the empty disjunction is never true, the empty conjunction always),
    or has m variables for m-of-n.  m-of-n without an m: sets of 1 to k variables, with every m.
    """

    def __init__(
        self, kind: str, d: int, k: int, m: int | None = None, *, most: int, names: Sequence[str] = ()
    ) -> None:
        self.kind, self.d, self.k, self.m = kind, d, k, m
        self.names = tuple(names)
        if k > d:
            raise RecipeError(f"k={k} exceeds the number of columns, {d}: lower k")
        self._refuse_above(most)
        self.ways = _binomials(d, k)
        rules = list(self._segments())
        firsts = np.concatenate([[0], np.cumsum([comb(d, j) for j, _ in rules])])
        self.size = int(firsts[-1])
        self.segments = np.column_stack([np.array(rules, dtype=np.int64), firsts[:-1]]).astype(np.int64)

    def _segments(self) -> Iterator[tuple[int, int]]:
        """(variables in the set, number that must be true), in the order of the concepts."""
        for j in range(self.m or 0, self.k + 1):
            if self.kind == "disjunctions":
                yield j, 1
            elif self.kind == "conjunctions":
                yield j, j
            else:
                yield from ((j, m) for m in ([self.m] if self.m is not None else range(1, j + 1)))

    def _refuse_above(self, most: int) -> None:
        """Refuse a class that is too large, before anything is allocated."""
        # estimated first: numbers of a million digits are slow to compute
        fewest = self.m or 0
        j = max(fewest, min(self.k, self.d // 2))
        digits = (lgamma(self.d + 1) - lgamma(j + 1) - lgamma(self.d - j + 1)) / log(2)
        size = None if digits > EXACT_DIGITS else sum(comb(self.d, j) for j, _ in self._segments())
        if size is None or size > most:
            count = f"about 2^{digits:,.0f}" if size is None else f"{size:,}"
            raise RecipeError(
                f"{self}: there are {count} concepts of two bits each, more than max_concepts={most:,}; "
                "lower k, use fewer columns, or raise max_concepts"
            )
        if (self.d + 1) * (self.k + 1) > LARGEST_TABLE:
            raise RecipeError(f"{self}: the table of binomial coefficients is too large; lower k, or use fewer columns")

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
        """The set of this rank among the sets of j variables, in lexicographic order."""
        v = 0
        for left in range(j - 1, -1, -1):
            while rank >= (size := int(self.ways[self.d - v - 1, left])):
                rank -= size
                v += 1
            yield v
            v += 1

    def voter(self, alive: Bits, live: NDArray[np.uint8]) -> Voter:
        """For rows of zeros and ones."""
        packed = np.zeros(self.d // 64 + 2, dtype=np.uint64)
        after = np.zeros(self.d + 1, dtype=np.int64)
        walk = np.zeros((2, max(1, self.k)), dtype=np.int64)
        return lambda row, votes: kernel.vote(row, self.segments, self.ways, alive, live, packed, after, walk, votes)


def _binomials(d: int, k: int) -> NDArray[np.int64]:
    """ways[n, j]: n choose j, capped at 2^61, which exceeds any class that is kept."""
    ways = np.zeros((d + 1, k + 1), dtype=np.int64)
    ways[:, 0] = 1
    for n in range(1, d + 1):
        np.minimum(ways[n - 1, 1:] + ways[n - 1, :-1], 2**61, out=ways[n, 1:])
    return ways


class Functions:
    """Concepts given as functions from a row to True or False."""

    def __init__(self, functions: Sequence[Callable[..., Any]] | Mapping[str, Callable[..., Any]]) -> None:
        self.names = [str(name) for name in functions] if isinstance(functions, Mapping) else None
        self.functions: list[Callable[..., Any]] = list(
            functions.values() if isinstance(functions, Mapping) else functions
        )
        self.size = len(self.functions)

    def __str__(self) -> str:
        return f"{self.size:,} concepts given as functions"

    def name(self, position: int) -> str:
        """Its key, or the name of the function."""
        if self.names is not None:
            return self.names[position]
        name = getattr(self.functions[position], "__name__", "<lambda>")
        return f"concept {position}" if name == "<lambda>" else str(name)

    def voter(self, alive: Bits, live: NDArray[np.uint8]) -> Voter:  # noqa: ARG002
        """Evaluates only the concepts that are alive."""

        def vote(row: NDArray[Any], votes: Bits) -> None:
            answers = np.zeros(64 * len(votes), dtype=bool)
            for position in positions(alive):
                answer = self.functions[position](row)
                if np.ndim(answer) or answer not in (0, 1):
                    shown = " ".join(repr(answer).split())
                    raise InputError(
                        f"the concept {self.name(position)!r} returned {shown:.80} for {row.tolist()!s:.80}: "
                        "a concept must be a function of one row that returns True or False"
                    )
                answers[position] = bool(answer)
            votes[:] = packed_bits(answers)

        return vote


class Table:
    """Concepts as the rows of a Boolean table whose columns are the points; an example is the number of its point."""

    def __init__(self, table: NDArray[Any]) -> None:
        self.size, self.points = table.shape
        self.bits = packed_bits(np.ascontiguousarray(table.T.astype(bool)))

    def __str__(self) -> str:
        return f"{self.size:,} concepts in a table of {self.points:,} points"

    def name(self, position: int) -> str:
        """Its row."""
        return f"concept {position}"

    def voter(self, alive: Bits, live: NDArray[np.uint8]) -> Voter:  # noqa: ARG002
        """For rows of one number, that of the point."""

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
        """For rows of numbers."""

        def vote(row: NDArray[Any], votes: Bits) -> None:
            votes[:] = packed_bits(self.weights @ row >= self.thresholds)

        return vote


def packed_bits(flags: NDArray[np.bool_]) -> Bits:
    """The flags along the last axis as 64-bit words, the first flag lowest, padded with zeros."""
    short = -flags.shape[-1] % 64
    padded = np.pad(flags, [(0, 0)] * (flags.ndim - 1) + [(0, short)])
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def positions(alive: Bits, first: int | None = None) -> list[int]:
    """The positions of set bits, in order; at most the `first` ones."""
    found: list[int] = []
    for word in np.flatnonzero(alive).tolist():
        bits = int(alive[word])
        found += [64 * word + b for b in range(64) if bits >> b & 1]
        if first is not None and len(found) >= first:
            return found[:first]
    return found


@dataclass(frozen=True)
class Halvings:
    """The mistakes of a run beside their bound: every mistake at least halves V, so mistakes <= log2 |C|."""

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
        """|V| 2^mistakes <= |C|, in integers."""
        return self.survivors >= 1 and self.survivors << self.mistakes <= self.concepts

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "concepts": self.concepts, "survivors": self.survivors, "examples": self.examples,
            "mistakes": self.mistakes, "bound": self.bound, "holds": self.holds,
        }  # fmt: skip

    def __str__(self) -> str:
        made = f"{self.mistakes} mistake{'' if self.mistakes == 1 else 's'}"
        left = f"{self.survivors:,} concept{' is' if self.survivors == 1 else 's are'} consistent"
        if not self.holds:
            return f"{made}, more than the bound log2 {self.concepts:,} = {self.bound:.2f}; {left}"
        return (
            f"{made} in {self.examples:,} examples; at most {int(self.bound)} are possible: "
            f"log2 {self.concepts:,} = {self.bound:.2f}; {left} with all examples"
        )


class VersionSpace:
    """The concepts that are consistent with every example so far."""

    def __init__(self, concepts: Concepts) -> None:
        if not concepts.size:
            raise RecipeError("there are no concepts: pass at least one")
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
        """The mistakes so far, beside their bound."""
        return Halvings(self.concepts.size, self.size, len(self.sizes), sum(self.mistaken))

    def yes(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """The number of surviving concepts that are true of each row."""
        votes, vote = np.zeros_like(self.alive), self.concepts.voter(self.alive, self.live)
        found = np.zeros(len(rows), dtype=np.int64)
        for i, row in enumerate(rows):
            vote(row, votes)
            found[i] = kernel.count(self.alive, self.live, votes)
        return found

    def train(self, rows: NDArray[Any], truths: NDArray[np.bool_]) -> int:
        """Train on the rows in order and return their number; stops before a row that contradicts every survivor."""
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
        """The names of the surviving concepts, in the order of the class."""
        return [self.concepts.name(position) for position in positions(self.alive, first)]
