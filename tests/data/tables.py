"""Random tables as business files have them, written in every form that linnet reads."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

MISSING = ("", "NA", "n/a", "-", "?", "unknown", "None", "NULL", "nan")


def table(seed: int, rows: int = 120) -> dict[str, list]:
    """A table by column: Python values where formats have a type for them, strings as files spell the rest."""
    rng = np.random.default_rng(seed)
    days = [date(2019, 3, 2) + timedelta(days=int(n)) for n in rng.integers(0, 900, rows)]
    moments = [datetime(2021, 1, 1) + timedelta(seconds=int(n)) for n in rng.integers(0, 10**7, rows)]
    amounts = np.round(rng.lognormal(6, 2, rows), 2)
    x = np.round(rng.normal(size=rows), 6)
    y = x + 0.3 * rng.normal(size=rows) > 0

    def holed(values: list) -> list:
        return [None if gone else value for gone, value in zip(rng.random(rows) < 0.1, values, strict=True)]

    def marked(values: list) -> list:
        return [
            MISSING[int(n)] if gone else value
            for gone, n, value in zip(rng.random(rows) < 0.1, rng.integers(0, len(MISSING), rows), values, strict=True)
        ]

    return {
        "row": list(range(1, rows + 1)),
        "x": x.tolist(),
        "count": holed(rng.integers(0, 9, rows).tolist()),
        "ratio": holed((rng.integers(0, 100, rows) / 7).tolist()),
        "dollars": marked([f"${value:,.2f}" if value < 900 else f"(${value:,.2f})" for value in amounts]),
        "euros": marked([f"{value:,.2f} €".translate(str.maketrans(",.", ".,")) for value in amounts]),
        "share": marked([f"{value % 100:.1f}%" for value in amounts]),
        "mass": marked([f"{value:.1f} kg" for value in amounts % 50]),
        "spelt": marked([repr(float(value)) for value in amounts]),
        "flag": holed((rng.random(rows) < 0.4).tolist()),
        "smoker": marked(["Yes" if value < 0.3 else "No" for value in rng.random(rows)]),
        "day": holed(days),
        "moment": holed(moments),
        "logged": marked([f"{each:%Y-%m-%dT%H:%M:%S}{'.25' if i % 3 else ''}Z" for i, each in enumerate(moments)]),
        "german": marked([f"{each:%d.%m.%Y}" for each in days]),
        "american": marked([f"{each:%m/%d/%Y}" for each in days]),
        "named": marked([f"{each:%d %b %Y}" for each in days]),
        "colour": marked([("red", "green", "blue")[int(n)] for n in rng.integers(0, 3, rows)]),
        "text": [" ".join(("good", "bad", "fair", "film")[int(n)] for n in rng.integers(0, 4, 6)) for _ in range(rows)],
        "code": [f"K{n:05d}" for n in rng.permutation(rows)],
        "visits": marked([magnitude(value) for value in rng.lognormal(9, 4, rows)]),
        "budget": marked([f"${magnitude(value)}" for value in rng.lognormal(9, 4, rows)]),
        "y": ["yes" if each else "no" for each in y],
    }


def magnitude(value: float) -> str:
    """A number as people write large ones: 800, 12k, 1.2M, 3.4B."""
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}" if value < 999 * size else f"{value / size:.0f}{letter}"
    return f"{value:.0f}"


def spelt(value) -> str:
    """A value as a file of text has it."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date) else str(value)


def delimited(columns: dict[str, list], sign: str) -> str:
    quoted = {name: [_quoted(spelt(value), sign) for value in values] for name, values in columns.items()}
    rows = [sign.join(columns), *(sign.join(row) for row in zip(*quoted.values(), strict=True))]
    return "\n".join(rows) + "\n"


def _quoted(text: str, sign: str) -> str:
    return f'"{text}"' if sign in text else text


def json_lines(columns: dict[str, list]) -> str:
    plain = {
        name: [spelt(value) if isinstance(value, date) else value for value in values]
        for name, values in columns.items()
    }
    return "".join(json.dumps(dict(zip(plain, row, strict=True))) + "\n" for row in zip(*plain.values(), strict=True))


def cut(columns: dict[str, list], cuts: list[int]) -> list[dict[str, list]]:
    """The table cut before these rows."""
    rows = len(next(iter(columns.values())))
    ends = [0, *cuts, rows]
    return [{name: values[a:b] for name, values in columns.items()} for a, b in pairwise(ends)]


def files(columns: dict[str, list], form: str, folder, cuts: tuple[int, ...] = ()) -> list[str]:
    """The table as files of this form."""
    paths = []
    folder.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(cut(columns, list(cuts))):
        path = folder / f"part{number}.{form}"
        if form == "parquet":
            pq.write_table(pa.table(part, schema=pa.table(columns).schema), path)
        else:
            text = json_lines(part) if form == "jsonl" else delimited(part, "," if form == "csv" else "\t")
            path.write_text(text)
        paths.append(str(path))
    return paths


FILES = ("csv", "tsv", "jsonl", "parquet")
FRAMES = ("arrow", "pandas", "polars")


def form_of(columns: dict[str, list], form: str, folder, cuts: tuple[int, ...] = ()):
    """The table in this form, as `linnet.train` takes it."""
    if form in FILES:
        return files(columns, form, folder / f"{form}{len(cuts)}", cuts)
    if form == "arrow":
        return pa.table(columns)
    return pd.DataFrame(columns) if form == "pandas" else pl.DataFrame(columns, strict=False)


def dictionaries(columns: dict[str, list]) -> list[dict]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def utc(moment: datetime) -> float:
    """Seconds since 1970, by Python."""
    return moment.replace(tzinfo=UTC).timestamp()
