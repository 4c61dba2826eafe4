"""What a tagger has learned, and why a token got its tag: features with their weights, by name."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.kernels.tagging_features import MISSING, Numbering, features
from linnet.structured.sentences import Sentences
from linnet.structured.tagger import Tagger, TagRunner

OUTSIDE = "(outside)"


def top_features(tagger: Tagger, count: int) -> dict[str, list[tuple[str, float]]]:
    """For each tag the features with the largest weights for it."""
    names = tagger.feature_names
    owner = np.repeat(np.arange(len(tagger.keys)), np.diff(tagger.rows))
    found = {}
    for number, tag in enumerate(tagger.tags):
        mine = np.flatnonzero(tagger.entry_tags == number)
        order = mine[np.argsort(-tagger.weights[mine], kind="stable")[:count]]
        found[tag] = [(names[owner[at]], float(tagger.weights[at])) for at in order.tolist() if tagger.weights[at] > 0]
    return found


def top_transitions(tagger: Tagger, count: int) -> list[tuple[str, str, float]]:
    """The tags that best follow one another."""
    names = [*tagger.tags, OUTSIDE]
    order = np.argsort(-tagger.between, axis=None, kind="stable")[:count]
    found = []
    for at in order.tolist():
        before, after = divmod(at, len(names))
        found.append((names[before], names[after], float(tagger.between[before, after])))
    return found


def top_trigrams(tagger: Tagger, count: int) -> list[tuple[str, str, str, float]]:
    """The tags that best follow one another, three in a row; none of a tagger of first order."""
    if tagger.triples is None:
        return []
    names = [*tagger.tags, OUTSIDE]
    order = np.argsort(-tagger.triples, axis=None, kind="stable")[:count]
    found = []
    for at in order.tolist():
        first, second, third = (int(place) for place in np.unravel_index(at, tagger.triples.shape))
        found.append((names[first], names[second], names[third], float(tagger.triples[first, second, third])))
    return found


def matching(tagger: Tagger, pattern: str, count: int) -> list[tuple[str, dict[str, float]]]:
    """The weights of the features whose names match."""
    found = []
    for number, name in enumerate(tagger.feature_names):
        if fnmatchcase(name, pattern):
            row = slice(tagger.rows[number], tagger.rows[number + 1])
            pairs = zip(tagger.entry_tags[row].tolist(), tagger.weights[row].tolist(), strict=True)
            found.append((name, {tagger.tags[tag]: weight for tag, weight in pairs}))
    found.sort(key=lambda each: -max(map(abs, each[1].values())))
    return found[:count]


@dataclass(frozen=True)
class TokenReasons:
    """Why a token got its tag: its rival, the best other tag between the same neighbours, and what speaks for the tag
    more than for the rival (less, if below 0)."""

    word: str
    tag: str
    margin: float
    rival: str | None
    reasons: list[tuple[str, float]]

    def as_dict(self) -> dict[str, Any]:
        return {
            "token": self.word,
            "tag": self.tag,
            "margin": self.margin,
            "rival": self.rival,
            "reasons": [{"feature": name, "contribution": value} for name, value in self.reasons],
        }


def explained(tagger: Tagger, sentences: Sentences, word: str, number: int, count: int) -> list[TokenReasons]:
    """The reasons for the tags of one sentence."""
    which = np.zeros(len(sentences), dtype=bool)
    which[number] = True
    one = sentences.keep(which)
    runner = TagRunner(tagger)
    found = runner.atoms(one, word)
    codes, margins = runner.decoded(one, word, margins=True)
    emit = runner.scores(one, word)
    written = tagger.output_codes(codes, one.starts)
    numbering = Numbering()
    numbering.numbers(tagger.keys)
    templates = tagger.templates
    ids, starts, _ = features(
        found.words, found.own, found.others, one.starts, templates.compiled, templates.bounded, numbering, False
    )
    words = one.sentence(0, one.column(word))
    return [
        _token(tagger, t, words[t], codes, written, margins, emit, ids[starts[t] : starts[t + 1]], count)
        for t in range(len(words))
    ]


def _trigrams_around(triples: NDArray[np.float32], codes: NDArray[np.int32], t: int) -> NDArray[np.float32]:
    """The scores of the trigrams that token t is in, by its tag, all others being as decoded."""
    outside = len(triples) - 1
    a, b = (int(codes[t - back]) if t >= back else outside for back in (2, 1))
    d, e = (int(codes[t + on]) if t + on < len(codes) else outside for on in (1, 2))
    found = triples[a, b, :outside] + triples[b, :outside, d]
    if t + 1 < len(codes):  # behind the sentence there is one place, not two
        found = found + triples[:outside, d, e]
    return found


def _token(
    tagger: Tagger,
    t: int,
    word: str,
    codes: NDArray[np.int32],
    written: NDArray[np.int32],
    margins: NDArray[np.float32],
    emit: NDArray[np.float32],
    ids: NDArray[np.uint32],
    count: int,
) -> TokenReasons:
    outside = len(tagger.tags)
    before = int(codes[t - 1]) if t else outside
    after = int(codes[t + 1]) if t + 1 < len(codes) else outside
    around = tagger.between[before, :outside] + tagger.between[:outside, after]
    if tagger.triples is not None:
        around = around + _trigrams_around(tagger.triples, codes, t)
    scores = emit[t].astype(np.float64) + around
    tag = int(codes[t])
    scores[tag] = -np.inf
    rival = int(np.argmax(scores)) if len(scores) > 1 and scores.max() > -1e29 else None
    reasons = []
    for number in ids[ids != MISSING].tolist():
        row = slice(tagger.rows[number], tagger.rows[number + 1])
        weights = dict(zip(tagger.entry_tags[row].tolist(), tagger.weights[row].tolist(), strict=True))
        value = weights.get(tag, 0.0) - (0.0 if rival is None else weights.get(rival, 0.0))
        if value:
            reasons.append((tagger.feature_names[number], value))
    if rival is not None:
        names = [*tagger.tags, OUTSIDE]
        reasons.append((f"between {names[before]} and {names[after]}", float(around[tag] - around[rival])))
    reasons.sort(key=lambda each: -abs(each[1]))
    name = None if rival is None else tagger.tags[rival]
    return TokenReasons(word, tagger.outputs[int(written[t])], float(margins[t]), name, reasons[:count])
