"""svmlight files (`label id:value id:value ...`), parsed by kernels/svmlight.py: column j is id j of the file."""

from __future__ import annotations

from dataclasses import replace

from linnet.data.on_error import BadRow
from linnet.data.rows import Rows
from linnet.data.sources.block import Block, Strings
from linnet.data.sources.chunks import Chunk, Cutting, count_lines, last_line_end
from linnet.data.sources.files import ByteFiles
from linnet.data.sources.label_sets import (
    HEADER,
    LABELS,
    UNLABELLED,
    NotALabel,
    is_several,
    numbered,
    several_are_taken,
)
from linnet.data.sources.lines import LineSource
from linnet.kernels import svmlight as kernel
from linnet.kernels.svmlight_errors import MESSAGES

# Codes of what is wrong.
NOT_A_LABEL, SEVERAL_LABELS = 1, 2
# What a line without labels is parsed behind.
NO_LABEL = b"0 "


class Svmlight(LineSource):
    """Sparse rows with a numeric target; with `several`, with several labels or none instead, in a column of sets."""

    format = "svmlight"
    cutting = Cutting(
        last_line_end, count_lines, size=1 << 22
    )  # numbers are parsed so fast that the overhead of a chunk must be small

    def __init__(self, files: ByteFiles, *, chunk_size: int | None = None) -> None:
        super().__init__(files, chunk_size=chunk_size)
        self.several = False

    def parse(self, chunk: Chunk) -> Block:
        if self.several:
            return self._with_sets(chunk)
        return self._block(chunk, kernel.parse(chunk.data))

    def has_several(self) -> bool:
        """Whether one of the first rows has more than one label."""
        return any(is_several(row.raw) for row in self.sample().bad)

    def _block(self, chunk: Chunk, found: kernel.Parsed) -> Block:
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

    def _with_sets(self, chunk: Chunk) -> Block:
        """Each line is parsed with one label in the place of its own."""
        lines: list[bytes] = []
        sets: dict[int, str] = {}
        unlabelled: set[int] = set()
        wrong: list[BadRow] = []
        for number, line in enumerate(bytes(chunk.data).split(b"\n")):
            if number == 0 and chunk.at.line == 1 and HEADER.fullmatch(line):
                line = b""
            elif line.strip() and not line.lstrip().startswith(b"#"):
                try:
                    sets[number], end = numbered(line)
                except NotALabel as error:
                    wrong.append(BadRow(chunk.path, number + chunk.at.line, error.at + 1, error.reason, line))
                    line = b""
                else:
                    if not end:
                        unlabelled.add(number)
                    line = b"0" * end + line[end:] if end else NO_LABEL + line
            lines.append(line)
        found = kernel.parse(b"\n".join(lines))
        block = self._block(chunk, found)
        for row in block.bad:
            longer = len(NO_LABEL) if row.line - chunk.at.line in unlabelled else 0
            wrong.append(replace(row, column=(row.column or 1) - longer))
        column = Strings.of([sets[number] for number in found.lines.tolist()])
        return replace(block, columns={LABELS: column}, bad=tuple(sorted(wrong, key=lambda row: row.line)))


def _bad(chunk: Chunk, found: kernel.Parsed) -> tuple[BadRow, ...]:
    lines = chunk.data.split(b"\n")
    errors = zip(found.error_lines, found.error_columns, found.error_codes, strict=True)
    return tuple(
        BadRow(chunk.path, int(line) + chunk.at.line, int(column), _reason(code, lines[line]), lines[line])
        for line, column, code in errors
    )


def _reason(code: int, line: bytes) -> str:
    """What is wrong with a line, and where it is that it has not one label, which option takes it."""
    if code == NOT_A_LABEL and UNLABELLED.match(line):
        return f"the row has no label; {several_are_taken()}"
    return f"{MESSAGES[code]}; {several_are_taken()}" if code == SEVERAL_LABELS else MESSAGES[code]
