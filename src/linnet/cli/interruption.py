"""Ctrl-C and SIGTERM end a command within a second, whatever it is doing, with one line.

A command ends by an exception at once, or, where it can save its work (`graceful`), at its next safe point. If it has
not ended after `PATIENCE`, or at a second signal, a thread that does not need the interpreter ends the process
(kernels/interruption.py).
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

from linnet.kernels import interruption as kernel

SIGNALS = (signal.SIGINT, signal.SIGTERM)
PATIENCE = 600  # milliseconds
EXIT_CODE = 130
RESUME = "run the same command with --resume to continue"

_watching = False
_graceful = False
_raised = False
_done = False


class Stopped(BaseException):
    """A signal has asked for the end; no command line library is to make anything else of it."""


def was_asked() -> bool:
    """Whether a signal has asked for the end."""
    return bool(kernel.was_asked())  # type: ignore[no-untyped-call]


def last_words(text: str) -> None:
    """What is printed if the command does not end by itself."""
    kernel.last_words(f"linnet: {text}\n".encode(errors="replace"))


def _handle(_: int, __: FrameType | None) -> None:
    """Raise once: what follows a first signal must not be cut short by another, which ends the process anyway."""
    global _raised
    if not _graceful and not _raised:
        _raised = True
        raise Stopped


def _unraisable(ignored: Any) -> None:
    """What Python prints of an exception where it cannot be raised, in a destructor: not of ours, for the watch ends
    the process in time."""
    if not isinstance(ignored.exc_value, Stopped):
        sys.__unraisablehook__(ignored)


@contextmanager
def watched() -> Iterator[None]:
    """Within, SIGINT and SIGTERM end the process in time; a watch within another changes nothing."""
    global _watching, _raised
    if _watching or threading.current_thread() is not threading.main_thread():
        yield
        return
    _watching, _raised = True, False
    kernel.restart()  # type: ignore[no-untyped-call]
    last_words("stopped")
    read, write = os.pipe()
    os.set_blocking(write, False)
    hook, sys.unraisablehook = sys.unraisablehook, _unraisable
    wakeup = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    before = {
        number: signal.signal(number, _handle) for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN
    }
    thread = threading.Thread(target=kernel.watch, args=(read, PATIENCE, EXIT_CODE), name="linnet-signals", daemon=True)
    thread.start()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if _done else handler)
        signal.set_wakeup_fd(wakeup)
        sys.unraisablehook = hook
        os.write(write, b"\0")
        thread.join()
        os.close(read)
        os.close(write)
        _watching = False


@contextmanager
def graceful(words: str) -> Iterator[Callable[[], bool]]:
    """Within, a signal only asks to stop: yields what says whether it has. `words` if that is not done in time."""
    global _graceful
    last_words(words)
    _graceful = True
    try:
        yield was_asked
    finally:
        _graceful = False
        last_words("stopped")


@contextmanager
def saving(path: str) -> Iterator[None]:
    """A checkpoint is written within, which is not to be cut short."""
    kernel.hold(1)
    try:
        yield
        last_words(f"stopped; the checkpoint is {path}: {RESUME}")
    finally:
        kernel.hold(-1)


def unfinished(path: str, there: bool) -> None:
    """A temporary file is there, and is to be removed if the process ends; or is not there any more."""
    (kernel.remove_at_end if there else kernel.keep)(os.fsencode(path))


def done() -> None:
    """The work is done: a signal that comes now changes nothing about it, nor about the exit code."""
    global _done
    _done = True
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def end(words: str = "") -> NoReturn:
    """End the process now: no thread is waited for."""
    if words and sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(f"linnet: {words}", file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # closed, or gone
            stream.flush()
    os._exit(EXIT_CODE)
