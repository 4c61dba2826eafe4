"""What linnet does not read is refused in one line, with what it is and what to do."""

from __future__ import annotations

import io
import pickle
import tarfile
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest

from linnet.data.sources.formats import Dialect, Format
from linnet.data.sources.opening import open_source
from linnet.errors import InputError


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
    return out.getvalue()


def tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("a.csv"))
    return out.getvalue()


def saved(write):
    out = io.BytesIO()
    write(out)
    return out.getvalue()


FILES = {
    "book.xlsx": (zipped(xl__workbook_xml="<x/>"), "is an Excel workbook", r"read_excel\('book.xlsx'\)"),
    "book.xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an old Excel", "read_excel"),
    "several.zip": (zipped(a="1", b="2"), "is a zip archive", "unpack it"),
    "data.tar.gz": (tar(), "is a tar archive", "unpack it"),
    "data.avro": (b"Obj\x01\x04\x14avro.codec", "is an Avro file", "Parquet"),
    "data.orc": (b"ORC\x08\x03", "is an ORC file", "read_orc"),
    "data.pkl": (pickle.dumps({"a": [1, 2]}), "is a pickle", "write Parquet or CSV"),
    "data.pkl.gz": (pickle.dumps([1], 2), "is a pickle", "write Parquet or CSV"),
    "data.feather": (
        saved(lambda out: pyarrow.feather.write_feather(pa.table({"a": [1]}), out)), "Feather", "read_feather",
    ),
    "data.npy": (saved(lambda out: np.save(out, np.eye(2))), "is a NumPy array", "estimator"),
    "page.html": (b"\n<!DOCTYPE html>\n<html><table>", "is an HTML page", "read_html"),
    "data.xml": (b'\xef\xbb\xbf<?xml version="1.0"?>', "is an XML document", "read_xml"),
    "data.pdf": (b"%PDF-1.7\n%\xe2\xe3", "is a PDF document", "extract"),
    "data.db": (b"SQLite format 3\0" + bytes(100), "is an SQLite database", "sqlite3"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("given", [None, Format.CSV, Format.JSONL])
def test_what_is_not_read_is_recognised_by_its_content(name, given, tmp_path):
    content, what, remedy = FILES[name]
    for path in (tmp_path / name, tmp_path / "data"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=remedy if path.name == name else what) as told:
            open_source([path], Dialect(given))
        assert "\n" not in str(told.value)
        assert str(told.value).startswith(f"{path}: is ")
