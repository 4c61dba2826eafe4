"""Sentences in memory: one text in bytes, and where the fields of the tokens begin and end in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.on_error import BadRow
from linnet.errors import InputError

# Offsets have 32 bits.
MOST_BYTES = (1 << 32) - 1
# A sentence of more tokens is refused: decoding keeps a number for every token and tag.
MOST_TOKENS = 100_000
# Behind a sentence of several lines.
SENTENCE_END = b"\n\n"
SKIP = "--on-error skip leaves such sentences out"


@dataclass(frozen=True, eq=False)
class Sentences:
    """Some sentences of one or several files.

    Field `c` of token `t` is data[begins[t, c]:ends[t, c]]; `columns` has the names of the fields.  The tokens of
    sentence `s` are starts[s] to starts[s + 1], its own bytes (comments included) data[spans[s, 0]:spans[s, 1]].
    `lines` has the line of each token in its file, from 1; `files` the first sentence and the path of each file;
    `heads` the numbers of the column HEAD, if they were asked for, -1 where there is none."""

    columns: tuple[str, ...]
    data: NDArray[np.uint8] = field(repr=False)
    begins: NDArray[np.uint32] = field(repr=False)
    ends: NDArray[np.uint32] = field(repr=False)
    starts: NDArray[np.int64] = field(repr=False)
    spans: NDArray[np.int64] = field(repr=False)
    lines: NDArray[np.int64] = field(repr=False)
    files: tuple[tuple[int, str], ...] = ()
    heads: NDArray[np.int32] | None = field(default=None, repr=False)
    bad: tuple[BadRow, ...] = ()
    # bytes read from the file for these, for reports of progress
    read: int = 0

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def tokens(self) -> int:
        return len(self.begins)

    def column(self, name: str) -> int:
        return self.columns.index(name)

    def fields(self, column: int, first: int = 0, stop: int | None = None) -> list[bytes]:
        """The fields of one column, of all tokens or of some."""
        begins, ends = self.begins[first:stop, column].tolist(), self.ends[first:stop, column].tolist()
        if not begins:
            return []
        low = begins[0]
        text = self.data[low : ends[-1]].tobytes()
        return [text[begin - low : end - low] for begin, end in zip(begins, ends, strict=True)]

    def sentence(self, number: int, column: int) -> list[str]:
        """The fields of one column of one sentence."""
        found = self.fields(column, int(self.starts[number]), int(self.starts[number + 1]))
        return [each.decode("utf-8", "replace") for each in found]

    def where(self, token: int) -> str:
        """file:line of a token, for errors."""
        sentence = int(np.searchsorted(self.starts, token, side="right")) - 1
        path = ""
        for first, name in self.files:
            if first <= sentence:
                path = name
        return f"{path}:{self.lines[token]}" if path else f"sentence {sentence + 1}"

    def bad_row(self, token: int, reason: str) -> BadRow:
        """The sentence of a token as one that cannot be used.  Of lists of Python, where there is no file and nothing
        to skip, an InputError is raised."""
        if not self.files:
            raise InputError(f"{self.where(token)}: {reason}")
        number = int(np.searchsorted(self.starts, token, side="right")) - 1
        begin, end = self.spans[number]
        path = next(path for first, path in reversed(self.files) if first <= number)
        raw = bytes(self.data[begin:end])
        return BadRow(path, int(self.lines[token]), None, f"{reason} ({SKIP})", raw, end=SENTENCE_END)

    def keep(self, which: NDArray[np.bool_]) -> Sentences:
        """Only these sentences, of the same text."""
        tokens = np.repeat(which, np.diff(self.starts))
        starts = np.concatenate([[0], np.cumsum(np.diff(self.starts)[which])]).astype(np.int64)
        kept = np.cumsum(which)
        files = tuple((int(kept[first - 1]) if first else 0, path) for first, path in self.files)
        heads = None if self.heads is None else self.heads[tokens]
        return Sentences(
            self.columns, self.data, self.begins[tokens], self.ends[tokens], starts, self.spans[which],
            self.lines[tokens], files, heads,
        )  # fmt: skip


def joined(parts: Sequence[Sentences], columns: tuple[str, ...]) -> Sentences:
    """All sentences as one; the parts have the same columns."""
    if sum(len(part.data) for part in parts) > MOST_BYTES:
        raise InputError("the sentences have more than 4 GiB of text, which is more than fits at once: use fewer files")
    bytes_before = tokens_before = sentences_before = 0
    begins, ends, starts, spans, files = [], [], [np.zeros(1, dtype=np.int64)], [], []
    for part in parts:
        begins.append(part.begins + np.uint32(bytes_before))
        ends.append(part.ends + np.uint32(bytes_before))
        starts.append(part.starts[1:] + tokens_before)
        spans.append(part.spans + bytes_before)
        files += [(first + sentences_before, path) for first, path in part.files]
        bytes_before += len(part.data)
        tokens_before += part.tokens
        sentences_before += len(part)
    empty = np.empty((0, len(columns)), dtype=np.uint32)
    heads = [part.heads for part in parts if part.heads is not None]
    return Sentences(
        columns,
        np.concatenate([part.data for part in parts] or [np.empty(0, dtype=np.uint8)]),
        np.concatenate([empty, *begins]),
        np.concatenate([empty, *ends]),
        np.concatenate(starts),
        np.concatenate([np.empty((0, 2), dtype=np.int64), *spans]),
        np.concatenate([np.empty(0, dtype=np.int64), *(part.lines for part in parts)]),
        tuple(files),
        np.concatenate(heads) if heads else None,
    )


def as_lists(sentences: Iterable[Any], what: str) -> Sequence[Sequence[Any]]:
    """Sentences from Python, of any iterable; a string in the place of a list would be taken for its characters."""
    found = sentences if isinstance(sentences, str) else list(sentences)
    for number, each in enumerate([found] if isinstance(found, str) else found, start=1):
        if isinstance(each, str):
            shown = each if len(each) <= 40 else each[:40] + "..."
            raise InputError(f"sentence {number}: {shown!r} is a string: pass a list of {what} for each sentence")
    return found


def of_lists(columns: tuple[str, ...], fields: Sequence[Sequence[str]], lengths: Sequence[int]) -> Sentences:
    """Sentences from Python: the fields of each column, of all tokens, and the number of tokens of each sentence.

    No field may have a line end in it: ValueError if one has.
    """
    tokens = sum(lengths)
    texts, begins, ends, before = [], [], [], 0
    for column in fields:
        # one text of all fields, with line ends between them, which are then looked for
        text = np.frombuffer(("\n".join(column) + "\n").encode("utf-8", "surrogatepass"), dtype=np.uint8)
        stops = np.flatnonzero(text == ord("\n")) if tokens else np.empty(0, dtype=np.int64)
        if len(stops) != tokens:
            raise ValueError("a field has a line end in it")
        begins.append(np.concatenate([[0], stops[:-1] + 1])[:tokens] + before)
        ends.append(stops + before)
        texts.append(text)
        before += len(text)
    if before > MOST_BYTES:
        raise InputError("the sentences have more than 4 GiB of text, which is more than fits at once: pass fewer")
    starts = np.concatenate([[0], np.cumsum(np.array(lengths, dtype=np.int64))]).astype(np.int64)
    lines = np.repeat(np.arange(1, len(lengths) + 1), lengths).astype(np.int64)
    # sentences have no bytes of their own here: the fields of a column are together
    spans = np.zeros((len(lengths), 2), dtype=np.int64)
    return Sentences(
        columns, np.concatenate(texts), np.stack(begins, axis=1).astype(np.uint32),
        np.stack(ends, axis=1).astype(np.uint32), starts, spans, lines,
    )  # fmt: skip
