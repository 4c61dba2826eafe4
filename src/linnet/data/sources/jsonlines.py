"""JSON Lines, one object a line, parsed by Arrow."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json

from linnet.data.column_types import Reading
from linnet.data.limits import BLOCK_CELLS, MOST_COLUMNS, ROW_NAMES
from linnet.data.on_error import BadRow
from linnet.data.sources.arrow import is_list, is_number, is_time
from linnet.data.sources.block import Block, Column, Strings
from linnet.data.sources.chunks import MOST_LINES, Chunk, count_lines, end_of_line
from linnet.data.sources.files import ByteFiles, no_rows
from linnet.data.sources.json_values import is_value, nearest, spelt, text_of_list, type_of, whole
from linnet.data.sources.lines import LineSource, lines_of, only_text
from linnet.data.sources.nesting import SEPARATOR, flat_row, flat_table, leaves, nested_schema
from linnet.data.sources.records import Records
from linnet.data.sources.sampling import joined
from linnet.data.sources.string_columns import as_strings, stays_text
from linnet.data.sources.table import Layout, TableSource, refuse_more_columns, with_columns
from linnet.data.sources.vectors import KIND as VECTORS
from linnet.data.sources.vectors import (
    expanded,
    expanded_row,
    expanded_types,
    parts,
    stored_columns,
    vectors_in,
    vectors_named,
    vectors_of_lists,
)
from linnet.errors import InputError
from linnet.kernels.json_objects import count_values, key_spans
from linnet.kernels.json_strings import BOOLEAN, INTEGER, STRING, text_fields
from linnet.kernels.records import count_byte, depths

DEEPEST = 64
KEY = re.compile(rb'"((?:[^"\\]++|\\.)*+)"\s*+:')
SHOWN = 40
TOO_DEEP = f"brackets nested more than {DEEPEST} deep"
NOT_AN_OBJECT = "a line must be one JSON object, {...}"


@dataclass(frozen=True, eq=False)
class _Objects:
    """The lines of a chunk that are one object each, as far as brackets show, and the bad ones."""

    chunk: Chunk
    records: Records
    bad: list[BadRow]


class JsonLines(LineSource, TableSource):
    """One JSON object a line; its keys are the columns."""

    format = "jsonl"

    def __init__(self, files: ByteFiles, *, chunk_size: int | None = None) -> None:
        super().__init__(files, chunk_size=chunk_size)
        self._first = [self._objects(chunk) for chunk in self._few_values(self.first_chunks())]
        self.layout = Layout({}, {})
        self._paths: dict[str, tuple[str, ...]] = {}
        self._vectors: dict[str, int] = {}
        self._parts: dict[str, str] = {}
        self._types = self._inferred()
        self._expand(self._vectors)

    def _expand(self, vectors: dict[str, int]) -> None:
        columns = len(self._types) + sum(vectors.values())
        refuse_more_columns(columns, f"{self.files.name(0)}: the keys of its first rows")
        self._vectors, self._parts = vectors, parts(vectors)
        self.layout = Layout.of(expanded_types(self._types, vectors))
        self._keys = tuple(self.layout.types)
        self._limit_lines()

    def expect_columns(self, names: Iterable[str]) -> None:
        self._expand(vectors_named(names, self._types))

    @property
    def there(self) -> tuple[str, ...]:
        return self._keys

    def sample(self) -> Block:
        return joined(map(self._block, self._first))

    def select_columns(self, wanted: Mapping[str, Reading]) -> None:
        """As in the base class; a key that the first rows lack may follow later, and is a missing value until then."""
        types = {name: pa.float64() if how.type.is_plain_number else pa.string() for name, how in wanted.items()}
        self.layout = replace(self.layout, types={**self.layout.types, **types, **self.layout.types})
        super().select_columns(wanted)
        self._limit_lines()

    def _few_values(self, chunks: list[Chunk]) -> list[Chunk]:
        """The first rows of a sample, so few that rows and keys make a table of bounded size; mostly all of them."""
        rows = sum(self._rows_in(chunk.data) for chunk in chunks)
        colons = sum(count_byte(np.frombuffer(chunk.data, dtype=np.uint8), ord(":")) for chunk in chunks)
        if rows * colons <= BLOCK_CELLS and colons <= MOST_COLUMNS:
            return chunks
        columns = len(set().union(*(_keys_in(chunk.data) for chunk in chunks)))
        refuse_more_columns(columns, f"{chunks[0].path}: the keys of its first rows")
        left, few = max(1, BLOCK_CELLS // max(1, columns)), []
        for chunk in chunks:
            if left <= 0:
                break
            few.append(replace(chunk, data=chunk.data[: self._end_of_rows(chunk.data, left)]))
            left -= self._rows_in(few[-1].data)
        return few

    def _rows_in(self, data: bytes | bytearray) -> int:
        return count_lines(data)

    def _end_of_rows(self, data: bytes | bytearray, count: int) -> int:
        """Where the first rows end."""
        return end_of_line(data, count, len(data))

    def _limit_lines(self) -> None:
        """Every row has a value, or a missing one, for every column: lines of few keys may become many values."""
        most = max(1, BLOCK_CELLS // max(1, len(self.layout.wanted)))
        self.cutting = replace(self.cutting, most_lines=min(most, MOST_LINES))

    def parse(self, chunk: Chunk) -> Block:
        return self._block(self._objects(chunk))

    def _block(self, objects: _Objects) -> Block:
        chunk, records, bad = objects.chunk, objects.records, objects.bad
        texts = self._texts(records)
        if texts is not None:
            return Block(
                chunk.path, len(records), chunk.after, chunk.read, texts,
                lines=records.lines, bad=tuple(bad), records=records,
            )  # fmt: skip
        table = self._read(records.text())
        if table is None or (self.layout.wanted and table.num_rows != len(records)):
            records, table, more = self._one_by_one(chunk.path, records)
            bad = sorted([*bad, *more], key=lambda row: row.line)
        block = Block(
            chunk.path, len(records), chunk.after, chunk.read, lines=records.lines, bad=tuple(bad), records=records
        )
        return with_columns(block, self.layout, table, lambda row, name: self._byte_of(records.raw(row), name))

    def _lines(self, chunk: Chunk) -> Records:
        """What should be an object each."""
        return lines_of(chunk)

    def _texts(self, records: Records) -> dict[str, Column] | None:
        """The columns to read, if these lines are flat objects and the values stay text; else None."""
        wanted = self.layout.wanted
        forms = [self._form(name, how) for name, how in wanted.items()]
        if not wanted or None in forms:
            return None
        found = text_fields(records.data, records.starts, records.stops, [name.encode() for name in wanted], forms)
        if found is None:
            return None
        return {name: as_strings(Strings(*each), wanted[name]) for name, each in zip(wanted, found, strict=True)}

    def _form(self, name: str, how: Reading) -> int | None:
        """What the values of a column that stays text are in a line; None if they are not always spelt there so."""
        kind = self._read_as(name)
        if not stays_text(how) or self._path(name) != (name,):
            return None
        if _is_text(kind):
            return STRING
        if pa.types.is_boolean(kind):
            return BOOLEAN
        return INTEGER if pa.types.is_int64(kind) else None

    def _path(self, name: str) -> tuple[str, ...]:
        """The keys that lead to a column; one that the first rows lack may be within an object."""
        name = self._parts.get(name, name)
        return self._paths.get(name) or tuple(name.split(SEPARATOR))

    def _objects(self, chunk: Chunk) -> _Objects:
        """Found without Arrow.

        Arrow accepts an object over several lines, or several in one; and it recurses for every level of brackets, so
        deep nesting must never reach it.
        """
        records, bad = only_text(chunk, self._lines(chunk))
        levels = depths(records.data, records.starts, records.stops)
        usable = (levels > 0) & (levels <= DEEPEST)
        faults: dict[int, Any] = {i: (None, TOO_DEEP) if levels[i] else None for i in np.flatnonzero(~usable).tolist()}
        # a list takes many times its text, so its values are counted before it is parsed
        for i in np.flatnonzero(usable & (records.stops - records.starts > 2 * ROW_NAMES)).tolist():
            values = count_values(records.data, records.starts[i], records.stops[i])
            if values > ROW_NAMES:
                faults[i], usable[i] = (None, f"{values:,} values are more than {ROW_NAMES:,}"), False
        for i, known in faults.items():
            raw = records.raw(i)
            fault: tuple[int | None, str] = known or _fault(raw) or (1, NOT_AN_OBJECT)
            bad.append(BadRow(chunk.path, int(records.lines[i]), *fault, raw, int(records.starts[i])))
        return _Objects(chunk, records.keep(usable), sorted(bad, key=lambda row: row.line))

    def _read(self, text: bytes) -> Any:
        """The columns to read; None if Arrow rejects something, because it does not report where."""
        if not text or not self.layout.wanted:
            return self._table([])
        schema = nested_schema({self._path(name): self._read_as(name) for name in self._there(text)}.items())
        stored = stored_columns(self.layout.wanted, self._vectors)
        if schema is None or any(SEPARATOR in name and name not in self._paths for name in stored):
            return None
        try:
            return expanded(flat_table(_arrow_reads(text, schema)), self._vectors)
        except pa.ArrowInvalid:
            return None

    def _there(self, text: bytes) -> Sequence[str]:
        """The columns to read, without those of which these lines have no key; at least one.

        Arrow makes a column for each that is asked for: where lines have few of many keys, that is most of the work.
        """
        wanted = list(self.layout.wanted)
        if count_byte(np.frombuffer(text, dtype=np.uint8), ord(":")) >= len(wanted) or b"\\" in text:
            return wanted  # a key may be spelt with escapes
        keys = {key.decode(errors="replace") for key in KEY.findall(text)}
        return [name for name in wanted if self._path(name)[-1] in keys] or wanted[:1]

    def _read_as(self, name: str) -> Any:
        """The type to read a column by, that of its first values; what Arrow takes for times are strings."""
        if name in self._parts:
            return VECTORS
        kind = self.layout.types[name]
        if is_number(kind) and not is_time(kind):
            return pa.float64() if self.layout.wanted[name].is_number else kind
        if pa.types.is_null(kind) and self.layout.wanted[name].type.is_plain_number:
            return pa.float64()
        return kind if pa.types.is_boolean(kind) or is_list(kind) else pa.string()

    def _one_by_one(self, path: str, records: Records) -> tuple[Records, Any, list[BadRow]]:
        """The same without Arrow: the lines that can be read, their columns, and the bad ones."""
        rows: list[dict[str, Any]] = []
        bad: list[BadRow] = []
        good = np.ones(len(records), dtype=bool)
        for i in range(len(records)):
            raw = records.raw(i)
            fault = _fault(raw)
            row = {} if fault else expanded_row(flat_row(json.loads(raw, parse_int=whole)), self._vectors)
            fault = fault or self._misfit(row, raw)
            if fault:
                good[i] = False
                bad.append(BadRow(path, int(records.lines[i]), *fault, raw, int(records.starts[i])))
            else:
                rows.append(row)
        return records.keep(good), self._table(rows), bad

    def _misfit(self, row: Mapping[str, Any], raw: bytes) -> tuple[int | None, str] | None:
        """What is wrong with the values of a line: byte and reason."""
        names = [name for name, _ in json.loads(raw, object_pairs_hook=tuple, parse_int=whole)]
        for name in self.layout.wanted:
            if names.count(name) > 1:
                return self._byte_of(raw, name), f"{name} is there twice"
            value, listed = row.get(name), is_list(self.layout.types[name])
            fits = all(each is None or is_value(each) for each in value) if isinstance(value, list) else is_value(value)
            if value is not None and not (fits and (listed or not isinstance(value, list))):
                given = json.dumps(value)
                given = given if len(given) <= SHOWN else given[:SHOWN] + "…"
                return self._byte_of(raw, name), f"{name} should be text or a number but is {given}"
        return None

    def _byte_of(self, raw: bytes, name: str) -> int | None:
        """The byte, from 1, of the first occurrence of a column's key."""
        at = raw.find(json.dumps(self._path(name)[-1], ensure_ascii=False).encode(errors="replace"))
        return at + 1 if at >= 0 else None

    def _table(self, rows: list[dict[str, Any]]) -> Any:
        arrays = []
        for name, how in self.layout.wanted.items():
            values = [row.get(name) for row in rows]
            if is_list(self.layout.types[name]):
                values = [None if each is None else text_of_list(each, how.type.spelling) for each in values]
            kind = type_of([each for each in values if each is not None])
            if pa.types.is_floating(kind) and not how.is_number:
                kind = pa.string()  # a whole number keeps every digit
            if pa.types.is_floating(kind):
                values = [None if each is None else nearest(each) for each in values]
            elif pa.types.is_string(kind):
                values = [spelt(each, how.type.spelling) for each in values]
            arrays.append(pa.array(values, kind))
        return pa.table(arrays, names=list(self.layout.wanted))

    def _inferred(self) -> dict[str, Any]:
        """Arrow's types for the first rows; if Arrow rejects them, from those that can be read one by one."""
        bad = [row for each in self._first for row in each.bad]
        path = self.files.name(0)
        if not any(len(each.records) for each in self._first):
            raise bad[0].error() if bad else no_rows(path)
        try:
            table = _arrow_reads(b"".join(each.records.text() for each in self._first))
            self._vectors = vectors_in(flat_table(table))
            types: dict[str, Any] = {}
            for name, keys, kind in leaves(table.schema):  # of two of one name the first
                types.setdefault(name, kind)
                self._paths.setdefault(name, keys)
        except pa.ArrowInvalid:
            given = _values_without_arrow(each.records.raw(i) for each in self._first for i in range(len(each.records)))
            types = {name: type_of([each for each in values if each is not None]) for name, values in given.items()}
            self._vectors = vectors_of_lists(given)
        refuse_more_columns(len(types), f"{path}: the keys of its first rows")
        if not types:
            for each in self._first:
                bad += self._one_by_one(each.chunk.path, each.records)[2]
            raise bad[0].error() if bad else InputError(f"{path}: all its objects are empty")
        return types


def _keys_in(data: bytes | bytearray) -> set[bytes]:
    """The keys of all objects in these lines as they are spelt; in lines that are not JSON, whatever looks like one."""
    starts, stops = key_spans(np.frombuffer(data, dtype=np.uint8))
    return {bytes(data[start:stop]) for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)}


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _arrow_reads(text: bytes, schema: Any = None) -> Any:
    return pyarrow.json.read_json(
        pa.py_buffer(text),
        pyarrow.json.ReadOptions(use_threads=False, block_size=len(text) + 1),
        pyarrow.json.ParseOptions(
            explicit_schema=schema,
            newlines_in_values=False,
            unexpected_field_behavior="infer" if schema is None else "ignore",
        ),
    )


def _values_without_arrow(lines: Iterable[bytes]) -> dict[str, list[Any]]:
    """The values of columns in the lines that can be read; Arrow stops at the first that cannot, and at a list of mixed
    types."""
    given: dict[str, list[Any]] = {}
    for raw in lines:
        if not _fault(raw):
            for name, value in flat_row(json.loads(raw, parse_int=whole)).items():
                given.setdefault(name, []).append(value)
    return {name: values for name, values in given.items() if is_value(name)}


def _fault(raw: bytes) -> tuple[int | None, str] | None:
    """The byte and the reason why a line is not a JSON object; None if it is one."""
    text = raw.decode()
    try:
        row = json.loads(text, parse_int=whole)
    except json.JSONDecodeError as wrong:
        return len(text[: wrong.pos].encode()) + 1, f"this is not JSON: {wrong.msg}"
    except RecursionError:
        return None, TOO_DEEP
    return None if isinstance(row, dict) else (1, NOT_AN_OBJECT)
