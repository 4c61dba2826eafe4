"""How a column of text becomes features. A light module: `linnet --help` must not load NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

# Every word begins an n-gram of each length: this bounds what a text of n words can cost, whoever wrote the model.
LONGEST_NGRAM = 10


class Analyzer(StrEnum):
    """What n-grams are made of, under scikit-learn's names: words, characters, or characters within words."""

    WORD = "word"
    CHAR = "char"
    CHAR_WB = "char_wb"


@dataclass(frozen=True)
class Tokenization:
    """How text becomes tokens: `marks` makes a word of every character that is not a letter, digit or space."""

    analyzer: Analyzer = Analyzer.WORD
    lowercase: bool = True
    shortest: int = 1
    marks: bool = False

    @property
    def whole(self) -> bool:
        """Whether a segment that is shorter than the n-gram counts as one n-gram."""
        return self.analyzer is Analyzer.CHAR_WB

    @property
    def gap(self) -> int:
        """Bytes between two tokens."""
        return 1 if self.analyzer is Analyzer.WORD else 0


class CountWeighting(StrEnum):
    """The value of an n-gram that a row has `count` times: count, 1, or 1 + log(count).

    The user's choice; a learner may need another (TextWeighting, learners/entry.py).
    """

    COUNT = "count"
    BINARY = "binary"
    LOG = "log"


@dataclass(frozen=True)
class TextOptions:
    """How a column of text becomes features."""

    analyzer: Analyzer = Analyzer.WORD
    shortest: int = 1
    longest: int = 2
    lowercase: bool = True
    word_length: int = 1
    marks: bool = True
    count_weighting: CountWeighting = CountWeighting.LOG
    unit_length: bool = True

    @property
    def tokenization(self) -> Tokenization:
        return Tokenization(self.analyzer, self.lowercase, self.word_length, self.marks)
