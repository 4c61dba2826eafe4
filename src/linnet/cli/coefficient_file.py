"""The weights of a model as a file: CSV, JSON Lines or Parquet, by its name; or as JSON."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from linnet.cli.terminal import json_text, visible
from linnet.errors import OutputError

if TYPE_CHECKING:
    from linnet.model.model import Model

Columns = dict[str, list[Any]]
# How the file is named for each format.
CSV, JSON_LINES, PARQUET = (".csv", ".txt", ""), (".jsonl", ".ndjson"), (".parquet",)


def write_coefficients(model: Model, output: str, *, as_json: bool) -> None:
    """All weights, in the format that the name of the output says; one output of the model after the other."""
    from linnet.model.coefficients import coefficient_tables
    from linnet.storage.atomic import STREAMS, replacing
    from linnet.storage.outputs import claimed

    ending = "" if output in STREAMS else os.path.splitext(output)[1].lower()
    if ending not in (*CSV, *JSON_LINES, *PARQUET, ".json"):
        raise OutputError(f"{output}: a table is written as .csv, .jsonl or .parquet: name one of these, or - for CSV")
    tables = coefficient_tables(model)
    with claimed([output]):
        if ending in PARQUET and not as_json:
            with replacing(output) as raw:
                _parquet(tables, raw)
            return
        with replacing(output, "w") as out:
            if as_json or ending == ".json":
                _json(tables, out)
            elif ending in JSON_LINES:
                out.writelines(f"{json_text(each, indent=None)}\n" for each in _objects(tables))
            else:
                _csv(tables, out)


def _objects(tables: Iterator[Columns]) -> Iterator[dict[str, Any]]:
    for table in tables:
        for cells in zip(*table.values(), strict=True):
            yield dict(zip(table, cells, strict=True))


def _json(tables: Iterator[Columns], out: TextIO) -> None:
    """One array, of which only a line is in memory."""
    before = "[\n"
    for each in _objects(tables):
        out.write(f"{before}{json_text(each, indent=None)}")
        before = ",\n"
    out.write("\n]\n")


def _csv(tables: Iterator[Columns], out: TextIO) -> None:
    writer = csv.writer(out, lineterminator="\n")
    # files and programs get cells as they are; a terminal would obey some of what may be in them
    shown = visible if out.isatty() else str
    for number, table in enumerate(tables):
        if not number:
            writer.writerow(table)
        for cells in zip(*table.values(), strict=True):
            writer.writerow(["" if each is None else _cell(each, shown) for each in cells])


def _cell(value: Any, shown: Any) -> Any:
    return shown(value) if isinstance(value, str) else value


def _parquet(tables: Iterator[Columns], raw: BinaryIO) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    text, number = pa.string(), pa.float64()
    kinds = {"weight": number, "mean": number, "spread": number}
    writer = None
    for table in tables:
        made = pa.table({name: pa.array(cells, kinds.get(name, text)) for name, cells in table.items()})
        writer = writer or pa.parquet.ParquetWriter(raw, made.schema)
        writer.write_table(made)
    if writer is not None:
        writer.close()
