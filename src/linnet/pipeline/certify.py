"""What the rows of a data set prove of a model of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from linnet.data.rows import Rows
from linnet.learners.entry import Entry
from linnet.learners.linear import LinearModel
from linnet.pipeline.dataset import TrainingSet
from linnet.training.duality_gap import Certificate
from linnet.training.log_count_ratio import Text
from linnet.training.problems import Problems

# The bound that is stated is lower than the one that is proven by this many times what rounding may do.  Worked out
# again in another order, it comes out the same to twice that: so a gap that is stated a tenth smaller is seen to be.
STATED_BELOW = 40.0


def proven(
    data: TrainingSet, entry: Entry, rows: Rows, model: LinearModel, enough: float, bound: Callable[[], float]
) -> Certificate:
    """What the rows, as scaled for the fit, prove of this model of them: by its weights, if they prove that the gap is
    `enough`, else also by the `bound` of its solver."""
    problems = Problems(entry, data.examples(rows), data.labels, text=Text(data.features.text_features(), data.weights))
    found = problems.certify(model)
    if found.reason:
        return found
    dual = found.dual
    if not found.gap <= enough:
        dual = max(dual, bound() - 2.0 * found.rounding)
    return replace(found, dual=max(0.0, dual - STATED_BELOW * found.rounding))
