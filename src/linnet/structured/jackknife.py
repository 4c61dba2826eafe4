"""Sentences with tags as a tagger would give them, for a parser that will meet such tags: by jackknifing.

The sentences are cut into parts by their numbers.  A tagger that is trained on all other parts tags each, so that no
word has a tag from a tagger that was trained on it: the tags have the mistakes that those of new text will have.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from linnet.pipeline.services import Progress, Services
from linnet.structured.sentences import Sentences
from linnet.structured.tag_options import SchemeChoice, TagOptions
from linnet.structured.tagger import TagRunner
from linnet.structured.tagger_training import TaggedSentences, train_tagger
from linnet.structured.treebank import TagColumns

PARTS = 5
PASSES = 8
WORD = "form"


def predictable(columns: TagColumns) -> TagColumns:
    """The columns that taggers can fill: not the features, which have no tagger."""
    return TagColumns(columns.coarse, columns.coarse if "feats" in columns.fine else columns.fine, ())


def jackknifed(sentences: Sentences, columns: TagColumns, seed: int, services: Services) -> Sentences:
    """The same sentences, with predicted tags in the columns that a parser reads."""
    for target in dict.fromkeys((*columns.coarse, *columns.fine)):
        names, codes = _predicted(sentences, target, seed, services)
        sentences = _with_tags(sentences, target, names, codes)
    return sentences


def _predicted(sentences: Sentences, target: str, seed: int, services: Services) -> tuple[list[str], NDArray[np.int64]]:
    """A tag for every token: the names of all tags, and numbers of them."""
    options = TagOptions(target=target, word=WORD, passes=PASSES, seed=seed, scheme=SchemeChoice.NONE)
    part_of = np.arange(len(sentences)) % PARTS
    token_part = np.repeat(part_of, np.diff(sentences.starts))
    number: dict[str, int] = {}
    codes = np.zeros(sentences.tokens, dtype=np.int64)
    for part in range(min(PARTS, len(sentences))):
        services.report(Progress(f"predicting {target}, part {part + 1} of {PARTS}", int((part_of < part).sum())))
        services.check_stopped()
        # of a single sentence there are no others to train on
        others = sentences.keep(part_of != part) if len(sentences) > 1 else sentences
        tagger = train_tagger(TaggedSentences.of(others, WORD, target, SchemeChoice.NONE), options)
        found = TagRunner(tagger).tagged(sentences.keep(part_of == part), WORD)
        names = np.array([number.setdefault(name, len(number)) for name in tagger.outputs], dtype=np.int64)
        codes[token_part == part] = names[found]
    return list(number), codes


def _with_tags(sentences: Sentences, target: str, names: list[str], codes: NDArray[np.int64]) -> Sentences:
    """The sentences with other fields in one column; their text is put behind that of the sentences."""
    column = sentences.column(target)
    texts = [name.encode() for name in names]
    ends_of = len(sentences.data) + np.cumsum([len(each) for each in texts])
    begins, ends = sentences.begins.copy(), sentences.ends.copy()
    ends[:, column] = ends_of[codes]
    begins[:, column] = ends[:, column] - np.array([len(each) for each in texts], dtype=np.uint32)[codes]
    data = np.concatenate([sentences.data, np.frombuffer(b"".join(texts), dtype=np.uint8)])
    return replace(sentences, data=data, begins=begins, ends=ends)
