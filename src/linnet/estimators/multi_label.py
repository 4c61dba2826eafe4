"""MultiLabelClassifier: many labels a row, or none."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from linnet.data.sparse_matrices import is_sparse, sound
from linnet.errors import InputError, RecipeError
from linnet.estimators.base import LinearClassifier, offered_if
from linnet.estimators.documentation import documented
from linnet.estimators.logistic_regression import LogisticRegression
from linnet.estimators.reading import input_errors, read_rows, read_weights
from linnet.learners.linear import LinearModel, logistic
from linnet.learners.recipe import Averaging
from linnet.training.duality_gap import Certificate
from linnet.training.multi_label import fit_labels

ATTRIBUTES = """
    Attributes
    ----------
    classes_ : the labels, sorted; of an indicator matrix, the numbers of its columns
    coef_, intercept_ : a row of weights, and an intercept, for each label
    certificate_ : how far the fit can be from the best, proven: the sum over the labels
    n_iter_ : the most iterations that a label took
    model_ : the `linnet.learners.linear.LinearModel`
    n_features_in_, feature_names_in_ : what the columns were
"""


@documented(attributes=ATTRIBUTES)
class MultiLabelClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Any number of labels a row: every label against the rows without it, by a classifier of two classes.

    y is an indicator matrix (rows x labels, 1 where the row has the label), dense or sparse, as scikit-learn takes it;
    or a list of the labels of each row.  `predict` returns the same kind: an indicator matrix, or a list of tuples.
    The rows are read once for all labels, and the labels are fitted on `n_jobs` threads, with the same result.

    >>> from linnet import MultiLabelClassifier
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 5
    >>> y = [[], ["new"], ["hot"], ["hot", "new"]] * 5
    >>> MultiLabelClassifier().fit(X, y).predict([[1.0, 0.0], [1.0, 1.0]])
    [('hot',), ('hot', 'new')]
    """

    model_: LinearModel
    certificate_: Certificate

    def __init__(self, estimator: Any = None, *, n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        return tags

    def _binary(self) -> LinearClassifier:
        """The classifier of two classes."""
        found = LogisticRegression() if self.estimator is None else self.estimator
        if not isinstance(found, LinearClassifier):
            raise RecipeError(f"estimator must be one of linnet's linear classifiers; it is {found!r}")
        if found._learner().recipe.averaging is Averaging.VOTE:
            raise RecipeError("hypotheses that vote make no weights for each label: take averaging='average'")
        return found

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to all rows."""
        binary = self._binary()
        learner = binary._learner()
        binary._check_parameters()
        rows = read_rows(self, X, reset=True)
        self.lists_, self.classes_, has = _indicator(y)
        if len(has) != rows.shape[0]:
            raise InputError(f"X has {rows.shape[0]} rows, but y has {len(has)}")
        weights = None if sample_weight is None else read_weights(sample_weight, rows)
        settings = replace(binary._settings_for(2, learner), threads=1 if self.n_jobs is None else self.n_jobs)
        trained = fit_labels(learner, rows, has, weights, settings, binary._class_weights())
        self.model_ = replace(trained.model, classes=self.classes_)
        self.coef_, self.intercept_ = np.ascontiguousarray(trained.model.weights.T), trained.model.intercepts.copy()
        self.certificate_, self.n_iter_ = trained.certificate, len(trained.history)
        if not trained.converged:
            warnings.warn(
                "a label stopped unconverged: raise max_iter of the estimator, or scale the features",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """w . x + b of every row and label: positive where the row is to have it."""
        check_is_fitted(self)
        return self.model_.scores(read_rows(self, X, reset=False))

    def predict(self, X: Any) -> Any:
        """What labels each row is to have: an indicator matrix, or a list of tuples, as y was in the fit."""
        has = self.decision_function(X) > 0
        if not self.lists_:
            return has.astype(np.int64)
        return [tuple(self.classes_[row].tolist()) for row in has]

    @offered_if(lambda self: self._binary()._learner().recipe.loss.log_odds)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """(rows, labels): the probability of each label, which do not add up to 1."""
        return logistic(self.decision_function(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Subset accuracy: the fraction of rows whose labels are all predicted, and no other."""
        lists, classes, has = _indicator(y)
        if lists:
            known = np.zeros((len(has), len(self.classes_)), dtype=bool)
            at = {label: number for number, label in enumerate(self.classes_.tolist())}
            new = [number for number, label in enumerate(classes.tolist()) if label not in at]
            for number, label in enumerate(classes.tolist()):
                if label in at:
                    known[:, at[label]] = has[:, number]
            right = (known == (self.decision_function(X) > 0)).all(axis=1) & ~has[:, new].any(axis=1)
        else:
            right = (has == (self.decision_function(X) > 0)).all(axis=1)
        return float(np.average(right, weights=sample_weight))


def _indicator(y: Any) -> tuple[bool, NDArray[Any], NDArray[np.bool_]]:
    """Whether y is lists of labels; the labels; and which of them each row has."""
    if is_sparse(y):
        with input_errors():
            y = sound(y).toarray()
    if isinstance(y, list | tuple) and not _is_table(y):
        rows = [[row] if isinstance(row, str) else list(row) for row in y]
        classes = np.array(sorted({label for row in rows for label in row}))
        if not len(classes):
            raise InputError("no row has a label: there is nothing to train on")
        at = {label: number for number, label in enumerate(classes.tolist())}
        has = np.zeros((len(rows), len(classes)), dtype=bool)
        for number, row in enumerate(rows):
            has[number, [at[label] for label in row]] = True
        return True, classes, has
    with input_errors():
        table = np.asarray(y)
    if table.ndim != 2 or table.dtype.kind not in "biuf" or not np.isin(table, (0, 1)).all():
        raise InputError("y must be an indicator matrix of 0 and 1, rows x labels, or a list of the labels of each row")
    return False, np.arange(table.shape[1]), table.astype(bool)


def _is_table(y: Any) -> bool:
    """Whether lists hold the 0 and 1 of an indicator matrix: rows of one length, two or more, and no other value."""
    lengths = {len(row) if isinstance(row, list | tuple) else -1 for row in y}
    return len(lengths) == 1 and min(lengths) > 1 and all(value in (0, 1) for row in y for value in row)
