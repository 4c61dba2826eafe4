"""A tagger that is trained on sentences as they come: features, words and tags are added when they are first met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError
from linnet.structured.feature_names import feature_names
from linnet.structured.history import History, Pass
from linnet.structured.sentences import Sentences
from linnet.structured.tag_options import SchemeChoice, TagOptions
from linnet.structured.tag_schemes import LETTERS, OUTSIDE, Scheme, is_span_tag, spans_of, written
from linnet.structured.tagger import Tagger
from linnet.structured.tagger_training import Learner, TaggedSentences, TaggingProblem, scheme_of, tag_codes
from linnet.structured.templates import Templates, default_templates
from linnet.structured.token_atoms import WordLists


class GrowingTagger:
    """Weights that outlive the sentences they were trained on."""

    def __init__(
        self,
        options: TagOptions,
        templates: Templates | None,
        lists: WordLists,
        columns: tuple[str, ...],
        classes: Sequence[str] | None,
    ) -> None:
        self.options, self.templates, self.lists, self.columns = options, templates, lists, columns
        self.given = list(classes or [])
        self.tags: list[str] = []
        self.scheme: Scheme | None = None
        self.names: list[str] = []
        self.history = History(options.seed)
        self.problem: TaggingProblem | None = None
        self.learner: Learner | None = None

    def train(self, sentences: Sentences, word: str, target: str) -> None:
        """One pass over these sentences, in their order."""
        tagged = self._tagged(sentences, word, target)
        if self.templates is None:
            self.templates = default_templates(
                self.columns,
                spans=self.scheme is not Scheme.NONE,
                clusters=bool(self.lists.clusters),
                gazetteers=bool(self.lists.gazetteers),
            )
        problem = TaggingProblem(tagged, self.templates, self.lists, self.options, before=self.problem)
        learner = problem.partial_learner()
        if self.learner is not None:
            learner.restore(_wider(self.learner.state(), learner.state()))
        self.names += feature_names(problem, problem.firsts)
        tally = learner.train(np.arange(len(sentences), dtype=np.int64))
        self.history.final.append(Pass(tally.wrong, tally.examples, tally.wrong_parts, tally.parts))
        self.history.passes += 1
        self.history.examples += len(sentences)
        self.problem, self.learner = problem, learner

    def tagger(self) -> Tagger:
        assert self.problem is not None
        assert self.learner is not None
        return self.problem.tagger([self.learner], self.history, self.options, names=self.names)

    def _tagged(self, sentences: Sentences, word: str, target: str) -> TaggedSentences:
        """The sentences with tags numbered as they were before, new ones behind them."""
        names, codes = tag_codes(sentences, target)
        if self.scheme is None:
            choice = self.options.scheme
            if choice is SchemeChoice.AUTO and self.given and not all(map(is_span_tag, self.given)):
                choice = SchemeChoice.NONE
            self.scheme = scheme_of(names, codes, sentences, choice)
            self.tags = list(self.given)
            if self.scheme is not Scheme.NONE:
                types = sorted({tag[2:] for tag in self.given if tag != "O"})
                self.tags = [OUTSIDE, *(tag for name in types for tag in _letters(name))]
        elif self.scheme is not Scheme.NONE and not all(map(is_span_tag, names)):
            wrong = next(name for name in names if not is_span_tag(name))
            raise InputError(f"the tag {wrong!r} is neither O nor of the form B-TYPE, as those before")
        if self.scheme is not Scheme.NONE:
            names, codes = written(spans_of(names, codes, sentences.starts), sentences.starts, Scheme.IOBES)
            self._add_types(names, codes)
        order = np.unique(codes, return_index=True)[1]
        for code in codes[np.sort(order)].tolist():
            if names[code] not in self.tags:
                self.tags.append(names[code])
        number = np.array([self.tags.index(name) for name in names], dtype=np.int32)
        return TaggedSentences(sentences, word, target, tuple(self.tags), number[codes], self.scheme)

    def _add_types(self, names: list[str], codes: NDArray[np.int32]) -> None:
        """All letters of the types that are new, in the order of their coming: the letters of a type have weights in
        common, which one that came later would have missed."""
        order = np.unique(codes, return_index=True)[1]
        for code in codes[np.sort(order)].tolist():
            if names[code] != OUTSIDE and names[code] not in self.tags:
                self.tags += _letters(names[code][2:])


def _letters(name: str) -> list[str]:
    """All tags of a type."""
    return [f"{letter}-{name}" for letter in LETTERS[Scheme.IOBES]]


def _wider(state: dict[str, NDArray[Any]], new: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The state of a learner with fewer features and tags, as one of a learner that has more; the tags of both come
    from the widths of their transitions."""
    counts = np.zeros_like(new["counts"])
    counts[: len(state["counts"])] = state["counts"]
    trans, trans_sums = new["trans"].copy(), new["trans_sums"].copy()
    old_tags, tags = int(state["tags_count"][0]), int(new["tags_count"][0])
    old_width, width = (int(np.sqrt(len(each["trans"]))) for each in (state, new))
    places = np.append(np.arange(old_tags), old_tags)
    moved = np.append(np.arange(old_tags), tags)
    for name, into in (("trans", trans), ("trans_sums", trans_sums)):
        into.reshape(width, width)[np.ix_(moved, moved)] = state[name].reshape(old_width, old_width)[
            np.ix_(places, places)
        ]
    for name in ("trigrams", "trigram_sums"):
        if name in state:
            into = new[name].copy()
            into[np.ix_(moved, moved, moved)] = state[name]
            state = {**state, name: into}
    return {**state, "counts": counts, "trans": trans, "trans_sums": trans_sums, "tags_count": new["tags_count"]}
