"""Out-of-fold probabilities of logistic regression: what labels are doubted by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.out_of_fold import Fold
from linnet.comparison.row_sample import drawn
from linnet.cores import one_thread
from linnet.data.task import Task
from linnet.learners import catalogue
from linnet.learners.entry import Way
from linnet.learners.problem_choice import adapted
from linnet.learners.regularisation import OWN
from linnet.pipeline.dataset import Dataset
from linnet.pipeline.trainers.solving import Solving, rows_to_fit
from linnet.pipeline.trainers.trials import Trials

Flat = NDArray[np.float64]
Numbers = NDArray[np.int64]

# Folds whose test rows are looked at, and how much is trained on in each: a good fit doubts the labels that the best
# one does.
FOLDS, MOST_TRAINED, MOST_ENTRIES, MOST_CLASSES = 5, 20_000, 1 << 22, 100
LEARNER = catalogue.default(Way.BATCH, Task.CLASSIFICATION)


@one_thread()
def out_of_fold_probabilities(dataset: Dataset, folds: Sequence[Fold], seed: int) -> tuple[Numbers, Flat] | None:
    """Numbers of rows, and the probabilities of all classes for them; None for very many classes."""
    labels = dataset.labels
    if labels is None or labels.sets is not None or not 2 <= len(labels) <= MOST_CLASSES or not folds:
        return None
    columns, has_text = len(dataset.features), bool(dataset.features.text_features().any())
    entry = adapted(LEARNER, OWN, has_text=has_text, columns=columns, classes=len(labels))
    data = dataset.for_learner(entry, None)
    raw = rows_to_fit(data, entry, Solving().solver)
    most = min(MOST_TRAINED, max(1000, MOST_ENTRIES * len(data.targets) // max(1, raw.entries)))
    rows, found = [], []
    with Trials(data, entry, raw, Solving()) as trials:
        for fold in folds[:FOLDS]:
            trained_on, asked = np.zeros(len(data.targets), dtype=bool), np.zeros(len(data.targets), dtype=bool)
            trained_on[fold.train[drawn(data.targets[fold.train], labels, most, seed)]] = True
            asked[fold.test] = True
            if len(np.unique(data.targets[trained_on])) < len(labels):
                continue
            found.append(trials.probabilities(trained_on, asked))
            rows.append(np.flatnonzero(asked))
    if not rows:
        return None
    return np.concatenate(rows), np.concatenate(found)
