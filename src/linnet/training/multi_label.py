"""Many labels a row: each of them against the rows without it, by any learner of two classes, as one model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.learners.entry import Entry
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Reduction
from linnet.training.class_weights import ClassWeights
from linnet.training.duality_gap import Certificate, joined
from linnet.training.fit import CERTAIN, Settings, fit
from linnet.training.history import added
from linnet.training.result import Trained
from linnet.training.threads import in_threads

CONSTANT = "every row has the label, or none has it: there is nothing to fit"
_TWO = Labels.in_order(np.array([0, 1]))


def fit_labels(
    entry: Entry,
    rows: Rows,
    has: NDArray[np.bool_],
    weights: NDArray[np.float64] | None,
    settings: Settings,
    class_weights: ClassWeights | None = None,
) -> Trained:
    """Fit a learner of two classes to every column of `has`, which says what labels a row has.

    A label that every row has, or none, is given a constant score.
    """

    def fitted(label: int) -> Trained | None:
        codes = has[:, label].astype(np.float64)
        counted = codes if weights is None else codes[weights > 0]
        if not 0 < counted.sum() < len(counted):
            return None
        by_row = weights if class_weights is None else class_weights.by_row([0, 1], codes, weights)
        return fit(entry, Examples(rows, codes, by_row), _TWO, replace(settings, threads=1))

    each = in_threads(fitted, range(has.shape[1]), settings.threads)
    table, intercepts = np.zeros((rows.shape[1], len(each))), np.where(has.any(axis=0), CERTAIN, -CERTAIN)
    for label, trained in enumerate(each):
        if trained is not None:
            table[:, label], intercepts[label] = trained.model.weights[:, 0], trained.model.intercepts[0]
    done = [trained for trained in each if trained is not None]
    proven = joined([trained.certificate for trained in done]) if done else Certificate(0.0, 0.0, CONSTANT)
    return Trained(
        LinearModel(table, intercepts, np.arange(len(each)), Reduction.ONE_VS_REST),
        added([trained.history for trained in done]) if done else [],
        all(trained.converged for trained in done),
        proven,
        solver=done[0].solver if done else "",
        solver_reason=done[0].solver_reason if done else CONSTANT,
    )
