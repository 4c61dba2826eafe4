"""How good tags are: on tokens, on words that training did not have, and on spans as conlleval counts them.

Intervals are by the delta method over sentences: sentences are independent, their tokens are not.  Of a ratio A / B
of sums over n sentences the variance is that of the sum of a_s - (A / B) b_s, over B² (Cochran 1977, Sampling
Techniques, 6.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.structured.tag_schemes import spans_of

Z = 1.959963984540054


@dataclass
class SpanCounts:
    """Spans of one type: true ones, predicted ones, and those that are both."""

    true: int = 0
    found: int = 0
    right: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {
            "precision": _ratio(self.right, self.found),
            "recall": _ratio(self.right, self.true),
            "f1": _ratio(2 * self.right, self.true + self.found),
            "spans": self.true,
            "predicted": self.found,
        }


@dataclass
class TagTally:
    """Counts, summed over blocks of sentences: any cut into blocks gives the same figures.

    `tokens`: for each tag the true ones, the predicted ones and those that are both, and by sentence what intervals
    need."""

    spans: bool
    tokens: dict[str, list[int]] = field(default_factory=dict)
    types: dict[str, SpanCounts] = field(default_factory=dict)
    # by sentence: tokens, right ones, unknown words, right ones of these; true, predicted and right spans
    by_sentence: list[NDArray[np.int64]] = field(default_factory=list)

    def add(
        self,
        true: tuple[list[str], NDArray[np.int32]],
        found: tuple[list[str], NDArray[np.int32]],
        unknown: NDArray[np.bool_],
        starts: NDArray[np.int64],
    ) -> None:
        """Count some sentences: the names of tags and the numbers of those of the tokens, true and predicted."""
        names = sorted({*true[0], *found[0]})
        number = {name: at for at, name in enumerate(names)}
        gold = np.array([number[name] for name in true[0]] or [0])[true[1]]
        guess = np.array([number[name] for name in found[0]] or [0])[found[1]]
        right = gold == guess
        size = len(names)
        for name, a, b, both in zip(
            names,
            np.bincount(gold, minlength=size).tolist(),
            np.bincount(guess, minlength=size).tolist(),
            np.bincount(gold[right], minlength=size).tolist(),
            strict=True,
        ):
            counts = self.tokens.setdefault(name, [0, 0, 0])
            for at, more in enumerate((a, b, both)):
                counts[at] += more
        columns = [np.ones(len(gold), dtype=bool), right, unknown, unknown & right]
        if self.spans:
            columns += self._spans(true, found, starts)
        sums = np.zeros((len(columns), len(starts) - 1), dtype=np.int64)
        for at, column in enumerate(columns):
            sums[at] = np.diff(np.concatenate([[0], np.cumsum(column)])[starts])
        self.by_sentence.append(sums)

    def _spans(
        self,
        true: tuple[list[str], NDArray[np.int32]],
        found: tuple[list[str], NDArray[np.int32]],
        starts: NDArray[np.int64],
    ) -> list[NDArray[np.bool_]]:
        """Count spans by type; for each token, whether a true one, a predicted one, one that is both begins there."""
        a, b = spans_of(true[0], true[1], starts), spans_of(found[0], found[1], starts)
        names = sorted({*a.names, *b.names})
        number = {name: at for at, name in enumerate(names)}
        begun = []
        last = []
        for each in (a, b):
            firsts, lasts, types = each.triples()
            kind = np.full(len(each.begins), -1, dtype=np.int64)
            end = np.full(len(each.begins), -1, dtype=np.int64)
            kind[firsts] = np.array([number[name] for name in each.names] or [0])[types]
            end[firsts] = lasts
            begun.append(kind)
            last.append(end)
        right = (begun[0] >= 0) & (begun[0] == begun[1]) & (last[0] == last[1])
        for at, name in enumerate(names):
            counts = self.types.setdefault(name, SpanCounts())
            counts.true += int((begun[0] == at).sum())
            counts.found += int((begun[1] == at).sum())
            counts.right += int((right & (begun[0] == at)).sum())
        return [begun[0] >= 0, begun[1] >= 0, right]

    def as_dict(self) -> dict[str, Any]:
        """The figures, with 95 % intervals."""
        rows = np.concatenate(self.by_sentence or [np.zeros((7 if self.spans else 4, 0), dtype=np.int64)], axis=1)
        tokens, right, unknown, unknown_right = rows[:4]
        result: dict[str, Any] = {
            "sentences": rows.shape[1],
            "tokens": int(tokens.sum()),
            "accuracy": _ratio(int(right.sum()), int(tokens.sum())),
            "accuracy_interval": _interval(right, tokens),
            "unknown_words": int(unknown.sum()),
            "unknown_accuracy": _ratio(int(unknown_right.sum()), int(unknown.sum())),
            "unknown_accuracy_interval": _interval(unknown_right, unknown),
            "sentence_accuracy": _ratio(int((right == tokens).sum()), rows.shape[1]),
        }
        if self.spans:
            true, found, both = rows[4:]
            result |= {
                "precision": _ratio(int(both.sum()), int(found.sum())),
                "precision_interval": _interval(both, found),
                "recall": _ratio(int(both.sum()), int(true.sum())),
                "recall_interval": _interval(both, true),
                "f1": _ratio(2 * int(both.sum()), int((true + found).sum())),
                "f1_interval": _interval(2 * both, true + found),
                "per_type": {name: self.types[name].as_dict() for name in sorted(self.types)},
            }
        else:
            f1 = [_ratio(2 * both, a + b) for a, b, both in self.tokens.values()]
            result["f1"] = float(np.mean([each or 0.0 for each in f1])) if f1 else None
        result["per_tag"] = {
            name: SpanCounts(*self.tokens[name]).as_dict() | {"tokens": self.tokens[name][0]}
            for name in sorted(self.tokens)
        }
        for each in result["per_tag"].values():
            del each["spans"]
        return result


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _interval(parts: NDArray[np.int64], wholes: NDArray[np.int64]) -> list[float | None]:
    """Of a ratio of sums over sentences; none where there are fewer than two sentences."""
    n, whole = len(wholes), int(wholes.sum())
    if n < 2 or not whole:
        return [None, None]
    ratio = int(parts.sum()) / whole
    rest = parts - ratio * wholes
    half = Z * float(np.sqrt(n / (n - 1) * np.sum(rest * rest))) / whole
    return [max(0.0, ratio - half), min(1.0, ratio + half)]
