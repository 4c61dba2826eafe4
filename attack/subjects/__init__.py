"""What is attacked: each subject makes cases from a seeded random source."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from attack.case import Case

Subject = Callable[[Random], Case]


def subjects() -> dict[str, tuple[int, Subject]]:
    """By name, how often a subject is chosen (relative to the others) and what makes its cases."""
    from attack.subjects import (
        changing,
        checkpoints,
        commands,
        environment,
        estimators,
        files,
        frames,
        models,
        outputs,
        records,
        same_bits,
        sentences,
        signals,
    )

    return {
        **{f"files: {name}": (weight, files.of(name)) for name, weight in files.WEIGHTS.items()},
        "models": (14, models.make),
        "records": (10, records.make),
        "checkpoints": (8, checkpoints.make),
        "command lines": (12, commands.make),
        "environment": (3, environment.make),
        "signals": (3, signals.make),
        "changing files": (4, changing.make),
        "outputs": (6, outputs.make),
        "estimators": (16, estimators.make),
        "frames": (8, frames.make),
        "same bits": (6, same_bits.make),
        "sentences": (12, sentences.files),
        "models of sentences": (8, sentences.changed_models),
        "checkpoints of sentences": (5, sentences.changed_checkpoints),
    }


def chosen(random: Random) -> str:
    """The name of a subject, by their weights."""
    every = subjects()
    return random.choices(list(every), [weight for weight, _ in every.values()])[0]


def case(seed: int, number: int) -> tuple[str, Case]:
    """The case of this seed and number, and the name of its subject."""
    random = Random(f"{seed}:{number}")
    name = chosen(random)
    return name, subjects()[name][1](random)
