"""Text: a feature for each n-gram of words or characters, weighted by how often a row has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.cores import cores
from linnet.data.features.buffers import Buffers, Pool
from linnet.data.features.terms import Piece
from linnet.data.features.text_options import Analyzer, CountWeighting, TextOptions
from linnet.data.features.tokenizer import tokenize
from linnet.data.sources.block import Column, Strings
from linnet.kernels.ngrams import Counter
from linnet.kernels.sparse_entries import renumbered
from linnet.kernels.term_weighting import BINARY, COUNT, LOG, weight_counts
from linnet.kernels.vocabulary import Vocabulary

# The number of a name that a vocabulary does not have.
NO_NUMBER = np.uint32(0xFFFFFFFF)


class Workspace:
    """What one thread tokenizes a block and counts its n-grams with."""

    def __init__(self) -> None:
        self.buffers = Buffers()
        self.counter = Counter()


CORES = cores()
WORKSPACES, RESULTS = Pool(Workspace, CORES), Pool(Buffers, CORES + 3)


@dataclass(frozen=True, eq=False)
class NgramCounts:
    """The n-grams of a block as kernels/ngrams.py counts them: names in a text, numbered within the block.

    The buffers that hold them are free again when this object is gone.
    """

    text: NDArray[np.uint8]
    names: tuple[NDArray[Any], ...]
    rows: tuple[NDArray[Any], ...]
    buffers: Buffers

    def __del__(self) -> None:
        RESULTS.give_back(self.buffers, self.buffers.nbytes)


_KERNEL_CODES = {CountWeighting.COUNT: COUNT, CountWeighting.BINARY: BINARY, CountWeighting.LOG: LOG}


class TextTerm:
    """A column of text: a feature `column:ngram` for each n-gram of words or characters."""

    kind = "text"

    def __init__(
        self,
        column: str,
        options: TextOptions | None = None,
        bits: int = 0,
        vocabulary: Vocabulary | None = None,
        prefix: str | None = None,
    ) -> None:
        self.columns = (column,)
        self.options = TextOptions() if options is None else options
        self.vocabulary = Vocabulary(bits) if vocabulary is None else vocabulary  # type: ignore[call-arg]
        self._prefix = (f"{column}:" if prefix is None else prefix).encode()

    def __len__(self) -> int:
        return len(self.vocabulary)

    def with_options(self, options: TextOptions) -> TextTerm:
        """The same term, its vocabulary shared, with other options."""
        return TextTerm(self.columns[0], options, vocabulary=self.vocabulary, prefix=self._prefix.decode())

    def with_vocabulary(self, vocabulary: Vocabulary) -> TextTerm:
        """The same term with another vocabulary."""
        return TextTerm(self.columns[0], self.options, vocabulary=vocabulary, prefix=self._prefix.decode())

    def prepare(self, columns: Mapping[str, Column]) -> NgramCounts:
        column = columns[self.columns[0]]
        assert isinstance(column, Strings)
        options = self.options
        workspace, results = WORKSPACES.take(), RESULTS.take()
        tokens = tokenize(column, options.tokenization, workspace.buffers, results)
        rows, names = workspace.counter.count(
            tokens.text,
            (tokens.starts, tokens.hashes, tokens.segments, tokens.row_segments),
            (options.shortest, options.longest, options.tokenization.gap, options.tokenization.whole),
            self._prefix, self.vocabulary.bits, results,
        )  # fmt: skip
        WORKSPACES.give_back(workspace, workspace.buffers.nbytes)
        return NgramCounts(tokens.text, names, rows, results)

    def most_ngrams(self, columns: Mapping[str, Column]) -> NDArray[np.int64]:
        """The most n-grams that each row can have: words have two bytes or more, with what separates them."""
        column, options = columns[self.columns[0]], self.options
        assert isinstance(column, Strings)
        tokens = np.diff(column.starts) // (2 if options.analyzer is Analyzer.WORD else 1)
        return np.asarray(tokens * (options.longest - options.shortest + 1))

    def number(self, prepared: NgramCounts, *, frozen: bool) -> Piece:
        """The counts of this block's n-grams, not yet weighted: weights may depend on all rows."""
        starts, ids, counts = renumbered(self._numbers(prepared, frozen=frozen), *prepared.rows)
        return Piece(ids, counts, starts)

    def known(self, prepared: NgramCounts) -> tuple[Piece, int, int]:
        """The same of a finished model; how many different words the rows have, and how many it does not know.

        Of characters, n-grams are counted.
        """
        numbers = self._numbers(prepared, frozen=True)
        starts, ids, counts = renumbered(numbers, *prepared.rows)
        words = np.ones(len(numbers), dtype=bool)
        if self.options.analyzer is Analyzer.WORD and self.options.longest > 1:
            _, names, lengths, _ = prepared.names
            gaps = np.concatenate([[0], np.cumsum(prepared.text == ord(" "), dtype=np.int64)])
            words = gaps[names.astype(np.int64) + lengths] == gaps[names]
        met = np.bincount(prepared.rows[1], minlength=len(numbers))
        return Piece(ids, counts, starts), int(met[words].sum()), int(met[words & (numbers == NO_NUMBER)].sum())

    def _numbers(self, prepared: NgramCounts, *, frozen: bool) -> NDArray[np.uint32]:
        fingerprints, names, lengths, others = prepared.names
        return np.asarray(
            self.vocabulary.numbered(prepared.text, fingerprints, names, lengths, others, self._prefix, frozen)
        )

    def weighted(self, piece: Piece) -> Piece:
        """Counts as the values that learners take."""
        if self.options.count_weighting is CountWeighting.COUNT and not self.options.unit_length:
            return piece
        into = np.empty(len(piece.values), dtype=np.float32)
        options = self.options
        weight_counts(piece.values, piece.starts, _KERNEL_CODES[options.count_weighting], options.unit_length, into)
        return Piece(piece.ids, into, piece.starts)

    def name(self, number: int) -> str:
        return str(self.vocabulary.name(number))
