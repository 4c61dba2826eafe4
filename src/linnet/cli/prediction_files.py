"""Predictions as they are written: CSV, TSV, JSON, JSON Lines, Parquet, or a label a line; compressed, by the name.

The n-th row that is written is the n-th row of the data.  A row without a prediction has empty cells, null, or an empty
line.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from linnet.cli.terminal import json_text, visible
from linnet.errors import RecipeError
from linnet.storage.atomic import STREAMS, replacing

if TYPE_CHECKING:
    from linnet.model.model import Model
    from linnet.model.predictions import Predictions

# What makes a spreadsheet take a cell for a formula if it is first, unless the cell is a number.
FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
# Labels of which few are different are put into text once each, if they are of one of these types.
ONE_TYPE, MOST_DIFFERENT = ({str}, {int}), 1000
# What CSV never quotes.
BARE = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_. -]*")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Output(StrEnum):
    """How predictions are written."""

    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    JSONL = "jsonl"
    PARQUET = "parquet"
    LABELS = "labels"


BY_SUFFIX = {
    ".csv": Output.CSV,
    ".tsv": Output.TSV,
    ".json": Output.JSON,
    ".jsonl": Output.JSONL,
    ".ndjson": Output.JSONL,
    ".parquet": Output.PARQUET,
    ".pq": Output.PARQUET,
}
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
# Names that promise what is not written.
OTHERS = (".xlsx", ".xls", ".ods", ".arrow", ".feather", ".ipc", ".orc", ".avro", ".zip", ".svm", ".libsvm", ".linnet")


def output_kind(path: str, given: Output | None) -> Output:
    """How to write to this file: as asked for, or as its name says; CSV where it says nothing."""
    stem, suffix = os.path.splitext(path)
    compressed = suffix.lower() in COMPRESSED
    suffix = (os.path.splitext(stem)[1] if compressed else suffix).lower()
    kind = given or BY_SUFFIX.get(suffix, Output.CSV)
    if given is None and suffix in OTHERS:
        raise RecipeError(f"{path}: predictions are written as {', '.join(BY_SUFFIX)}; or give --as with this name")
    if kind is Output.PARQUET and (compressed or path in STREAMS):
        why = "is compressed inside" if compressed else "is not for standard output"
        raise RecipeError(f"{path}: Parquet {why}: name a file, such as -o predictions.parquet")
    return kind


@contextmanager
def writer_to(path: str, kind: Output, model: Model, *, spreadsheet_safe: bool) -> Iterator[Writer]:
    """What writes predictions to a file, which appears whole or not at all."""
    if kind is Output.PARQUET:
        with replacing(path, "wb") as raw:
            table = _Parquet(model, raw)
            yield table
            table.end()
        return
    with _text(path) as out:
        writer = _WRITERS[kind](model, out, spreadsheet_safe)
        yield writer
        writer.end()


@contextmanager
def _text(path: str) -> Iterator[TextIO]:
    """A text file, compressed where its name says so."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in COMPRESSED:
        with replacing(path, "w") as out:
            yield out
        return
    with replacing(path, "wb") as raw, _compressor(raw, suffix) as compressed:
        yield codecs.getwriter("utf-8")(compressed)  # type: ignore[misc]


def _compressor(raw: BinaryIO, suffix: str) -> Any:
    if suffix == ".gz":
        import gzip

        return gzip.GzipFile("", "wb", fileobj=raw, mtime=0)
    if suffix == ".bz2":
        import bz2

        return bz2.BZ2File(raw, "wb")
    if suffix == ".xz":
        import lzma

        return lzma.LZMAFile(raw, "wb")
    import pyarrow

    return pyarrow.CompressedOutputStream(pyarrow.PythonFile(raw, mode="w"), "zstd")


class Writer(ABC):
    """Writes predictions, block after block."""

    def __init__(self, model: Model, out: Any) -> None:
        self.model, self.out = model, out
        self.labels = [str(label) for label in model.classes or []] if model.has_probabilities else []

    @abstractmethod
    def write(self, made: Predictions) -> None: ...

    def end(self) -> None:  # noqa: B027 - most have nothing to write
        """Write what comes last."""

    def flush(self) -> None:
        """Let a reader of a pipe see what there is; a compressed file is not cut for that."""
        if isinstance(self.out, io.TextIOBase):
            self.out.flush()


class _Csv(Writer):
    """The header is written with the first block, which has the names of id columns."""

    delimiter = ","

    def __init__(self, model: Model, out: TextIO, safe: bool) -> None:
        super().__init__(model, out)
        self.begun = False
        # files and programs get cells as they are; a terminal would obey some of what may be in them
        self.cell = _without_formulas if safe else visible if _is_terminal(out) else None

    def write(self, made: Predictions) -> None:
        from linnet.kernels.decimals import six_digits

        self._header(list(made.ids))
        columns = [*map(self._cells, made.ids.values()), self._cells(made.labels.tolist())]
        if made.probabilities is not None:
            columns += [six_digits(each) for each in made.probabilities.T.copy()]
        if len(columns) > 1 and not made.ids and all(map(BARE.fullmatch, set(columns[0]))):
            self.out.write("".join([self.delimiter.join(row) + "\n" for row in zip(*columns, strict=True)]))
        else:
            self._rows(zip(*columns, strict=True))

    def end(self) -> None:
        self._header([])

    def _header(self, ids: list[str]) -> None:
        if not self.begun:
            self.begun = True
            self._rows([self._cells([*ids, "prediction", *(f"probability:{label}" for label in self.labels)])])

    def _rows(self, rows: Any) -> None:
        text = io.StringIO()
        csv.writer(text, delimiter=self.delimiter, lineterminator="\n").writerows(rows)
        self.out.write(text.getvalue())

    def _cells(self, column: list[Any]) -> list[str]:
        different = set(column)
        if len(different) > MOST_DIFFERENT or set(map(type, different)) not in ONE_TYPE:  # 1, 1.0 and True are equal
            return [self._text(each) for each in column]
        texts = {each: self._text(each) for each in different}
        return [texts[each] for each in column]

    def _text(self, value: Any) -> str:
        text = value if type(value) is str else _plain(value)
        return text if self.cell is None else self.cell(text)


class _Tsv(_Csv):
    delimiter = "\t"


def _without_formulas(cell: str) -> str:
    return f"'{cell}" if FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell


def _is_terminal(out: TextIO) -> bool:
    try:
        return os.isatty(out.fileno())
    except (OSError, AttributeError):  # not a file at all
        return False


class _Jsonl(Writer):
    def __init__(self, model: Model, out: TextIO, _: bool) -> None:
        super().__init__(model, out)
        self.begun = False

    def write(self, made: Predictions) -> None:
        lines = []
        for row, label in enumerate(made.labels.tolist()):
            content: dict[str, Any] = {name: values[row] for name, values in made.ids.items()}
            content["prediction"] = _given(label)
            if made.probabilities is not None:
                each = None if made.unread[row] else made.probabilities[row].tolist()
                content["probabilities"] = None if each is None else dict(zip(self.labels, each, strict=True))
            lines.append(json_text(content, indent=None))
        self._lines(lines)

    def _lines(self, lines: list[str]) -> None:
        self.out.write("".join(f"{each}\n" for each in lines))


class _Json(_Jsonl):
    """One array, an object a line."""

    def _lines(self, lines: list[str]) -> None:
        for each in lines:
            self.out.write(f"{',' if self.begun else '['}\n{each}")
            self.begun = True

    def end(self) -> None:
        self.out.write("\n]\n" if self.begun else "[]\n")


class _Labels(Writer):
    """A row a line, whatever its label: what would break it, or a terminal would obey, is escaped, and so is \\."""

    def __init__(self, model: Model, out: TextIO, _: bool) -> None:
        super().__init__(model, out)

    def write(self, made: Predictions) -> None:
        self.out.write("".join(f"{_in_a_line(_plain(label))}\n" for label in made.labels.tolist()))


class _Parquet(Writer):
    """Ids, prediction and probabilities as columns of their types."""

    def __init__(self, model: Model, out: BinaryIO) -> None:
        super().__init__(model, out)
        self._writer: Any = None

    def write(self, made: Predictions) -> None:
        import pyarrow as pa

        columns: dict[str, Any] = {}
        for name, values in made.ids.items():
            integers = name in made.integers
            columns[name] = pa.array(values, pa.int64()) if integers else pa.array(_texts(values), pa.string())
        columns["prediction"] = pa.array([_given(label) for label in made.labels.tolist()], self._type())
        if made.probabilities is not None:
            each = (pa.array(p, from_pandas=True) for p in made.probabilities.T)
            columns |= {f"probability:{label}": p for label, p in zip(self.labels, each, strict=True)}
        self._write(pa.table(columns))

    def end(self) -> None:
        import pyarrow as pa

        if self._writer is None:
            columns = {"prediction": pa.array([], self._type())}
            self._write(
                pa.table(columns | {f"probability:{label}": pa.array([], pa.float64()) for label in self.labels})
            )
        self._writer.close()

    def _write(self, table: Any) -> None:
        from pyarrow.parquet import ParquetWriter

        if self._writer is None:
            self._writer = ParquetWriter(self.out, table.schema)
        self._writer.write_table(table)

    def _type(self) -> Any:
        import pyarrow as pa

        classes = self.model.classes
        kind = float if not classes else type(classes[0])
        found = {str: pa.string(), int: pa.int64(), bool: pa.bool_()}.get(kind, pa.float64())
        return pa.list_(found) if self.model.several else found

    def flush(self) -> None:
        pass


def _texts(values: list[Any]) -> list[str | None]:
    return [None if each is None else str(each) for each in values]


def _in_a_line(label: str) -> str:
    return visible(label.replace("\\", "\\\\"))


def _given(label: Any) -> Any:
    """A prediction for machines: None where there is none."""
    if isinstance(label, tuple):
        return list(label)
    return None if isinstance(label, float) and math.isnan(label) else label


def _plain(label: Any) -> str:
    """A prediction, a label or an id in text: nothing where there is none."""
    if isinstance(label, tuple):
        return ",".join(map(_plain, label))
    if _given(label) is None:
        return ""
    return f"{label:.10g}" if isinstance(label, float) else str(label)


_WRITERS: dict[Output, Any] = {
    Output.CSV: _Csv,
    Output.TSV: _Tsv,
    Output.JSON: _Json,
    Output.JSONL: _Jsonl,
    Output.LABELS: _Labels,
}
