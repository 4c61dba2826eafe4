"""Winnow: multiplied weights, for the few columns that matter among very many that do not."""

from __future__ import annotations

from typing import Any

from linnet.errors import RecipeError
from linnet.estimators.base import LinearClassifier, check_number, check_positive, chosen
from linnet.estimators.documentation import documented
from linnet.learners.recipe import Factors, Loss, Recipe, Update

VARIANTS = ("balanced", "winnow1", "winnow2")
# What a promotion multiplies by where it is not said; balanced weights are for noise, which long steps amplify.
PROMOTION = {"balanced": 1.2, "winnow1": 2.0, "winnow2": 2.0}


@documented("winnow", "winnow1", "winnow2")
class Winnow(LinearClassifier):
    """Winnow in its three forms: its mistakes grow with the logarithm of the number of columns.

    `balanced`, the default, asks least of the data: it has weights on both sides, stands noise, treats both classes
    alike and needs no threshold.  `winnow1` and `winnow2` find a disjunction, with a bound on their mistakes
    (`certificate_`).  Columns are Boolean (`winnow1`) or numbers from 0 to 1.

    >>> from linnet import Winnow
    >>> X, y = [[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1]], [1, 0, 1, 0]
    >>> model = Winnow(variant="winnow1", shuffle=False).fit(X, y)
    >>> model.predict([[1, 0, 1], [0, 1, 0]]).tolist()
    [1, 0]
    >>> model.certificate_.made <= model.certificate_.bound
    True
    """

    fit_intercept = True

    def __init__(
        self,
        *,
        variant: str = "balanced",
        alpha: float | None = None,
        threshold: float | None = None,
        complement: bool = False,
        max_iter: int = 1000,
        tol: float | None = 0.0,
        shuffle: bool = True,
        random_state: Any = None,
        multiclass: str = "one-vs-rest",
        class_weight: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.variant = variant
        self.alpha = alpha
        self.threshold = threshold
        self.complement = complement
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.random_state = random_state
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        variant = str(chosen(VARIANTS, "variant", self.variant))
        promotion = PROMOTION[variant] if self.alpha is None else check_number("alpha", self.alpha)
        if not promotion > 1:
            raise RecipeError(f"alpha is what a promotion multiplies by, and must be above 1; it is {self.alpha!r}")
        factors = Factors(
            promotion,
            0.0 if variant == "winnow1" else 1.0 / promotion,
            None if self.threshold is None else check_positive("threshold", self.threshold),
            balanced=variant == "balanced",
            complement=bool(self.complement),
        )
        return Recipe(Loss.PERCEPTRON, Update.MULTIPLICATIVE, reduction=self._reduction(), factors=factors)
