"""How the program ends, whatever happens: an error is a line or two, and an exit code."""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from contextlib import suppress

from linnet.cli.terminal import visible, visible_lines
from linnet.cores import cores
from linnet.errors import (
    CertificateError,
    ExpressionError,
    InputError,
    Interrupted,
    LinnetError,
    ModelFileError,
    RecipeError,
)
from linnet.storage.atomic import write_errors

DONE, FAILED, WRONG_USAGE, BAD_INPUT, BAD_MODEL, NOT_PROVEN, UNDECIDED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 130
DEBUG = "LINNET_DEBUG"
# Bytes of a message at most: it may quote a path (4,096 bytes), but not a label of a megabyte.
LONGEST = 8192
# Address space that the libraries take as they are loaded, and for each core.  OpenBLAS, of which NumPy and SciPy have
# a copy each, asks for its buffers again and again, for ever, where there is no room for them.
SPACE, SPACE_A_CORE = 512 << 20, 64 << 20
REMEDIES = {
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
    errno.ENFILE: "raise the limit on open files (ulimit -n)",
    errno.ENOMEM: "free some memory, or raise the limit on it (ulimit -v)",
}


def usable_streams() -> None:
    """Stand-ins for closed streams: no file may get the number of one, and what is printed has to go somewhere.

    What is printed to a closed standard output is an error, as if it were full; to a closed standard error, it is lost.
    """
    for number, flags in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # the lowest free number, which is this one
    if sys.stdout is None:
        closed = io.FileIO(os.open(os.devnull, os.O_RDONLY), "wb")
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(closed), encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - until the program ends
    for name in ("COLUMNS", "LINES", "TERMINAL_WIDTH"):  # no size of a terminal: nothing would be printed, or an error
        if not os.environ.get(name, "1").isdecimal() or int(os.environ.get(name, "1")[:9]) < 1:
            del os.environ[name]
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError, OSError):
            # an encoding may lack some of the signs
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def check_address_space() -> None:
    """Raise where a limit leaves less address space than the libraries take before there is any data."""
    import resource

    limit, needed = resource.getrlimit(resource.RLIMIT_AS)[0], SPACE + SPACE_A_CORE * cores()
    if limit != resource.RLIM_INFINITY and limit < needed:
        raise OSError(
            errno.ENOMEM, f"a limit of {limit >> 20} MiB of address space, and {needed >> 20} MiB are needed to start"
        )


def flushed(code: int) -> int:
    """The exit code, after all that was printed is out; 1 if it could not be."""
    try:
        with write_errors("-"):
            sys.stdout.flush()
    except OSError as error:
        code = code or ended_by(error)
        # what is left cannot be written: Python must not try again when it ends
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def ended_by(error: BaseException) -> int:
    """Report an error on standard error, and return the exit code."""
    if isinstance(error, OSError) and error.errno == errno.EPIPE:  # the reader of our output has had enough
        return DONE
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    try:
        if os.environ.get(DEBUG, "0") not in ("", "0"):
            print(visible_lines("".join(traceback.format_exception(error))), file=sys.stderr, end="")
        else:
            error.__traceback__ = None  # and with it what its frames hold: printing needs some memory, too
        print(f"linnet: {_cut(described(error))}", file=sys.stderr, flush=True)
    except MemoryError:
        with suppress(OSError):
            os.write(2, b"linnet: out of memory\n")
    except OSError:
        pass  # there is nowhere to report it
    return _exit_code(error)


def _cut(text: str) -> str:
    """A message that quotes a long name, without the middle: what happened stands first, what to do last."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    data = text.encode(encoding, "backslashreplace")
    if len(data) <= LONGEST:
        return text
    first, last = (part.decode(encoding, "ignore") for part in (data[: LONGEST // 2], data[-LONGEST // 2 :]))
    return f"{first} ... {last}"


def described(error: BaseException) -> str:
    """What went wrong, in a line; in several only where they are ours."""
    if isinstance(error, ExpressionError):
        return visible_lines(str(error))
    if isinstance(error, LinnetError):
        return visible(str(error))
    said = visible((str(error).splitlines() or [""])[0][:500])
    if isinstance(error, MemoryError):
        return f"out of memory{f' ({said})' if said else ''}: allow it more, or give it less data at a time"
    if isinstance(error, OSError):
        where = f"{visible(os.fsdecode(error.filename))}: " if isinstance(error.filename, str | bytes) else ""
        remedy = f"; {REMEDIES[error.errno]}" if error.errno in REMEDIES else ""
        what = error.strerror or said
        return f"{where}{what[:1].lower()}{what[1:]}{remedy}"
    if isinstance(error, RuntimeError) and "start new thread" in said:
        return "cannot start another thread: raise the limit on memory or processes, or use --threads 1"
    if isinstance(error, ImportError):
        return f"cannot be loaded: {said}"
    return f"internal error: {type(error).__name__}: {said} (with {DEBUG}=1 in the environment, a traceback is printed)"


def _exit_code(error: BaseException) -> int:
    for kind, code in (
        (Interrupted, INTERRUPTED),
        (RecipeError, WRONG_USAGE),
        (ModelFileError, BAD_MODEL),
        (CertificateError, NOT_PROVEN),
        (InputError, BAD_INPUT),
    ):
        if isinstance(error, kind):
            return code
    return FAILED
