"""RidgeCV and RidgeClassifierCV: alpha chosen by leaving rows out, in closed form, or by folds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from linnet.data.rows import Examples, Rows
from linnet.errors import NumericalError, RecipeError
from linnet.estimators.cross_validated import (
    Scoring,
    folds_of,
    grid,
    path_of,
    scorer_of,
    selected,
    strongest_first,
)
from linnet.estimators.documentation import ATTRIBUTES, documented
from linnet.estimators.multi_output import Table
from linnet.estimators.parameters import chosen
from linnet.estimators.ridge import Ridge, RidgeClassifier, RidgeParameters
from linnet.learners.entry import AUTO, Entry
from linnet.training.leave_one_out import LeaveOneOut
from linnet.training.multi_output import fit_outputs
from linnet.training.result import Trained

TUNED_ATTRIBUTES = (
    ATTRIBUTES
    + """    alpha_ : the alpha that was chosen; one for each target with `alpha_per_target`
    best_score_ : its score: the mean of -(error)^2 of rows left out, or by `scoring`; with `cv` R²
    cv_results_ : with `store_cv_results`, the squared error (with `scoring` the prediction) of every row and alpha
"""
)
DEFAULT_ALPHAS = (0.1, 1.0, 10.0)
GCV_MODES = {mode: mode for mode in ("auto", "svd", "eigen", None)}


class _TunedAlpha(RidgeParameters):
    """What both have in common."""

    alphas: Any
    scoring: Any
    cv: Any
    store_cv_results: bool
    alpha_per_target = False

    solver = AUTO
    tol = 1e-6
    penalise_intercept = False
    positive = False
    copy_X = True
    random_state = None
    warm_start = False
    verbose = 0

    @property
    def alpha(self) -> Any:
        """What ridge regression takes for alpha: what was chosen, once something was."""
        return vars(self).get("alpha_", 1.0)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose alpha, and fit to all rows."""
        self.__dict__.pop("alpha_", None)
        self._alphas_tried = self._grid()
        if self.cv is not None:
            if self.store_cv_results:
                raise RecipeError("cv!=None and store_cv_results=True are incompatible")
            if self.alpha_per_target:
                raise RecipeError("cv!=None and alpha_per_target=True are incompatible")
        self._given = (X, y, sample_weight)
        try:
            return super().fit(X, y, sample_weight)  # type: ignore[no-any-return]
        finally:
            del self._given

    def _grid(self) -> NDArray[np.float64]:
        def refused(_: int) -> NDArray[np.float64]:
            return np.array([float(self.alphas)])

        return grid("alphas", self.alphas, refused, positive=self.cv is None)

    def _choose(self, rows: Rows, targets: Table, weights: Table | None, learner: Entry, *, several: bool) -> None:
        """Set `alpha_`, `best_score_` and, if asked for, `cv_results_`."""
        rows.check_finite()
        scores = (
            self._by_leaving_out(rows, targets, weights, several=several)
            if self.cv is None
            else self._by_folds(rows, targets, weights, learner)
        )
        at = np.argmax(np.where(np.isnan(scores), -np.inf, scores), axis=0)  # of equal ones the first
        if self.alpha_per_target and several:
            self.alpha_: Any = self._alphas_tried[at]
            self.best_score_: Any = scores[at, np.arange(scores.shape[1])]
            return
        self.alpha_, self.best_score_ = float(self._alphas_tried[at[0]]), float(scores[at[0], 0])

    def _by_leaving_out(self, rows: Rows, targets: Table, weights: Table | None, *, several: bool) -> Table:
        """(alphas, 1), or with `alpha_per_target` (alphas, targets): the scores of rows left out."""
        alphas, scorer = self._alphas_tried, scorer_of(self.scoring)
        kept = np.ones(rows.shape[0], dtype=bool) if weights is None else weights > 0
        missed = np.zeros((rows.shape[0], targets.shape[1], len(alphas)))
        for column, y in enumerate(targets.T):
            examples = selected(Examples(rows, np.ascontiguousarray(y), weights), np.flatnonzero(kept))
            try:
                missed[kept, column] = LeaveOneOut(examples, intercept=self.fit_intercept).residuals(alphas)
            except np.linalg.LinAlgError as error:
                raise NumericalError(
                    f"{error}: scale the features down (sklearn.preprocessing.StandardScaler)"
                ) from None
        squares = missed**2 if weights is None else weights[:, np.newaxis, np.newaxis] * missed**2
        predicted = targets[:, :, np.newaxis] - missed
        if self.store_cv_results:
            results = squares if scorer is None else predicted
            self.cv_results_ = results if several else results[:, 0]
        each = self.alpha_per_target and several
        if scorer is None:
            return np.asarray(-squares.mean(axis=0).T if each else -squares.mean(axis=(0, 1))[:, np.newaxis])
        return self._scores(scorer, predicted, targets, weights, each=each)

    def _by_folds(self, rows: Rows, targets: Table, weights: Table | None, learner: Entry) -> Table:
        """(alphas, 1): the mean score of the folds."""
        X, y, sample_weight = self._given
        order = strongest_first(self._alphas_tried.tolist(), rising=False)
        scorer = scorer_of(self.scoring) or (lambda model, X, y, **weights: model.score(X, y, **weights))
        scoring = Scoring(self, scorer, X, y, sample_weight)
        scores = []
        for fitted, asked in folds_of(self, X, y, self.cv):
            found = np.empty(len(order))
            learners = [self._with_alpha(learner, float(self._alphas_tried[at])) for at in order]
            fits = self._fold(learners, rows, targets, weights, fitted)
            for at, trained in zip(order, fits, strict=True):
                found[at] = scoring.of(trained, asked, rows.dtype)
            scores.append(found)
        return np.asarray(np.mean(scores, axis=0)[:, np.newaxis])

    def _fold(
        self, learners: list[Entry], rows: Rows, targets: Table, weights: Table | None, fitted: NDArray[np.int64]
    ) -> Iterable[Trained]:
        """The fits to these rows, one for each learner."""
        raise NotImplementedError

    def _scores(self, scorer: Any, predicted: Table, targets: Table, weights: Table | None, *, each: bool) -> Table:
        """The scores of predictions, (rows, targets, alphas), over all targets, or of each."""
        raise NotImplementedError


@documented("ridge", attributes=TUNED_ATTRIBUTES)
class RidgeCV(_TunedAlpha, Ridge):
    """Ridge regression with the best of several alphas.

    Without `cv` every row is left out once, exactly, and one decomposition of the rows serves all alphas (Allen 1974).
    With `cv` every fold is scored by a fit to the others.

    >>> from linnet import RidgeCV
    >>> model = RidgeCV(alphas=[0.01, 1.0, 100.0]).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0])
    >>> model.alpha_, round(float(model.best_score_), 4)
    (0.01, -0.0001)
    """

    def __init__(
        self,
        alphas: Any = DEFAULT_ALPHAS,
        *,
        fit_intercept: bool = True,
        scoring: Any = None,
        cv: Any = None,
        gcv_mode: str | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose alpha, and fit to all rows; y has a number for each, or several."""
        chosen(GCV_MODES, "gcv_mode", self.gcv_mode)
        return super().fit(X, y, sample_weight)

    def _fit(self, examples: Examples, labels: Any, learner: Entry) -> Self:
        table = np.asarray(self._given[1]).ndim > 1
        self._choose(examples.rows, examples.targets[:, np.newaxis], examples.weights, learner, several=table)
        return super()._fit(examples, labels, self._with_alpha(learner, float(np.ravel(self.alpha_)[0])))

    def _several(self, learner: Entry, rows: Rows, targets: Table, weights: Table | None) -> Trained:
        self._choose(rows, targets, weights, learner, several=True)
        return super()._several(self._with_alpha(learner, float(np.ravel(self.alpha_)[0])), rows, targets, weights)

    def _fold(
        self, learners: list[Entry], rows: Rows, targets: Table, weights: Table | None, fitted: NDArray[np.int64]
    ) -> Iterable[Trained]:
        some = selected(Examples(rows, np.ascontiguousarray(targets[:, 0]), weights), fitted)
        if targets.shape[1] == 1:
            return path_of(learners, some, None, self._settings())
        return (fit_outputs(each, some.rows, targets[fitted], some.weights, self._settings()) for each in learners)

    def _scores(self, scorer: Any, predicted: Table, targets: Table, weights: Table | None, *, each: bool) -> Table:
        given = {} if weights is None else {"sample_weight": weights}
        found = []
        for at in range(predicted.shape[2]):
            told = predicted[:, :, at]
            if each:
                found.append([scorer(_Told(), p, y, **given) for p, y in zip(told.T, targets.T, strict=True)])
            else:
                p, y = (told[:, 0], targets[:, 0]) if told.shape[1] == 1 else (told, targets)
                found.append([scorer(_Told(), p, y, **given)])
        return np.array(found, dtype=np.float64)


@documented("ridge", attributes=TUNED_ATTRIBUTES)
class RidgeClassifierCV(_TunedAlpha, RidgeClassifier):
    """`RidgeClassifier` with the best of several alphas.

    Without `cv` every row is left out once, exactly, and judged by the squares of what its scores miss 1 and -1 by, or
    by `scoring` of its label.  With `cv` every fold is scored by a fit to the others.

    >>> from linnet import RidgeClassifierCV
    >>> model = RidgeClassifierCV(alphas=[0.1, 10.0]).fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> model.alpha_, model.predict([[0.4]]).tolist()
    (0.1, ['low'])
    """

    def __init__(
        self,
        alphas: Any = DEFAULT_ALPHAS,
        *,
        fit_intercept: bool = True,
        scoring: Any = None,
        cv: Any = None,
        class_weight: Any = None,
        store_cv_results: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.class_weight = class_weight
        self.store_cv_results = store_cv_results

    def _several(self, learner: Entry, rows: Rows, targets: Table, weights: Table | None) -> Trained:
        self._choose(rows, targets, weights, learner, several=True)
        return super()._several(self._with_alpha(learner, float(self.alpha_)), rows, targets, weights)

    def _fold(
        self, learners: list[Entry], rows: Rows, targets: Table, weights: Table | None, fitted: NDArray[np.int64]
    ) -> Iterable[Trained]:
        some = selected(Examples(rows, np.ascontiguousarray(targets[:, 0]), weights), fitted)
        for each in learners:
            trained = fit_outputs(each, some.rows, targets[fitted], some.weights, self._settings())
            yield self._of_labels(trained, self.classes_)

    def _scores(self, scorer: Any, predicted: Table, targets: Table, weights: Table | None, *, each: bool) -> Table:  # noqa: ARG002
        given = {} if weights is None else {"sample_weight": weights}
        true, told = self.classes_[_codes(targets)], [self.classes_[_codes(p)] for p in np.moveaxis(predicted, 2, 0)]
        return np.array([[scorer(_ToldLabels(self.classes_), p, true, **given)] for p in told], dtype=np.float64)


def _codes(scores: Table) -> NDArray[np.int64]:
    """The class of each row: of two by the sign, of more by the largest."""
    return np.asarray(scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1), dtype=np.int64)


class _Told(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor that predicts what it is asked, for scorers."""

    def predict(self, X: Any) -> Any:
        """X itself."""
        return X


class _ToldLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The same of labels."""

    def __init__(self, classes: Any) -> None:
        self.classes_ = classes

    def predict(self, X: Any) -> Any:
        """X itself."""
        return X
