"""Changes to bytes that know nothing of their format."""

from __future__ import annotations

import bz2
import gzip
import lzma
from random import Random

PIECES = [
    b"\0", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"\xff\xfe", "é".encode(), b"[" * 100, b"{" * 50, b'"', b"'", b",",
    b";", b"\t", b"|", b"\n", b"\r", b"\r\n", b"\\", b":", b"=", b"#", b"<", b">", b"\x1b[31m", b"1e999", b"nan",
    b"-1", b"99999999999", b" ", b"\x0c", b"\x85", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
    b"\xc0\x80", b"\\u0000", b"\\ud800", b"PAR1", b"\x1f\x8b",
]  # fmt: skip


def mutated(random: Random, content: bytes, pieces: list[bytes] | None = None) -> bytes:
    """The content with a few changes: pieces inserted, bytes changed, parts cut out, doubled or moved."""
    data = bytearray(content)
    for _ in range(random.choice([0, 1, 1, 2, 3, 8])):
        place = random.randrange(len(data) + 1)
        match random.randrange(9):
            case 0 | 1:
                data[place:place] = random.choice((pieces or PIECES) if random.random() < 0.6 else PIECES)
            case 2:
                del data[place : place + random.choice([1, 2, 5, 50])]
            case 3:
                data[place : place + 1] = bytes([random.randrange(256)])
            case 4:
                other = random.randrange(len(data) + 1)
                data[place:place] = data[other : other + random.choice([3, 30, 300])]
            case 5:
                if random.random() < 0.3:
                    del data[place:]
            case 6:
                if data:
                    data[place % len(data)] ^= 1 << random.randrange(8)
            case 7:
                lines = bytes(data).split(b"\n")
                random.shuffle(lines)
                if random.random() < 0.3:
                    data = bytearray(b"\n".join(lines))
            case 8:
                data[place:place] = random.choice(PIECES) * random.choice([10, 1000, 20000])
    return bytes(data)


def compressed(random: Random, content: bytes) -> tuple[str, bytes]:
    """The suffix and the bytes of a compressed file; some have several members, or are damaged or misnamed."""
    import pyarrow

    makers = {
        ".gz": lambda data: gzip.compress(data, 1, mtime=0),
        ".bz2": lambda data: bz2.compress(data, 1),
        ".xz": lambda data: lzma.compress(data, preset=0),
        ".zst": lambda data: pyarrow.compress(data, "zstd", asbytes=True),
    }
    suffix = random.choice(list(makers))
    cut = random.randrange(len(content) + 1) if random.random() < 0.3 else len(content)
    made = makers[suffix](content[:cut])
    if cut < len(content):
        made += makers[suffix if random.random() < 0.8 else random.choice(list(makers))](content[cut:])
    if random.random() < 0.3:
        made = mutated(random, made)
    if random.random() < 0.1:
        suffix = random.choice(list(makers))
    return suffix, made
