"""Features seen once, at a token of a name, are not trained: which they are, against a count in Python, and where."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from linnet import SequenceTagger
from linnet.structured import single_features
from linnet.structured.single_features import without_single


@pytest.mark.parametrize("block", [3, 1 << 22])
def test_what_is_left_out_is_what_a_count_finds(rng, block, monkeypatch):
    monkeypatch.setattr(single_features, "BLOCK", block)
    for _ in range(50):
        tokens = int(rng.integers(1, 12))
        rows = [rng.integers(0, 15, size=rng.integers(0, 5)).tolist() for _ in range(tokens)]
        trained, inside = (rng.random(tokens) < p for p in (0.8, 0.4))
        seen = Counter(each for row, counted in zip(rows, trained, strict=True) if counted for each in row)
        wanted = [
            [each for each in row if not (counted and name and seen[each] == 1)]
            for row, counted, name in zip(rows, trained, inside, strict=True)
        ]
        ids = np.array([each for row in rows for each in row], dtype=np.uint32)
        starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        found, begins = without_single(ids, starts, 15, trained, inside)
        assert found.dtype == np.uint32
        assert [found[a:b].tolist() for a, b in pairwise(begins)] == wanted


def names(many):
    """Names and other words that come once, and some that come again and again."""
    X = [
        ["the", f"thing{n}", "met", f"Name{n}", "in", "Rome", "again", f"x{n % 7}", "and", "went"] for n in range(many)
    ]
    return X, [["O"] * 3 + ["B-PER", "O", "B-LOC"] + ["O"] * 4] * many


def words_of(tagger):
    return {name.partition("=")[2] for name in tagger.tagger_.feature_names if name.startswith("word=")}


def test_words_of_single_names_have_no_weights_and_other_single_words_have():
    words = words_of(SequenceTagger(passes=3).fit(*names(120)))
    assert not any(word.startswith("Name") for word in words)
    assert any(word.startswith("thing") for word in words)
    assert "Rome" in words


@pytest.mark.parametrize("kind", ["few sentences", "chunks", "tags of words", "partial_fit"])
def test_they_stay_where_few_sentences_are_given_or_most_tokens_are_in_spans_and_in_parts(kind):
    X, y = names(99 if kind == "few sentences" else 120)
    if kind == "chunks":
        y = [["B-A", "I-A", "O", "B-PER", "O", "B-LOC", "B-A", "I-A", "O", "O"]] * 120
    if kind == "tags of words":
        y = [[tag.replace("-", "") for tag in tags] for tags in y]
    model = SequenceTagger(passes=None if kind == "partial_fit" else 3)
    words = words_of(model.partial_fit(X, y) if kind == "partial_fit" else model.fit(X, y))
    assert any(word.startswith("Name") for word in words)
