"""PartialResults: the finished trials of a comparison, so that an interrupted one can be resumed.

A file of JSON lines beside the results: first what is compared, then a trial a line, each written and synced as it
ends.  A line that a killed process left unfinished is not read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

from linnet.comparison.trials import Trial
from linnet.errors import RecipeError
from linnet.errors import option as spelt
from linnet.storage.atomic import replacing, write_errors
from linnet.storage.typed_json import from_plain, to_plain

FORMAT = "linnet comparison, partial"
VERSION = 2


class PartialResults:
    """Finished trials by data set, contender and fold; written to a file, if there is one."""

    def __init__(self, path: str | None, compared: dict[str, Any], *, resume: bool) -> None:
        self.path = path
        self._header = {"format": FORMAT, "version": VERSION, "compared": compared}
        self._trials: dict[tuple[str, str, int], Trial] = {}
        self._identities: dict[str, str] = {}
        self._file: BinaryIO | None = None
        if path is not None and resume and os.path.exists(path):
            self._read(path)

    def __len__(self) -> int:
        return len(self._trials)

    def find(self, data: str, contender: str, fold: int) -> Trial | None:
        return self._trials.get((data, contender, fold))

    @contextmanager
    def open(self) -> Iterator[None]:
        """Within this, trials are written as they end; until the first of them an older file stays as it is."""
        try:
            yield
        finally:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _made(self, path: str) -> BinaryIO:
        """The file with what is known already, open for more."""
        with replacing(path) as new:
            new.write(_line(self._header))
            for data, identity in self._identities.items():
                new.write(_line({"data": data, "identity": identity}))
            for (data, _, _), trial in self._trials.items():
                new.write(_line({"data": data, **to_plain(trial)}))
        return open(path, "ab", buffering=0)

    def begin(self, data: str, identity: str) -> None:
        """The trials of a data set follow; they must be of the rows that earlier ones were of."""
        if data in self._identities:
            if self._identities[data] != identity:
                raise RecipeError(f"{self.path} is of other rows of {data}: run without {spelt('resume', True)}")
            return
        self._identities[data] = identity
        if self._file is not None:
            self._append({"data": data, "identity": identity})

    def add(self, data: str, trial: Trial) -> None:
        """Keep a trial, at once and for good."""
        if self.path is not None and self._file is None:
            with write_errors(self.path):
                self._file = self._made(self.path)
        self._trials[data, trial.contender, trial.fold] = trial
        self._append({"data": data, **to_plain(trial)})

    def _append(self, plain: dict[str, Any]) -> None:
        if self._file is not None and self.path is not None:
            with write_errors(self.path):
                self._file.write(_line(plain))
                os.fsync(self._file.fileno())

    def remove(self) -> None:
        """The results are written: it is not needed any more."""
        if self.path is not None:
            with suppress(FileNotFoundError):
                os.unlink(self.path)

    def _read(self, path: str) -> None:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")[:-1]  # what follows the last end of line was not finished
        try:
            header = json.loads(lines[0]) if lines else None
        except ValueError:
            header = None
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise RecipeError(
                f"{path} is not the partial results of a comparison: remove it, or name other results (-o)"
            )
        if header != self._header:
            raise RecipeError(
                f"{path} is of another comparison, of other data or options: run that again as it was, or this without "
                f"{spelt('resume', True)}"
            )
        for number, line in enumerate(lines[1:], 2):
            try:
                plain = json.loads(line)
                data = plain.pop("data")
                if "identity" in plain:
                    self._identities[data] = str(plain["identity"])
                    continue
                trial = from_plain(Trial, plain)
            except (ValueError, TypeError, KeyError, AttributeError):
                raise RecipeError(f"{path}:{number}: it is damaged: run without {spelt('resume', True)}") from None
            self._trials[data, trial.contender, trial.fold] = trial


def _line(plain: Any) -> bytes:
    return json.dumps(plain, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
