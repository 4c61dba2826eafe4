"""The names of features, for people: what each atom of a template is, such as suffix3=ing or lower@-1=the lower=cat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linnet.structured.templates import GAZETTEER, atoms
from linnet.structured.token_atoms import parts_of

if TYPE_CHECKING:
    from linnet.structured.tagger_training import TaggingProblem


def feature_names(problem: TaggingProblem, firsts: NDArray[np.int64]) -> list[str]:
    """The names of some features, given the first token and the template of each."""
    return _Names(problem).of(firsts)


class _Names:
    """The fields of the sentences in words, each different word taken apart once."""

    def __init__(self, problem: TaggingProblem) -> None:
        self.problem = problem
        sentences = problem.tagged.sentences
        self.sentence_of = np.repeat(np.arange(len(sentences)), np.diff(sentences.starts))
        column = sentences.column(problem.tagged.word)
        # words are numbered from 0 in these sentences, whatever came before them
        _, firsts, self.own = np.unique(problem.own, return_index=True, return_inverse=True)
        data, begins, ends = sentences.data, sentences.begins[firsts, column], sentences.ends[firsts, column]
        self.words = [
            data[begin:end].tobytes().decode("utf-8", "replace")
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
        ]
        self.lower = [word.lower() for word in self.words]
        self.parts: dict[str, list[str | None]] = {}
        self.columns: dict[str, list[str]] = {}

    def of(self, firsts: NDArray[np.int64]) -> list[str]:
        names = [""] * len(firsts)
        for template, text in enumerate(self.problem.templates.texts):
            which = np.flatnonzero(firsts[:, 1] == template)
            tokens = firsts[which, 0]
            values = [self._values(name, offset, tokens) for name, offset in atoms(text)]
            joined = values[0] if len(values) == 1 else map(" ".join, zip(*values, strict=True))
            for at, name in zip(which.tolist(), joined, strict=True):
                names[at] = name
        return names

    def _values(self, name: str, offset: int, tokens: NDArray[np.int64]) -> list[str]:
        """An atom of some tokens, as name=value."""
        head = f"{name}@{offset:+d}=" if offset else f"{name}="
        starts = self.problem.tagged.sentences.starts
        sentence = self.sentence_of[tokens]
        places = tokens + offset
        before, behind = starts[sentence] - places, places - starts[sentence + 1] + 1
        inside = np.clip(places, 0, len(self.own) - 1)
        if name in self.problem.templates.columns:
            fields = self._column(name)
            found = [head + fields[at] for at in inside.tolist()]
        elif name == GAZETTEER:
            listed = self.problem.listed or {}
            found = [head + listed.get(at, "") for at in inside.tolist()]
        else:
            parts = self._parts(name)
            found = [f"{head}{parts[at]}" for at in self.own[inside].tolist()]
        for at in np.flatnonzero((before > 0) | (behind > 0)).tolist():  # outside, with the distance
            found[at] = f"{head}<s{before[at]}>" if before[at] > 0 else f"{head}</s{behind[at]}>"
        return found

    def _parts(self, name: str) -> list[str | None]:
        if name not in self.parts:
            self.parts[name] = parts_of(name, self.words, self.lower, self.problem.lists)
        return self.parts[name]

    def _column(self, name: str) -> list[str]:
        if name not in self.columns:
            sentences = self.problem.tagged.sentences
            fields = sentences.fields(sentences.column(name))
            self.columns[name] = [each.decode("utf-8", "replace") for each in fields]
        return self.columns[name]
