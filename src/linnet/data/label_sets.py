"""LabelSetIndex: the sets of labels that rows have, and the labels in them, numbered as they appear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.feature_map import Features
from linnet.data.label_types import LabelKind, in_label_order, typed
from linnet.data.labels import Labels, LabelSets
from linnet.data.sources.label_sets import labels_of
from linnet.data.targets import LabelIndex, require_labels

NONE = np.empty(0, dtype=np.int64)


@dataclass
class LabelSetIndex(LabelIndex):
    """Rows are numbered by their sets (`labels` are the spellings of these), and classes are the labels in them.

    `kind` says what the labels in a set stand for.
    """

    kind: LabelKind = LabelKind.SPELT
    _members: dict[str, int] = field(default_factory=dict)  # the labels, in the order of their first rows
    # of all sets that were looked at: how many labels each has, and which, by the numbers of `_members`
    _sizes: NDArray[np.int64] = field(default_factory=lambda: NONE)
    _numbers: NDArray[np.int64] = field(default_factory=lambda: NONE)

    @property
    def count(self) -> int:
        self._read()
        return len(self._members)

    def order(self, classes: int | None = None) -> Labels:
        self._read()
        first = list(self._members)[:classes]
        in_order = in_label_order(first)
        return Labels.in_order(np.array(in_order), self._coded(in_order))

    def typed(self, kind: LabelKind) -> Labels:  # noqa: ARG002 - every set is of labels of one kind
        self._read()
        in_order = in_label_order(list(self._members))
        return Labels.in_order(typed(in_order, self.kind), self._coded(in_order))

    def codes(self, classes: int | None = None) -> NDArray[np.float64]:  # noqa: ARG002 - of sets, not of classes
        """The target of a row is the number of its set, whatever labels are known."""
        return np.arange(len(self.labels), dtype=np.float64)

    def require_enough(self) -> None:
        require_labels(self.count)

    def _read(self) -> None:
        """Number the labels of sets that are new."""
        new = list(islice(self.labels, len(self._sizes), None))
        if new:
            members = self._members
            sets = [[members.setdefault(label, len(members)) for label in labels_of(spelling)] for spelling in new]
            self._sizes = np.concatenate([self._sizes, np.array(list(map(len, sets)), dtype=np.int64)])
            self._numbers = np.concatenate([self._numbers, np.array(list(chain(*sets)), dtype=np.int64)])

    def _coded(self, in_order: Sequence[str]) -> LabelSets:
        """The sets by the codes of labels in this order; others are left out."""
        code = np.full(len(self._members), -1, dtype=np.int64)
        code[[self._members[label] for label in in_order]] = np.arange(len(in_order))
        labels = code[self._numbers]
        known = np.concatenate([[0], np.cumsum(labels >= 0)])
        ends = np.concatenate([[0], np.cumsum(self._sizes)])
        return LabelSets(known[ends], labels[labels >= 0])


def label_index(features: Features, labels: Sequence[Any] = ()) -> LabelIndex:
    """What numbers the labels of rows, or their sets of labels; `labels` are those that are known already."""
    known = {label: number for number, label in enumerate(labels)}
    if features.schema.labels is not LabelKind.SETS:
        return LabelIndex(known)
    return LabelSetIndex(known, kind=LabelKind.SPELT if features.is_numbered else LabelKind.TEXT)
