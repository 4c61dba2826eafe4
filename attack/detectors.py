"""What counts as a find.  Each detector looks at one thing; `tests/test_attack.py` plants a fault for each."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from attack.case import Call, Case, Command, Step
from attack.process import Outcome

TRACEBACK = re.compile(
    rb"Traceback \(most recent call last\)|MarkupError|Exception ignored|Fatal Python error|"
    rb"ERROR: AddressSanitizer|runtime error:|object address  :"
)
WARNING = re.compile(rb"^\S+\.py:\d+: \w*Warning: .*$", re.MULTILINE)
OUT_OF_MEMORY = re.compile(rb"out of memory|MemoryError|Unable to allocate|malloc of size|bad_alloc|ArrowMemoryError")
COLOUR = re.compile("\x1b\\[[0-9;]*m")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")
FRAME = re.compile(rb'File "([^"]*?)([\w.]+/[\w.]+)", line (\d+)(?:,)? in (\S+)')
FILE = re.compile(rb'File "([^"]*)", line')
LAST = re.compile(
    rb"^(?:[\w.]*\.)?(\w+(?:Error|Exception|Warning|Interrupt|Exit|Cancelled|Iteration|Invalid\w*|Killed))\b.*$",
    re.MULTILINE,
)
LONGEST_ERROR = 20_000
LONGEST_STOP = 3.0  # seconds of the processor from SIGINT or SIGTERM to the end
TEMPORARY = re.compile(r"(^|/)\.linnet-[^/]*\.lock$|\.tmp$")
MAY_LEAVE = ("", ".checkpoint", ".quarantine", ".lock")

Snapshot = dict[str, tuple[str, str]]


@dataclass(frozen=True)
class Find:
    """One thing that must not be; the signature is the same for what is probably the same fault."""

    kind: str
    signature: str
    detail: str


def snapshot(folder: Path) -> Snapshot:
    """What is in a folder: by path the kind of each entry, and a digest of its content."""
    found: Snapshot = {}
    waiting = [""]  # a list, not a recursion: folders may be very deep
    while waiting:
        inside = waiting.pop()
        with os.scandir(os.path.join(folder, inside)) as entries:
            for entry in entries:
                name = os.path.join(inside, entry.name)
                if entry.is_symlink():
                    found[name] = ("link", os.readlink(entry.path))
                elif entry.is_dir():
                    waiting.append(name)
                elif entry.is_file():
                    with open(entry.path, "rb") as file:
                        found[name] = ("file", hashlib.file_digest(file, "sha256").hexdigest())
                else:
                    found[name] = ("other", "")
    return found


def of_outcome(step: Step, outcome: Outcome) -> Iterator[Find]:
    """What one process did wrong by itself."""
    for detector in (
        _time,
        _stopping,
        _memory,
        _death,
        _traceback,
        _exit_code,
        _control_characters,
        _silence,
        _flood,
        _json,
    ):
        yield from detector(step, outcome)


def _time(step: Step, outcome: Outcome) -> Iterator[Find]:
    cpu = outcome.signal in (signal.SIGXCPU,) or outcome.seconds > step.limits.seconds * (8 if _slow() else 1)
    if outcome.stopped_for == "time" or cpu:
        yield Find(
            "hang",
            f"hang {step.name} {_where(outcome.stderr)}",
            f"{outcome.seconds:.1f} s of the processor, {outcome.wall:.1f} s by the clock",
        )


def _slow() -> bool:
    from attack.process import SANITIZED

    return SANITIZED


def _stopping(step: Step, outcome: Outcome) -> Iterator[Find]:
    if outcome.seconds_after_signal > LONGEST_STOP * (8 if _slow() else 1):
        detail = f"worked on for {outcome.seconds_after_signal:.1f} s of the processor after the signal"
        yield Find("slow stop", f"slow stop {step.name}", detail)


def _memory(step: Step, outcome: Outcome) -> Iterator[Find]:
    starved = isinstance(step, Command) and step.starved
    if outcome.stopped_for == "memory" or outcome.memory > step.limits.memory * (3 if _slow() else 1):
        yield Find("memory", f"memory {step.name}", f"{outcome.memory / 1e6:,.0f} MB resident")
    elif not starved and (ran_out := OUT_OF_MEMORY.search(outcome.stderr + outcome.stdout)):
        yield Find("memory", f"memory asked {step.name}", f"ran out of memory: {ran_out[0].decode()}")


def _death(step: Step, outcome: Outcome) -> Iterator[Find]:
    if outcome.signal is None or outcome.stopped_for or outcome.signal in (*outcome.sent, signal.SIGXCPU):
        return
    name = signal.Signals(outcome.signal).name
    yield Find("signal", f"{name} {step.name} {_where(outcome.stderr)}", f"died of {name}")


def _traceback(step: Step, outcome: Outcome) -> Iterator[Find]:
    printed = outcome.stderr if not isinstance(step, Call) else outcome.stderr + outcome.stdout
    if outcome.stopped_for or outcome.signal is not None or "--debug" in getattr(step, "arguments", ()):
        return
    if TRACEBACK.search(printed) and not _before_linnet(printed):
        last = LAST.findall(printed)
        error = last[-1].decode() if last else "error"
        yield Find("traceback", f"{error} {step.name} {_where(printed)}", _tail(printed))
    elif not isinstance(step, Call) and (warned := WARNING.search(printed)):
        yield Find(
            "warning",
            f"warning {step.name} {warned[0][-80:].decode(errors='replace')}",
            warned[0].decode(errors="replace"),
        )


def _exit_code(step: Step, outcome: Outcome) -> Iterator[Find]:
    allowed = step.codes if isinstance(step, Command) else frozenset({0})
    if outcome.sent:
        allowed |= {130}
    if outcome.code is not None and outcome.code not in allowed:
        if isinstance(step, Call) and TRACEBACK.search(outcome.stderr):
            return
        yield Find("exit code", f"exit {outcome.code} {step.name}", f"exit code {outcome.code}")


def _control_characters(step: Step, outcome: Outcome) -> Iterator[Find]:
    if isinstance(step, Call):
        return
    streams = [("stderr", outcome.stderr)] + ([("stdout", outcome.stdout)] if step.human else [])
    for name, content in streams:
        if b"Traceback" in content:
            continue
        text = content.decode("utf-8", "replace")
        if isinstance(step, Command) and step.environment.get("FORCE_COLOR"):  # whatever its value: colours are wanted
            text = COLOUR.sub("", text)
        if found := CONTROL.search(text):
            around = text[max(0, found.start() - 40) : found.end() + 40]
            yield Find("control characters", f"control {step.name} {name}", f"{name}: {around!a}")


def _silence(step: Step, outcome: Outcome) -> Iterator[Find]:
    if not isinstance(step, Command) or outcome.code not in (1, 2, 3, 4, 5, 6):
        return
    if 2 in step.closed or not step.limits.file_size:  # what is said there is kept in a file
        return
    answered = outcome.code >= 5 or not step.arguments  # without a command, the help is the answer
    if not outcome.stderr.strip() and not (answered and outcome.stdout):
        detail = f"exit code {outcome.code} without a word on stderr"
        yield Find("silence", f"silent {outcome.code} {step.name}", detail)


def _flood(step: Step, outcome: Outcome) -> Iterator[Find]:
    if not isinstance(step, Command) or outcome.code not in (1, 2, 3, 4) or TRACEBACK.search(outcome.stderr):
        return
    if (size := len(outcome.stderr)) > LONGEST_ERROR:
        yield Find("flood", f"flood {step.name}", f"an error of {size:,} bytes: {outcome.stderr[:200]!a}")


def _json(step: Step, outcome: Outcome) -> Iterator[Find]:
    if not (isinstance(step, Command) and "--json" in step.arguments and outcome.code == 0 and step.stdout is None):
        return
    if 1 in step.closed or len(outcome.stdout) >= 1 << 20 or {"-h", "--help", "--version"} & set(step.arguments):
        return
    try:
        for text in outcome.stdout.decode().splitlines() if step.name == "predict" else [outcome.stdout.decode()]:
            if step.name != "predict" or text.strip():
                json.loads(text, parse_constant=_no_constant)
    except ValueError as error:
        yield Find("json", f"json {step.name}", f"--json printed what is not JSON: {error}: {outcome.stdout[:200]!a}")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def of_files(case: Case, step: Step, outcome: Outcome, before: Snapshot, after: Snapshot) -> Iterator[Find]:
    """What a step did wrong to the files around it."""
    for name, content in before.items():
        if name in case.files and name not in case.writable and name not in case.links and after.get(name) != content:
            how = "deleted" if name not in after else "changed"
            if not any("file" in each.what for each in step.meanwhile):
                yield Find("input lost", f"input {how} {step.name}", f"{name!a} was {how}")
    killed = signal.SIGKILL in outcome.sent or outcome.stopped_for or outcome.signal is not None
    allowed = _expected(step)
    for name in after:
        if killed or (name in before and (outcome.code != 0 or name in case.files)):
            continue
        if TEMPORARY.search(name):  # those of a killed run are gone after the next
            yield Find("temporary", f"temporary {step.name}", f"left behind: {name!a}")
        elif name not in before and name not in allowed and not any("file" in each.what for each in step.meanwhile):
            yield Find("stray file", f"stray {step.name}", f"made a file nobody asked for: {name!a}")


def _expected(step: Step) -> set[str]:
    """The files that a command may leave."""
    if not isinstance(step, Command):
        return set()
    given = step.arguments
    outputs = [given[i + 1] for i, each in enumerate(given[:-1]) if each in ("-o", "--output")]
    outputs += [each.partition("=")[2] for each in given if each.startswith("--output=")]
    outputs += [each[2:] for each in given if each.startswith("-o") and len(each) > 2]
    outputs = [each for each in outputs if each]
    if step.name == "train" and not outputs:
        from linnet.cli.train import default_output

        outputs = [default_output([each]) for each in given[1:]]
    if step.name == "compare":
        from linnet.comparison.results_file import costs_path, partial_path

        return {os.path.normpath(path(output)) for output in outputs for path in (str, costs_path, partial_path)}
    return {os.path.normpath(output + more) for output in outputs for more in MAY_LEAVE}


def of_models(
    loads: Callable[[str], bool], step: Step, outcome: Outcome, before: Snapshot, after: Snapshot
) -> Iterator[Find]:
    """A model that appeared or changed must load; training that succeeded must have made one."""
    if not (isinstance(step, Command) and step.name == "train"):
        return
    new = {name for name, content in after.items() if before.get(name) != content and content[0] == "file"}
    for name in new & {each for each in _expected(step) if not each.endswith((".quarantine", ".lock"))}:
        if not loads(name):
            yield Find(
                "half-written", f"half-written {step.name}", f"{name!a} does not load after exit code {outcome.code}"
            )
    if outcome.code != 0 or step.stdout is not None or {"-h", "--help", "--version"} & set(step.arguments):
        return
    if _output_is_file(step) and not any(name in after for name in _expected(step)):
        yield Find("no model", "no model after exit 0", "train exited with 0 and left no model")


def _output_is_file(step: Command) -> bool:
    return not any(each in ("-", "/dev/stdout", "/dev/null") or each.startswith("/") for each in _raw_outputs(step))


def _raw_outputs(step: Command) -> list[str]:
    given = step.arguments
    return [given[i + 1] for i, each in enumerate(given[:-1]) if each in ("-o", "--output")]


def of_bytes(case: Case, folder: Path) -> Iterator[Find]:
    """The files that must be the same."""
    for names in case.same:
        yield from _different(names, folder)


def _different(names: list[str], folder: Path) -> Iterator[Find]:
    found = {}
    for name in names:
        if (folder / name).exists():
            found[name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    missing = [name for name in names if name not in found]
    if found and missing:
        detail = f"some ways made a file and some did not: {missing}"
        yield Find("other bits", f"bits missing {_kinds(missing)}", detail)
    other = [name for name, digest in found.items() if digest != next(iter(found.values()))]
    if other:
        yield Find("other bits", f"bits {_kinds(other)}", f"differ from {next(iter(found))}: {other}")


def _kinds(names: list[str]) -> str:
    return " ".join(sorted({re.sub(r"\d+|\.linnet", "", name) for name in names}))


def _before_linnet(printed: bytes) -> bool:
    """Whether a signal came while Python itself was starting, or looking for linnet: no line of that had been run."""
    pythons_own = all(path == b"<string>" or path.startswith(b"<frozen ") for path in FILE.findall(printed))
    return printed.rstrip().endswith(b"KeyboardInterrupt") and pythons_own


def _where(printed: bytes) -> str:
    """The innermost frame of linnet in a traceback or a dump of the stack."""
    frames = FRAME.findall(printed)
    if b"most recent call first" in printed:
        frames = frames[::-1]
    ours = [
        (path, name) for before, path, _, name in frames if b"linnet" in before + path or b"attack" in before + path
    ]
    chosen = ours or [(path, name) for _, path, _, name in frames]
    return f"{chosen[-1][0].decode()}:{chosen[-1][1].decode()}" if chosen else ""


def _tail(printed: bytes, lines: int = 3) -> str:
    return "\n".join(printed.decode("utf-8", "backslashreplace").strip().splitlines()[-lines:])
