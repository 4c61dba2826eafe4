"""The options of training a tagger, each declared once.

A light module: the command line is made from it, and `linnet --help` must not load NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from numbers import Integral
from typing import Any

from linnet.data.on_error import OnError
from linnet.errors import RecipeError
from linnet.errors import option as spelt
from linnet.pipeline.declaration import option
from linnet.structured import shared_options
from linnet.structured.formats import SentenceFormat
from linnet.structured.shared_options import READING, TRAINING

FEATURES = "Features"
AUTO = "auto"
MOST_MARGIN = 1_000_000


class TagUpdate(StrEnum):
    """How weights move at a mistake: by 1, or as far as is needed (passive-aggressive, also called MIRA)."""

    PERCEPTRON = "perceptron"
    PASSIVE_AGGRESSIVE = "passive-aggressive"


class SchemeChoice(StrEnum):
    """How tags mark spans; auto looks at them, none is for tags of words; bilou and bmes are iobes in other letters."""

    AUTO = "auto"
    NONE = "none"
    IOB1 = "iob1"
    IOB2 = "iob2"
    IOBES = "iobes"
    BILOU = "bilou"
    BMES = "bmes"


def _margin(value: Any) -> int | str:
    if isinstance(value, str) and value == AUTO:
        return AUTO
    given = isinstance(value, str | Integral) and not isinstance(value, bool)
    number = int(value) if given and str(value).isdecimal() else -1
    if not 0 <= number <= MOST_MARGIN:
        raise RecipeError(f"{spelt('margin')} must be auto, or a whole number from 0 to {MOST_MARGIN:,}; it is {value}")
    return number


def _names(value: Any) -> tuple[str, ...]:
    given = [value] if isinstance(value, str) else list(value)
    return tuple(name.strip() for each in given for name in str(each).split(",") if name.strip())


def _files_by_name(value: Any) -> dict[str, str]:
    """NAME=FILE, given several times."""
    if isinstance(value, Mapping):
        return {str(name): str(path) for name, path in value.items()}
    found: dict[str, str] = {}
    pairs: Sequence[str] = [value] if isinstance(value, str) else value
    for each in pairs:
        name, mark, path = each.partition("=")
        if not mark or not name or not path or "," in name:
            raise RecipeError(f"{spelt('gazetteer')} takes NAME=FILE, such as city=cities.txt; not {each!r}")
        found[name] = path
    return found


@dataclass(frozen=True)
class TagOptions(shared_options.OfSentences):
    """All options of training a tagger, by the names that users know."""

    target: str | None = option(
        None, "", "The column of the tags: its name, first, last, or its number from 1 (default: upos of CoNLL-U, "
        "tags of JSON Lines, else the last).", metavar="COLUMN",
    )  # fmt: skip
    word: str | None = option(
        None, "", "The column of the words (default: form of CoNLL-U, tokens of JSON Lines, else the first).",
        metavar="COLUMN",
    )  # fmt: skip
    columns: tuple[str, ...] | None = option(
        None, "", "Other columns to make features of, such as parts of speech, or none (default: all columns of column "
        "files; none of CoNLL-U and JSON Lines). They must be there in prediction, too.",
        metavar="COLUMN,...", parse=_names, repeatable=True, python="list of str",
    )  # fmt: skip
    scheme: SchemeChoice = option(SchemeChoice.AUTO, TRAINING, "How tags mark spans; auto looks at the tags.")
    order: int = option(
        1, TRAINING, "Tags before a tag that its score depends on: 1, or 2 (trigrams of tags), which takes longer.",
        least=1, most=2,
    )  # fmt: skip
    passes: int | None = shared_options.passes()
    update: TagUpdate = option(
        TagUpdate.PERCEPTRON, TRAINING, "perceptron moves weights by 1; passive-aggressive as far as needed, up to C."
    )
    C: float = shared_options.largest_step()
    margin: int | str = option(
        AUTO, TRAINING, "By how much more true tags are to score than others, for each token that these have wrong, in "
        "steps of the perceptron (0: not less); auto is 50, or what held-out sentences prefer to it by far.",
        metavar="N|auto", parse=_margin, python="int or 'auto'",
    )  # fmt: skip
    dictionary: int = option(
        0, TRAINING, "Words that came at least N times, always with one tag, always get that tag: faster (0: off).",
        least=0, most=1_000_000_000,
    )  # fmt: skip
    seed: int = shared_options.seed()
    templates: str | None = option(
        None, FEATURES, "A file of feature templates, one a line, such as: lower@-1 lower (default: by the tags).",
        metavar="FILE",
    )  # fmt: skip
    clusters: str | None = option(
        None,
        FEATURES,
        "A file of word clusters: BITS<TAB>WORD a line (of Brown and Liang), or WORD BITS.",
        metavar="FILE",
    )
    gazetteer: Mapping[str, str] = option(
        {}, FEATURES, "A list of names, one a line (of several words, too), as a feature of this name.",
        metavar="NAME=FILE", parse=_files_by_name, repeatable=True, python="dict of name to file",
    )  # fmt: skip
    format: SentenceFormat | None = option(
        None, READING, "The format of the files; inferred.", metavar="conllu|columns|slash|underscore|jsonl|text",
        decisive=False,
    )  # fmt: skip
    separator: str | None = option(
        None, READING, "What separates columns: one character, tab, or blanks; inferred.", metavar="CHARACTER",
        decisive=False,
    )  # fmt: skip
    encoding: str | None = shared_options.encoding()
    on_error: OnError = shared_options.on_error(
        "Sentences that cannot be read: stop at the first, skip them, or (in train) write them to MODEL.quarantine."
    )
    threads: int = shared_options.threads()
    checkpoint_every: int | None = shared_options.checkpoint_every()
    resume: bool = shared_options.resume()
