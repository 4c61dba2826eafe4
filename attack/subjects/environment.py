"""The state a program is started in: streams closed or full, locale, terminal, limits, no folder for temporaries."""

from __future__ import annotations

import resource
from random import Random

from attack import bases
from attack.case import MEGABYTE, Case, Command, Limits

LOCALES = [
    {"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]  # fmt: skip
TERMINALS = [
    {"COLUMNS": "1"},
    {"COLUMNS": "0"},
    {"COLUMNS": "x"},
    {"TERM": "dumb"},
    {"COLUMNS": "-5", "LINES": "-5"},
    {"FORCE_COLOR": "0"},
    {"TERM": None},
]
OTHERS = [
    {"TMPDIR": "/nowhere"}, {"HOME": "/nowhere"}, {"HOME": None}, {"PATH": ""}, {"TMPDIR": "/dev/null"},
    {"OMP_NUM_THREADS": "x"}, {"LINNET_THREADS": "-1"}, {"TZ": "nonsense/zone"}, {"PYTHONWARNINGS": "always"},
]  # fmt: skip


def make(random: Random) -> Case:
    table = bases.data("table.csv").replace(b"red", "réd→".encode())
    files = {"table.csv": table, "base": bases.model("table")}
    arguments = random.choice(
        [
            ["train", "table.csv", "--target", "y", "-o", "m"],
            [
                "train",
                "table.csv",
                "--target",
                "y",
                "-o",
                "m",
                "--learner",
                "adaptive",
                "--checkpoint-every",
                "10",
                "--passes",
                "2",
            ],
            ["train", "table.csv", "--target", "y", "-o", "m", "--json"],
            ["train", "-", "--target", "y", "-o", "m", "--memory", "0"],
            ["predict", "base", "table.csv"],
            ["predict", "base", "-"],
            ["predict", "base"],
            ["predict", "base", "table.csv", "--json"],
            ["predict", "base", "table.csv", "-o", "p"],
            ["evaluate", "base", "table.csv"],
            ["inspect", "base"],
            ["inspect", "base", "table.csv"],
            ["verify", "base", "table.csv"],
            ["separable", "table.csv", "--target", "y"],
            ["boolean", "x and y"],
            ["--help"],
            ["train", "--help"],
            ["nonsense"],
            [],
        ]
    )
    changed: dict[str, object] = {}
    for _ in range(random.choice([1, 1, 2])):
        changed |= _one(random)
    environment = changed.pop("environment", {})
    if set(changed) == {"closed"} and changed["closed"] == (2,) and arguments[:1] in (["train"], ["predict"]):
        changed["codes"] = frozenset({0})  # what cannot be said is no reason to lose the work
    return Case(
        files, [Command(arguments, changed.pop("stdin", table), fresh=True, environment=environment, **changed)], {"m"}
    )


def _one(random: Random) -> dict:
    match random.randrange(9):
        case 0:
            return {"stdin": None}
        case 1:
            return {"closed": (1,)}
        case 2:
            return {"closed": (2,)}
        case 3:
            return {"closed": (1, 2), "stdin": None}
        case 4:
            return {"stdout": "/dev/full"}
        case 5:
            return {"environment": random.choice(LOCALES)}
        case 6:
            return {"environment": random.choice(TERMINALS)}
        case 7:
            return {"environment": random.choice(OTHERS)}
        case _:
            return _limited(random)


def _limited(random: Random) -> dict:
    kind = random.choice([resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_AS])
    if kind == resource.RLIMIT_FSIZE:
        return {"limits": Limits(file_size=random.choice([0, 10, 1000, 5000]))}
    if kind == resource.RLIMIT_NOFILE:
        return {"limits": Limits(open_files=random.choice([12, 20, 40]))}
    return {"limits": Limits(address_space=random.choice([900, 1200, 2000]) * MEGABYTE), "starved": True}
