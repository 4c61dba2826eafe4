"""Running one step in a child process: forked from one that has imported everything, under limits, watched."""

from __future__ import annotations

import faulthandler
import io
import os
import resource
import signal
import sys
import time
import traceback
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attack.case import MEGABYTE, Call, Command, Limits, Step

PROGRAM = "import sys; from linnet.__main__ import main; sys.argv[0] = 'linnet'; main()"
WALL = 6  # a step may take so many times its processor seconds by the clock, if it waits or the machine is busy
KEPT = 1 << 20  # bytes of output that are looked at
SPACE = 5 << 30  # address space beyond what the parent has
IMPORTED = 250 * MEGABYTE  # what the program has in memory before it does anything
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
ASKING = (signal.SIGINT, signal.SIGTERM)
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
REFUSALS = (ValueError, TypeError)  # what the Python interface documents; linnet's own errors are among them, but for:
OURS = ("LinnetError", "OutputError", "Interrupted")


@dataclass(frozen=True)
class Outcome:
    """What became of a step."""

    code: int | None  # None if a signal ended it
    signal: int | None
    sent: tuple[int, ...]
    stdout: bytes
    stderr: bytes
    seconds: float  # of the processor
    wall: float
    memory: int
    stopped_for: str  # "", "time" or "memory"
    seconds_after_signal: float = 0.0  # of the processor, from the first SIGINT or SIGTERM


def run(step: Step, folder: Path, scratch: Path) -> Outcome:
    """Run a step in the folder; what it prints goes through files in the scratch folder."""
    limits = step.limits
    if isinstance(step, Command) and step.stdin is not None:
        (scratch / "stdin").write_bytes(step.stdin)
    for name in ("stdout", "stderr"):
        (scratch / name).write_bytes(b"")
    started, inherited = time.monotonic(), max(0, _resident(os.getpid()) - IMPORTED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking a process with threads: the child begins anew
        signal.pthread_sigmask(signal.SIG_BLOCK, ASKING)  # Python drops those that come while it forks
        child = os.fork()
    if child == 0:
        _in_child(step, folder, scratch)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ASKING)
    status, usage, sent, stopped_for, memory, after = _watched(child, step, folder, started, limits, inherited)
    code = os.waitstatus_to_exitcode(status)
    return Outcome(
        code if code >= 0 else None,
        -code if code < 0 else None,
        sent,
        _kept(scratch / "stdout"),
        _kept(scratch / "stderr"),
        usage.ru_utime + usage.ru_stime,
        time.monotonic() - started,
        max(memory, usage.ru_maxrss * 1024 - inherited),
        stopped_for,
        after,
    )


def _kept(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(KEPT)


def _watched(child: int, step: Step, folder: Path, started: float, limits: Limits, inherited: int) -> tuple[Any, ...]:
    """Wait for the child; do to it what is to be done meanwhile; kill it if it takes too much.

    `inherited` is the part of its memory that is not its own.
    """
    waiting = sorted(step.meanwhile, key=lambda each: each.seconds)
    sent: list[int] = []
    stopped_for, memory, pause, at_signal = "", 0, 0.0005, None
    while True:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            after = 0.0 if at_signal is None else usage.ru_utime + usage.ru_stime - at_signal
            return status, usage, tuple(sent), stopped_for, memory, after
        passed = time.monotonic() - started
        while waiting and passed >= waiting[0].seconds:
            event = waiting.pop(0)
            if event.what.startswith("send "):
                sent.append(signal.Signals[event.what.removeprefix("send ")])
                if sent[-1] in ASKING and at_signal is None:
                    at_signal = _used(child)
            with suppress(OSError):  # it has ended, or the file is gone
                event.act(child, folder)
        memory = max(memory, _resident(child) - inherited)
        if not stopped_for and memory > limits.memory * (3 if SANITIZED else 1):
            stopped_for = "memory"
            os.kill(child, signal.SIGKILL)
        elif not stopped_for and passed > WALL * limits.seconds * (4 if SANITIZED else 1) * _waiting():
            stopped_for = "time"
            os.kill(child, signal.SIGKILL)
        if waiting:
            pause = min(pause, max(0.0, waiting[0].seconds - passed) / 2)
        time.sleep(pause)
        pause = min(0.02, max(pause, 0.0005) * 1.3)


def _used(process: int) -> float:
    """Seconds of the processor that a running process has used."""
    with suppress(OSError), open(f"/proc/{process}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS
    return 0.0


def _waiting() -> float:
    """How many times as long as usual a process takes by the clock, where more want to run than there are cores."""
    return max(1.0, os.getloadavg()[0] / len(os.sched_getaffinity(0)))


def _resident(process: int) -> int:
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


# -- in the child ----------------------------------------------------------------------------------------------------


def _in_child(step: Step, folder: Path, scratch: Path) -> None:
    code = 99
    try:
        for number in ASKING:  # before the program begins there is nothing to end
            signal.signal(number, lambda *_: os._exit(130))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ASKING)
        os.setpgid(0, 0)
        warnings.resetwarnings()  # as in a new interpreter, whatever the parent has chosen
        for unseen in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", unseen)
        _redirect(step, scratch)
        os.chdir(folder)
        _limit(step.limits)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        code = _run_command(step) if isinstance(step, Command) else _run_call(step)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except BaseException:
        code = 1
        try:
            traceback.print_exc()
            sys.stderr.flush()
        except BaseException:
            code = 98
    finally:
        os._exit(code)


def _redirect(step: Step, scratch: Path) -> None:
    source = scratch / "stdin" if isinstance(step, Command) and step.stdin is not None else Path(os.devnull)
    stdout = (isinstance(step, Command) and step.stdout) or scratch / "stdout"
    _onto(os.open(source, os.O_RDONLY), 0)
    _onto(os.open(stdout, os.O_WRONLY | os.O_APPEND), 1)
    _onto(os.open(scratch / "stderr", os.O_WRONLY | os.O_APPEND), 2)
    os.closerange(3, 64)
    if isinstance(step, Command):
        for number in (*step.closed, *((0,) if step.stdin is None else ())):
            os.close(number)
        for name, value in step.environment.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
    if not (isinstance(step, Command) and step.fresh):
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0)), encoding="utf-8")
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w")), encoding="utf-8")
        sys.stderr = io.TextIOWrapper(io.BufferedWriter(io.FileIO(2, "w")), encoding="utf-8", errors="backslashreplace")
        faulthandler.enable(file=2)


def _onto(opened: int, number: int) -> None:
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)


def _limit(limits: Limits) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds = round(limits.seconds * (8 if SANITIZED else 1)) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_size, limits.file_size))
    if limits.open_files is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limits.open_files, limits.open_files))
    if not SANITIZED:  # whose shadow memory takes terabytes of address space
        with open("/proc/self/statm", "rb") as file:
            now = int(file.read().split()[0]) * PAGE
        space = limits.address_space if limits.address_space is not None else now + SPACE
        resource.setrlimit(resource.RLIMIT_AS, (space, space))


def _run_command(command: Command) -> int:
    if command.fresh:
        os.environ["PYTHONFAULTHANDLER"] = "1"
        os.execv(sys.executable, [sys.executable, "-c", PROGRAM, *command.arguments])
    try:
        from linnet.__main__ import main

        sys.argv = ["linnet", *command.arguments]
    except KeyboardInterrupt:  # before the program began
        return 130
    try:
        main()
    except SystemExit as done:
        if done.code is None or isinstance(done.code, int):
            return done.code or 0
        print(done.code, file=sys.stderr)
        return 1
    return 0


def _run_call(call: Call) -> int:
    """0 if the call ends or is refused as documented; the result of a check is an AssertionError."""
    try:
        call.function(call.argument)
    except REFUSALS as refused:
        print(f"refused: {type(refused).__name__}: {refused}"[:2000])
    except Exception as error:
        if not any(each.__name__ in OURS for each in type(error).__mro__):
            raise
        print(f"refused: {type(error).__name__}: {error}"[:2000])
    return 0


def preload() -> None:
    """Import all of linnet, so that a forked child begins at once."""
    import gc
    import importlib
    import pkgutil

    import linnet

    for module in pkgutil.walk_packages(linnet.__path__, "linnet."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in (
        "sklearn.utils.estimator_checks",
        "pyarrow.parquet",
        "pyarrow.csv",
        "pyarrow.json",
        "scipy.sparse.linalg",
    ):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
