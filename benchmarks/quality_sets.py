"""The tables that the quality of defaults is measured on: of a folder of real data, of scikit-learn, and made here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

CLASSES, NUMBERS = "classification", "regression"
TARGET = "y"
CARS = ["mpg", "cylinders", "displacement", "horsepower", "weight", "acceleration", "year", "origin", "name"]

Frame = pd.DataFrame
Random = np.random.Generator


@dataclass(frozen=True)
class Example:
    """A table whose column `y` is to be predicted."""

    name: str
    task: str
    frame: Frame


def tables(folder: Path | None) -> Iterator[Example]:
    """Real tables: those of scikit-learn, then those of the folder."""
    yield from _bundled()
    if folder is not None:
        yield from _of_folder(folder)


def _bundled() -> Iterator[Example]:
    from sklearn import datasets

    for name in ("iris", "wine", "breast_cancer", "digits"):
        frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
        yield Example(name, CLASSES, frame.rename(columns={"target": TARGET}))
    diabetes = datasets.load_diabetes(as_frame=True, scaled=False).frame
    yield Example("diabetes", NUMBERS, diabetes.rename(columns={"target": TARGET}))
    linnerud = datasets.load_linnerud(as_frame=True)
    for name in linnerud.target:
        yield Example(f"linnerud, {name}", NUMBERS, linnerud.data.assign(**{TARGET: linnerud.target[name]}))


def _of_folder(folder: Path) -> Iterator[Example]:
    mails = pd.read_csv(folder / "spam/spambase.csv", header=None)
    yield Example("spambase", CLASSES, mails.set_axis([*(f"x{i}" for i in range(57)), TARGET], axis=1))
    parts = [pd.read_csv(folder / f"tabular/adult-{part}.csv", skipinitialspace=True) for part in ("train", "test")]
    adults = pd.concat(parts, ignore_index=True)
    yield Example(
        "adult", CLASSES, adults.assign(income=adults["income"].str.rstrip(".")).rename(columns={"income": TARGET})
    )
    for name in ("heart_scale", "mushrooms", "a9a"):
        yield _svmlight(folder / "svmlight" / name)
    regression = folder / "regression"
    cars = pd.read_csv(regression / "auto-mpg.data", sep=r"\s+", names=CARS, na_values="?")
    yield Example("auto-mpg", NUMBERS, cars.rename(columns={"mpg": TARGET}))
    for colour in ("red", "white"):
        wine = pd.read_csv(regression / f"winequality-{colour}.csv", header=None)
        wine = wine.set_axis([*(f"x{i}" for i in range(11)), TARGET], axis=1)
        yield Example(f"wine quality, {colour}", CLASSES, wine)
        yield Example(f"wine quality, {colour}", NUMBERS, wine)
    houses = pd.read_csv(regression / "california_housing.csv")
    yield Example("california housing", NUMBERS, houses.rename(columns={"median_house_value": TARGET}))


def _svmlight(path: Path) -> Example:
    """Every id a column of numbers."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(path))
    frame = pd.DataFrame(X.toarray(), columns=[f"x{i + 1}" for i in range(X.shape[1])])
    return Example(path.name, CLASSES, frame.assign(**{TARGET: y.astype(int)}))


# -- unlike tables, made here ------------------------------------------------------------------------------------------


def odd_tables(seed: int) -> Iterator[Example]:
    """Each oddity as a table of classes and as one of numbers, which follow from the seed."""
    for number, (name, make) in enumerate(ODDITIES.items()):
        random = np.random.default_rng([seed, number])
        frame, score = make(random)
        score = (score - score.mean()) / score.std()
        noisy = score + 0.7 * random.standard_normal(len(score))
        yield Example(name, NUMBERS, frame.assign(**{TARGET: noisy}))
        bound = np.quantile(noisy, 0.999) if "imbalance" in name else np.quantile(noisy, 0.6)
        yield Example(name, CLASSES, frame.assign(**{TARGET: np.where(noisy > bound, "yes", "no")}))


def _normal(random: Random, rows: int, columns: int) -> tuple[Frame, np.ndarray]:
    X = random.standard_normal((rows, columns))
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(columns)])
    return frame, X @ random.standard_normal(columns)


def _heavy_tails(random: Random) -> tuple[Frame, np.ndarray]:
    X = random.standard_t(1.5, (2000, 8))
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(8)]), np.tanh(X) @ random.standard_normal(8)


def _log_normal(random: Random) -> tuple[Frame, np.ndarray]:
    logs = random.standard_normal((2000, 6)) * 2
    return pd.DataFrame(np.exp(logs), columns=[f"x{i}" for i in range(6)]), logs @ random.standard_normal(6)


def _many_levels(random: Random) -> tuple[Frame, np.ndarray]:
    levels = np.minimum(random.geometric(0.004, 6000), 1000) - 1
    x = random.standard_normal(6000)
    score = random.standard_normal(1000)[levels] + 0.5 * x
    return pd.DataFrame({"level": [f"shop {level}" for level in levels], "x": x}), score


def _missing_blocks(random: Random) -> tuple[Frame, np.ndarray]:
    frame, score = _normal(random, 1500, 9)
    which = random.random(1500) < 0.4
    frame.loc[which, ["x0", "x1", "x2"]] = np.nan
    frame.loc[random.random(1500) < 0.1, "x5"] = np.nan
    return frame, score + 1.5 * which


def _collinear(random: Random) -> tuple[Frame, np.ndarray]:
    frame, score = _normal(random, 800, 5)
    return frame.assign(twin=frame["x0"] * 3, sum=frame["x1"] + frame["x2"], near=frame["x3"] + 1e-9), score


def _constant(random: Random) -> tuple[Frame, np.ndarray]:
    frame, score = _normal(random, 600, 4)
    return frame.assign(one=1.0, word="same", nearly=(np.arange(600) == 7) * 1.0), score


def _scales(random: Random) -> tuple[Frame, np.ndarray]:
    frame, score = _normal(random, 900, 8)
    scales, shifts = 10.0 ** random.uniform(-12, 12, 8), 10.0 ** random.uniform(-3, 6, 8)
    return frame * scales + scales * shifts, score


def _few_rows(random: Random) -> tuple[Frame, np.ndarray]:
    frame, score = _normal(random, 30, 4)
    level = random.integers(0, 3, 30)
    return frame.assign(kind=np.array(["a", "b", "c"])[level]), score + level


def _wide(random: Random) -> tuple[Frame, np.ndarray]:
    frame, _ = _normal(random, 100, 300)
    return frame, frame.iloc[:, :5].sum(axis=1).to_numpy()


def _imbalance(random: Random) -> tuple[Frame, np.ndarray]:
    return _normal(random, 20_000, 5)


def _dates(random: Random) -> tuple[Frame, np.ndarray]:
    days = pd.Timestamp("2019-01-01") + pd.to_timedelta(random.integers(0, 1500 * 24, 3000), unit="h")
    score = (
        1.5 * (days.dayofweek >= 5) + np.sin(2 * np.pi * days.month / 12) + 0.001 * (days.year - 2020) + days.hour / 24
    )
    return pd.DataFrame({"when": days.strftime("%Y-%m-%d %H:%M"), "x": random.standard_normal(3000)}), score.to_numpy()


def _codes(random: Random) -> tuple[Frame, np.ndarray]:
    region, grade = random.integers(1, 13, 2500), random.integers(0, 5, 2500)
    score = random.standard_normal(13)[region] + 0.4 * grade
    return pd.DataFrame({"region": region, "grade": grade, "x": random.standard_normal(2500)}), score


def _flags(random: Random) -> tuple[Frame, np.ndarray]:
    on = random.random((1500, 12)) < random.uniform(0.02, 0.5, 12)
    words = np.where(on, "yes", "no")
    return pd.DataFrame(words, columns=[f"flag {i}" for i in range(12)]), on @ random.standard_normal(12)


def _mixed(random: Random) -> tuple[Frame, np.ndarray]:
    frame, score = _normal(random, 3000, 4)
    kinds = [random.integers(0, n, 3000) for n in (3, 20, 150)]
    for number, levels in enumerate(kinds):
        score = score + random.standard_normal(150)[levels]
        frame[f"kind {number}"] = [f"k{level}" for level in levels]
    return frame.assign(price=np.round(np.exp(random.standard_normal(3000)), 2)), score


ODDITIES: dict[str, Callable[[Random], tuple[Frame, np.ndarray]]] = {
    "heavy tails": _heavy_tails,
    "log-normal": _log_normal,
    "1,000 levels": _many_levels,
    "missing in blocks": _missing_blocks,
    "collinear": _collinear,
    "constant columns": _constant,
    "scales 1e-12 to 1e12": _scales,
    "30 rows": _few_rows,
    "300 columns, 100 rows": _wide,
    "imbalance 1:1000": _imbalance,
    "dates": _dates,
    "integer codes": _codes,
    "flags": _flags,
    "mixed": _mixed,
}
