"""Files that linnet does not read, by how they begin: what each is, and what to do with it."""

from __future__ import annotations

import os

from linnet.errors import InputError

_PANDAS = "convert it first, for example with pandas: {}({!r}).to_parquet('data.parquet')"
_UNPACK = "unpack it, and give the files in it (single files may be compressed: gz, bz2, xz, zst)"
_ZIP = b"PK\x03\x04"
_BEGINNINGS = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Office file", "read_excel"),
    (b"Obj\x01", "an Avro file", "convert it first, for example to Parquet"),
    (b"ORC", "an ORC file", "read_orc"),
    (b"ARROW1", "an Arrow (Feather) file", "read_feather"),
    (b"FEA1", "a Feather file", "read_feather"),
    (b"\x89HDF", "an HDF5 file", "read_hdf"),
    (b"\x93NUMPY", "a NumPy array", "load it in Python, and give the array to an estimator"),
    (
        b"SQLite format 3\0",
        "an SQLite database",
        "export the table as CSV: sqlite3 -header -csv FILE 'select * from ...'",
    ),
    (b"%PDF", "a PDF document", "extract its text or tables first"),
    (b"7z\xbc\xaf", "a 7z archive", _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK),
)
_MARKUP = ((b"<!doctype html", "an HTML page"), (b"<html", "an HTML page"), (b"<?xml", "an XML document"))
_TAR_AT, _TAR = 257, b"ustar"
_PICKLE_PROTOCOLS = b"\x02\x03\x04\x05"


def refuse_unsupported(beginning: bytes, path: str) -> None:
    """Raise for a file that begins like one of a format that is not read."""
    found = _recognised(beginning, os.path.basename(path))
    if found is not None:
        what, remedy = found
        if remedy.startswith("read_"):
            remedy = _PANDAS.format(remedy, os.path.basename(path))
        raise InputError(f"{path}: is {what}, which linnet does not read: {remedy}")


def _recognised(beginning: bytes, name: str) -> tuple[str, str] | None:
    if beginning.startswith(_ZIP):
        if name.lower().endswith((".xlsx", ".xlsm")) or b"xl/" in beginning or b"[Content_Types].xml" in beginning:
            return "an Excel workbook", "read_excel"
        if b"opendocument.spreadsheet" in beginning:
            return "an OpenDocument spreadsheet", "read_excel"
        return "a zip archive", _UNPACK
    for magic, what, remedy in _BEGINNINGS:
        if beginning.startswith(magic):
            return what, remedy
    if beginning[_TAR_AT:].startswith(_TAR):
        return "a tar archive", _UNPACK
    if beginning[:1] == b"\x80" and beginning[1:2] in _PICKLE_PROTOCOLS and beginning[1:2]:
        return "a pickle, which could run any code", "load it where you trust it, and write Parquet or CSV"
    text = beginning.lstrip(b"\xef\xbb\xbf \t\r\n")[:20].lower()
    for mark, what in _MARKUP:
        if text.startswith(mark):
            return what, "extract its text or its tables first, for example with pandas: read_html, read_xml"
    return None
