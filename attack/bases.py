"""Sound models and checkpoints to begin from, one of every kind, trained when first asked for and kept for the run."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path
from random import Random

from attack.case import Case, Command
from attack.process import run

ROWS = 60


def _csv() -> bytes:
    random = Random(1)
    lines = ["n,c,t,y"]
    for _ in range(ROWS):
        kind = random.choice("ab")
        text = " ".join(random.choice(["good", "bad", "film", "plot", kind]) for _ in range(5))
        lines.append(f"{random.gauss(kind == 'a', 1):.3f},{random.choice(['red', 'blue'])},{text},{kind}")
    return "\n".join(lines).encode() + b"\n"


def _numbers() -> bytes:
    random = Random(2)
    lines = ["u,v,y"]
    for _ in range(ROWS):
        u, v = random.gauss(0, 1), random.gauss(0, 1)
        lines.append(f"{u:.3f},{v:.3f},{2 * u - v + random.gauss(0, 0.1):.3f}")
    return "\n".join(lines).encode() + b"\n"


def _svmlight() -> bytes:
    random = Random(3)
    lines = []
    for _ in range(ROWS):
        ids = sorted({random.randrange(1, 20) for _ in range(5)})
        lines.append(" ".join([random.choice(["1", "2", "3"]), *(f"{i}:1" for i in ids)]))
    return "\n".join(lines).encode() + b"\n"


def _simple() -> bytes:
    random = Random(4)
    lines = ["u,v,y"]
    for _ in range(ROWS):
        kind = random.choice("ab")
        lines.append(f"{random.random() + 3 * (kind == 'a'):.3f},{random.random():.3f},{kind}")
    return "\n".join(lines).encode() + b"\n"


FILES = {"simple.csv": _simple, "table.csv": _csv, "numbers.csv": _numbers, "rows.svm": _svmlight}
COLUMNS = ["--column", "c:category", "--column", "t:text"]
# The data and the options that make each model.
MODELS: dict[str, tuple[str, list[str]]] = {
    "table": ("table.csv", ["--target", "y", *COLUMNS]),
    "calibrated": ("table.csv", ["--target", "y", *COLUMNS, "--calibrate", "isotonic", "--holdout", "0.3"]),
    "costs": ("table.csv", ["--target", "y", *COLUMNS, "--cost", "a,b=3", "--reject", "0.4"]),
    "threshold": ("table.csv", ["--target", "y", *COLUMNS, "--threshold-for", "f1:a", "--holdout", "0.3"]),
    "crossed": ("table.csv", ["--target", "y", *COLUMNS, "--cross", "c,n", "--hash-bits", "6"]),
    "adaptive": ("table.csv", ["--target", "y", *COLUMNS, "--learner", "adaptive"]),
    "voted": ("table.csv", ["--target", "y", *COLUMNS, "--learner", "voted-perceptron"]),
    "perceptron": ("table.csv", ["--target", "y", "--learner", "perceptron"]),
    "separable": ("simple.csv", ["--target", "y", "--learner", "perceptron", "--passes", "20", "--holdout", "0"]),
    "winnow": ("rows.svm", ["--learner", "winnow2"]),
    "bayes": ("table.csv", ["--target", "y", "--learner", "naive-bayes", "--column", "n:ignore", *COLUMNS]),
    "least-squares": ("numbers.csv", ["--target", "y", "--polynomial", "2"]),
    "ridge": ("numbers.csv", ["--target", "y", "--learner", "ridge"]),
    "widrow-hoff": ("numbers.csv", ["--target", "y", "--learner", "widrow-hoff"]),
    "numbered": ("rows.svm", []),
    "pairwise": ("rows.svm", ["--learner", "svm", "--multiclass", "pairwise"]),
    "conjunctions": ("rows.svm", ["--conjunctions", "2", "--learner", "averaged-perceptron"]),
}
CHECKPOINTS: dict[str, tuple[str, list[str]]] = {
    name: (data, [*options, "--checkpoint-every", "20", "--learner", learner])
    for name, data, options, learner in (
        ("table", "table.csv", ["--target", "y", *COLUMNS], "adaptive"),
        ("voted", "table.csv", ["--target", "y", *COLUMNS], "voted-perceptron"),
        ("hashed", "table.csv", ["--target", "y", *COLUMNS, "--hash-bits", "6"], "averaged-perceptron"),
        ("numbers", "numbers.csv", ["--target", "y"], "widrow-hoff"),
        ("numbered", "rows.svm", ["--passes", "2"], "passive-aggressive-1"),
    )
}


def data(name: str) -> bytes:
    """The content of a file that a model was trained on."""
    return FILES[name]()


@cache
def model(name: str) -> bytes:
    """A model as `linnet train` writes it."""
    source, options = MODELS[name]
    return _trained(source, options, "m")


@cache
def checkpoint(name: str) -> tuple[bytes, str, float]:
    """A checkpoint, written while the run was under way; the data it is of, and their time."""
    source, options = CHECKPOINTS[name]
    return _trained(source, options, "m.checkpoint", keep_checkpoint=True), source, TIME


TIME = 1_700_000_000.0


def _trained(source: str, options: list[str], wanted: str, *, keep_checkpoint: bool = False) -> bytes:
    with tempfile.TemporaryDirectory(prefix="linnet-attack-base-") as top:
        folder, scratch = Path(top, "files"), Path(top, "scratch")
        folder.mkdir()
        scratch.mkdir()
        Case({source: data(source)}, []).write(folder)
        os.utime(folder / source, (TIME, TIME))
        if (
            keep_checkpoint
        ):  # its last one is deleted at the end of a run; so that it stays, the folder has a second name for it
            return _checkpoint_of(source, options, folder, scratch)
        outcome = run(Command(["train", source, "-o", "m", *options]), folder, scratch)
        if outcome.code != 0:
            raise RuntimeError(f"the model to begin from cannot be trained: {outcome.stderr.decode()}")
        return (folder / wanted).read_bytes()


def _checkpoint_of(source: str, options: list[str], folder: Path, scratch: Path) -> bytes:
    """Train with a `remove` that keeps the checkpoint."""
    from attack.case import Call

    def keeping(_: None) -> None:
        import sys

        import linnet.pipeline.trainers.checkpoint_file as checkpoint_file
        from linnet.__main__ import main

        checkpoint_file.remove = lambda _: None
        sys.argv = ["linnet", "train", source, "-o", "m", *options]
        main()

    outcome = run(Call(keeping), folder, scratch)
    path = folder / "m.checkpoint"
    if not path.exists():
        raise RuntimeError(f"the checkpoint to begin from cannot be made: {outcome.stderr.decode()}")
    return path.read_bytes()
