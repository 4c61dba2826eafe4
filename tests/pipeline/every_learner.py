"""Every row of the catalogue on tables and on svmlight files, as digests of the model files.

Run as a program, it prints them as JSON: so they can be made with other cores and other BLAS threads.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np

from linnet.learners import catalogue
from linnet.pipeline.train import TrainOptions, train
from tests.pipeline.making import write_csv, write_svmlight

KINDS = ("two", "four", "numbers")
WORDS = ["good", "bad", "fine", "dull", "plot", "actor", "scène", "long", "很好", "the", "a", "of"]
PARTS = (1, 2, 7, 50)


def mixed_rows(kind, n, *, boolean):
    """Numbers, categories, text, and missing values of all of them; no column is dense, and targets are noisy."""
    rng = np.random.default_rng(7)
    rows = []
    for i in range(n):
        size, age = rng.normal(size=2).tolist()
        colour, words = str(rng.choice(["red", "green", "blue"])), rng.choice(WORDS, size=4).tolist()
        score = size - 0.5 * age + (colour == "red") + 0.7 * ("good" in words) - 0.7 * ("bad" in words)
        score += 0.5 * float(rng.normal())
        if boolean:
            size, age = float(size > 0), float(age > 0)
        rows.append(
            {
                "size": None if rng.random() < 0.1 else round(size, 4),
                "age": round(age, 3),
                "colour": None if rng.random() < 0.1 else colour,
                "text": " ".join(words) if i % 11 else None,
                "y": _target(kind, score),
            }
        )
    return rows


def _target(kind, score):
    if kind == "numbers":
        return round(0.001 + float(np.exp(score / 3)), 3)  # above 0, for learners of counts and amounts
    # the alphabet's first label comes late, so that classes change their sides in a stream
    return ["no", "but", "maybe", "yes"][int(np.clip(np.floor(score + 2), 0, 3))] if kind == "four" else (
        "yes" if score > 0 else "no"
    )  # fmt: skip


def numbered_rows(kind, n, *, boolean):
    rng = np.random.default_rng(8)
    X = np.round(rng.normal(size=(n, 12)) * (rng.random((n, 12)) < 0.6), 3)
    X[:, [0, 5]] = 0.0  # columns that no row has
    score = X @ rng.normal(size=12) + 0.5 * rng.normal(size=n)
    y = {
        "two": (score > 0) + 1.0,
        "four": np.clip(np.floor(score + 2), 0, 3),
        "numbers": np.round(0.001 + np.exp(score / 3), 3),
    }[kind]
    return ((X > 0).astype(float) if boolean else X), y


def write_data(folder, n, kinds=KINDS, parts_of=PARTS):
    """Every kind of rows in 1, 2, 7 and 50 files."""
    folder = Path(folder)
    for kind in kinds:
        for boolean in (False, True):
            rows, (X, y) = mixed_rows(kind, n, boolean=boolean), numbered_rows(kind, n, boolean=boolean)
            for parts in parts_of:
                cuts = np.linspace(0, n, parts + 1).astype(int).tolist()
                for number, (a, b) in enumerate(pairwise(cuts)):
                    name = f"{kind}-{boolean}-{parts}-{number:02d}"
                    write_csv(folder / f"{name}.csv", rows[a:b])
                    write_svmlight(folder / f"{name}.svm", X[a:b], y[a:b])


def cases(learners=None, kinds=KINDS):
    """(learner, kind, suffix) of every row of the catalogue that can learn such data."""
    for entry in catalogue.entries():
        if learners is not None and entry.name not in learners:
            continue
        for kind in kinds:
            if ("regression" if kind == "numbers" else "classification") in map(str, entry.tasks):
                yield from ((entry.name, kind, suffix) for suffix in ("csv", "svm"))


def files(folder, case, parts=1):
    name, kind, suffix = case
    boolean = catalogue.find(name).values is not None
    return sorted(str(path) for path in Path(folder).glob(f"{kind}-{boolean}-{parts}-*.{suffix}"))


def digest(data, case, **options):
    """The model file, hashed; columns, types and task are inferred."""
    name, _, suffix = case
    target = "y" if suffix == "csv" else None
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "model.linnet"
        train(data, TrainOptions(learner=name, target=target, **options)).save(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    where, learners, kinds = sys.argv[1:]
    asked = cases(learners.split(",") if learners else None, kinds.split(","))
    print(json.dumps({",".join(case): digest(files(where, case), case) for case in asked}))
