"""Taggers and parsers: files of sentences, models and checkpoints, changed, given to every command that takes them."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from random import Random

from attack import containers
from attack.case import Call, Case, Command, Limits, Step
from attack.formats import sentences
from attack.mutations import compressed, mutated
from attack.process import run
from attack.subjects import models, records

# What makes each of the sound ones, after the name of their data.
STRUCTURES: dict[str, tuple[str, str, list[str]]] = {
    "tags": ("tag", "conllu", ["--passes", "2"]),
    "spans": ("tag", "columns", ["--passes", "2", "--dictionary", "2"]),
    "aggressive": ("tag", "jsonl", ["--update", "passive-aggressive", "--passes", "2"]),
    "trigrams": ("tag", "columns", ["--order", "2", "--passes", "2"]),
    "greedy": ("parse", "conllu", ["--passes", "2"]),
    "beam": ("parse", "conllu", ["--passes", "2", "--beam", "3"]),
    "eisner": ("parse", "conllu", ["--passes", "2", "--decoder", "eisner"]),
}
LIMITS = Limits(seconds=30.0)


def files(random: Random) -> Case:
    """A file of sentences, sound or not."""
    command = random.choice(["tag", "tag", "parse"])
    form = "conllu" if command == "parse" else random.choice(sentences.FORMS)
    content = sentences.made(random, form, random.choice([0, 1, 2, 12, 60]))
    if random.random() < 0.75:
        content = mutated(random, content, sentences.PIECES)
    name = random.choice(["data", "data.conllu", "data.jsonl", "data.txt"])
    if random.random() < 0.1:
        suffix, content = compressed(random, content)
        name += suffix
    given = [] if random.random() < 0.6 else ["--on-error", "skip"]
    own = [] if command == "parse" or random.random() < 0.7 else ["--format", form]
    inside = {name: content}
    if random.random() < 0.3:
        kind = random.choice([each for each, row in STRUCTURES.items() if row[0] == command])
        inside["m"] = model(kind)
        return Case(inside, _uses(random, command, "m", name, [*given, *own]))
    options = random.choice(
        [each for one, _, each in STRUCTURES.values() if one == command] + [[], ["--passes", "1", "--seed", "7"]]
    )
    steps: list[Step] = [Command([command, "train", name, "-o", "m", *options, *given, *own], limits=LIMITS)]
    return Case(inside, [*steps, *_uses(random, command, "m", name, given)], {"m"})


def changed_models(random: Random) -> Case:
    """A model of somebody else."""
    kind = random.choice(list(STRUCTURES))
    command, form, _ = STRUCTURES[kind]
    bad = _changed(random, model(kind), records_too=True)
    return Case({"bad": bad, "data": data(form)}, _uses(random, command, "bad", "data", []))


def changed_checkpoints(random: Random) -> Case:
    """A checkpoint of somebody else, resumed from."""
    kind = random.choice(list(STRUCTURES))
    command, form, options = STRUCTURES[kind]
    bad = _changed(random, checkpoint(kind), records_too=True)
    steps: list[Step] = [
        Command([command, "train", "data", "-o", "m", *options, "--checkpoint-every", "5", "--resume"], limits=LIMITS),
        Command([command, "predict", "m", "data"], limits=LIMITS),
    ]
    return Case({"data": data(form), "m.checkpoint": bad}, steps, {"m", "m.checkpoint"})


def _changed(random: Random, content: bytes, *, records_too: bool) -> bytes:
    if not records_too or random.random() < 0.5:
        return models._changed(random, content)
    metadata, parts, tensors = containers.taken_apart(content)
    for _ in range(random.choice([1, 1, 2, 4])):
        change = random.choice([records._set_leaf, records._set_leaf, records._delete, records._add, records._grow])
        parts["content"] = change(random, parts["content"])
    try:
        return containers.put_together(metadata, parts, tensors)
    except (TypeError, KeyError):
        return content


def _uses(random: Random, command: str, given: str, source: str, options: list[str]) -> list[Step]:
    every = [
        [command, "predict", given, source, *options],
        [command, "evaluate", given, source, *options],
        [command, "evaluate", given, source, "--json", *options],
        ["inspect", given],
        ["inspect", given, "--json"],
        [command, "predict", given],
    ]
    if command == "tag":
        every.append(["tag", "predict", given, source, random.choice(["--margins", "--best=3"]), *options])
        every.append(["inspect", given, source, "--row", str(random.randrange(1, 9))])
    else:
        every.append(["parse", "show", source, "--model", given, "--count", random.choice(["1", "5", "1000000"])])
    stdin = b"the cat sat on the mat .\n\nAnna 2024 .\n"
    return [Command(each, stdin, limits=LIMITS) for each in random.sample(every, random.choice([1, 2, 3]))]


@cache
def data(form: str) -> bytes:
    """Sound sentences to begin from."""
    return sentences.made(Random(5), form, 40)


@cache
def model(kind: str) -> bytes:
    """A model as `linnet tag train` or `linnet parse train` writes it."""
    return _trained(kind, "m")


@cache
def checkpoint(kind: str) -> bytes:
    """A checkpoint, written while the run was under way."""
    return _trained(kind, "m.checkpoint")


def _trained(kind: str, wanted: str) -> bytes:
    command, form, options = STRUCTURES[kind]

    def train(_: None) -> None:
        import os
        import sys

        from linnet.__main__ import main

        remove = os.remove
        os.remove = lambda path: None if str(path).endswith(".checkpoint") else remove(path)
        sys.argv = ["linnet", command, "train", "data", "-o", "m", *options, "--checkpoint-every", "5"]
        main()

    with tempfile.TemporaryDirectory(prefix="linnet-attack-base-") as top:
        folder, scratch = Path(top, "files"), Path(top, "scratch")
        folder.mkdir()
        scratch.mkdir()
        Case({"data": data(form)}, []).write(folder)
        outcome = run(Call(train), folder, scratch)
        if not (folder / wanted).exists():
            raise RuntimeError(f"the structure to begin from cannot be trained: {outcome.stderr.decode()}")
        return (folder / wanted).read_bytes()
