"""How often the intervals that `linnet.train` and `evaluate` print hold the truth: python benchmarks/train_coverage.py.

Each simulated data set is trained on, with half of its rows held out, and the model is evaluated on as many new rows.
Rows are drawn from a table, their targets from a model that is known, so the true accuracy, log loss and R² of any
fitted model are sums over the table, without a test sample: of the model that the held-out rows were asked of for
their figures, of the model that was returned for those of `evaluate`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import linnet
from linnet.errors import InputError
from linnet.model.model import Model
from linnet.pipeline.trainers.trials import Trials

Flat = np.ndarray
Truth = dict[str, float]
SIZES = (50, 200, 1000)
SEED = 22
POPULATION = 20_000
NAMES = ("a", "b", "c", "d")
WEIGHT = "weight"


@dataclass(frozen=True)
class World:
    """A table whose rows have true scores and maybe weights, and how sure its targets are."""

    X: Flat
    scores: Flat
    weights: Flat
    classes: bool
    weighted: bool

    @classmethod
    def of(cls, *, classes: bool, weighted: bool, strength: float) -> World:
        """Correlated columns, one of zeros and ones; weights of 0.25 to 4, larger for larger values of the first."""
        rng = np.random.default_rng(SEED)
        X = rng.normal(size=(POPULATION, len(NAMES)))
        X[:, 1] += X[:, 0]
        X[:, 3] = X[:, 3] > 0.5
        ranks = np.argsort(np.argsort(X[:, 0])) / POPULATION
        weights = 4.0 ** (ranks + rng.random(POPULATION) - 1.0) if weighted else np.ones(POPULATION)
        scores = strength * (X @ np.array([0.9, -0.3, 0.5, 0.6]) - 0.2)
        return cls(X, scores, weights, classes, weighted)

    def table(self, rng: np.random.Generator, rows: int) -> dict[str, Any]:
        at = rng.integers(0, POPULATION, rows)
        noise = rng.logistic(size=rows) if self.classes else rng.normal(size=rows)
        y = self.scores[at] + noise
        columns: dict[str, Any] = dict(zip(NAMES, self.X[at].T, strict=True))
        columns["y"] = np.where(y > 0, "yes", "no") if self.classes else y
        return columns | ({WEIGHT: self.weights[at]} if self.weighted else {})

    def figures_of(self, own: Flat) -> Truth:
        """The true figures of a model with these scores of all rows: log-odds of yes, or numbers."""
        if self.classes:
            yes = 1 / (1 + np.exp(-self.scores))
            losses = yes * np.logaddexp(0, -own) + (1 - yes) * np.logaddexp(0, own)
            right = np.where(own > 0, yes, 1 - yes)
            return {"accuracy": self._mean(right), "log_loss": self._mean(losses)}
        about = self.scores - self._mean(self.scores)
        return {"r2": 1 - (self._mean((own - self.scores) ** 2) + 1) / (self._mean(about**2) + 1)}

    def _mean(self, values: Flat) -> float:
        return float(np.average(values, weights=self.weights))

    def options(self) -> dict[str, Any]:
        return {"columns": {WEIGHT: "weight"}} if self.weighted else {}


class Asked(NamedTuple):
    """The model that the held-out rows were asked of: weights of the columns as they are, and the intercept."""

    weights: Flat
    intercept: float
    held: Flat

    def scores(self, X: Flat) -> Flat:
        return X @ self.weights + self.intercept

    def check(self, table: dict[str, Any], result: Any) -> None:
        """That the figures are those of this model."""
        own = self.scores(np.column_stack([table[name] for name in NAMES]))[self.held]
        y = table["y"][self.held]
        weights = table[WEIGHT][self.held] if WEIGHT in table else np.ones(len(y))
        if y.dtype.kind == "U":
            loss = np.average(np.logaddexp(0, np.where(y == "yes", -own, own)), weights=weights)
            assert abs(loss - result.log_loss) < 1e-6, (loss, result.log_loss)
        else:
            rmse = np.sqrt(np.average((own - y) ** 2, weights=weights))
            assert abs(rmse - result.rmse) < 1e-6, (rmse, result.rmse)


def _remembering(found: list[Asked]) -> Callable[..., Any]:
    """`Trials._result`, which also puts down the model that it is given."""
    result = Trials._result

    def remembered(self: Trials, without: Any, rows: Any, held: Any, decided: Any) -> Any:
        model = without.model if without.scaling is None else without.scaling.unscaled(without.model)
        names = [*self.data.features.names()]
        weights = [model.weights[names.index(name), 0] for name in NAMES]
        found.append(Asked(np.array(weights), float(model.intercepts[0]), held))
        return result(self, without, rows, held, decided)

    return remembered


def _scores(model: Model, world: World) -> Flat:
    table = dict(zip(NAMES, world.X.T, strict=True))
    if not world.classes:
        return np.asarray(model.predict(table), float)
    p = np.asarray(model.predict_proba(table))
    return np.log(p[:, 1]) - np.log(p[:, 0])


def covered(world: World, size: int, draws: int) -> dict[tuple[str, str], list[float]]:
    """Of held-out figures and of those of `evaluate`: 1 for an interval that holds the truth, 0 else, NaN for none."""
    rng = np.random.default_rng([SEED, size])
    held: dict[tuple[str, str], list[float]] = {}
    asked: list[Asked] = []
    Trials._result = _remembering(asked)  # type: ignore[method-assign]
    for _ in range(draws):
        table = world.table(rng, 2 * size)
        model = linnet.train(table, target="y", holdout=0.5, **world.options())
        asked[-1].check(table, model.record.held_out)
        evaluated = model.evaluate(world.table(rng, size))
        measured = {
            "held out": (model.record.held_out, world.figures_of(asked[-1].scores(world.X))),
            "evaluate": (evaluated, world.figures_of(_scores(model, world))),
        }
        for what, (result, truth) in measured.items():
            for name, value in truth.items():
                low, high = getattr(result, f"{name}_interval")
                held.setdefault((name, what), []).append(np.nan if np.isnan(low) else float(low <= value <= high))
    return held


# -- coefficients ------------------------------------------------------------------------------------------------------


class Copies(NamedTuple):
    """Columns and errors of few values, so that many rows are alike: each stands once, with the number of its copies;
    or with weights that are not whole numbers."""

    classes: bool
    weights: str  # none, copies, fractions

    def table(self, rng: np.random.Generator, rows: int) -> tuple[dict[str, Any], Flat]:
        X = rng.integers(-1, 2, (rows, 2)).astype(float)
        w = np.array([0.7, -0.4, 0.3])
        scores = X @ w[:-1] + w[-1]
        y = (scores + rng.logistic(size=rows) > 0) if self.classes else scores + rng.integers(-2, 3, rows) / 2
        table, copies = np.column_stack([X, y]), np.ones(rows)
        if self.weights == "copies":
            table, copies = np.unique(table, axis=0, return_counts=True)
        if self.weights == "fractions":
            copies = rng.random(rows) + 0.5
        a, b, y = table.T
        columns: dict[str, Any] = {"a": a, "b": b, "y": np.where(y > 0, "yes", "no") if self.classes else y}
        return columns | ({} if self.weights == "none" else {WEIGHT: copies}), w

    def held(self, size: int, draws: int) -> list[float]:
        rng = np.random.default_rng([SEED, size])
        options: dict[str, Any] = {"task": "classification" if self.classes else "regression", "summary": True}
        options |= {} if self.weights == "none" else {"columns": {WEIGHT: "weight"}}
        found: list[float] = []
        for _ in range(draws):
            table, w = self.table(rng, size)
            try:
                made = linnet.train(table, target="y", **options).record.summary
            except InputError:
                found += [np.nan] * len(w)
                continue
            assert made is not None
            by_name = dict(zip(made.names, made.table.intervals, strict=True))
            ends = np.array([by_name[name] for name in ("a", "b", "(intercept)")])
            found += ((ends[:, 0] <= w) & (w <= ends[:, 1])).astype(float).tolist()
        return found


# ----------------------------------------------------------------------------------------------------------------------

WORLDS = {
    f"{name}{', weighted' if weighted else ''}": (classes, weighted, strength)
    for name, classes, strength in (
        ("labels", True, 1.0),
        ("sure labels", True, 4.0),
        ("numbers", False, 1.0),
        ("sure numbers", False, 4.0),
    )
    for weighted in (False, True)
}


def rows_of(name: str, sizes: list[int], draws: int) -> Iterator[tuple[str, str, list[list[float]]]]:
    classes, weighted, strength = WORLDS[name]
    world = World.of(classes=classes, weighted=weighted, strength=strength)
    columns = [covered(world, size, draws) for size in sizes]
    for metric, what in columns[0]:
        yield f"{metric}, {what}", name, [column[metric, what] for column in columns]


def _cell(held: list[float]) -> str:
    there = np.array(held)[~np.isnan(held)]
    if not len(there):
        return " refused |"
    share = "" if len(there) == len(held) else f" (of {100 * len(there) / len(held):.0f} %)"
    return f" {100 * there.mean():.1f}{share} |"


def main(
    draws: Annotated[int, typer.Option(help="How many data sets of each size are made.")] = 2000,
    size: Annotated[list[int] | None, typer.Option(help="How many rows are held out; may be repeated.")] = None,
    only: Annotated[list[str] | None, typer.Option(help=f"One of {'; '.join(WORLDS)}, or summary.")] = None,
) -> None:
    """Print a table in Markdown: percentages of intervals that hold the truth."""
    warnings.simplefilter("ignore")
    sizes = list(size or SIZES)
    print(f"| figure | set |{''.join(f' {each:,} |' for each in sizes)}\n|---|---|" + "---|" * len(sizes))
    for name in only or [*WORLDS, "summary"]:
        if name != "summary":
            for metric, of, columns in rows_of(name, sizes, draws):
                print(f"| {metric.replace('_', ' ')} | {of} |{''.join(map(_cell, columns))}", flush=True)
            continue
        for classes in (False, True):
            for weights in ("none", "copies", "fractions"):
                columns = [Copies(classes, weights).held(each, draws) for each in sizes]
                of = f"{'logistic regression' if classes else 'least squares'}, weights: {weights}"
                print(f"| coefficients | {of} |{''.join(map(_cell, columns))}", flush=True)


if __name__ == "__main__":
    sys.exit(typer.run(main))
