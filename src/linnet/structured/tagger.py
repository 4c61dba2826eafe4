"""A trained tagger: weights of features, and how sentences become tags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError, RecipeError, listed, option
from linnet.kernels.tagging_decoder import TagScorer
from linnet.kernels.tagging_features import MISSING, Numbering
from linnet.kernels.tagging_sequences import best_sequences
from linnet.kernels.tagging_trigrams import best_by_trigrams
from linnet.structured.history import History
from linnet.structured.mistakes import MistakeBound
from linnet.structured.sentences import Sentences
from linnet.structured.tag_schemes import LETTERS, Scheme, spans_of, written
from linnet.structured.templates import Templates
from linnet.structured.token_atoms import NO_LISTS, WordLists, WordTable, atoms_of_tokens

# The sums that are kept of different words, in bytes: beyond it they are forgotten, and made again.
MOST_KEPT = 1 << 28
# Beginnings of the best sequences that are kept of one sentence, of second order: those of all pairs of tags.
MOST_BEGINNINGS = 1 << 28


@dataclass
class TaggerRecord:
    """What happened in training."""

    options: dict[str, Any] = field(default_factory=dict)
    format: str = ""
    sentences: int = 0
    tokens: int = 0
    rejected: int = 0
    features: int = 0
    history: History = field(default_factory=History)
    metric: str = "accuracy"
    # sentences with mistakes in all passes, where the weights separate all sentences
    mistakes: MistakeBound | None = None
    # that of the training; None of models before there was a choice
    margin: int | None = None

    @property
    def missed(self) -> str:
        """What training counts as wrong: with a margin, also what was right by less."""
        margin = self.options.get("margin") if self.margin is None else self.margin
        plain = not margin or self.options.get("update") != "perceptron"
        return "wrong" if plain else "wrong, or right by less than the margin,"

    @property
    def margin_text(self) -> str | None:
        """The margin, and how it was chosen; None where training had none."""
        if self.margin is None or self.options.get("update") != "perceptron":
            return None
        tried = []
        for trial in self.history.trials:
            if trial.value != self.margin:
                lead = "given up" if trial.lead is None else f"{trial.lead:+.1f} standard errors"
                tried.append(f"{trial.value}: {lead}")
        if not tried:
            return f"{self.margin}"
        return f"{self.margin}, chosen by held-out sentences ({'; '.join(tried)})"


@dataclass(frozen=True, eq=False)
class Tagger:
    """Tags words by w·features.

    `tags` are those that are decoded: of spans, in IOBES, whatever the `scheme` that they came in and are written in.
    Feature `f` has the weights weights[rows[f]:rows[f + 1]] for the tags entry_tags[...]; `between` are the scores of
    one tag after another, the last standing for what is outside of the sentence; `triples` those of three tags in a
    row, of a tagger of second order."""

    templates: Templates
    tags: tuple[str, ...]
    scheme: Scheme
    word: str
    target: str
    keys: NDArray[np.uint64] = field(repr=False)
    rows: NDArray[np.int64] = field(repr=False)
    entry_tags: NDArray[np.int32] = field(repr=False)
    weights: NDArray[np.float32] = field(repr=False)
    between: NDArray[np.float32] = field(repr=False)
    # the names of the features, one a line
    names: NDArray[np.uint8] = field(repr=False)
    # words that have one tag only, by their hashes
    dictionary: NDArray[np.uint64] = field(repr=False)
    dictionary_tags: NDArray[np.int32] = field(repr=False)
    # the hashes of all words of the training data, in order
    known_words: NDArray[np.uint64] = field(repr=False)
    lists: WordLists = NO_LISTS
    record: TaggerRecord = field(default_factory=TaggerRecord)
    triples: NDArray[np.float32] | None = field(default=None, repr=False)

    @property
    def order(self) -> int:
        """How many tags before a tag its score depends on."""
        return 1 if self.triples is None else 2

    @property
    def spans(self) -> bool:
        """Whether tags mark spans."""
        return self.scheme is not Scheme.NONE

    @cached_property
    def feature_names(self) -> list[str]:
        return self.names.tobytes().decode("utf-8", "replace").split("\n") if len(self.keys) else []

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """The tags as they are written."""
        if self.scheme in (Scheme.NONE, Scheme.IOBES):
            return self.tags
        if self.scheme in LETTERS:
            return tuple(self._relettered(tag) for tag in self.tags)
        found = {f"{letter}-{tag[2:]}" for tag in self.tags if tag != "O" for letter in "BI"}
        return tuple(sorted({*found, "O"}))

    def _relettered(self, tag: str) -> str:
        """A tag of IOBES in the letters of this tagger's scheme."""
        letters = dict(zip(LETTERS[Scheme.IOBES], LETTERS[self.scheme], strict=True))
        return tag if tag == "O" else letters[tag[0]] + tag[1:]

    def written_in(self, name: str) -> Tagger:
        """The same tagger, whose spans are written in the scheme of this name."""
        names = [str(each) for each in Scheme if each is not Scheme.NONE]
        if name not in names:
            raise RecipeError(f"{option('scheme')} is one of {', '.join(names)}; not {name!r}")
        if not self.spans:
            raise InputError(f"{option('scheme')} is for spans: this tagger gives tags to words")
        return replace(self, scheme=Scheme(name))

    def output_codes(self, codes: NDArray[np.int32], sentences: NDArray[np.int64]) -> NDArray[np.int32]:
        """From the numbers of decoded tags to those of tags as they are written."""
        if self.scheme is Scheme.NONE or self.scheme in LETTERS:
            return codes
        number = {tag: at for at, tag in enumerate(self.outputs)}
        if self.scheme is Scheme.IOB2:
            letters = {"S": "B", "E": "I"}
            table = [number[tag if tag == "O" else f"{letters.get(tag[0], tag[0])}-{tag[2:]}"] for tag in self.tags]
            return np.array(table, dtype=np.int32)[codes]
        names, found = written(spans_of(self.tags, codes, sentences), sentences, self.scheme)
        return np.array([number[name] for name in names], dtype=np.int32)[found]

    def columns_of(self, sentences: Sentences, word: str) -> tuple[int, tuple[int, ...]]:
        """Where the words and the other columns are in some sentences."""
        for name in self.templates.columns:
            if name not in sentences.columns:
                raise InputError(
                    f"the tagger needs {name}, which it was trained with: there are {listed(sentences.columns)}"
                )
        return sentences.column(word), tuple(sentences.column(name) for name in self.templates.columns)


@dataclass(frozen=True, eq=False)
class Atoms:
    """The atoms of some tokens, as kernels take them."""

    words: NDArray[np.uint64]
    own: NDArray[np.uint32]
    others: NDArray[np.uint64]


class TagRunner:
    """A tagger at work: it keeps what different words contribute.  One for each thread."""

    def __init__(self, tagger: Tagger) -> None:
        self.tagger = tagger
        rows = (tagger.rows, tagger.entry_tags, tagger.weights)
        templates = tagger.templates
        self.scorer = TagScorer(
            tagger.keys, rows, tagger.between, templates.compiled, templates.bounded, len(templates.parts),
            tagger.triples,
        )  # fmt: skip
        self.table = WordTable(templates, tagger.lists)
        self._dictionary = Numbering()
        self._dictionary.numbers(tagger.dictionary)

    def atoms(self, sentences: Sentences, word: str) -> Atoms:
        at, others = self.tagger.columns_of(sentences, word)
        if len(self.table) * self.scorer.bytes_per_word > MOST_KEPT:
            self.table.forget()
            self.scorer.forget()  # type: ignore[no-untyped-call]
        own, hashes = self.table.numbers(sentences, at)
        new = self.table.atoms[len(self.table) - len(hashes) : len(self.table)]
        only = np.full(len(hashes), -1, dtype=np.int32)
        if len(self.tagger.dictionary) and len(hashes):
            found = self._dictionary.numbers(hashes, True)
            listed = found != MISSING
            only[listed] = self.tagger.dictionary_tags[found[listed]]
        self.scorer.learn(new, only)
        listed = self.table.listed(own, sentences.starts) if self.tagger.templates.gazetteer else None
        return Atoms(self.table.atoms, own, atoms_of_tokens(sentences, others, listed))

    def decoded(
        self, sentences: Sentences, word: str, *, margins: bool = False
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The best tags (of `Tagger.tags`) of all tokens, and their margins if asked for."""
        found = self.atoms(sentences, word)
        codes, gaps = self.scorer.decode(found.words, found.own, found.others, sentences.starts, margins)
        return codes, gaps

    def tagged(self, sentences: Sentences, word: str) -> NDArray[np.int32]:
        """The best tags of all tokens, as numbers of `Tagger.outputs`."""
        codes, _ = self.decoded(sentences, word)
        return self.tagger.output_codes(codes, sentences.starts)

    def best(self, sentences: Sentences, word: str, k: int) -> Iterator[tuple[list[list[str]], list[float]]]:
        """For each sentence, the k best sequences of tags and their scores."""
        found = self.atoms(sentences, word)
        emit, only = self._scores(found, sentences)
        outputs = self.tagger.outputs
        for first, stop in zip(sentences.starts[:-1], sentences.starts[1:], strict=True):
            sequences, scores = self._best(emit[first:stop], only[first:stop], k)
            alone = np.array([0, stop - first])
            tags = [[outputs[code] for code in self.tagger.output_codes(each, alone)] for each in sequences]
            yield tags, scores.tolist()

    def _best(
        self, emit: NDArray[np.float32], only: NDArray[np.int32], k: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        tagger = self.tagger
        found: tuple[NDArray[np.int32], NDArray[np.float64]]
        if tagger.triples is None:
            found = best_sequences(emit, tagger.between, only, k)
            return found
        if emit.size * len(tagger.tags) * k > MOST_BEGINNINGS:
            raise InputError(
                f"a sentence of {len(emit):,} tokens is too long for its {k:,} best sequences of second order: ask for "
                "fewer, or shorten it"
            )
        found = best_by_trigrams(emit, tagger.between, tagger.triples, only, k)
        return found

    def scores(self, sentences: Sentences, word: str) -> NDArray[np.float32]:
        """The scores of all tags for all tokens, by features alone."""
        return self._scores(self.atoms(sentences, word), sentences)[0]

    def _scores(self, found: Atoms, sentences: Sentences) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        emit, only = self.scorer.scores(  # type: ignore[no-untyped-call]
            found.words, found.own, found.others, sentences.starts
        )
        return emit, only
