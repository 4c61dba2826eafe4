"""The options that training of taggers and of parsers have in common, each declared once.

A light module, like the two that take them.
"""

from __future__ import annotations

from typing import Any

from linnet.data.on_error import OnError
from linnet.data.sources.encodings import encoding_named
from linnet.errors import RecipeError
from linnet.errors import option as spelt
from linnet.pipeline import declaration
from linnet.pipeline.declaration import option

TRAINING, READING, CHECKPOINTS = "Training", "Reading", "Checkpoints"


def _encoding(value: Any) -> str:
    named = encoding_named(str(value))
    if named is None:
        raise RecipeError(f"{spelt('encoding')}: {value!r} is not a known encoding, such as latin-1")
    return named


def passes() -> Any:
    return option(
        None, TRAINING, "Passes over the sentences (default: chosen by sentences that are held out for that).", least=1,
        most=1000,
    )  # fmt: skip


def seed() -> Any:
    return option(0, TRAINING, "The seed of the shuffle and of the choice of held-out sentences.", least=0, most=2**63)


def largest_step() -> Any:
    return option(0.01, TRAINING, "The largest step of passive-aggressive.", flag="--C", least=1e-9, most=1e9)


def encoding() -> Any:
    return option(
        None, READING, "The encoding of the files; inferred (UTF-8 or Windows-1252, which has Latin-1 in it).",
        metavar="NAME", parse=_encoding, decisive=False,
    )  # fmt: skip


def on_error(description: str) -> Any:
    return option(OnError.FAIL, READING, description, metavar="fail|skip|quarantine", decisive=False)


def threads() -> Any:
    return option(0, READING, "Threads (default: all cores).", least=0, most=1024, decisive=False)


def checkpoint_every() -> Any:
    return option(
        None, CHECKPOINTS, "Write a checkpoint every N sentences; it is also written when a run is stopped.", least=1,
        decisive=False, in_python=False,
    )  # fmt: skip


def resume() -> Any:
    return option(False, CHECKPOINTS, "Continue from the checkpoint, if there is one.", decisive=False, in_python=False)


class OfSentences:
    """Options of training on sentences: parsed as they are made; `decisive` ones are those a resumed run must share."""

    def __post_init__(self) -> None:
        declaration.parse_fields(self)

    def decisive(self) -> dict[str, Any]:
        """What a resumed run must share."""
        return declaration.decisive(self)
