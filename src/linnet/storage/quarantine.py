"""The file of rows that could not be read, as they were."""

from __future__ import annotations

import os
import secrets
from typing import BinaryIO

from linnet.errors import InputError
from linnet.storage.atomic import write_errors


class Quarantine:
    """Made when the first row comes; until then, what has its name stays as it is."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: BinaryIO | None = None

    def write(self, row: bytes) -> None:
        with write_errors(self.path):
            if self._file is None:
                self._file = self._made()
            self._file.write(row)

    def _made(self) -> BinaryIO:
        """A new file that takes the name: an older one with other names keeps its content under those."""
        temporary = os.path.join(os.path.dirname(self.path), f".linnet-{secrets.token_hex(16)}.tmp")
        file = open(temporary, "xb")  # noqa: SIM115 - closed with the quarantine
        os.replace(temporary, self.path)
        return file

    def saved(self) -> int:
        """The number of bytes, all of which are on disk now."""
        if self._file is None:
            return 0
        with write_errors(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())
            return self._file.tell()

    def restore(self, size: int, checkpoint: str) -> None:
        """Continue after this many bytes; what was written after the checkpoint will be written again."""
        if not size:
            return
        with write_errors(self.path):
            try:
                file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC), "r+b")
            except FileNotFoundError:
                raise self._shorter(checkpoint) from None
            self._file = file
            if file.seek(0, os.SEEK_END) < size:
                raise self._shorter(checkpoint)
            file.seek(size)
            file.truncate()

    def _shorter(self, checkpoint: str) -> InputError:
        return InputError(
            f"{checkpoint}: the quarantine file {self.path} is shorter than it was: start again without --resume"
        )

    def close(self) -> None:
        if self._file is not None:
            with write_errors(self.path):
                self._file.close()
