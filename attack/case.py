"""A case: files, and what is done with them.  Everything about it follows from its seed and number."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What a step may use.  Time is counted in seconds of the processor: a busy machine makes no find."""

    seconds: float = 20.0
    memory: int = 1400 * MEGABYTE
    address_space: int | None = None  # None: far more than `memory`, so that the detector fires first
    file_size: int = 512 * MEGABYTE
    open_files: int | None = None


@dataclass(frozen=True)
class Meanwhile:
    """Something that happens to a running step, so many seconds after its start."""

    seconds: float
    what: str
    act: Callable[[int, Path], None]  # given the process and the case's folder


def send(number: signal.Signals, seconds: float) -> Meanwhile:
    """A signal to the running step."""
    return Meanwhile(seconds, f"send {number.name}", lambda process, _: os.kill(process, number))


@dataclass(frozen=True)
class Command:
    """One call of the program.  A fresh one starts an interpreter, which the state of the streams can hinder."""

    arguments: list[str]
    stdin: bytes | None = b""  # None: closed
    fresh: bool = False
    environment: dict[str, str | None] = field(default_factory=dict)  # None: taken away
    closed: tuple[int, ...] = ()
    stdout: str | None = None  # a file such as /dev/full in the place of what is captured
    limits: Limits = Limits()
    meanwhile: tuple[Meanwhile, ...] = ()
    codes: frozenset[int] = frozenset(range(7))
    paced: bool = False  # the moments of `meanwhile` are fractions of the first step's time
    starved: bool = False  # its limits are such that running out of memory is an answer

    @property
    def name(self) -> str:
        return next((each for each in self.arguments if not each.startswith("-")), "")

    @property
    def human(self) -> bool:
        """Whether its standard output is made for people."""
        return not {"--json", "--table"} & set(self.arguments) and "predict" not in self.arguments[:2]

    def described(self) -> str:
        notes = [f"{name}={value}" for name, value in self.environment.items()]
        notes += [f"stream {number} closed" for number in self.closed]
        notes += [f"after {each.seconds:.3f} s {each.what}" for each in self.meanwhile]
        notes += [f"stdout is {self.stdout}"] if self.stdout else []
        notes += [f"stdin has {len(self.stdin)} bytes"] if self.stdin else []
        notes += [f"limits {self.limits}"] if self.limits != Limits() else []
        shown = " ".join(map(quoted, self.arguments))
        return f"linnet {shown}" + (f"   # {'; '.join(notes)}" if notes else "")


@dataclass(frozen=True)
class Call:
    """A call of the Python interface: `function(random)`, which may raise only what is documented."""

    function: Callable[..., Any]
    argument: Any = None
    limits: Limits = Limits()
    meanwhile: tuple[Meanwhile, ...] = ()

    @property
    def name(self) -> str:
        return self.function.__name__

    def described(self) -> str:
        return f"{self.function.__module__}.{self.name}({self.argument!r})"


Step = Command | Call


@dataclass
class Case:
    """Files, by their path in a folder of their own, and the steps, run in that folder one after the other.

    A file that is there before must be there afterwards, unchanged, unless it is in `writable`.  The files in each
    list of `same` must have the same bytes in the end, or none of them may be there.
    """

    files: dict[str, bytes]
    steps: list[Step]
    writable: set[str] = field(default_factory=set)
    same: list[list[str]] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)  # symbolic links, by their path
    folders: list[str] = field(default_factory=list)  # empty ones, or those too deep to be made in one go

    def write(self, folder: Path) -> None:
        """Make the files."""
        for name in (*self.folders, *(os.path.dirname(each) for each in self.files)):
            _make_folders(folder, name)
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        for name, target in self.links.items():
            os.symlink(target, folder / name)

    def described(self) -> str:
        files = [f"  {quoted(name)}: {len(content):,} bytes" for name, content in self.files.items()]
        links = [f"  {quoted(name)} -> {quoted(target)}" for name, target in self.links.items()]
        return "\n".join([*files[:12], *links, *(f"  $ {step.described()}" for step in self.steps)])


def quoted(text: str) -> str:
    """A word for a terminal: what a shell or a screen would take amiss is escaped."""
    plain = text.isascii() and text.isprintable() and text and not set(text) & set(" \"'\\$`*?;&|<>(){}[]!#~")
    return text if plain else ascii(text)


def _make_folders(top: Path, name: str) -> None:
    """One after the other: `os.makedirs` is recursive, and some are very deep."""
    path = str(top)
    for part in filter(None, name.split("/")):
        path = f"{path}/{part}"
        if not os.path.isdir(path):
            os.mkdir(path)
