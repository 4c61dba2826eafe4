"""Command lines of random options with hostile values, over sound data and models."""

from __future__ import annotations

from random import Random

from attack import bases, options, words
from attack.case import Case, Command, Limits, Step

COMMANDS = [
    "train",
    "train",
    "train",
    "predict",
    "evaluate",
    "inspect",
    "verify",
    "separable",
    "compare",
    "boolean",
    "demo",
    "--help",
    "--version",
    "x",
]
# What linnet compare may write.
RESULTS = ("r.json", "r.costs.json", "r.json.partial")
BOOLEAN = [
    "x and y", "x or not y", "(" * 300, "x" * 2000, "x1 & x2 | x3", "atleast(2, x, y, z)", "not " * 500 + "x",
    "\x1b[31m", "[/]", "x y", "", "1", "~x", "x^y", " or ".join(f"x{i}" for i in range(40)),
    " and ".join(f"(a{i} or b{i})" for i in range(25)),
]  # fmt: skip


def make(random: Random) -> Case:
    source = random.choice(list(bases.FILES))
    name = random.choice([each for each, (data, _) in bases.MODELS.items() if data == source])
    files = {source: bases.data(source), "base": bases.model(name)}
    target = ["--target", "y"] if source.endswith(".csv") else []
    command = random.choice(COMMANDS)
    extra = [_path(random)] if random.random() < 0.15 else []
    match command:
        case "train":
            arguments = ["train", source, *extra, "-o", "m", *target, *options.hostile(random)]
        case "separable":
            arguments = [
                "separable",
                source,
                *extra,
                *target,
                *(options.hostile(random) if random.random() < 0.5 else []),
            ]
        case "compare":
            arguments = ["compare", source, *extra, *target, *options.comparison(random)]
        case "predict" | "evaluate" | "inspect" | "verify":
            arguments = [command, "base", source, *extra, *options.hostile(random)]
        case "boolean":
            arguments = ["boolean", *[random.choice(BOOLEAN) for _ in range(random.choice([1, 1, 2]))]]
            arguments += random.choice([[], ["--json"], options.hostile(random)])
        case "demo":
            arguments = ["demo", "--help"]
        case _:
            arguments = [command, *options.hostile(random)]
    arguments = [each.replace("\0", "") for each in arguments]
    if random.random() < 0.1:
        random.shuffle(arguments)
    steps: list[Step] = [Command(arguments, limits=Limits(seconds=30.0))]
    if command == "train" and random.random() < 0.3:
        steps.append(Command(["inspect", "m"]))
    return Case(files, steps, {"m", *RESULTS})


def _path(random: Random) -> str:
    return random.choice(
        [
            "/dev/null",
            "/dev/zero",
            ".",
            "..",
            "/",
            "",
            "nothing",
            "*.csv",
            "[",
            "base",
            "-",
            "a\nb",
            "\x1b[31m",
            words.word(random),
        ]
    )
