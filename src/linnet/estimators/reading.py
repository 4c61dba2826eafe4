"""X, y and sample weights as estimators take them: scikit-learn's rules, linnet's errors, and no array unchecked.

Sparse matrices go through the gate of `data/sparse_matrices.py` first, for scikit-learn hands them to SciPy's compiled
conversions as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight, _check_y, validate_data

from linnet.data.limits import LARGEST_TARGET
from linnet.data.rows import Rows, check_total_weight
from linnet.data.sparse_matrices import is_sparse
from linnet.errors import InputError, LinnetError

_DENSE = {
    "dtype": (np.float64, np.float32),
    "order": "C",
    # linnet names the place of a bad value, and finds it without a pass of its own where it can
    "ensure_all_finite": False,
}


class InputTypeError(InputError, TypeError):
    """Where scikit-learn's contract asks for a TypeError."""


def read_rows(estimator: Any, X: Any, *, reset: bool) -> Rows:
    """X as rows; with reset the estimator takes down how many columns there are and their names, else checks them."""
    with input_errors():
        if _is_plain(estimator, X, reset=reset):
            return Rows.of(X)
        if is_sparse(X):
            rows = Rows.of(X)
            check_shape(estimator, X, reset=reset)
        else:
            check_kind(X, "X")
            rows = Rows.of(validate_data(estimator, X, reset=reset, **_DENSE))
    return named(rows, estimator)


def read_rows_and_targets(estimator: Any, X: Any, y: Any, *, reset: bool, numeric: bool) -> tuple[Rows, NDArray[Any]]:
    """X as rows, and their targets: numbers, if asked."""
    with input_errors():
        if _is_plain_target(y, X) and _is_plain(estimator, X, reset=reset):
            return Rows.of(X), _usable(y, numeric=numeric)
        check_kind(y, "y")
        if is_sparse(X):
            rows = read_rows(estimator, X, reset=reset)
            return rows, read_targets(estimator, y, rows.shape[0], numeric=numeric)
        check_kind(X, "X")
        X, y = validate_data(estimator, X, y, reset=reset, y_numeric=numeric, **_DENSE)
        return named(Rows.of(X), estimator), _usable(y, numeric=numeric)


def _is_plain(estimator: Any, X: Any, *, reset: bool) -> bool:
    """Whether X is an array that scikit-learn would take as it is, in a fifth of the time that it needs to see that.

    The estimator then takes down, or has, as many columns and no names.
    """
    if type(X) is not np.ndarray or X.ndim != 2 or not X.size or X.dtype.char not in "df" or not X.dtype.isnative:
        return False
    if not X.flags.c_contiguous:
        return False
    known = vars(estimator)
    if reset:
        known.pop("feature_names_in_", None)
        known["n_features_in_"] = X.shape[1]
        return True
    return "feature_names_in_" not in known and known.get("n_features_in_") == X.shape[1]


def _is_plain_target(y: Any, X: Any) -> bool:
    """Whether y is an array of finite numbers, one for each row of an array."""
    if type(y) is not np.ndarray or y.ndim != 1 or y.dtype.kind not in "iubf" or not y.dtype.isnative:
        return False
    return type(X) is np.ndarray and X.shape[:1] == y.shape and bool(np.isfinite(y).all())


def read_targets(estimator: Any, y: Any, rows: int, *, numeric: bool) -> NDArray[Any]:
    """One target for each row."""
    if y is None:
        raise InputError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    targets = cast("NDArray[Any]", _check_y(y, y_numeric=numeric, estimator=estimator))
    if len(targets) != rows:
        raise InputError(f"X has {rows} rows, but y has {len(targets)} targets")
    return _usable(targets, numeric=numeric)


def _usable(targets: NDArray[Any], *, numeric: bool) -> NDArray[Any]:
    """Numbers once more: what is missing among objects is NaN only now."""
    if numeric and not np.isfinite(targets).all():
        raise InputError(
            f"Input y contains NaN or infinity at row {int(np.argmin(np.isfinite(targets)))}: drop such rows"
        )
    if numeric:
        check_size(targets)
    return targets


def check_size(targets: NDArray[Any]) -> None:
    """Refuse numbers to predict whose squares are none."""
    if targets.dtype.kind == "f" and targets.size and (largest := float(np.abs(targets).max())) > LARGEST_TARGET:
        raise InputError(f"y has values of up to {largest:g}, beyond {LARGEST_TARGET:g}: scale it down")


def read_weights(sample_weight: Any, rows: Rows) -> NDArray[np.float64]:
    """A weight for each row, or one for all."""
    with input_errors():
        check_kind(sample_weight, "sample_weight")
        like = np.empty((rows.shape[0], 0))
        weights = _check_sample_weight(sample_weight, like, dtype=np.float64, ensure_non_negative=True)
    check_total_weight(weights)
    return cast("NDArray[np.float64]", weights)


def check_shape(estimator: Any, X: Any, *, reset: bool) -> None:
    """What scikit-learn checks of a matrix that has passed the gate: that there is something, and as many columns."""
    for size, what in zip(X.shape, ("sample(s)", "feature(s)"), strict=True):
        if not size:
            raise InputError(f"Found array with 0 {what} (shape={tuple(X.shape)}) while a minimum of 1 is required.")
    validate_data(estimator, X, reset=reset, skip_check_array=True)


def check_kind(values: Any, name: str) -> None:
    """Refuse what NumPy would silently make numbers of: values behind a mask, dates, records."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InputError(f"some values of {name} are masked: fill them in ({name}.filled), or drop the rows")
    dtype = getattr(values, "dtype", None)
    refused = "V" if name == "y" else "mMV"  # a date may be a label
    if isinstance(dtype, np.dtype) and dtype.kind in refused:
        raise InputError(f"{name} must hold {'labels or ' if name == 'y' else ''}numbers; its type is {dtype}")


@contextmanager
def input_errors() -> Iterator[None]:
    """Turn what scikit-learn and NumPy raise for unusable arrays into linnet's errors, with the same text."""
    try:
        yield
    except LinnetError:
        raise
    except (TypeError, AttributeError) as error:
        raise InputTypeError(str(error)) from None
    except (ValueError, OverflowError, IndexError) as error:
        raise InputError(str(error)) from None


def named(rows: Rows, estimator: Any) -> Rows:
    names = getattr(estimator, "feature_names_in_", ())
    return Rows(rows.values, rows.ids, rows.starts, rows.shape, tuple(names)) if len(names) else rows
