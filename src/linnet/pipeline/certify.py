"""What the rows of a data set prove of a model of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from linnet.data.packed_rows import PackedRows
from linnet.data.rows import Rows
from linnet.learners.entry import Entry
from linnet.learners.linear import LinearModel
from linnet.pipeline.dataset import TrainingSet
from linnet.training.duality_gap import Certificate
from linnet.training.log_count_ratio import Text
from linnet.training.problems import Problems
from linnet.training.sparse_fit import primal_of

# The bound that is stated is lower than the one that is proven by this many times what rounding may do.  Worked out
# again in another order, it comes out the same to twice that: so a gap that is stated a tenth smaller is seen to be.
STATED_BELOW = 40.0


def proven(
    data: TrainingSet, entry: Entry, rows: Rows, model: LinearModel, enough: float, bound: Callable[[], float]
) -> Certificate:
    """What the rows, as scaled for the fit, prove of this model of them: by its weights, if they prove that the gap is
    `enough`, else also by the `bound` of its solver."""
    text = None if isinstance(rows, PackedRows) else Text(data.features.text_features(), data.weights)
    if entry.sparse_classes:
        assert data.labels is not None
        found = primal_of(entry, data.examples(rows), data.labels, text, model)
        return found if found.reason else replace(found, dual=bound())
    problems = Problems(entry, data.examples(rows), data.labels, text=text)
    found = _certified(problems, rows, model) if isinstance(rows, PackedRows) else problems.certify(model)
    if found.reason:
        return found
    dual = found.dual
    if not found.gap <= enough:
        dual = max(dual, bound() - 2.0 * found.rounding)
    return replace(found, dual=max(0.0, dual - STATED_BELOW * found.rounding))


def _certified(problems: Problems, rows: PackedRows, model: LinearModel) -> Certificate:
    """What packed rows prove: columns that no row has add nothing to any score, but their weights are penalised."""
    fitted = replace(model, weights=np.ascontiguousarray(model.weights[rows.used]))
    found = problems.certify(fitted)
    others = np.delete(model.weights, rows.used, axis=0)
    penalty = problems[0].objective.penalty
    extra = penalty.l1 * float(np.abs(others).sum()) + 0.5 * penalty.l2 * float((others * others).sum())
    return replace(found, primal=found.primal + extra) if extra else found
