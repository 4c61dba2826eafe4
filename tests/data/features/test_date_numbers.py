"""Whole numbers that are dates: where name and values say so, and nowhere else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

import linnet
from linnet.data.features.schema import Role

FIRST = datetime(2021, 1, 1, tzinfo=UTC)


def frame(name, values):
    rng = np.random.default_rng(1)
    return pd.DataFrame({name: values, "x": rng.normal(size=len(values)), "y": rng.integers(0, 2, len(values))})


def moments(rows=60):
    return [FIRST + timedelta(hours=int(n)) for n in np.random.default_rng(0).integers(0, 20_000, rows)]


@pytest.mark.parametrize(
    ("name", "spelt"),
    [
        ("timestamp", lambda moment: int(moment.timestamp())),
        ("created_at", lambda moment: int(moment.timestamp() * 1000)),
        ("createdAt", lambda moment: int(moment.timestamp()) * 10**9),
        ("order date", lambda moment: int(f"{moment:%Y%m%d}")),
        ("OrderDate", lambda moment: int(f"{moment:%Y%m%d}")),
    ],
)
def test_a_column_that_is_named_and_numbered_like_dates_is_one(name, spelt):
    given = moments()
    model = linnet.train(frame(name, [spelt(each) for each in given]), target="y")
    assert model.features.schema.roles[name] is Role.DATE
    months = {f"{name} month={moment:%B}" for moment in given}
    table = model.coef
    present = table[(table["column"] == name) & table["feature"].str.contains("month=") & (table["mean"] > 0)]
    assert set(present["feature"]) == months


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("amount", [int(each.timestamp()) for each in moments()]),
        ("timestamp", [int(n) for n in np.random.default_rng(0).integers(0, 10**10, 60)]),
        ("date", [20241301 + n for n in range(60)]),
        ("day", [n % 7 for n in range(60)]),
    ],
)
def test_other_numbers_stay_what_they_are(name, values):
    assert linnet.train(frame(name, values), target="y").features.schema.roles[name] is not Role.DATE


def test_a_role_that_is_given_decides():
    data = frame("timestamp", [int(each.timestamp()) for each in moments()])
    assert (
        linnet.train(data, target="y", columns={"timestamp": "number"}).features.schema.roles["timestamp"] == "number"
    )
    counts = data.rename(columns={"timestamp": "n"})
    assert linnet.train(counts, target="y", columns={"n": "date"}).features.schema.roles["n"] == "date"
