"""What a run writes, seen to before its work begins: that it can be written, is no input, and is nobody else's.

Two runs on one output exclude each other by a lock on a hidden file beside it, called .linnet-*.lock.  The system
releases the lock when a process ends, however it ends; the next run takes over a file that a killed one left, and
removes it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress

from linnet.errors import OutputError, RecipeError
from linnet.storage.atomic import STREAMS, is_direct, old_file, remove_left, short_name, tell, write_errors

STANDARD_INPUT = "-"
# File systems that have no locks: there, runs do not exclude each other.
NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL, errno.ENOSYS)


def check_no_input(outputs: Mapping[str, str], inputs: Iterable[str]) -> None:
    """Refuse to overwrite a file that is read: whatever its name here and there, it is the file that counts.

    `outputs` are paths by what is written to them, such as "the model".
    """
    written = {identity: what for what, path in outputs.items() if (identity := _written_file(path)) is not None}
    if not written:
        return
    for path in inputs:
        if what := written.get(_read_file(path)):
            raise RecipeError(
                f"{path} is the data or the model that is read, and {what} would overwrite it: name another output (-o)"
            )


@contextmanager
def claimed(paths: Iterable[str | os.PathLike[str]]) -> Iterator[None]:
    """Check that these files can be written, and keep other runs from writing them until the block ends.

    Standard output, pipes and devices are not claimed.
    """
    with ExitStack() as held:
        for path in sorted(os.fspath(path) for path in paths):
            if not is_direct(path, old_file(path)):
                held.enter_context(_locked(path))
        yield


@contextmanager
def _locked(path: str) -> Iterator[None]:
    with write_errors(path):
        folder = os.path.realpath(os.path.dirname(path))
        if not os.path.isdir(folder):
            raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder}")
        if os.path.exists(path) and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        lock = os.path.join(folder, f".linnet-{short_name(path)}.lock")
        file = _lock_file(lock, path)
        remove_left(path)
    try:
        tell(lock, True)
        yield
    finally:
        # removed while it is locked: whoever waits for it will see that it is gone
        with suppress(OSError):
            os.unlink(lock)
        tell(lock, False)
        os.close(file)


def _lock_file(lock: str, path: str) -> int:
    """The descriptor of the locked file, which has its name still."""
    while True:
        file = _opened(lock)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            busy = OutputError(f"{path}: another run is writing it: wait until it ends, or name another output")
            busy.errno = errno.EBUSY
            raise busy from None
        except OSError as error:
            if error.errno not in NO_LOCKS:
                os.close(file)
                raise
            return file
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file), os.lstat(lock)):
                return file
        os.close(file)  # its owner removed it before we had the lock


def _opened(lock: str) -> int:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(lock, flags)  # also one that another user left: to lock it, reading is enough
    except FileNotFoundError:
        return os.open(lock, flags | os.O_CREAT, 0o644)


def _written_file(path: str) -> tuple[int, int] | None:
    """The device and number of a regular file that would be overwritten."""
    try:
        status = os.fstat(1 if STREAMS[path] == "stdout" else 2) if path in STREAMS else os.stat(path)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _read_file(path: str) -> tuple[int, int]:
    try:
        status = os.fstat(0) if path == STANDARD_INPUT else os.stat(path)
    except (OSError, ValueError):
        return (-1, -1)  # whoever reads it will report it
    return status.st_dev, status.st_ino
