"""Feed mutated text to the kernel of delimited text and compare with twins: python tests/fuzz/delimited.py [N] [SEED].

`make test-sanitized` runs it against kernels that watch every byte they touch.
"""

from __future__ import annotations

import random
import re
import sys

import numpy as np

from linnet.kernels.delimited import records, rewritten

PIECES = [
    *(bytes([byte]) for byte in b'"""\',;\t\n\n\r  a\0\xff'),
    *(
        b"\r\n",
        b'""',
        b'"a,b"',
        b'"x\ny"',
        b"a,b\n",
        b'a,"b\n',
        b'\n"',
        b'"\n',
        b'",',
        b"a,b\n" * 9,
        b"a,b,c\n" * 10,
        b'a,"b,c\n',
    ),
]
LINE_END = re.compile(rb"\r\n|\r|\n")


class Twin:
    """Records found field by field, with regular expressions."""

    def __init__(self, separator: bytes, quote: bytes, columns: int, final: bool, most_lines: int) -> None:
        self.sign, self.quote, self.columns, self.final, self.most_lines = separator, quote, columns, final, most_lines
        self.blanks = separator == b" "
        between = rb"[ \t]+" if self.blanks else re.escape(separator)
        mark = re.escape(quote) if quote else b"(?!)"
        self.separator = re.compile(between)
        self.plain = re.compile(rb"(?:(?!" + between + rb")[^\r\n])*")
        self.quoted = re.compile(mark + rb"(?:(?!" + mark + rb").|" + mark * 2 + rb")*+" + mark, re.DOTALL)

    def records(self, text: bytes) -> tuple[list[tuple[int, ...]], bool]:
        """(start, stop, line, fields, stray) of each that is not empty, and whether the last is open."""
        found, at = [], 0
        while at < len(text):
            at = self.separator.match(text, at).end() if self.blanks and self.separator.match(text, at) else at
            if at == len(text):
                break
            line, begin, fields, stray = len(LINE_END.findall(text, 0, at)), at, 0, -1
            self.doubtful = False
            while True:
                fields += 1
                if self.quote and text.startswith(self.quote, at):
                    behind = self.closed(text, at, fields - 1)
                    if behind is None:
                        return [*found, (begin, len(text), line, fields, self.shown(stray))], True
                    stray = at if behind < 0 and stray < 0 else stray
                    at = behind if behind >= 0 else at + 1
                at = self.plain.match(text, at).end()
                between = self.separator.match(text, at)
                behind = between.end() if between else at
                end = LINE_END.match(text, behind)
                if not between or (self.blanks and (end or behind == len(text))):
                    break
                at = behind
            if at > begin:
                found.append((begin, at, line, fields, self.shown(stray)))
            at = end.end() if end else behind
        return found, False

    def shown(self, stray: int) -> int:
        return -2 if stray < 0 and self.doubtful else stray

    def closed(self, text: bytes, at: int, before: int) -> int | None:
        """What follows the field that a quote opens; -1 if it opens none, None if that is not decided."""
        quoted = self.quoted.match(text, at)
        stop = quoted.end() if quoted else len(text)
        lines = len(LINE_END.findall(text, at, stop))
        if lines >= self.most_lines:
            return -1
        if not self.final and stop == len(text):
            return None
        if not quoted:
            return -1
        if not lines:
            return stop
        if stop < len(text) and not self.separator.match(text, stop) and not LINE_END.match(text, stop):
            return -1
        if self.columns > 1:
            return self.of_many_lines(text, at, stop, lines, before)
        return stop

    def of_many_lines(self, text: bytes, at: int, stop: int, lines: int, before: int) -> int | None:
        parts = LINE_END.split(text[at + 1 :])[: lines + 1]
        whole = len(LINE_END.findall(text, at + 1)) > lines
        alone = Twin(self.sign, self.quote, 0, True, 1)
        for number, part in enumerate(parts):
            fields = [each[3] for each in alone.records(part)[0]] or [1]
            if fields[0] + (0 if number else before) != self.columns:
                return None if number == lines and not whole and not self.final else stop
        if not whole and not self.final:
            return None
        if self.sign == b"\t" or (self.columns > 2 and lines >= 9):
            return -1
        self.doubtful = True
        return stop

    def fields(self, raw: bytes) -> list[bytes]:
        """The fields of one record."""
        found, at = [], 0
        while True:
            quoted = self.quoted.match(raw, at) if self.quote else None
            text = quoted[0][1:-1].replace(self.quote * 2, self.quote) if quoted else b""
            at = quoted.end() if quoted else at
            between = self.separator.search(raw, at)
            found.append(text + raw[at : between.start() if between else None])
            if not between:
                return found
            at = between.end()


def plain(fields: list[bytes], between: bytes) -> bytes:
    """A line of CSV in which every field that looks odd is quoted; the twin of what `rewritten` writes, once parsed."""
    return between.join(b'"' + field.replace(b'"', b'""') + b'"' for field in fields)


def check(text: bytes) -> None:
    # memory of its very size, so that the sanitizer sees a byte read too many
    data = np.frombuffer(text, dtype=np.uint8).copy()
    for separator in (b",", b"\t", b" "):
        for quote, columns, final, most_lines in (
            (b'"', 0, True, 10_000),
            (b"'", 2, False, 4),
            (b'"', 3, False, 12),
            (b'"', 2, True, 12),
            (b"", 3, True, 9),
        ):
            twin = Twin(separator, quote, columns, final, most_lines)
            *arrays, is_open = records(data, ord(separator), ord(quote) if quote else -1, columns, final, most_lines)
            got = list(zip(*(each.tolist() for each in arrays), strict=True))
            wanted, wanted_open = twin.records(text)
            assert is_open == wanted_open, text
            if is_open:
                got[-1] = (*got[-1][:1], len(text), *got[-1][2:])
            assert got == wanted, (text, separator, quote, columns, final, most_lines)
            if final:
                check_rewritten(text, data, twin, got)


def check_rewritten(text: bytes, data: np.ndarray, twin: Twin, found: list[tuple[int, ...]]) -> None:
    starts, stops = (np.array([each[i] for each in found], dtype=np.int64) for i in (0, 1))
    sign = twin.sign[0]
    made = rewritten(data, starts, stops, sign, ord(twin.quote) if twin.quote else -1).tobytes()
    again = Twin(b"\t" if twin.blanks else twin.sign, b'"', 0, True, 10**9)
    lines = [made[a:b] for a, b, *_ in again.records(made)[0]]
    assert [again.fields(line) for line in lines] == [twin.fields(text[a:b]) for a, b, *_ in found], text


def mutated(source: random.Random) -> bytes:
    return b"".join(source.choices(PIECES, k=source.randrange(30)))


def run(files: int, seed: int) -> None:
    source = random.Random(seed)
    for _ in range(files):
        check(mutated(source))


if __name__ == "__main__":
    files, seed = (int(argument) for argument in [*sys.argv[1:], "50000", "1"][:2])
    run(files, seed)
    print(f"{files} mutated texts cut into records like the twins cut them")
