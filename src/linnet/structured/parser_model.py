"""A trained parser: weights, labels, the decoder, and how it was trained."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.kernels.structured_splicing import spliced
from linnet.structured.history import History
from linnet.structured.parser_decoders import Decoder, new_weights
from linnet.structured.projectivity import Label, lowered
from linnet.structured.sentences import Sentences
from linnet.structured.treebank import TagColumns

Rows = tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.float32]]


@dataclass(frozen=True)
class ParserRecord:
    """How a parser was trained."""

    sentences: int
    tokens: int
    non_projective: int
    lifted_arcs: int
    rejected: int
    history: History


@dataclass(frozen=True, eq=False)
class Trees:
    """Heads (from 1 within the sentence; 0 is the root) and relations of all tokens; `relations` names the numbers."""

    heads: NDArray[np.int32]
    relation: NDArray[np.int32]
    relations: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ParserModel:
    """`rows` are the mean weights: keys, where each one's entries begin, classes, weights."""

    decoder: Decoder
    columns: TagColumns
    labels: tuple[Label, ...]
    allowed: NDArray[np.uint8]
    rows: Rows = field(repr=False)
    record: ParserRecord

    def __post_init__(self) -> None:
        weights = new_weights(self.decoder.classes(len(self.labels)), frozen=True)
        weights.fill(*self.rows)
        relations = tuple(sorted({relation for relation, _ in self.labels}))
        number = {relation: place for place, relation in enumerate(relations)}
        object.__setattr__(self, "_weights", weights)
        object.__setattr__(self, "relations", relations)
        object.__setattr__(self, "_relation_of", np.array([number[name] for name, _ in self.labels], dtype=np.int32))
        object.__setattr__(self, "_lifted", np.array([head is not None for _, head in self.labels], dtype=bool))

    _weights: Any = field(init=False, repr=False)
    relations: tuple[str, ...] = field(init=False, repr=False)
    _relation_of: NDArray[np.int32] = field(init=False, repr=False)
    _lifted: NDArray[np.bool_] = field(init=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return ParserModel, (self.decoder, self.columns, self.labels, self.allowed, self.rows, self.record)

    def parse(self, sentences: Sentences, decoder: Decoder | None = None) -> Trees:
        """The trees of some sentences; another decoder is one with another beam."""
        tokens = self.columns.rows(sentences)
        found = (decoder or self.decoder).parse(self._weights, tokens, sentences.starts, self.allowed, 0.0)
        heads, label = found.heads, found.label
        lifted = np.flatnonzero(self._lifted[label])
        for number in np.unique(np.searchsorted(sentences.starts, lifted, side="right") - 1):
            first, end = sentences.starts[number], sentences.starts[number + 1]
            names = [self.labels[each] for each in label[first:end]]
            heads[first:end] = lowered(heads[first:end].tolist(), names)
        return Trees(heads, self._relation_of[label], self.relations)


def written(sentences: Sentences, trees: Trees) -> bytes:
    """The text of the sentences with these heads and relations in the place of theirs; all else is as it was."""
    head, relation = sentences.column("head"), sentences.column("deprel")
    many = len(trees.relations)
    pairs, numbers = np.unique(trees.heads.astype(np.int64) * many + trees.relation, return_inverse=True)
    names = [name.encode() for name in trees.relations]
    texts = [b"%d\t%s" % (pair // many, names[pair % many]) for pair in pairs.tolist()]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in texts])]).astype(np.int64)
    text = np.frombuffer(b"".join(texts), dtype=np.uint8)
    froms, tos = np.ascontiguousarray(sentences.begins[:, head]), np.ascontiguousarray(sentences.ends[:, relation])
    return spliced(sentences.data, froms, tos, numbers.astype(np.int32), text, starts).tobytes()  # type: ignore[no-any-return]
