"""Frames, dictionaries and arrays to `linnet.train` and to a model's methods."""

from __future__ import annotations

import warnings
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any

import numpy as np

from attack import bases, words
from attack.case import Call, Case, Limits
from attack.subjects.estimators import hostile_matrix, hostile_target

CELLS = [
    1,
    0,
    -1,
    2.5,
    float("nan"),
    float("inf"),
    None,
    "a",
    "",
    "\x1b[31m",
    True,
    b"x",
    [1],
    {"a": 1},
    object,
    10**30,
    1e308,
    "1",
    "x" * 5000,
    ("a",),
]


def make(random: Random) -> Case:
    name = random.choice(list(bases.MODELS))
    return Case({"base": bases.model(name)}, [Call(attack_frames, random.random(), Limits(seconds=30.0))])


def attack_frames(seed: float) -> None:
    """Train on something that is called a table, or give it to a model that is sound."""
    import linnet

    warnings.simplefilter("ignore")
    random = Random(seed)
    generator = np.random.default_rng(random.randrange(2**32))
    if random.random() < 0.5:
        model = linnet.train(
            _data(random, generator, target=True),
            target=random.choice(["y", "y", "y", None, "nothing", 5]),
            **_options(random),
        )
    else:
        model = linnet.load("base")
    for _ in range(3):
        data = _data(random, generator, target=random.random() < 0.5)
        method = random.choice(["predict", "predict_proba", "evaluate"])
        with suppress(ValueError, TypeError):
            getattr(model, method)(data)
    str(model), repr(model), str(model.certificate)


def _options(random: Random) -> dict[str, Any]:
    pool: list[dict[str, Any]] = [
        {}, {}, {"learner": "adaptive"}, {"learner": random.choice(_learners())}, {"threads": 2}, {"holdout": 0},
        {"holdout": float("nan")}, {"passes": 2.5}, {"columns": {"n": "text"}}, {"columns": {"nothing": "number"}},
        {"columns": 5}, {"costs": {("a", "b"): -1}}, {"class_weight": {"a": "x"}}, {"ngrams": (1, 2, 3)},
        {"ngrams": "2-1"}, {"memory": "0"}, {"memory": -1}, {"seed": -1}, {"seed": 1.5}, {"nonsense": 1},
        {"on_error": "skip"}, {"polynomial": 3}, {"hash_bits": 40}, {"task": "regression"}, {"calibrate": "sigmoid"},
        {"crosses": [["n", "c"]]}, {"crosses": "n"},
    ]  # fmt: skip
    return random.choice(pool)


@cache
def _learners() -> list[str]:
    from linnet.learners import catalogue

    return [entry.name for entry in catalogue.entries()]


def _data(random: Random, generator: Any, *, target: bool) -> Any:
    rows = random.choice([0, 1, 2, 12, 40])
    table: dict[Any, Any] = {
        name: _column(random, rows, name) for name in ("n", "c", "t", "u", "v") if random.random() < 0.8
    }
    if random.random() < 0.2:
        table[random.choice([words.word(random), 5, None, ("a", "b"), b"x"])] = _column(random, rows, "x")
    if target:
        table["y"] = [random.choice("ab") for _ in range(rows)] if random.random() < 0.8 else _column(random, rows, "x")
    form = random.randrange(9)
    try:
        if form == 0:
            import pandas as pd

            frame = pd.DataFrame(table)
            if random.random() < 0.2 and len(frame.columns) > 1:
                frame.columns = [frame.columns[0]] * len(frame.columns)
            return frame
        if form == 1:
            import polars as pl

            return pl.DataFrame(table, strict=False)
        if form == 2:
            import pyarrow as pa

            return pa.table(table)
    except Exception:  # a frame that cannot be made is no concern of ours
        return table
    if form == 3:
        return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=False)]
    if form == 4:
        return hostile_matrix(random, generator, rows, random.choice([2, 20])), hostile_target(random, generator, rows)
    if form == 5:
        return random.choice(
            [
                None,
                5,
                "nothing.csv",
                [],
                {},
                [[]],
                b"x",
                ["a\0b"],
                object(),
                (),
                [None],
                {"n": 5},
                {"n": None},
                {5: [1]},
                iter([1]),
                float,
            ]
        )
    return table


def _column(random: Random, rows: int, name: str) -> Any:
    length = rows if random.random() < 0.95 else rows + 1
    if random.random() < 0.5:
        plain = {
            "n": lambda: random.gauss(0, 1),
            "c": lambda: random.choice(["red", "blue"]),
            "t": lambda: words.text(random),
        }
        return [plain.get(name, lambda: random.gauss(0, 1))() for _ in range(length)]
    return [random.choice(CELLS) for _ in range(length)]
