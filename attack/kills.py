"""Runs killed at random moments and resumed until they end: the bytes are those of a run that never was interrupted."""

from __future__ import annotations

import gzip
import io
import signal
from random import Random

from attack import bases
from attack.case import Case, Command, Limits, Step, send

ONLINE = [
    "adaptive", "voted-perceptron", "averaged-perceptron", "pegasos", "sgd-logistic", "sgd-hinge", "perceptron",
    "passive-aggressive-1",
]  # fmt: skip
OTHERS = ["logistic-regression", "svm", "naive-bayes", "naive-bayes-gaussian", "discriminant-analysis"]
FORMATS = ("csv", "csv.gz", "svm", "jsonl", "parquet", "txt", "parts", "quarantine")


def killed(seed: int, number: int) -> tuple[str, Case]:
    """One whole run, one that is killed up to three times, and what is left after the last."""
    random = Random(f"kill:{seed}:{number}")
    form = random.choice(FORMATS)
    files, paths, given = _data(random, form)
    online = random.random() < 0.75
    learner = random.choice(ONLINE if online else OTHERS)
    given = [*given, "--learner", learner]
    if online:
        given += [
            "--passes",
            random.choice(["1", "2", "3"]),
            "--checkpoint-every",
            random.choice(["200", "1000", "3000"]),
        ]
    given += random.choice([[], ["--threads", "1"], ["--memory", "0"] if online else [], ["--holdout", "0.2"]])
    steps: list[Step] = [Command(["train", *paths, "-o", "whole", *given])]
    resume = ["--resume"] if online else []
    for turn in range(random.choice([1, 1, 2, 3])):
        arguments = ["train", *paths, "-o", "again", *given, *(resume if turn else [])]
        moment = send(signal.SIGKILL, random.uniform(0, 0.8 if turn else 1.05))
        steps.append(Command(arguments, meanwhile=(moment,), paced=True, limits=Limits(seconds=60)))
    steps.append(Command(["train", *paths, "-o", "again", *given, *resume], limits=Limits(seconds=60)))
    apart = [["whole.quarantine", "again.quarantine"]] if form == "quarantine" else []
    return f"kill {form}", Case(files, steps, {"whole", "again"}, same=[["whole", "again"], *apart])


def _data(random: Random, form: str) -> tuple[dict[str, bytes], list[str], list[str]]:
    times = random.choice([20, 100, 200])
    head, _, rows = bases.data("table.csv").partition(b"\n")
    content = head + b"\n" + rows * times
    target = ["--target", "y"]
    match form:
        case "csv":
            return {"data.csv": content}, ["data.csv"], target
        case "csv.gz":
            return {"data.csv.gz": gzip.compress(content, 1, mtime=0)}, ["data.csv.gz"], target
        case "svm":
            return {"data.svm": bases.data("rows.svm") * times}, ["data.svm"], []
        case "jsonl":
            lines = [
                b'{"t":"good film","n":1,"y":"a"}\n',
                b'{"t":"bad plot","n":2.5,"y":"b"}\n',
                b'{"t":"so so","n":0,"y":"a"}\n',
            ]
            return {"data.jsonl": b"".join(lines) * (20 * times)}, ["data.jsonl"], target
        case "parquet":
            import pyarrow.csv
            import pyarrow.parquet

            file = io.BytesIO()
            table = pyarrow.csv.read_csv(io.BytesIO(content), read_options=pyarrow.csv.ReadOptions(use_threads=False))
            pyarrow.parquet.write_table(table, file, row_group_size=500)
            return {"data.parquet": file.getvalue()}, ["data.parquet"], target
        case "txt":
            return (
                {"data.txt": b"a\tgood film\nb\tbad plot here\na\tso so\n" * (20 * times)},
                ["data.txt"],
                ["--format", "labelled-text"],
            )
        case "parts":
            return {f"{i}.csv": content for i in range(3)}, [f"{i}.csv" for i in range(3)], target
        case _:
            bad = content.replace(b"\n", b"\noops\n", 40)
            return (
                {"data.csv": head + b"\n" + bad.split(b"\n", 2)[2]},
                ["data.csv"],
                [*target, "--on-error", "quarantine"],
            )
