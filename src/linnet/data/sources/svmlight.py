"""svmlight files (`label id:value id:value ...`), parsed by kernels/svmlight.py: column j is id j of the file."""

from __future__ import annotations

from linnet.data.on_error import BadRow
from linnet.data.rows import Rows
from linnet.data.sources.block import Block
from linnet.data.sources.chunks import Chunk, Cutting, count_lines, last_line_end
from linnet.data.sources.lines import LineSource
from linnet.kernels import svmlight as kernel
from linnet.kernels.svmlight_errors import MESSAGES


class Svmlight(LineSource):
    """Sparse rows with a numeric target."""

    format = "svmlight"
    cutting = Cutting(
        last_line_end, count_lines, size=1 << 22
    )  # numbers are parsed so fast that the overhead of a chunk must be small

    def parse(self, chunk: Chunk) -> Block:
        found = kernel.parse(chunk.data)
        columns = int(found.ids.max()) + 1 if len(found.ids) else 0
        return Block(
            chunk.path,
            len(found.targets),
            chunk.after,
            chunk.read,
            sparse=Rows(found.values, found.ids, found.starts, (len(found.targets), columns)),
            targets=found.targets,
            lines=found.lines + chunk.at.line,
            bad=_bad(chunk, found) if len(found.error_lines) else (),
        )


def _bad(chunk: Chunk, found: kernel.Parsed) -> tuple[BadRow, ...]:
    lines = chunk.data.split(b"\n")
    errors = zip(found.error_lines, found.error_columns, found.error_codes, strict=True)
    return tuple(
        BadRow(chunk.path, int(line) + chunk.at.line, int(column), MESSAGES[code], lines[line])
        for line, column, code in errors
    )
