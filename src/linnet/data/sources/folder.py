"""A folder with one folder of texts or mails for each class: each file is a row, its folder's name the label."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linnet.data.on_error import BadRow
from linnet.data.sources.block import Block, Position, Strings
from linnet.data.sources.chunks import CHUNK
from linnet.data.sources.files import STANDARD_INPUT, decoded, no_rows
from linnet.data.sources.labelled import TARGET, TEXT
from linnet.data.sources.lines import NUL
from linnet.data.sources.readers import Reader, read_errors
from linnet.data.sources.sampling import first_rows
from linnet.errors import InputError
from linnet.kernels.content_hash import content_hash

LARGEST = 1 << 26
HEADER = re.compile(rb"\A(From |[A-Za-z][A-Za-z0-9-]*:[ \t])")
MAIL_HEADERS = re.compile(rb"^(from|to|subject|date|received|message-id|return-path):", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Files:
    """Some of the files, with their contents, and the position after them."""

    paths: list[str]
    contents: list[bytes] = field(repr=False)
    after: Position


class Folder:
    """Columns `file`, `label` and `text`; a position is the number of the next file, in order of their paths."""

    format = "folder"
    reopenable = True

    def __init__(self, folder: str, *, chunk_size: int | None = None) -> None:
        self.folder = folder
        self._chunk_size = chunk_size or CHUNK
        with read_errors(folder):
            labels = sorted(each.name for each in os.scandir(folder) if each.is_dir() and each.name[0] != ".")
            classes = [
                [os.path.join(folder, label, *inner) for inner in sorted(_inside(folder, label))] for label in labels
            ]
        self.files = _interleaved(classes)
        if not self.files:
            raise InputError(f"{folder}: a folder of texts must contain one folder of files for each class")

    @property
    def size(self) -> int | None:
        return sum(os.stat(path).st_size for path in self.files)

    @property
    def paths(self) -> list[str]:
        return self.files

    def fingerprint(self) -> list[dict[str, Any]]:
        digest = hashlib.sha256()
        for path in self.files:
            status = os.stat(path)
            digest.update(os.fsencode(os.path.relpath(path, self.folder)))
            digest.update(f"\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
        return [{"files": len(self.files), "digest": digest.hexdigest()}]

    def hashed_again(self, before: Position) -> Iterator[bytes]:
        seen = b""
        for path in self.files[: before.offset]:
            seen = content_hash(seen, _content(path))
            yield seen
        yield seen

    def sample(self) -> Block:
        """The first rows; their columns and roles are known, and only whether there are any is not."""
        return first_rows(map(self.parse, self.chunks(Position())))

    def chunks(self, start: Position) -> Iterator[Files]:
        paths: list[str] = []
        contents: list[bytes] = []
        seen, size = start.seen, 0
        for number in range(start.offset, len(self.files)):
            size += _size(self.files[number])
            paths.append(self.files[number])
            contents.append(_content(paths[-1]))
            seen = None if seen is None else content_hash(seen, contents[-1])
            if size >= self._chunk_size or number + 1 == len(self.files):
                yield Files(paths, contents, Position(0, number + 1, seen=seen))
                paths, contents, size = [], [], 0

    def parse(self, chunk: Files) -> Block:
        names: list[str] = []
        texts: list[str] = []
        bad: list[BadRow] = []
        bad_before: list[int] = []
        read = 0
        for path, raw in zip(chunk.paths, chunk.contents, strict=True):
            read += len(raw)
            if b"\0" in raw:
                line = raw.count(b"\n", 0, raw.index(b"\0")) + 1
                bad.append(BadRow(path, line, None, NUL, os.fsencode(path)))
                bad_before.append(len(names))
                continue
            names.append(os.fsencode(self._name(path)).decode(errors="replace"))
            texts.append(_read_mail(raw) if _is_mail(raw) else decoded(raw))
        columns = {"file": Strings.of(names), TEXT: Strings.of(texts)} | self._labels(names)
        lines = np.ones(len(names), dtype=np.int64)
        return Block(
            self.folder or chunk.paths[0],
            len(names),
            chunk.after,
            read,
            columns,
            lines=lines,
            bad=tuple(bad),
            bad_before=tuple(bad_before),
        )

    def _name(self, path: str) -> str:
        """What identifies a file."""
        return os.path.relpath(path, self.folder)

    def _labels(self, names: list[str]) -> dict[str, Strings]:
        return {TARGET: Strings.of([name.split(os.sep)[0] for name in names])}


class TextFiles(Folder):
    """Files of one text or mail each, without labels, in the order they are given; - is standard input."""

    format = "texts"

    def __init__(self, files: list[str], folder: str = "", *, chunk_size: int | None = None) -> None:
        self.folder, self.files = folder, files
        self._chunk_size = chunk_size or CHUNK

    @classmethod
    def inside(cls, folder: str) -> TextFiles:
        """All files of a folder and the folders in it, by path."""
        with read_errors(folder):
            files = [os.path.join(folder, *inner) for inner in sorted(_inside(folder))]
        if not files:
            raise no_rows(folder)
        return cls(files, folder)

    @property
    def reopenable(self) -> bool:  # type: ignore[override]
        return STANDARD_INPUT not in self.files

    @property
    def size(self) -> int | None:
        return sum(map(_size, self.files)) if self.reopenable else None

    def _name(self, path: str) -> str:
        return os.path.relpath(path, self.folder) if self.folder else path

    def _labels(self, _: list[str]) -> dict[str, Strings]:
        return {}


def _size(path: str) -> int:
    return 0 if path == STANDARD_INPUT else os.stat(path).st_size


def _inside(*folder: str) -> Iterator[tuple[str, ...]]:
    """The files below a folder, as path parts, without hidden files and links to folders, which may be cyclic."""
    waiting: list[tuple[str, ...]] = [()]  # folders may be nested deeper than calls can be
    while waiting:
        parts = waiting.pop()
        for entry in os.scandir(os.path.join(*folder, *parts)):
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append((*parts, entry.name))
            elif entry.is_file():
                yield (*parts, entry.name)


def _interleaved(classes: list[list[str]]) -> list[str]:
    """Files of all classes mixed evenly, because an online learner must not see one class after the other.

    File k of the n in its class is placed at the fraction (k + 1/2) / n of the order.
    """
    order = [((k + 0.5) / len(each), path) for each in classes for k, path in enumerate(each)]
    return [path for _, path in sorted(order)]


def _content(path: str) -> bytes:
    with read_errors(path), open(0 if path == STANDARD_INPUT else path, "rb", closefd=path != STANDARD_INPUT) as raw:
        content = Reader(raw, path).read(LARGEST + 1)
    if len(content) > LARGEST:
        raise InputError(f"{path}: a text of more than {LARGEST >> 20} MiB")
    return content


def _is_mail(raw: bytes) -> bool:
    head = raw.partition(b"\n\n")[0] if b"\n\n" in raw else raw.partition(b"\r\n\r\n")[0]
    return bool(HEADER.match(raw)) and len(MAIL_HEADERS.findall(head[:20000])) >= 2


def _read_mail(raw: bytes) -> str:
    from linnet.data.sources.mail import mail_text  # slow to load, and rarely needed

    return mail_text(raw)
