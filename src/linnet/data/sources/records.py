"""Records: the rows of a text as bytes, each with its line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHOWN = 60
LINE_END = 2  # bytes between a record and the next are at most CR LF


@dataclass(frozen=True, eq=False)
class Records:
    """Record i is data[starts[i]:stops[i]], beginning on line lines[i] of its file."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    lines: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    def raw(self, record: int) -> bytes:
        return self.data[self.starts[record] : self.stops[record]].tobytes()

    def keep(self, which: NDArray[np.bool_]) -> Records:
        if which.all():
            return self
        return Records(self.data, self.starts[which], self.stops[which], self.lines[which])

    def text(self) -> bytes:
        """All records as one text; neighbouring records are copied at once."""
        if not len(self):
            return b""
        gaps = np.flatnonzero(self.starts[1:] - self.stops[:-1] > LINE_END)
        firsts = np.concatenate([[0], gaps + 1])
        lasts = np.append(gaps, len(self) - 1)
        runs = zip(self.starts[firsts].tolist(), self.stops[lasts].tolist(), strict=True)
        parts: list[Any] = [part for start, stop in runs for part in (self.data[start:stop], b"\n")]
        return b"".join(parts)


def shown(raw: bytes) -> str:
    """The beginning of some bytes, for a message."""
    text = raw[:SHOWN].decode(errors="replace")
    return repr(text + "…" if len(raw) > SHOWN else text)
