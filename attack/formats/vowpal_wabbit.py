"""Vowpal Wabbit's text format: labels, importance, tags, namespaces; and all that it has beyond these."""

from __future__ import annotations

from random import Random

from attack import words
from attack.formats import Data, one
from attack.mutations import mutated

PIECES = [
    b"|", b":", b" ", b"'", b"^", b"| ", b"|:2 ", b" a:1e999", b"1:0.5 ", b"shared ", b"\n", b"\t", b"nan", b"-1 ",
    b"|" + b"n" * 200, b"a:" * 50, b" " * 500, b"\0", b"\xff",
]  # fmt: skip


def make(random: Random) -> Data:
    names = [words.word(random).translate({ord(sign): None for sign in " \t\n\r|:"}) or "n" for _ in range(12)]
    numbers = random.random() < 0.3
    lines = []
    for _ in range(random.choice([0, 1, 2, 12, 60, 300])):
        label = f"{random.gauss(0, 1):.3f}" if numbers else random.choice(["1", "-1", "1", "-1", "", "2"])
        head = [label, *([f"{random.random():.2f}"] if label and random.random() < 0.2 else [])]
        text = " ".join(head) + (f" '{random.choice(names)}" if random.random() < 0.2 else " ")
        for space in random.sample(["", "a", "b", random.choice(names)], k=random.randrange(1, 4)):
            features = random.choices(names, k=random.randrange(6))
            values = [f"{name}:{random.gauss(0, 1):.2f}" if random.random() < 0.3 else name for name in features]
            text += f"|{space}{':2' if random.random() < 0.1 else ''} {' '.join(values)} "
        lines.append(text)
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    if random.random() < 0.6:
        content = mutated(random, content, PIECES)
    return one(random.choice(["data.vw", "data.vw", "data"]), content)
