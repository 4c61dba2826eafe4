"""How often the 95 % intervals hold what they should: python benchmarks/coverage.py --data FOLDER [--draws N].

A model is trained on part of a set; the rest, many rows, is the population, whose figures are known.  Test rows are
drawn from it with replacement, evaluated, and the intervals compared with the figures of the population.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import linnet
from benchmarks.coefficient_coverage import covered as covered_coefficients
from benchmarks.coefficient_coverage import truths
from linnet.decisions.costs import Rule
from linnet.evaluation.classification import ClassificationTally
from linnet.evaluation.decision_costs import CostResult, CostTally
from linnet.evaluation.regression import RegressionTally

SIZES = (50, 100, 200, 500, 1000)
SEED = 20
OF_CLASSES = ("accuracy", "macro_f1", "log_loss", "brier", "roc_auc")
OF_NUMBERS = ("r2", "rmse", "mae", "median_absolute_error", "bias")
NEAREST = "{}, nearest to 95 possible"
FALSE_ALARM = 10.0  # the cost of the second class predicted where the first is true


@dataclass(frozen=True)
class Population:
    """True and predicted values; of classes, their numbers, with probabilities."""

    truth: np.ndarray
    predicted: np.ndarray
    probabilities: np.ndarray | None = None
    weights: np.ndarray | None = None

    def result(self, rows: Any = slice(None)) -> Any:
        weights = None if self.weights is None else self.weights[rows]
        if self.probabilities is None:
            numbers = RegressionTally()
            numbers.add(self.truth[rows], self.predicted[rows], weights)
            return numbers.result()
        tally = ClassificationTally(range(self.probabilities.shape[1]))
        tally.add(self.truth[rows], self.predicted[rows], self.probabilities[rows], weights=weights)
        return tally.result()

    def weighted(self) -> Population:
        """The same rows with weights from 0.25 to 4, which are larger where more is predicted: so they say something of
        the errors, as sampling weights do."""
        by = self.predicted if self.probabilities is None else self.probabilities.max(axis=1)
        ranks = np.argsort(np.argsort(by, kind="stable"), kind="stable") / len(by)
        noise = np.random.default_rng(SEED).random(len(by))
        return replace(self, weights=4.0 ** (ranks + noise - 1.0))

    @cached_property
    def sorted(self) -> tuple[np.ndarray, np.ndarray]:
        """The probabilities of the second class in rising order, and the number of its rows before each."""
        assert self.probabilities is not None
        order = np.argsort(self.probabilities[:, 1], kind="stable")
        return self.probabilities[order, 1], np.concatenate([[0], np.cumsum(self.truth[order] == 1)])

    def costs(self, rows: Any = slice(None)) -> CostResult:
        """Of the decisions that these costs ask for."""
        assert self.probabilities is not None
        rule = Rule.of([0, 1], {(0, 1): FALSE_ALARM})
        tally = CostTally(rule)
        weights = None if self.weights is None else self.weights[rows]
        tally.add(self.truth[rows], rule.preferred(self.probabilities[rows]), self.probabilities[rows], weights)
        return tally.result()


@dataclass(frozen=True)
class Whole:
    """The figures of the population."""

    result: Any
    costs: CostResult | None


@cache
def nearest(n: int, p: float) -> float:
    """The coverage nearest to 95 % that an interval of a proportion can have, given n rows, where it is p.

    Whatever the interval, some numbers of successes lead to one that holds p: a range of them, from any to any.
    """
    upto = np.append(0.0, binom.cdf(np.arange(n + 1), n, p))
    wanted = np.searchsorted(upto, upto[:-1] + 0.95)
    found = [upto[np.minimum(wanted + step, n + 1)] - upto[:-1] for step in (-1, 0)]
    reached = np.concatenate([np.maximum(each, 0.0) for each in found])
    return float(reached[np.abs(reached - 0.95).argmin()])


def intervals(population: Population, whole: Whole, rows: np.ndarray) -> Iterator[tuple[str, Any, float]]:
    """The name of each metric, its interval from these rows, and its value in the population.

    Beside proportions, the coverage that an interval could have at best instead.
    """
    result = population.result(rows)
    if population.probabilities is None:
        for name in OF_NUMBERS:
            yield name, getattr(result, f"{name}_interval"), getattr(whole.result, name)
        return
    for name in OF_CLASSES:
        if not np.isnan(getattr(whole.result, name)):
            yield name, getattr(result, f"{name}_interval"), getattr(whole.result, name)
    if population.weights is None:
        yield NEAREST.format("accuracy"), nearest(len(rows), whole.result.accuracy), 0.0
    if whole.costs is not None:
        costs = population.costs(rows)
        yield "cost", costs.realised_interval, whole.costs.realised
        yield "expected cost", costs.expected_interval, whole.costs.expected
        if population.weights is None:
            yield from _bins(population, result, rows)


def _bins(population: Population, result: Any, rows: np.ndarray) -> Iterator[tuple[str, Any, float]]:
    """The observed frequency in each bin of the rows, beside that in the population between the same probabilities."""
    assert population.probabilities is not None
    said, positives = population.sorted
    rising = np.sort(population.probabilities[rows, 1])
    last = np.cumsum([each.rows for each in result.reliability])[:-1]
    cuts = np.searchsorted(said, (rising[last - 1] + rising[last]) / 2, side="right")
    ends = np.concatenate([[0], cuts, [len(said)]])
    observed = np.diff(positives[ends]) / np.diff(ends)
    for each, value in zip(result.reliability, observed, strict=True):
        yield "calibration bins", each.observed_interval, float(value)
        yield NEAREST.format("calibration bins"), nearest(int(each.rows), round(float(value), 4)), 0.0


def covered(population: Population, size: int, draws: int) -> dict[str, list[float]]:
    """For each metric 1 for each interval that holds the value, 0 for one that does not, NaN for none."""
    rng = np.random.default_rng([SEED, size])
    two = population.probabilities is not None and population.probabilities.shape[1] == 2
    whole = Whole(population.result(), population.costs() if two else None)
    found: dict[str, list[float]] = {}
    for _ in range(draws):
        rows = rng.integers(0, len(population.truth), size)
        for name, interval, value in intervals(population, whole, rows):
            if isinstance(interval, float):
                held = interval
            else:
                low, high = interval
                held = np.nan if np.isnan(low) else float(low <= value <= high)
            found.setdefault(name, []).append(held)
    return found


# -- the sets ----------------------------------------------------------------------------------------------------------


def _text_lines(path: Path) -> list[str]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [line for line in text.decode("utf-8").split("\n") if line.strip()]


def _predicted(
    head: list[str], body: list[str], train: int, suffix: str, truth: Callable[[str], Any], **options: Any
) -> Population:
    order = np.random.default_rng(SEED).permutation(len(body))
    with tempfile.TemporaryDirectory() as folder:
        parts = []
        for name, rows in (("train", order[:train]), ("rest", order[train:])):
            parts.append(Path(folder) / f"{name}{suffix}")
            parts[-1].write_text("\n".join([*head, *(body[row] for row in rows)]) + "\n", encoding="utf-8")
        model = linnet.train(str(parts[0]), **options)
        labels = model.predict(str(parts[1]))
        true = [truth(body[row]) for row in order[train:]]
        if model.classes is None:
            return Population(np.array(true, float), np.array(labels, float))
        number = {str(label): k for k, label in enumerate(model.classes)}
        codes = [np.array([number[str(label)] for label in each]) for each in (true, labels)]
        return Population(codes[0], codes[1], model.predict_proba(str(parts[1])))


def sms(data: Path) -> Population:
    body = _text_lines(data / "spam/sms_spam.tsv")
    return _predicted([], body, 1500, ".tsv", lambda line: line.split("\t")[0])


def spambase(data: Path) -> Population:
    head = [",".join([*(f"column{k}" for k in range(57)), "spam"])]
    body = _text_lines(data / "spam/spambase.csv")
    return _predicted(head, body, 1500, ".csv", lambda line: line.rsplit(",", 1)[1], target="spam")


def adult(data: Path) -> Population:
    head, *body = _text_lines(data / "tabular/adult-train.csv")
    return _predicted([head], body, 3000, ".csv", lambda line: line.rsplit(",", 1)[1], target="income")


def newsgroups(data: Path) -> Population:
    body = _text_lines(data / "text/20news-train.jsonl.gz")
    return _predicted([], body, 4000, ".jsonl", lambda line: json.loads(line)["label"], target="label")


def normal_classes(_: Path) -> Population:
    """A normal score whose log-odds are right."""
    rng = np.random.default_rng(SEED)
    p = 1 / (1 + np.exp(-2 * rng.normal(size=100_000)))
    y = (rng.random(len(p)) < p).astype(np.int64)
    return Population(y, (p > 0.5).astype(np.int64), np.column_stack([1 - p, p]))


def sure(_: Path) -> Population:
    """As `normal_classes`, with log-odds three times as large: one row in eleven is a mistake, as the model says."""
    rng = np.random.default_rng(SEED)
    p = 1 / (1 + np.exp(-6 * rng.normal(size=100_000)))
    y = (rng.random(len(p)) < p).astype(np.int64)
    return Population(y, (p > 0.5).astype(np.int64), np.column_stack([1 - p, p]))


def too_sure(_: Path) -> Population:
    """Probabilities of about 0.99 that say nothing of the mistakes: every 25th row is one."""
    rng = np.random.default_rng(SEED)
    own = np.clip(rng.beta(8, 0.5, 100_000), 0.5, 1 - 1e-6)
    predicted = rng.integers(0, 2, len(own))
    p = np.where(predicted == 1, own, 1 - own)
    return Population(predicted ^ (rng.random(len(p)) < 0.04), predicted, np.column_stack([1 - p, p]))


def california(data: Path) -> Population:
    head, *body = _text_lines(data / "regression/california_housing.csv")
    column = head.split(",").index("median_house_value")
    return _predicted(
        [head], body, 3000, ".csv", lambda line: line.split(",")[column], target="median_house_value", task="regression"
    )


def diamonds(data: Path) -> Population:
    """The set if the folder has it, else prices made like it: a power of the weight, predicted by a line."""
    path = data / "regression/diamonds.csv"
    if path.exists():
        head, *body = _text_lines(path)
        column = head.replace('"', "").split(",").index("price")
        truth = lambda line: line.split(",")[column]  # noqa: E731
        return _predicted([head], body, 3000, ".csv", truth, target="price", task="regression")
    rng = np.random.default_rng(SEED)
    carat = np.exp(rng.normal(-0.4, 0.58, 50_000)).clip(0.2, 4)
    grade = rng.integers(0, 7, len(carat))
    price = (2600 * carat**1.7 * np.exp(0.08 * grade + rng.normal(0, 0.22, len(carat)))).clip(300, 18_800)
    X = np.column_stack([np.ones(len(carat)), carat, grade])
    return Population(price, X @ np.linalg.lstsq(X[:2000], price[:2000], rcond=None)[0])


def normal_numbers(_: Path) -> Population:
    rng = np.random.default_rng(SEED)
    y = rng.normal(size=100_000)
    return Population(y, y + rng.normal(size=len(y)) / 2)


def laplace_errors(_: Path) -> Population:
    rng = np.random.default_rng(SEED)
    y = rng.normal(size=100_000)
    return Population(y, y + rng.laplace(size=len(y)) / 2)


SETS = {
    "SMS": sms,
    "spambase": spambase,
    "adult": adult,
    "20 newsgroups": newsgroups,
    "normal": normal_classes,
    "sure": sure,
    "too sure": too_sure,
    "california": california,
    "diamonds": diamonds,
    "normal errors": normal_numbers,
    "Laplace errors": laplace_errors,
    "adult, weighted": lambda data: adult(data).weighted(),
    "normal, weighted": lambda data: normal_classes(data).weighted(),
    "california, weighted": lambda data: california(data).weighted(),
    "normal errors, weighted": lambda data: normal_numbers(data).weighted(),
}


def shown(metric: str, name: str, columns: list[list[float]]) -> None:
    print(f"| {metric.replace('_', ' ')} | {name} |{''.join(map(_cell, columns))}", flush=True)


def main(
    data: Annotated[Path, typer.Option(help="A folder of real data sets.")],
    draws: Annotated[int, typer.Option(help="How many samples of each size are drawn.")] = 2000,
    only: Annotated[list[str] | None, typer.Option(help=f"One of {', '.join(SETS)}; may be repeated.")] = None,
    coefficients: Annotated[bool, typer.Option(help="Also those of coefficients, in `summary`.")] = True,
) -> None:
    """Print a table in Markdown: percentages of intervals that hold, and how many there are where not all exist."""
    print(f"| metric | set |{''.join(f' {size:,} |' for size in SIZES)}")
    print("|---|---|" + "---|" * len(SIZES))
    for name in only or SETS:
        population = SETS[name](data)
        columns = [covered(population, size, draws) for size in SIZES]
        for metric in columns[0]:
            shown(metric, name, [each[metric] for each in columns])
    for name, truth in truths() if coefficients else ():
        shown("coefficients", name, [covered_coefficients(truth, size, draws) for size in SIZES])


def _cell(held: list[float]) -> str:
    there = np.array(held)[~np.isnan(held)]
    if not len(there):
        return " – |"
    share = "" if len(there) == len(held) else f" (of {100 * len(there) / len(held):.0f} %)"
    return f" {100 * there.mean():.1f}{share} |"


if __name__ == "__main__":
    sys.exit(typer.run(main))
