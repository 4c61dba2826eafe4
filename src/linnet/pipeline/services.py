"""What a run is given by its caller: reports of progress, a way to stop it, threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from linnet.cores import cores
from linnet.errors import Interrupted

CACHE_ROWS = 4096


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    stage: str
    rows: int = 0
    read: int = 0
    size: int | None = None
    loss: float | None = None
    mistakes: float | None = None


def silent(_: Progress) -> None:
    """Report nothing."""


def never() -> bool:
    """Never stop."""
    return False


@dataclass(frozen=True)
class Services:
    """`report` is called often; `stopped` is asked often, and True ends the run at its next safe point."""

    report: Callable[[Progress], None] = silent
    stopped: Callable[[], bool] = never
    threads: int = 0
    # rows are cached for later passes, and shuffled, in chunks of this many
    cache_rows: int = field(default_factory=lambda: CACHE_ROWS)

    @property
    def reading_threads(self) -> int:
        return self.threads or cores()

    def check_stopped(self) -> None:
        """Stop here, where there is nothing to resume."""
        if self.stopped():
            raise Interrupted("stopped; there is no checkpoint yet, so there is nothing to resume: run it again")
