"""Making the files of a case smaller while the find stays: parts are taken out, from halves down to single bytes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from attack.case import Case, Command

SECONDS = 90.0


def shrunk(case: Case, still: Callable[[Case], bool], seconds: float = SECONDS) -> Case:
    """The smallest case found, in the time given, for which `still` holds."""
    until = time.monotonic() + seconds
    case = _fewer_steps(case, still)
    for name in sorted(case.files, key=lambda name: -len(case.files[name])):
        case = _smaller_file(case, name, still, until)
    for number, step in enumerate(case.steps):
        if isinstance(step, Command) and step.stdin:
            case = _smaller_stdin(case, number, step.stdin, still, until)
    return case


def _smaller_file(case: Case, name: str, still: Callable[[Case], bool], until: float) -> Case:
    without = replace(case, files={key: value for key, value in case.files.items() if key != name})
    if time.monotonic() < until and still(without):
        return without
    return _with(case, name, smaller_bytes(case.files[name], lambda content: still(_with(case, name, content)), until))


def _smaller_stdin(case: Case, number: int, stdin: bytes, still: Callable[[Case], bool], until: float) -> Case:
    smaller = smaller_bytes(stdin, lambda content: still(_with_stdin(case, number, content)), until)
    return _with_stdin(case, number, smaller)


def smaller_bytes(content: bytes, still: Callable[[bytes], bool], until: float) -> bytes:
    """Chunks are taken out one after the other; then smaller ones."""
    size = max(1, len(content) // 2)
    while size and time.monotonic() < until:
        at = 0
        while at < len(content) and time.monotonic() < until:
            without = content[:at] + content[at + size :]
            if still(without):
                content = without
            else:
                at += size
        size //= 2
    return content


def _fewer_steps(case: Case, still: Callable[[Case], bool]) -> Case:
    for number in reversed(range(len(case.steps))):
        fewer = replace(case, steps=[step for at, step in enumerate(case.steps) if at != number])
        if fewer.steps and still(fewer):
            case = fewer
    return case


def _with(case: Case, name: str, content: bytes) -> Case:
    return replace(case, files={**case.files, name: content})


def _with_stdin(case: Case, number: int, content: bytes) -> Case:
    steps = list(case.steps)
    steps[number] = replace(steps[number], stdin=content)
    return replace(case, steps=steps)
