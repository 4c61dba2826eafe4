"""The default of linnet.train for numbers beside RidgeCV: python benchmarks/defaults_regression.py --data FOLDER.

Every set is cut to 40, 200 and 1,000 training rows and taken in full (texts to 4,000 rows, beyond which RidgeCV needs
a table of more than 100 MB and minutes).  Both are given the same frame, fitted and asked for predictions of the same
test rows; R² is compared row by row on these, so its standard error is that of the difference.
Seconds are those of the processor, of both on one thread: others may use the machine, too.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is loaded

import numpy as np
import pandas as pd
import typer
from rich.console import Console
from rich.table import Table

import linnet

TEXT, TARGET = "text", "y"
CUTS = (40, 200, 1000)
MOST_TEXTS = 4000
MOST_TESTED = 2000
# Cuts are drawn this often: which rows there are decides more than which are tested.
DRAWN = {40: 10, 200: 10, 1000: 5}
ALPHAS = np.logspace(-3, 5, 17)

Frame = pd.DataFrame
Predicted = np.ndarray


@dataclass(frozen=True)
class Compared:
    """R² of both on one set, the standard error of its difference, and seconds."""

    name: str
    rows: int
    ours: float
    theirs: float
    error: float
    our_time: float
    their_time: float

    @property
    def lost(self) -> bool:
        """Whether the loss exceeds two standard errors."""
        return self.ours - self.theirs < -2 * self.error


# -- sets --------------------------------------------------------------------------------------------------------------


def tables(folder: Path | None) -> Iterator[tuple[str, Frame]]:
    """Tables with a number to predict, in the column `y`."""
    from sklearn.datasets import load_diabetes

    yield "diabetes", load_diabetes(as_frame=True, scaled=False).frame.rename(columns={"target": TARGET})
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 150))
    y = X @ (rng.standard_normal(150) * (rng.random(150) < 0.2)) + 3 * rng.standard_normal(3000)
    yield "synthetic, 150 columns", pd.DataFrame(X, columns=[f"x{i}" for i in range(150)]).assign(**{TARGET: y})
    if folder is None:
        return
    regression = folder / "regression"
    names = ["mpg", "cylinders", "displacement", "horsepower", "weight", "acceleration", "year", "origin", "name"]
    cars = pd.read_csv(regression / "auto-mpg.data", sep=r"\s+", names=names, na_values="?")
    yield "auto-mpg", cars.drop(columns="name").rename(columns={"mpg": TARGET})
    for colour in ("red", "white"):
        wine = pd.read_csv(regression / f"winequality-{colour}.csv", header=None)
        yield f"wine, {colour}", wine.set_axis([*(f"x{i}" for i in range(11)), TARGET], axis=1)
    houses = pd.read_csv(regression / "california_housing.csv")
    yield "california housing", houses.rename(columns={"median_house_value": TARGET})
    adults = pd.read_csv(folder / "tabular/adult-train.csv", na_values="?", skipinitialspace=True)
    yield "adult, age", adults.rename(columns={"age": TARGET})
    yield "adult, hours a week", adults.rename(columns={"hours_per_week": TARGET})
    mails = pd.read_csv(folder / "spam/spambase.csv", header=None)
    named = mails.drop(columns=[54, 55]).set_axis([f"x{i}" for i in range(56)], axis=1)
    yield "spambase, log of capitals", named.assign(**{TARGET: np.log(mails[55])})


def texts(folder: Path | None) -> Iterator[tuple[str, Frame]]:
    """Texts with a number to predict."""
    if folder is None:
        return
    rng = np.random.default_rng(1)
    for name in ("imdb", "20news"):
        with gzip.open(folder / f"text/{name}-train.jsonl.gz", "rt", encoding="utf-8") as file:
            frame = pd.DataFrame([json.loads(each) for each in file])
        if name == "imdb":
            rating = 5.5 + 3.0 * np.where(frame["label"] == "pos", 1.0, -1.0) + rng.normal(0, 2, len(frame))
            yield "imdb, rating with noise", pd.DataFrame({TEXT: frame[TEXT], TARGET: rating})
        yield f"{name}, log length", pd.DataFrame({TEXT: frame[TEXT], TARGET: np.log1p(frame[TEXT].str.len())})
    lines = (folder / "spam/sms_spam.tsv").read_text(encoding="utf-8").splitlines()
    messages = pd.Series([each.split("\t", 1)[1] for each in lines])
    yield (
        "sms, capital letters",
        pd.DataFrame({TEXT: messages, TARGET: messages.str.count(r"[A-Z]").astype(float) ** 0.5}),
    )


# -- contenders --------------------------------------------------------------------------------------------------------


def by_linnet(train: Frame, test: Frame) -> Predicted:
    model = linnet.train(train, TARGET, task="regression")
    return np.asarray(model.predict(test.drop(columns=TARGET)), dtype=float)


def by_pipeline(train: Frame, test: Frame) -> Predicted:
    """What a careful user of scikit-learn writes."""
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(_transformer(train.drop(columns=TARGET)), RidgeCV(ALPHAS))
    model.fit(train.drop(columns=TARGET), train[TARGET])
    return np.asarray(model.predict(test.drop(columns=TARGET)))


def _transformer(frame: Frame) -> Any:
    from sklearn.compose import make_column_transformer
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    if TEXT in frame:
        return make_column_transformer((TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True), TEXT))
    numbers = frame.select_dtypes("number").columns.tolist()
    others = [name for name in frame.columns if name not in numbers]
    return make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), others),
    )


# -- comparison --------------------------------------------------------------------------------------------------------


def compared(name: str, frame: Frame, most: int) -> Iterator[Compared]:
    """The set cut to few rows, each cut drawn `most` times at most, and in full."""
    whole = min(len(frame) * 4 // 5, MOST_TEXTS) if TEXT in frame else len(frame) * 4 // 5
    for rows in (*(cut for cut in CUTS if cut < whole), whole):
        yield _compared(name, frame, rows, min(DRAWN.get(rows, 1), most))


def _compared(name: str, frame: Frame, rows: int, draws: int) -> Compared:
    figures, times = [], np.zeros(2)
    for draw in range(draws):
        order = np.random.default_rng(draw).permutation(len(frame))
        train, test = frame.iloc[order[:rows]], frame.iloc[order[rows : rows + MOST_TESTED]]
        y = test[TARGET].to_numpy()
        spread = ((y - y.mean()) ** 2).sum()
        squares = []
        for at, contender in enumerate((by_linnet, by_pipeline)):
            predicted, seconds = _timed(contender, train.reset_index(drop=True), test.reset_index(drop=True))
            squares.append((predicted - y) ** 2)
            times[at] += seconds
        ours, theirs = (1 - each.sum() / spread for each in squares)
        by_row = np.sqrt(len(y)) * (squares[0] - squares[1]).std() / spread
        figures.append((ours, theirs, ours - theirs, by_row))
    ours, theirs, _, by_row = np.mean(figures, axis=0)
    error = by_row if draws == 1 else np.std([each[2] for each in figures], ddof=1) / np.sqrt(draws)
    return Compared(name, rows, ours, theirs, float(error), *(times / draws))


def _timed(contender: Callable[[Frame, Frame], Predicted], train: Frame, test: Frame) -> tuple[Predicted, float]:
    began = time.process_time()
    predicted = contender(train, test)
    return predicted, time.process_time() - began


def show(all_compared: list[Compared], console: Console) -> None:
    """The table, and what was asked of it."""
    table = Table("set", "rows", "R²", "RidgeCV", "difference", "two standard errors", "s", "RidgeCV s")
    for each in all_compared:
        table.add_row(
            each.name, f"{each.rows:,}", f"{each.ours:.3f}", f"{each.theirs:.3f}",
            f"{each.ours - each.theirs:+.4f}{' lost' if each.lost else ''}", f"{2 * each.error:.4f}",
            f"{each.our_time:.3f}", f"{each.their_time:.3f}",
        )  # fmt: skip
    console.print(table)
    ours, theirs = (sum(getattr(each, name) for each in all_compared) for name in ("our_time", "their_time"))
    lost = sum(each.lost for each in all_compared)
    console.print(f"lost beyond two standard errors: {lost} of {len(all_compared)} (at most one in twenty)")
    console.print(f"seconds in all: {ours:.1f} beside {theirs:.1f}, {theirs / ours:.1f} times less (at least ten)")


def main(
    data: Annotated[Path | None, typer.Option(help="A folder of real data sets, beside those made here.")] = None,
    only: Annotated[str, typer.Option(help="The sets whose name contains this.")] = "",
    draws: Annotated[int, typer.Option(help="How often a cut is drawn, at most.")] = 10,
) -> None:
    """Compare R² and time with RidgeCV pipelines."""
    warnings.simplefilter("ignore")
    console = Console(width=None if sys.stdout.isatty() else 140)
    by_linnet(*2 * [pd.DataFrame({"a": np.arange(50.0), TARGET: np.arange(50.0)})])  # what is loaded once
    by_pipeline(*2 * [pd.DataFrame({"a": np.arange(50.0), TARGET: np.arange(50.0)})])
    found = []
    for sets in (tables, texts):
        for name, frame in sets(data):
            for each in compared(name, frame, draws) if only in name else ():
                found.append(each)
                console.log(f"{name}, {each.rows:,} rows: {each.ours:.3f} beside {each.theirs:.3f}")
    show(found, console)


if __name__ == "__main__":
    typer.run(main)
