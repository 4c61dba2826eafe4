"""SequenceTagger: tag sequences from Python, lists of tokens in and lists of tags out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from linnet.cores import cores
from linnet.data.on_error import BadRows
from linnet.errors import InputError, RecipeError
from linnet.structured import tagger_file
from linnet.structured.gazetteers import normal_lists
from linnet.structured.growing_tagger import GrowingTagger
from linnet.structured.sentences import Sentences, as_lists, of_lists
from linnet.structured.tag_evaluation import TagTally
from linnet.structured.tag_files import add_block, scorable
from linnet.structured.tag_options import TagOptions
from linnet.structured.tagger import Tagger, TagRunner
from linnet.structured.tagger_training import TaggedSentences, train_tagger
from linnet.structured.templates import Templates, read_templates
from linnet.structured.token_atoms import WordLists

WORD, TAG = "word", "tag"
OPTIONS = ("order", "passes", "scheme", "update", "C", "margin", "dictionary", "seed")
# Sentences that a thread tags at a time.
PART = 2048


class SequenceTagger(BaseEstimator):  # type: ignore[misc]
    """Tags of words or of spans: an averaged structured perceptron with exact decoding (Collins 2002).

    X is a list of sentences, each a list of tokens.  A token is a string, or a tuple of strings: the word and the
    values of other columns, such as its part of speech.  y is a list of lists of tags.

    Parameters
    ----------
    order : {1, 2}, default 1
        Tags before a tag that its score depends on; 2 takes up to 128 tags, and longer.
    passes : int, optional
        Passes over the sentences; by default a tenth of the sentences is held out to choose it.
    scheme : {'auto', 'none', 'iob1', 'iob2', 'iobes', 'bilou', 'bmes'}, default 'auto'
        How tags mark spans; 'auto' looks at the tags.
    templates : list of str, optional
        What features are made of, such as 'suffix3' or 'lower@-1 lower'; see docs/tagging.md.
    update : {'perceptron', 'passive-aggressive'}, default 'perceptron'
        How weights move at a mistake.
    C : float, default 0.01
        The largest step of passive-aggressive.
    margin : int or 'auto', default 'auto'
        By how much more true tags are to score than others, for each token that these have wrong, in steps of the
        perceptron; 0 moves weights only where tags are wrong. 'auto' is 50, or of names (spans that most tokens are
        outside of) what held-out sentences prefer to it by far.
    dictionary : int, default 0
        Words that came at least this often, always with one tag, always get that tag (0: off).
    clusters : dict of str to str, optional
        Words and their clusters, as strings of bits.
    gazetteers : dict of str to collection of str, optional
        Lists of names, of one or more words each, by the name of the list: {'city': ['Oslo', 'New York']}.
    seed : int, default 0
        The seed of the shuffle.
    n_jobs : int, optional
        Threads of prediction; all cores by default. The tags are the same for any number.

    Examples
    --------
    >>> from linnet import SequenceTagger
    >>> X, y = [["the", "cat", "sat"], ["a", "dog", "ran"]] * 5, [["D", "N", "V"]] * 10
    >>> SequenceTagger(passes=3).fit(X, y).predict([["the", "dog", "sat"]])
    [['D', 'N', 'V']]
    """

    def __init__(
        self, *, order: int = 1, passes: int | None = None, scheme: str = "auto",
        templates: Sequence[str] | None = None, update: str = "perceptron", C: float = 0.01, margin: int | str = "auto",
        dictionary: int = 0, clusters: Mapping[str, str] | None = None, gazetteers: Mapping[str, Any] | None = None,
        seed: int = 0, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.order = order
        self.passes = passes
        self.scheme = scheme
        self.templates = templates
        self.update = update
        self.C = C
        self.margin = margin
        self.dictionary = dictionary
        self.clusters = clusters
        self.gazetteers = gazetteers
        self.seed = seed
        self.n_jobs = n_jobs

    def fit(self, X: Sequence[Sequence[Any]], y: Sequence[Sequence[str]]) -> SequenceTagger:
        """Train on sentences and their tags."""
        sentences = _sentences(X, y)
        options, lists = self._options(), self._lists()
        tagged = TaggedSentences.of(sentences, WORD, TAG, options.scheme)
        columns = sentences.columns[1:-1]
        self._set(train_tagger(tagged, options, templates=self._templates(columns), lists=lists, columns=columns))
        self._growing: GrowingTagger | None = None
        return self

    def partial_fit(
        self, X: Sequence[Sequence[Any]], y: Sequence[Sequence[str]], classes: Sequence[str] | None = None
    ) -> SequenceTagger:
        """Train further: one pass over these sentences, in their order.

        `classes` are all tags that will come, if they are known at the first call; others are added as they come.
        After `fit`, training begins anew."""
        sentences = _sentences(X, y)
        if getattr(self, "_growing", None) is None:
            columns = sentences.columns[1:-1]
            self._growing = GrowingTagger(self._options(), self._templates(columns), self._lists(), columns, classes)
        assert self._growing is not None
        self._growing.train(sentences, WORD, TAG)
        self._set(self._growing.tagger())
        return self

    def _set(self, tagger: Tagger) -> None:
        self.tagger_ = tagger
        self.classes_ = np.array(tagger.outputs, dtype=object)
        self.n_iter_ = tagger.record.history.passes
        self.scheme_ = str(tagger.scheme)

    def _options(self) -> TagOptions:
        given: dict[str, Any] = {name: getattr(self, name) for name in OPTIONS}
        return TagOptions(**given)

    def _lists(self) -> WordLists:
        return WordLists(dict(self.clusters or {}), normal_lists(self.gazetteers or {}))

    def _templates(self, columns: tuple[str, ...]) -> Templates | None:
        return None if self.templates is None else read_templates(list(self.templates), columns)

    def _fitted(self) -> Tagger:
        if not hasattr(self, "tagger_"):
            raise InputError("this SequenceTagger is not fitted yet: call fit, or load a model")
        tagger: Tagger = self.tagger_
        return tagger

    def predict(self, X: Sequence[Sequence[Any]]) -> list[list[str]]:
        """The tags of each sentence."""
        tagger = self._fitted()
        sentences = _sentences(X, None, tagger)
        codes = self._codes(sentences)
        names = list(tagger.outputs)
        found = [names[code] for code in codes.tolist()]
        bounds = sentences.starts.tolist()
        return [found[first:stop] for first, stop in pairwise(bounds)]

    def _codes(self, sentences: Sentences) -> NDArray[np.int32]:
        """Parts of fixed size, by threads: what comes out does not depend on how many."""
        from concurrent.futures import ThreadPoolExecutor

        tagger = self._fitted()
        parts = [_part(sentences, first) for first in range(0, len(sentences), PART)] or [sentences]
        threads = min(self.n_jobs if self.n_jobs and self.n_jobs > 0 else cores(), len(parts))
        if threads == 1:
            runner = TagRunner(tagger)
            return np.concatenate([runner.tagged(part, tagger.word) for part in parts])
        with ThreadPoolExecutor(threads) as pool:
            shares = [parts[number::threads] for number in range(threads)]
            done = list(pool.map(lambda share: _tag_all(tagger, share), shares))
        return np.concatenate([done[number % threads][number // threads] for number in range(len(parts))])

    def best(self, X: Sequence[Sequence[Any]], k: int) -> list[list[tuple[float, list[str]]]]:
        """The k best sequences of tags of each sentence, with their scores, best first."""
        tagger = self._fitted()
        if k < 1:
            raise RecipeError(f"k must be 1 or more; it is {k}")
        sentences = _sentences(X, None, tagger)
        return [
            list(zip(scores, tags, strict=True)) for tags, scores in TagRunner(tagger).best(sentences, tagger.word, k)
        ]

    def margins(self, X: Sequence[Sequence[Any]]) -> list[list[float]]:
        """How sure each tag is: by how much the best sequence with another tag at that token scores less."""
        tagger = self._fitted()
        sentences = _sentences(X, None, tagger)
        _, gaps = TagRunner(tagger).decoded(sentences, tagger.word, margins=True)
        bounds = sentences.starts.tolist()
        return [gaps[first:stop].tolist() for first, stop in pairwise(bounds)]

    def evaluate(self, X: Sequence[Sequence[Any]], y: Sequence[Sequence[str]]) -> dict[str, Any]:
        """Accuracy, F1 and more, as `linnet tag evaluate` has them."""
        tagger = self._fitted()
        sentences = _sentences(X, y, tagger)
        tally = TagTally(tagger.spans)
        scorable(tagger, sentences, sentences.columns[-1], BadRows())
        add_block(tally, tagger, sentences, self._codes(sentences), tagger.word, sentences.columns[-1])
        return tally.as_dict()

    def score(self, X: Sequence[Sequence[Any]], y: Sequence[Sequence[str]]) -> float:
        """The F1 of spans, or the accuracy on tokens."""
        figures = self.evaluate(X, y)
        value = figures["f1" if self._fitted().spans else "accuracy"]
        return float(value) if value is not None else 1.0

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tagger to a file, which `linnet tag` reads, too."""
        tagger_file.save(self._fitted(), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SequenceTagger:
        """A tagger that was saved, or trained by `linnet tag train`; safe for files of unknown authors."""
        tagger = tagger_file.load(path)
        given: dict[str, Any] = {name: tagger.record.options[name] for name in OPTIONS if name in tagger.record.options}
        made = cls(templates=list(tagger.templates.texts), **given)
        made._set(tagger)
        return made


def _tag_all(tagger: Tagger, parts: Sequence[Sentences]) -> list[NDArray[np.int32]]:
    runner = TagRunner(tagger)
    return [runner.tagged(part, tagger.word) for part in parts]


def _part(sentences: Sentences, first: int) -> Sentences:
    stop = min(first + PART, len(sentences))
    a, b = int(sentences.starts[first]), int(sentences.starts[stop])
    return Sentences(
        sentences.columns, sentences.data, sentences.begins[a:b], sentences.ends[a:b],
        sentences.starts[first : stop + 1] - a, sentences.spans[first:stop], sentences.lines[a:b],
    )  # fmt: skip


def _sentences(
    X: Sequence[Sequence[Any]], y: Sequence[Sequence[str]] | None, tagger: Tagger | None = None
) -> Sentences:
    """Lists as sentences: the word, the other columns, and the tags if they are given."""
    X, y = as_lists(X, "tokens"), None if y is None else as_lists(y, "tags")
    if y is not None and len(X) != len(y):
        raise InputError(f"X has {len(X)} sentences, y has {len(y)}")
    first = next((sentence[0] for sentence in X if len(sentence)), "")
    others = len(first) - 1 if isinstance(first, tuple | list) else 0
    columns = [WORD, *(f"column{number}" for number in range(2, others + 2))]
    if tagger is not None:
        columns[0] = tagger.word
        needed = tagger.templates.columns
        if len(needed) > others:
            raise InputError(f"tokens must be tuples of the word and {', '.join(needed)}, as in training")
        columns[1 : 1 + len(needed)] = needed
    lengths = [len(sentence) for sentence in X]
    if y is not None and not any(lengths):
        raise InputError("there are no tokens to train on")
    if y is not None and (wrong := [n for n, size in enumerate(lengths) if len(y[n]) != size]):
        raise InputError(f"sentence {wrong[0] + 1}: {lengths[wrong[0]]} tokens and {len(y[wrong[0]])} tags")
    tokens = list(chain.from_iterable(X))
    if others:
        if any(not isinstance(token, tuple | list) or len(token) != others + 1 for token in tokens):
            raise InputError(f"every token must have {others + 1} strings, as the first one has")
        fields = [list(column) for column in zip(*tokens, strict=True)]
    else:
        fields = [tokens]
    if y is not None:
        fields.append(list(chain.from_iterable(y)))
        columns.append(TAG)
    try:
        return of_lists(tuple(columns), fields, lengths)
    except (TypeError, ValueError):
        raise _wrong_field(fields, lengths) from None


def _wrong_field(fields: Sequence[Sequence[Any]], lengths: Sequence[int]) -> InputError:
    """What is wrong with the first field that is not a string of one line."""
    ends = np.cumsum(lengths)
    for column in fields:
        for at, value in enumerate(column):
            where = f"sentence {np.searchsorted(ends, at, side='right') + 1}"
            if not isinstance(value, str):
                return InputError(f"{where}: {value!r} is not a string")
            if "\n" in value:
                return InputError(f"{where}: {value!r} has a line end in it")
    return InputError("the tokens cannot be read")
