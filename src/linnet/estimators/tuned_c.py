"""LogisticRegressionCV and LinearSVCCV: C chosen by cross-validation along a path, as scikit-learn's class does it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.errors import RecipeError
from linnet.estimators.base import LinearClassifier
from linnet.estimators.cross_validated import (
    Fold,
    Numbers,
    Scoring,
    folds_of,
    for_classes,
    grid,
    path_of,
    scorer_of,
    selected,
    strongest_first,
)
from linnet.estimators.documentation import ATTRIBUTES, documented
from linnet.estimators.linear_svc import LinearSVC
from linnet.estimators.logistic_regression import BY_L1_RATIO, LogisticRegression
from linnet.estimators.parameters import check_number
from linnet.learners.entry import Entry
from linnet.learners.linear import LinearModel
from linnet.learners.regularisation import L1_RATIO
from linnet.training.fit import Settings
from linnet.training.threads import in_threads

# Where the values of C begin and end if only their number is given: 1e-4 and 1e4.
DECADES = (-4, 4)

TUNED_ATTRIBUTES = (
    ATTRIBUTES
    + """    Cs_, l1_ratios_ : the values that were tried; [None] where there is no L1 ratio
    scores_ : by label, the score of every fold and C (and L1 ratio, if there are several)
    coefs_paths_ : by label, the weights of every fold and C (and L1 ratio), the intercept last
    C_, l1_ratio_ : what was chosen, for each row of `coef_`
    gaps_ : the proven relative duality gap of every fold, C and L1 ratio

    Without `use_legacy_attributes` `scores_` and `coefs_paths_` are arrays (folds, L1 ratios, values of C, ...), and
    `C_` and `l1_ratio_` numbers, as scikit-learn's will be.
"""
)


class _Found(NamedTuple):
    """What one fold found: arrays over L1 ratios and values of C."""

    scores: Numbers
    tables: NDArray[np.float64]  # (ratios, Cs, outputs, columns + 1)
    iterations: NDArray[np.int64]
    gaps: Numbers


class _TunedC(LinearClassifier):
    """A classifier whose C, and L1 ratio if several are given, is chosen by folds; a subclass is also the classifier
    that it chooses them for."""

    Cs: Any
    cv: Any
    scoring: Any
    refit: bool
    use_legacy_attributes: Any
    eta0 = None
    warm_start = False
    C_: Any
    l1_ratio_: Any

    @property
    def C(self) -> float:
        """What the classifier takes for C: the value that is tried, and once there is one, that was chosen."""
        return float(vars(self).get("_at", (1.0, None))[0])

    @property
    def l1_ratio(self) -> float | None:
        """The same for the L1 ratio."""
        ratio: float | None = vars(self).get("_at", (1.0, None))[1]
        return ratio

    def _with(self, C: float, l1_ratio: float | None) -> Entry:
        """The learner with these."""
        self._at = (C, l1_ratio)
        return self._learner()

    def _ratios(self) -> list[float | None]:
        """The L1 ratios to try; None is the penalty's own."""
        return [None]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose C by folds of the rows, and fit to all of them."""
        Cs = grid("Cs", self.Cs, lambda number: np.logspace(*DECADES, number), positive=True)
        ratios = self._ratios()
        order = strongest_first(Cs.tolist(), rising=True)
        learners = [[self._with(float(Cs[at]), ratio) for at in order] for ratio in ratios]
        self._check_parameters()
        examples, labels = self._examples(X, y, sample_weight)
        settings = replace(self._settings_for(len(labels), learners[0][0]), threads=1)
        scorer = scorer_of(self.scoring)
        scoring = None
        if scorer is not None:
            scoring = Scoring(self, for_classes(scorer, np.asarray(labels.classes)), X, y, sample_weight)
        found = in_threads(
            lambda fold: self._fold(fold, learners, examples, labels, settings, scoring),
            folds_of(self, X, y, self.cv),
            self._threads(),
        )
        back = np.argsort(order)
        found = [
            _Found(one.scores[:, back], one.tables[:, back], one.iterations[:, back], one.gaps[:, back])
            for one in found
        ]
        at = self._best(np.array([one.scores for one in found]))
        self._chosen(Cs, ratios, found, at)
        ratio, C = ratios[at[0]], float(Cs[at[1]])
        if self.refit:
            self._fit(examples, labels, self._with(C, ratio))
        else:
            self._averaged(found, labels, examples)
        self._shown(Cs, ratios, found)
        return self

    def _fold(
        self,
        fold: Fold,
        learners: list[list[Entry]],
        examples: Examples,
        labels: Labels,
        settings: Settings,
        scoring: Scoring | None,
    ) -> _Found:
        fitted, asked = selected(examples, fold[0]), selected(examples, fold[1])
        scores, tables, iterations, gaps = [], [], [], []
        for path in learners:
            for trained in path_of(path, fitted, labels, settings):
                model = trained.model
                if scoring is None:
                    codes = model.codes(model.decision(asked.rows))
                    scores.append(float(np.average(codes == asked.targets, weights=asked.weights)))
                else:
                    scores.append(scoring.of(trained, fold[1], examples.rows.dtype))
                tables.append(np.column_stack([model.weights.T, model.intercepts]))
                iterations.append(len(trained.history))
                gaps.append(trained.certificate.gap)
        shape = (len(learners), len(learners[0]))
        return _Found(
            np.reshape(scores, shape),
            np.reshape(tables, (*shape, *np.shape(tables[0]))),
            np.reshape(iterations, shape),
            np.reshape(gaps, shape),
        )

    @staticmethod
    def _best(scores: Numbers) -> tuple[int, int]:
        """The number of the L1 ratio and of C with the best mean over the folds; of equal ones the first."""
        means = scores.mean(axis=0)
        ratio, C = np.unravel_index(int(np.argmax(np.where(np.isnan(means), -np.inf, means))), means.shape)
        return int(ratio), int(C)

    def _chosen(self, Cs: Numbers, ratios: list[float | None], found: list[_Found], at: tuple[int, int]) -> None:
        self.C_, self.l1_ratio_ = float(Cs[at[1]]), ratios[at[0]]
        if not self.refit:  # the mean of what is best in each fold
            best = [self._best(one.scores[np.newaxis]) for one in found]
            self.C_ = float(np.mean([Cs[C] for _, C in best]))
            if ratios[0] is not None:
                self.l1_ratio_ = float(np.mean([ratios[ratio] for ratio, _ in best]))

    def _averaged(self, found: list[_Found], labels: Labels, examples: Examples) -> None:
        """The mean of the weights that are best in each fold, without another fit."""
        best = [one.tables[self._best(one.scores[np.newaxis])] for one in found]
        table = np.mean(best, axis=0)
        learner = self._with(self.C_, self.l1_ratio_)
        weights = np.ascontiguousarray(table[:, :-1].T)
        model = LinearModel(weights, table[:, -1].copy(), labels.classes, learner.recipe.reduction)
        self._show(model, examples.rows.dtype)

    def _shown(self, Cs: Numbers, ratios: list[float | None], found: list[_Found]) -> None:
        """The attributes of scikit-learn's class, in the form asked for."""
        self.Cs_, self.l1_ratios_ = Cs, np.array(ratios)
        scores = np.array([one.scores for one in found])
        paths = np.array([one.tables for one in found])
        iterations = np.array([one.iterations for one in found])
        self.gaps_ = np.array([one.gaps for one in found])
        paths = paths if self.fit_intercept else paths[..., :-1]
        if not self.use_legacy_attributes:
            self.scores_: Any = scores
            self.coefs_paths_: Any = paths
            self.n_iter_: Any = iterations
            if self.l1_ratio_ is None:
                self.l1_ratio_ = 1.0 if self.penalty == "l1" else 0.0
            return
        several = ratios[0] is not None
        scores, paths, iterations = (  # the L1 ratios after the values of C
            np.moveaxis(each, 1, 2) if several else each[:, 0] for each in (scores, paths, iterations)
        )
        outputs = paths.shape[2 + several]
        names = self.classes_.tolist() if outputs > 1 else self.classes_.tolist()[1:]
        self.scores_ = dict.fromkeys(names, scores)
        self.coefs_paths_ = {name: np.take(paths, at, axis=2 + several) for at, name in enumerate(names)}
        self.n_iter_ = iterations[np.newaxis]
        self.C_ = np.full(outputs, self.C_)
        self.l1_ratio_ = np.full(outputs, self.l1_ratio_)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score by `scoring`: of the default one, the accuracy."""
        scorer = scorer_of(self.scoring)
        if scorer is None:
            return float(super().score(X, y, sample_weight))
        return float(scorer(self, X, y) if sample_weight is None else scorer(self, X, y, sample_weight=sample_weight))

    def _streams(self) -> bool:
        return False


@documented("logistic-regression", attributes=TUNED_ATTRIBUTES)
class LogisticRegressionCV(_TunedC, LogisticRegression):  # type: ignore[misc,override]
    """LogisticRegression with C, and the L1 ratio if several are given, chosen by cross-validation.

    A path of values from strong to weak penalties is fitted on every fold, each fit from the one before, to a proven
    gap of `tol`; the value with the best mean score is fitted to all rows.

    >>> from linnet import LogisticRegressionCV
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], ["low", "low", "low", "high", "high", "high"]
    >>> model = LogisticRegressionCV(Cs=[0.01, 1.0, 100.0], cv=3).fit(X, y)
    >>> model.C_.shape, model.scores_["low"].shape, bool(model.gaps_.max() <= 1e-4)
    ((1,), (3, 3), True)
    """

    def __init__(
        self,
        *,
        Cs: Any = 10,
        l1_ratios: Any = None,
        fit_intercept: bool = True,
        cv: Any = None,
        dual: bool = False,
        penalty: str | None = BY_L1_RATIO,
        scoring: Any = None,
        solver: str = "auto",
        tol: float | None = 1e-4,
        max_iter: int | None = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        refit: bool = True,
        intercept_scaling: float = 1.0,
        random_state: Any = None,
        use_legacy_attributes: bool | str = True,
        multiclass: str = "joint",
        penalise_intercept: bool = False,
    ) -> None:
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.dual = dual
        self.penalty = penalty
        self.scoring = scoring
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.refit = refit
        self.intercept_scaling = intercept_scaling
        self.random_state = random_state
        self.use_legacy_attributes = use_legacy_attributes
        self.multiclass = multiclass
        self.penalise_intercept = penalise_intercept

    def _ratios(self) -> list[float | None]:
        if self.l1_ratios is None or (isinstance(self.l1_ratios, str) and self.l1_ratios == "warn"):
            return [0.5] if self.penalty == "elasticnet" else [None]
        if isinstance(self.l1_ratios, str) or not np.size(self.l1_ratios):
            raise RecipeError(f"l1_ratios is a list of numbers between 0 and 1; it is {self.l1_ratios!r}")
        return [None if each is None else check_number("l1_ratios", each) for each in self.l1_ratios]

    def _learner(self) -> Entry:
        if self.solver == "online":
            raise RecipeError("solver='online' is for LogisticRegression: here fits must end at an optimum")
        return super()._learner()


@documented("svm", "svm-squared", attributes=TUNED_ATTRIBUTES)
class LinearSVCCV(_TunedC, LinearSVC):  # type: ignore[misc,override]
    """LinearSVC with C chosen by cross-validation, after the manner of LogisticRegressionCV.

    >>> from linnet import LinearSVCCV
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 0, 1, 1, 1]
    >>> LinearSVCCV(Cs=[0.01, 1.0], cv=3).fit(X, y).predict([[0.5], [4.5]]).tolist()
    [0, 1]
    """

    def __init__(
        self,
        *,
        Cs: Any = 10,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        fit_intercept: bool = True,
        cv: Any = None,
        dual: bool | str = "auto",
        scoring: Any = None,
        solver: str = "auto",
        tol: float | None = 1e-4,
        max_iter: int | None = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        refit: bool = True,
        intercept_scaling: float = 1.0,
        random_state: Any = None,
        use_legacy_attributes: bool | str = True,
        multi_class: str = "ovr",
        multiclass: str = "one-vs-rest",
        penalise_intercept: bool = False,
    ) -> None:
        self.Cs = Cs
        self.penalty = penalty
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.dual = dual
        self.scoring = scoring
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.refit = refit
        self.intercept_scaling = intercept_scaling
        self.random_state = random_state
        self.use_legacy_attributes = use_legacy_attributes
        self.multi_class = multi_class
        self.multiclass = multiclass
        self.penalise_intercept = penalise_intercept

    @property
    def l1_ratio(self) -> float:  # type: ignore[override]
        """For an elastic net."""
        return L1_RATIO
