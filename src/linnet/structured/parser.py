"""A dependency parser for Python: sentences in, trees out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from linnet.data.on_error import BadRows, OnError
from linnet.errors import InputError, RecipeError
from linnet.pipeline.services import Services
from linnet.structured import parser_file, parser_pipeline
from linnet.structured.attachment import Attachment
from linnet.structured.parse_options import ParseOptions
from linnet.structured.parser_decoders import decoder_named
from linnet.structured.parser_model import ParserModel
from linnet.structured.sentences import Sentences, as_lists, of_lists

FIELDS = ("form", "upos", "xpos", "feats")
Sentence = Sequence[Any]
Arc = tuple[int, str]


class DependencyParser(BaseEstimator):  # type: ignore[misc]
    """Dependency parser: an averaged perceptron over transitions, or over the arcs of projective trees.

    Parameters
    ----------
    decoder : {"transition", "eisner"}, default="transition"
        Arc-hybrid transitions with a dynamic oracle; or the best projective tree by features of single arcs.
    beam : int, default=1
        How many partial trees the transition parser keeps; 1 is greedy. Wider is slower, and more accurate.
    update : {"max-violation", "early", "passive-aggressive"}, default="max-violation"
        Where weights move, with a beam; passive-aggressive (MIRA) moves them as far as needed.
    C : float, default=0.01
        The largest step of passive-aggressive.
    tags : {"gold", "predicted"}, default="gold"
        Train with the tags that are given, or with those that taggers would give the words (jackknifing).
    passes : int or None, default=None
        Passes over the sentences; None: chosen by sentences that are held out for that.
    seed : int, default=0
        The seed of the shuffle and of the choice of held-out sentences.

    A sentence is a list of words, or of tuples (word, tag), (word, tag, fine tag) or (word, tag, fine tag, features). A
    tree is a list with (head, relation) for each word: heads count from 1, and 0 is the root.

    Examples
    --------
    >>> from linnet import DependencyParser
    >>> sentences = [[("She", "PRON"), ("sleeps", "VERB")], [("Birds", "NOUN"), ("sing", "VERB")]]
    >>> trees = [[(2, "nsubj"), (0, "root")], [(2, "nsubj"), (0, "root")]]
    >>> parser = DependencyParser(passes=5).fit(sentences, trees)
    >>> parser.predict([[("He", "PRON"), ("sings", "VERB")]])
    [[(2, 'nsubj'), (0, 'root')]]
    """

    def __init__(
        self,
        *,
        decoder: str = "transition",
        beam: int = 1,
        update: str = "max-violation",
        C: float = 0.01,
        tags: str = "gold",
        passes: int | None = None,
        seed: int = 0,
    ) -> None:
        self.decoder, self.beam, self.update, self.C = decoder, beam, update, C
        self.tags, self.passes, self.seed = tags, passes, seed

    def fit(
        self, sentences: Sequence[Sentence] | str | os.PathLike[str], trees: Sequence[Sequence[Arc]] | None = None
    ) -> DependencyParser:
        """Train on sentences and their trees, or on a CoNLL-U file."""
        options, rejected = self._options(), BadRows(OnError.FAIL)
        if isinstance(sentences, str | os.PathLike):
            columns, bank = parser_pipeline.read_treebank([os.fspath(sentences)], options, rejected, Services())
        else:
            given = _with_trees(sentences, trees)
            columns, bank = parser_pipeline.treebank_of(given, options, rejected, Services())
        self.model_ = parser_pipeline.fit(bank, columns, options)
        return self

    def predict(self, sentences: Sequence[Sentence], *, beam: int | None = None) -> list[list[Arc]]:
        """The tree of each sentence; with another width of the beam than in training, if one is given."""
        sentences = as_lists(sentences, "words")
        given = _sentences(sentences)
        model = self._fitted()
        decoder = None if beam is None else decoder_named(model.decoder.name, beam, model.decoder.templates)
        longest = (decoder or model.decoder).longest
        for number, sentence in enumerate(sentences, start=1):
            if len(sentence) > longest:
                raise InputError(f"sentence {number}: {len(sentence):,} words, {longest:,} at most for this decoder")
        found = model.parse(given, decoder)
        arcs = [
            (head, found.relations[relation])
            for head, relation in zip(found.heads.tolist(), found.relation.tolist(), strict=True)
        ]
        starts = given.starts.tolist()
        return [arcs[first:end] for first, end in pairwise(starts)]

    def score(self, sentences: Sequence[Sentence], trees: Sequence[Sequence[Arc]]) -> float:
        """The labelled attachment score (of universal relations, with punctuation)."""
        return float(self.evaluate(sentences, trees)["las"])

    def evaluate(self, sentences: Sequence[Sentence], trees: Sequence[Sequence[Arc]]) -> dict[str, Any]:
        """Attachment scores with 95 % intervals, as `linnet parse evaluate` gives them."""
        given, scores = _with_trees(sentences, trees), Attachment()
        scores.add(given, self._fitted().parse(given))
        return scores.as_dict()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the parser to a file."""
        parser_file.save(self._fitted(), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> DependencyParser:
        """A parser from a file; safe for files of unknown authors."""
        model = parser_file.load(path)
        parser = cls(decoder=model.decoder.name, beam=model.decoder.beam)
        parser.model_ = model
        return parser

    def _options(self) -> ParseOptions:
        chosen = {"decoder": self.decoder, "beam": self.beam, "update": self.update, "C": self.C}
        return ParseOptions(**chosen, tags=self.tags, passes=self.passes, seed=self.seed)  # type: ignore[arg-type]

    def _fitted(self) -> ParserModel:
        if not hasattr(self, "model_"):
            raise RecipeError("this parser is not fitted yet: call fit, or load a file")
        return self.model_


def _sentences(sentences: Sequence[Sentence], relations: Sequence[str] | None = None) -> Sentences:
    """Lists of words, or of tuples, with the columns of CoNLL-U that a parser reads; what is not given is _."""
    rows: list[tuple[str, ...]] = []
    lengths = []
    for number, sentence in enumerate(sentences, start=1):
        found = [tuple(token) if isinstance(token, list | tuple) else (token,) for token in sentence]
        if not all(1 <= len(row) <= len(FIELDS) and all(isinstance(each, str) for each in row) for row in found):
            raise InputError(
                f"sentence {number}: a word is a string, or a tuple of strings (word, tag, fine tag, features)"
            )
        rows += ((*row, *("_" for _ in FIELDS[len(row) :])) for row in found)
        lengths.append(len(found))
    columns = [[row[column] for row in rows] for column in range(len(FIELDS))]
    names = FIELDS if relations is None else (*FIELDS, "deprel")
    if relations is not None:
        columns.append(list(relations))
    try:
        return of_lists(names, columns, lengths)
    except ValueError as error:
        raise InputError(f"{error}: pass words, tags and relations without") from None


def _is_arc(pair: Any) -> bool:
    return isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[1], str)


def _with_trees(sentences: Sequence[Sentence], trees: Sequence[Sequence[Arc]] | None) -> Sentences:
    sentences = as_lists(sentences, "words")
    if trees is None or len(trees) != len(sentences):
        raise InputError("pass a tree for each sentence: a list with (head, relation) for each word")
    for number, (sentence, tree) in enumerate(zip(sentences, trees, strict=True), start=1):
        if len(tree) != len(sentence) or not all(map(_is_arc, tree)):
            raise InputError(
                f"sentence {number}: {len(sentence)} words, so its tree has as many pairs (head, relation)"
            )
    given = np.array([head for tree in trees for head, _ in tree])
    if given.size and given.dtype.kind not in "iu":
        raise InputError("heads are whole numbers: those of words count from 1, and 0 is the root")
    lengths = np.array([len(tree) for tree in trees], dtype=np.int64)
    beyond = np.flatnonzero((given < 0) | (given > np.repeat(lengths, lengths))) if given.size else given
    if len(beyond):
        number = int(np.searchsorted(np.cumsum(lengths), beyond[0], side="right")) + 1
        raise InputError(f"sentence {number}: the head is {given[beyond[0]]}, which is no word of it, nor 0")
    heads = given.astype(np.int32)
    return replace(_sentences(sentences, [relation for tree in trees for _, relation in tree]), heads=heads)
