"""What features of a token are made of: templates, as data.

A template is one or more atoms, separated by blanks; its feature says what all of them are.  An atom is a part of a
word or the value of another column, of the token itself or of one nearby: `word`, `suffix3`, `lower@-1`, `xpos@+1`.

    word         the word as it is              lower        in lower case
    prefix1...   its first characters           suffix1...   its last ones, both in lower case
    shape        Xx for Paris, 0.0 for 12.5     longshape    Xxxxx for Paris, 00.0 for 12.5
    digits       in lower case, digits as 0     cluster4...  the first bits of its cluster (a file gives it)
    gazetteer    the lists that have an entry   NAME         the field of a column: xpos, or column2 of columns
                 it is in, of one or more words

A template whose token is outside of the sentence says so, for words and columns; of parts of words and lists there is
none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linnet.errors import RecipeError
from linnet.kernels.tagging_parts import DIGITS, GIVEN, LONG_SHAPE, LOWER, PREFIX, SHAPE, SUFFIX, WORD

PLAIN = {"word": WORD, "lower": LOWER, "shape": SHAPE, "longshape": LONG_SHAPE, "digits": DIGITS}
NUMBERED = {"prefix": PREFIX, "suffix": SUFFIX}
ATOM = re.compile(r"([^@\s]+)(?:@([+-]?\d+))?")
PART = re.compile(r"(prefix|suffix|cluster)([1-9]\d?)")
GAZETTEER = "gazetteer"
MOST_TEMPLATES, MOST_ATOMS, FARTHEST = 256, 8, 8

# What is good for tags of words, whatever the language: affixes and shapes stand for words that were not seen in
# training.
WORDS = (
    "word", "lower", "digits",
    "prefix1", "prefix2", "prefix3", "prefix4",
    "suffix1", "suffix2", "suffix3", "suffix4", "suffix5",
    "shape", "longshape",
    "lower@-2", "lower@-1", "lower@1", "lower@2",
    "lower@-1 lower", "lower lower@1", "lower@-1 lower@1",
    "suffix3@-1", "suffix3@1", "shape@-1", "shape@1",
    "shape@-1 shape", "shape shape@1", "suffix3@-1 suffix3", "suffix3 suffix3@1",
)  # fmt: skip
# For spans (chunks, entities), what is around a token tells more.
SPANS = (
    "shape@-2", "shape@2", "shape@-1 shape shape@1", "prefix3@-1", "prefix3@1", "longshape@-1", "longshape@1",
)  # fmt: skip
# For each other column, such as parts of speech, where {0} is its name.
COLUMN = (
    "{0}@-2", "{0}@-1", "{0}", "{0}@1", "{0}@2",
    "{0}@-2 {0}@-1", "{0}@-1 {0}", "{0} {0}@1", "{0}@1 {0}@2",
    "{0}@-2 {0}@-1 {0}", "{0}@-1 {0} {0}@1", "{0} {0}@1 {0}@2",
    "lower {0}", "lower@-1 {0}", "{0}@-1 lower", "lower {0}@1", "{0} lower@1",
)  # fmt: skip


@dataclass(frozen=True)
class Templates:
    """Templates, and the columns other than the word that they need."""

    texts: tuple[str, ...]
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < len(self.texts) <= MOST_TEMPLATES:
            raise RecipeError(f"{len(self.texts)} templates: give 1 to {MOST_TEMPLATES}")
        if len(set(self.texts)) < len(self.texts):
            twice = next(each for number, each in enumerate(self.texts) if each in self.texts[:number])
            raise RecipeError(f"the template {twice!r} is there twice")
        self.compiled  # noqa: B018 - raises what is wrong

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts of words that templates name, in the order of first use."""
        found: dict[str, None] = {}
        for text in self.texts:
            found |= {name: None for name, _ in atoms(text) if is_part(name)}
        return tuple(found)

    @cached_property
    def gazetteer(self) -> bool:
        """Whether a template names the lists that a token is in."""
        named = (name for text in self.texts for name, _ in atoms(text))
        return GAZETTEER not in self.columns and GAZETTEER in named

    @cached_property
    def kinds(self) -> NDArray[np.int32]:
        """The parts as kernels know them: kind and number; given ones are numbered in order."""
        rows, given = [], 0
        for name in self.parts:
            numbered = PART.fullmatch(name)
            if name in PLAIN:
                rows.append((PLAIN[name], 0))
            elif numbered and numbered[1] in NUMBERED:
                rows.append((NUMBERED[numbered[1]], int(numbered[2])))
            else:
                rows.append((GIVEN, given))
                given += 1
        return np.array(rows, dtype=np.int32).reshape(-1, 2)

    @cached_property
    def compiled(self) -> NDArray[np.int32]:
        """One row a template: the number of its atoms, and for each the atom's number and the offset.  Atoms are
        numbered in this order: parts, columns, and the lists that a token is in."""
        names = [*self.parts, *self.columns, GAZETTEER]
        most = max(len(atoms(text)) for text in self.texts)
        if most > MOST_ATOMS:
            raise RecipeError(f"a template of {most} atoms: {MOST_ATOMS} at most")
        table = np.zeros((len(self.texts), 1 + 2 * most), dtype=np.int32)
        for row, text in zip(table, self.texts, strict=True):
            found = atoms(text)
            row[0] = len(found)
            for place, (name, offset) in enumerate(found):
                if name not in names:
                    known = ", ".join([*PLAIN, "prefix1...", "suffix1...", "cluster4...", *names[len(self.parts) :]])
                    raise RecipeError(f"the template {text!r}: {name!r} is not one of {known}")
                row[1 + 2 * place], row[2 + 2 * place] = names.index(name), offset
        return table

    @cached_property
    def bounded(self) -> NDArray[np.uint8]:
        """Which atoms say that their token is outside of the sentence: words and columns, not parts of words or
        lists."""
        whole = [name in ("word", "lower", "digits") for name in self.parts] + [True] * len(self.columns) + [False]
        return np.array(whole, dtype=np.uint8)


def atoms(text: str) -> list[tuple[str, int]]:
    """The names and offsets of a template's atoms."""
    found = []
    for each in text.split():
        parsed = ATOM.fullmatch(each)
        if parsed is None or abs(offset := int(parsed[2] or 0)) > FARTHEST:
            raise RecipeError(
                f"the template {text!r}: {each!r} is not NAME or NAME@OFFSET, the offset from -{FARTHEST} to {FARTHEST}"
            )
        found.append((parsed[1], offset))
    if not found:
        raise RecipeError("a template is empty")
    return found


def is_part(name: str) -> bool:
    return name in PLAIN or PART.fullmatch(name) is not None


def default_templates(columns: Sequence[str], *, spans: bool, clusters: bool, gazetteers: bool) -> Templates:
    """Good ones for the tags at hand: `spans` for chunks and entities; `columns` are those beside word and tag."""
    texts = [*WORDS, *(SPANS if spans else ())]
    for name in columns:
        texts += [each.format(name) for each in COLUMN]
    if clusters:
        texts += [f"cluster{bits}@{offset}" for bits in (4, 6, 10, 20) for offset in (-1, 0, 1)]
    if gazetteers:
        texts += [f"{GAZETTEER}@{offset}" for offset in (-1, 0, 1)] + [f"{GAZETTEER} shape"]
    return Templates(tuple(texts), tuple(columns))


def read_templates(lines: Sequence[str], columns: Sequence[str]) -> Templates:
    """Templates of a file, one a line; lines that begin with # are comments.  Only the columns that they name are
    kept."""
    texts = [" ".join(line.split()) for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not texts:
        raise RecipeError("there are no templates: write one a line, such as: word, or suffix3, or lower@-1 lower")
    named = {name for text in texts for name, _ in atoms(text)}
    return Templates(tuple(texts), tuple(name for name in columns if name in named))
