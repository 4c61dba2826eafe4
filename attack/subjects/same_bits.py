"""The same content cut, piped, packed and read by other numbers of threads: one model, to the byte."""

from __future__ import annotations

import gzip
from random import Random

from attack import options
from attack.case import Case, Command, Step


def make(random: Random) -> Case:
    head, lines, suffix, given = _content(random)
    whole = head + b"".join(lines)
    learner = [] if random.random() < 0.3 else ["--learner", random.choice(options.learners())]
    given = [*given, *learner, *random.choice([[], [], ["--passes", "2"], ["--holdout", "0.3"], ["--seed", "5"]])]
    files, steps, same = {f"whole.{suffix}": whole}, [], []

    def way(
        name: str, *paths: str, more: tuple[str, ...] = (), stdin: bytes = b"", environment: dict | None = None
    ) -> None:
        same.append(f"{name}.linnet")
        steps.append(
            Command(
                ["train", *paths, "-o", f"{name}.linnet", *given, *more],
                stdin,
                environment=environment or {},
                fresh=bool(environment),
            )
        )

    way("whole", f"whole.{suffix}", more=("--threads", "1"))
    for _ in range(3):
        match random.randrange(6):
            case 0 | 1:
                parts = random.choice([2, 7, 50])
                cuts = sorted(random.randrange(len(lines) + 1) for _ in range(parts - 1))
                names = []
                for number, (a, b) in enumerate(zip([0, *cuts], [*cuts, len(lines)], strict=True)):
                    names.append(f"part{parts}/{number:03}.{suffix}")
                    files[names[-1]] = head + b"".join(lines[a:b])
                way(f"parts{parts}", *names)
            case 2:
                way("pipe", "-", stdin=whole)
            case 3:
                files[f"packed.{suffix}.gz"] = gzip.compress(whole, 1, mtime=0)
                way("packed", f"packed.{suffix}.gz")
            case 4:
                way("threads4", f"whole.{suffix}", more=("--threads", "4"))
            case 5:
                way("blas1", f"whole.{suffix}", environment={"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})
    unique = list(dict.fromkeys(same))
    first: dict[str, Step] = {}
    for name, step in zip(same, steps, strict=True):
        first.setdefault(name, step)
    return Case(files, list(first.values()), same=[unique])


def _content(random: Random) -> tuple[bytes, list[bytes], str, list[str]]:
    """A header, lines, the ending of the name, and options: the format too, which models record if it is given."""
    rows, numeric = random.choice([30, 120, 400]), random.random() < 0.25
    target = (
        (lambda: f"{random.gauss(0, 1):.3f}")
        if numeric
        else (lambda: random.choice(random.choice(["ab", "ab", "abc"])))
    )
    match random.randrange(4):
        case 0:
            lines = []
            for i in range(rows):
                colour = random.choice(["red", "blue", f"c{i}"])
                lines.append(f"{random.gauss(0, 1):.3f},{colour},{_plain(random)},{target()}\n".encode())
            return b"n,c,t,y\n", lines, "csv", ["--format", "csv", "--target", "y"]
        case 1:
            lines = [
                f'{{"n":{random.gauss(0, 1):.3f},"t":"{_plain(random)}","y":"{target()}"}}\n'.encode()
                for _ in range(rows)
            ]
            return b"", lines, "jsonl", ["--format", "jsonl", "--target", "y"]
        case 2:
            lines = []
            for _ in range(rows):
                ids = sorted({random.randrange(1, 60) for _ in range(random.choice([1, 6]))})
                label = random.choice(["1", "-1"]) if not numeric else f"{random.gauss(0, 1):.3f}"
                lines.append(
                    (" ".join([label, *(f"{i}:{random.choice(['1', '0.5', '-2'])}" for i in ids)]) + "\n").encode()
                )
            return b"", lines, "svm", ["--format", "svmlight"]
        case _:
            lines = [f"{random.choice('ab')}\t{_plain(random)}\n".encode() for _ in range(rows)]
            return b"", lines, "txt", ["--format", "labelled-text"]


def _plain(random: Random) -> str:
    return " ".join(
        random.choice(["good", "bad", "film", "plot", f"w{random.randrange(200)}"])
        for _ in range(random.randrange(1, 7))
    )
