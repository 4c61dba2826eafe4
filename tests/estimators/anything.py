"""Winnow for data of all sizes, as scikit-learn's checks and other tests bring them."""

from __future__ import annotations

import numpy as np

import linnet
from linnet.data.rows import Rows
from linnet.learners import catalogue
from linnet.learners.catalogue import Task, Way
from linnet.learners.recipe import Update


class OfAnything:
    """Every number is brought between 0 and 1, or, where columns must be Boolean, compared with 0."""

    def _rows(self, X):
        return self._brought(super()._rows(X))

    def _rows_and_targets(self, X, y, *, reset, numeric):
        rows, y = super()._rows_and_targets(X, y, reset=reset, numeric=numeric)
        return self._brought(rows), y

    def _brought(self, rows):
        rows.check_finite()
        X = (rows.matrix() if rows.dense else rows.matrix().toarray()).astype(np.float64)
        X = X > 0 if self._learner().recipe.factors.eliminates else 0.5 + 0.5 * (X / (1 + np.abs(X)))
        return Rows.of(X.astype(np.float64), rows.names)


class WinnowOfAnything(OfAnything, linnet.Winnow):
    pass


class OnlineOfAnything(OfAnything, linnet.OnlineClassifier):
    pass


def online_classifiers(**parameters):
    """Every online classifier of the catalogue, to be fitted to anything."""
    for entry in catalogue.entries(Way.ONLINE, Task.CLASSIFICATION):
        multiplicative = entry.recipe.update is Update.MULTIPLICATIVE
        yield (OnlineOfAnything if multiplicative else linnet.OnlineClassifier)(entry.name, **parameters)
