"""From data as a user gives them (paths, a frame, arrays) to the source that reads them; the format may be guessed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linnet.data.sources.encodings import encoding_of_rows
from linnet.data.sources.files import (
    STANDARD_INPUT,
    SUFFIXES,
    ByteFiles,
    expand_paths,
    no_rows,
    without_bom,
)
from linnet.data.sources.formats import Dialect, Form, Format
from linnet.data.sources.label_sets import HEADER
from linnet.data.sources.labelled import MARK, LabelledText
from linnet.data.sources.readers import HEAD, read_errors
from linnet.data.sources.sampling import SAMPLE, Limits, first_records, lines_in
from linnet.data.sources.separators import NUMBER, separated_by_blanks, separator_of
from linnet.data.sources.source import Source
from linnet.data.sources.syntax import Syntax
from linnet.data.sources.unsupported import refuse_unsupported
from linnet.errors import InputError, option
from linnet.kernels.records import depths

BY_SUFFIX = {
    ".csv": Format.CSV,
    ".tsv": Format.TSV,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".json": Format.JSONL,
    ".parquet": Format.PARQUET,
    ".pq": Format.PARQUET,
    ".svm": Format.SVMLIGHT,
    ".svmlight": Format.SVMLIGHT,
    ".libsvm": Format.SVMLIGHT,
    ".vw": Format.VW,
}
# Of svmlight: one label, or several, and features; features alone.
SVMLIGHT_FEATURES = rb"([ \t]+\d+:" + NUMBER + rb")*[ \t]*(#.*)?\r?\Z"
SVMLIGHT_LINE = re.compile(rb"\A" + NUMBER + rb"(," + NUMBER + rb")*+([ \t]+qid:\d+)?" + SVMLIGHT_FEATURES)
SVMLIGHT_UNLABELLED = re.compile(rb"\A[ \t]*\d+:" + NUMBER + SVMLIGHT_FEATURES)
# Of Vowpal Wabbit's format: a number or nothing, maybe an importance and a tag, a bar; and what marks its features.
VW_LINE = re.compile(
    rb"[ \t]*+("
    + NUMBER
    + rb"([ \t]++"
    + NUMBER
    + rb")?[ \t]++)?('[^ \t|]*+[ \t]*+|[^ \t|:,;\"]*+)\|[^ \t|,;]*+([ \t]|\Z)"
)
VW_NAMESPACE = re.compile(rb"([^|]*[ \t])?\|[^ \t|:,;]+(:[^ \t|]+)?[ \t]+[^ \t|]")
VW_FEATURES = re.compile(rb"\|[^|]*[ \t][^ \t|:]++:" + NUMBER + rb"([ \t|]|\Z)")
PARQUET = b"PAR1"
HEADERS = (b"label", b"target", b"class", b"category", b"y")
TO_FIND_ENCODING = replace(SAMPLE, longest=HEAD)
MOST_BYTES_OF_A_CHARACTER = 4
TO_FIND_FORMAT = Limits(100, HEAD, longest=HEAD)
ENOUGH_LINES = 10


def open_source(paths: Sequence[str | os.PathLike[str]], form: Form = None, *, chunk_size: int | None = None) -> Source:
    """The source for these paths; all are of one format.

    A chunk has about `chunk_size` bytes, or rows where the format has rows (Parquet).
    """
    found, dialect = expand_paths(paths), Dialect.of(form)
    if len(found) == 1 and os.path.isdir(found[0]):
        inside = data_files(found[0])
        if dialect.format is Format.FOLDER or (dialect.format is None and not inside):
            from linnet.data.sources.folder import Folder

            return Folder(found[0], chunk_size=chunk_size)
        found = inside
    elif any(os.path.isdir(path) for path in found):
        raise InputError("give one folder, or files: not both, and not several folders")
    if not found:
        raise InputError(f"{paths[0]}: there is no data file in it" if len(paths) else "no file is given")
    files = ByteFiles(found, encoding=dialect.encoding)
    kind = dialect.format or format_by_name(found[0])
    if kind is None or kind is not Format.PARQUET:
        find_encoding(files)
        refuse_unsupported(files.beginning(0), files.name(0))
        if kind is None or (kind is Format.JSONL and dialect.format is None):
            kind = _format_of(files, dialect, kind)
    if kind is Format.PARQUET:
        if STANDARD_INPUT in found:
            raise InputError(
                "Parquet cannot be read from standard input, because its end must be read first: give a file"
            )
        from linnet.data.sources.parquet import Parquet

        return Parquet(found, chunk_size=chunk_size)
    return open_lines(files, kind, dialect, chunk_size)


def find_encoding(files: ByteFiles) -> None:
    """Let the first rows decide the encoding of files that do not show it, unless it is given."""
    if files.encoding is not None or (len(files) == 1 and files.head(0, HEAD).isascii()):
        return  # no more than that is looked at
    files.assumed = encoding_of_rows(_rows_for_encoding(files))


def _rows_for_encoding(files: ByteFiles) -> list[bytes]:
    """The first rows of the files; of one without lines, its beginning."""
    first = list(first_records(files, lines_in, header=None, limits=TO_FIND_ENCODING))
    rows = [record for each in first for record in each.records]
    return rows or [bytes(each.chunk.data)[:-MOST_BYTES_OF_A_CHARACTER] for each in first]


def _format_of(files: ByteFiles, dialect: Dialect, named: Format | None) -> Format:
    """The format by name and content; who names a separator, or columns, has delimited text."""
    if named is Format.JSONL:
        lines = first_lines(files)
        return _kind_of_json(lines) if lines else named
    if dialect.separator is not None:
        return Format.CSV
    found = format_by_content(files)
    return Format.TSV if dialect.table and found is Format.LABELLED_TEXT else found


def open_lines(files: ByteFiles, form: Format, dialect: Dialect, chunk_size: int | None = None) -> Source:
    """The source for files of text in this format."""
    if form is Format.SVMLIGHT:
        from linnet.data.sources.svmlight import Svmlight

        return Svmlight(files, chunk_size=chunk_size)
    if form is Format.VW:
        from linnet.data.sources.vowpal_wabbit import VowpalWabbit

        return VowpalWabbit(files, chunk_size=chunk_size)
    if form in (Format.LABELLED_TEXT, Format.LABELS):
        return LabelledText(files, marked=form is Format.LABELS, chunk_size=chunk_size)
    if form is Format.JSONL:
        from linnet.data.sources.jsonlines import JsonLines

        return JsonLines(files, chunk_size=chunk_size)
    if form is Format.JSON:
        from linnet.data.sources.jsonobjects import JsonObjects

        return JsonObjects(files, chunk_size=chunk_size)
    if form in (Format.CSV, Format.TSV):
        from linnet.data.sources.delimited import Delimited

        quote = '"' if dialect.quote is None else dialect.quote
        separator = dialect.separator or ("\t" if form is Format.TSV else separator_of(files, quote))
        if quote == separator:
            raise InputError(f"{option('separator')} and {option('quote')} cannot both be {quote!r}")
        return Delimited(
            files, Syntax(separator, quote), header=dialect.header, stray_quotes=dialect.stray_quotes,
            chunk_size=chunk_size,
        )  # fmt: skip
    raise InputError(f"{files.name(0)}: the format {form} has no target to train on")


def data_files(folder: str) -> list[str]:
    """The data files directly in a folder, all of one format; none if it contains folders of texts."""
    with read_errors(folder):
        entries = sorted(each.path for each in os.scandir(folder) if each.is_file() and each.name[0] not in "._")
    known = [path for path in entries if _suffix(path) in BY_SUFFIX]
    kinds = {BY_SUFFIX[_suffix(path)] for path in known}
    if len(kinds) > 1:
        raise InputError(f"{folder}: contains files of several formats ({', '.join(sorted(kinds))}): give the files")
    return known


def _suffix(path: str) -> str:
    stem, suffix = os.path.splitext(path)
    return (os.path.splitext(stem)[1] if suffix.lower() in SUFFIXES else suffix).lower()


def named_format(path: str) -> Format | None:
    """The format that the suffix names."""
    return None if path == STANDARD_INPUT else BY_SUFFIX.get(_suffix(path))


def format_by_name(path: str) -> Format | None:
    """The format by the suffix; a TSV may be labelled text, so its content decides."""
    form = named_format(path)
    return None if form is Format.TSV else form


def format_by_content(files: ByteFiles) -> Format:
    """The format that the first lines of the files look like."""
    for number in range(len(files)):
        if files.beginning(number).startswith(PARQUET):
            return Format.PARQUET
        if without_bom(files.head(number)).strip():
            break
    lines = first_lines(files)
    if not lines:
        raise no_rows(files.name(0))
    return format_of_lines(lines)


def format_of_lines(lines: list[bytes]) -> Format:
    """The format that these lines look like."""
    if lines[0].lstrip().startswith((b"{", b"[")):
        return _kind_of_json(lines)
    if sum(line.startswith(MARK) for line in lines) > len(lines) // 2:
        return Format.LABELS
    rows = [line for line in lines if not line.lstrip().startswith(b"#")]
    if _is_svmlight(rows):
        return Format.SVMLIGHT
    if all(map(VW_LINE.match, lines)) and not _bars_separate(lines):
        return Format.VW
    if separated_by_blanks(lines):
        return Format.CSV
    if all(b"\t" in line for line in lines):
        return Format.LABELLED_TEXT if _is_labelled(lines) else Format.TSV
    return Format.CSV


def _is_svmlight(rows: list[bytes]) -> bool:
    """Whether these are lines of labels and features; where rows have several labels, a few may be without, and the
    first may be a header."""
    if len(rows) > 1 and HEADER.fullmatch(rows[0]):
        rows = rows[1:]
    unlabelled = [row for row in rows if not SVMLIGHT_LINE.match(row)]
    has_features = any(b":" in row for row in rows)
    return has_features and 2 * len(unlabelled) < len(rows) and all(map(SVMLIGHT_UNLABELLED.match, unlabelled))


def _bars_separate(lines: list[bytes]) -> bool:
    """Whether lines with bars are records of a table: as many bars in each, and nothing that only features have."""
    counts = {line.count(b"|") for line in lines}
    marked = all(map(VW_NAMESPACE.match, lines)) or any(map(VW_FEATURES.search, lines))
    return len(counts) == 1 and not marked


def _kind_of_json(lines: list[bytes]) -> Format:
    """Whether JSON is one object a line, or an array, or objects that go on over several lines."""
    first = lines[0].lstrip()
    if first.startswith(b"["):
        return Format.JSON
    closed = depths(np.frombuffer(first, dtype=np.uint8), np.array([0]), np.array([len(first)]))[0] > 0
    goes_on = len(lines) > 1 and not lines[1].lstrip().startswith(b"{")
    return Format.JSON if not closed and goes_on else Format.JSONL


def first_lines(files: ByteFiles) -> list[bytes]:
    """The first lines that are not blank, of all files in their order; the first one, maybe a header, only once.

    Of a line that is too long to be looked at as a whole, its first words.
    """
    first = list(first_records(files, lines_in, header=None, limits=TO_FIND_FORMAT))
    lines = [line for each in first for line in each.records]
    begun = [bytes(each.chunk.data).strip() for each in first]
    return lines or [data.rsplit(None, 1)[0] for data in begun if data]


def _is_labelled(lines: list[bytes]) -> bool:
    """Whether lines with tabs are labelled texts, not a table: labels repeat, the words of a header do not."""
    labels = [line.split(b"\t", 1)[0] for line in lines]
    header = labels[0].strip().lower() in HEADERS
    if len(lines) >= ENOUGH_LINES:
        header = header or (labels[0] not in labels[1:] and b" " not in lines[0].split(b"\t", 1)[1])
    one_tab = min(line.count(b"\t") for line in lines) == 1
    return one_tab and not header and len(set(labels)) <= max(2, len(lines) // 2)


def open_data(data: Any, form: Form = None, *, chunk_size: int | None = None) -> Source:
    """The source for paths, for what is in memory already, or the source that is given."""
    if isinstance(data, Source):
        return data
    if isinstance(data, str | os.PathLike):
        data = [data]
    if isinstance(data, list | tuple) and data and all(isinstance(each, str | os.PathLike) for each in data):
        return open_source(data, form, chunk_size=chunk_size)
    if isinstance(data, tuple) and len(data) == 2:
        from linnet.data.sources.arrays import Arrays

        return Arrays.of(*data, chunk_size=chunk_size)
    from linnet.data.sources.frame import Frame

    if isinstance(data, list) and data and all(isinstance(row, Mapping) for row in data):
        names = dict.fromkeys(name for row in data for name in row)
        data = {name: [row.get(name) for row in data] for name in names}
    return Frame(data, chunk_size=chunk_size)
