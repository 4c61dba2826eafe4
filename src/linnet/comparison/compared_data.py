"""ComparedData: one reading of a data set, which all contenders and folds share.

Numbers are kept as they are read: which of them enter by their logarithm is chosen in every fold, from its training
rows (fold_view.py), as is everything else that depends on rows.  Types and roles of columns come from the first rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.options import CompareOptions
from linnet.data.column_types import Kind, ReadAs, Reading
from linnet.data.features.feature_map import Features
from linnet.data.features.task_choice import TaskChoice
from linnet.data.features.terms import NumberTerm, Piece
from linnet.data.label_types import LabelKind
from linnet.data.labels import Labels
from linnet.data.on_error import BadRows
from linnet.data.role import Role
from linnet.data.sources.block import Block, Column, Numbers, Position, Strings
from linnet.data.sources.source import Source
from linnet.data.sources.table import TableSource
from linnet.data.targets import unusable_rows
from linnet.data.task import Task
from linnet.errors import InputError, RecipeError, listed
from linnet.errors import option as spelt
from linnet.kernels import fingerprints as kernel
from linnet.kernels.vocabulary import Vocabulary
from linnet.pipeline.dataset import Collected, Dataset
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.plan import features_of
from linnet.pipeline.services import Services
from linnet.pipeline.stream import RowStream

Flat = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ComparedData:
    """All rows of a data set, their targets, and what splits go by.

    `blocks` have the targets and weights as they are read; `prints` are a number for the contents of each row, features
    and target; `groups` and `times` are those of the rows, where they were asked for.
    """

    name: str
    options: TrainOptions
    source: Source
    choice: TaskChoice
    dataset: Dataset
    blocks: tuple[Block, ...]
    rejected: BadRows
    prints: NDArray[np.uint64]
    groups: NDArray[np.int64] | None = None
    times: Flat | None = None

    @property
    def features(self) -> Features:
        return self.dataset.features

    @property
    def task(self) -> Task:
        return self.features.task

    @property
    def rows(self) -> int:
        return len(self.dataset.targets)

    @property
    def labels(self) -> Labels | None:
        return self.dataset.labels

    @property
    def classes(self) -> tuple[str, ...]:
        return () if self.labels is None else tuple(str(each) for each in self.labels.classes.tolist())

    @property
    def pieces(self) -> list[Piece]:
        return self.dataset.pieces

    def identity(self) -> str:
        """The same for the same rows in the same order, whatever files they come from."""
        found = hashlib.sha256(self.prints.tobytes())
        for part in (self.dataset.weights, self.groups, self.times):
            found.update(b"-" if part is None else part.tobytes())
        return found.hexdigest()


def read(name: str, source: Source, options: TrainOptions, asked: CompareOptions, services: Services) -> ComparedData:
    """Read a data set once."""
    if not isinstance(source, TableSource) and (asked.groups is not None or asked.time is not None):
        which = spelt("groups") if asked.groups is not None else spelt("time")
        raise RecipeError(f"{source.format} data have no columns: leave {which} out")
    if asked.groups is not None and asked.groups not in options.columns:
        options = replace(options, columns={**options.columns, asked.groups: Role.ID})
    features, choice = features_of(source, options)
    if features.schema.labels is LabelKind.SETS:
        raise RecipeError("the rows have several labels, and learners are compared on one label a row")
    # as they are read; every fold chooses its logarithms
    features.terms = [NumberTerm(each.columns[0]) if isinstance(each, NumberTerm) else each for each in features.terms]
    also = _select(source, features, asked)
    rejected = BadRows(options.on_error)
    stream = RowStream(source, features, lambda block: unusable_rows(block, features), rejected, services)
    collected, kept = Collected(features, packing=False), _SplitColumns(asked)
    for made in stream.numbered(Position()):
        kept.add(made.block, also)
        collected.add(made)
        stream.report("reading", collected.rows)
        services.check_stopped()
        if collected.nbytes > options.memory:
            raise RecipeError(
                "the rows take more memory than is allowed, and all learners share them: allow more "
                f"({spelt('memory')})"
            )
    blocks = tuple(made.block for made in collected.blocks)
    dataset = collected.dataset()
    prints = np.empty(len(dataset.targets), dtype=np.uint64)
    kernel.fingerprints(*dataset.rows.layout, dataset.targets, np.empty(0), prints)
    return ComparedData(
        name, options, source, choice, dataset, blocks, rejected, prints, kept.groups(), kept.times(dataset)
    )


def _select(source: Source, features: Features, asked: CompareOptions) -> tuple[str, ...]:
    """Have the columns read that splits go by, whatever their roles."""
    wanted = {spelt(what): name for what, name in (("groups", asked.groups), ("time", asked.time)) if name is not None}
    if not wanted:
        return ()
    assert isinstance(source, TableSource)
    for what, name in wanted.items():
        if name not in source.names:
            raise RecipeError(f"{what} {name}: there is no such column; there are {listed(source.names)}")
    read: Mapping[str, Reading] = features.schema.columns_to_read(features.task)
    if asked.time is not None:
        kind = features.schema.type_of(asked.time)
        if kind.kind not in (Kind.NUMBER, Kind.DATE):
            raise RecipeError(
                f"{spelt('time')} {asked.time}: it is a column of {kind}, not of dates or numbers: take one that is, "
                f"or sort the rows and give {spelt('in_time')}"
            )
        if asked.time not in read:
            read = {**read, asked.time: Reading(kind, ReadAs.NUMBER, missing=features.schema.missing)}
    source.select_columns(read)
    return tuple(wanted.values())


class _SplitColumns:
    """The columns that splits go by, gathered block by block."""

    def __init__(self, asked: CompareOptions) -> None:
        self._asked = asked
        self._names = Vocabulary()
        self._groups: list[NDArray[np.int64]] = []
        self._times: list[Flat] = []

    def add(self, block: Block, also: tuple[str, ...]) -> None:
        if not also or not block.rows:
            return
        if self._asked.groups is not None:
            spelt_out = _strings(block.columns[self._asked.groups])
            self._groups.append(np.asarray(self._names.numbers(spelt_out.data, spelt_out.starts, b"", False)))
        if self._asked.time is not None:
            column = block.columns[self._asked.time]
            assert isinstance(column, Numbers)
            self._times.append(column.values.copy())

    def groups(self) -> NDArray[np.int64] | None:
        return np.concatenate(self._groups).astype(np.int64) if self._groups else None

    def times(self, dataset: Dataset) -> Flat | None:
        if self._asked.in_time:
            return np.arange(len(dataset.targets), dtype=np.float64)
        if not self._times:
            return None
        times = np.concatenate(self._times)
        if np.isnan(times).any():
            row = int(np.flatnonzero(np.isnan(times))[0]) + 1
            raise InputError(
                f"row {row} of those read has no {self._asked.time}, so rows cannot be put in the order of time: leave "
                "it out"
            )
        return times


def _strings(column: Column) -> Strings:
    """A column as its strings, which are the names of groups."""
    if isinstance(column, Numbers):
        return Strings.of([repr(each) for each in column.values.tolist()])
    return replace(column, starts=np.ascontiguousarray(column.starts))


def joined_blocks(data: ComparedData, rows: NDArray[np.int64]) -> Iterator[Block]:
    """A block of the targets and weights of some rows, in this order."""
    first = data.blocks[0]
    columns = {name: _taken([block.columns[name] for block in data.blocks], rows) for name in first.columns}
    targets = None
    if first.targets is not None:
        targets = np.concatenate([block.targets for block in data.blocks if block.targets is not None])[rows]
    yield replace(first, rows=len(rows), columns=columns, targets=targets, after=Position(), read=0, bad=(), misfits=())


def _taken(columns: list[Column], rows: NDArray[np.int64]) -> Column:
    if isinstance(columns[0], Numbers):
        return Numbers(np.concatenate([each.values for each in columns if isinstance(each, Numbers)])[rows])
    strings = [each for each in columns if isinstance(each, Strings)]
    lengths = np.concatenate([np.diff(each.starts) for each in strings])
    data = np.concatenate([each.data[each.starts[0] : each.starts[-1]] for each in strings])
    missing = None
    if any(each.missing is not None for each in strings):
        missing = np.concatenate(
            [np.zeros(len(each), dtype=bool) if each.missing is None else each.missing for each in strings]
        )[rows]
    firsts = (np.cumsum(lengths) - lengths)[rows]
    lengths = lengths[rows]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    at = np.repeat(firsts - starts[:-1], lengths) + np.arange(starts[-1])
    return Strings(data[at], starts, missing, strings[0].markers)
