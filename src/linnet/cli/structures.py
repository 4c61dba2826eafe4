"""What the commands of taggers and parsers share: where a run keeps its files, and what it skipped."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing, nullcontext
from typing import Protocol

from linnet.cli.terminal import note
from linnet.data.on_error import BadRows, OnError
from linnet.errors import RecipeError
from linnet.storage.atomic import STREAMS, is_direct, old_file
from linnet.storage.quarantine import Quarantine


class Resumable(Protocol):
    """Options of a run that can be stopped and resumed."""

    @property
    def checkpoint_every(self) -> int | None: ...

    @property
    def resume(self) -> bool: ...


def checkpoint_beside(output: str, options: Resumable) -> str | None:
    """The checkpoint of a run that writes this model; None for a device or a pipe, which has no place beside it."""
    from linnet.pipeline.trainers.checkpoint_file import check_place

    if output in STREAMS:
        raise RecipeError(f"{output} is for the results: name a file for the model with -o")
    if is_direct(output, old_file(output)):
        if options.checkpoint_every or options.resume:
            raise RecipeError(f"{output} is not a file, so there is no place for a checkpoint beside it")
        return None
    checkpoint = f"{output}.checkpoint"
    check_place(checkpoint)
    return checkpoint


def quarantine_beside(output: str, policy: OnError) -> Quarantine | None:
    """The file that sentences are written to which cannot be read, if they are; it is beside the model."""
    if policy is not OnError.QUARANTINE:
        return None
    if is_direct(output, old_file(output)):
        raise RecipeError(f"{output} is not a file, so there is no place for a quarantine beside it")
    return Quarantine(f"{output}.quarantine")


def closed(kept: Quarantine | None) -> AbstractContextManager[object]:
    """Closes the quarantine at the end, if there is one."""
    return nullcontext() if kept is None else closing(kept)


def note_skipped(rejected: BadRows) -> None:
    """How many sentences were skipped, and why the first were."""
    if rejected.count:
        what = "sentence could not be read and was" if rejected.count == 1 else "sentences could not be read and were"
        done = "skipped" if rejected.quarantine is None else f"written to {rejected.quarantine.path}"
        note(f"linnet: {rejected.count:,} {what} {done}")
        for text in rejected.first:
            note(f"  {text}")
