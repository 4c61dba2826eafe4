"""LinearDiscriminantAnalysis: Gaussian classes with one covariance, in closed form."""

from __future__ import annotations

from typing import Any

from linnet.errors import RecipeError
from linnet.estimators.counting import ATTRIBUTES, CountingClassifier, priors_of
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_number
from linnet.training.counting.discriminant_analysis import Shrinkage


@documented("discriminant-analysis", attributes=ATTRIBUTES)
class LinearDiscriminantAnalysis(CountingClassifier):
    """Gaussian classes with one covariance between them, which makes the boundaries planes.

    >>> from linnet import LinearDiscriminantAnalysis
    >>> X, y = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]], [1, 1, 1, 2, 2, 2]
    >>> LinearDiscriminantAnalysis().fit(X, y).predict([[-0.8, -1]]).tolist()
    [1]
    """

    learner = "discriminant-analysis"

    def __init__(self, *, shrinkage: Any = None, priors: Any = None) -> None:
        self.shrinkage = shrinkage
        self.priors = priors

    def _parameters(self) -> dict[str, Any]:
        return {"priors": priors_of("priors", self.priors), "shrinkage": self._shrinkage()}

    def _shrinkage(self) -> Shrinkage:
        if self.shrinkage is None:
            return None
        if isinstance(self.shrinkage, str):
            if self.shrinkage == "auto":
                return "auto"
        elif check_number("shrinkage", self.shrinkage) <= 1:
            return float(self.shrinkage)
        raise RecipeError(f"shrinkage must be None, 'auto', or a number from 0 to 1; it is {self.shrinkage!r}")
