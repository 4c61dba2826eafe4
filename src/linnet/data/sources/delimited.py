"""CSV, TSV and other delimited text.  Arrow parses the values; records, their lines and their numbers of fields are
found here, because Arrow does not report lines."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from linnet.data.on_error import BadRow
from linnet.data.sources.arrow import is_time
from linnet.data.sources.block import NOT_GIVEN, Block, Strings, number_in
from linnet.data.sources.chunks import Chunk, Cutting, count_lines
from linnet.data.sources.files import BYTE_ORDER_MARK, HEAD, ByteFiles, no_rows
from linnet.data.sources.lines import LineSource, only_text
from linnet.data.sources.plain_table import plain_block
from linnet.data.sources.records import Records, shown
from linnet.data.sources.sampling import Find, Limits, first_records, joined
from linnet.data.sources.table import Layout, TableSource, refuse_more_columns, with_columns
from linnet.errors import InputError
from linnet.kernels.records import count_byte
from linnet.kernels.records import records as find_records

DELIMITERS = (",", ";", "\t", "|")
UNCLOSED = 'a field that begins with a quote (") has no closing quote'
TO_FIND_DELIMITER = Limits(50, HEAD, longest=HEAD)
# Arrow takes some 10 kB for each column, however few rows there are: so wide a table of so few is parsed by hand.
WIDE, FEW_ROWS = 8192, 64
CONTENT = re.compile(rb"[^\r\n]")
# A column of at least this many values, at least this fraction of them numbers, is one of numbers with errors.
ENOUGH, MOSTLY = 100, 0.99


class Delimited(LineSource, TableSource):
    """Records of delimited fields, with or without a header."""

    def __init__(
        self,
        files: ByteFiles,
        *,
        delimiter: str | None = None,
        header: bool | None = None,
        chunk_size: int | None = None,
    ) -> None:
        super().__init__(files)
        self.delimiter = delimiter or _delimiter(files)
        self.format = "tsv" if self.delimiter == "\t" else "csv"
        self.cut(Cutting(self._last_record_end, _count_lines), chunk_size)
        self._named_in, line, fields = self._first_record()
        refuse_more_columns(len(fields), f"{self._named_in}:{line}")
        self.header = header if header is not None else not any(map(_is_number, fields))
        self.columns = [f"c{i + 1}" for i in range(len(fields))]
        if self.header:
            self.columns = _named(fields, f"{self._named_in}:{line}")
        self._first = self.first_chunks()
        self.layout = Layout(dict.fromkeys(self.columns, pa.string()), tuple(self.columns))
        self.layout = self._inferred()

    def first_chunks(self) -> list[Chunk]:
        return [each.chunk for each in first_records(self.files, _finder(self.delimiter), header=self.header)]

    def sample(self) -> Block:
        return joined(map(self.parse, self._first))

    def parse(self, chunk: Chunk) -> Block:
        has_header = self.header and chunk.at.line == 1
        plain = None if has_header else plain_block(chunk, self.columns, self.layout, self.delimiter)
        if plain is not None:
            return plain
        records, bad = self._records(chunk)
        block = Block(
            chunk.path, len(records), chunk.after, chunk.read, lines=records.lines, bad=tuple(bad), records=records
        )
        wide = len(self.layout.wanted) > WIDE and len(records) < FEW_ROWS
        table = None if wide else self._read(records.text())
        if table is None or table.num_rows != len(records):
            table = self._by_hand(records)
        return with_columns(block, self.layout, table, lambda row, name: self._byte_of(records.raw(row), name))

    def _records(self, chunk: Chunk) -> tuple[Records, list[BadRow]]:
        """The records that are text with one field for each column, and the bad ones."""
        data = np.frombuffer(chunk.data, dtype=np.uint8)
        starts, stops, lines, counts, open_quote = find_records(data, ord(self.delimiter))
        records = Records(data, starts, stops, lines + chunk.at.line)
        usable = stops > starts
        bad: list[BadRow] = []
        if chunk.at.line == 1 and self.header and usable.any():
            header = int(np.argmax(usable))
            self._check_header(records.raw(header), f"{chunk.path}:{records.lines[header]}")
            usable[header] = False
        if open_quote >= 0:
            usable[-1] = False
            bad.append(BadRow(chunk.path, open_quote + chunk.at.line, None, UNCLOSED, records.raw(len(records) - 1)))
        for i in np.flatnonzero(usable & (counts != len(self.columns))).tolist():
            usable[i] = False
            bad.append(BadRow(chunk.path, int(records.lines[i]), None, self._miscounted(counts[i]), records.raw(i)))
        records, not_text = only_text(chunk, records.keep(usable))
        return records, sorted([*bad, *not_text], key=lambda row: row.line)

    def _read(self, text: bytes) -> Any:
        """The columns to read; None if Arrow rejects a value, because it does not report which."""
        if text.startswith(BYTE_ORDER_MARK):  # Arrow would drop it, though it is data here
            return None
        layout = self.layout
        types = {name: pa.float64() if name in layout.numbers else pa.string() for name in layout.wanted}
        types |= {name: layout.types[name] for name in layout.numbers if is_time(layout.types[name])}
        try:
            return pyarrow.csv.read_csv(
                pa.py_buffer(text),
                pyarrow.csv.ReadOptions(use_threads=False, column_names=self.columns, block_size=len(text) + 1),
                pyarrow.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                pyarrow.csv.ConvertOptions(
                    column_types=types,
                    include_columns=list(layout.wanted),
                    null_values=NOT_GIVEN,
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=True,
                ),
            )
        except pa.ArrowInvalid:
            return None

    def _by_hand(self, records: Records) -> Any:
        """The columns to read, as strings, without Arrow."""
        at = {name: index for index, name in enumerate(self.columns)}
        indices = [at[name] for name in self.layout.wanted]
        rows = [fields_of(records.raw(i), self.delimiter) for i in range(len(records))]
        columns = [[text.decode() for _, text in (row[index] for row in rows)] for index in indices]
        given = [[None if text in NOT_GIVEN else text for text in column] for column in columns]
        return pa.table([pa.array(column, pa.large_string()) for column in given], names=list(self.layout.wanted))

    def _inferred(self) -> Layout:
        """Numbers or times if all values of the first rows are, else strings."""
        block = self.sample()
        if not block.rows:
            raise block.bad[0].error() if block.bad else no_rows(self.files.name(0))
        return Layout.of({name: _type_of(column) for name, column in block.columns.items()})

    def _byte_of(self, raw: bytes, name: str) -> int:
        return fields_of(raw, self.delimiter)[self.columns.index(name)][0] + 1

    def _last_record_end(self, data: bytes | bytearray) -> int:
        if b'"' not in data:
            # a CR at the very end may be half of CR LF
            end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1
        else:
            starts, stops, *_ = find_records(np.frombuffer(data, dtype=np.uint8), ord(self.delimiter))
            end = len(data) if stops[-1] < len(data) and not data.endswith(b"\r") else int(starts[-1])
        # the first chunk must contain the header: blank lines alone will not do
        return end if CONTENT.search(data, 0, end) else 0

    def _miscounted(self, fields: int) -> str:
        return f"{fields} fields where {'the header has' if self.header else 'the first row has'} {len(self.columns)}"

    def _first_record(self) -> tuple[str, int, list[str]]:
        """Its file, its line and its fields."""
        beginning = next(first_records(self.files, _finder(self.delimiter), limits=Limits(rows=1)), None)
        if beginning is None:
            raise no_rows(self.files.name(0))
        path = beginning.chunk.path
        data = np.frombuffer(beginning.chunk.data, dtype=np.uint8)
        starts, stops, lines, _, open_quote = find_records(data, ord(self.delimiter))
        first = int(np.argmax(stops > starts))
        line = int(lines[first]) + 1
        if open_quote == lines[first]:
            raise InputError(f"{path}:{line}: {UNCLOSED}")
        raw = data[starts[first] : stops[first]].tobytes()
        try:
            return path, line, [text.decode() for _, text in fields_of(raw, self.delimiter)]
        except UnicodeDecodeError as error:
            raise InputError(f"{path}:{line}: the first row cannot be read: {error}") from None

    def _check_header(self, raw: bytes, location: str) -> None:
        """Each file has its own header; all must be the same."""
        fields = [text.decode(errors="replace") for _, text in fields_of(raw, self.delimiter)]
        if _named(fields, location) != self.columns:
            raise InputError(
                f"{location}: the header differs from that of {self._named_in}: {shown(raw)}; all files must have "
                "the same columns in the same order"
            )


def fields_of(raw: bytes, delimiter: str) -> list[tuple[int, bytes]]:
    """The fields of one record, each with the byte where it begins, by the rules of kernels/records.py."""
    fields: list[tuple[int, bytes]] = []
    sign, at = delimiter.encode(), 0
    while True:
        begin, parts = at, []
        if raw.startswith(b'"', at):
            at += 1
            while (quote := raw.find(b'"', at)) >= 0:
                parts.append(raw[at:quote])
                at = quote + 1
                if not raw.startswith(b'"', at):
                    break
                parts.append(b'"')
                at += 1
        end = raw.find(sign, at)
        parts.append(raw[at:] if end < 0 else raw[at:end])
        fields.append((begin, b"".join(parts)))
        if end < 0:
            return fields
        at = end + 1


def _named(fields: list[str], location: str) -> list[str]:
    """The names of the columns; an empty field of the header is named by its index."""
    names = [field.strip() or f"c{i + 1}" for i, field in enumerate(fields)]
    seen = set()
    for name in names:
        if name in seen:
            raise InputError(f"{location}: the header has the column {name!r} twice: rename one of them")
        seen.add(name)
    return names


def _finder(delimiter: str) -> Find:
    """What finds the records of this delimiter that are not blank."""

    def found(data: bytes) -> tuple[Any, Any]:
        starts, stops, *_ = find_records(np.frombuffer(data, dtype=np.uint8), ord(delimiter))
        filled = stops > starts
        return starts[filled], stops[filled]

    return found


def _delimiter(files: ByteFiles) -> str:
    """The delimiter that cuts the first records into the most fields, the same number in each."""
    best, most = ",", 1
    for sign in DELIMITERS:
        first = first_records(files, _finder(sign), header=None, limits=TO_FIND_DELIMITER)
        text = b"\n".join(record for each in first for record in each.records)
        counts = find_records(np.frombuffer(text, dtype=np.uint8), ord(sign))[3]
        if len(counts) and counts[0] > most and (counts == counts[0]).mean() >= 0.9:
            best, most = sign, int(counts[0])
    return best


def _count_lines(data: bytes | bytearray) -> int:
    returns = count_byte(data, 13)
    return count_lines(data) + (returns - data.count(b"\r\n") if returns else 0)


def _is_number(field: str) -> bool:
    value = number_in(field)
    return value is not None and not math.isnan(value)


def _type_of(column: Any) -> Any:
    """float64, a type of time, or string, from all values that are not missing."""
    assert isinstance(column, Strings)
    values = [text for text in column.strings() if text.strip() not in NOT_GIVEN]
    if not values:
        return pa.null()
    numbers = sum(map(_is_number, values))
    if numbers == len(values) or (len(values) >= ENOUGH and numbers >= MOSTLY * len(values)):
        return pa.float64()  # the few other values are reported with their lines
    if not values[0].lstrip()[:1].isdigit():  # no time begins so
        return pa.string()
    try:
        kind = pyarrow.csv.read_csv(
            pa.py_buffer(("v\n" + "\n".join(values) + "\n").encode()),
            parse_options=pyarrow.csv.ParseOptions(quote_char=False, delimiter="\x01"),
        ).schema.types[0]
    except pa.ArrowInvalid:
        return pa.string()
    return kind if is_time(kind) else pa.string()
