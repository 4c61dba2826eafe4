"""What the commands of taggers and parsers share: where a run keeps its files, and what it skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from linnet.cli.terminal import note
from linnet.errors import RecipeError
from linnet.storage.atomic import STREAMS, is_direct, old_file

if TYPE_CHECKING:
    from linnet.data.on_error import BadRows


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


def note_skipped(rejected: BadRows) -> None:
    """How many sentences were skipped, and why the first were."""
    if rejected.count:
        what = "sentence could not be read and was" if rejected.count == 1 else "sentences could not be read and were"
        note(f"linnet: {rejected.count:,} {what} skipped")
        for text in rejected.first:
            note(f"  {text}")
