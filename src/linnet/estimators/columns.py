"""Lists, arrays and data frames as the columns and texts that features are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names_in, validate_data

from linnet.data.features.terms import NamedTerm
from linnet.data.sources.arrow import is_string, plain, readable, strings, table_of
from linnet.data.sources.block import Strings
from linnet.errors import InputError, RecipeError

_REFUSED = (pa.ArrowException, TypeError, ValueError, OverflowError)


def columns_of(estimator: Any, X: Any, *, reset: bool) -> dict[str, Any]:
    """Every column of a frame or a two-dimensional array as an Arrow array, by name.

    With reset the estimator stores the number and the names of the columns; else they are checked.
    """
    frame = hasattr(X, "columns")
    if frame:
        _check_unique([str(name) for name in getattr(X, "column_names", X.columns)])
    elif isinstance(X, list | tuple) and np.asarray(X).dtype.kind in "US":
        X = np.array(X, dtype=object)  # lists that mix strings and numbers, which NumPy would make all strings
    how = {"skip_check_array": True} if frame else {"dtype": None, "ensure_all_finite": False}
    X = validate_data(estimator, X, reset=reset, **how)
    names = [str(name) for name in _check_feature_names_in(estimator)]
    try:
        by_index = () if frame else range(X.shape[1])
        arrays = table_of(X, mixed=False).columns if frame else [pa.array(X[:, j], from_pandas=True) for j in by_index]
    except _REFUSED as error:
        raise _unreadable("X", error) from None
    if not arrays or not len(arrays[0]):
        raise InputError(f"X has {'0 sample(s)' if arrays else '0 feature(s)'}: there is nothing to make features of")
    return {name: _tidy(name, array) for name, array in zip(names, arrays, strict=True)}


def _check_unique(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"the frame has the column {name!r} twice: rename one of them")


def _tidy(name: str, array: Any) -> Any:
    """In one piece, NaN as missing; an error for what is neither number nor string."""
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if not readable(array.type):
        raise _unreadable(f"column {name}", f"its values are of the type {array.type}")
    values = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    if pa.types.is_floating(values.type):
        if pc.any(pc.is_inf(values)).as_py():
            row = pc.index(pc.is_inf(values), True).as_py()
            raise InputError(f"column {name} is infinite at row {row}: leave it empty, or mend it")
        array = pc.if_else(pc.is_nan(array), None, array) if values is array else array
    return array


def _unreadable(what: str, why: Any) -> TypeError:
    return TypeError(f"{what} cannot be read ({why}): a column as argument must be all strings or all numbers")


def texts_of(documents: Iterable[str]) -> Strings:
    """A list, array or series of texts."""
    if isinstance(documents, str | bytes):
        raise InputError("X is a single string: put it into a list to make it a row")
    if getattr(documents, "ndim", 1) != 1 or hasattr(documents, "columns"):
        raise InputError("X has rows and columns: a bag of words is made of one column of texts, a list or a series")
    if not hasattr(documents, "to_arrow") and not isinstance(documents, np.ndarray) and not hasattr(documents, "iloc"):
        documents = list(documents)
    try:
        array = documents.to_arrow() if hasattr(documents, "to_arrow") else pa.array(documents, from_pandas=True)
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type):
            array = array.cast(pa.large_string())
    except UnicodeEncodeError as error:
        raise _half_character(error) from None
    except _REFUSED as error:
        raise _not_text(documents, str(error)) from None
    if len(array) and (array.null_count or not is_string(array.type)):
        raise _not_text(documents, f"they are {array.type}")
    return _strings(array.cast(pa.large_string()))


@dataclass(frozen=True, eq=False)
class Documents:
    """Texts to be taken a piece at a time; `starts` is about where each begins."""

    starts: NDArray[np.int64]
    piece: Callable[[int, int], Strings]

    def __len__(self) -> int:
        return len(self.starts) - 1


def documents_of(documents: Iterable[str]) -> Documents:
    """A list, array or series of texts; strings of Python are copied only when their piece is taken."""
    if isinstance(documents, list | tuple):
        try:
            lengths = np.fromiter(map(str.__len__, documents), dtype=np.int64, count=len(documents))
        except TypeError:
            pass  # there is something else among the strings
        else:
            return Documents(np.concatenate([[0], np.cumsum(lengths)]), lambda a, b: _encoded(documents[a:b]))
    texts = texts_of(documents)
    return Documents(texts.starts, lambda a, b: Strings(texts.data, texts.starts[a : b + 1]))


def _encoded(documents: Sequence[str]) -> Strings:
    """Strings of Python: as texts_of, at once as what they are."""
    try:
        return strings(pa.array(documents, type=pa.large_string()))
    except UnicodeEncodeError as error:
        raise _half_character(error) from None


def _half_character(error: UnicodeEncodeError) -> InputError:
    return InputError(f"a text holds half of a surrogate pair, which is not a character: {error.object!r}")


def _not_text(documents: Iterable[Any], why: str) -> InputError:
    for row, document in enumerate(documents):
        if not isinstance(document, str):
            return InputError(
                f"row {row} is not text but {document!r}: fill in what is missing, convert the rest to str"
            )
    return InputError(f"X cannot be read as texts: {why}")


def categories_of(array: Any) -> Strings:
    """A column's values as strings: numbers are spelt once for each different one."""
    coded = pa.types.is_dictionary(array.type)
    if pa.types.is_floating(array.type.value_type if coded else array.type):
        array = array if coded else array.dictionary_encode()
        spelt = [_spelt(value) for value in array.dictionary.to_pylist()]
        array = pa.DictionaryArray.from_arrays(array.indices, pa.array(spelt, pa.large_string()))
    return _strings(array)


def _spelt(value: float) -> str:
    """The shortest text that distinguishes a number from all others; whole numbers as integers."""
    return str(int(value)) if abs(value) < 2**63 and value == int(value) else repr(value)


def _strings(array: Any) -> Strings:
    return strings(plain(array))


def by_name(names: Strings, which: Any) -> Any:
    """The numbers of these names, sorted by the names' code points."""
    return which[pc.sort_indices(_taken(names, which)).to_numpy()]


def names_at(names: Strings, which: Any) -> Any:
    """These of the names."""
    return object_array(_taken(names, which).to_pylist())


def _taken(names: Strings, which: Any) -> Any:
    data, starts = pa.py_buffer(names.data), pa.py_buffer(names.starts)
    return pa.LargeStringArray.from_buffers(len(names), starts, data).take(pa.array(which))


def object_array(names: Sequence[str]) -> Any:
    """Names as scikit-learn gives them."""
    return np.array(names, dtype=object) if len(names) else np.empty(0, dtype=object)


def names_of(term: NamedTerm) -> list[str]:
    """A term's names, by number."""
    return [term.name(number) for number in range(len(term))]


def checked_bits(bits: Any) -> int:
    """The parameter hash_bits, or an error that says what it may be."""
    if not is_whole(bits, 0, 31):
        raise RecipeError(f"hash_bits must be 0 (an exact dictionary) to 31; it is {bits!r}")
    return int(bits)


def is_whole(value: Any, least: int = 0, most: float = np.inf) -> bool:
    """Is this a whole number from least to most?"""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and least <= int(value) <= most
