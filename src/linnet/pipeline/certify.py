"""What the rows of a data set prove of a model of them."""

from __future__ import annotations

import numpy as np

from linnet.data.rows import Rows
from linnet.learners.entry import Entry
from linnet.learners.linear import LinearModel
from linnet.pipeline.dataset import TrainingSet
from linnet.training.duality_gap import Certificate
from linnet.training.log_count_ratio import Text
from linnet.training.problems import Problems


def proven(data: TrainingSet, entry: Entry, rows: Rows, model: LinearModel, bound: float = -np.inf) -> Certificate:
    """What the rows, as scaled for the fit, prove of this model of them; `bound` is what its solver has proven."""
    problems = Problems(entry, data.examples(rows), data.labels, text=Text(data.features.text_features(), data.weights))
    return problems.certify(model, bound)
