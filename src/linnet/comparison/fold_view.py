"""FoldView: a fold as contenders see it, nothing of it known from the test rows.

Names of features are those that training rows have; logarithms are chosen from the training rows.  What learners do
beyond that (scales, weights of words, C) they do with the training rows alone: a contender is trained by the same
trainers as `linnet train`, on a stream that has no other rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.compared_data import ComparedData, joined_blocks
from linnet.comparison.splits import Fold
from linnet.data.features import transforms
from linnet.data.features.feature_map import Features, Term
from linnet.data.features.layout import TermOrder, assembled
from linnet.data.features.terms import NamedTerm, NumberTerm, Piece
from linnet.data.features.text import TextTerm
from linnet.data.features.transforms import Log
from linnet.data.role import Role
from linnet.data.rows import Rows
from linnet.data.sources.block import Block, Column, Position
from linnet.data.sources.block import Numbers as NumberColumn
from linnet.kernels.vocabulary import Vocabulary
from linnet.pipeline.services import Services
from linnet.pipeline.stream import Numbered, RowStream
from linnet.pipeline.trainers.batch import LEAST_ROWS

Numbers = NDArray[np.int64]
Flat = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FoldView:
    """Features, and the entries of training and test rows; `pruned` without n-grams that a single training row has."""

    data: ComparedData
    fold: Fold
    pruned: bool

    @cached_property
    def _restricted(self) -> tuple[list[Term], list[Piece], list[Piece]]:
        """The terms with the names that training rows have, and the entries of training and test rows."""
        weights = self.data.dataset.weights
        copies = None if weights is None else np.maximum(weights[self.fold.train], 1.0)
        terms, train, test = [], [], []
        for term, piece in zip(self.data.features.terms, self.data.pieces, strict=True):
            trained, tested = taken(piece, self.fold.train), taken(piece, self.fold.test)
            if isinstance(term, TextTerm | NamedTerm) and not term.vocabulary.bits:
                least = LEAST_ROWS if self.pruned and isinstance(term, TextTerm) else 1
                kept = _rows_with(trained, len(term), copies) >= least
                if not kept.all():
                    term, numbers = _with_names(term, kept), np.where(kept, np.cumsum(kept) - 1, -1)
                    trained, tested = _renumbered(trained, numbers), _renumbered(tested, numbers)
            terms.append(term)
            train.append(trained)
            test.append(tested)
        return terms, train, test

    @cached_property
    def _logs(self) -> Mapping[str, Log]:
        """The logarithms that the first training rows call for, or the user."""
        schema, given = self.data.features.schema, self.data.options.roles
        numbers = [(at, term) for at, term in enumerate(self.data.features.terms) if isinstance(term, NumberTerm)]
        if not numbers:
            return {}
        some = self.fold.train[: max(schema.rows, transforms.MOST_ROWS)]
        columns: dict[str, Column] = {}
        for at, term in numbers:
            piece = taken(self.data.pieces[at], some)
            columns[term.columns[0]] = NumberColumn(np.where(piece.ids == 0, piece.values, np.nan))
        columns[schema.target or ""] = NumberColumn(self.data.dataset.targets[some])
        if (name := schema.only(Role.WEIGHT)) and self.data.dataset.weights is not None:
            columns[name] = NumberColumn(self.data.dataset.weights[some])
        sample = Block("", len(some), Position(), columns=columns)
        return transforms.chosen(schema, self.data.task, sample, given)[0]

    def prepare(self) -> None:
        """Work out what all contenders of the fold share."""
        _ = self._restricted, self._logs

    def features(self, *, as_they_are: bool = False) -> Features:
        """The features of the fold; `as_they_are` for a learner that takes no logarithms."""
        logs = {} if as_they_are else self._logs
        terms = [_logged(term, logs) for term in self._restricted[0]]
        return Features(self.data.features.schema, self.data.task, terms)

    def train_pieces(self, features: Features) -> list[Piece]:
        """The entries of the training rows for these features."""
        return [_by_log(term, piece) for term, piece in zip(features.terms, self._restricted[1], strict=True)]

    def test_pieces(self, features: Features) -> list[Piece]:
        """The entries of the test rows for these features."""
        return [_by_log(term, piece) for term, piece in zip(features.terms, self._restricted[2], strict=True)]

    def test_rows(self, features: Features) -> Rows:
        """The test rows for these features, whose text may be weighted as a learner takes it."""
        return assembled(features.weighted(self.test_pieces(features)), TermOrder.of(features.sizes))

    def train_rows(self, features: Features) -> Rows:
        """The training rows, in the same way."""
        return assembled(features.weighted(self.train_pieces(features)), TermOrder.of(features.sizes))

    def stream(self, features: Features, services: Services) -> RowStream:
        """The training rows as trainers take them."""
        return _TrainingRows(self, features, services)

    def weights(self, rows: Numbers) -> Flat | None:
        weights = self.data.dataset.weights
        return None if weights is None else weights[rows]


class _TrainingRows(RowStream):
    """A stream of the training rows of a fold."""

    def __init__(self, view: FoldView, features: Features, services: Services) -> None:
        data = view.data
        super().__init__(data.source, features, lambda _: {}, data.rejected, services)
        block = next(joined_blocks(data, view.fold.train))
        self._blocks = [Numbered(block, view.train_pieces(features))]

    def numbered(self, start: Position) -> Iterator[Numbered]:
        assert start == Position(), "a fold is trained on from its first row"
        return iter(self._blocks)

    def again(self) -> Iterator[Numbered]:
        return iter(self._blocks)


def taken(piece: Piece, rows: Numbers) -> Piece:
    """The entries of some rows, in the order of these."""
    if not len(piece.starts):
        ids = piece.ids
        if piece.only is not None:  # stored once for all rows
            ids = np.ndarray((len(rows),), ids.dtype, ids[:1].copy(), strides=(0,))
            return Piece(ids, piece.values[rows])
        return Piece(ids[rows], piece.values[rows])
    lengths = np.diff(piece.starts)[rows]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    at = np.repeat(piece.starts[rows] - starts[:-1], lengths) + np.arange(starts[-1])
    return Piece(piece.ids[at], piece.values[at], starts)


def _rows_with(piece: Piece, size: int, copies: Flat | None) -> NDArray[Any]:
    """In how many of the rows each feature is; a row of weight 2 is two, of weight 0.5 still one."""
    ids = piece.ids.astype(np.int64) if piece.ids.dtype.kind == "u" else piece.ids
    known = ids >= 0
    if copies is not None and len(piece.starts):
        copies = np.repeat(copies, np.diff(piece.starts))
    return np.bincount(ids[known], None if copies is None else copies[known], minlength=size)


def _renumbered(piece: Piece, numbers: Numbers) -> Piece:
    """The entries by their new numbers; of those that have none, nothing is left."""
    ids = np.where(piece.ids >= 0, numbers[piece.ids], -1)
    if not len(piece.starts):
        return Piece(ids, piece.values)
    kept = ids >= 0
    counted = np.concatenate([[0], np.cumsum(kept)])
    return Piece(ids[kept].astype(piece.ids.dtype), piece.values[kept], counted[piece.starts].astype(np.int64))


def _with_names(term: TextTerm | NamedTerm, kept: NDArray[np.bool_]) -> TextTerm | NamedTerm:
    """The term with some of its names."""
    keys, names, starts, seen = term.vocabulary.stored()  # type: ignore[no-untyped-call]
    lengths = np.diff(starts)
    new_starts = np.concatenate([[0], np.cumsum(lengths[kept])]).astype(np.int64)
    vocabulary = Vocabulary.restored(0, keys[kept], names[np.repeat(kept, lengths)], new_starts, seen)
    if isinstance(term, TextTerm):
        return term.with_vocabulary(vocabulary)
    found = copy(term)
    found.vocabulary = vocabulary
    return found


def _logged(term: Term, logs: Mapping[str, Log]) -> Term:
    return NumberTerm(term.columns[0], logs.get(term.columns[0])) if isinstance(term, NumberTerm) else term


def _by_log(term: Term, piece: Piece) -> Piece:
    """A column of numbers by its logarithm, if that is how it enters; as where it is read."""
    if not isinstance(term, NumberTerm) or term.log is None:
        return piece
    logs = term.log(piece.values)
    return Piece(piece.ids, logs if piece.only == 0 else np.where(piece.ids == 0, logs, piece.values))
