"""Mutated files: good ones, changed here and there; and what must hold for whatever comes out."""

from __future__ import annotations

import faulthandler
import io
import os
import random
import resource
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet

from linnet.data.sources.files import ByteFiles
from linnet.data.sources.formats import Format
from linnet.errors import InputError
from tests.data.sources.tools import blocks, compressed, opened, rows, rows_in

SEEDS = {
    Format.CSV: [
        b'a,b,c\n1,x,2.5\n2,"y, ""z""\n",?\n3,,1e5\n',
        b"x;y\r\n1,5;a\r\n2,5;b\r\n",
        b"day,n\r2020-01-01,1\r2020-01-02,2\r",
        b"\xef\xbb\xbf1,2,3\n4,5,6\n\n7,8,9",
        b"a\tb\n1\t\xc3\xa9\n2\tNA\n",
    ],
    Format.JSONL: [
        b'{"a":1,"t":"x","o":{"k":[1,"2",null]}}\n{"a":2.5,"t":"\\u00e9"}\r\n{"a":null}\n',
        b'{"b":true}\n\n{"b":false,"at":"2020-01-01T00:00:00Z"}\n{"b":null}',
        b'\xef\xbb\xbf{"i":9007199254740993}\n{"i":5}\n{"i":-1e3}\n',
    ],
    Format.LABELLED_TEXT: [b"a\tsome text\nb\tmore \xc3\xa9\n\na\t\n", b"\xef\xbb\xbfa\tx\r\nb\ty\tz\r\n"],
    Format.LABELS: [b"__label__a some text\n__label__b more\n__label__c\n", b"__label__\xc3\xa9\tx\r\n__label__b y"],
}
PIECES = {
    Format.CSV: [b'"', b",", b";", b"\n", b"\r", b"\r\n", b"\t", b"NA", b"inf", b"nan", b"1e999", b"x", b" ", b'",'],
    Format.JSONL: [b'"', b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\\", b"1", b"NaN", b"true", b'"a":', b"\\ud800"],
    Format.LABELLED_TEXT: [b"\t", b"\n", b"\r\n", b"a", b" "],
    Format.LABELS: [b"__label__", b" ", b"\t", b"\n", b"\r\n"],
}  # fmt: skip
EVERYWHERE = [b"\0", b"\xff", b"\xc3", b"\xef\xbb\xbf", "é".encode(), b"[" * 100]


def mutated(random: random.Random, data: bytes, pieces: list[bytes]) -> bytes:
    text = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 3, 8])):
        place = random.randrange(len(text) + 1)
        match random.randrange(6):
            case 0 | 1:
                text[place:place] = random.choice(pieces)
            case 2:
                del text[place : place + random.randrange(1, 6)]
            case 3:
                text[place : place + 1] = bytes([random.randrange(256)])
            case 4:
                text[place:place] = text[: random.randrange(30)]
            case 5:
                text[place:] = text[place:][: random.randrange(40)]
    return bytes(text)


def check_lines(path: str, form: Format, size: int) -> None:
    """Rows and complaints are the same for every size of chunks, or the file is refused by name."""
    try:
        source = opened([path], form)
        whole, wrong = read(source)
    except InputError as told:
        if path not in str(told):
            raise
        return
    again, wrong_again = read(opened([path], form, size=size))
    assert again == whole
    assert wrong_again == wrong
    lines = [line for _, line, _ in whole]
    assert lines == sorted(set(lines))
    assert not set(lines) & set(wrong)


def read(source) -> tuple[list[tuple], list[int]]:
    """All rows, and the lines of the bad ones."""
    found = blocks(source)
    return [row for block in found for row in rows_in(block)], [row.line for block in found for row in block.bad]


def run_lines(form: Format, files: int, seed: int) -> None:
    source = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data")
        for _ in range(files):
            content = mutated(source, source.choice(SEEDS[form]), PIECES[form] + EVERYWHERE)
            with open(path, "wb") as file:
                file.write(content)
            try:
                check_lines(path, form, source.randrange(8, 80))
            except BaseException:
                print("this content:", content)
                raise


def run_compressed(files: int, seed: int) -> None:
    """Damaged compressed files give their text, a part of it and an error, or an error."""
    source = random.Random(seed)
    text = b"".join(b"some words %d\n" % i for i in range(200))
    wholes = [compressed(text, how) for how in ("gz", "bz2", "xz", "zst")]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data")
        for _ in range(files):
            with open(path, "wb") as file:
                file.write(mutated(source, source.choice(wholes), [b"\0", b"BZh9", b"\x1f\x8b", b"\xfd7zXZ\0"]))
            try:
                with ByteFiles([path]).opened(0) as reader:
                    while reader.read(5000):
                        pass
            except InputError as told:
                if path not in str(told):
                    raise


def parquet_files() -> list[bytes]:
    """Small files of the kinds that there are."""
    table = pa.table({"a": [1, None, 3] * 20, "t": ["x", "éy", None] * 20, "f": [0.5, 1.5, None] * 20, "l": [[1]] * 60})
    made = []
    for options in (
        {},
        {"compression": "none"},
        {"compression": "zstd", "use_dictionary": False},
        {"row_group_size": 7},
    ):
        file = io.BytesIO()
        pyarrow.parquet.write_table(table, file, **options)
        made.append(file.getvalue())
    return made


def run_parquet(files: int, seed: int) -> None:
    """Damaged Parquet files give rows or an error; each file has its own seed, so that a crash can be repeated."""
    good = parquet_files()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.parquet")
        for number in range(seed, seed + files):
            print(number, flush=True)
            source = random.Random(number)
            whole = source.choice(good)
            content = bytearray(whole)
            for _ in range(source.choice([1, 1, 2, 5])):
                # the footer, in the last kilobytes, says what all else is
                place = (
                    source.randrange(4, len(content))
                    if source.random() < 0.5
                    else -source.randrange(1, min(2000, len(content)))
                )
                content[place] = (
                    source.randrange(256) if source.random() < 0.5 else content[place] ^ (1 << source.randrange(8))
                )
            with open(path, "wb") as file:
                file.write(content if source.random() < 0.95 else content[: source.randrange(len(content))])
            try:
                rows(opened([path], Format.PARQUET, size=source.randrange(1, 100)))
            except InputError as told:
                if path not in str(told):
                    raise


if __name__ == "__main__":
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    run_parquet(int(sys.argv[1]), int(sys.argv[2]))
