"""Checks of parameters and labels, with errors that name them."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from linnet.errors import InputError, RecipeError
from linnet.learners.recipe import Penalty


def chosen(options: Any, parameter: str, value: Any) -> Any:
    """The option of that name, or an error that lists them."""
    table = options if isinstance(options, dict) else {str(option): option for option in options}
    if not isinstance(value, str | None) or value not in table:
        raise RecipeError(f"{parameter}={value!r} is not known; there are {', '.join(map(repr, table))}")
    return table[value]


def penalty_of(
    penalty: str | None, weight: float, l1_ratio: float, *, total: bool = False, intercept: bool = False
) -> Penalty:
    """scikit-learn's three parameters as one penalty."""
    if penalty is None:
        if intercept:
            raise RecipeError("without a penalty the intercept has none either: leave penalise_intercept out")
        return Penalty()
    l1_fraction = chosen({"l2": 0.0, "l1": 1.0, "elasticnet": l1_ratio, None: 0.0}, "penalty", penalty)
    if check_number("l1_ratio", l1_fraction) > 1:
        raise RecipeError(f"l1_ratio must lie between 0 and 1; it is {l1_ratio}")
    return Penalty(l1=weight * l1_fraction, l2=weight * (1 - l1_fraction), total=total, intercept=bool(intercept))


def check_number(name: str, value: Any) -> float:
    """The parameter as a number of 0 or more, or an error that names it."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < float("inf"):
        raise RecipeError(f"{name} must be a number, 0 or more and finite; it is {value!r}")
    return float(value)


def check_positive(name: str, value: Any) -> float:
    """The parameter as a positive number, or an error that names it."""
    if check_number(name, value) == 0:
        raise RecipeError(f"{name} must be positive; it is {value!r}")
    return float(value)


def check_strength(value: Any) -> float:
    """C as a positive number, or infinite: then there is no penalty."""
    return float("inf") if isinstance(value, Real) and value == float("inf") else check_positive("C", value)


def check_labels(y: NDArray[Any]) -> None:
    """scikit-learn's check of a classification target, without its sort of all labels where the types suffice."""
    if not len(y):
        raise InputError("there are no rows to train on")
    if y.dtype == object and len({type(label) for label in y.tolist()}) > 1:
        kinds = sorted({type(label).__name__ for label in y.tolist()})
        raise InputError(f"Unknown label type: labels of several types, {', '.join(kinds)}: convert them to one")
    if y.dtype.kind in "bui" or (y.dtype.kind == "f" and (y == np.floor(y)).all()):
        return
    try:
        check_classification_targets(y)
    except ValueError as error:
        raise InputError(str(error)) from None
