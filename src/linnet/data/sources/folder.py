"""A folder with one folder of texts or mails per class: each file a row, its folder's name the label."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.data.sources.block import BadRow, Block, Position, Strings
from linnet.data.sources.files import Reader, decoded, told
from linnet.data.sources.labelled import TARGET, TEXT
from linnet.data.sources.lines import NUL
from linnet.errors import InputError

TOGETHER = 1 << 20
LARGEST = 1 << 26
HEADER = re.compile(rb"\A(From |[A-Za-z][A-Za-z0-9-]*:[ \t])")
MAIL_HEADERS = re.compile(rb"^(from|to|subject|date|received|message-id|return-path):", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Files:
    """Some of the files, by number."""

    first: int
    stop: int


class Folder:
    """Columns `file`, `label` and `text`; a position is the number of the next file, in order of their paths."""

    format = "folder"
    reopenable = True

    def __init__(self, folder: str) -> None:
        self.folder = folder
        with told(folder):
            labels = sorted(each.name for each in os.scandir(folder) if each.is_dir() and each.name[0] != ".")
            classes = [
                [os.path.join(folder, label, *inner) for inner in sorted(_inside(folder, label))] for label in labels
            ]
        self.files = _dealt(classes)
        if not self.files:
            raise InputError(f"{folder}: a folder of texts needs one folder inside it for each class, with files")

    @property
    def size(self) -> int | None:
        return sum(os.stat(path).st_size for path in self.files)

    def fingerprint(self) -> list[dict[str, Any]]:
        digest = hashlib.sha256()
        for path in self.files:
            status = os.stat(path)
            digest.update(f"{os.path.relpath(path, self.folder)}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
        return [{"files": len(self.files), "digest": digest.hexdigest()}]

    def sample(self) -> Block:
        return self.parse(next(self.chunks(Position())))

    def chunks(self, start: Position) -> Iterator[Files]:
        first, size = start.offset, 0
        for number in range(start.offset, len(self.files)):
            size += os.stat(self.files[number]).st_size
            if size >= TOGETHER or number + 1 == len(self.files):
                yield Files(first, number + 1)
                first, size = number + 1, 0

    def parse(self, chunk: Files) -> Block:
        names: list[str] = []
        texts: list[str] = []
        bad: list[BadRow] = []
        read = 0
        for path in self.files[chunk.first : chunk.stop]:
            raw = _content(path)
            read += len(raw)
            if b"\0" in raw:
                line = raw.count(b"\n", 0, raw.index(b"\0")) + 1
                bad.append(BadRow(path, line, None, NUL, os.fsencode(path)))
                continue
            name = os.fsencode(os.path.relpath(path, self.folder)).decode(errors="replace")
            names.append(name)
            texts.append(_read_mail(raw) if _is_mail(raw) else decoded(raw))
        labels = [name.split(os.sep)[0] for name in names]
        columns = {"file": Strings.of(names), TARGET: Strings.of(labels), TEXT: Strings.of(texts)}
        lines = np.ones(len(names), dtype=np.int64)
        return Block(self.folder, len(names), Position(0, chunk.stop), read, columns, lines=lines, bad=tuple(bad))


def _inside(*folder: str) -> Iterator[tuple[str, ...]]:
    """The files below a folder, as path parts; hidden ones are left out, and links to folders, which may go round."""
    for entry in os.scandir(os.path.join(*folder)):
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from ((entry.name, *rest) for rest in _inside(*folder, entry.name))
        elif entry.is_file():
            yield (entry.name,)


def _dealt(classes: list[list[str]]) -> list[str]:
    """Files of all classes mixed evenly, for a learner should not see one class after the other.

    The k-th of n in its class stands at k / n.
    """
    places = [((k + 0.5) / len(each), path) for each in classes for k, path in enumerate(each)]
    return [path for _, path in sorted(places)]


def _content(path: str) -> bytes:
    with told(path), open(path, "rb") as raw:
        content = Reader(raw, path).read(LARGEST + 1)
    if len(content) > LARGEST:
        raise InputError(f"{path}: a text of more than {LARGEST >> 20} MiB")
    return content


def _is_mail(raw: bytes) -> bool:
    head = raw.partition(b"\n\n")[0] if b"\n\n" in raw else raw.partition(b"\r\n\r\n")[0]
    return bool(HEADER.match(raw)) and len(MAIL_HEADERS.findall(head[:20000])) >= 2


def _read_mail(raw: bytes) -> str:
    from linnet.data.sources.mail import mail_text  # slow to load, and most sources hold no mail

    return mail_text(raw)
