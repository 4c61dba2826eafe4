"""Rows that cannot be used: what is wrong with each, and what happens to them.

A light module: `linnet --help` must not load NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from linnet.data.findings import Findings
from linnet.errors import InputError, option
from linnet.storage.quarantine import Quarantine

FIRST_SHOWN = 5
MOST_NOTES = 100
# So many rows that cannot be read, and more than those that can, are of another format: to list them would take long.
MOST_UNREAD = 1_000_000


class OnError(StrEnum):
    """Stop at the first bad row, skip bad rows, or write them to a quarantine file."""

    FAIL = "fail"
    SKIP = "skip"
    QUARANTINE = "quarantine"


@dataclass(frozen=True, slots=True)  # there may be very many
class BadRow:
    """A row that cannot be used: where it is (column in bytes, from 1), the reason, and its own bytes.

    Where a whole file is a row, its bytes are those of its path.
    """

    path: str
    line: int
    column: int | None
    reason: str
    raw: bytes = field(default=b"", repr=False)
    # where the records of its block begin, for the order of rows that share a line
    offset: int | None = field(default=None, repr=False, compare=False)
    # what ends it in a file of such rows: of sentences of several lines, a blank line
    end: bytes = field(default=b"\n", repr=False, compare=False)

    def __str__(self) -> str:
        where = [self.path, str(self.line)] + ([str(self.column)] if self.column else [])
        return f"{':'.join(where)}: {self.reason}"

    def error(self) -> InputError:
        return InputError(str(self))


@dataclass(frozen=True)
class Note:
    """How rows were read where that is not plain from the data: what is the matter, in how many rows, and in which
    first (as file:line)."""

    what: str
    rows: int
    first: str

    def __str__(self) -> str:
        where = f", first {self.first}" if self.first else ""
        return f"{self.what}: {self.rows:,} {'row' if self.rows == 1 else 'rows'}{where}"


@dataclass
class BadRows:
    """The bad rows of a run: their number, the first of them, and the file that all are written to, if any.

    Also the notes on rows that were used, by what they say; `findings` are of their values.
    """

    policy: OnError = OnError.FAIL
    count: int = 0
    used: int = 0  # rows that are not bad
    first: list[str] = field(default_factory=list)
    quarantine: Quarantine | None = None
    notes: dict[str, Note] = field(default_factory=dict)
    findings: Findings = field(default_factory=Findings)

    def note(self, note: Note) -> None:
        """Count the rows of a note; of very many different ones, the first."""
        known = self.notes.get(note.what)
        if known is not None:
            self.notes[note.what] = replace(known, rows=known.rows + note.rows)
        elif len(self.notes) < MOST_NOTES:
            self.notes[note.what] = note

    def add(self, bad: BadRow) -> None:
        """Count, keep and write the row as the policy has it; raise its error if the policy is to fail."""
        if self.policy is OnError.FAIL:
            raise bad.error()
        self.count += 1
        self.findings.unread_rows = self.count
        if len(self.first) < FIRST_SHOWN:
            self.first.append(str(bad))
        if self.quarantine is not None:
            self.quarantine.write(bad.raw.rstrip(b"\r\n") + bad.end)

    def add_block(self, bad: Iterable[BadRow], rows: int) -> None:
        """Add the bad rows of a block, which has so many others; raise where most of very many are bad."""
        for each in bad:
            self.add(each)
        self.used += rows
        if self.count > MOST_UNREAD and self.count > self.used:
            raise InputError(
                f"{self.count:,} rows cannot be read, and only {self.used:,} can: is this the right format "
                f"({option('format')})? The first: {self.first[0] if self.first else 'not known'}"
            )
