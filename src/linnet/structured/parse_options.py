"""The options of training a parser, each declared once.

A light module: the command line is made from it, and `linnet --help` must not load NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from linnet.data.on_error import OnError
from linnet.data.sources.encodings import encoding_named
from linnet.errors import RecipeError
from linnet.errors import option as spelt
from linnet.pipeline import declaration
from linnet.pipeline.declaration import option

TRAINING, READING, CHECKPOINTS = "Training", "Reading", "Checkpoints"
MOST_BEAM = 1024


class DecoderName(StrEnum):
    """transition builds a tree move by move; eisner finds the best projective tree of all, arc by arc."""

    TRANSITION = "transition"
    EISNER = "eisner"


class TagSource(StrEnum):
    """Whether a parser is trained with the tags of the file, or with those that taggers would give its words."""

    GOLD = "gold"
    PREDICTED = "predicted"


class BeamUpdate(StrEnum):
    """Where the weights of a beam move: at the largest violation, or as soon as the true tree has left the beam."""

    MAX_VIOLATION = "max-violation"
    EARLY = "early"


def _encoding(value: Any) -> str:
    named = encoding_named(str(value))
    if named is None:
        raise RecipeError(f"{spelt('encoding')}: {value!r} is not a known encoding, such as latin-1")
    return named


@dataclass(frozen=True)
class ParseOptions:
    """All options of training a parser, by the names that users know."""

    decoder: DecoderName = option(
        DecoderName.TRANSITION, TRAINING, "transition parses move by move, fast and with rich features; eisner finds "
        "the best projective tree exactly, by features of single arcs.",
    )  # fmt: skip
    beam: int = option(
        1, TRAINING, "How many partial trees the transition parser keeps; 1 is greedy. Wider is slower, more accurate.",
        least=1, most=MOST_BEAM,
    )  # fmt: skip
    update: BeamUpdate = option(
        BeamUpdate.MAX_VIOLATION, TRAINING, "Where weights move, with a beam: where the true tree is furthest behind, "
        "or where it has left the beam.",
    )  # fmt: skip
    tags: TagSource = option(
        TagSource.GOLD, TRAINING, "Train with the tags of the file, or with predicted ones, for text that a tagger "
        "will tag: taggers are trained on four fifths of the sentences, and tag the others.",
    )  # fmt: skip
    passes: int | None = option(
        None, TRAINING, "Passes over the sentences (default: chosen by sentences that are held out for that).", least=1,
        most=1000,
    )  # fmt: skip
    seed: int = option(
        0, TRAINING, "The seed of the shuffle and of the choice of held-out sentences.", least=0, most=2**63
    )
    encoding: str | None = option(
        None, READING, "The encoding of the files; inferred (UTF-8 or Windows-1252, which has Latin-1 in it).",
        metavar="NAME", parse=_encoding, decisive=False,
    )  # fmt: skip
    on_error: OnError = option(
        OnError.FAIL, READING, "Sentences that cannot be read, or have no tree: stop at the first, or skip them.",
        metavar="fail|skip", decisive=False,
    )  # fmt: skip
    threads: int = option(0, READING, "Threads (default: all cores).", least=0, most=1024, decisive=False)
    checkpoint_every: int | None = option(
        None, CHECKPOINTS, "Write a checkpoint every N sentences; it is also written when a run is stopped.", least=1,
        decisive=False, in_python=False,
    )  # fmt: skip
    resume: bool = option(
        False, CHECKPOINTS, "Continue from the checkpoint, if there is one.", decisive=False, in_python=False
    )

    def __post_init__(self) -> None:
        declaration.parse_fields(self)
        if self.on_error is OnError.QUARANTINE:
            raise RecipeError("--on-error is fail or skip here: what is skipped is reported, and stays in its file")
        if self.beam > 1 and self.decoder is DecoderName.EISNER:
            raise RecipeError(f"{spelt('beam')} is for the transition parser: eisner searches all trees")

    def decisive(self) -> dict[str, Any]:
        """What a resumed run must share."""
        return declaration.decisive(self)
