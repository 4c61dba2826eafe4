"""Which tokens are in lists of names, beside a search that tries every entry at every place."""

import numpy as np
import pytest

from linnet import SequenceTagger
from linnet.errors import InputError
from linnet.structured.gazetteers import MOST_WORDS, Gazetteers, normal_lists


def by_trying(lists, sentences):
    found, at = {}, 0
    for words in sentences:
        lower = [word.lower() for word in words]
        for begin in range(len(words)):
            for name, entries in lists.items():
                for entry in entries:
                    parts = entry.split()
                    if lower[begin : begin + len(parts)] == parts:
                        for inside in range(begin, begin + len(parts)):
                            found.setdefault(at + inside, set()).add(name)
        at += len(words)
    return {token: ",".join(sorted(names)) for token, names in found.items()}


@pytest.mark.parametrize("seed", range(200))
def test_tokens_in_entries_are_those_that_a_search_finds(seed):
    rng = np.random.default_rng(seed)
    words = ["a", "B", "c", "É", "ß"][: rng.integers(1, 6)]
    lists = normal_lists(
        {
            name: [" ".join(rng.choice(words, rng.integers(1, 5))) for _ in range(rng.integers(0, 8))]
            for name in ("city", "person", "team")[: rng.integers(1, 4)]
        }
    )
    sentences = [rng.choice([*words, "z"], rng.integers(0, 12)).tolist() for _ in range(rng.integers(0, 6))]
    gazetteers = Gazetteers(lists)
    starts = np.concatenate([[0], np.cumsum([len(each) for each in sentences])]).astype(np.int64)
    codes = gazetteers.codes([word for each in sentences for word in each])
    assert gazetteers.listed(codes, starts) == by_trying(lists, sentences)


def test_names_of_several_words_are_found_in_new_sentences(tmp_path):
    X = [["to", "new", "york", "today"], ["to", "a", "new", "car"], ["in", "york", "new", "things"]] * 30
    y = [["O", "B-LOC", "I-LOC", "O"], ["O"] * 4, ["O"] * 4] * 30
    model = SequenceTagger(
        gazetteers={"city": ["New  York", "los Angeles"]}, templates=["gazetteer", "gazetteer@-1"], passes=5
    ).fit(X, y)
    new = [["from", "Los", "Angeles", "with", "los"]]
    assert model.predict(new) == [["O", "B-LOC", "I-LOC", "O", "O"]]
    assert "gazetteer=city" in model.tagger_.feature_names
    model.save(tmp_path / "m.linnet")
    assert SequenceTagger.load(tmp_path / "m.linnet").predict(new) == model.predict(new)
    grown = SequenceTagger(gazetteers={"city": ["New York", "Los Angeles"]}, templates=["gazetteer", "gazetteer@-1"])
    for _ in range(5):
        grown.partial_fit(X, y)
    assert grown.predict(new) == model.predict(new)


def test_an_entry_has_a_limit():
    with pytest.raises(InputError, match="100 at most"):
        normal_lists({"x": ["a " * (MOST_WORDS + 1)]})
