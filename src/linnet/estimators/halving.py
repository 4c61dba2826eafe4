"""Halving: the majority vote of the concepts that are consistent with all examples so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from linnet.data.labels import Labels
from linnet.data.sparse_matrices import is_sparse, sound
from linnet.errors import InputError, RecipeError
from linnet.estimators.columns import is_whole
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_labels, chosen
from linnet.estimators.reading import check_kind, check_shape, input_errors, read_targets
from linnet.training.version_space import KINDS, Concepts, Functions, Halvings, Planes, Rules, Table, VersionSpace

ATTRIBUTES = """
    Attributes
    ----------
    classes_ : the two labels, sorted; a concept that is true of a row votes for the second
    sizes_ : the number of surviving concepts after each example
    mistaken_ : whether the majority was wrong, for each example
    mistakes_, bound_ : the number of mistakes, and log2 of the number of concepts, which it cannot exceed
    concepts_ : the names of the surviving concepts, in the order of the class; the first 100 of them
    certificate_ : the mistakes beside their bound, checked in integers
    space_ : the `linnet.training.version_space.VersionSpace`
    n_features_in_, feature_names_in_ : the number and the names of the columns
"""
NAMED = 100
# The most values of a block of sparse rows that is made dense.
DENSE_VALUES = 2**24


@documented(attributes=ATTRIBUTES)
class Halving(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The halving algorithm over a finite class of concepts.

    Every example removes the concepts that contradict it; predictions are the majority vote of the others (on a tie,
    the second label). If some concept of the class is correct, there are at most log2 |C| mistakes, for any order of
    the examples. One pass is enough: a second one would remove nothing.

    Columns must be 0 or 1 (False or True) for rules; functions and planes take any finite numbers.

    The rules of at most k variables include the empty one: never true as a disjunction, always as a conjunction.
    "m-of-n" rules use sets of m to k variables; without m, sets of 1 to k variables with every m.

    >>> from itertools import product
    >>> from linnet import Halving
    >>> X = list(product([0, 1], repeat=3))
    >>> model = Halving("disjunctions", k=2).fit(X, [a or c for a, b, c in X])
    >>> model.concepts_, model.mistakes_, model.sizes_.tolist()
    (['x0 or x2'], 1, [7, 3, 2, 2, 1, 1, 1, 1])
    """

    def __init__(
        self, concepts: Any = "disjunctions", *, k: int = 2, m: int | None = None, max_concepts: int = 2**30
    ) -> None:
        self.concepts = concepts
        self.k = k
        self.m = m
        self.max_concepts = max_concepts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Start with all concepts and train on each row once, in order."""
        self.__dict__.pop("space_", None)  # on bad input nothing is left of an earlier fit
        X, y = _read(self, X, y, reset=True)
        self._begin(X, y, None)
        return self._take(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Train on one block of a stream; pass both `classes` with the first block if it may hold only one."""
        begun = hasattr(self, "space_")
        X, y = _read(self, X, y, reset=not begun)
        if not begun:
            self._begin(X, y, classes)
            return self._take(X, y)
        if not self._is_as_begun():
            raise RecipeError("the parameters have changed since the stream began: call fit, or clone the estimator")
        if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise InputError(f"the first block had the classes {self.classes_.tolist()}, not {list(classes)}")
        self._check(X, self.space_.concepts)
        return self._take(X, y)

    def predict(self, X: Any) -> NDArray[Any]:
        """The majority vote of the surviving concepts; on a tie, the second label."""
        yes = self._yes(X)
        return self.classes_[(2 * yes >= self.space_.size).astype(np.intp)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The fraction of the surviving concepts that vote for each label."""
        yes = self._yes(X)
        second = yes / self.space_.size
        return np.column_stack([1 - second, second])

    def survivors(self, first: int | None = None) -> list[str]:
        """The names of the surviving concepts; all of them, or at most the `first` ones."""
        check_is_fitted(self)
        return self.space_.survivors(first)

    @property
    def sizes_(self) -> NDArray[np.int64]:
        """|V| after each example."""
        check_is_fitted(self)
        return np.array(self.space_.sizes, dtype=np.int64)

    @property
    def mistaken_(self) -> NDArray[np.bool_]:
        """Whether the majority was wrong, for each example."""
        check_is_fitted(self)
        return np.array(self.space_.mistaken, dtype=bool)

    @property
    def mistakes_(self) -> int:
        """The number of examples for which the majority was wrong."""
        return self.certificate_.mistakes

    @property
    def bound_(self) -> float:
        """log2 |C|."""
        return self.certificate_.bound

    @property
    def concepts_(self) -> list[str]:
        """The names of the first surviving concepts."""
        return self.survivors(NAMED)

    @property
    def certificate_(self) -> Halvings:
        """The mistakes beside their bound."""
        check_is_fitted(self)
        return self.space_.shown

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "space_")

    def _begin(self, X: Any, y: NDArray[Any], classes: Any) -> None:
        labels = _two_classes(y, classes)
        concepts = self._class_of_concepts()
        self._check(X, concepts)
        self.space_ = VersionSpace(concepts)
        self.classes_ = labels
        self._begun_with = self.get_params()

    def _is_as_begun(self) -> bool:
        now = self.get_params()
        return all(
            now[name] is then or ((name != "concepts" or isinstance(then, str)) and now[name] == then)
            for name, then in self._begun_with.items()
        )

    def _take(self, X: Any, y: NDArray[Any]) -> Self:
        labels = Labels(self.classes_)
        labels.including(y)  # an error where text and numbers are mixed
        truths = labels.encode(y) == 1
        for first, rows in _dense_blocks(X, _row_type(self.space_.concepts)):
            taken = self.space_.train(rows, truths[first : first + len(rows)])
            if taken < len(rows):
                raise InputError(self._nothing_left(first + taken, y))
        return self

    def _nothing_left(self, row: int, y: NDArray[Any]) -> str:
        left, before = self.space_.size, len(self.space_.sizes)
        stream = "" if before == row else f" (example {before:,} of the stream, from 0)"
        those = f"the {left:,} surviving concepts" if left > 1 else "the last surviving concept"
        return (
            f"row {row}{stream} is labelled {y[row : row + 1].tolist()[0]!r}, which contradicts {those} of the "
            f"{self.space_.concepts}: a label is wrong, or the class does not contain the truth; drop the row and "
            "continue with partial_fit (the estimator is as it was before the row), or use a larger class"
        )

    def _class_of_concepts(self) -> Concepts:
        given, columns = self.concepts, self.n_features_in_
        if isinstance(given, str):
            return self._rules(chosen(KINDS, "concepts", given), columns)
        if self.m is not None:
            raise RecipeError(f"m={self.m!r} is for concepts='m-of-n' only")
        if isinstance(given, Mapping) or (isinstance(given, list | tuple) and given and all(map(callable, given))):
            if not all(map(callable, given.values() if isinstance(given, Mapping) else given)):
                raise RecipeError("a dictionary of concepts must map names to functions")
            return Functions(given)
        if isinstance(given, tuple) and len(given) == 2:
            return _planes(*given, columns)
        return _table(given, columns)

    def _rules(self, kind: str, columns: int) -> Rules:
        if not is_whole(self.max_concepts, 1):
            raise RecipeError(f"max_concepts must be an integer of 1 or more; it is {self.max_concepts!r}")
        if not is_whole(self.k, 1):
            raise RecipeError(f"k must be an integer of 1 or more; it is {self.k!r}")
        if self.m is not None and kind != "m-of-n":
            raise RecipeError(f"m={self.m!r} is for concepts='m-of-n' only, not for {kind}")
        if self.m is not None and not is_whole(self.m, 1, int(self.k)):
            raise RecipeError(f"m must be an integer from 1 to k={self.k}, or None for all; it is {self.m!r}")
        names = getattr(self, "feature_names_in_", ())
        m = None if self.m is None else int(self.m)
        return Rules(kind, columns, int(self.k), m, most=int(self.max_concepts), names=names)

    def _yes(self, X: Any) -> NDArray[np.int64]:
        check_is_fitted(self)
        with input_errors():
            check_kind(X, "X")
            X = sound(X)
            if is_sparse(X):
                check_shape(self, X, reset=False)
            else:
                X = validate_data(self, X, reset=False, **_READ)
        concepts = self.space_.concepts
        self._check(X, concepts)
        return np.concatenate([self.space_.yes(rows) for _, rows in _dense_blocks(X, _row_type(concepts))])

    def _check(self, X: Any, concepts: Concepts) -> None:
        """Refuse values that the concepts are not defined for."""
        for first, rows in _dense_blocks(X, None):
            if isinstance(concepts, Rules):
                wrong, wanted = (rows != 0) & (rows != 1), f"{concepts.kind} take 0 and 1 only (or False and True)"
            elif isinstance(concepts, Table):
                wrong = ~((rows >= 0) & (rows < concepts.points) & (rows == np.floor(rows)))
                wanted = f"an example is the number of a column of the table, from 0 to {concepts.points - 1}"
            else:
                wrong, wanted = ~np.isfinite(rows), "values must be finite"
            if wrong.any():
                row, column = (int(index) for index in np.argwhere(wrong)[0])
                names = getattr(self, "feature_names_in_", None)
                called = "" if names is None else f" ({str(names[column])!r})"
                value = rows[row, column].item()
                raise InputError(f"row {first + row}, column {column}{called} is {value!r}: {wanted}")


_READ = {"dtype": "numeric", "ensure_all_finite": False}


def _read(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray[Any]]:
    with input_errors():
        for values, name in ((X, "X"), (y, "y")):
            check_kind(values, name)
        if not is_sparse(X):
            X, y = validate_data(estimator, X, y, reset=reset, **_READ)
            return X, y
        X = sound(X)
        check_shape(estimator, X, reset=reset)
        return X, read_targets(estimator, y, X.shape[0], numeric=False)


def _dense_blocks(X: Any, dtype: Any) -> Iterator[tuple[int, NDArray[Any]]]:
    """Blocks of dense rows, each with the number of its first row."""
    step = max(1, DENSE_VALUES // max(1, X.shape[1]))
    for first in range(0, X.shape[0], step):
        rows = X[first : first + step]
        yield first, np.ascontiguousarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=dtype)


def _row_type(concepts: Concepts) -> Any:
    return np.uint8 if isinstance(concepts, Rules) else None


def _two_classes(y: NDArray[Any], classes: Any) -> NDArray[Any]:
    """The two labels; where there is only 0 or 1 (False or True), the other is implied."""
    check_labels(y)
    labels, firsts = np.unique(y, return_index=True)
    if classes is not None:
        labels, firsts = np.unique(np.asarray(classes)), firsts[:0]
    if len(labels) == 1 and labels.dtype.kind in "biuf" and labels[0] in (0, 1):
        return np.array([0, 1], dtype=labels.dtype)
    if len(labels) == 2:
        return labels
    if len(labels) == 1:
        raise InputError(
            f"two classes are needed, and there is one class, {labels.tolist()[0]!r}: "
            "pass both with partial_fit(X, y, classes=...)"
        )
    third = sorted(firsts.tolist())[2:3]
    where = f", the third in row {third[0]}: {y[third].tolist()[0]!r}" if third else ""
    raise InputError(  # in the words that scikit-learn's checks expect, then with the row
        "Only binary classification is supported. The type of the target is multiclass: "
        f"there are {len(labels)} classes{where}"
    )


def _planes(weights: Any, thresholds: Any, columns: int) -> Planes:
    try:
        w, theta = np.asarray(weights, dtype=np.float64), np.asarray(thresholds, dtype=np.float64)
    except (TypeError, ValueError):
        w = theta = np.empty(0)
    if w.ndim != 2 or theta.ndim > 1:
        raise RecipeError("a pair of concepts must be (weights, thresholds): a row of weights and a threshold each")
    theta = np.broadcast_to(theta, len(w)) if theta.ndim == 0 else theta
    if len(theta) != len(w):
        raise RecipeError(f"there are {len(w)} rows of weights, but {len(theta)} thresholds: pass one a row")
    if w.shape[1] != columns:
        raise InputError(f"the concepts have {w.shape[1]} weights, but X has {columns} columns")
    if not (np.isfinite(w).all() and np.isfinite(theta).all()):
        raise RecipeError("the weights and thresholds of the concepts must be finite")
    return Planes(w, theta)


def _table(given: Any, columns: int) -> Table:
    try:
        table = np.asarray(given)
    except ValueError:
        table = np.empty(0)
    if table.ndim != 2 or table.dtype.kind not in "biuf" or not ((table == 0) | (table == 1)).all():
        raise RecipeError(
            f"concepts must be {', '.join(map(repr, KINDS))}, functions (a list, or a dictionary by name), a Boolean "
            f"table (concepts x points), or a pair (weights, thresholds); not {given!r:.100}"
        )
    if columns != 1:
        raise InputError(f"with a table of concepts X must have one column, the number of the point; it has {columns}")
    return Table(table)
