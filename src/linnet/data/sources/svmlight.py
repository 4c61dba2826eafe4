"""svmlight files (`label id:value id:value ...`), parsed by our own kernel: column j is id j of the file."""

from __future__ import annotations

from linnet.data.rows import Rows
from linnet.data.sources.block import BadRow, Block
from linnet.data.sources.chunks import Chunk, Cutting, count_lines, last_line_end
from linnet.data.sources.lines import LineSource
from linnet.kernels import svmlight as kernel


class Svmlight(LineSource):
    """Sparse rows with a number as target."""

    format = "svmlight"
    cutting = Cutting(last_line_end, count_lines, size=1 << 22)  # numbers are read so fast that the rest must be little

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
    places = zip(found.error_lines, found.error_columns, found.error_codes, strict=True)
    return tuple(
        BadRow(chunk.path, int(line) + chunk.at.line, int(column), kernel.MESSAGES[code], lines[line])
        for line, column, code in places
    )
