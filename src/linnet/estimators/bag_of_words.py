"""BagOfWords: texts to sparse rows of n-grams, scikit-learn's TfidfVectorizer at the speed of hashing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted

from linnet.cores import cores
from linnet.data.features.text import NgramCounts, TextTerm
from linnet.data.features.text_options import Analyzer, TextOptions
from linnet.data.features.tokenizer import NotUtf8
from linnet.data.sources.block import Strings
from linnet.errors import InputError, RecipeError
from linnet.estimators.columns import Documents, by_name, checked_bits, documents_of, is_whole, names_at
from linnet.estimators.documentation import documented
from linnet.estimators.parameters import check_positive, chosen

# Bytes of text that are split at a time: enough to work on, and no more than a cache holds.
PIECE_BYTES = 1 << 20
LONGEST = 100

_ATTRIBUTES = """
    Attributes
    ----------
    vocabulary_ : a dictionary from each n-gram to its column
    collisions_ : how many n-grams of the texts share a column with another (0 with an exact dictionary)
    idf_ : the inverse document frequency of each column (`use_idf`)
    ratio_ : the log-count ratio of each column (`log_count_ratio`)
"""


@documented(attributes=_ATTRIBUTES)
class BagOfWords(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Texts as rows of n-grams, by name: the same columns and numbers as scikit-learn's TfidfVectorizer.

    With `use_idf=False, norm=None` the same as its CountVectorizer. A value is the count of an n-gram in the text
    (`binary`: 1; `sublinear_tf`: 1 + log count), times its idf, times its log-count ratio, and rows are then brought
    to length 1. Columns are sorted by name. With `hash_bits` there are at most 2 ** hash_bits columns in the order of
    first appearance, each with the name that came first, and `collisions_` is the number of names that share a column
    with another.

    The log-count ratio of column j is log((p_j / sum p) / (q_j / sum q)), where p = smoothing + the sum of the rows
    of the second class, q of the first (Wang, Manning 2012, Baselines and bigrams).

    >>> from linnet import BagOfWords
    >>> bag = BagOfWords(ngram_range=(1, 2), use_idf=False, norm=None)
    >>> bag.fit_transform(["to be or not to be", "To be!"]).toarray().astype(int).tolist()
    [[2, 1, 1, 1, 1, 1, 2, 2], [1, 0, 0, 0, 0, 0, 1, 1]]
    >>> bag.get_feature_names_out().tolist()
    ['be', 'be or', 'not', 'not to', 'or', 'or not', 'to', 'to be']
    """

    def __init__(
        self,
        *,
        analyzer: str = "word",
        ngram_range: tuple[int, int] = (1, 1),
        lowercase: bool = True,
        word_length: int = 2,
        marks: bool = False,
        min_df: float = 1,
        max_df: float = 1.0,
        max_features: int | None = None,
        binary: bool = False,
        sublinear_tf: bool = False,
        use_idf: bool = True,
        smooth_idf: bool = True,
        norm: str | None = "l2",
        log_count_ratio: bool = False,
        smoothing: float = 1.0,
        hash_bits: int = 0,
        dtype: Any = np.float64,
    ) -> None:
        self.analyzer = analyzer
        self.ngram_range = ngram_range
        self.lowercase = lowercase
        self.word_length = word_length
        self.marks = marks
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.binary = binary
        self.sublinear_tf = sublinear_tf
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.norm = norm
        self.log_count_ratio = log_count_ratio
        self.smoothing = smoothing
        self.hash_bits = hash_bits
        self.dtype = dtype

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = bool(self.log_count_ratio)
        return tags

    def fit(self, X: Iterable[str], y: Any = None) -> Self:
        """Learn the vocabulary and the weight of each n-gram; y is only for `log_count_ratio`."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Iterable[str], y: Any = None) -> Any:
        """As fit and then transform, with the texts read once."""
        term = self._new_term()
        self._check_parameters()
        starts, ids, counts = counted_ngrams(term, documents_of(X), frozen=False)
        if not len(term):
            raise InputError(f"empty vocabulary; none of the {len(starts) - 1} texts holds an n-gram of these settings")
        positive = self._positive(y, len(starts) - 1)
        self._term = term
        self._numbers = self._chosen(ids, counts, len(starts) - 1)
        self._columns = _new_ids(self._numbers, len(term))
        self.collisions_ = int(term.vocabulary.collisions) if self.hash_bits else 0
        X = self._damped(starts, ids, counts)
        if self.use_idf:
            self.idf_ = self._idf(X)
        if positive is not None:
            self.ratio_ = self._ratio(X, positive)
        return self._weighed(X)

    def transform(self, X: Iterable[str]) -> Any:
        """Texts as sparse rows; n-grams that fit has not seen are left out."""
        check_is_fitted(self)
        return self._weighed(self._damped(*counted_ngrams(self._term, documents_of(X), frozen=True)))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """The n-gram of each column."""
        check_is_fitted(self)
        _, data, starts, _ = self._term.vocabulary.stored()  # type: ignore[no-untyped-call]
        names: NDArray[Any] = names_at(Strings(data, starts), self._numbers)
        return names

    @property
    def vocabulary_(self) -> dict[str, int]:
        check_is_fitted(self)
        return {name: column for column, name in enumerate(self.get_feature_names_out())}

    # -- which columns there are ----------------------------------------------------------------------------------

    def _chosen(self, ids: Any, counts: Any, rows: int) -> NDArray[np.int64]:
        """The numbers of the vocabulary that become columns, column by column."""
        least, most = _rows(self.min_df, rows), _rows(self.max_df, rows)
        kept = np.arange(len(self._term))
        df: NDArray[Any] = np.empty(0)
        if least > 1 or most < rows or self.max_features is not None:
            df = np.bincount(ids, minlength=len(kept))
            kept = np.flatnonzero((df >= least) & (df <= most))
            if not len(kept):
                raise InputError("After pruning, no terms remain: try a lower min_df or a higher max_df")
        if not self.hash_bits:  # hashing is for speed: there, columns stay in the order of first appearance
            _, data, starts, _ = self._term.vocabulary.stored()  # type: ignore[no-untyped-call]
            kept = by_name(Strings(data, starts), kept)
        if self.max_features is not None:
            total = df if self.binary else np.bincount(ids, weights=counts, minlength=len(self._term))
            kept = kept[np.sort(np.argsort(-total[kept], kind="stable")[: self.max_features])]
        return kept

    # -- the weights of counts ------------------------------------------------------------------------------------

    def _damped(self, starts: Any, ids: Any, counts: Any) -> Any:
        columns = ids.view(np.int32)
        if self._columns is not None:
            columns = self._columns[ids]
            there = columns >= 0
            if not there.all():
                starts = np.concatenate([[0], np.cumsum(there)])[starts]
                columns, counts = columns[there], counts[there]
        values = np.ones(len(columns), dtype=self.dtype) if self.binary else counts.astype(self.dtype, copy=False)
        if self.sublinear_tf:
            values = np.log(values) + values.dtype.type(1)
        X = csr_matrix((values, columns, starts), shape=(len(starts) - 1, len(self._numbers)))
        if not self.hash_bits:  # and there a row's entries stay in the order of its words
            X.sort_indices()
        return X

    def _weighed(self, X: Any) -> Any:
        for scale in (self.idf_ if self.use_idf else None, self.ratio_ if self.log_count_ratio else None):
            if scale is not None:
                X.data *= scale[X.indices]
        return normalize(X, norm=self.norm, copy=False) if self.norm is not None and X.shape[0] else X

    def _idf(self, X: Any) -> Any:
        smooth = int(self.smooth_idf)
        df = np.bincount(X.indices, minlength=X.shape[1]).astype(self.dtype) + smooth
        return np.log((X.shape[0] + smooth) / df) + df.dtype.type(1)

    def _ratio(self, X: Any, positive: NDArray[np.bool_]) -> Any:
        p, q = (
            self.smoothing + np.asarray(X[rows].sum(axis=0), dtype=np.float64).ravel() for rows in (positive, ~positive)
        )
        return (np.log(p / p.sum()) - np.log(q / q.sum())).astype(self.dtype)

    # -- parameters -----------------------------------------------------------------------------------------------

    def _new_term(self) -> TextTerm:
        analyzer = Analyzer(chosen(tuple(Analyzer), "analyzer", self.analyzer))
        shortest, longest = (_whole("ngram_range", each, LONGEST) for each in self.ngram_range)
        if shortest > longest:
            raise RecipeError(f"ngram_range={self.ngram_range!r}: the shortest n-grams are longer than the longest")
        length = _whole("word_length", self.word_length, 1 << 30)
        options = TextOptions(analyzer, shortest, longest, bool(self.lowercase), length, bool(self.marks))
        return TextTerm("text", options, checked_bits(self.hash_bits), prefix="")

    def _check_parameters(self) -> None:
        if self.norm is not None:
            chosen(("l1", "l2"), "norm", self.norm)
        if self.max_features is not None:
            _whole("max_features", self.max_features, 1 << 31)
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            whole = is_whole(value, 1)
            if not whole and not (isinstance(value, float | np.floating) and 0 <= value <= 1):
                raise RecipeError(
                    f"{name} must be a number of rows, 1 or more, or a fraction from 0.0 to 1.0; not {value!r}"
                )
        check_positive("smoothing", self.smoothing)
        if np.dtype(self.dtype) not in (np.float64, np.float32):
            raise RecipeError(f"dtype must be float64 or float32; it is {self.dtype!r}")

    def _positive(self, y: Any, rows: int) -> NDArray[np.bool_] | None:
        """Which rows are of the second class, where that matters."""
        if not self.log_count_ratio:
            return None
        if y is None:
            raise InputError("log_count_ratio=True requires y to be passed, but the target y is None")
        labels = column_or_1d(y)
        classes = np.unique(labels)
        if len(classes) != 2:
            raise InputError(
                f"log_count_ratio=True compares two classes, and y has {len(classes)}: put the pipeline into "
                "sklearn.multiclass.OneVsRestClassifier"
            )
        if len(labels) != rows:
            raise InputError(f"X has {rows} rows, but y has {len(labels)}")
        return np.asarray(labels == classes[1])


def counted_ngrams(
    term: TextTerm, texts: Documents, *, frozen: bool, piece_bytes: int = PIECE_BYTES
) -> tuple[Any, Any, Any]:
    """The n-grams of each row, (starts, numbers, counts), counted by threads a piece of the texts at a time."""
    cuts = np.searchsorted(texts.starts, np.arange(texts.starts[0], texts.starts[-1], piece_bytes))
    edges = np.unique([0, *cuts, len(texts)]).tolist() if len(texts) else [0, 0]

    def counted(first: int, last: int) -> NgramCounts:
        try:
            return term.prepare({term.columns[0]: texts.piece(first, last)})
        except NotUtf8 as error:
            raise NotUtf8(first + error.row, error.byte) from None

    available = cores()
    with ThreadPoolExecutor(available) as threads:
        pieces = _in_order(threads, counted, list(pairwise(edges)), available + 1)
        done = [term.number(each, frozen=frozen) for each in pieces]  # names are numbered in the order of the texts
        ids, counts = threads.map(np.concatenate, zip(*((piece.ids, piece.values) for piece in done), strict=True))
    sizes = np.concatenate([np.diff(piece.starts) for piece in done])
    return np.concatenate([[0], np.cumsum(sizes)]), ids, counts


def _in_order(
    threads: ThreadPoolExecutor, counted: Callable[[int, int], NgramCounts], pieces: list[tuple[int, int]], ahead: int
) -> Iterator[NgramCounts]:
    """The pieces in order, computed only a few ahead of the one asked for: each takes memory."""
    pending: deque[Future[NgramCounts]] = deque()
    for piece in pieces:
        pending.append(threads.submit(counted, *piece))
        if len(pending) > ahead:
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()


def _new_ids(numbers: NDArray[np.int64], size: int) -> NDArray[np.int32] | None:
    """The column of each number of the vocabulary (-1: none); None where every number is its own column."""
    if np.array_equal(numbers, np.arange(size)):
        return None
    new_ids = np.full(size, -1, dtype=np.int32)
    new_ids[numbers] = np.arange(len(numbers))
    return new_ids


def _rows(value: float, rows: int) -> float:
    """A number of rows, or a fraction of them."""
    return value if is_whole(value) else value * rows


def _whole(name: str, value: Any, most: int) -> int:
    if not is_whole(value, 1, most):
        raise RecipeError(f"{name} must be made of whole numbers from 1 to {most}; it has {value!r}")
    return int(value)
