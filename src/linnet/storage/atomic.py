"""Writing a file whole or not at all.

The new bytes are written to a temporary file in the same directory, synced to disk, and only then renamed.  A reader
sees the old file or the new one, also after a crash.  Only a process that is killed leaves the temporary behind: a
hidden file called .linnet-*.tmp, which is never read.  Whoever claims the same file next removes it (outputs.py).

Nothing is written through a symbolic link: it may lead to a file that its author, not the user, has chosen.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import io
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import IO, Any, BinaryIO, Literal, TextIO, overload

from linnet.errors import OutputError

BUFFERED = 1 << 16
# Called for a temporary file when it is about to be there, and when it is not there any more.
Observer = Callable[[str, bool], None]
_observers: list[Observer] = []
# An open stream is written as it is: opening it again by name would lose what was written before.
STREAMS = {
    **dict.fromkeys(("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"), "stdout"),
    **dict.fromkeys(("/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"), "stderr"),
}
OPEN_ALREADY = re.compile(r"(?:/dev|/proc/self)/fd/([0-9]{1,9})")
REMEDIES = {
    errno.ENOENT: "make the directory first",
    errno.ENOTDIR: "a part of this path is a file where a directory must be",
    errno.EISDIR: "give the name of a file in it",
    errno.ELOOP: "name the file itself, or remove the link",
    errno.EACCES: "change the permissions, or write elsewhere",
    errno.EPERM: "change the permissions, or write elsewhere",
    errno.EROFS: "write elsewhere",
    errno.ENOSPC: "free some space, or write elsewhere",
    errno.EDQUOT: "free some space, or write elsewhere",
    errno.EFBIG: "raise the limit on file sizes, or write elsewhere",
    errno.EIO: "check the disk, or write elsewhere",
    errno.EPIPE: "the program reading it has ended",
}


def observe(observer: Observer) -> None:
    """From now on this is called for temporary files: who ends the process at once must remove them."""
    if observer not in _observers:
        _observers.append(observer)


@overload
def replacing(path: str | os.PathLike[str], mode: Literal["wb"] = "wb") -> AbstractContextManager[BinaryIO]: ...
@overload
def replacing(path: str | os.PathLike[str], mode: Literal["w"]) -> AbstractContextManager[TextIO]: ...
def replacing(path: str | os.PathLike[str], mode: Literal["w", "wb"] = "wb") -> AbstractContextManager[IO[Any]]:
    """Write a file that replaces the old one when the `with` block succeeds; until then, and if it fails, that stays.

    Mode "wb" takes bytes; "w" takes text, stored as UTF-8 with newlines as given.  The new file has the permissions of
    the old one, or those the umask gives.  A symbolic link is refused.  Standard output ("-" or /dev/stdout), pipes and
    devices are written directly.

    A write that fails raises OutputError, also where the block itself swallows it.  Other exceptions of the block pass
    through unchanged.  After an OutputError about the directory the new file is in place and whole, but a power cut
    might bring back the old one.
    """
    name = os.fspath(path)
    old = old_file(name)
    return _direct(name, mode == "w") if is_direct(name, old) else _renamed(name, mode == "w", old)


def old_file(path: str) -> os.stat_result | None:
    """What has the name of an output now, if it may be replaced by a file or written to; OutputError if not."""
    with write_errors(path):
        if is_direct(path, None):
            return None
        old = _stat(path)
        if old is not None and stat.S_ISLNK(old.st_mode):
            raise OSError(errno.ELOOP, f"it is a symbolic link to {os.readlink(path)}")
        if not path or path.endswith(os.sep) or (old is not None and stat.S_ISDIR(old.st_mode)):
            raise IsADirectoryError(errno.EISDIR, "it is a folder" if path else "it has no name")
        return old


def is_direct(path: str, old: os.stat_result | None) -> bool:
    """Whether an output is written directly: standard output, a pipe or a device."""
    return path in STREAMS or bool(OPEN_ALREADY.fullmatch(path)) or (old is not None and not stat.S_ISREG(old.st_mode))


@contextmanager
def _renamed(path: str, text: bool, old: os.stat_result | None) -> Iterator[IO[Any]]:
    folder = os.path.realpath(os.path.dirname(path))  # whatever the working directory will be
    target = os.path.join(folder, os.path.basename(path))
    temporary = os.path.join(folder, f".linnet-{short_name(target)}-{secrets.token_hex(8)}.tmp")
    tell(temporary, True)
    try:
        with ExitStack() as opened:
            with write_errors(path):
                if old is not None and not os.access(target, os.W_OK):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
                directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
                opened.callback(_close, directory)
                # Nobody may open the file before it has its final permissions: its content may be private.
                mode = 0o666 if old is None else 0o600
                raw = io.FileIO(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode))
                opened.callback(_discard, raw)
                with suppress(OSError):  # a sign that it is being written, where there are locks
                    fcntl.flock(raw, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if old is not None:
                    _copy_permissions(old, raw.fileno())
            with _layers(raw, path, text) as file:
                yield file
            with write_errors(path):
                os.fsync(raw.fileno())
                raw.close()
                os.replace(temporary, target)
            with write_errors(f"the directory of {path} (the new file is in place)"):
                _sync_directory(directory)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    finally:
        tell(temporary, False)


def short_name(path: str) -> str:
    """A name for hidden files beside this one: of a fixed length, for its own may be as long as names can be."""
    return hashlib.sha256(os.fsencode(os.path.basename(path))).hexdigest()[:32]


def remove_left(path: str) -> None:
    """Remove what killed processes left when they wrote this file; what is being written is locked, and stays."""
    folder, begin = os.path.realpath(os.path.dirname(path)), f".linnet-{short_name(path)}-"
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(begin) and name.endswith(".tmp"):
                with suppress(OSError):
                    _remove_unlocked(os.path.join(folder, name))


def _remove_unlocked(path: str) -> None:
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    finally:
        os.close(file)


def tell(temporary: str, there: bool) -> None:
    """Let the observers know that a temporary file is about to be there, or is gone."""
    for observer in _observers:
        observer(temporary, there)


@contextmanager
def _direct(path: str, text: bool) -> Iterator[IO[Any]]:
    already = OPEN_ALREADY.fullmatch(path)
    with ExitStack() as opened:
        raw: Any
        with write_errors(path):
            if path in STREAMS:
                stream = getattr(sys, STREAMS[path])
                raw = getattr(stream, "buffer", None)
                if raw is None:
                    raise OSError(errno.EBADF, os.strerror(errno.EBADF))
                stream.flush()
            else:
                raw = io.FileIO(os.dup(int(already[1])) if already else os.open(path, os.O_WRONLY), "wb")
                opened.callback(_discard, raw)
                with suppress(OSError):  # a sign that it is being written, where there are locks
                    fcntl.flock(raw, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with _layers(raw, path, text) as file:
            yield file
        with write_errors(path):
            raw.flush()


class _Reporting(io.RawIOBase):
    """Writes through.  A write that fails raises OutputError; later writes are dropped."""

    def __init__(self, raw: Any, path: str) -> None:
        self.failure: OutputError | None = None
        self._raw = raw
        self._path = path

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return int(self._raw.fileno())

    def write(self, data: Any) -> int | None:
        if self.failure is not None:
            return len(data)
        try:
            with write_errors(self._path):
                written: int | None = self._raw.write(data)
                return written
        except OutputError as failure:
            self.failure = failure
            raise


@contextmanager
def _layers(raw: Any, path: str, text: bool) -> Iterator[IO[Any]]:
    """The buffer, and for text the encoder, that the block writes to."""
    reporting = _Reporting(raw, path)
    buffer = io.BufferedWriter(reporting, BUFFERED)
    file: IO[Any] = io.TextIOWrapper(buffer, encoding="utf-8", newline="") if text else buffer
    try:
        yield file
        file.close()
    except BaseException:
        with suppress(OSError):
            file.close()
        raise
    if reporting.failure is not None:
        raise reporting.failure


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None
    except ValueError as error:  # a NUL in the path
        raise OSError(errno.EINVAL, str(error)) from error


def _copy_permissions(old: os.stat_result, file: int) -> None:
    """Give the new file the old one's permissions and, as far as allowed, its owner and group."""
    mode = stat.S_IMODE(old.st_mode) & 0o777
    new = os.fstat(file)
    if new.st_gid != old.st_gid:
        try:
            os.fchown(file, -1, old.st_gid)
        except PermissionError:
            mode &= ~0o070  # the old group's permissions are not for the new one
    if new.st_uid != old.st_uid:
        with suppress(PermissionError):
            os.fchown(file, old.st_uid, -1)
    os.fchmod(file, mode)


def _sync_directory(directory: int) -> None:
    try:
        os.fsync(directory)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems cannot sync a directory
            raise


def _discard(raw: io.FileIO) -> None:
    with suppress(OSError):
        raw.close()


def _close(file: int) -> None:
    with suppress(OSError):
        os.close(file)


@contextmanager
def write_errors(path: str) -> Iterator[None]:
    """Turn what writing may raise into an OutputError that names the file and what to do."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        name = "standard output" if path == "-" else path
        reason = error.strerror or str(error)
        reason = reason[:1].lower() + reason[1:]
        failure = OutputError(f"cannot write {name}: {reason}; {REMEDIES.get(error.errno or 0, 'write elsewhere')}")
        failure.errno = error.errno
        raise failure from error
