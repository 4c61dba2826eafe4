"""What a parser does with weights: finds the best tree of a sentence, and moves weights towards the true one.

The decoders have one interface, so that training, files and commands know none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError, RecipeError, option
from linnet.kernels import parsing_beam, parsing_beam_training, parsing_eisner, parsing_greedy
from linnet.kernels.parsing_checks import LONGEST_CHART
from linnet.kernels.parsing_weights import Weights
from linnet.structured import arc_templates
from linnet.structured.parse_options import MOST_BEAM
from linnet.structured.parser_templates import DEFAULT, places, templates_of
from linnet.structured.sentences import MOST_TOKENS
from linnet.structured.treebank import Treebank

Numbers = NDArray[np.int64]
# How often the greedy parser follows its own mistakes while it is trained, from the second pass on.
EXPLORE = 0.9
# Words times width of the beam: the states of all moves are kept, some 250 bytes each.
MOST_STATES = 4_000_000


def new_weights(classes: int, *, frozen: bool = False) -> Any:
    """An empty table of weights; a frozen one is filled once, with means."""
    return Weights(classes, frozen)  # type: ignore[call-arg]


@dataclass(frozen=True, eq=False)
class Parsed:
    """Heads and numbers of labels for all tokens."""

    heads: NDArray[np.int32]
    label: NDArray[np.int32]

    @classmethod
    def room(cls, tokens: int) -> Parsed:
        return cls(np.zeros(tokens, dtype=np.int32), np.zeros(tokens, dtype=np.int32))


class Decoder(Protocol):
    """The best tree by some weights."""

    @property
    def name(self) -> str: ...

    @property
    def beam(self) -> int: ...

    @property
    def longest(self) -> int:
        """The most words of a sentence that it takes."""

    @property
    def templates(self) -> list[tuple[str, ...]]: ...

    def classes(self, labels: int) -> int:
        """How many classes the rows of weights have."""

    def train(self, weights: Any, bank: Treebank, order: Numbers, number: int, seed: int) -> tuple[int, int, int]:
        """A step for each sentence of `order`, in pass `number`: how many sentences and decisions were wrong, of how
        many decisions."""

    def parse(
        self, weights: Any, tokens: NDArray[np.uint64], starts: Numbers, allowed: NDArray[np.uint8], average: float
    ) -> Parsed:
        """The best trees by the weights, or their means (`average` is 1 / steps)."""


class TransitionDecoder:
    """Arc-hybrid transitions: greedy with a dynamic oracle, or, with `beam` above 1, a beam with max-violation updates.

    `early` updates where the gold sequence leaves the beam instead; `C` above 0 takes passive-aggressive steps.
    """

    name = "transition"

    def __init__(
        self, beam: int = 1, templates: list[tuple[str, ...]] | None = None, *, early: bool = False, C: float = 0.0
    ) -> None:
        if not 1 <= beam <= MOST_BEAM:
            raise RecipeError(f"{option('beam')} is {beam}: give a width of 1 (greedy) to {MOST_BEAM}")
        self.beam, self.early, self.C = beam, early, C
        self.longest = min(MOST_TOKENS, MOST_STATES // beam)
        self.templates = templates_of(DEFAULT) if templates is None else templates
        self._places = places(self.templates)

    def classes(self, labels: int) -> int:
        return 2 * labels + 1

    def train(self, weights: Any, bank: Treebank, order: Numbers, number: int, seed: int) -> tuple[int, int, int]:
        arrays = (weights, self._places, bank.tokens, bank.starts, bank.heads, bank.label, bank.allowed, order)
        found: tuple[int, int, int]
        if self.beam == 1:
            explore = EXPLORE if number > 0 else 0.0
            draws = (seed * 0x9E3779B97F4A7C15 + number) % (1 << 64)
            found = parsing_greedy.train(*arrays, explore, draws, self.C)
        else:
            found = parsing_beam_training.train(*arrays, self.beam, self.early, self.C)
        return found

    def parse(
        self, weights: Any, tokens: NDArray[np.uint64], starts: Numbers, allowed: NDArray[np.uint8], average: float
    ) -> Parsed:
        found = Parsed.room(len(tokens))
        order = np.arange(len(starts) - 1, dtype=np.int64)
        arrays: tuple[Any, ...] = (weights, self._places, tokens, starts, allowed, average, order)
        if self.beam == 1:
            parsing_greedy.parse(*arrays, found.heads, found.label)  # type: ignore[call-arg]
        else:
            scores = np.zeros(len(order))
            parsing_beam.parse(*arrays, self.beam, found.heads, found.label, scores)  # type: ignore[call-arg]
        return found


class EisnerDecoder:
    """The best projective tree of all, by features of single arcs; the perceptron with exact search."""

    name = "eisner"
    beam = 1
    longest = LONGEST_CHART

    def __init__(self, templates: list[tuple[str, ...]] | None = None, *, C: float = 0.0) -> None:
        self.C = C
        given = arc_templates.templates_of(arc_templates.DEFAULT) if templates is None else templates
        self.templates = sorted(given, key=arc_templates.has_between)  # a stable sort
        self._single = sum(not arc_templates.has_between(each) for each in self.templates)
        if not self._single:
            raise InputError("every template looks at tags between two words: one at least must not")
        self._places = places(self.templates, arc_templates.ATOMS)

    def classes(self, labels: int) -> int:
        return labels + 1

    def train(self, weights: Any, bank: Treebank, order: Numbers, number: int, seed: int) -> tuple[int, int, int]:  # noqa: ARG002
        arrays = (bank.tokens, bank.starts, bank.heads, bank.label, bank.allowed, order)
        found: tuple[int, int, int] = parsing_eisner.train(weights, self._places, self._single, *arrays, self.C)
        return found

    def parse(
        self, weights: Any, tokens: NDArray[np.uint64], starts: Numbers, allowed: NDArray[np.uint8], average: float
    ) -> Parsed:
        found = Parsed.room(len(tokens))
        order = np.arange(len(starts) - 1, dtype=np.int64)
        arrays = (tokens, starts, allowed, average, order)
        parsing_eisner.parse(weights, self._places, self._single, *arrays, found.heads, found.label)
        return found


def decoder_named(
    name: str, beam: int = 1, templates: list[tuple[str, ...]] | None = None, *, early: bool = False, C: float = 0.0
) -> Decoder:
    """The decoder that a user asks for."""
    if name == "transition":
        return TransitionDecoder(beam, templates, early=early, C=C)
    if name == "eisner":
        if beam != 1:
            raise RecipeError(f"{option('beam')} is for the transition parser: eisner searches all trees")
        return EisnerDecoder(templates, C=C)
    raise InputError(f"{option('decoder')} is {name!r}: transition or eisner")
