"""Rows with several labels, or none: where a line has them, and how a set of labels is spelt in a column.

A set is its labels in their order, each with a blank behind it: no label of these formats contains one.  A set without
labels is a blank alone, so that it is not a missing value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isfinite

from linnet.data.label_types import in_label_order
from linnet.data.sources.separators import NUMBER
from linnet.errors import option

MARK = b"__label__"
# The column of sets beside sparse rows.
LABELS = "label"
BLANK = re.compile(rb"[ \t]+")
# What is in front of the features of a line of svmlight; one label of it.
FIRST_WORD = re.compile(rb"[^ \t\r#]*")
UNLABELLED = re.compile(rb"[ \t]*\d+:")
LABEL = re.compile(NUMBER)
# The first line of the files of the Extreme Classification Repository: the numbers of rows, features and labels.
HEADER = re.compile(rb"\d+[ \t]+\d+[ \t]+\d+[ \t]*\r?")
# Up to here floating-point numbers hold integers exactly.
EXACT_INTEGERS = 2**53


def several_are_taken() -> str:
    """What to do where a row has not one label, in the middle of rows that have one each."""
    return f"to train on rows with several labels or none: {option('multiclass', 'each-label')}"


class NotALabel(Exception):
    """What is wrong with the labels of a line, and at which byte of it, from 0."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason, self.at = reason, at


def spelt(labels: Iterable[str]) -> str:
    """The one spelling of a set."""
    return "".join(f"{label} " for label in in_label_order(list(set(labels)))) or " "


def labels_of(spelling: str) -> list[str]:
    """The labels of a set, from its spelling."""
    return [label for label in spelling.split(" ") if label]


def marked(line: bytes) -> tuple[str, bytes] | None:
    """The labels of a line of fastText, as a set, and the text behind them; None if one of them is empty."""
    labels = []
    while line.startswith(MARK):
        word, *rest = BLANK.split(line, 1)
        if word == MARK:
            return None
        labels.append(word[len(MARK) :].decode())
        line = rest[0] if rest else b""
    return spelt(labels), line


def numbered(line: bytes) -> tuple[str, int]:
    """The labels of a line of svmlight, as a set, and where they end; NotALabel if they are not numbers.

    A line that begins with a feature has no labels.
    """
    at = len(line) - len(line.lstrip(b" \t"))
    found = FIRST_WORD.match(line, at)
    word = b"" if found is None else found[0]
    if b":" in word:
        return spelt(()), 0
    labels = []
    for text in word.split(b","):
        if not LABEL.fullmatch(text) or not isfinite(float(text)):
            raise NotALabel(_what_is_wrong(text), at)
        labels.append(_number(float(text)))
        at += len(text) + 1
    return spelt(labels), at - 1


def is_several(line: bytes) -> bool:
    """Whether a line of svmlight has more than one label."""
    try:
        return len(labels_of(numbered(line)[0])) > 1
    except NotALabel:
        return False


def _what_is_wrong(text: bytes) -> str:
    if not text:
        return "a label is missing here: labels are numbers with one comma between two of them, as in 1,5,7"
    return f"the label {text[:40].decode(errors='replace')!r} is not a decimal number"


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < EXACT_INTEGERS else repr(value)
