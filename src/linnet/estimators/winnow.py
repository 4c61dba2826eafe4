"""Winnow: multiplied weights, for the few columns that matter among very many that do not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from linnet.data.features.conjunctions import LARGEST_DEGREE, ConjunctionTerm
from linnet.data.features.layout import TermOrder, assembled
from linnet.data.features.terms import CROSS, Piece
from linnet.data.rows import Rows
from linnet.errors import RecipeError
from linnet.estimators.base import LinearClassifier
from linnet.estimators.columns import is_whole
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_number, check_positive, chosen
from linnet.learners import catalogue
from linnet.learners.entry import Entry

ROWS = {"balanced": "winnow", "winnow1": "winnow1", "winnow2": "winnow2"}


@documented("winnow", "winnow1", "winnow2")
class Winnow(LinearClassifier):
    """Winnow in its three forms: its mistakes grow with the logarithm of the number of columns.

    `balanced`, the default, asks least of the data: it has weights on both sides, tolerates noise, treats both classes
    alike and needs no threshold.  `winnow1` and `winnow2` find a disjunction, with a bound on their mistakes
    (`certificate_`).  Columns are Boolean (`winnow1`) or numbers from 0 to 1.

    >>> from linnet import Winnow
    >>> X, y = [[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1]], [1, 0, 1, 0]
    >>> model = Winnow(variant="winnow1", shuffle=False).fit(X, y)
    >>> model.predict([[1, 0, 1], [0, 1, 0]]).tolist()
    [1, 0]
    >>> model.certificate_.made <= model.certificate_.bound
    True

    With `conjunctions=k` a k-DNF: columns that a row has together are variables, too.

    >>> X, y = [[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1], [0, 1, 0]], [1, 0, 0, 1, 0]
    >>> model = Winnow(variant="winnow1", conjunctions=2).fit(X, y)
    >>> model.predict(X).tolist()
    [1, 0, 0, 1, 0]
    """

    fit_intercept = True
    _together: ConjunctionTerm | None

    def __init__(
        self,
        *,
        variant: str = "balanced",
        alpha: float | None = None,
        threshold: float | None = None,
        complement: bool = False,
        conjunctions: int = 1,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
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
        self.conjunctions = conjunctions
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.random_state = random_state
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def conjunctions_(self) -> list[tuple[int, ...]]:
        """The columns of each conjunction, in the order of the weights that follow those of the columns."""
        check_is_fitted(self)
        names = [] if self._together is None else [self._together.name(j) for j in range(len(self._together))]
        return [tuple(map(int, name.split(CROSS))) for name in names]

    def _rows(self, X: Any) -> Rows:
        rows = super()._rows(X)
        return rows if self._together is None else _expanded(rows, self._together, len(self.model_.weights))

    def _rows_and_targets(self, X: Any, y: Any, *, reset: bool, numeric: bool) -> tuple[Rows, NDArray[Any]]:
        rows, y = super()._rows_and_targets(X, y, reset=reset, numeric=numeric)
        if reset:
            self._together = ConjunctionTerm((), self.conjunctions) if self.conjunctions > 1 else None
        return rows if self._together is None else _expanded(rows, self._together), y

    def _learner(self) -> Entry:
        if not is_whole(self.conjunctions, 1, LARGEST_DEGREE):
            raise RecipeError(f"conjunctions must be an integer, 1 to {LARGEST_DEGREE}; it is {self.conjunctions!r}")
        if self.conjunctions > 1 and self.complement:
            raise RecipeError("conjunctions are of columns as they are: for negated ones give 1 - x as columns, too")
        entry = catalogue.find(chosen(ROWS, "variant", self.variant))
        factors = entry.recipe.factors
        promotion = factors.promotion if self.alpha is None else check_number("alpha", self.alpha)
        if not promotion > 1:
            raise RecipeError(f"alpha is what a promotion multiplies by, and must be above 1; it is {self.alpha!r}")
        factors = replace(
            factors,
            promotion=promotion,
            demotion=0.0 if factors.eliminates else 1.0 / promotion,
            threshold=None if self.threshold is None else check_positive("threshold", self.threshold),
            complement=bool(self.complement),
        )
        return replace(entry, recipe=replace(entry.recipe, reduction=self._reduction(), factors=factors))


def _expanded(rows: Rows, together: ConjunctionTerm, known: int | None = None) -> Rows:
    """The rows with the conjunctions behind their columns; where the number of weights is known, without any others."""
    from scipy.sparse import csr_array

    sparse = Rows.of(csr_array(rows.matrix()))
    piece = together.number(together.prepare_rows(sparse), frozen=known is not None)
    conjunctions = len(together) if known is None else known - rows.shape[1]
    if known is not None and conjunctions < len(together):  # of a block that could not be used
        matrix = csr_array((piece.values, piece.ids, piece.starts), shape=(rows.shape[0], len(together)))
        fewer = matrix[:, :conjunctions]
        piece = Piece(fewer.indices, fewer.data, fewer.indptr)
    layout = TermOrder.of([rows.shape[1], conjunctions])
    both = assembled([Piece(sparse.ids, sparse.values, sparse.starts), piece], layout)
    return Rows(both.values, both.ids, both.starts, both.shape, rows.names)
