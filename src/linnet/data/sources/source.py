"""Source: what reads data, as the rest of linnet uses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

from linnet.data.sources.block import Block, Position


@runtime_checkable
class Source(Protocol):
    """Reads chunks one after the other; threads may parse several at once: `parse` depends on its chunk alone."""

    @property
    def format(self) -> str: ...

    @property
    def size(self) -> int | None:
        """The number of bytes to read; None if unknown."""

    @property
    def reopenable(self) -> bool: ...

    @property
    def paths(self) -> list[str]:
        """The files that are read; none of what is in memory."""

    def fingerprint(self) -> list[dict[str, Any]]:
        """What identifies the content at a glance, so that most changes are noticed."""

    def hashed_again(self, before: Position) -> Iterator[bytes]:
        """The `seen` of a position, from the content as it is now: the last item, after those of earlier ones."""

    def sample(self) -> Block:
        """The first rows, which decide columns, types and task (sampling.py says how many)."""

    def chunks(self, start: Position) -> Iterator[Any]: ...

    def parse(self, chunk: Any) -> Block: ...


def described(source: Source) -> str:
    """The format of a source, and what else was inferred or given to read it."""
    return ", ".join([source.format, *getattr(source, "details", ())])
