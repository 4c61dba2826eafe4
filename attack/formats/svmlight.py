"""svmlight: labels, ids in any order and of any size, values, comments, qid."""

from __future__ import annotations

from random import Random

from attack import words
from attack.formats import Data, one
from attack.mutations import mutated

IDS = [
    "0",
    "-1",
    "4294967295",
    "4294967296",
    "2147483647",
    "2147483648",
    "134217727",
    "18446744073709551616",
    "1e3",
    "01",
    "+1",
    "",
    "x",
]
PIECES = [
    b":",
    b" ",
    b"\t",
    b"#",
    b"qid:1",
    b"1:1",
    b"\n",
    b"\r\n",
    b"+1",
    b"-1",
    b"1:nan",
    b"1:inf",
    b"1:1e400",
    b"2147483647:1",
    b"::",
    b",",
    b"1,2",
    b"\0",
]


def make(random: Random) -> Data:
    odd, several = random.choice([0.0, 0.0, 0.01, 0.1]), random.random() < 0.2
    lines = []
    for _ in range(random.choice([0, 1, 2, 12, 60, 300])):
        label = words.number(random) if random.random() < odd else random.choice(["1", "-1", "+1", "2"])
        if several:
            label = ",".join([label, *random.choices(["3", "4", "2.5"], k=random.randrange(3))][random.randrange(2) :])
        ids = sorted({random.randrange(1, 50) for _ in range(random.choice([0, 1, 5, 20]))})
        if random.random() < 0.05:
            random.shuffle(ids)
        entries = [f"{_id(random, each, odd)}:{_value(random, odd)}" for each in ids]
        lines.append(
            " ".join([label, *entries])
            + (" # " + words.text(random).replace("\n", " ") if random.random() < 0.03 else "")
        )
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    if random.random() < 0.6:
        content = mutated(random, content, PIECES)
    return one(random.choice(["data.svm", "data.libsvm", "data"]), content)


def _id(random: Random, plain: int, odd: float) -> str:
    return random.choice(IDS) if random.random() < odd / 4 else str(plain)


def _value(random: Random, odd: float) -> str:
    return words.number(random) if random.random() < odd else f"{random.gauss(0, 1):.3g}"
