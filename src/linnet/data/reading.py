"""A source as a stream of prepared blocks: read and parsed ahead by threads, yielded in order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from linnet.data.on_error import BadRows, OnError
from linnet.data.sources.block import Block, Position
from linnet.data.sources.source import Source
from linnet.errors import option

# Blocks that may wait beyond one per thread: enough to keep threads busy, few enough to keep memory small.
AHEAD = 2

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class PreparedBlock:
    """A block, and what `prepare` made of it; None for a block without rows."""

    block: Block
    prepared: Any


# The rows of a block that are not used, each with the reason; one without is left out without a word.
Check = Callable[[Block], Mapping[int, str | None]]


def _all_usable(_: Block) -> Mapping[int, str | None]:
    return {}


# Where a block is to be cut: the rows before which a part begins.
Cuts = Callable[[Block], Sequence[int]]


def _whole(_: Block) -> Sequence[int]:
    return ()


def prepared_blocks(
    source: Source,
    start: Position,
    prepare: Callable[[Block], Any],
    bad_rows: BadRows,
    threads: int,
    check: Check = _all_usable,
    cuts: Cuts = _whole,
) -> Iterator[PreparedBlock]:
    """Blocks in order, each parsed, checked and prepared by one of the threads while earlier ones are used.

    A block that would become too large is used in parts (`cuts`): the first is prepared by the thread, the others when
    they are asked for, one at a time.
    """

    def made(chunk: Any) -> tuple[Any, Block, Block, list[int]]:
        block = _only_usable(source.parse(chunk), check)
        bounds = [0, *(cuts(block) if block.rows else ()), block.rows]
        first = block.part(0, bounds[1])
        return prepare(first) if first.rows else None, first, block, bounds

    chunks = source.chunks(start)
    at = start
    try:
        for prepared, first, block, bounds in in_order(made, chunks, threads):
            used = at.rows  # rows of the block that were used before, as its bad ones were
            for begin, stop in pairwise(bounds):
                if used and stop <= used:
                    continue
                part = first if begin == used == 0 else block.part(max(begin, used), stop)
                if used:
                    part = replace(part, bad=(), notes=(), misfits=(), read=0)
                bad_rows.add_block(part.bad, part.rows)
                for note in part.notes:
                    bad_rows.note(note)
                bad_rows.findings.add_misfits(part.misfits)
                if part is not first:
                    prepared = prepare(part)
                if stop < block.rows:
                    part = replace(part, after=replace(at, rows=stop))
                yield PreparedBlock(part, prepared)
            at = block.after
    finally:
        if hasattr(chunks, "close"):
            chunks.close()


def _only_usable(block: Block, check: Check) -> Block:
    """The block without the rows that fail the check; bad ones join its bad rows, in the order of their lines."""
    reasons = check(block) if block.rows else {}
    if not reasons:
        return block
    hint = f"({option('on_error', OnError.SKIP)} leaves such rows out)"
    bad = [block.bad_row(row, f"{reason} {hint}") for row, reason in sorted(reasons.items()) if reason is not None]
    which = np.ones(block.rows, dtype=bool)
    which[list(reasons)] = False
    every = tuple(sorted([*block.bad, *bad], key=lambda each: each.line))
    return replace(block.keep(which), bad=every, misfits=block.misfits)


def in_order(made: Callable[[Any], Made], chunks: Iterator[Any], threads: int) -> Iterator[Made]:
    """made(chunk) for each chunk; an error is raised in its chunk's turn, so that it never depends on timing."""
    reading = threading.Lock()
    handed_out = 0

    def next_block() -> tuple[int, Made | Exception | None]:
        nonlocal handed_out
        with reading:  # one thread at a time reads the next chunk
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
        pending: set[Future[tuple[int, Made | Exception | None]]] = {
            pool.submit(next_block) for _ in range(threads + AHEAD)
        }
        ready: dict[int, Made | Exception | None] = {}
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
