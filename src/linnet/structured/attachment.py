"""How good trees are: attachment scores, as the official scorer of the CoNLL 2018 shared task defines them.

    UAS  the fraction of words that have the right head
    LAS  the fraction that have the right head and relation, of which only the universal part counts: nmod of nmod:poss
    full LAS  the same with the whole relation

On words as they are in the gold file, precision and recall of the official scorer are both this fraction.  Each is also
given without punctuation: words whose gold relation is punct.  Intervals are over sentences: words of one sentence are
not independent, so the variance of a ratio of sums is estimated from the sentences (the delta method).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.distributions import student_quantile
from linnet.evaluation.intervals import proportion_interval, upper_tail
from linnet.structured.parser_model import Trees
from linnet.structured.sentences import Sentences
from linnet.structured.treebank import relations_of

NAMES = ("uas", "las", "las_full")
PUNCTUATION = "punct"


@dataclass
class Ratio:
    """Right and all words of sentences, summed so that any cut into blocks gives the same bits."""

    right: int = 0
    words: int = 0
    sentences: int = 0
    squares: int = 0  # of right words
    products: int = 0  # of right and all
    words_squared: int = 0

    def add(self, right: NDArray[np.int64], words: NDArray[np.int64]) -> None:
        self.right += int(right.sum())
        self.words += int(words.sum())
        self.sentences += int((words > 0).sum())
        self.squares += int((right * right).sum())
        self.products += int((right * words).sum())
        self.words_squared += int((words * words).sum())

    @property
    def value(self) -> float | None:
        return self.right / self.words if self.words else None

    def interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """Of right / words: the residuals of a sentence are its right words less the ratio times its words."""
        if self.sentences < 2:
            return None
        s, p = self.sentences, self.right / self.words
        if self.right in (0, self.words):  # no sentence differs from another: as many right or wrong ones as there are
            low, high = proportion_interval(s if self.right else 0, s, confidence)
            return low, high
        # words² Σ (right - p words)², in integers
        scatter = self.squares * self.words**2 + self.right * (
            self.right * self.words_squared - 2 * self.words * self.products
        )
        t = student_quantile(s - 1, upper_tail(confidence))
        half = t * math.sqrt(scatter / self.words**4 * s / (s - 1))
        return max(0.0, p - half), min(1.0, p + half)


@dataclass
class Attachment:
    """Attachment scores, summed over blocks of sentences."""

    sentences: int = 0
    words: int = 0
    trees_right: int = 0
    scores: dict[str, Ratio] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in NAMES:
            self.scores.setdefault(name, Ratio())
            self.scores.setdefault(f"{name}_without_punctuation", Ratio())

    def add(self, sentences: Sentences, trees: Trees) -> None:
        """Compare trees with those of the sentences themselves."""
        assert sentences.heads is not None
        gold = relations_of(sentences)
        number = {name: place for place, name in enumerate(sorted({*gold, *trees.relations}))}
        universal_names = sorted({_universal(name) for name in number})
        universal = np.array([universal_names.index(_universal(name)) for name in number], dtype=np.int64)
        true = np.fromiter((number[name] for name in gold), dtype=np.int64, count=len(gold))
        found = np.array([number[name] for name in trees.relations], dtype=np.int64)[trees.relation]
        heads = trees.heads == sentences.heads
        right = (heads, heads & (universal[true] == universal[found]), heads & (true == found))
        words = np.array([_universal(name) != PUNCTUATION for name in number])[true]
        every = np.ones(len(true), dtype=bool)
        for name, each in zip(NAMES, right, strict=True):
            for counted, suffix in ((every, ""), (words, "_without_punctuation")):
                self.scores[name + suffix].add(
                    _sums(each & counted, sentences.starts), _sums(counted, sentences.starts)
                )
        self.sentences += len(sentences)
        self.words += len(true)
        self.trees_right += int((_sums(right[2], sentences.starts) == np.diff(sentences.starts)).sum())

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {"sentences": self.sentences, "words": self.words}
        for name, ratio in self.scores.items():
            interval = ratio.interval()
            found[name] = ratio.value
            found[f"{name}_interval"] = None if interval is None else list(interval)
        found["exact_trees"] = self.trees_right / self.sentences if self.sentences else None
        return found


def _universal(relation: str) -> str:
    return relation.partition(":")[0]


def _sums(flags: NDArray[np.bool_], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    total = np.concatenate([[0], np.cumsum(flags, dtype=np.int64)])
    found: NDArray[np.int64] = total[starts[1:]] - total[starts[:-1]]
    return found
