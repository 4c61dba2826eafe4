"""Sentences with their trees, as a parser is trained on them: hashes of the fields, heads, labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linnet.data.on_error import BadRow, BadRows
from linnet.errors import InputError
from linnet.kernels import parsing_trees
from linnet.kernels.parsing_atoms import token_rows
from linnet.structured.projectivity import MOST_LIFTED, Label, lifted
from linnet.structured.sentences import Sentences

# A fine tag with more values than this says more of words than of syntax.
MOST_FINE_TAGS = 1000
# A label of lifted arcs that is rarer cannot be learned, and takes as much time as any other: such arcs stay lifted.
FEWEST_LIFTED = 3
NO_ROOT = "no word has the head 0: a tree has exactly one"
FAULTS = {
    parsing_trees.NO_HEAD: "there is no head: to train and evaluate, every word needs the number of its head, or 0",
    parsing_trees.NO_ROOT: NO_ROOT,
    parsing_trees.SEVERAL_ROOTS: "a second word with the head 0: a tree has exactly one",
    parsing_trees.CYCLE: "the heads lead in a circle, so they are not a tree",
}


@dataclass(frozen=True)
class TagColumns:
    """The columns of CoNLL-U that the coarse tag, the fine tag and the morphological features of a word are read from;
    several make one value together."""

    coarse: tuple[str, ...] = ("upos",)
    fine: tuple[str, ...] = ("xpos",)
    morphology: tuple[str, ...] = ("feats",)

    @classmethod
    def of(cls, sentences: Sentences) -> TagColumns:
        """XPOS is the fine tag if it is filled and finer than UPOS; else UPOS with FEATS; else UPOS alone."""
        counts = {fine: _distinct(sentences, fine) for fine in (("xpos",), ("upos", "feats"), ("upos",))}
        coarse = ("upos",) if counts["upos",] > 1 or counts["xpos",] <= 1 else ("xpos",)
        for fine in (("xpos",), ("upos", "feats")):
            if max(2, counts[coarse]) <= counts[fine] <= MOST_FINE_TAGS:
                return cls(coarse, fine)
        return cls(coarse, coarse)

    def rows(self, sentences: Sentences) -> NDArray[np.uint64]:
        """The hashes of all tokens, as kernels/parsing_atoms.py makes them."""
        groups = (("form",), self.coarse, self.fine, self.morphology)
        parts = np.full((len(groups), max(map(len, groups))), -1, dtype=np.int64)
        for row, group in zip(parts, groups, strict=True):
            row[: len(group)] = [sentences.column(name) for name in group]
        return token_rows(sentences.data, sentences.begins, sentences.ends, parts)  # type: ignore[no-any-return]


def _distinct(sentences: Sentences, columns: Sequence[str]) -> int:
    fields = [sentences.fields(sentences.column(name)) for name in columns]
    return len(set(zip(*fields, strict=True)))


@dataclass(frozen=True, eq=False)
class Treebank:
    """Sentences with projective trees; `labels` has what the numbers in `label` stand for, in order."""

    tokens: NDArray[np.uint64]
    starts: NDArray[np.int64]
    heads: NDArray[np.int32]
    label: NDArray[np.int32]
    labels: tuple[Label, ...]
    non_projective: int = 0
    lifted_arcs: int = 0

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def allowed(self) -> NDArray[np.uint8]:
        """Which labels arcs from the root have, and which all others."""
        found = np.zeros((2, len(self.labels)), dtype=np.uint8)
        for row, which in enumerate((self.heads == 0, self.heads != 0)):
            found[row, self.label[which]] = 1
            if not found[row].any():  # sentences of one word have no other arcs
                found[row] = 1
        return found


def trees_only(sentences: Sentences, rejected: BadRows) -> tuple[Sentences, NDArray[np.int32]]:
    """The sentences whose heads are trees, and of each what it is (kernels/parsing_trees.py); others are bad rows."""
    assert sentences.heads is not None
    kinds, places = parsing_trees.kinds_of_trees(sentences.starts, sentences.heads)
    wrong = kinds > parsing_trees.NON_PROJECTIVE
    for number in np.flatnonzero(wrong):
        token = int(sentences.starts[number] + places[number])
        rejected.add(sentences.bad_row(token, FAULTS[int(kinds[number])]))
    return (sentences, kinds) if not wrong.any() else (sentences.keep(~wrong), kinds[~wrong])


def short_enough(sentences: Sentences, longest: int) -> tuple[Sentences, tuple[BadRow, ...]]:
    """The sentences that a decoder can take, and the others as bad rows."""
    wrong = np.diff(sentences.starts) > longest
    if not wrong.any():
        return sentences, ()
    reason = f"more than {longest:,} words, which this decoder does not take: use transitions, or a narrower beam"
    return sentences.keep(~wrong), tuple(
        sentences.bad_row(int(sentences.starts[number]), reason) for number in np.flatnonzero(wrong)
    )


def relations_of(sentences: Sentences) -> list[str]:
    """The relation of each token to its head."""
    names: dict[bytes, str] = {}
    fields = sentences.fields(sentences.column("deprel"))
    for each in fields:
        if each not in names:
            names[each] = each.decode("utf-8", "replace")
    return [names[each] for each in fields]


def treebank(sentences: Sentences, rejected: BadRows, columns: TagColumns) -> Treebank:
    """What to train on; trees that are not projective are lifted."""
    sentences, kinds = trees_only(sentences, rejected)
    long = (kinds == parsing_trees.NON_PROJECTIVE) & (np.diff(sentences.starts) > MOST_LIFTED)
    for number in np.flatnonzero(long).tolist():
        reason = f"arcs cross in a sentence of more than {MOST_LIFTED:,} words"
        rejected.add(sentences.bad_row(int(sentences.starts[number]), reason))
    if long.any():
        sentences, kinds = sentences.keep(~long), kinds[~long]
    if not len(sentences):
        more = f": {rejected.first[0]}" if rejected.first else ""
        raise InputError(f"there is no sentence with a tree to train on{more}")
    assert sentences.heads is not None
    heads, relations = sentences.heads.copy(), relations_of(sentences)
    if all(each == "_" for each in relations):
        raise InputError(
            f"{sentences.where(0)}: no word has a relation (column 8, DEPREL), which the parser is to predict"
        )
    for each in set(relations):
        if not each or set(each) & set("\t\r\n"):  # it could not be written to a file
            where = sentences.where(relations.index(each))
            raise InputError(f"{where}: the relation {each!r} is empty, or has a tab or a line end in it")
    pairs: list[Label] = [(each, None) for each in relations]
    crossing = np.flatnonzero(kinds == parsing_trees.NON_PROJECTIVE)
    moved = 0
    for number in crossing.tolist():
        first, end = int(sentences.starts[number]), int(sentences.starts[number + 1])
        new, labels = lifted(heads[first:end].tolist(), relations[first:end])
        moved += int((heads[first:end] != new).sum())
        heads[first:end], pairs[first:end] = new, labels
    rare = {pair for pair, count in Counter(pairs).items() if pair[1] is not None and count < FEWEST_LIFTED}
    pairs = [(pair[0], None) if pair in rare else pair for pair in pairs]
    names = tuple(sorted(set(pairs), key=lambda pair: (pair[0], pair[1] or "")))
    number_of = {pair: number for number, pair in enumerate(names)}
    label = np.fromiter((number_of[pair] for pair in pairs), dtype=np.int32, count=len(pairs))
    return Treebank(columns.rows(sentences), sentences.starts, heads, label, names, len(crossing), moved)


def of_part(bank: Treebank, sentences: NDArray[np.int64]) -> Treebank:
    """Some sentences of a treebank, in order."""
    lengths = np.diff(bank.starts)
    chosen = np.zeros(len(bank), dtype=bool)
    chosen[sentences] = True
    tokens = np.repeat(chosen, lengths)
    starts = np.concatenate([[0], np.cumsum(lengths[chosen])]).astype(np.int64)
    return replace(bank, tokens=bank.tokens[tokens], starts=starts, heads=bank.heads[tokens], label=bank.label[tokens])
