"""From sentences with tags to a tagger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError, option
from linnet.kernels.tagging_checks import MOST_TAGS
from linnet.kernels.tagging_features import Numbering, features, field_hashes
from linnet.kernels.tagging_means import decode
from linnet.kernels.tagging_state import restore, state_of, weights_of
from linnet.kernels.tagging_trainer import TagTrainer
from linnet.kernels.tagging_trigrams import MOST_TRIGRAM_TAGS
from linnet.pipeline.services import Services
from linnet.structured import trainer
from linnet.structured.feature_names import feature_names
from linnet.structured.history import History
from linnet.structured.mean_weights import mean_of_means
from linnet.structured.mistakes import MistakeBound, tagging_bound
from linnet.structured.paired_scores import Counts, ratio
from linnet.structured.sentences import Sentences
from linnet.structured.shuffle import Numbers
from linnet.structured.single_features import FEWEST_SENTENCES, without_single
from linnet.structured.tag_options import AUTO, SchemeChoice, TagOptions, TagUpdate
from linnet.structured.tag_schemes import (
    OUTSIDE,
    Scheme,
    allowed_transitions,
    detected_scheme,
    is_span_tag,
    spans_of,
    tag_groups,
    written,
)
from linnet.structured.tagger import Tagger, TaggerRecord
from linnet.structured.templates import Templates, default_templates
from linnet.structured.token_atoms import NO_LISTS, WordLists, WordTable, atoms_of_tokens, renumbered
from linnet.structured.trainer import Checkpoint, Settings, Tally

# Few sentences are trained on in several orders, of which no more than so many tokens come of a pass.
MOST_ORDERS = 8
TOKENS_OF_ORDERS = 200_000
# The margins to choose from for names, the usual one first; for tags of words and chunks no other was surely better.
MARGINS = (50, 5, 0)


@dataclass(frozen=True, eq=False)
class TaggedSentences:
    """Sentences with their true tags; `codes` are numbers of `tags`, which of spans are in IOBES."""

    sentences: Sentences
    word: str
    target: str
    tags: tuple[str, ...]
    codes: NDArray[np.int32]
    scheme: Scheme

    @classmethod
    def of(cls, sentences: Sentences, word: str, target: str, choice: SchemeChoice) -> TaggedSentences:
        names, codes = tag_codes(sentences, target)
        scheme = scheme_of(names, codes, sentences, choice)
        if scheme is not Scheme.NONE:
            names, codes = written(spans_of(names, codes, sentences.starts), sentences.starts, Scheme.IOBES)
        if len(names) > MOST_TAGS:
            raise InputError(
                f"{len(names):,} different tags, {MOST_TAGS:,} at most: is {target} the column of the tags?"
            )
        return cls(sentences, word, target, tuple(names), codes, scheme)

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """Which tokens are in spans, if tags are spans."""
        return np.array([tag != OUTSIDE for tag in self.tags], dtype=bool)[self.codes]

    @property
    def names(self) -> bool:
        """Whether tags are spans, and most tokens are outside of them: entities rather than chunks."""
        return self.scheme is not Scheme.NONE and 2 * int(np.count_nonzero(self.inside)) < len(self.inside)


def tag_codes(sentences: Sentences, target: str) -> tuple[list[str], NDArray[np.int32]]:
    """The different tags, sorted, and the number of that of each token."""
    column = sentences.column(target)
    begins = np.ascontiguousarray(sentences.begins[:, column])
    ends = np.ascontiguousarray(sentences.ends[:, column])
    numbers, firsts = Numbering().numbers_and_firsts(field_hashes(sentences.data, begins, ends, 0))
    names = [sentences.data[begins[at] : ends[at]].tobytes().decode("utf-8", "replace") for at in firsts.tolist()]
    if "" in names:
        raise InputError(f"{sentences.where(int(firsts[names.index('')]))}: the tag is empty")
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(max(1, len(names)), dtype=np.int32)
    rank[order] = np.arange(len(names))
    return [names[at] for at in order], rank[numbers]


def scheme_of(names: list[str], codes: NDArray[np.int32], sentences: Sentences, choice: SchemeChoice) -> Scheme:
    """The scheme of the tags: as it is given, or as they look."""
    if choice is SchemeChoice.AUTO:
        return detected_scheme(names, codes, sentences.starts)
    if choice is not SchemeChoice.NONE:
        for number, name in enumerate(names):
            if not is_span_tag(name):
                where = sentences.where(int(np.flatnonzero(codes == number)[0]))
                raise InputError(f"{where}: the tag {name!r} is neither O nor of the form B-TYPE: not {choice}")
    return Scheme(str(choice))


class Learner:
    """The weights of a tagger while it is trained (trainer.Learner)."""

    def __init__(
        self, problem: TaggingProblem, only: NDArray[np.int32],
        features: tuple[NDArray[np.uint32], NDArray[np.int64]] | None = None,
    ) -> None:  # fmt: skip
        """`features` are those of the tokens to train with, and where those of each begin: by default all."""
        self.problem, self.only = problem, only
        self.ids: NDArray[np.uint32]
        self.starts: NDArray[np.int64]
        self.ids, self.starts = (problem.ids, problem.starts) if features is None else features
        tagged = problem.tagged
        allowed = allowed_transitions(tagged.tags, Scheme.IOBES if tagged.scheme is not Scheme.NONE else Scheme.NONE)
        groups = tag_groups(tagged.tags, tagged.scheme)
        self.kernel = TagTrainer(  # type: ignore[call-arg]
            self.ids, self.starts, tagged.sentences.starts, tagged.codes, only, len(problem.numbering), allowed,
            problem.order, problem.margin, groups,
        )  # fmt: skip

    def train(self, order: Numbers) -> Tally:
        wrong, wrong_tokens, tokens = self.kernel.train(order, self.problem.C)
        return Tally(len(order), wrong, tokens, wrong_tokens)

    def score(self, which: Numbers) -> float:
        """The accuracy on tokens, or the F1 of spans."""
        return ratio(self.counts(which))

    def counts(self, which: Numbers) -> Counts:
        """For each sentence its right tokens and all; or of spans twice the right ones, and the true and found ones."""
        tagged = self.problem.tagged
        bounds = tagged.sentences.starts
        found = decode(self.kernel, which)
        lengths = np.diff(bounds)[which]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        tokens = np.repeat(bounds[which] - starts[:-1], lengths) + np.arange(len(found))
        truth = tagged.codes[tokens]
        if tagged.scheme is Scheme.NONE:
            return _by_sentence(np.flatnonzero(found == truth), np.arange(len(found)), starts)
        return span_counts(tagged.tags, truth, found, starts)

    def state(self) -> dict[str, NDArray[Any]]:
        state: dict[str, NDArray[Any]] = state_of(self.kernel)
        return state

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        restore(self.kernel, state)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.problem, self.only, (self.ids, self.starts), self.state())


def _restored(
    problem: TaggingProblem, only: NDArray[np.int32], features: tuple[NDArray[np.uint32], NDArray[np.int64]],
    state: Mapping[str, NDArray[Any]],
) -> Learner:  # fmt: skip
    """A learner that was pickled."""
    learner = Learner(problem, only, features)
    learner.restore(state)
    return learner


def span_counts(tags: tuple[str, ...], truth: NDArray[np.int32], found: NDArray[np.int32], starts: Numbers) -> Counts:
    """For each sentence twice the spans that are both true and found, and the true and the found ones: F1 is their
    ratio."""
    a, b = (np.stack(spans_of(tags, codes, starts).triples()) for codes in (truth, found))
    both = np.concatenate([a, b], axis=1)
    spans, times = np.unique(both, axis=1, return_counts=True)
    return _by_sentence(np.repeat(spans[0, times == 2], 2), both[0], starts)


def _by_sentence(parts: Numbers, wholes: Numbers, starts: Numbers) -> Counts:
    """How many of these tokens each sentence has."""
    owners = (np.searchsorted(starts, tokens, side="right") - 1 for tokens in (parts, wholes))
    return np.stack([np.bincount(each, minlength=len(starts) - 1) for each in owners]).astype(np.int64)


class TaggingProblem:
    """Sentences with their features numbered (trainer.Problem)."""

    def __init__(
        self,
        tagged: TaggedSentences,
        templates: Templates,
        lists: WordLists,
        options: TagOptions,
        before: TaggingProblem | None = None,
    ) -> None:
        """The numbers of words and features continue those of the problem before, if there is one."""
        self.tagged, self.templates, self.lists = tagged, templates, lists
        self.C = options.C if options.update is TagUpdate.PASSIVE_AGGRESSIVE else 0.0
        self.margin = 0 if self.C else MARGINS[0] if options.margin == AUTO else int(options.margin)
        self.least = options.dictionary
        self.order = options.order
        if self.order == 2 and len(tagged.tags) > MOST_TRIGRAM_TAGS:
            raise InputError(
                f"{len(tagged.tags):,} different tags (spans have up to four for each type): {option('order')} 2 takes "
                f"{MOST_TRIGRAM_TAGS} at most, {option('order')} 1 takes more"
            )
        sentences = tagged.sentences
        self.table: WordTable = WordTable(templates, lists) if before is None else before.table
        self.numbering: Any = Numbering() if before is None else before.numbering
        self.own: NDArray[np.uint32]
        self.own, hashes = self.table.numbers(sentences, sentences.column(tagged.word))
        known = np.empty(0, dtype=np.uint64) if before is None else before.word_hashes
        self.word_hashes: NDArray[np.uint64] = np.concatenate([known, hashes])
        self.listed = self.table.listed(self.own, sentences.starts) if templates.gazetteer else None
        columns = tuple(sentences.column(name) for name in templates.columns)
        others = atoms_of_tokens(sentences, columns, self.listed)
        self.ids, self.starts, self.firsts = features(
            self.table.atoms, self.own, others, sentences.starts, templates.compiled, templates.bounded, self.numbering,
            True,
        )  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "numbering": self.numbering.keys()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, numbering=renumbered(state["numbering"]))

    @property
    def examples(self) -> int:
        return len(self.tagged.sentences)

    def adjusted(self, margin: int) -> TaggingProblem:
        """The same sentences, to be trained on with this margin."""
        other = copy(self)
        other.margin = margin
        return other

    def learner(self, trained: Numbers) -> Learner:
        return Learner(self, self.only_tags(trained)[self.own], self._features_for(trained))

    def partial_learner(self) -> Learner:
        """One that is trained on these sentences and on others that will come: with all features."""
        return Learner(self, self.only_tags(np.arange(self.examples, dtype=np.int64))[self.own])

    def _features_for(self, trained: Numbers) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """The features to train on these sentences with."""
        tagged = self.tagged
        if not tagged.names or self.examples < FEWEST_SENTENCES:
            return self.ids, self.starts
        return without_single(self.ids, self.starts, len(self.numbering), self._tokens_of(trained), tagged.inside)

    def _tokens_of(self, some: Numbers) -> NDArray[np.bool_]:
        """Which tokens these sentences have."""
        starts = self.tagged.sentences.starts
        there = np.zeros(len(starts) - 1, dtype=bool)
        there[some] = True
        return np.repeat(there, np.diff(starts))

    def only_tags(self, trained: Numbers) -> NDArray[np.int32]:
        """For each different word the only tag that it has in these sentences, if it is there often enough; else -1."""
        words = len(self.table)
        only = np.full(words, -1, dtype=np.int32)
        if not self.least:
            return only
        tokens = self._tokens_of(trained)
        own, codes = self.own[tokens], self.tagged.codes[tokens]
        low, high = np.full(words, MOST_TAGS, dtype=np.int32), only.copy()
        np.minimum.at(low, own, codes)
        np.maximum.at(high, own, codes)
        often = np.bincount(own, minlength=words) >= self.least
        return np.where(often & (low == high), high, -1).astype(np.int32)

    def tagger(
        self, learners: Sequence[Learner], history: History, options: TagOptions, names: list[str] | None = None
    ) -> Tagger:
        """The mean of the weights as a tagger; `names` are those of all features, if they are known."""
        means = (weights_of(each.kernel, True) for each in learners)
        starts, tags, weights, between, triples = mean_of_means(means, len(learners))
        kept = np.flatnonzero(np.diff(starts) > 0)
        tagged, every = self.tagged, np.arange(self.examples, dtype=np.int64)
        only = self.only_tags(every)
        listed = np.flatnonzero(only >= 0)
        order = listed[np.argsort(self.word_hashes[listed], kind="stable")]
        chosen = feature_names(self, self.firsts[kept]) if names is None else [names[at] for at in kept.tolist()]
        keys = self.numbering.keys()[kept]
        record = TaggerRecord(
            options=options.decisive(),
            sentences=history.examples,
            tokens=tagged.sentences.tokens,
            features=len(self.numbering),
            history=history,
            metric="accuracy" if tagged.scheme is Scheme.NONE else "span F1",
            mistakes=None if names is not None else self.mistakes(learners[-1], history),
            margin=self.margin,
        )
        return Tagger(
            self.templates, tagged.tags, tagged.scheme, tagged.word, tagged.target, keys,
            np.concatenate([starts[kept], starts[-1:]]), tags, weights.astype(np.float32), between.astype(np.float32),
            np.frombuffer("\n".join(chosen).encode(), dtype=np.uint8), self.word_hashes[order], only[order],
            np.sort(self.word_hashes), self.lists, record, None if triples is None else triples.astype(np.float32),
        )  # fmt: skip

    def mistakes(self, learner: Learner, history: History) -> MistakeBound | None:
        """The sentences with mistakes in all passes of an order beside their bound, if the last had none."""
        if self.C or not history.final or history.final[-1].wrong:
            return None
        made = sum(each.wrong for each in history.final[-history.passes :])
        tagged = self.tagged
        return tagging_bound(
            learner.kernel,
            learner.ids,
            learner.starts,
            tagged.sentences.starts,
            tagged.codes,
            learner.only,
            made,
            self.margin,
        )


def orders_for(tokens: int) -> int:
    return max(1, min(MOST_ORDERS, TOKENS_OF_ORDERS // max(1, tokens)))


def train_tagger(
    tagged: TaggedSentences,
    options: TagOptions,
    *,
    templates: Templates | None = None,
    lists: WordLists = NO_LISTS,
    columns: tuple[str, ...] = (),
    services: Services | None = None,
    checkpoint: Checkpoint | None = None,
) -> Tagger:
    """Train on all sentences; `columns` are those beside words and tags to make features of, by default templates."""
    if templates is None:
        templates = default_templates(
            columns,
            spans=tagged.scheme is not Scheme.NONE,
            clusters=bool(lists.clusters),
            gazetteers=bool(lists.gazetteers),
        )
    problem = TaggingProblem(tagged, templates, lists, options)
    chosen = options.margin == AUTO and not problem.C and options.passes is None and tagged.names
    orders = 1 if options.passes is not None else orders_for(tagged.sentences.tokens)
    settings = Settings(options.passes, options.seed, orders, values=MARGINS if chosen else ())
    learners, history = trainer.fit(problem, settings, services, checkpoint)
    mine = [each for each in learners if isinstance(each, Learner)]
    return mine[-1].problem.tagger(mine, history, options)
