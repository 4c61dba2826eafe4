"""What a run is given by its caller: reports of progress, a way to stop it, threads."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from linnet.cores import cores
from linnet.errors import Interrupted

CACHE_ROWS = 4096
NO_CHECKPOINT = "stopped; there is no checkpoint yet, so there is nothing to resume: run it again"


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


def unguarded(_: str) -> AbstractContextManager[None]:
    """A checkpoint is written as any file."""
    return nullcontext()


@dataclass(frozen=True)
class Services:
    """`report` is called often; `stopped` is asked often, and True ends the run at its next safe point.

    `saving` is entered while a checkpoint is written to the path that it is given.
    """

    report: Callable[[Progress], None] = silent
    stopped: Callable[[], bool] = never
    threads: int = 0
    saving: Callable[[str], AbstractContextManager[None]] = unguarded
    # rows are cached for later passes, and shuffled, in chunks of this many
    cache_rows: int = field(default_factory=lambda: CACHE_ROWS)

    @property
    def reading_threads(self) -> int:
        return self.threads or cores()

    def check_stopped(self) -> None:
        """Stop here, where there is nothing to resume."""
        if self.stopped():
            raise Interrupted(NO_CHECKPOINT)
