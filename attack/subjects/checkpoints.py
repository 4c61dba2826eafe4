"""Checkpoints changed, with the checksum made right, and resumed from."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

from attack import bases, containers
from attack.case import Call, Case, Command, Step
from attack.subjects import models, records


def make(random: Random) -> Case:
    name = random.choice(list(bases.CHECKPOINTS))
    source, options = bases.CHECKPOINTS[name]
    data, _, _ = bases.checkpoint(name)
    way = random.random()
    if way < 0.4:
        data = models._changed(random, data)
    elif way < 0.95:
        metadata, parts, tensors = containers.taken_apart(data)
        for _ in range(random.choice([1, 1, 2])):
            change = random.choice([records._set_leaf, records._set_leaf, records._delete, records._add, records._grow])
            parts["content"] = change(random, parts["content"])
        data = containers.put_together(metadata, parts, tensors)
    steps: list[Step] = [
        Call(set_time, source),
        Command(["train", source, "-o", "m", *options, "--resume"]),
        Command(["predict", "m", source]),
    ]
    return Case({source: bases.data(source), "m.checkpoint": data}, steps, {"m", "m.checkpoint"})


def set_time(name: str) -> None:
    """Give the data the time that the checkpoint knows."""
    os.utime(Path(name), (bases.TIME, bases.TIME))
