"""The gate for sparse matrices: every array of one is checked before a compiled loop, SciPy's or ours, reads by it.

SciPy lets users set `indptr`, `indices`, `data` and `shape` as they like, and its own conversions trust them, too.  So
a matrix of another format is checked as what it is, and then as the CSR matrix that it has become.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError
from linnet.kernels.sparse_checks import ids_rise, pointers_rise

LARGEST_COLUMNS = 2**31 - 1
# What attributes and conversions of a matrix that was tampered with may raise.
_BROKEN = (AttributeError, TypeError, ValueError, LookupError, ArithmeticError, NotImplementedError)


def is_sparse(X: Any) -> bool:
    """Whether this is a sparse matrix, SciPy's or one that can become SciPy's."""
    return hasattr(X, "tocsr")


@dataclass(frozen=True, eq=False)
class Csr:
    """The checked arrays of a CSR matrix; `rising` says that the ids of every row rise strictly."""

    data: NDArray[Any]
    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    shape: tuple[int, int]
    rising: bool

    def matrix(self, like: Any = None) -> Any:
        """As SciPy has it: a matrix if `like` is one, else an array."""
        from scipy.sparse import csr_array, csr_matrix, isspmatrix

        return (csr_matrix if isspmatrix(like) else csr_array)((self.data, self.ids, self.starts), shape=self.shape)

    def summed(self) -> Csr:
        """The same with the ids of each row sorted, and the values of equal ones added."""
        data = self.data if self.data.dtype.kind == "b" else numeric(self.data)
        matrix = Csr(data, self.ids, self.starts, self.shape, rising=False).matrix().copy()
        matrix.has_canonical_format = matrix.has_sorted_indices = False
        matrix.sum_duplicates()
        return _checked(matrix, self.shape)


def csr_of(X: Any) -> Csr:
    """A sparse matrix of any format as CSR, every array of it checked; an InputError for what is not one."""
    shape = (0, 0)
    try:
        shape = _shape(X)
        form = getattr(X, "format", "")
        if form != "csr":
            if form in _CHECKS:
                _CHECKS[form](X, *shape)
            X = X.tocsr()
        return _checked(X, shape)
    except InputError:
        raise
    except MemoryError:
        raise InputError(f"X has {shape[0]} rows: there is not enough memory to read it row by row") from None
    except _BROKEN as error:
        why = (str(error).splitlines() or [""])[0] or type(error).__name__
        raise _unsound(f"it cannot be read as CSR ({why})") from None


def sound(X: Any) -> Any:
    """A sparse matrix that others are to read: as CSR, checked, of a type that SciPy computes with; all else as it is.

    Integers stay integers.
    """
    if not is_sparse(X):
        return X
    checked = csr_of(X)
    kind = checked.data.dtype
    if kind.kind in "biu" or kind in (np.float32, np.float64):
        data = np.ascontiguousarray(checked.data, dtype=kind.newbyteorder("="))
    else:
        data = numeric(checked.data)
    return Csr(data, checked.ids, checked.starts, checked.shape, checked.rising).matrix(like=X)


def numeric(array: NDArray[Any]) -> NDArray[Any]:
    """The numbers as float32 (if they are that) or float64, contiguous, copied only if they must; else an error."""
    kind = array.dtype.kind
    if kind == "c":
        raise InputError("Complex data not supported: pass the real and imaginary parts as columns")
    if kind not in "biufOUS":
        raise InputError(f"X must hold numbers; its type is {array.dtype}")
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise InputError("some values of X are masked: fill them in (X.filled), or drop the rows")
    try:
        with np.errstate(over="ignore"):  # what float64 cannot hold is infinite, and reported as that
            return np.ascontiguousarray(array, dtype=np.float32 if array.dtype == np.float32 else np.float64)
    except _BROKEN as error:
        raise InputError(f"X must hold numbers: {(str(error).splitlines() or [''])[0]}") from None


def _unsound(why: str) -> InputError:
    return InputError(f"X is not a valid sparse matrix: {why}")


def _shape(X: Any) -> tuple[int, int]:
    shape = tuple(X.shape)
    if len(shape) != 2:
        raise InputError(f"X must have two dimensions, rows and columns; it has {len(shape)}")
    n, d = int(shape[0]), int(shape[1])
    if n < 0 or d < 0:
        raise _unsound(f"its shape is {shape}")
    if d > LARGEST_COLUMNS:
        raise InputError(f"X has {d} columns; linnet takes {LARGEST_COLUMNS} at most")
    return n, d


def _checked(X: Any, shape: tuple[int, int]) -> Csr:
    """A CSR matrix in one read of its ids."""
    n, d = shape
    if tuple(X.shape) != shape:
        raise _unsound(f"as CSR its shape is {tuple(X.shape)}, not {shape}")
    data, every, starts = _flat(X.data, "data"), _integers(X.indices, "indices"), _pointers(X.indptr, "indptr", n)
    _check_lengths(starts, len(every), len(data))
    stored = int(starts[-1])
    data, ids = data[:stored], _narrowed(every[:stored], d)
    rising = bool(ids_rise(ids, starts, d))
    if not rising:
        _check_range(ids, "column id", d)
    return Csr(data, ids, starts, shape, rising)


def _check_lengths(starts: NDArray[np.int64], ids: int, values: int) -> None:
    if not pointers_rise(starts, min(ids, values)):
        raise _unsound("its row pointers must increase from 0 to its entries")


def _flat(array: Any, name: str) -> NDArray[Any]:
    if not isinstance(array, np.ndarray) or array.ndim != 1:
        is_now = f"has {array.ndim}" if isinstance(array, np.ndarray) else f"is a {type(array).__name__}"
        raise _unsound(f"{name} must be an array of one dimension; it {is_now}")
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise _unsound(f"some values of {name} are masked: fill them in, or drop the rows")
    return np.asarray(array)


def _integers(array: Any, name: str) -> NDArray[Any]:
    if _flat(array, name).dtype.kind not in "iu":
        raise _unsound(f"{name} must hold integers; its type is {array.dtype}")
    return np.asarray(array)


def _pointers(array: Any, name: str, rows: int) -> NDArray[np.int64]:
    array = _integers(array, name)
    if len(array) != rows + 1:
        raise _unsound(f"{rows} rows take {rows + 1} row pointers; {name} has {len(array)}")
    # what wraps around in int64 is negative there, and refused with all that do not rise
    return np.ascontiguousarray(array, dtype=np.int64)


def _narrowed(ids: NDArray[Any], columns: int) -> NDArray[np.int32]:
    if ids.dtype.newbyteorder("=") != np.int32:
        _check_range(ids, "column id", columns)
    return np.ascontiguousarray(ids, dtype=np.int32)


def _check_range(ids: NDArray[Any], what: str, below: int) -> None:
    if len(ids) and not 0 <= ids.min() <= ids.max() < below:
        raise _unsound(f"a {what} lies outside 0 to {below - 1}")


# -- other formats, before SciPy converts them -------------------------------------------------------------------------


def _check_csc(X: Any, n: int, d: int) -> None:
    ids = _integers(X.indices, "indices")
    _check_lengths(_pointers(X.indptr, "indptr", d), len(ids), len(_flat(X.data, "data")))
    _check_range(ids, "row id", n)


def _check_bsr(X: Any, n: int, d: int) -> None:
    if not isinstance(X.data, np.ndarray) or X.data.ndim != 3 or 0 in X.data.shape[1:]:
        raise _unsound("data must be an array of blocks")
    height, width = X.data.shape[1:]
    if n % height or d % width:
        raise _unsound(f"blocks of {height} x {width} do not divide its shape {(n, d)}")
    ids = _integers(X.indices, "indices")
    _check_lengths(_pointers(X.indptr, "indptr", n // height), len(ids), len(X.data))
    _check_range(ids, "column id", d // width)


def _check_coo(X: Any, n: int, d: int) -> None:
    entries = len(_flat(X.data, "data"))
    for ids, what, below in ((X.row, "row id", n), (X.col, "column id", d)):
        if len(_integers(ids, what)) != entries:
            raise _unsound(f"it has {entries} values, but {len(ids)} {what}s")
        _check_range(ids, what, below)


def _check_dia(X: Any, n: int, d: int) -> None:  # noqa: ARG001
    offsets = _integers(X.offsets, "offsets")
    if not isinstance(X.data, np.ndarray) or X.data.ndim != 2 or len(X.data) != len(offsets):
        raise _unsound(f"data must have a row for each of its {len(offsets)} diagonals")


def _check_lil(X: Any, n: int, d: int) -> None:  # noqa: ARG001
    for lists in (X.rows, X.data):
        if np.shape(lists) != (n,) or not all(isinstance(row, list) for row in lists):
            raise _unsound(f"rows and data must be arrays of {n} lists")
    if any(len(ids) != len(values) for ids, values in zip(X.rows, X.data, strict=True)):
        raise _unsound("a row has more ids than values, or fewer")


_CHECKS = {"csc": _check_csc, "bsr": _check_bsr, "coo": _check_coo, "dia": _check_dia, "lil": _check_lil}
