"""A source as a stream of prepared blocks: read, parsed and sifted ahead by threads, handed on in order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

import numpy as np

from linnet.data.on_error import OnError
from linnet.data.sources.block import BadRow, Block, Position
from linnet.data.sources.source import Source

# So many blocks beyond one a thread may wait to be taken: enough to keep threads busy, few enough to stay small.
AHEAD = 2
FIRST_SHOWN = 5


@dataclass
class Rejected:
    """The rows that were left out: how many, the first of them, and where all are kept if they are."""

    policy: OnError = OnError.FAIL
    count: int = 0
    first: list[str] = field(default_factory=list)
    quarantine: BinaryIO | None = None

    def take(self, bad: BadRow) -> None:
        if self.policy is OnError.FAIL:
            raise bad.error()
        self.count += 1
        if len(self.first) < FIRST_SHOWN:
            self.first.append(str(bad))
        if self.quarantine is not None:
            self.quarantine.write(bad.raw.rstrip(b"\r\n") + b"\n")


@dataclass(frozen=True, eq=False)
class Prepared:
    """A block, and what could be worked out from it alone; nothing for a block without rows."""

    block: Block
    work: Any


# Of the rows of a block, those that cannot be used, each with the reason.
Check = Callable[[Block], Mapping[int, str]]


def _all_usable(_: Block) -> Mapping[int, str]:
    return {}


def prepared_blocks(
    source: Source,
    start: Position,
    prepare: Callable[[Block], Any],
    rejected: Rejected,
    threads: int,
    check: Check = _all_usable,
) -> Iterator[Prepared]:
    """Blocks in order, each parsed, sifted and prepared by one of the threads while earlier ones are used."""

    def made(chunk: Any) -> Prepared:
        block = sifted(source.parse(chunk), check)
        return Prepared(block, prepare(block) if block.rows else None)

    chunks = source.chunks(start)
    try:
        for each in _in_order(made, chunks, threads):
            for bad in each.block.bad:
                rejected.take(bad)
            yield each
    finally:
        if hasattr(chunks, "close"):
            chunks.close()


def sifted(block: Block, check: Check) -> Block:
    """The block without the rows that fail the check; they are among its bad ones, in the order of their lines."""
    reasons = check(block) if block.rows else {}
    if not reasons:
        return block
    hint = "(--on-error skip leaves such rows out)"
    bad = [block.refused(row, f"{reason} {hint}") for row, reason in sorted(reasons.items())]
    which = np.ones(block.rows, dtype=bool)
    which[list(reasons)] = False
    return replace(block.keep(which), bad=tuple(sorted([*block.bad, *bad], key=lambda each: each.line)))


def _in_order(made: Callable[[Any], Prepared], chunks: Iterator[Any], threads: int) -> Iterator[Prepared]:
    """made(chunk) for each chunk; what goes wrong is raised when its turn comes, so that it never depends on timing."""
    reading = threading.Lock()
    handed_out = 0

    def next_block() -> tuple[int, Prepared | Exception | None]:
        nonlocal handed_out
        with reading:  # chunks are read one after the other, whoever does it
            number = handed_out
            handed_out += 1
            try:
                chunk = next(chunks, None)
            except Exception as error:
                return number, error
        try:
            return number, None if chunk is None else made(chunk)
        except Exception as error:
            return number, error

    threads = max(1, threads)
    with ThreadPoolExecutor(threads, thread_name_prefix="linnet-read") as pool:
        pending: set[Future[tuple[int, Prepared | Exception | None]]] = {
            pool.submit(next_block) for _ in range(threads + AHEAD)
        }
        ready: dict[int, Prepared | Exception | None] = {}
        wanted = 0
        try:
            while True:
                while wanted not in ready:
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    ready |= dict(future.result() for future in done)
                block = ready.pop(wanted)
                if isinstance(block, Exception):
                    raise block
                if block is None:
                    return
                wanted += 1
                pending.add(pool.submit(next_block))
                yield block
        finally:
            for future in pending:
                future.cancel()
