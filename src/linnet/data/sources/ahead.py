"""An iterator in a thread of its own, a few items ahead of whoever takes them.

For items that take work and keep state, such as the batches of a Parquet file with the dictionaries of all its columns:
a thread stays on its core, whose cache has them, where threads that take turns would move them from core to core.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, Queue
from typing import TypeVar

Item = TypeVar("Item")

# Seconds between two looks whether the thread has ended, when it is to stop early.
LOOK = 0.01


def read_ahead(items: Iterator[Item], most: int = 2) -> Iterator[Item]:
    """The items in their order, and what they raise in its turn; at most this many wait, beside the one being made."""
    ready: Queue[tuple[Item] | BaseException | None] = Queue(most)
    stopped = threading.Event()

    def work() -> None:
        try:
            for item in items:
                ready.put((item,))
                if stopped.is_set():
                    break
            ready.put(None)
        except BaseException as error:
            ready.put(error)
        finally:
            if hasattr(items, "close"):
                items.close()

    thread = threading.Thread(target=work, name="linnet-ahead", daemon=True)
    thread.start()
    try:
        while True:
            found = ready.get()
            if found is None:
                return
            if isinstance(found, BaseException):
                raise found
            yield found[0]
    finally:
        stopped.set()
        while thread.is_alive():
            with suppress(Empty):
                ready.get_nowait()
            thread.join(LOOK)
