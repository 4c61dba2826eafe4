"""All rows of a source in memory, for learners that look at them together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.entries import EntriesTerm
from linnet.data.features.feature_map import Features
from linnet.data.features.layout import TermOrder, assembled
from linnet.data.features.packing import Packing
from linnet.data.features.schema import Role, Task
from linnet.data.features.terms import NumberedTerm, Piece
from linnet.data.features.text import TextTerm
from linnet.data.label_sets import label_index
from linnet.data.labels import Labels
from linnet.data.packed_rows import PackedBlock, PackedRows, PackedTable
from linnet.data.rows import Examples, Rows, select_examples
from linnet.data.sources.block import NO_LINES, Column, Numbers
from linnet.data.sources.label_sets import LABELS
from linnet.data.targets import no_training_rows, numeric_targets, refuse_too_many_labels, sample_weights_of
from linnet.kernels.sparse_entries import entries_by_column, renumber
from linnet.kernels.vocabulary import Vocabulary
from linnet.learners.entry import Entry
from linnet.pipeline.stream import Numbered
from linnet.pipeline.value_checks import with_text_weighting
from linnet.training.class_weights import ClassWeights
from linnet.training.threads import beside

# From this many numbers and categories on, a table is packed.
PACKED_FROM = 1 << 20
# Terms whose features most rows do not have, and the columns to an entry from which on sparse rows are thin.
_SPARSE = (TextTerm, NumberedTerm, EntriesTerm)
THIN = 20


@dataclass(frozen=True, eq=False)
class Dataset:
    """Every row, its features in their final order, text as counts: what several learners can be trained on.

    A large table of numbers and categories is `packed` instead of being in pieces.
    """

    features: Features
    pieces: list[Piece]
    targets: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    labels: Labels | None
    packed: PackedTable | None = None

    @property
    def packed_rows(self) -> PackedRows | None:
        """The rows where they are packed: dense ones of the features that any row has."""
        return None if self.packed is None else PackedRows(self.packed)

    @property
    def entries(self) -> int:
        """How many entries the rows have, if they are not packed."""
        return sum(len(piece.ids) for piece in self.pieces)

    @property
    def thin(self) -> bool:
        """Whether rows share few features: those of text, or of sparse rows with at most one in THIN of all columns."""
        if self.packed is not None or not all(isinstance(term, _SPARSE) for term in self.features.terms):
            return False
        only_text = bool(self.features.text_features().all())
        return only_text or THIN * self.entries <= len(self.targets) * len(self.features)

    @property
    def rows(self) -> Rows:
        """The rows, with text weighted as the features say."""
        if (packed := self.packed_rows) is not None:
            return packed.unpacked()
        return assembled(self.features.weighted(self.pieces), TermOrder.of(self.features.sizes))

    def pruned(self, least: int) -> Dataset:
        """Without the words and n-grams that fewer than `least` rows have: a weight of 2 is two rows, 0.5 still one."""
        if self.packed is not None:  # it has no text
            return self
        terms, pieces = list(self.features.terms), list(self.pieces)
        copies = None if self.weights is None else np.maximum(self.weights, 1.0)
        for number, term in enumerate(terms):
            if isinstance(term, TextTerm):
                terms[number], pieces[number] = _pruned(term, pieces[number], least, copies)
        return replace(self, features=Features(self.features.schema, self.features.task, terms), pieces=pieces)

    def for_learner(self, entry: Entry, class_weights: ClassWeights | None) -> TrainingSet:
        """The rows as this learner takes them, without a copy."""
        if class_weights is not None and self.labels is not None:
            class_weights.check(self.labels.classes.tolist())
        features = with_text_weighting(entry, self.features)
        return TrainingSet(features, self.pieces, self.targets, self.weights, self.labels, self.packed, class_weights)


@dataclass(frozen=True, eq=False)
class TrainingSet(Dataset):
    """A data set as one learner takes it: text weighted in its way, classes weighted as it was asked to."""

    class_weights: ClassWeights | None = None

    def examples(self, rows: Rows, which: NDArray[np.bool_] | None = None) -> Examples:
        """All rows, or some, to learn from: each counts by its weight and its class's."""
        examples = Examples(rows, self.targets, self.weights)
        if which is not None:
            examples = select_examples(examples, which)
        if self.class_weights is None or self.labels is None:
            return examples
        labels = self.labels.classes.tolist()
        return replace(examples, weights=self.class_weights.by_row(labels, examples.targets, examples.weights))

    def each_class(self) -> NDArray[np.float64] | None:
        """The weight of each class, if classes have any."""
        if self.class_weights is None or self.labels is None:
            return None
        totals = np.bincount(self.targets.astype(np.int64), self.weights, minlength=len(self.labels))
        return self.class_weights.each(self.labels.classes.tolist(), totals)


class Collected:
    """Numbered blocks, not yet put together; those of a large table are packed, unless all are to be kept as they are.

    The first blocks, as many as are packed, have no pieces.
    """

    def __init__(self, features: Features, *, packing: bool = True) -> None:
        self.features = features
        self.blocks: list[Numbered] = []
        self.rows = 0
        self.nbytes = 0
        self._packing = Packing(features) if packing else None
        self._packed: list[PackedBlock] = []

    def add(self, made: Numbered) -> None:
        block, pieces = made.block, made.pieces
        if not block.rows:
            return
        schema = self.features.schema
        needed = {name for name in (schema.target or LABELS, schema.only(Role.WEIGHT)) if name}
        block = replace(
            block,
            columns={name: _own(column) for name, column in block.columns.items() if name in needed},
            sparse=block.sparse and _emptied(block.sparse),
            lines=NO_LINES,
            records=None,  # the text of the file
        )
        self.blocks.append(Numbered(block, pieces))
        self.rows += block.rows
        if self.rows * len(pieces) >= PACKED_FROM:
            self._pack()
        # without the one start more than rows that every block has: how the input was cut must not count
        starts = sum(max(0, piece.starts.nbytes - 8) for piece in pieces)
        self.nbytes += starts + sum(piece.ids.nbytes + piece.values.nbytes for piece in pieces)

    def _pack(self) -> None:
        """Pack all blocks that are not yet."""
        if self._packing is None or not self._packing.possible:
            return
        for at in range(len(self._packed), len(self.blocks)):
            self._packed.append(self._packing.packed(self.blocks[at].pieces))
            self.blocks[at] = Numbered(self.blocks[at].block, [])

    def _pieces(self) -> Iterator[list[Piece]]:
        """The pieces of each block; a block is released once its pieces are used."""
        while self.blocks:
            if self._packed:
                assert self._packing is not None
                self.blocks.pop(0)
                yield self._packing.pieces(self._packed.pop(0))
            else:
                yield self.blocks.pop(0).pieces

    def replay(self) -> Iterator[Numbered]:
        """The blocks again, in order; each is released once it is used."""
        blocks = [made.block for made in self.blocks]
        for block, pieces in zip(blocks, self._pieces(), strict=True):
            yield Numbered(block, pieces)

    def dataset(self) -> Dataset:
        """All rows together; the blocks are released."""
        if not self.rows:
            raise no_training_rows(self.features.schema)
        schema, index = self.features.schema, label_index(self.features)
        classes = self.features.task is Task.CLASSIFICATION
        targets, weights = [], []
        for made in self.blocks:
            block = made.block
            targets.append(
                index.numbers(block, schema).astype(np.float64) if classes else numeric_targets(block, schema)
            )
            weights.append(sample_weights_of(block, schema))
        packed = None
        if len(self._packed) == len(self.blocks) and self._packing is not None:
            packed = self._packing.table(self._packed)
        joined = []
        if packed is None:
            pieces = [list(each) for each in self._pieces()]
            # popped, so that what is joined is released before the next term takes as much again
            joined = [_joined([each.pop() for each in pieces]) for _ in self.features.terms][::-1]
        self.blocks, self._packed = [], []
        codes, labels = np.concatenate(targets), None
        if classes:
            labels = index.typed(schema.labels)
            if labels.sets is None:
                refuse_too_many_labels(self.rows, len(labels), schema)
            codes = index.codes()[codes.astype(np.int64)]
        given = None if weights[0] is None else np.concatenate([w for w in weights if w is not None])
        return Dataset(self.features, joined, codes, given, labels, packed)


def _own(column: Column) -> Column:
    """The column in arrays of its own: those of a file may be parts of one that has all columns, or lie among others
    that Arrow could not give back for them."""
    if isinstance(column, Numbers):
        return Numbers(column.values.copy())
    return replace(column, data=column.data.copy(), starts=column.starts.copy())


def _emptied(rows: Rows) -> Rows:
    """A mark that the block was sparse, without its rows."""
    return Rows(rows.values[:0].copy(), rows.ids[:0].copy(), rows.starts[:1].copy(), (0, rows.shape[1]), rows.names)


def _joined(pieces: list[Piece]) -> Piece:
    ids = np.concatenate([piece.ids for piece in pieces])
    values = np.concatenate([piece.values for piece in pieces])
    if not any(len(piece.starts) for piece in pieces):
        return Piece(_narrow(ids), _narrow(values))
    offsets = np.cumsum([0] + [len(piece.ids) for piece in pieces[:-1]])
    starts = [piece.starts[:-1] + offset for piece, offset in zip(pieces, offsets, strict=True)]
    return Piece(ids, values, np.concatenate([*starts, [len(ids)]]).astype(np.int64))


def _narrow(column: NDArray[Any]) -> NDArray[Any]:
    """A column in little memory, for a wide table has very many: one number if all are the same, ids in four bytes."""
    if len(column) and (column == column[0]).all():
        return np.ndarray(column.shape, column.dtype, column[:1].copy(), strides=(0,))
    return column.astype(np.int32) if column.dtype.kind == "i" else column


def _pruned(term: TextTerm, piece: Piece, least: int, copies: NDArray[np.float64] | None) -> tuple[TextTerm, Piece]:
    """A term and its entries without the features that few rows have.

    Hashed ones stay: there are no more of them than was asked for, and what fell together is counted over all names.
    """
    entries = np.asarray(entries_by_column(piece.ids, len(term)))
    counts = entries
    if copies is not None:
        counts = np.bincount(piece.ids, np.repeat(copies, np.diff(piece.starts)), minlength=len(term))
    kept = counts >= least
    if kept.all() or term.vocabulary.bits:
        return term, piece
    numbers = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    keys, names, starts, seen = term.vocabulary.stored()  # type: ignore[no-untyped-call]
    lengths = np.diff(starts)
    bytes_kept = np.repeat(kept, lengths)
    new_starts = np.concatenate([[0], np.cumsum(lengths[kept])]).astype(np.int64)
    left = int(entries[kept].sum())
    fewer = Piece(np.empty(left, np.uint32), np.empty(left, np.float32), np.empty_like(piece.starts))
    done = beside(
        lambda: renumber(piece.values, piece.ids, piece.starts, numbers, fewer.values, fewer.ids, fewer.starts)
    )
    vocabulary = Vocabulary.restored(0, keys[kept], names[bytes_kept], new_starts, seen)
    done()
    return term.with_vocabulary(vocabulary), fewer
