"""Files of sentences, in every format that they come in, to sentences in memory, block by block and in order."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linnet.data.on_error import BadRow, BadRows
from linnet.data.reading import in_order
from linnet.data.sources.block import Position
from linnet.data.sources.chunks import Chunk, Cutting, chunks, count_lines, last_line_end
from linnet.data.sources.encodings import unfit_byte
from linnet.data.sources.files import ByteFiles, expand_paths, without_bom
from linnet.data.sources.opening import find_encoding
from linnet.data.sources.readers import HEAD
from linnet.errors import InputError, listed, option
from linnet.kernels import structured_lines as kernel
from linnet.structured.formats import CONLLU, SentenceFormat, detected
from linnet.structured.json_sentences import columns_of_json, of_json
from linnet.structured.sentences import MOST_TOKENS, SENTENCE_END, SKIP, Sentences, joined

MOST_COLUMNS = 1000
MARKS = {SentenceFormat.SLASH: ord("/"), SentenceFormat.UNDERSCORE: ord("_")}
BY_LINE = {SentenceFormat.SLASH, SentenceFormat.UNDERSCORE, SentenceFormat.JSONL, SentenceFormat.TEXT}
WORD = re.compile(rb"[^ \t\r\n]+")


@dataclass(frozen=True)
class SentenceDialect:
    """How files are to be read, as far as it is given; what is None is inferred.

    With `heads`, the column HEAD of CoNLL-U is read as numbers, and checked.
    """

    format: SentenceFormat | None = None
    separator: str | None = None
    encoding: str | None = None
    heads: bool = False


class SentenceFiles:
    """Files of one format; the first of them decides what is not given."""

    def __init__(
        self,
        paths: Sequence[str | os.PathLike[str]],
        dialect: SentenceDialect,
        *,
        to_predict: bool = False,
        more_columns: bool = False,
    ) -> None:
        """`to_predict`: plain text will do, unless `more_columns` than the words are needed."""
        found = expand_paths(paths)
        for path in found:
            if os.path.isdir(path):
                raise InputError(f"{path} is a folder: name the files in it, such as {os.path.join(path, '*.conllu')}")
        self.dialect = dialect
        # plain words of a pipe are answered line by line: nothing is guessed, so nothing is waited for
        prompt = to_predict and dialect.format is SentenceFormat.TEXT
        self.files = ByteFiles(found, encoding=dialect.encoding, prompt=prompt)
        if prompt:
            self.format, self.separator = SentenceFormat.TEXT, kernel.BLANKS
            return
        find_encoding(self.files)
        head = without_bom(self.files.head(0, HEAD))
        if len(head) == HEAD:
            head = head[: head.rfind(b"\n") + 1] or head
        if not head.strip():
            raise InputError(f"{self.files.name(0)}: there are no sentences in it")
        given = None if dialect.separator is None else _separator(dialect.separator)
        self.format, self.separator = detected(
            head, self.files.name(0), dialect.format, given, to_predict=to_predict, more_columns=more_columns
        )
        self._head = head

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns: column1, column2, ... in files that have no names for them."""
        if self.format is SentenceFormat.CONLLU:
            return CONLLU
        if self.format is SentenceFormat.TEXT:
            return ("word",)
        if self.format in MARKS:
            return ("word", "tag")
        if self.format is SentenceFormat.JSONL:
            return columns_of_json(self._head, self.files.name(0))
        line = next(each for each in self._head.split(b"\n") if each.strip(b" \t\r"))
        line = line.removesuffix(b"\r")
        count = len(line.split()) if self.separator == kernel.BLANKS else line.count(bytes([self.separator])) + 1
        if count > MOST_COLUMNS:
            raise InputError(
                f"{self.files.name(0)}: {count:,} columns, {MOST_COLUMNS:,} at most: is the separator right "
                f"({option('separator')})?"
            )
        return tuple(f"column{number}" for number in range(1, count + 1))

    def only(self, *names: str) -> None:
        """Ask nothing of other columns than these, where a line names its own: those of JSON Lines."""
        if self.format is SentenceFormat.JSONL:
            self.columns = tuple(dict.fromkeys(("tokens", *names)))

    @property
    def word_column(self) -> str:
        """The column of the words, unless it is named."""
        return "form" if self.format is SentenceFormat.CONLLU else self.columns[0]

    def named(self, given: str) -> str:
        """A column as a user names it: by its name, its number from 1, first or last."""
        columns = self.columns
        if given in columns:
            return given
        number = {"first": 1, "last": len(columns)}.get(given, 0)
        if given.isdecimal() and len(given) < 6:
            number = int(given)
        if not 1 <= number <= len(columns):
            raise InputError(f"{self.files.name(0)}: there is no column {given!r}: there are {listed(columns)}")
        return columns[number - 1]

    @property
    def size(self) -> int | None:
        """The bytes on disk; None if unknown."""
        return self.files.size

    def chunks(self) -> Iterator[Chunk]:
        """Whole sentences, as bytes."""
        last_end = last_line_end if self.format in BY_LINE else kernel.last_blank_line_end
        return chunks(self.files, Position(), Cutting(last_end, count_lines))

    def parsed(self, chunk: Chunk) -> Sentences:
        """The sentences of a chunk, and the bad ones."""
        if self.format is SentenceFormat.JSONL:
            return of_json(chunk, self.columns)
        data = np.frombuffer(chunk.data, dtype=np.uint8)
        if self.format in BY_LINE:
            found = kernel.word_fields(data, MARKS.get(self.format, 0), MOST_TOKENS)
        else:
            conllu = self.format is SentenceFormat.CONLLU
            heads = conllu and self.dialect.heads
            found = kernel.column_fields(data, len(self.columns), self.separator, conllu, heads, MOST_TOKENS)
        begins, ends, heads_found, lines, starts, spans, bad = found
        rows = tuple(self._bad_row(chunk, *each) for each in bad)
        return Sentences(
            self.columns, data, begins, ends, starts, spans, lines + chunk.at.line, ((0, chunk.path),),
            heads_found if self.dialect.heads else None, rows, chunk.read,
        )  # fmt: skip

    def blocks(self, rejected: BadRows, threads: int = 1) -> Iterator[Sentences]:
        """All sentences in order, parsed ahead by threads; bad ones as the policy has it."""
        for block in in_order(self.parsed, self.chunks(), threads):
            rejected.add_block(block.bad, len(block))
            yield block

    def all(self, rejected: BadRows, threads: int = 1) -> Sentences:
        """All sentences at once; InputError if there are none."""
        found = joined(list(self.blocks(rejected, threads)), self.columns)
        if not len(found):
            more = f": {rejected.first[0]}" if rejected.first else ""
            raise InputError(f"{self.files.name(0)}: there are no sentences in it{more}")
        return found

    def _bad_row(self, chunk: Chunk, line: int, begin: int, end: int, reason: int, detail: int) -> BadRow:
        raw = bytes(chunk.data[begin:end])
        text, column = _reason(reason, detail, raw, begin, self)
        ending = b"\n" if self.format in BY_LINE else SENTENCE_END
        return BadRow(chunk.path, chunk.at.line + line, column, f"{text} ({SKIP})", raw, end=ending)


def _separator(given: str) -> int:
    """What --separator says, as a byte; blanks are runs of blanks."""
    named = {"tab": "\t", "\\t": "\t", "blank": " ", "blanks": " ", "space": " "}.get(given, given)
    if len(named) != 1 or not named.isascii() or named in "\r\n":
        raise InputError(f"{option('separator')} is one ASCII character, tab, or blanks; not {given!r}")
    return ord(named)


def _reason(reason: int, detail: int, raw: bytes, begin: int, files: SentenceFiles) -> tuple[str, int | None]:
    """What is wrong with a sentence, and the column of the byte that shows it."""
    wanted = len(files.columns)
    if reason == kernel.COLUMN_COUNT:
        have = f"{detail} column{'' if detail == 1 else 's'}"
        hint = " separated by tabs" if files.separator == kernel.TAB else ""
        return f"{have} where {wanted}{hint} are expected", None
    if reason == kernel.EMPTY_FIELD:
        return f"column {detail} is empty", None
    if reason == kernel.BAD_ID:
        return f"the id must be {detail}, a range such as 3-4, or an empty node such as 3.1", None
    if reason == kernel.WRONG_ID:
        return (
            f"the id must be {detail}: words are numbered 1, 2, 3 ... in every sentence; is a blank line missing?",
            None,
        )
    if reason == kernel.BAD_HEAD:
        return "the head is not a number, nor _", None
    if reason == kernel.HEAD_RANGE:
        return f"the head is {detail}, which is no other word of the sentence, nor 0", None
    if reason == kernel.NOT_UTF8:
        encoding = files.files.encoding_of(0)
        at = raw.find(b"\xff")
        what = (
            f"the byte {unfit_byte(raw, at)} is not {encoding}"
            if at >= 0 and encoding != "utf-8"
            else "not valid UTF-8"
        )
        return f"{what}: name the encoding with {option('encoding')}", detail + 1
    if reason == kernel.TOO_LONG:
        return f"a sentence of more than {detail:,} words: is a blank line missing?", None
    word = WORD.match(raw, detail - begin)
    shown = "" if word is None else word[0][:40].decode("utf-8", "replace")
    mark = "/" if files.format is SentenceFormat.SLASH else "_"
    return f"{shown!r} is not word{mark}TAG", detail - begin + 1
