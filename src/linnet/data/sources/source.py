"""Source: what reads data, as the rest of linnet sees it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from linnet.data.sources.block import Block, Position


class Source(Protocol):
    """Chunks are read one after the other; parsing one depends on nothing else, so several may be parsed at once."""

    @property
    def format(self) -> str: ...

    @property
    def size(self) -> int | None:
        """Bytes to read in all; None if that cannot be told."""

    @property
    def reopenable(self) -> bool: ...

    def fingerprint(self) -> list[dict[str, Any]]:
        """What tells this input from a changed one."""

    def chunks(self, start: Position) -> Iterator[Any]: ...

    def parse(self, chunk: Any) -> Block: ...
