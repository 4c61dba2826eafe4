"""CSV, TSV and other delimited text.  What is not plain (plain_table.py) is parsed by Arrow (arrow_csv.py); records,
their lines and their numbers of fields are found here, because Arrow does not report lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from linnet.data.column_types import Reading
from linnet.data.limits import MOST_QUOTED_LINES
from linnet.data.on_error import BadRow, Note
from linnet.data.sources.block import Block, Position
from linnet.data.sources.chunks import Chunk, Cutting, count_lines
from linnet.data.sources.files import ByteFiles, no_rows
from linnet.data.sources.formats import NO_QUOTE, StrayQuotes
from linnet.data.sources.headers import (
    column_names,
    column_notes,
    is_number,
    looks_like_a_row,
    refuse_other_table,
    refuse_title,
)
from linnet.data.sources.lines import LineSource, only_text
from linnet.data.sources.plain_table import PlainTable
from linnet.data.sources.readers import BYTE_ORDER_MARK
from linnet.data.sources.records import Records
from linnet.data.sources.sampling import Limits, first_record_in, first_records, joined
from linnet.data.sources.separators import TO_FIND_SEPARATOR
from linnet.data.sources.syntax import Syntax
from linnet.data.sources.table import Layout, TableSource, refuse_more_columns, with_columns
from linnet.errors import InputError, option
from linnet.kernels.records import count_byte

STRAY = (
    f"a quote at the beginning of a field that it does not enclose: no quote with a separator or a line end behind it "
    f"follows within {MOST_QUOTED_LINES:,} lines"
)
DOUBTFUL = "a quoted field has several lines, each like a row: it is one row, unless quotes are not meant as such"
LITERAL = "a quote that encloses no field was taken literally"
# Arrow takes some 10 kB for each column, however few rows there are: so wide a table of so few is parsed by hand.
WIDE, FEW_ROWS = 8192, 64
# Larger than other chunks: plain ones are parsed so fast that what is done once for each would show.
CHUNK = 1 << 22
CONTENT = re.compile(rb"[^\r\n]")
CONTENT_BESIDE_BLANKS = re.compile(rb"[^\r\n \t]")


class Delimited(LineSource, TableSource):
    """Records of delimited fields, with or without a header."""

    def __init__(
        self,
        files: ByteFiles,
        syntax: Syntax,
        *,
        header: bool | None = None,
        stray_quotes: StrayQuotes = StrayQuotes.LITERAL,
        chunk_size: int | None = None,
    ) -> None:
        super().__init__(files)
        self.syntax = syntax
        self.format = "tsv" if syntax.separator == "\t" else "csv"
        self.stray_quotes = stray_quotes
        self.columns: list[str] = []
        self.cut(Cutting(self._last_record_end, _count_lines, CHUNK), chunk_size)
        self._named_in, line, fields = self._first_record()
        refuse_more_columns(len(fields), f"{self._named_in}:{line}")
        self._header_given = header is not None
        self.header = header if header is not None else not any(map(is_number, fields))
        self._columns_of: dict[int, tuple[str, ...]] = {}
        self._plain: PlainTable | None = None
        self._header_shift = 0
        self.columns = [f"c{i + 1}" for i in range(len(fields))]
        if self.header:
            self._header_shift = self._shift(fields, f"{self._named_in}:{line}")
            self.columns = self._named(fields)
        self._first = self.first_chunks()
        self.layout = Layout(dict.fromkeys(self.columns), {name: Reading() for name in self.columns})
        self._require_rows()

    @property
    def details(self) -> list[str]:
        names = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
        syntax = self.syntax
        separated = f"separated by {names.get(syntax.separator, syntax.separator)}"
        quoted = "no quotes" if syntax.quote == NO_QUOTE else f"quoted by {syntax.quote}"
        return [
            *super().details,
            *([separated] if syntax.separator not in ",\t" else []),
            *([quoted] if syntax.quote != '"' else []),
            *(["no header"] if not self.header else []),
        ]

    def chunks(self, start: Position) -> Iterator[Chunk]:
        for chunk in super().chunks(start):
            yield self._with_columns(chunk)

    def first_chunks(self) -> list[Chunk]:
        first = first_records(self.files, self.syntax.finder(len(self.columns)), header=self.header)
        return [self._with_columns(each.chunk) for each in first]

    def sample(self) -> Block:
        return joined(map(self.parse, self._first))

    def parse(self, chunk: Chunk) -> Block:
        columns = self.columns if chunk.columns is None else list(chunk.columns)
        if self._may_be_plain(chunk):
            has_header = self.header and chunk.at.line == 1
            if self._plain is None or self._plain.layout is not self.layout:
                self._plain = PlainTable(columns, self.layout, self.syntax.separator)
            block = self._plain.block(chunk, header=has_header)
            if block is not None:
                return block
        records, bad, notes, odd = self._records(chunk, columns)
        block = Block(
            chunk.path, len(records), chunk.after, chunk.read, lines=records.lines, bad=tuple(bad), records=records,
            notes=(*notes, *self._column_notes(columns, chunk.path, records)),
        )  # fmt: skip
        wide = len(self.layout.wanted) > WIDE and len(records) < FEW_ROWS
        table = None if wide else self._read(records, columns, odd=odd)
        if table is None:
            table = self._by_hand(records, columns)
        return with_columns(block, self.layout, table, lambda row, name: self._byte_of(records.raw(row), name, columns))

    def _may_be_plain(self, chunk: Chunk) -> bool:
        """Whether the quick way knows what separates and quotes the fields, and the file has the usual columns."""
        return not self.syntax.blanks and self.syntax.quote in ('"', NO_QUOTE) and chunk.columns is None

    def _records(self, chunk: Chunk, columns: list[str]) -> tuple[Records, list[BadRow], list[Note], bool]:
        """The records that are text with one field for each column; the bad ones; notes; and whether any is written in
        a way that only this module understands."""
        data = np.frombuffer(chunk.data, dtype=np.uint8)
        starts, stops, lines, counts, stray, _ = self.syntax.records(data, len(columns))
        usable = np.ones(len(starts), dtype=bool)
        trailing = (counts == len(columns) + 1) & (data[stops - 1] == ord(self.syntax.separator))
        if trailing.any():  # a separator at the end of a record, behind all its fields, ends it
            stops, counts = stops - trailing, counts - trailing
        records = Records(data, starts, stops, lines + chunk.at.line)
        bad: list[BadRow] = []
        if chunk.at.line == 1 and self.header and usable.any():
            usable[0] = False
        for i in np.flatnonzero(usable & (counts != len(columns))).tolist():
            usable[i] = False
            reason = self._miscounted(counts[i], len(columns))
            bad.append(BadRow(chunk.path, int(records.lines[i]), None, reason, records.raw(i)))
        notes: list[Note] = []
        literal = np.flatnonzero(usable & (stray >= 0))
        if len(literal) and self.stray_quotes is StrayQuotes.ERROR:
            usable[literal] = False
            for i in literal.tolist():
                column = int(stray[i] - starts[i]) + 1
                bad.append(BadRow(chunk.path, int(records.lines[i]), column, STRAY, records.raw(i)))
        elif len(literal):
            notes.append(Note(LITERAL, len(literal), f"{chunk.path}:{records.lines[literal[0]]}"))
        doubtful = np.flatnonzero(usable & (stray == -2))
        if len(doubtful):
            note = f"{DOUBTFUL} ({option('quote', NO_QUOTE)})"
            notes.append(Note(note, len(doubtful), f"{chunk.path}:{records.lines[doubtful[0]]}"))
        records, not_text = only_text(chunk, records.keep(usable))
        odd = self.syntax.blanks or bool(len(literal) or trailing.any())
        return records, sorted([*bad, *not_text], key=lambda row: row.line), notes, odd

    def _read(self, records: Records, columns: list[str], *, odd: bool) -> Any:
        """The columns to read: plain numbers as such if all are, else all as strings; None if Arrow rejects them."""
        text = self.syntax.rewritten(records) if odd else records.text()
        if text.startswith(BYTE_ORDER_MARK):  # Arrow would drop it, though it is data here
            return None
        plain = {name for name, how in self.layout.wanted.items() if how.is_number and how.type.is_plain_number}
        for numbers in (plain & set(columns), set()) if plain else (plain,):
            table = self._parsed(text, columns, numbers, odd=odd)
            if table is not None and table.num_rows == len(records):
                return table
        return None

    def _parsed(self, text: bytes, columns: list[str], numbers: set[str], *, odd: bool) -> Any:
        """The columns as Arrow parses them; None if it rejects a value, because it does not report which."""
        there = self._wanted(columns)
        markers = {marker for name in numbers for marker in self.layout.wanted[name].markers}
        separator = "\t" if self.syntax.blanks else self.syntax.separator
        quote = '"' if odd else self.syntax.quote if self.syntax.quote != NO_QUOTE else False
        from linnet.data.sources.arrow_csv import parsed

        return parsed(text, columns, there, numbers, markers, separator, quote)

    def _wanted(self, columns: list[str]) -> list[str]:
        """The columns to read of those that a file has; at least one, for the number of rows."""
        there = set(columns)
        return [name for name in self.layout.wanted if name in there] or columns[:1]

    def _by_hand(self, records: Records, columns: list[str]) -> Any:
        """The columns to read, as strings, without Arrow."""
        at, wanted = {name: index for index, name in enumerate(columns)}, self._wanted(columns)
        indices = [at[name] for name in wanted]
        rows = [self.syntax.fields(records.raw(i)) for i in range(len(records))]
        texts = [[text.decode() for _, text in (row[index] for row in rows)] for index in indices]
        from linnet.data.sources.arrow_csv import of_strings

        return of_strings(texts, wanted)

    def _require_rows(self) -> None:
        """Raise for files without a row that can be read."""
        block = self.sample()
        if not block.rows:
            raise block.bad[0].error() if block.bad else no_rows(self.files.name(0))

    def _byte_of(self, raw: bytes, name: str, columns: list[str]) -> int:
        return self.syntax.fields(raw)[columns.index(name)][0] + 1

    def _last_record_end(self, data: bytes | bytearray) -> int:
        if not self.syntax.has_quotes(data):
            # a CR at the very end may be half of CR LF
            end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1
        else:
            found = self.syntax.records(data, len(self.columns), final=False)
            whole = not found.open and data.endswith(b"\n")
            end = len(data) if whole or not len(found.starts) else int(found.starts[-1])
        # the first chunk must contain the header: blank lines alone will not do
        content = CONTENT_BESIDE_BLANKS if self.syntax.blanks else CONTENT
        return end if content.search(data, 0, end) else 0

    def _miscounted(self, fields: int, columns: int) -> str:
        quoting = "; a field with a separator in it must be quoted" if fields > columns else ""
        return f"{fields} fields where {'the header has' if self.header else 'the first row has'} {columns}{quoting}"

    def header_hint(self, sample: Block) -> str:
        if not self.header or self._header_given or not looks_like_a_row(self.columns, sample):
            return ""
        return f"; the header looks like data: if there is none, give {option('header', False)}"

    # -- headers -----------------------------------------------------------------------------------------------

    def _first_record(self) -> tuple[str, int, list[str]]:
        """Its file, its line and its fields."""
        beginning = next(first_records(self.files, self.syntax.finder(), limits=Limits(rows=1)), None)
        if beginning is None or not beginning.records:
            raise no_rows(self.files.name(0))
        path, data = beginning.chunk.path, beginning.chunk.data
        found = self.syntax.records(data)
        found = self.syntax.records(data, int(found.fields[0]))
        line = int(found.lines[0]) + 1
        refuse_more_columns(int(found.fields[0]), f"{path}:{line}")
        try:
            return path, line, self._fields(bytes(data[found.starts[0] : found.stops[0]]))
        except UnicodeDecodeError as error:
            raise InputError(f"{path}:{line}: the first row cannot be read: {error}") from None

    def _fields(self, raw: bytes, errors: str = "strict") -> list[str]:
        return [text.decode(errors=errors) for _, text in self.syntax.fields(raw)]

    def _shift(self, names: list[str], location: str) -> int:
        """How many more names than fields a header has: 1 if it ends with a separator and the rows do not, or with
        nothing behind it, -1 if they begin with a column that it does not name (as R writes them), else 0."""
        finder = self.syntax.finder(len(names))
        first = first_records(self.files, finder, header=True, limits=TO_FIND_SEPARATOR)
        records = [record for each in first for record in each.records]
        if not records:
            return 0
        rows = [self._fields(record, "replace") for record in records]
        if not self._header_given:
            refuse_title(names, rows, location)
        counts = {len(row) for row in rows}
        ends = all(record.endswith(self.syntax.separator.encode()) for record in records)
        if (
            len(names) > 1
            and not names[-1].strip()
            and (counts == {len(names) - 1} or (counts == {len(names)} and ends))
        ):
            return 1
        named = len({row[0] for row in rows}) == len(rows)  # the names of rows differ
        return -1 if counts == {len(names) + 1} and named and not ends else 0

    def _named(self, fields: list[str]) -> list[str]:
        """The names in a header; without the last, or with one for a column before them, as in the first file."""
        if self._header_shift > 0 and not fields[-1].strip():
            fields = fields[:-1]
        return column_names(["", *fields] if self._header_shift < 0 else fields)

    def _with_columns(self, chunk: Chunk) -> Chunk:
        """The chunk with the columns of its file, if they are not those of the first file."""
        if not self.header:
            return chunk
        number = chunk.at.file
        if number not in self._columns_of:
            self._columns_of[number] = self._columns_in(chunk)
        columns = self._columns_of[number]
        return chunk if columns == tuple(self.columns) else replace(chunk, columns=columns)

    def _columns_in(self, chunk: Chunk) -> tuple[str, ...]:
        """The columns in the header of a chunk's file, of which this may be a later chunk."""
        line, raw = 1, first_record_in(self.files, chunk.at.file, self.syntax.finder(len(self.columns)))
        if chunk.at.line == 1:
            found = self.syntax.records(chunk.data, len(self.columns))
            if len(found.starts):
                raw, line = bytes(chunk.data[found.starts[0] : found.stops[0]]), int(found.lines[0]) + 1
        if not raw:
            return tuple(self.columns)
        names = self._named(self._fields(raw, "replace"))
        refuse_other_table(names, self.columns, f"{chunk.path}:{line}", self._named_in)
        return tuple(names)

    def _column_notes(self, columns: list[str], path: str, records: Records) -> list[Note]:
        """Notes on the columns that a file lacks, or that the first file does not have."""
        if not len(records):
            return []
        return column_notes(columns, self.columns, self.layout.wanted, len(records), f"{path}:{records.lines[0]}")


def _count_lines(data: bytes | bytearray) -> int:
    returns = count_byte(data, 13)
    return count_lines(data) + (returns - data.count(b"\r\n") if returns else 0)
