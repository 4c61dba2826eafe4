"""Open files as streams of bytes: any compression opened, any encoding as UTF-8."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from linnet.data.sources.encodings import Transcoder
from linnet.errors import InputError

HEAD = 1 << 18
DAMAGED = "{}: the compressed data are damaged or truncated ({}): fetch the file again"
MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# More than any level of xz needs; a damaged file may ask for gigabytes.
MOST_XZ_MEMORY = 1 << 28


class Reader:
    """The decompressed bytes of one open file; `consumed` is the number of bytes read from the file itself.

    A prompt reader returns what a pipe has delivered so far instead of waiting for more; `ended` is set at the end.
    """

    def __init__(self, raw: BinaryIO, path: str, *, prompt: bool = False) -> None:
        self._raw = raw
        self.path = path
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
        with read_errors(self.path):
            return taken + _read_fully(self._stream, size - len(taken))

    def fill(self, room: memoryview) -> int:
        """Fill this memory and return the number of bytes: fewer than it holds only at the end, or if prompt."""
        have = min(len(self._pushed), len(room))
        room[:have], self._pushed = self._pushed[:have], self._pushed[have:]
        with read_errors(self.path):
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
        skip_by_reading(self, offset, self.path)


def skip_by_reading(reader: Reader | DecodedReader, offset: int, path: str) -> None:
    left = offset
    while left > 0:
        taken = len(reader.read(min(left, HEAD)))
        if not taken:
            raise InputError(f"{path} is shorter than it was: it ends before byte {offset}")
        left -= taken


class DecodedReader:
    """A reader whose file is in another encoding, as UTF-8; offsets are those of the UTF-8."""

    def __init__(self, reader: Reader, encoding: str) -> None:
        self._reader = reader
        self._transcoder = Transcoder(encoding)
        self._ready = b""
        self._last = False  # whether all is decoded
        self.begun = False
        self.prompt = reader.prompt

    @property
    def consumed(self) -> int:
        return self._reader.consumed

    @property
    def ended(self) -> bool:
        return self._last and not self._ready

    def read(self, size: int) -> bytes:
        """`size` bytes, fewer only at the end."""
        while len(self._ready) < size and not self._last:
            self._more()
        taken, self._ready = self._ready[:size], self._ready[size:]
        return taken

    def fill(self, room: memoryview) -> int:
        """Fill this memory and return the number of bytes: fewer than it holds only at the end, or if prompt."""
        have = 0
        while have < len(room):
            if not self._ready:
                if self._last or (self.prompt and have):
                    break
                self._more()
                continue
            taken, self._ready = self._ready[: len(room) - have], self._ready[len(room) - have :]
            room[have : have + len(taken)] = taken
            have += len(taken)
        return have

    def _more(self) -> None:
        piece = bytearray(HEAD)
        with memoryview(piece) as room:
            have = self._reader.fill(room)
        self._last = have == 0 if self.prompt else have < len(piece)
        self._ready += self._transcoder.utf8(piece[:have], final=self._last)

    def close(self) -> None:
        self._reader.close()

    def skip_bom(self) -> int:
        """Skip the byte order mark, if there is one, and return its size."""
        first = b"" if self.prompt else self.read(len(BYTE_ORDER_MARK))
        if first == BYTE_ORDER_MARK:
            return len(first)
        self.push_back(first)
        return 0

    def push_back(self, data: bytes) -> None:
        self._ready = data + self._ready

    def skip(self, offset: int) -> None:
        """Go to a byte of the content, by reading."""
        skip_by_reading(self, offset, self._reader.path)


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
