"""Files as streams of bytes: paths expanded, each read from any offset, its encoding found."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import glob
from typing import Any

from linnet.data.sources.encodings import LOOKED_AT, UTF8, marked_encoding
from linnet.data.sources.readers import BYTE_ORDER_MARK, HEAD, DecodedReader, Reader, read_errors
from linnet.errors import InputError

STANDARD_INPUT = "-"
SAMPLED = 1 << 16
SUFFIXES = (".gz", ".bz2", ".xz", ".zst")


def without_bom(data: bytes) -> bytes:
    """The beginning of a file without the byte order mark that some programs write before UTF-8."""
    return data.removeprefix(BYTE_ORDER_MARK)


def decoded(raw: bytes, charset: str = "utf-8") -> str:
    """Text in the encoding it claims; as Latin-1, in which every byte is valid, if it is not that."""
    try:
        return without_bom(raw).decode(charset)
    except (ValueError, LookupError):
        return raw.decode("latin-1")


def expand_paths(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The paths with globs expanded, in order; a folder stays a folder."""
    found: list[str] = []
    for path in [os.fspath(each) for each in paths]:
        if path == STANDARD_INPUT or os.path.exists(path):
            found.append(path)
        elif any(sign in path for sign in "*?[") and (matching := _matching(path)):
            found += matching
        else:
            raise InputError(f"{path}: there is no such file{_near(path)}")
    if found.count(STANDARD_INPUT) > 1:
        raise InputError("standard input (-) can be named only once")
    return found


def _matching(path: str) -> list[str]:
    try:
        return sorted(glob(path, recursive=True))
    except RecursionError:
        raise InputError(f"{path}: the folders are nested too deeply for **: name the folder, or the files") from None


def _near(path: str) -> str:
    from difflib import get_close_matches

    folder = os.path.dirname(path)
    try:
        near = get_close_matches(os.path.basename(path), os.listdir(folder or "."), n=1)
    except OSError:
        return f" (nor the folder {folder})"
    return f": did you mean {os.path.join(folder, near[0])}?" if near else ""


def no_rows(path: str) -> InputError:
    return InputError(f"{path}: there are no rows in it")


def is_stream(path: str) -> bool:
    """Whether this is standard input, a pipe, or anything else that can be read only once."""
    return path == STANDARD_INPUT or (os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode))


def _standard_input() -> Any:
    if sys.stdin is None:
        raise InputError("standard input is closed: give a file")
    return sys.stdin.buffer


class ByteFiles:
    """Several files read one after the other, as UTF-8; standard input and pipes can be read only once.

    `encoding` is that of all files, if it is given; `assumed` that of those which do not show theirs.
    """

    def __init__(self, paths: Sequence[str], *, prompt: bool = False, encoding: str | None = None) -> None:
        self.paths = list(paths)
        self.prompt = prompt
        self.encoding = encoding
        self.assumed = UTF8
        self._beginnings: dict[int, bytes] = {}
        self._once = frozenset(number for number, path in enumerate(self.paths) if is_stream(path))
        self._streams: dict[int, Reader | DecodedReader] = {}

    def __len__(self) -> int:
        return len(self.paths)

    def name(self, number: int) -> str:
        path = self.paths[number]
        return "standard input" if path == STANDARD_INPUT else path

    @property
    def reopenable(self) -> bool:
        return not self._once

    @property
    def size(self) -> int | None:
        """The bytes on disk of all files; None if unknown."""
        return sum(os.stat(path).st_size for path in self.paths) if self.reopenable else None

    def encoding_of(self, number: int) -> str:
        """The encoding of a file."""
        if self.encoding is not None or self.prompt:  # a prompt reader cannot wait for more to look at
            return self.encoding or UTF8
        return marked_encoding(self.beginning(number)) or self.assumed

    def beginning(self, number: int) -> bytes:
        """The first bytes of a file, decompressed, as they are; none of a prompt stream, which is not waited for."""
        if number not in self._beginnings:
            self.head(number, 1)
        return self._beginnings[number]

    def _decoded(self, number: int, reader: Reader) -> Reader | DecodedReader:
        """A reader that is at the beginning of its file, as UTF-8."""
        if number not in self._beginnings:
            self._beginnings[number] = b"" if self.prompt else reader.read(LOOKED_AT)
            reader.push_back(self._beginnings[number])
        encoding = self.encoding_of(number)
        return reader if encoding == UTF8 else DecodedReader(reader, encoding)

    @contextmanager
    def opened(self, number: int, offset: int = 0) -> Iterator[Reader | DecodedReader]:
        """File `number`, from a byte of its decompressed content on, as UTF-8."""
        if number in self._once:
            reader = self._stream(number)
            if reader.begun:
                raise InputError(f"{self.name(number)} can be read only once: save it to a file first")
            reader.begun = True
            try:
                yield reader
            finally:
                if self.paths[number] != STANDARD_INPUT:  # not ours to close
                    reader.close()
            return
        path = self.paths[number]
        if offset:
            self.beginning(number)  # which shows the encoding
        with read_errors(path):
            raw = open(path, "rb", buffering=0)  # noqa: SIM115 - errors in the block are not its own
        with raw:
            with read_errors(path):
                decoded = self._decoded(number, Reader(raw, path))
                decoded.skip(offset)
            yield decoded

    def head(self, number: int = 0, size: int = HEAD) -> bytes:
        """The first bytes of a file, decompressed, as UTF-8; a stream returns them again."""
        if number not in self._once:
            with self.opened(number) as reader:
                return reader.read(size)
        reader = self._stream(number)
        taken = reader.read(size)
        reader.push_back(taken)
        return taken

    def _stream(self, number: int) -> Reader | DecodedReader:
        if number not in self._streams:
            path = self.paths[number]
            with read_errors(path):
                raw = _standard_input() if path == STANDARD_INPUT else open(path, "rb")  # noqa: SIM115 - read to its end
                self._streams[number] = self._decoded(number, Reader(raw, self.name(number), prompt=self.prompt))
        reader = self._streams[number]
        if isinstance(reader, Reader) and self.encoding_of(number) != UTF8:  # as was found meanwhile
            reader = self._streams[number] = DecodedReader(reader, self.encoding_of(number))
        return reader

    def fingerprint(self) -> list[dict[str, Any]]:
        """What identifies the content of these files: sizes, modification times, and hashes of both ends."""
        if self._once:
            name = self.name(min(self._once))
            raise InputError(f"{name} cannot be read again, so training on it cannot be resumed: use a file")
        return [fingerprint(path) for path in self.paths]


def fingerprint(path: str) -> dict[str, Any]:
    """A file's size, modification time, and a hash of its first and last bytes."""
    with read_errors(path), open(path, "rb") as file:
        status = os.fstat(file.fileno())
        digest = hashlib.sha256(file.read(SAMPLED))
        file.seek(max(0, status.st_size - SAMPLED))
        digest.update(file.read(SAMPLED))
    return {"size": status.st_size, "changed": status.st_mtime_ns, "ends": digest.hexdigest()}
