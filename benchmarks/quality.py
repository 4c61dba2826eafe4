"""How good defaults are: linnet.train beside tuned pipelines of scikit-learn on whole tables, in five folds.

    python benchmarks/quality.py [--data FOLDER] [--only NAME] [--repeats 10] [--odd SEED] [--peers FILE]

Accuracy beside StandardScaler, OneHotEncoder and LogisticRegressionCV (10 values of C, five folds), R² beside RidgeCV
(17 values of alpha); both get the same columns, fitted on four folds and tested on the fifth.  Small tables are cut
into folds several times, so that a row more or less does not decide.  Exit status 1 if a default is worse by more than
0.5 points of accuracy or 0.01 of R².  With `--odd SEED` the tables are made here, each with an oddity of real ones.
scikit-learn's scores, which take nearly all of the time, are kept in the FILE and not computed again.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is loaded

import numpy as np
import typer

from benchmarks.quality_sets import CLASSES, NUMBERS, TARGET, Example, Frame, odd_tables, tables

FOLDS = 5
# Folds are cut anew until this many rows were predicted.
ENOUGH_ROWS = 2000
MOST_WORSE = {CLASSES: 0.005, NUMBERS: 0.01}
ALPHAS = np.logspace(-3, 5, 17)


@dataclass(frozen=True)
class Compared:
    """Accuracy or R² of both, and the standard error of the difference over the repeats and folds."""

    one: Example
    repeats: int
    ours: float
    theirs: float
    error: float

    @property
    def worse(self) -> bool:
        return self.theirs - self.ours > MOST_WORSE[self.one.task]

    def __str__(self) -> str:
        unit, digits = (100, 2) if self.one.task == CLASSES else (1, 4)
        cells = [
            self.one.name, f"{len(self.one.frame):,} x {self.one.frame.shape[1] - 1}",
            "accuracy" if self.one.task == CLASSES else "R²",
            f"{unit * self.ours:.{digits}f}", f"{unit * self.theirs:.{digits}f}",
            f"{unit * (self.ours - self.theirs):+.{digits}f}{' worse' if self.worse else ''}",
            f"{unit * self.error:.{digits}f}", str(self.repeats),
        ]  # fmt: skip
        return f"| {' | '.join(cells)} |"


def by_linnet(train: Frame, test: Frame, task: str) -> np.ndarray:
    import linnet

    model = linnet.train(train, TARGET, task=task)
    return np.asarray(model.predict(test.drop(columns=TARGET)))


def by_pipeline(train: Frame, test: Frame, task: str) -> np.ndarray:
    """What a careful user of scikit-learn writes."""
    from sklearn.linear_model import LogisticRegressionCV, RidgeCV
    from sklearn.pipeline import make_pipeline

    fit: Any = RidgeCV(ALPHAS)
    if task == CLASSES:
        fit = LogisticRegressionCV(cv=FOLDS, max_iter=1000)
    model = make_pipeline(_preparation(train.drop(columns=TARGET)), fit)
    model.fit(train.drop(columns=TARGET), train[TARGET])
    return np.asarray(model.predict(test.drop(columns=TARGET)))


def _preparation(frame: Frame) -> Any:
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = frame.select_dtypes("number").columns.tolist()
    others = [name for name in frame.columns if name not in numbers]
    return make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), others),
    )


class Peers:
    """The scores of the pipelines, by table and repeat, as far as they are known."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known = json.loads(path.read_text()) if path is not None and path.exists() else {}

    def scores(self, one: Example, repeat: int) -> list[float]:
        key = f"{one.name}, {one.task}, {repeat}"
        if key not in self._known:
            self._known[key] = _scores(one, repeat, by_pipeline)
            if self._path is not None:
                self._path.write_text(json.dumps(self._known))
        found: list[float] = self._known[key]
        return found


def compared(one: Example, most: int, peers: Peers) -> Compared:
    """The mean over repeats; of each, accuracy or R² over the rows of all folds."""
    repeats = min(most, max(1, ENOUGH_ROWS // len(one.frame)))
    pairs = [(_scores(one, repeat, by_linnet), peers.scores(one, repeat)) for repeat in range(repeats)]
    figures = np.array(pairs).transpose(0, 2, 1)
    ours, theirs = figures.mean(axis=(0, 1))
    differences = (figures[..., 0] - figures[..., 1]).mean(axis=1)
    error = differences.std(ddof=1) / np.sqrt(repeats) if repeats > 1 else _over_folds(figures[0])
    return Compared(one, repeats, float(ours), float(theirs), float(error))


def _over_folds(figures: np.ndarray) -> float:
    return float((figures[:, 0] - figures[:, 1]).std(ddof=1) / np.sqrt(FOLDS))


def _scores(one: Example, repeat: int, fitted: Callable[[Frame, Frame, str], np.ndarray]) -> list[float]:
    """Accuracy or R², fold by fold."""
    from sklearn.model_selection import KFold, StratifiedKFold

    kind = StratifiedKFold if one.task == CLASSES else KFold
    found = []
    for trained, tested in kind(FOLDS, shuffle=True, random_state=repeat).split(one.frame, one.frame[TARGET]):
        train, test = (one.frame.iloc[which].reset_index(drop=True) for which in (trained, tested))
        y, predicted = test[TARGET].to_numpy(), fitted(train, test, one.task)
        if one.task == CLASSES:
            found.append(float(np.mean(predicted == y)))
        else:
            # By the spread of all rows: a fold of four rows has next to none of its own.
            found.append(1 - float(np.mean((predicted - y) ** 2)) / float(one.frame[TARGET].var(ddof=0)))
    return found


def main(
    data: Annotated[Path | None, typer.Option(help="A folder of real tables, beside those of scikit-learn.")] = None,
    only: Annotated[str, typer.Option(help="The tables whose name contains this.")] = "",
    repeats: Annotated[int, typer.Option(help="How often a table is cut into folds, at most.")] = 10,
    peers: Annotated[Path | None, typer.Option(help="A file of scikit-learn's scores, made where it is not.")] = None,
    odd: Annotated[int | None, typer.Option(help="Tables made from this seed instead.")] = None,
) -> None:
    """Compare linnet's defaults with tuned pipelines."""
    warnings.simplefilter("ignore")
    print("| table | rows x columns | figure | linnet | scikit-learn | difference | its standard error | times cut |")
    print("|---|---|---|---|---|---|---|---|")
    found, known = [], Peers(peers)
    for one in tables(data) if odd is None else odd_tables(odd):
        if only in one.name:
            found.append(compared(one, repeats, known))
            print(found[-1], flush=True)
    worse = sum(each.worse for each in found)
    print(f"\n{len(found)} tables: {worse} worse by more than 0.5 points of accuracy or 0.01 of R²")
    raise typer.Exit(1 if worse else 0)


if __name__ == "__main__":
    typer.run(main)
