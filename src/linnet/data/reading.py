"""A source as a stream of prepared blocks: read and parsed ahead by threads, yielded in order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linnet.data.on_error import BadRows, OnError
from linnet.data.sources.block import Block, Position
from linnet.data.sources.source import Source
from linnet.errors import option

# Blocks that may wait beyond one per thread: enough to keep threads busy, few enough to keep memory small.
AHEAD = 2


@dataclass(frozen=True, eq=False)
class PreparedBlock:
    """A block, and what `prepare` made of it; None for a block without rows."""

    block: Block
    prepared: Any


# The rows of a block that cannot be used, each with the reason.
Check = Callable[[Block], Mapping[int, str]]


def _all_usable(_: Block) -> Mapping[int, str]:
    return {}


def prepared_blocks(
    source: Source,
    start: Position,
    prepare: Callable[[Block], Any],
    bad_rows: BadRows,
    threads: int,
    check: Check = _all_usable,
) -> Iterator[PreparedBlock]:
    """Blocks in order, each parsed, checked and prepared by one of the threads while earlier ones are used."""

    def made(chunk: Any) -> PreparedBlock:
        block = _only_usable(source.parse(chunk), check)
        return PreparedBlock(block, prepare(block) if block.rows else None)

    chunks = source.chunks(start)
    try:
        for each in _in_order(made, chunks, threads):
            for bad in each.block.bad:
                bad_rows.add(bad)
            yield each
    finally:
        if hasattr(chunks, "close"):
            chunks.close()


def _only_usable(block: Block, check: Check) -> Block:
    """The block without the rows that fail the check; these join its bad rows, in the order of their lines."""
    reasons = check(block) if block.rows else {}
    if not reasons:
        return block
    hint = f"({option('on_error', OnError.SKIP)} leaves such rows out)"
    bad = [block.bad_row(row, f"{reason} {hint}") for row, reason in sorted(reasons.items())]
    which = np.ones(block.rows, dtype=bool)
    which[list(reasons)] = False
    return replace(block.keep(which), bad=tuple(sorted([*block.bad, *bad], key=lambda each: each.line)))


def _in_order(made: Callable[[Any], PreparedBlock], chunks: Iterator[Any], threads: int) -> Iterator[PreparedBlock]:
    """made(chunk) for each chunk; an error is raised in its chunk's turn, so that it never depends on timing."""
    reading = threading.Lock()
    handed_out = 0

    def next_block() -> tuple[int, PreparedBlock | Exception | None]:
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
        pending: set[Future[tuple[int, PreparedBlock | Exception | None]]] = {
            pool.submit(next_block) for _ in range(threads + AHEAD)
        }
        ready: dict[int, PreparedBlock | Exception | None] = {}
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
