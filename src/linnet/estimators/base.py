"""What all estimators have in common: reading their input as scikit-learn would, fitting, and fitted attributes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.errors import CertificateError, InputError, RecipeError
from linnet.estimators.coefficients import Coefficients
from linnet.estimators.lazy_bound import LazyBound
from linnet.estimators.parameters import check_labels, check_number, chosen
from linnet.estimators.progress import watching
from linnet.estimators.reading import read_rows, read_rows_and_targets, read_weights
from linnet.estimators.unconverged import unconverged
from linnet.learners.entry import Entry, Way
from linnet.learners.recipe import Averaging, Reduction
from linnet.theory.mistake_bounds import NOT_KEPT, Mistakes, has_bound, mistake_bound
from linnet.training.class_weights import BALANCED, ClassWeights
from linnet.training.duality_gap import ONLINE, Certificate
from linnet.training.fit import Settings, fit
from linnet.training.history import PATIENCE, Pass, ignore
from linnet.training.online import OnlineTraining
from linnet.training.reduction import problems
from linnet.training.result import Start, Trained

Method = TypeVar("Method", bound=Callable[..., Any])

VALIDATED = "some rows were held out to decide when to stop: a bound is of all rows, with early_stopping=False"

AVERAGING = {"none": Averaging.LAST, "average": Averaging.AVERAGE, "vote": Averaging.VOTE}


def offered_if(condition: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """A method that is there only for some settings (scikit-learn's way, with types)."""
    return cast("Callable[[Method], Method]", available_if(condition))


class LinearEstimator(Coefficients, BaseEstimator):  # type: ignore[misc]
    """Reads X, y and weights, fits, and keeps the result. A subclass names its learner and settings."""

    fit_intercept: bool
    max_iter: int | None
    tol: float | None
    verbose: int
    history_: list[Pass]
    _training: Any
    _proven: Certificate | Mistakes | LazyBound
    # what not every estimator leaves to its user
    shuffle: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    warm_start: bool = False
    # whether there are several solvers to choose from
    _chooses_solver = False
    _least_iterations = 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def certificate_(self) -> Certificate | Mistakes:
        """What the fit proves of itself.

        A bound on mistakes is worked out when it is first asked for (or when the estimator is pickled), and takes
        longer than a pass over the rows.  It is of the rows as they were in the fit.  The estimator does not keep X:
        of a large X that was deleted or changed meanwhile, or was not shuffled, the certificate has a `reason` instead
        of a bound; see `certify`.
        """
        if "_proven" not in vars(self):
            raise AttributeError(f"this {type(self).__name__} has no certificate_ yet: call fit first")
        if isinstance(self._proven, LazyBound):
            self._proven = self._proven.work_out(self._rows)
        return self._proven

    @certificate_.setter
    def certificate_(self, proven: Certificate | Mistakes) -> None:
        self._proven = proven

    def __getstate__(self) -> Any:
        if "_proven" in vars(self):
            _ = self.certificate_  # not the rows are kept, but what they prove
        return super().__getstate__()

    def _learner(self) -> Entry:
        """The row of the catalogue, with the recipe that the parameters describe; an error where they do not fit."""
        raise NotImplementedError

    def _settings(self) -> Settings:
        """How to run it, as far as the parameters say."""
        return Settings(
            tol=self.tol,
            all_passes=self.tol is None,
            max_iter=self._iterations(),
            intercept=self.fit_intercept,
            threads=self._threads(),
            shuffle=bool(self.shuffle),
            seed=self._seed(),
            **self._stopping(),
        )

    def _iterations(self) -> int | None:
        """How many steps or passes are allowed, if the user says (scikit-learn's checks look for the name)."""
        return getattr(self, "max_iter", None)

    def _settings_for(self, classes: int, learner: Entry) -> Settings:  # noqa: ARG002
        """The same, once it is known how many classes there are."""
        return self._settings()

    def _stopping(self) -> dict[str, Any]:
        """When an online learner stops, where that is left to the user (scikit-learn's checks look for the names)."""
        patience = getattr(self, "n_iter_no_change", PATIENCE)
        fraction = getattr(self, "validation_fraction", 0.1) if self._validates() else 0.0
        if not isinstance(patience, int | np.integer) or patience < 1:
            raise RecipeError(f"n_iter_no_change must be a whole number of passes, 1 or more; it is {patience!r}")
        if self._validates() and not 0 < check_number("validation_fraction", fraction) < 1:
            raise RecipeError(f"validation_fraction must be above 0 and below 1; it is {fraction!r}")
        return {"patience": int(patience), "validation": float(fraction)}

    def _validates(self) -> bool:
        """Whether rows are held out to decide when to stop."""
        return bool(getattr(self, "early_stopping", False))

    def _start(self, columns: int, labels: Labels | None, learner: Entry) -> Start | None:
        """Where a fit begins: with `warm_start` where the last one ended, if there was one."""
        if not self.warm_start or not hasattr(self, "model_"):
            return None
        recipe = learner.recipe
        before = self._model()
        classes = [] if labels is None else labels.classes.tolist()
        known = [] if before.classes is None else before.classes.tolist()
        for what, now, then in (
            ("columns", columns, len(before.weights)),
            ("labels", classes, known),
            ("multiclass", str(recipe.reduction), str(before.reduction) if len(known) > 2 else str(recipe.reduction)),
        ):
            if now != then:
                raise InputError(
                    f"warm_start begins at the weights of the last fit, which had other {what}: {then}, not {now}; "
                    "set warm_start=False, or fit a clone"
                )
        if learner.way is not Way.BATCH:
            return None  # it goes on as it is (_running)
        kept: Start | None = getattr(self, "_ended", None)
        several = 1 if labels is None else len(problems(len(labels), recipe.reduction))
        return kept if kept is not None and kept.model is before else Start(before, (None,) * several)

    def _running(self, learner: Entry) -> OnlineTraining | None:
        """With `warm_start`, what an online learner goes on with: where the last fit, or the stream, ended."""
        training = getattr(self, "_training", None)
        if not self.warm_start or not isinstance(training, OnlineTraining) or learner.way is not Way.ONLINE:
            return None
        if (training.recipe, training.intercept) != (learner.recipe, self.fit_intercept):
            raise RecipeError("the parameters have changed since the last fit: set warm_start=False, or fit a clone")
        return training.copied()

    def _streams(self) -> bool:
        """Whether these settings can be fitted to a stream."""
        return True

    def _fit(self, examples: Examples, labels: Labels | None, learner: Entry) -> Self:
        recipe = learner.recipe
        several = 1 if labels is None else len(problems(len(labels), recipe.reduction))
        start, running = self._start(examples.rows.shape[1], labels, learner), self._running(learner)
        with watching(self.verbose, type(self).__name__, several * (self._iterations() or learner.max_iter)) as watch:
            settings = self._settings()
            if watch is not ignore or start is not None or running is not None:
                settings = replace(settings, watch=watch, start=start, running=running)
            trained = fit(learner, examples, labels, settings)
        if trained.state is not None:
            self._training = trained.state
        self._fitted(trained, examples.rows.dtype)
        if learner.way is Way.ONLINE:
            self.t_ = 1.0 + len(trained.history) * examples.rows.shape[0]
        if trained.online is not None and has_bound(recipe):
            validated = Mistakes(trained.online.made, reason=VALIDATED)
            self._proven = validated if self._validates() else LazyBound(recipe, trained, examples)
            if running is not None:  # the rows before are not kept
                self._proven = Mistakes(trained.online.made, reason=NOT_KEPT)
        return self

    def _take(self, examples: Examples, labels: Labels | None, learner: Entry) -> Self:
        """Train on one block of a stream."""
        training, recipe = getattr(self, "_training", None), learner.recipe
        earlier = [] if training is None else self.history_
        if training is None:
            training = OnlineTraining(recipe, examples.rows.shape[1], labels, intercept=self.fit_intercept)
        elif (training.recipe, training.intercept) != (recipe, self.fit_intercept):
            raise RecipeError("the parameters have changed since the stream began: call fit, or clone the estimator")
        last = training.take(examples, labels)
        self._training = training
        self._show(training.model(), examples.rows.dtype)
        self.history_ = [*earlier, last]
        self.n_iter_: Any = len(self.history_)
        self.t_ = (self.t_ if earlier else 1.0) + examples.rows.shape[0]
        self.updates_ = sum(each.updates for each in self.history_)
        counted = has_bound(recipe)
        self.certificate_ = Mistakes(training.mistakes_made, reason=NOT_KEPT) if counted else ONLINE
        return self

    def _rows(self, X: Any) -> Rows:
        """X as rows to predict, its shape and names checked."""
        check_is_fitted(self)
        return read_rows(self, X, reset=False)

    def _rows_and_targets(self, X: Any, y: Any, *, reset: bool, numeric: bool) -> tuple[Rows, NDArray[Any]]:
        """X and y to learn from; with reset the columns' number and names are taken down, else checked."""
        return read_rows_and_targets(self, X, y, reset=reset, numeric=numeric)

    def _weights(self, sample_weight: Any, rows: Rows) -> NDArray[np.float64] | None:
        if sample_weight is None:
            return None
        weights = read_weights(sample_weight, rows)
        if not weights.any():
            raise InputError("every sample weight is zero: there is nothing to train on")
        return weights

    def _check_parameters(self) -> None:
        most = self._iterations()
        if most is not None and (not isinstance(most, int | np.integer) or most < self._least_iterations):
            least = self._least_iterations
            raise RecipeError(f"max_iter must be a whole number of passes, {least} or more; it is {most!r}")
        if self.tol is not None:
            check_number("tol", self.tol)
        self._threads()

    def _threads(self) -> int:
        if self.n_jobs is None:
            return 1
        if not isinstance(self.n_jobs, int | np.integer) or self.n_jobs == 0:
            raise RecipeError(f"n_jobs must be a number of threads, -1 for one a core, or None; it is {self.n_jobs!r}")
        return int(self.n_jobs)

    def _seed(self) -> int:
        state = self.random_state
        if state is None or isinstance(state, int | np.integer):
            return int(state or 0)
        return int(check_random_state(state).randint(2**31))

    def _fitted(self, trained: Trained, dtype: Any = np.float64) -> None:
        """Keep the outcome of a whole fit, and warn if it did not converge."""
        self._show(trained.model, dtype)
        self.history_ = trained.history
        self.updates_ = sum(each.updates for each in trained.history)
        # a warm start that is near enough to the optimum as it is only looks at the rows
        looked_only = self.warm_start and not self.updates_ and trained.online is None
        self.n_iter_ = 0 if looked_only else len(trained.history)
        self.certificate_ = trained.certificate
        if self._chooses_solver:
            self.solver_, self.solver_reason_ = trained.solver, trained.solver_reason
        self._ended = trained.start if self.warm_start else None
        if not trained.converged:
            warnings.warn(unconverged(self, trained), ConvergenceWarning, stacklevel=4)


class LinearClassifier(ClassifierMixin, LinearEstimator):  # type: ignore[misc]
    """Labels in, labels out."""

    class_weight: Any
    multiclass: str
    _least_classes = 2

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to all rows."""
        learner = self._learner()
        self._check_parameters()
        self._fit(*self._examples(X, y, sample_weight), learner)
        if isinstance(self._proven, LazyBound):
            self._proven.refer_to(X)
        return self

    @offered_if(lambda self: has_bound(self._learner().recipe) and not self._validates())
    def certify(self, X: Any, y: Any, sample_weight: Any = None) -> Mistakes:
        """The mistake bound from the rows of the fit, given again; it becomes `certificate_`.

        That these are the rows is checked by another fit to them, which must end in the same weights to the bit.
        """
        check_is_fitted(self)
        again, learner = clone(self), self._learner()
        examples, labels = again._examples(X, y, sample_weight)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the fit has had it
            again._fit(examples, labels, learner)
        lazy = again._proven
        ours, theirs = self.model_, again.model_
        if (
            not isinstance(lazy, LazyBound)
            or not np.array_equal(ours.weights, theirs.weights)
            or not np.array_equal(ours.intercepts, theirs.intercepts)
            or self.updates_ != again.updates_
        ):
            raise CertificateError(
                "a fit to these rows ends in other weights: they are not the rows of this fit, or not in their order, "
                "or a parameter has changed"
            )
        self._proven = mistake_bound(learner.recipe, ours, lambda: [examples], lazy.run)
        return self._proven

    def _examples(self, X: Any, y: Any, sample_weight: Any) -> tuple[Examples, Labels]:
        """The rows of a whole fit, with the number of each one's label."""
        class_weights = self._class_weights()
        rows, y = self._rows_and_targets(X, y, reset=True, numeric=False)
        check_labels(y)
        weights = self._weights(sample_weight, rows)
        if weights is None or weights.all():
            labels, codes = Labels.of(y)
        else:  # a row of no weight is as if it were not there, and so is its label
            codes = np.zeros(len(y))
            labels, codes[weights > 0] = Labels.of(y[weights > 0])
        if len(labels) < self._least_classes:
            raise InputError(
                f"a classifier takes at least two classes; the data have one class, {labels.classes.tolist()[0]!r}"
            )
        if class_weights is not None:
            class_weights.check_some(labels.classes.tolist())
            weights = class_weights.by_row(labels.classes.tolist(), codes, weights)
        return Examples(rows, codes, weights), labels

    @offered_if(lambda self: self._streams())
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Train on one block of a stream, each row once, in order; labels may be new at any time.

        Naming all `classes` in the first call gives the same bits as a `fit` that knows them from the start.
        """
        learner = self._learner()
        class_weights = self._class_weights()
        if class_weights is not None and class_weights.balanced:
            raise InputError("class_weight='balanced' needs all labels at once: give partial_fit a dictionary")
        training = getattr(self, "_training", None)
        rows, y = self._rows_and_targets(X, y, reset=training is None, numeric=False)
        check_labels(y)
        labels = training.labels if training is not None else Labels()
        for more in (classes, y):
            if more is not None:
                labels = labels.including(np.asarray(more))
        codes = labels.encode(y)
        weights = self._weights(sample_weight, rows)
        if class_weights is not None:
            weights = class_weights.by_row(labels.classes.tolist(), codes, weights)
        return self._take(Examples(rows, codes, weights), labels, learner)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """w . x + b: one a row for two classes (positive: the second), one a row and class for more."""
        rows = self._rows(X)
        return self._model().decision(rows).astype(self._type_of(rows), copy=False)

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row."""
        rows = self._rows(X)
        return self._model().predict(rows)

    def _proba(self, X: Any) -> NDArray[np.float64]:
        rows = self._rows(X)
        return self._model().predict_proba(rows).astype(self._type_of(rows), copy=False)

    def _log_proba(self, X: Any) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):  # the logarithm of a probability of 0 is -inf
            logs: NDArray[np.float64] = np.log(self._proba(X))
        return logs

    def _class_weights(self) -> ClassWeights | None:
        """The parameter `class_weight`; the labels in a dictionary are compared by value, as scikit-learn does."""
        given = self.class_weight
        if given is None:
            return None
        if isinstance(given, str) and given == BALANCED:
            return ClassWeights()
        if not isinstance(given, dict):
            raise RecipeError(f"class_weight must be a dictionary, 'balanced' or None; it is {given!r}")
        named = {label: check_number("a weight in class_weight", weight) for label, weight in given.items()}
        return ClassWeights(named, key=_itself)

    def _reduction(self) -> Reduction:
        found = cast("Reduction", chosen(Reduction, "multiclass", self.multiclass))
        if found is Reduction.EACH_LABEL:
            raise RecipeError("a row has one label here: for several, take MultiLabelClassifier")
        return found


class LinearRegressor(RegressorMixin, LinearEstimator):  # type: ignore[misc]
    """Numbers in, numbers out."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to all rows."""
        learner = self._learner()
        self._check_parameters()
        return self._fit(self._examples(X, y, sample_weight, reset=True), None, learner)

    @offered_if(lambda self: self._streams())
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on one block of a stream, each row once, in order."""
        learner = self._learner()
        return self._take(self._examples(X, y, sample_weight, reset=not hasattr(self, "_training")), None, learner)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The predicted number for each row."""
        rows = self._rows(X)
        return self._model().predict(rows).astype(self._type_of(rows), copy=False)

    def _examples(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> Examples:
        rows, y = self._rows_and_targets(X, y, reset=reset, numeric=True)
        return Examples(rows, np.ascontiguousarray(y, dtype=np.float64), self._weights(sample_weight, rows))


def _itself(label: Any) -> Any:
    return label
