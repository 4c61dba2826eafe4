"""Made-up comparisons and models for tests of pages."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from linnet.comparison.reasons import Disagreement, Fact, LearningCurve, Reasons, Sensitivity
from linnet.comparison.results import ContenderResults, Cost, Costs, DataResults, Measured, Results
from linnet.data.task import Task
from linnet.evaluation.intervals import Interval
from linnet.evaluation.paired_comparison import (
    McNemar,
    PairedComparison,
    Posterior,
    RankComparison,
    SignedRanks,
)

LEARNERS = (
    "logistic-regression",
    "linear-svc",
    "ridge-classifier",
    "perceptron",
    "naive-bayes",
    "passive-aggressive",
    "sklearn.ensemble.HistGradientBoostingClassifier",
    "sklearn.neighbors.KNeighborsClassifier",
)


def posterior(difference: float) -> Posterior:
    better = float(1 / (1 + np.exp(-400 * (difference - 0.004))))
    worse = float(1 / (1 + np.exp(400 * (difference + 0.004))))
    return Posterior(better, 1 - better - worse, worse, 0.01)


def data_results(learners=LEARNERS, name="adult", seed=0, folds=10, repeats=3) -> DataResults:
    rng = np.random.default_rng(seed)
    means = np.sort(rng.normal(0.85, 0.02, len(learners)))[::-1]
    scores = {each: rng.normal(mean, 0.006, folds * repeats) for each, mean in zip(learners, means, strict=True)}

    def measured(metric, values):
        middle = float(values.mean())
        half = float(2 * values.std() / np.sqrt(10))
        return Measured(metric, tuple(values.tolist()), middle, Interval(middle - half, middle + half))

    contenders = tuple(
        ContenderResults(
            each,
            "." in each,
            "." not in each,
            {},
            (measured("accuracy", scores[each]), measured("log loss", 1 - scores[each])),
        )
        for each in learners
    )
    pairs = []
    for a, b in combinations(learners, 2):
        apart = scores[a] - scores[b]
        middle, half = float(apart.mean()), float(2 * apart.std() / np.sqrt(10))
        p = float(np.exp(-abs(middle) / half * 3))
        pairs.append(
            PairedComparison(
                a, b, middle, Interval(middle - half, middle + half), p, min(1.0, 5 * p),
                middle / float(apart.std()), posterior(middle), int((apart > 0).sum()), 0, int((apart < 0).sum()),
            )
        )  # fmt: skip
    held_out = tuple(McNemar(a, b, 3000, 120, 80, 0.004, 0.02) for a, b in combinations(learners[:3], 2))
    sizes = (500, 1000, 2000, 4000, 8000, 16000)
    curves = tuple(
        LearningCurve(
            each, "accuracy", sizes, tuple(0.13 + k * 0.01 + 2 * n**-0.6 for n in sizes),
            tuple(Interval(0.12 + k * 0.01 + 2 * n**-0.6, 0.14 + k * 0.01 + 2 * n**-0.6) for n in sizes),
            0.13 + k * 0.01, 2.0, 0.6, 0.13 + k * 0.01 + 2 * 32000**-0.6, Interval(0.13, 0.15),
        )
        for k, each in enumerate(learners[:3])
    )  # fmt: skip
    reasons = Reasons(
        (
            Fact("separable", 0.0, "not linearly separable", "no plane has every row right"),
            Fact("collinearity", 3.2, "condition number 3.2", "weights are well determined"),
            Fact("class balance", 0.24, "24 % of the rows are >50K", "accuracy of the most frequent label is 76 %"),
        ),
        curves,
        tuple(
            Sensitivity(each, "accuracy", tuple(rng.normal(0.84, 0.004, 12).tolist()), 0.004) for each in learners[:4]
        ),
        (Disagreement(learners[0], learners[1], 0.031, 40, 22, ("row 12", "row 99")),),
    )
    return DataResults(
        name, "income", Task.CLASSIFICATION, 32561, 108, ("<=50K", ">50K"), "accuracy", "stratified", folds, repeats,
        contenders, tuple(pairs), held_out, reasons,
        (f"{learners[0]} beats {learners[-1]} by 4.1 ± 0.6 points.", f"{learners[1]} is as good as {learners[0]}."),
    )  # fmt: skip


def rank_comparison(learners=LEARNERS, data_sets=5) -> RankComparison:
    ranks = np.linspace(1.4, len(learners) - 0.6, len(learners))
    cd = 2.4
    groups = []
    for i in range(len(learners)):
        group = tuple(each for each, rank in zip(learners[i:], ranks[i:], strict=True) if rank - ranks[i] < cd)
        if not groups or group[-1] not in groups[-1]:
            groups.append(group)
    pairs = tuple(SignedRanks(a, b, 0.03, 0.09, posterior(0.01)) for a, b in combinations(learners[:4], 2))
    return RankComparison(tuple(learners), tuple(ranks.tolist()), data_sets, 0.0004, cd, tuple(groups), pairs)


def results(learners=LEARNERS, data_sets=1, *, timed=True) -> Results:
    names = ["adult", "spam", "mushrooms", "heart", "a9a"][:data_sets]
    data = tuple(data_results(learners, name, seed) for seed, name in enumerate(names))
    ranks = rank_comparison(learners) if data_sets > 1 else None
    found = Results(data, 0, 0.95, ranks, (), {"folds": 10, "repeats": 3})
    return replace(found, costs=costs(found)) if timed else found


def costs(found: Results) -> Costs:
    rng = np.random.default_rng(1)

    def cost() -> Cost:
        return Cost(
            tuple((10 ** rng.uniform(-2, 1.3) * np.ones(5)).tolist()), (0.01, 0.02), int(rng.integers(1e6, 1e9))
        )

    return Costs({data.name: {each.name: cost() for each in data.contenders} for data in found.data})


def table(path, columns, labels, names=("x", "y"), target="kind"):
    """A CSV file of numbers and a label."""
    import csv

    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, target])
        writer.writerows(
            [*(f"{value:.4f}" for value in row), label] for row, label in zip(columns, labels, strict=True)
        )
    return path


def clouds(rng, centres, rows=60, spread=0.5):
    """Points around each of these centres, and the number of theirs."""
    codes = np.tile(np.arange(len(centres)), rows)
    return np.asarray(centres)[codes] + spread * rng.normal(size=(len(codes), 2)), codes
