"""A progress bar for long fits, on stderr, when asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from linnet.training.history import Pass, Watcher, ignore


@contextmanager
def watching(verbose: bool | int, name: str, passes: int) -> Iterator[Watcher]:
    """A watcher that moves a bar by one each pass and shows how the pass went."""
    if not verbose:
        yield ignore
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.fields[state]}"), console=Console(stderr=True)) as progress:
        bar = progress.add_task(name, total=passes, state="")

        def watch(last: Pass) -> None:
            progress.update(bar, advance=1, state=f"mistakes {last.mistakes:,}  loss {last.loss:.4g}")

        yield watch
        progress.update(bar, total=progress.tasks[0].completed)  # the end, however early it came
