"""The options of training a parser, each declared once.

A light module: the command line is made from it, and `linnet --help` must not load NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from linnet.data.on_error import OnError
from linnet.errors import RecipeError
from linnet.errors import option as spelt
from linnet.pipeline.declaration import option
from linnet.structured import shared_options
from linnet.structured.shared_options import TRAINING

MOST_BEAM = 1024


class DecoderName(StrEnum):
    """transition builds a tree move by move; eisner finds the best projective tree of all, arc by arc."""

    TRANSITION = "transition"
    EISNER = "eisner"


class TagSource(StrEnum):
    """Whether a parser is trained with the tags of the file, or with those that taggers would give its words."""

    GOLD = "gold"
    PREDICTED = "predicted"


class ParseUpdate(StrEnum):
    """How weights move: by 1, of a beam at the largest violation, or as soon as the true tree has left the beam; or as
    far as is needed (passive-aggressive, also called MIRA), of a beam at the largest violation."""

    MAX_VIOLATION = "max-violation"
    EARLY = "early"
    PASSIVE_AGGRESSIVE = "passive-aggressive"


@dataclass(frozen=True)
class ParseOptions(shared_options.OfSentences):
    """All options of training a parser, by the names that users know."""

    decoder: DecoderName = option(
        DecoderName.TRANSITION, TRAINING, "transition parses move by move, fast and with rich features; eisner finds "
        "the best projective tree exactly, by features of single arcs.",
    )  # fmt: skip
    beam: int = option(
        1, TRAINING, "How many partial trees the transition parser keeps; 1 is greedy. Wider is slower, more accurate.",
        least=1, most=MOST_BEAM,
    )  # fmt: skip
    update: ParseUpdate = option(
        ParseUpdate.MAX_VIOLATION, TRAINING, "Where weights move, with a beam: where the true tree is furthest behind, "
        "or where it has left the beam; passive-aggressive (MIRA) moves them as far as needed, up to C.",
    )  # fmt: skip
    C: float = shared_options.largest_step()
    tags: TagSource = option(
        TagSource.GOLD, TRAINING, "Train with the tags of the file, or with predicted ones, for text that a tagger "
        "will tag: taggers are trained on four fifths of the sentences, and tag the others.",
    )  # fmt: skip
    passes: int | None = shared_options.passes()
    seed: int = shared_options.seed()
    encoding: str | None = shared_options.encoding()
    on_error: OnError = shared_options.on_error(
        "Sentences that cannot be read, or have no tree: stop at the first, skip them, or (in train) write them to "
        "MODEL.quarantine."
    )
    threads: int = shared_options.threads()
    checkpoint_every: int | None = shared_options.checkpoint_every()
    resume: bool = shared_options.resume()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beam > 1 and self.decoder is DecoderName.EISNER:
            raise RecipeError(f"{spelt('beam')} is for the transition parser: eisner searches all trees")
