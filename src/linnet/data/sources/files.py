"""Files as streams of bytes: paths expanded, any compression opened, reading from any offset."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from glob import glob
from typing import Any, BinaryIO

from linnet.errors import InputError

STANDARD_INPUT = "-"
HEAD = 1 << 18
SAMPLED = 1 << 16
DAMAGED = "{}: the compressed data are damaged or truncated ({}): fetch the file again"
MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# More than any level of xz needs; a damaged file may ask for gigabytes.
MOST_XZ_MEMORY = 1 << 28


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


class Reader:
    """The decompressed bytes of one open file; `consumed` is the number of bytes read from the file itself.

    A prompt reader returns what a pipe has delivered so far instead of waiting for more; `ended` is set at the end.
    """

    def __init__(self, raw: BinaryIO, path: str, *, prompt: bool = False) -> None:
        self._raw = raw
        self._path = path
        self._pushed = b""
        self.begun = False
        self.ended = False
        self.prompt = prompt
        first = raw.peek() if prompt else _read_fully(raw, max(map(len, MAGIC)))  # type: ignore[attr-defined]
        self.compression = next((name for magic, name in MAGIC.items() if first.startswith(magic)), None)
        self._source = _Rejoined(b"" if prompt else first, raw, prompt=prompt)
        self._marked = first.startswith(BYTE_ORDER_MARK)
        self._stream = _decompressed(self._source, self.compression)

    @property
    def consumed(self) -> int:
        return self._source.consumed

    def read(self, size: int) -> bytes:
        """`size` bytes, fewer only at the end."""
        taken, self._pushed = self._pushed[:size], self._pushed[size:]
        if len(taken) == size:
            return taken
        with read_errors(self._path):
            return taken + _read_fully(self._stream, size - len(taken))

    def fill(self, room: memoryview) -> int:
        """Fill this memory and return the number of bytes: fewer than it holds only at the end, or if prompt."""
        have = min(len(self._pushed), len(room))
        room[:have], self._pushed = self._pushed[:have], self._pushed[have:]
        with read_errors(self._path):
            while have < len(room) and not self.ended:
                taken = self._stream.readinto(room[have:])
                have += taken
                self.ended = taken == 0
                if self.prompt:
                    break
        return have

    def close(self) -> None:
        self._raw.close()

    def skip_bom(self) -> int:
        """Skip the byte order mark, if there is one, and return its size."""
        if self.prompt and not self._marked:  # do not wait for a third byte
            return 0
        first = self.read(len(BYTE_ORDER_MARK))
        if first == BYTE_ORDER_MARK:
            return len(first)
        self.push_back(first)
        return 0

    def push_back(self, data: bytes) -> None:
        self._pushed = data + self._pushed

    def skip(self, offset: int) -> None:
        """Go to a byte of the content: by seeking in a plain file, by reading in a compressed one."""
        if self.compression is None and self._source.seek_to(offset):
            return
        left = offset
        while left > 0:
            taken = len(self.read(min(left, HEAD)))
            if not taken:
                raise InputError(f"{self._path} is shorter than it was: it ends before byte {offset}")
            left -= taken


class _Rejoined:
    """A stream with its first bytes, read to recognise the compression, put back."""

    def __init__(self, first: bytes, rest: BinaryIO, *, prompt: bool = False) -> None:
        self._first = first
        self._rest = rest
        self._prompt = prompt
        self.consumed = 0
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        taken, self._first = (self._first, b"") if size < 0 else (self._first[:size], self._first[size:])
        if not taken:
            taken = self._rest.read(size) or b""
        self.consumed += len(taken)
        return taken

    def readinto(self, room: memoryview) -> int:
        if self._first:
            return _put(self.read(len(room)), room)
        # readinto1 would wait once the buffer is empty, even with something to give
        stream: Any = self._rest
        count: int = _put(stream.read1(len(room)), room) if self._prompt else stream.readinto(room) or 0
        self.consumed += count
        return count

    def seek_to(self, offset: int) -> bool:
        """Seek to this byte, if it is not before what was read and within the file."""
        if offset == self.consumed:
            return True
        if offset < self.consumed + len(self._first) or not self._rest.seekable():
            return False
        if offset > self._rest.seek(0, os.SEEK_END):
            return False
        self._first, self.consumed = b"", offset
        self._rest.seek(offset)
        return True

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def flush(self) -> None:
        pass

    def close(self) -> None:
        """The stream is closed where it was opened."""


def _read_fully(stream: Any, size: int) -> bytes:
    """Read until there are `size` bytes or the stream ends; one read of a pipe returns what it has."""
    data: bytes = stream.read(size) or b""
    if len(data) == size or not data:
        return data
    parts, have = [data], len(data)
    while have < size and (data := stream.read(size - have)):
        parts.append(data)
        have += len(data)
    return b"".join(parts)


def _decompressed(source: _Rejoined, compression: str | None) -> Any:
    if compression == "gzip":
        return gzip.GzipFile(fileobj=source, mode="rb")  # type: ignore[call-overload]
    if compression == "bzip2":
        return _Expanded(source, bz2.BZ2Decompressor)
    if compression == "xz":
        return _Expanded(source, lambda: lzma.LZMADecompressor(memlimit=MOST_XZ_MEMORY))
    if compression == "zstd":
        import pyarrow

        return pyarrow.CompressedInputStream(pyarrow.PythonFile(source, mode="r"), "zstd")
    return source


class _Expanded:
    """Concatenated compressed streams; trailing data, which Python's classes ignore, are an error."""

    def __init__(self, source: _Rejoined, begin: Callable[[], Any]) -> None:
        self._source = source
        self._begin = begin
        self._current = begin()
        self._waiting = b""

    def read(self, size: int) -> bytes:
        while True:
            if self._current.eof:
                self._waiting = self._current.unused_data or self._source.read(HEAD)
                if not self._waiting.strip(b"\0"):  # padding is allowed
                    return b""
                self._current = self._begin()
            if self._current.needs_input and not self._waiting:
                self._waiting = self._source.read(HEAD)
                if not self._waiting:
                    raise EOFError("the end-of-stream marker is missing")
            given, self._waiting = self._waiting, b""
            if data := self._current.decompress(given, size):
                return bytes(data)

    def readinto(self, room: memoryview) -> int:
        return _put(self.read(len(room)), room)


def _standard_input() -> Any:
    if sys.stdin is None:
        raise InputError("standard input is closed: give a file")
    return sys.stdin.buffer


def _put(data: bytes, room: memoryview) -> int:
    room[: len(data)] = data
    return len(data)


@contextmanager
def read_errors(path: str) -> Iterator[None]:
    """Turn what reading may raise into an InputError that names the file and what to do."""
    try:
        yield
    except InputError:
        raise
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise InputError(DAMAGED.format(path, error)) from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder where a file is expected") from None
    except OSError as error:
        if error.errno is None:  # raised by bzip2 and zstd
            raise InputError(DAMAGED.format(path, error)) from None
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


class ByteFiles:
    """Several files read one after the other; standard input and pipes can be read only once."""

    def __init__(self, paths: Sequence[str], *, prompt: bool = False) -> None:
        self.paths = list(paths)
        self.prompt = prompt
        self._once = frozenset(number for number, path in enumerate(self.paths) if is_stream(path))
        self._streams: dict[int, Reader] = {}

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

    @contextmanager
    def opened(self, number: int, offset: int = 0) -> Iterator[Reader]:
        """File `number`, from a byte of its decompressed content on."""
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
        with read_errors(path):
            raw = open(path, "rb", buffering=0)  # noqa: SIM115 - errors in the block are not its own
        with raw:
            with read_errors(path):
                reader = Reader(raw, path)
                reader.skip(offset)
            yield reader

    def head(self, number: int = 0, size: int = HEAD) -> bytes:
        """The first bytes of a file, decompressed; a stream returns them again."""
        if number not in self._once:
            with self.opened(number) as reader:
                return reader.read(size)
        reader = self._stream(number)
        taken = reader.read(size)
        reader.push_back(taken)
        return taken

    def _stream(self, number: int) -> Reader:
        if number not in self._streams:
            path = self.paths[number]
            with read_errors(path):
                raw = _standard_input() if path == STANDARD_INPUT else open(path, "rb")  # noqa: SIM115 - read to its end
                self._streams[number] = Reader(raw, self.name(number), prompt=self.prompt)
        return self._streams[number]

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
