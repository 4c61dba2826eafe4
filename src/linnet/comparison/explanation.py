"""Why contenders do as they do on a data set: everything that is measured, in one call.

All of it depends on the rows, the folds and the seed alone.  What would take long on large data is measured on a part
of them, and the text says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.comparison.collinearity_fact import collinearity_fact
from linnet.comparison.column_facts import entries_of_columns, missing_fact, scales_fact, size_facts
from linnet.comparison.disagreement import disagreements, hard_rows_fact
from linnet.comparison.equal_rows import (
    conflicting_numbers_fact,
    conflicts,
    conflicts_fact,
    duplicates_fact,
    equal_rows,
)
from linnet.comparison.label_noise import noise_facts
from linnet.comparison.learning_curves import learning_curves
from linnet.comparison.out_of_fold import Fold, OutOfFold, Refits
from linnet.comparison.probabilities import LEARNER, out_of_fold_probabilities
from linnet.comparison.reasons import Fact, Reasons
from linnet.comparison.row_sample import Place, by_number, sample_of
from linnet.comparison.sensitivity import sensitivities
from linnet.comparison.separability_fact import separability_fact
from linnet.comparison.target_facts import balance_fact, order_fact, spread_fact
from linnet.pipeline.dataset import Dataset
from linnet.pipeline.trainers.batch import LEAST_ROWS


def reasons_of(
    dataset: Dataset,
    contenders: Sequence[OutOfFold],
    folds: Sequence[Fold],
    refits: Refits,
    *,
    seed: int,
    place: Place = by_number,
) -> Reasons:
    """The reasons, given what contenders predicted out of fold, the folds in which they did, and a way to fit again.

    `folds` are those of one cross-validation; in time the last first, as it has most rows to train on.
    """
    dataset = dataset.pruned(LEAST_ROWS)
    targets, labels = dataset.targets, dataset.labels
    facts = list(data_facts(dataset, place, seed))
    if labels is not None:
        if (doubted := out_of_fold_probabilities(dataset, folds, seed)) is not None:
            rows, probabilities = doubted
            facts += noise_facts(LEARNER.name, probabilities, targets[rows].astype(np.int64))
        if (hard := hard_rows_fact(contenders, targets, place)) is not None:
            facts.append(hard)
    learners = [each.learner for each in contenders if each.learner]
    return Reasons(
        tuple(facts),
        learning_curves(contenders, folds, targets, labels, dataset.weights, refits, seed),
        sensitivities(dataset, learners, folds[0], seed) if folds else (),
        disagreements(contenders, targets, labels, place),
    )


def data_facts(dataset: Dataset, place: Place, seed: int) -> tuple[Fact, ...]:
    """What is measured of the data alone."""
    targets, labels = dataset.targets, dataset.labels
    weights = np.ones(len(targets)) if dataset.weights is None else dataset.weights
    sample, equal = sample_of(dataset, seed), equal_rows(dataset)
    counts = entries_of_columns(sample)
    found: list[Fact | None] = []
    if labels is None:
        found += [spread_fact(targets, weights), conflicting_numbers_fact(equal, targets, weights)]
    else:
        clashes = conflicts(equal, targets.astype(np.int64), weights)
        found += [
            separability_fact(sample, place, seed),
            balance_fact(labels, targets, weights),
            order_fact(labels, targets),
            conflicts_fact(clashes, len(targets), place),
        ]
    found += [
        duplicates_fact(equal),
        *size_facts(sample, counts),
        missing_fact(sample, counts),
        scales_fact(sample),
        collinearity_fact(sample, seed),
    ]
    return tuple(fact for fact in found if fact is not None)
