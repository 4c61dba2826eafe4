"""LogisticRegression: by Newton's method, its dual, L-BFGS, gradient ascent, online; and how sure its weights are."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.errors import InputError, RecipeError, SeparationWarning
from linnet.estimators.base import LinearClassifier, offered_if
from linnet.estimators.coefficients import SparseCoefficients
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_number, check_positive, check_strength, chosen, penalty_of
from linnet.estimators.solver_names import Nearest, gap_of_gradient, nearest
from linnet.learners import catalogue
from linnet.learners.entry import AUTO, Entry
from linnet.learners.recipe import Penalty, Recipe, Reduction
from linnet.learners.regularisation import L1_RATIO
from linnet.learners.schedule import constant
from linnet.theory import inference
from linnet.theory.coefficient_table import Summary
from linnet.theory.separation import Kind, Separation, examine_model
from linnet.training.descent import Steps
from linnet.training.fit import Settings

# The default penalty: L2 at an l1_ratio of 0, L1 at 1, an elastic net between; none where C is infinite.
BY_L1_RATIO = "auto"
# scikit-learn's solvers that are not here.
THEIRS = {"liblinear": AUTO, "sag": AUTO, "saga": AUTO}
SOLVERS = (AUTO, *(solver.name for solver in catalogue.find("logistic-regression").solvers), "online")


@documented("logistic-regression", "sgd-logistic")
class LogisticRegression(SparseCoefficients, LinearClassifier):
    """The log-odds of a class as a linear function of the row; softmax for many classes.

    Minimises penalty + C * sum of the rows' losses.  `solver="auto"` chooses by the shape of the problem, and reports
    which and why in `solver_` and `solver_reason_`: `"newton-cholesky"` for few columns; `"newton-cg"` for many dense
    ones, and for many classes jointly; `"dual"`, coordinate ascent on the dual, for text and other wide sparse rows,
    and `"lbfgs"` for those of many classes jointly, where it begins with sweeps of the dual, for few weights of many
    classes, and without a penalty;
    `"coordinate-descent"`, on working sets of the columns, for an L1 penalty; `"gradient"`, the lectures' batch
    gradient ascent, proximal and accelerated, for an L1 penalty on many classes jointly.  `"online"` trains row by row
    and takes streams (`partial_fit`).

    All but `"online"` stop when the objective is proven to lie within a fraction `tol` of the optimum; the proof is
    `certificate_`.  Without a penalty there is none, and a gradient that small beside the first has to do; with `eta0`,
    steps that short.

    `multiclass="reference"` is softmax as the lectures and statistics have it: the last of the sorted labels has no
    weights (`coef_` and `intercept_` are 0 there), those of the others are log-odds against it.  Without a penalty the
    probabilities are those of `"joint"`; with one they are not, and depend on which label is the last.  Two classes
    have one set of weights in either form.

    Without a penalty the classes must overlap, or the weights grow for ever: a fit warns where they do not
    (`linnet.SeparationWarning`), and `separation_` has what was found.  `summary` gives standard errors.

    >>> from linnet import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> model.predict([[0.5], [2.5]]).tolist()
    ['low', 'high']
    """

    _chooses_solver = True
    _least_iterations = 0

    def __init__(
        self,
        penalty: str | None = BY_L1_RATIO,
        *,
        solver: str = "auto",
        C: float = 1.0,
        l1_ratio: float | None = None,
        dual: bool = False,
        max_iter: int | None = None,
        tol: float | None = 1e-4,
        eta0: float | None = None,
        fit_intercept: bool = True,
        penalise_intercept: bool = False,
        intercept_scaling: float = 1.0,
        shuffle: bool = True,
        random_state: Any = None,
        multiclass: str = "joint",
        class_weight: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.penalty = penalty
        self.solver = solver
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.max_iter = max_iter
        self.tol = tol
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.penalise_intercept = penalise_intercept
        self.intercept_scaling = intercept_scaling
        self.shuffle = shuffle
        self.random_state = random_state
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.verbose = verbose

    def _learner(self) -> Entry:
        chosen((*SOLVERS, *THEIRS), "solver", self.solver)
        self._check_theirs()
        entry = catalogue.find("sgd-logistic" if self.solver == "online" else "logistic-regression")
        schedule = entry.recipe.schedule
        if self.eta0 is not None:
            schedule = replace(schedule, eta=check_positive("eta0", self.eta0))
        recipe = replace(entry.recipe, schedule=schedule, penalty=self._penalty(), reduction=self._reduction())
        return replace(entry, recipe=recipe)

    def _penalty(self) -> Penalty:
        C, kind = check_strength(self.C), self._kind()
        l1_ratio = L1_RATIO if self.l1_ratio is None else self.l1_ratio
        # liblinear penalises the intercept
        intercept = self.penalise_intercept or self.solver == "liblinear"
        return penalty_of(kind, 1.0 / C, l1_ratio, total=True, intercept=bool(intercept and self.fit_intercept))

    def _kind(self) -> str | None:
        """The kind of penalty; unless it is given, l1_ratio decides, and C whether there is one."""
        if self.penalty not in (BY_L1_RATIO, "deprecated"):
            return None if float("inf") == self.C else self.penalty
        l1_ratio = 0.0 if self.l1_ratio is None else check_number("l1_ratio", self.l1_ratio)
        if float("inf") == self.C:
            return None
        return {0.0: "l2", 1.0: "l1"}.get(l1_ratio, "elasticnet")

    def _check_theirs(self) -> None:
        """What scikit-learn's solvers refuse, they refuse here, too, in the same words."""
        solver, kind = self.solver, self._kind()
        sets = "take solver='auto', which takes every penalty"
        wrong = [
            (
                solver in ("lbfgs", "newton-cg", "newton-cholesky", "sag") and kind not in ("l2", None),
                f"Solver {solver} supports only 'l2' or None penalties, which are smooth, got {kind} penalty: {sets}",
            ),
            (
                self.dual and solver not in ("liblinear", "dual", AUTO),
                f"Solver {solver} supports only dual=False, got dual={self.dual}: take solver='dual'",
            ),
            (
                solver == "liblinear" and kind == "elasticnet",
                f"Only 'saga' solver supports elasticnet penalty, got solver={solver}: {sets}",
            ),
            (solver == "liblinear" and kind is None, f"penalty=None is not supported for the liblinear solver: {sets}"),
        ]
        for is_wrong, why in wrong:
            if is_wrong:
                raise RecipeError(why)

    def _warn_of_ignored(self) -> None:
        """Parameters that have no effect beside others."""
        if self.penalty is None and self.C != 1.0:
            warnings.warn("Setting penalty=None will ignore the C and l1_ratio parameters", UserWarning, stacklevel=4)
        takes = {"l2": 0.0, "l1": 1.0}.get(str(self.penalty))
        if takes is not None and self.l1_ratio not in (None, takes):
            warnings.warn(
                f"Inconsistent values: penalty={self.penalty} with l1_ratio={self.l1_ratio}: l1_ratio parameter is "
                f"only used when penalty is 'elasticnet'. Got (penalty={self.penalty})",
                UserWarning,
                stacklevel=4,
            )

    def _nearest(self, classes: int, recipe: Recipe) -> Nearest:
        """The solver here for the one that was asked for, which may be one of scikit-learn's."""
        several = classes > 2 and recipe.reduction in (Reduction.JOINT, Reduction.REFERENCE)
        if self.solver == "liblinear" and several:
            raise RecipeError(
                "The 'liblinear' solver does not support multiclass classification of all classes jointly "
                f"({classes} classes): take another solver, or multiclass='one-vs-rest'"
            )
        names, own = dict(THEIRS), SOLVERS
        if self.dual:
            names |= {"liblinear": "dual", AUTO: "dual"}
            own = tuple(name for name in SOLVERS if name != AUTO)
        # Newton's method here needs a penalty, and one score a row for a table of all pairs
        unsuited = {"newton-cholesky": "newton-cg"} if several else {}
        if recipe.penalty.l2 == 0:
            unsuited = {"newton-cg": "lbfgs", "newton-cholesky": "lbfgs"}
        own = tuple(name for name in own if name not in unsuited)
        return nearest(type(self).__name__, self.solver, names | unsuited, own)

    def _settings_for(self, classes: int, learner: Entry) -> Settings:
        self._taken = self._nearest(classes, learner.recipe)
        return self._settings()

    def _settings(self) -> Settings:
        settings = super()._settings()
        if self.solver == "online":
            return settings
        steps = None if self.eta0 is None else Steps(constant(check_positive("eta0", self.eta0)), gain=self.C)
        scaling = check_positive("intercept_scaling", self.intercept_scaling)
        theirs = self.solver in THEIRS and self._penalty().l1 == 0
        tol = gap_of_gradient(settings.tol) if theirs else settings.tol
        return replace(settings, solver=self._taken.solver, tol=tol, steps=steps, intercept_scaling=scaling)

    def _fit(self, examples: Examples, labels: Labels | None, learner: Entry) -> Self:
        assert labels is not None
        self._warn_of_ignored()
        self._taken = self._nearest(len(labels), learner.recipe)
        super()._fit(examples, labels, learner)
        self.n_iter_: Any = np.array([self.n_iter_], dtype=np.int32)
        if self._taken.note:
            self.solver_reason_ = f"{self._taken.note}; {self.solver_reason_}"
        self.separation_: Separation | None = None
        if self._kind() is None and self.solver != "online":
            self.separation_ = examine_model(examples, self.model_, intercept=self.fit_intercept)
            if self.separation_.separated:
                have = "seem to have" if self.separation_.kind is Kind.SUSPECTED else "have"
                warnings.warn(
                    f"without a penalty these data {have} no finite optimum: {self.separation_}; the weights are those "
                    "where the solver stopped. Take penalty='l2'",
                    SeparationWarning,
                    stacklevel=3,
                )
        return self

    def summary(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        level: float = 0.95,
        weights_are: str | None = None,
        penalised: bool = False,
    ) -> Summary:
        """The weights with standard errors, z, p-values and intervals, given the rows of the fit again.

        Two classes, or more with `multiclass="reference"`: then names are `label: column`.  For fits without a penalty;
        `penalised=True` asks for an L2 fit's as well, read as a posterior.  Whole sample weights are frequencies;
        others must be said to be `weights_are="sampling"` (then the errors are robust ones).
        """
        check_is_fitted(self)
        inference.check_level(level)
        self._check_inference(penalised)
        rows, y = self._rows_and_targets(X, y, reset=False, numeric=False)
        examples = Examples(rows, Labels(self.classes_).encode(y), self._weights(sample_weight, rows))
        several = len(self.classes_) > 2
        scored = list(range(len(self.classes_) - 1)) if several else [1]
        return inference.logistic(
            examples, self.model_.weights[:, : len(scored)], self.model_.intercepts[: len(scored)], scored,
            [str(label) for label in self.classes_[scored]] if several else [],
            intercept=self.fit_intercept, l2=self._learner().recipe.penalty.l2, weights_are=weights_are, level=level,
        )  # fmt: skip

    def _check_inference(self, penalised: bool) -> None:
        """Refuse where standard errors would not mean what they seem to, with the reason."""
        penalty = self._learner().recipe.penalty
        separation = getattr(self, "separation_", None)  # a stream has none
        refused = [
            (self.solver == "online", "hold at the optimum, where no online fit is: take another solver"),
            (
                len(self.classes_) > 2 and self.multiclass == "joint",
                "of many classes are those of log-odds, and where each has weights of its own only their differences "
                "are determined: fit with multiclass='reference'",
            ),
            (
                len(self.classes_) > 2 and self.multiclass != "reference",
                f"of many classes need one likelihood for all, and {self.multiclass!r} has several: fit with "
                "multiclass='reference'",
            ),
            (self.class_weight is not None, "do not hold where classes are weighted: leave class_weight out"),
            (penalty.l1 > 0, "are not known for an L1 penalty, which chooses among the columns: take penalty=None"),
            (penalty.intercept, "are not known where the intercept is penalised: leave penalise_intercept out"),
            (
                penalty.l2 > 0 and not penalised,
                "of a penalised fit are not tests, for its estimates are shrunk towards 0: fit with penalty=None, or "
                "ask for penalised=True and read them as a posterior",
            ),
            (
                separation is not None and separation.separated,
                f"do not exist, for there is no finite optimum ({separation}): take a penalty, and penalised=True",
            ),
        ]
        for wrong, why in refused:
            if wrong:
                raise InputError(f"standard errors {why}")

    def _streams(self) -> bool:
        return self.solver == "online"

    @offered_if(lambda self: self.multiclass != "pairwise")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class."""
        return self._proba(X)

    @offered_if(lambda self: self.multiclass != "pairwise")
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of the probability of each class."""
        return self._log_proba(X)
