"""Data files of every format, given to every command that reads them."""

from __future__ import annotations

from random import Random

from attack import bases, options
from attack.case import MEGABYTE, Case, Command, Limits, Step
from attack.formats import Data, makers
from attack.mutations import compressed
from attack.subjects import Subject

WEIGHTS = {
    "csv": 12,
    "jsonl": 12,
    "svmlight": 8,
    "vw": 6,
    "labelled": 8,
    "parquet": 12,
    "folder": 5,
    "mail": 8,
    "wide": 8,
}
# Models that can take a format's columns: none has them all, and reading is tried all the same.
# Rows of wide tables may take as much as is allowed, 1 GB, beside the program, blocks that are read, and names.
WIDE = Limits(seconds=40.0, memory=1600 * MEGABYTE)


def of(form: str) -> Subject:
    """The subject of one format."""

    def make(random: Random) -> Case:
        data = makers()[form](random)
        if len(data.files) == 1 and form != "wide" and random.random() < 0.12:
            data = _packed(random, data)
        if len(data.files) == 1 and random.random() < 0.08:
            data = _piped(data)
        return Case(data.files, _steps(random, data, WIDE if form == "wide" else Limits()), {"m"}, folders=data.folders)

    return make


def _packed(random: Random, data: Data) -> Data:
    ((name, content),) = data.files.items()
    suffix, made = compressed(random, content)
    return Data({name + suffix: made}, [name + suffix], data.options)


def _piped(data: Data) -> Data:
    ((_, content),) = data.files.items()
    return Data({}, ["-"], data.options, stdin=content)


def _steps(random: Random, data: Data, limits: Limits) -> list[Step]:
    def command(*arguments: str) -> Command:
        return Command(list(arguments), data.stdin, limits=limits)

    if random.random() < 0.1:
        form = [each for each in data.options if each.startswith("--format")]
        return [command("separable", *data.paths, *_target(data), *form)]
    if random.random() < 0.15:
        name = random.choice(list(bases.MODELS))
        data.files["base"] = bases.model(name)
        act = random.choice(["predict", "predict", "evaluate", "inspect", "verify"])
        return [
            command(
                act, "base", *data.paths, *(random.choice([[], ["--on-error", "skip"]]) if act != "inspect" else [])
            )
        ]
    steps: list[Step] = [command("train", *data.paths, "-o", "m", *data.options, *options.sensible(random))]
    if random.random() < 0.5:
        steps.append(
            command(
                "predict", "m", *data.paths, "--as", random.choice(["csv", "jsonl", "labels"]), "--on-error", "skip"
            )
        )
    if random.random() < 0.3:
        steps.append(command(random.choice(["evaluate", "verify"]), "m", *data.paths, "--on-error", "skip"))
    if random.random() < 0.3:
        steps.append(command("inspect", "m", *random.choice([[], data.paths, ["--json"], ["--features", "*"]])))
    return steps


def _target(data: Data) -> list[str]:
    at = data.options.index("--target") if "--target" in data.options else None
    return [] if at is None else data.options[at : at + 2]
