"""Signals at random moments: the run ends soon, says how to go on, and leaves nothing half done."""

from __future__ import annotations

import signal
from random import Random

from attack import bases, options
from attack.case import Case, Command, Limits, Step, send
from attack.formats import makers

LONG = ["--passes", "200"]


def make(random: Random) -> Case:
    number = random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE])
    seconds = random.choice([random.uniform(0, 0.2), random.uniform(0, 2.0)])
    if random.random() < 0.6:
        content = bases.data("table.csv")
        head, _, rows = content.partition(b"\n")
        files = {"data.csv": head + b"\n" + rows * random.choice([50, 500])}
        arguments = ["train", "data.csv", "--target", "y", "-o", "m"]
        if random.random() < 0.6:
            arguments += [
                "--learner",
                random.choice(["adaptive", "voted-perceptron", "pegasos", "sgd-logistic"]),
                *LONG,
                "--checkpoint-every",
                "1000",
            ]
        else:
            arguments += options.learner(random)
    else:
        data = makers()[random.choice(["parquet", "jsonl", "folder", "wide"])](random)
        files, arguments = data.files, ["train", *data.paths, "-o", "m", *data.options]
    twice = (send(number, seconds + random.uniform(0, 0.3)),) if random.random() < 0.2 else ()
    # Within seconds after the signal: the limit counts from the start.
    steps: list[Step] = [
        Command(
            arguments,
            meanwhile=(send(number, seconds), *twice),
            limits=Limits(seconds=30.0),
            fresh=random.random() < 0.1,
        )
    ]
    return Case(files, steps, {"m"})
