"""From data as a user gives them (paths, a frame, arrays) to the source that reads them; the format may be guessed."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from linnet.data.sources.files import (
    HEAD,
    STANDARD_INPUT,
    SUFFIXES,
    ByteFiles,
    expand_paths,
    no_rows,
    read_errors,
    without_bom,
)
from linnet.data.sources.formats import Format
from linnet.data.sources.labelled import MARK, LabelledText
from linnet.data.sources.sampling import Limits, first_records, lines_in
from linnet.data.sources.source import Source
from linnet.errors import InputError

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
}
NUMBER = rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
SVMLIGHT_LINE = re.compile(rb"\A" + NUMBER + rb"([ \t]+qid:\d+)?([ \t]+\d+:" + NUMBER + rb")*[ \t]*(#.*)?\r?\Z")
WHOLLY_NUMBER = re.compile(rb"\A" + NUMBER + rb"\Z")
# Two numbers with only blanks between them; a field that may be quoted.
TWO_NUMBERS = re.compile(rb"(?:\A|[ \t])" + NUMBER + rb" [ \t]*" + NUMBER + rb"(?:[ \t]|\Z)")
FIELD = re.compile(rb'"[^"]*"|[^ \t]+')
PARQUET = b"PAR1"
HEADERS = (b"label", b"target", b"class", b"category", b"y")
UTF16 = (b"\xff\xfe", b"\xfe\xff")
TO_FIND_FORMAT = Limits(100, HEAD, longest=HEAD)
ENOUGH_LINES = 10


def open_source(
    paths: Sequence[str | os.PathLike[str]],
    form: Format | None = None,
    *,
    header: bool | None = None,
    chunk_size: int | None = None,
) -> Source:
    """The source for these paths; all are of one format.

    A chunk has about `chunk_size` bytes, or rows where the format has rows (Parquet).
    """
    found = expand_paths(paths)
    if len(found) == 1 and os.path.isdir(found[0]):
        inside = _data_files(found[0])
        if form is Format.FOLDER or (form is None and not inside):
            from linnet.data.sources.folder import Folder

            return Folder(found[0], chunk_size=chunk_size)
        found = inside
    elif any(os.path.isdir(path) for path in found):
        raise InputError("give one folder, or files: not both, and not several folders")
    if not found:
        raise InputError(f"{paths[0]}: there is no data file in it" if len(paths) else "no file is given")
    files = ByteFiles(found)
    form = form or format_by_name(found[0]) or format_by_content(files)
    if form in (Format.CSV, Format.TSV, Format.LABELLED_TEXT):
        _refuse_blank_delimiters(first_lines(files), files.name(0))
    if form is Format.PARQUET:
        if STANDARD_INPUT in found:
            raise InputError(
                "Parquet cannot be read from standard input, because its end must be read first: give a file"
            )
        from linnet.data.sources.parquet import Parquet

        return Parquet(found, chunk_size=chunk_size)
    return open_lines(files, form, header, chunk_size)


def open_lines(files: ByteFiles, form: Format, header: bool | None, chunk_size: int | None = None) -> Source:
    """The source for files of text in this format."""
    if form is Format.SVMLIGHT:
        from linnet.data.sources.svmlight import Svmlight

        return Svmlight(files, chunk_size=chunk_size)
    if form in (Format.LABELLED_TEXT, Format.LABELS):
        return LabelledText(files, marked=form is Format.LABELS, chunk_size=chunk_size)
    if form is Format.JSONL:
        from linnet.data.sources.jsonlines import JsonLines

        return JsonLines(files, chunk_size=chunk_size)
    if form in (Format.CSV, Format.TSV):
        from linnet.data.sources.delimited import Delimited

        delimiter = "\t" if form is Format.TSV else None
        return Delimited(files, delimiter=delimiter, header=header, chunk_size=chunk_size)
    raise InputError(f"{files.name(0)}: the format {form} has no target to train on")


def _data_files(folder: str) -> list[str]:
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


def format_by_name(path: str) -> Format | None:
    """The format by the suffix; a TSV may be labelled text, so its content decides."""
    if path == STANDARD_INPUT:
        return None
    form = BY_SUFFIX.get(_suffix(path))
    return None if form is Format.TSV else form


def format_by_content(files: ByteFiles) -> Format:
    """The format that the first lines of the files look like."""
    for number in range(len(files)):
        head = files.head(number)
        if head.startswith(PARQUET):
            return Format.PARQUET
        if head.startswith(UTF16):
            raise InputError(f"{files.name(number)}: is UTF-16: convert it first, for example iconv -f utf-16 -t utf-8")
        if without_bom(head).strip():
            break
    lines = first_lines(files)
    if not lines:
        raise no_rows(files.name(0))
    return format_of_lines(lines, files.name(0))


def format_of_lines(lines: list[bytes], path: str) -> Format:
    """The format that these lines look like."""
    if lines[0].lstrip().startswith(b"{"):
        return Format.JSONL
    if lines[0].lstrip().startswith(b"["):
        raise InputError(
            f"{path}: looks like one JSON array; linnet reads one object a line (convert it with jq -c '.[]')"
        )
    if sum(line.startswith(MARK) for line in lines) > len(lines) // 2:
        return Format.LABELS
    rows = [line for line in lines if not line.lstrip().startswith(b"#")]
    if any(b":" in line for line in rows) and all(map(SVMLIGHT_LINE.match, rows)):
        return Format.SVMLIGHT
    if all(b"\t" in line for line in lines):
        return Format.LABELLED_TEXT if _is_labelled(lines) else Format.TSV
    return Format.CSV


def first_lines(files: ByteFiles) -> list[bytes]:
    """The first lines that are not blank, of all files in their order; the first one, maybe a header, only once."""
    return [
        line for each in first_records(files, lines_in, header=None, limits=TO_FIND_FORMAT) for line in each.records
    ]


def _refuse_blank_delimiters(lines: list[bytes], path: str) -> None:
    """Raise for a table with blanks between its columns, which would be read as one column."""
    fields = [FIELD.findall(line) for line in lines]
    if len(lines) < 2 or len({len(each) for each in fields}) > 1 or any(sign in lines[-1] for sign in b",;|"):
        return
    if all(map(TWO_NUMBERS.search, lines[1:])):
        headed = "" if not any(map(WHOLLY_NUMBER.match, fields[0])) else ", header=None"
        raise InputError(
            f"{path}: looks like a table with blanks between its {len(fields[0])} columns, but linnet reads commas, "
            "semicolons, tabs or bars: convert it first, for example with pandas: "
            f"read_csv({os.path.basename(path)!r}, sep=r'\\s+'{headed}).to_csv('table.csv', index=False)"
        )


def _is_labelled(lines: list[bytes]) -> bool:
    """Whether lines with tabs are labelled texts, not a table: labels repeat, the words of a header do not."""
    labels = [line.split(b"\t", 1)[0] for line in lines]
    header = labels[0].strip().lower() in HEADERS
    if len(lines) >= ENOUGH_LINES:
        header = header or (labels[0] not in labels[1:] and b" " not in lines[0].split(b"\t", 1)[1])
    one_tab = min(line.count(b"\t") for line in lines) == 1
    return one_tab and not header and len(set(labels)) <= max(2, len(lines) // 2)


def open_data(
    data: Any, form: Format | None = None, *, header: bool | None = None, chunk_size: int | None = None
) -> Source:
    """The source for paths, for what is in memory already, or the source that is given."""
    if isinstance(data, Source):
        return data
    if isinstance(data, str | os.PathLike):
        data = [data]
    if isinstance(data, list | tuple) and data and all(isinstance(each, str | os.PathLike) for each in data):
        return open_source(data, form, header=header, chunk_size=chunk_size)
    if isinstance(data, tuple) and len(data) == 2:
        from linnet.data.sources.arrays import Arrays

        return Arrays.of(*data, chunk_size=chunk_size)
    from linnet.data.sources.frame import Frame

    return Frame(data, chunk_size=chunk_size)
