"""Tags that mark spans: how they are written (IOB1, IOB2, IOBES), what spans they mean, and conversions.

What a span is follows conlleval, the scorer of the CoNLL tasks: it begins at B, at I after O or after another type, and
ends where the next one begins or O stands.  E ends a span and S is a span of one token (also written L and U, and M for
I): what follows either begins a new one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

SPAN_TAG = re.compile(r"(?:[BIESLUMW]-(.+)|O)", re.DOTALL)
OUTSIDE = "O"
# The letters of tags: those that begin a span, and those that end it.
BEGINS, ENDS = frozenset("BSUW"), frozenset("ESLUW")


class Scheme(StrEnum):
    """NONE: tags of words, not of spans.  IOB1 has B only between neighbours of one type, IOB2 at every beginning;
    IOBES marks ends and single tokens, too; BILOU and BMES are IOBES in other letters."""

    NONE = "none"
    IOB1 = "iob1"
    IOB2 = "iob2"
    IOBES = "iobes"
    BILOU = "bilou"
    BMES = "bmes"


# How schemes that mark ends write a beginning, an end, the inside, and a span of one token.
LETTERS = {Scheme.IOBES: "BEIS", Scheme.BILOU: "BLIU", Scheme.BMES: "BEMS"}


@dataclass(frozen=True, eq=False)
class Spans:
    """The spans of some sentences: which tokens begin and end one, and the number of the type of each token, -1
    outside."""

    begins: NDArray[np.bool_]
    ends: NDArray[np.bool_]
    types: NDArray[np.int64]
    names: tuple[str, ...]

    def triples(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The first token, the last token and the type of every span, in order."""
        firsts, lasts = np.flatnonzero(self.begins), np.flatnonzero(self.ends)
        return firsts, lasts, self.types[firsts]


def is_span_tag(tag: str) -> bool:
    return SPAN_TAG.fullmatch(tag) is not None


def spans_of(tags: Sequence[str], codes: NDArray[np.int32], sentences: NDArray[np.int64]) -> Spans:
    """The spans of tokens with tags tags[codes[t]], as conlleval counts them."""
    names = sorted({tag[2:] for tag in tags if tag != OUTSIDE})
    number = {name: at for at, name in enumerate(names)}
    type_of = np.array([-1 if tag == OUTSIDE else number[tag[2:]] for tag in tags] or [-1], dtype=np.int64)
    opens = np.array([tag != OUTSIDE and tag[0] in BEGINS for tag in tags] or [False])
    closes = np.array([tag != OUTSIDE and tag[0] in ENDS for tag in tags] or [False])
    types = type_of[codes]
    first = np.zeros(len(codes), dtype=bool)
    first[sentences[:-1][np.diff(sentences) > 0]] = True
    before = np.concatenate([[-1], types[:-1]])[: len(codes)]
    closed = np.concatenate([[False], closes[codes][:-1]])[: len(codes)]
    begins = (types >= 0) & (opens[codes] | first | (before != types) | closed)
    following = np.concatenate([begins[1:] | first[1:] | (types[1:] < 0), [True]])[: len(codes)]
    return Spans(begins, (types >= 0) & following, types, tuple(names))


def written(spans: Spans, sentences: NDArray[np.int64], scheme: Scheme) -> tuple[list[str], NDArray[np.int32]]:
    """The tags of spans in a scheme: their names, sorted, and the number of the tag of each token."""
    b, e, i, single = range(4)
    inside = spans.types >= 0
    if scheme in LETTERS:
        letters = np.where(spans.begins, np.where(spans.ends, single, b), np.where(spans.ends, e, i))
    elif scheme is Scheme.IOB1:
        first = np.zeros(len(inside), dtype=bool)
        first[sentences[:-1][np.diff(sentences) > 0]] = True
        before = np.concatenate([[-1], spans.types[:-1]])[: len(inside)]
        letters = np.where(spans.begins & ~first & (before == spans.types), b, i)
    else:
        letters = np.where(spans.begins, b, i)
    found, inverse = np.unique(np.where(inside, 4 * spans.types + letters, -1), return_inverse=True)
    signs = LETTERS.get(scheme, LETTERS[Scheme.IOBES])
    names = [OUTSIDE if key < 0 else f"{signs[key % 4]}-{spans.names[key // 4]}" for key in found.tolist()]
    ranks = np.argsort(np.argsort(np.array(names, dtype=object), kind="stable"), kind="stable")
    return sorted(names), ranks[inverse.reshape(-1)].astype(np.int32)


def detected_scheme(tags: Sequence[str], codes: NDArray[np.int32], sentences: NDArray[np.int64]) -> Scheme:
    """The scheme that the tags of some sentences are written in."""
    if not all(map(is_span_tag, tags)) or all(tag == OUTSIDE for tag in tags):
        return Scheme.NONE
    letters = {tag[0] for tag in tags if tag != OUTSIDE}
    if letters & set("LU"):
        return Scheme.BILOU
    if letters & set("MW"):
        return Scheme.BMES
    if letters & ENDS:
        return Scheme.IOBES
    spans = spans_of(tags, codes, sentences)
    is_b = np.array([tag[0] == "B" for tag in tags])[codes]
    if not (spans.begins & ~is_b).any():
        return Scheme.IOB2
    return Scheme.IOB1


def tag_groups(tags: Sequence[str], scheme: Scheme) -> NDArray[np.int32] | None:
    """The number of the type of each tag, whose letters have weights in common; None for tags of words."""
    if scheme is Scheme.NONE:
        return None
    types = sorted({tag[2:] for tag in tags})
    return np.array([types.index(tag[2:]) for tag in tags], dtype=np.int32)


def allowed_transitions(tags: Sequence[str], scheme: Scheme) -> NDArray[np.uint8]:
    """Which tag may follow which; the last one is what is outside of the sentence.  IOBES only: others allow all."""
    size = len(tags) + 1
    if scheme is not Scheme.IOBES:
        return np.ones((size, size), dtype=np.uint8)
    allowed = np.zeros((size, size), dtype=np.uint8)
    every = [*tags, OUTSIDE]
    for i, before in enumerate(every):
        for j, after in enumerate(every):
            is_open, goes_on = before[0] in "BI", after[0] in "IE"
            allowed[i, j] = is_open == goes_on and (not is_open or before[2:] == after[2:])
    allowed[size - 1, size - 1] = 0
    return allowed
