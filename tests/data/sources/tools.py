"""Sources read to the end, in plain Python, for comparison with what others read."""

from __future__ import annotations

import bz2
import gzip
import lzma

import numpy as np
import pyarrow as pa

from linnet.data.column_types import PLAIN_NUMBER, Kind, ReadAs, Reading
from linnet.data.features.type_inference import infer
from linnet.data.missing_markers import MARKERS
from linnet.data.sources.block import Numbers, Position
from linnet.data.sources.formats import Dialect
from linnet.data.sources.opening import open_source
from linnet.data.sources.sets import ELEMENT
from linnet.data.sources.table import TableSource


def compressed(data: bytes, how: str) -> bytes:
    if how == "zst":
        return pa.Codec("zstd").compress(data, asbytes=True) if data else b"\x28\xb5\x2f\xfd\x00\x58\x01\x00\x00"
    return {"": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[how](data)


def written(folder, *contents: bytes, suffix: str = ".txt", how: str = "") -> list[str]:
    """The contents as files, in order."""
    paths = [folder / f"part{i:03d}{suffix}{'.' + how if how else ''}" for i in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(compressed(content, how))
    return [str(path) for path in paths]


def opened(paths, form=None, *, size: int | None = None, **options):
    """A source that reads chunks of so many bytes (rows, of Parquet)."""
    return typed(open_source(paths, Dialect(form, **options), chunk_size=size))


def typed(source):
    """The source, its columns read by their types: what does not fit makes its row a bad one."""
    if isinstance(source, TableSource):
        source.select_columns({name: _reading(column) for name, column in source.sample().columns.items()})
    return source


def _reading(column):
    kind = infer(column, MARKERS, None).type
    if any(text.startswith(ELEMENT) for text in column.strings()):
        return Reading(kind, ReadAs.TEXT)
    return Reading(kind, ReadAs.LABEL if kind.kind in (Kind.STRING, Kind.BOOLEAN) else ReadAs.NUMBER, strict=True)


def wanted(**numbers: bool) -> dict[str, Reading]:
    """Columns to read: plain numbers where it is True, strings as they are where not."""
    number = Reading(PLAIN_NUMBER, ReadAs.NUMBER, strict=True)
    return {name: number if each else Reading() for name, each in numbers.items()}


def blocks(source, start=None):
    return [source.parse(chunk) for chunk in source.chunks(start or Position())]


def rows_in(block) -> list[tuple]:
    """Each row as (file, line, its values by name, or its target and entries); None is missing."""
    lines = block.lines.tolist()
    assert len(lines) == block.rows
    if block.sparse is not None:
        X = block.sparse
        cuts = X.starts.tolist()
        entries = list(zip(X.ids.tolist(), X.values.tolist(), strict=True))
        values = [(y, entries[a:b]) for y, a, b in zip(block.targets.tolist(), cuts[:-1], cuts[1:], strict=True)]
    else:
        columns = {name: plain(column) for name, column in block.columns.items()}
        values = [{name: column[i] for name, column in columns.items()} for i in range(block.rows)]
    return [(block.path, line, value) for line, value in zip(lines, values, strict=True)]


def plain(column) -> list:
    if isinstance(column, Numbers):
        return [None if np.isnan(value) else value for value in column.values.tolist()]
    missing = [False] * len(column) if column.missing is None else column.missing.tolist()
    return [None if gone else text for gone, text in zip(missing, column.strings(), strict=True)]


def rows(source, start=None) -> list[tuple]:
    return [row for block in blocks(source, start) for row in rows_in(block)]


def bad(source, start=None) -> list[tuple]:
    return [(row.path, row.line, row.column, row.reason) for block in blocks(source, start) for row in block.bad]


def values(source) -> list:
    return [value for _, _, value in rows(source)]
