"""The sets that defaults of classification are compared on: of a folder of real data, and those in scikit-learn."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse, vstack

# Rows to test on, at most.
TEST_ROWS = 5000


@dataclass(frozen=True)
class Rows:
    """Columns by name (numbers or strings, texts under "text"), or one matrix; and a label each."""

    columns: dict[str, list[Any]] | None
    X: Any
    y: np.ndarray

    def __len__(self) -> int:
        return len(self.y)

    def take(self, which: np.ndarray) -> Rows:
        columns = self.columns
        if columns is not None:
            columns = {name: [values[i] for i in which] for name, values in columns.items()}
        return Rows(columns, None if self.X is None else self.X[which], self.y[which])


def joined(a: Rows, b: Rows) -> Rows:
    """All rows of both."""
    y = np.concatenate([a.y, b.y])
    if a.columns is not None and b.columns is not None:
        return Rows({name: [*a.columns[name], *b.columns[name]] for name in a.columns}, None, y)
    return Rows(None, vstack([a.X, b.X]).tocsr() if issparse(a.X) else np.vstack([a.X, b.X]), y)


@dataclass(frozen=True)
class Set:
    """Rows to train on and rows to test on."""

    name: str
    train: Rows
    test: Rows


def _of_columns(columns: dict[str, list[Any]], y: list[Any]) -> Rows:
    return Rows(columns, None, np.array([str(label) for label in y]))


def _of_matrix(X: Any, y: Any) -> Rows:
    return Rows(None, X, np.asarray(y).astype(np.int64))


def _of_table(X: np.ndarray, y: np.ndarray) -> Rows:
    """Numbers in named columns, as a CSV file has them."""
    return _of_columns(
        {f"column {number}": X[:, number].tolist() for number in range(X.shape[1])}, y.astype(int).tolist()
    )


def _split(name: str, rows: Rows) -> Set:
    """A third of the rows to test on, drawn by a fixed seed."""
    order = np.random.default_rng(0).permutation(len(rows))
    test = min(len(rows) // 3, TEST_ROWS)
    return Set(name, rows.take(order[test:]), rows.take(order[:test]))


def _cut(rows: Rows) -> Rows:
    """As many rows to test on as are needed."""
    order = np.random.default_rng(1).permutation(len(rows))
    return rows.take(np.sort(order[:TEST_ROWS]))


def _sms(folder: Path) -> Set:
    lines = (folder / "spam/sms_spam.tsv").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t", 1) for line in lines]
    return _split("sms", _of_columns({"text": [text for _, text in pairs]}, [label for label, _ in pairs]))


def _spambase(folder: Path) -> Set:
    table = np.loadtxt(folder / "spam/spambase.csv", delimiter=",")
    return _split("spambase", _of_table(table[:, :-1], table[:, -1]))


def _svmlight(name: str, columns: int) -> Callable[[Path], Set]:
    def read(folder: Path) -> Set:
        from sklearn.datasets import load_svmlight_file

        X, y = load_svmlight_file(str(folder / "svmlight" / name), n_features=columns)
        test = folder / "svmlight" / f"{name}.t"
        if not test.exists():
            return _split(name.split(".")[0], _of_matrix(X, y))
        Z, z = load_svmlight_file(str(test), n_features=columns)
        return Set(name, _of_matrix(X, y), _cut(_of_matrix(Z, z)))

    return read


def _adult(folder: Path) -> Set:
    def read(path: Path) -> Rows:
        with path.open(newline="") as file:
            table = list(csv.DictReader(file))
        columns: dict[str, list[Any]] = {name: [row[name] for row in table] for name in table[0]}
        y = [label.strip().rstrip(".") for label in columns.pop("income")]
        for name, values in columns.items():
            if all(value.strip().lstrip("-").isdigit() for value in values):
                columns[name] = [float(value) for value in values]
        return _of_columns(columns, y)

    train, test = (read(folder / f"tabular/adult-{part}.csv") for part in ("train", "test"))
    return Set("adult", train, _cut(test))


def _texts(name: str) -> Callable[[Path], Set]:
    def read_part(path: Path) -> Rows:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        return _of_columns({"text": [each["text"] for each in records]}, [each["label"] for each in records])

    def read(folder: Path) -> Set:
        train, test = (read_part(folder / f"text/{name}-{part}.jsonl.gz") for part in ("train", "test"))
        return Set(name, train, _cut(test))

    return read


def _bundled(name: str) -> Callable[[Path], Set]:
    def read(_: Path) -> Set:
        from sklearn import datasets

        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        return _split(name, _of_table(X, y))

    return read


READERS: dict[str, Callable[[Path], Set]] = {
    "iris": _bundled("iris"),
    "wine": _bundled("wine"),
    "breast_cancer": _bundled("breast_cancer"),
    "digits": _bundled("digits"),
    "heart_scale": _svmlight("heart_scale", 13),
    "mushrooms": _svmlight("mushrooms", 112),
    "spambase": _spambase,
    "a9a": _svmlight("a9a", 123),
    "adult": _adult,
    "news20": _svmlight("news20.bz2", 62061),
    "sms": _sms,
    "20news": _texts("20news"),
    "imdb": _texts("imdb"),
}


def sets(folder: Path, only: list[str]) -> Iterator[Set]:
    """The sets by name, or all; those whose files are absent are left out."""
    for name in only or READERS:
        try:
            yield READERS[name](folder)
        except FileNotFoundError:
            continue
