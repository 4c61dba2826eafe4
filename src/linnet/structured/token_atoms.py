"""The atoms of tokens: parts of their words, each different word taken apart once, and the values of other columns."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.kernels.tagging_features import Numbering, field_hashes
from linnet.kernels.tagging_parts import GIVEN, part_hashes
from linnet.structured.gazetteers import Gazetteers
from linnet.structured.sentences import Sentences
from linnet.structured.templates import Templates

# Columns are hashed by seeds of their own, far from those of parts.
COLUMN_SEED = 1 << 32
GIVEN_SEED = 1 << 33
LIST_SEED = 1 << 34


@dataclass(frozen=True)
class WordLists:
    """What files say of words: their clusters, as strings of bits, and the lists of names that they are in
    (`gazetteers.normal_lists`)."""

    clusters: Mapping[str, str] = field(default_factory=dict)
    gazetteers: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def given(self, name: str, word: str) -> str:
        """The value of a part that comes from a file; nothing where the word is not in it."""
        cluster = self.clusters.get(word) or self.clusters.get(word.lower(), "")
        return cluster[: int(name.removeprefix("cluster"))]


NO_LISTS = WordLists()
ASCII_SHAPES = str.maketrans({
    **dict.fromkeys(string.ascii_uppercase, "X"), **dict.fromkeys(string.ascii_lowercase, "x"),
    **dict.fromkeys(string.digits, "0"),
})  # fmt: skip
REPEATED = re.compile(r"([\x00-\x7f])\1+")
DIGIT = re.compile("[0-9]")


def shape_of(text: str) -> str:
    """The shape of a word in any script: X upper case, x lower case, 0 digits, a other letters, marks left out."""
    signs = []
    for letter in text:
        kind = unicodedata.category(letter)
        if kind in ("Lu", "Lt"):
            signs.append("X")
        elif kind == "Ll":
            signs.append("x")
        elif kind == "Nd":
            signs.append("0")
        elif kind[0] == "L":
            signs.append("a")
        elif kind[0] != "M":
            signs.append(letter)
    return "".join(signs)


def renumbered(keys: NDArray[np.uint64]) -> Numbering:
    """Keys with the numbers of their order, as a pickled numbering has them."""
    numbering = Numbering()
    numbering.numbers(keys)
    return numbering


class WordTable:
    """Different words numbered as they come, and the hashes of their parts."""

    def __init__(self, templates: Templates, lists: WordLists = NO_LISTS) -> None:
        self.templates = templates
        self.lists = lists
        self.gazetteers = Gazetteers(lists.gazetteers) if templates.gazetteer else None
        self.forget()

    def forget(self) -> None:
        self.numbering = Numbering()
        self._atoms = np.empty((1024, len(self.templates.parts)), dtype=np.uint64)
        # what the words are among those of gazetteers
        self._codes = np.empty(0, dtype=np.int32)

    def __len__(self) -> int:
        return len(self.numbering)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "numbering": self.numbering.keys()}  # type: ignore[no-untyped-call]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, numbering=renumbered(state["numbering"]))

    @property
    def atoms(self) -> NDArray[np.uint64]:
        return self._atoms[: max(1, len(self))]

    def numbers(self, sentences: Sentences, column: int) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """The number of each word, and the hashes of those that are new, in the order of their numbers."""
        begins, ends = _contiguous(sentences, column)
        hashes = field_hashes(sentences.data, begins, ends, 0)
        numbers, firsts = self.numbering.numbers_and_firsts(hashes)
        if len(firsts):
            new = (sentences.data, begins[firsts], ends[firsts])
            self._add(self._parts(*new))
            if self.gazetteers is not None:
                self._codes = np.concatenate([self._codes, self.gazetteers.codes(_texts(*new))])
        return numbers, hashes[firsts]

    def listed(self, own: NDArray[np.uint32], starts: NDArray[np.int64]) -> dict[int, str]:
        """For each token that is in an entry of a gazetteer, the names of its lists, by the numbers of all words."""
        return {} if self.gazetteers is None else self.gazetteers.listed(self._codes[own], starts)

    def _add(self, parts: NDArray[np.uint64]) -> None:
        used = len(self) - len(parts)
        if len(self) > len(self._atoms):
            grown = np.empty((2 * len(self), self._atoms.shape[1]), dtype=np.uint64)
            grown[:used] = self._atoms[:used]
            self._atoms = grown
        self._atoms[used : used + len(parts)] = parts

    def _parts(
        self, data: NDArray[np.uint8], begins: NDArray[np.uint32], ends: NDArray[np.uint32]
    ) -> NDArray[np.uint64]:
        high = np.concatenate([[0], np.cumsum(data >= 0x80)])
        others = np.flatnonzero(high[ends] > high[begins]).tolist()
        texts: list[bytes] = []
        for number in others:  # what Python knows of other scripts
            word = data[begins[number] : ends[number]].tobytes().decode("utf-8", "replace")
            texts += [word.lower().encode(), shape_of(word).encode()]
        starts = np.concatenate([[0], np.cumsum([len(each) for each in texts], dtype=np.int64)]).astype(np.int64)
        joined = np.frombuffer(b"".join(texts) + b"\0", dtype=np.uint8)
        extra = self._given(data, begins, ends)
        parts: NDArray[np.uint64] = part_hashes(data, begins, ends, self.templates.kinds, joined, starts, extra)
        return parts

    def _given(
        self, data: NDArray[np.uint8], begins: NDArray[np.uint32], ends: NDArray[np.uint32]
    ) -> NDArray[np.uint64]:
        """The hashes of parts that files give."""
        names = [
            name for name, kind in zip(self.templates.parts, self.templates.kinds[:, 0], strict=True) if kind == GIVEN
        ]
        if not names:
            return np.empty((0, 0), dtype=np.uint64)
        words = _texts(data, begins, ends)
        columns = [
            _hashes([self.lists.given(name, word) for word in words], GIVEN_SEED + number)
            for number, name in enumerate(names)
        ]
        return np.ascontiguousarray(np.stack(columns, axis=1))


def atoms_of_tokens(
    sentences: Sentences, columns: tuple[int, ...], listed: Mapping[int, str] | None
) -> NDArray[np.uint64]:
    """Atoms that are not those of the word alone, as hashes: the values of these columns, and, where templates name
    them, the lists that tokens are in."""
    found = np.zeros((sentences.tokens, len(columns) + (listed is not None)), dtype=np.uint64)
    for number, column in enumerate(columns):
        found[:, number] = field_hashes(sentences.data, *_contiguous(sentences, column), COLUMN_SEED + number)
    if listed:
        found[list(listed), -1] = _hashes(list(listed.values()), LIST_SEED)
    return found


def _texts(data: NDArray[np.uint8], begins: NDArray[np.uint32], ends: NDArray[np.uint32]) -> list[str]:
    return [
        data[begin:end].tobytes().decode("utf-8", "replace")
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
    ]


def _hashes(values: list[str], seed: int) -> NDArray[np.uint64]:
    """Hashes of texts; 0 of those that are empty."""
    encoded = [each.encode() for each in values]
    stops = np.cumsum([len(each) for each in encoded]).astype(np.uint32)
    begins = stops - np.array([len(each) for each in encoded], dtype=np.uint32)
    hashes = field_hashes(np.frombuffer(b"".join(encoded) + b"\0", dtype=np.uint8), begins, stops, seed)
    return np.where(stops > begins, hashes, np.uint64(0))


def _contiguous(sentences: Sentences, column: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    return np.ascontiguousarray(sentences.begins[:, column]), np.ascontiguousarray(sentences.ends[:, column])


def parts_of(name: str, words: list[str], lower: list[str], lists: WordLists = NO_LISTS) -> list[str | None]:
    """A part of some words in letters, for people; None where a word has not got it.  `lower` are the words in lower
    case, which is made once for all parts."""
    if name == "word":
        return list(words)
    if name in ("shape", "longshape"):
        shapes = [word.translate(ASCII_SHAPES) if word.isascii() else shape_of(word) for word in words]
        if name == "longshape":
            return list(shapes)
        short = {shape: REPEATED.sub(r"\1", shape) for shape in set(shapes)}  # many words have one shape
        return [short[shape] for shape in shapes]
    if name == "lower":
        return list(lower)
    if name == "digits":
        return [low if low.isalpha() else DIGIT.sub("0", low) for low in lower]
    if name.startswith(("prefix", "suffix")):
        size = int(name[6:])
        if name.startswith("prefix"):
            return [low[:size] if len(low) > size else None for low in lower]
        return [low[-size:] if len(low) > size else None for low in lower]
    return [lists.given(name, word) or None for word in words]
