"""Fits of the SVM of very many classes (solvers/sparse_classes.py), and what rows prove of its weights."""

from __future__ import annotations

import numpy as np

from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.learners.entry import Entry
from linnet.learners.linear import LinearModel
from linnet.learners.sparse_weights import SparseWeights
from linnet.training import inverse_frequency
from linnet.training.duality_gap import NOT_PROVEN, Certificate
from linnet.training.history import Watcher
from linnet.training.log_count_ratio import Text
from linnet.training.result import Trained
from linnet.training.solvers import sparse_classes

TWO_CLASSES = "two classes share one output, which does not determine the weights of both"
REASON = "a step on one row's multipliers costs only the classes that its features ever pulled"


def fit_sparse(
    entry: Entry,
    examples: Examples,
    labels: Labels,
    text: Text | None,
    *,
    tol: float | None,
    most: int,
    watch: Watcher,
    proven: bool,
) -> Trained:
    """The weights that minimise the objective, as a table where that is small."""
    examples.rows.check_finite()
    weighted, by = _weighted(examples, text)
    C = 1.0 / entry.recipe.penalty.l2
    solved = sparse_classes.solve(
        weighted, len(labels), C, tol=tol, most=most, watch=watch, proven=proven,
        kept=lambda weights: weights.scaled(by).scaled(1.0 / by),
    )  # fmt: skip
    sparse, certificate = solved.weights.scaled(by), NOT_PROVEN if solved.certificate is None else solved.certificate
    weights = sparse.table() if sparse.fits_a_table else sparse
    outputs = len(labels)
    if outputs <= 2:
        assert isinstance(weights, np.ndarray) or outputs == 2
        table = sparse.table()
        weights, outputs = np.ascontiguousarray(table[:, 1:] - table[:, :1]), 1
        certificate = Certificate(float("nan"), float("-inf"), TWO_CLASSES)
    model = LinearModel(weights, np.zeros(outputs), labels.classes, entry.recipe.reduction)
    return Trained(model, solved.history, solved.converged, certificate, solver="dual", solver_reason=REASON)


def primal_of(entry: Entry, examples: Examples, labels: Labels, text: Text | None, model: LinearModel) -> Certificate:
    """The objective of a model's weights on these rows; nothing is proven of the optimum."""
    if len(labels) <= 2:
        return Certificate(float("nan"), float("-inf"), TWO_CLASSES)
    weighted, by = _weighted(examples, text)
    weights = model.weights
    sparse = SparseWeights.of_table(weights) if isinstance(weights, np.ndarray) else weights
    value = sparse_classes.objective(weighted, len(labels), 1.0 / entry.recipe.penalty.l2, sparse.scaled(1.0 / by))
    return Certificate(value, float("-inf"))


def _weighted(examples: Examples, text: Text | None) -> tuple[Examples, inverse_frequency.Flat]:
    """The rows with their text weighted by inverse document frequency, and the weight of each column."""
    if text is None:
        return examples, np.ones(examples.rows.shape[1])
    return inverse_frequency.weighted(examples, text.columns)
