"""LinearDiscriminantAnalysis: Gaussian classes with one covariance, in closed form; and the directions between them."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.errors import InputError, RecipeError, UnsupportedError
from linnet.estimators.counting import ATTRIBUTES, CountingClassifier, priors_of
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_number, chosen
from linnet.learners.entry import AUTO, Entry
from linnet.training.counting.discriminant_analysis import Discriminant, Shrinkage
from linnet.training.counting.discriminant_directions import Directions, of_means, of_scatter
from linnet.training.counting.naive_bayes import Priors

SOLVERS = (AUTO, "svd", "lsqr", "eigen")
OF_CLASSES = ATTRIBUTES.replace(
    "certificate_",
    """priors_, means_, xbar_ : the prior and the mean of each class, and the mean of all by the priors
    covariance_ : the covariance within classes (`svd`: with `store_covariance`)
    scalings_, explained_variance_ratio_ : the directions that `transform` projects on, as columns, and the fraction of
        the variance between classes that each has (not for `lsqr`)
    certificate_""",
)
Table = NDArray[Any]


@documented("discriminant-analysis", attributes=OF_CLASSES)
class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, CountingClassifier):  # type: ignore[misc]
    """Gaussian classes with one covariance between them, which makes the boundaries planes.

    All solvers make the same planes; they differ in the directions that `transform` projects on.  `svd` takes those of
    the class means, and a covariance that may be singular, without shrinkage; `eigen` those of the covariance of all
    rows, estimated as that of the classes is; `lsqr` has none.  `auto` is `svd`, or `eigen` where the covariance is
    shrunk or estimated.

    >>> from linnet import LinearDiscriminantAnalysis
    >>> X, y = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]], [1, 1, 1, 2, 2, 2]
    >>> LinearDiscriminantAnalysis().fit(X, y).predict([[-0.8, -1]]).tolist()
    [1]
    """

    learner = "discriminant-analysis"

    def __init__(
        self,
        solver: str = AUTO,
        shrinkage: Any = None,
        priors: Any = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol  # type: ignore[assignment]
        self.covariance_estimator = covariance_estimator

    @property
    def _sums(self) -> Discriminant:
        """The moments of the fit; an attribute that is made of them is not there before."""
        if not hasattr(self, "model_"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: call fit first")
        sums: Discriminant = self._training
        return sums

    @property
    def priors_(self) -> Table:
        return self._sums.probabilities().astype(self.coef_.dtype)

    @property
    def means_(self) -> Table:
        return self._sums.means().astype(self.coef_.dtype)

    @property
    def xbar_(self) -> Table:
        return np.asarray(self.priors_ @ self.means_)

    @property
    def covariance_(self) -> Table:
        if self._by() == "svd" and not self.store_covariance:
            raise AttributeError("the covariance is shown with store_covariance=True")
        return self._sums.within()

    @property
    def scalings_(self) -> Table:
        return self._directions().scalings

    @property
    def explained_variance_ratio_(self) -> Table:
        return self._directions().ratios[: self._n_features_out]

    def transform(self, X: Any) -> Table:
        """The rows' coordinates in the directions in which the classes lie apart, `n_components` of them."""
        if self._by() == "lsqr":
            raise UnsupportedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen')")
        check_is_fitted(self)
        rows = self._rows(X)
        rows.check_finite()
        matrix = rows.matrix()
        scalings = self.scalings_[:, : self._n_features_out]
        made = np.asarray(matrix @ scalings)
        if self._by() == "svd":
            made -= self.xbar_ @ scalings
        return made.astype(self._type_of(rows), copy=False)

    def _directions(self) -> Directions:
        if self._by() == "lsqr":
            raise AttributeError("the solver lsqr makes no directions: take svd or eigen")
        sums, by = self._sums, self._by()
        if by not in self._found:
            if by == "svd":
                found = of_means(sums.within(), sums.means(), sums.probabilities(), check_number("tol", self.tol))
            else:
                found = of_scatter(sums.within(), sums.total())
            self._found[by] = found
        return self._found[by]

    def _by(self) -> str:
        """The solver, where none is asked for the one that suits."""
        if self.solver != AUTO:
            return self.solver
        return "svd" if self.shrinkage is None and self.covariance_estimator is None else "eigen"

    def _learner(self) -> Entry:
        chosen(SOLVERS, "solver", self.solver)
        if self._by() == "svd" and self.shrinkage is not None:
            raise UnsupportedError("shrinkage not supported with 'svd' solver: take solver='eigen' or 'lsqr'")
        if self._by() == "svd" and self.covariance_estimator is not None:
            raise RecipeError("covariance estimator is not supported with svd solver. Try another solver")
        if self.covariance_estimator is not None and self.shrinkage not in (None, 0):
            raise RecipeError(
                "covariance_estimator and shrinkage parameters are not None. Only one of the two can be set."
            )
        return super()._learner()

    def _fit(self, examples: Examples, labels: Labels | None, learner: Entry) -> Self:
        assert labels is not None
        if examples.rows.shape[0] == len(labels):
            raise InputError("The number of samples must be more than the number of classes.")
        self._check_components(examples, len(labels))
        return super()._fit(examples, labels, learner)

    def _take(self, examples: Examples, labels: Labels | None, learner: Entry) -> Self:
        assert labels is not None
        self._check_components(examples, len(labels))
        return super()._take(examples, labels, learner)

    def _check_components(self, examples: Examples, classes: int) -> None:
        most = min(classes - 1, examples.rows.shape[1])
        if self.n_components is not None and not 1 <= self.n_components <= most:
            limits = "cannot be larger than" if self.n_components > most else "must be 1 or more, and at most"
            it = self.n_components
            raise RecipeError(f"n_components {limits} min(n_features, n_classes - 1), {most}; it is {it}")
        self._n_features_out = most if self.n_components is None else int(self.n_components)
        self._found: dict[str, Directions] = {}  # worked out when they are asked for

    def _parameters(self) -> dict[str, Any]:
        estimator = self.covariance_estimator
        return {
            "priors": self._priors(),
            "shrinkage": self._shrinkage(),
            "estimate": None if estimator is None else _Estimate(estimator),
        }

    def _priors(self) -> Priors:
        """As given, brought to the sum 1 with a warning, as scikit-learn does."""
        if self.priors is None:
            return Priors()
        given = np.asarray(self.priors, dtype=np.float64)
        if (given < 0).any():
            raise RecipeError(f"priors must be non-negative; they are {given.tolist()}")
        if given.ndim == 1 and given.sum() > 0 and abs(given.sum() - 1.0) > 1e-5:
            warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=5)
            given = given / given.sum()
        return priors_of("priors", given)

    def _shrinkage(self) -> Shrinkage:
        if self.shrinkage is None:
            return None
        if isinstance(self.shrinkage, str):
            if self.shrinkage == "auto":
                return "auto"
        elif check_number("shrinkage", self.shrinkage) <= 1:
            return float(self.shrinkage)
        raise RecipeError(f"shrinkage must be None, 'auto', or a number from 0 to 1; it is {self.shrinkage!r}")


class _Estimate:
    """The covariance of rows by an estimator of the user's."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def __call__(self, rows: Table) -> Table:
        fitted = clone(self.estimator, safe=False)
        fitted.fit(rows)
        if not hasattr(fitted, "covariance_"):
            raise RecipeError(f"{type(fitted).__name__} does not have a covariance_ attribute")
        return np.asarray(fitted.covariance_, dtype=np.float64)
