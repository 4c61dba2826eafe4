"""The formats of sentences, by the names users give them, and how they are recognised.

A light module: `linnet --help` must not load NumPy.
"""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import pairwise

from linnet.errors import InputError, option

CONLLU = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
BLANKS, TAB = ord(" "), ord("\t")
CONLLU_LINE = re.compile(rb"\d+([-.]\d+)?\t([^\t]+\t){8}[^\t]+")
# Of word/TAG files, nearly every word must have its mark.
LOOKED_AT = 200
# As many lines with the same number of words are columns, even without sentences of several lines; fewer may be text.
NO_ACCIDENT = 10


class SentenceFormat(StrEnum):
    """conllu has ten columns separated by tabs; columns any number of them, a token a line, a blank line after each
    sentence.  slash is word/TAG, underscore word_TAG, and text words alone: a sentence a line.  jsonl is an object a
    line, with lists of strings: tokens and tags.
    """

    CONLLU = "conllu"
    COLUMNS = "columns"
    SLASH = "slash"
    UNDERSCORE = "underscore"
    JSONL = "jsonl"
    TEXT = "text"


def detected(
    head: bytes, path: str, given: SentenceFormat | None, separator: int | None, *, to_predict: bool, more_columns: bool
) -> tuple[SentenceFormat, int]:
    """The format and the separator of columns, by the beginning of the text.

    `to_predict`: it may be plain text, unless there must be `more_columns` than the words.
    """
    lines = [line.removesuffix(b"\r") for line in head.split(b"\n")[:LOOKED_AT]]
    filled = [line for line in lines if line.strip(b" \t")]
    kind = given or _format(lines, filled, separator, text=to_predict and not more_columns)
    if kind is SentenceFormat.CONLLU:
        return kind, TAB
    if kind is SentenceFormat.TEXT and not to_predict:
        raise InputError(
            f"{path}: neither columns, nor word/TAG, nor JSON with tags: name the format with {option('format')}"
        )
    if kind is SentenceFormat.COLUMNS and separator is None:
        separator = TAB if filled and all(b"\t" in line for line in filled) else BLANKS
    return kind, separator or BLANKS


def _format(lines: list[bytes], filled: list[bytes], separator: int | None, *, text: bool) -> SentenceFormat:
    first = next((line for line in filled if not line.startswith(b"#")), b"")
    if CONLLU_LINE.fullmatch(first):
        return SentenceFormat.CONLLU
    if first.lstrip().startswith(b"{"):
        return SentenceFormat.JSONL
    if separator is not None:
        return SentenceFormat.COLUMNS
    words = [word for line in filled for word in line.split()]
    for mark, kind in ((b"/", SentenceFormat.SLASH), (b"_", SentenceFormat.UNDERSCORE)):
        if words and all(0 < word.rfind(mark) < len(word) - 1 for word in words):
            return kind
    between = sum(not line.strip() for line in lines[:-1])
    counts = {len(line.split(b"\t") if b"\t" in first else line.split()) for line in filled}
    if len(counts) == 1 and (counts != {1} or between):
        blocks = between and any(a.strip() and b.strip() for a, b in pairwise(lines))
        fewest = NO_ACCIDENT if text and not blocks and b"\t" not in first else 2
        return SentenceFormat.COLUMNS if len(filled) >= fewest or counts == {1} else SentenceFormat.TEXT
    # most lines alike, and sentences apart: columns, of which some line is wrong
    if between and any(8 * sum(len(line.split()) == count for line in filled) > 7 * len(filled) for count in counts):
        return SentenceFormat.COLUMNS
    return SentenceFormat.TEXT
