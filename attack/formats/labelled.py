"""Lines of text with their label: `label<TAB>text` and `__label__x text`; and plain lines."""

from __future__ import annotations

from random import Random

from attack import words
from attack.formats import Data, one
from attack.mutations import mutated

PIECES = [b"\t", b"\n", b"\r\n", b"a", b" ", b"__label__", b"__label__ ", b"__label__a __label__b ", b"\t\t"]


def make(random: Random) -> Data:
    marked = random.random() < 0.5
    lines = []
    for _ in range(random.choice([0, 1, 2, 12, 60, 300])):
        label = words.label(random, 0.05)
        lines.append(f"__label__{label} {words.text(random)}" if marked else f"{label}\t{words.text(random)}")
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    if random.random() < 0.6:
        content = mutated(random, content, PIECES)
    given = random.choice([[], [], ["--format", "labels" if marked else "labelled-text"], ["--format", "text"]])
    return one(random.choice(["data.txt", "data.tsv", "data"]), content, *given)
