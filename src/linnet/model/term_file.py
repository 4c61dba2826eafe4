"""Terms and their vocabularies in a file: written, and checked before they are believed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.conjunctions import LARGEST_DEGREE, ConjunctionTerm
from linnet.data.features.dates import EARLIEST, LATEST, DateTerm
from linnet.data.features.entries import FeaturesTerm, SetTerm
from linnet.data.features.feature_map import Term
from linnet.data.features.terms import CategoryTerm, CrossTerm, NamedTerm, NumberedTerm, NumberTerm
from linnet.data.features.text import TextTerm
from linnet.data.features.text_options import LONGEST_NGRAM, Analyzer, CountWeighting, TextOptions
from linnet.data.features.transforms import Log
from linnet.errors import ModelFileError
from linnet.kernels.vocabulary import Vocabulary
from linnet.model.file_checks import Tensors, a_list, a_text, require

NO_FINGERPRINTS = np.empty(0, dtype=np.uint64)


def term_to_file(term: Term, number: int, tensors: Tensors, *, growing: bool = False) -> dict[str, Any]:
    """A term as JSON, its vocabulary among the tensors; with all fingerprints if it is still growing."""
    content: dict[str, Any] = {"kind": term.kind, "columns": list(term.columns)}
    if isinstance(term, NumberedTerm):
        content["size"] = term.size
    if isinstance(term, NumberTerm):
        content["log"] = None if term.log is None else term.log.scale
    if isinstance(term, DateTerm):
        content |= {"first": term.first, "with_time": term.with_time}
    if isinstance(term, TextTerm):
        content["options"] = asdict(term.options)
    if isinstance(term, ConjunctionTerm):
        content["degree"] = term.degree
    if isinstance(term, TextTerm | NamedTerm):
        keys, names, starts, seen = term.vocabulary.stored()  # type: ignore[no-untyped-call]
        content["bits"] = term.vocabulary.bits
        for name, array in (("keys", keys), ("names", names), ("starts", starts)):
            tensors[f"term{number}.{name}"] = array
        if growing and term.vocabulary.bits:
            tensors[f"term{number}.label_index"] = seen
    return content


def term_from_file(content: dict[str, Any], number: int, tensors: Tensors, path: str) -> Term:
    kind, columns = content["kind"], tuple(a_text(column) for column in a_list(content["columns"]))
    if kind == "numbered":
        require(type(content["size"]) is int and content["size"] >= 0 and not columns, path, "a size is wrong")
        return NumberedTerm(content["size"])
    if kind == "conjunctions":
        degree = content["degree"]
        require(type(degree) is int and 2 <= degree <= LARGEST_DEGREE, path, "a degree is wrong")
        return ConjunctionTerm(columns, degree, vocabulary=_vocabulary(content["bits"], number, tensors, path))
    require(bool(columns) and (kind == "cross" or len(columns) == 1), path, "a term has the wrong columns")
    if kind == "number":
        return NumberTerm(columns[0], _log(content["log"], path))
    if kind == "date":
        first, with_time = content["first"], content["with_time"]
        sound = type(first) is int and EARLIEST <= first < LATEST and type(with_time) is bool
        require(sound, path, "the first day of a date is wrong")
        return DateTerm(columns[0], first, with_time=with_time)
    vocabulary = _vocabulary(content["bits"], number, tensors, path)
    if kind == "category":
        return CategoryTerm(columns, vocabulary=vocabulary)
    if kind == "cross":
        return CrossTerm(columns, vocabulary=vocabulary)
    if kind in ("set", "features"):
        return (SetTerm if kind == "set" else FeaturesTerm)(columns, vocabulary=vocabulary)
    require(kind == "text", path, f"a term of the kind {kind!r} is unknown")
    return TextTerm(columns[0], _text_options(content["options"], path), vocabulary=vocabulary)


def _log(scale: Any, path: str) -> Log | None:
    if scale is None:
        return None
    require(type(scale) is float and 0 < scale < float("inf"), path, "the scale of a logarithm is wrong")
    return Log(scale)


def _vocabulary(bits: Any, number: int, tensors: Tensors, path: str) -> Vocabulary:
    require(type(bits) is int and 0 <= bits <= 31, path, "the bits of a vocabulary are wrong")
    keys, names, starts = (tensors[f"term{number}.{name}"] for name in ("keys", "names", "starts"))
    seen = tensors.get(f"term{number}.label_index", NO_FINGERPRINTS)
    for array, dtype in ((keys, np.uint64), (names, np.uint8), (starts, np.int64), (seen, np.uint64)):
        require(array.dtype == dtype and array.ndim == 1, path, "a vocabulary has arrays of the wrong type")
    require(len(starts) == len(keys) + 1, path, "a vocabulary's names and keys differ in number")
    _check_names(names, starts, path)
    if bits:
        require(not len(keys) or int(keys.max()) >> bits == 0, path, f"a key has more than {bits} bits")
    else:  # without hashing nothing collides: there is no set of fingerprints to put them in
        require(not len(seen), path, "an exact vocabulary has no fingerprints")
    vocabulary: Vocabulary = Vocabulary.restored(bits, keys, names, starts, seen)
    return vocabulary


def _check_names(names: NDArray[np.uint8], starts: NDArray[np.int64], path: str) -> None:
    """Names must follow each other without gaps, each valid UTF-8: all are, if together they are, cut at characters."""
    rising = starts[0] == 0 and starts[-1] == len(names) and bool((starts[1:] >= starts[:-1]).all())
    require(bool(rising), path, f"the beginnings of names do not rise from 0 to {len(names)}")
    try:
        names.tobytes().decode()
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{path}: is damaged: a name is no valid UTF-8 (byte {error.start})") from None
    inside = starts[starts < len(names)]
    require(bool((names[inside] & 0xC0 != 0x80).all()), path, "a name begins within a character")


def _text_options(content: dict[str, Any], path: str) -> TextOptions:
    options = TextOptions(
        **{
            **content,
            "analyzer": Analyzer(content["analyzer"]),
            "count_weighting": CountWeighting(content["count_weighting"]),
        }
    )
    numbers = (options.shortest, options.longest, options.word_length)
    flags = (options.lowercase, options.marks, options.unit_length)
    sound = all(type(n) is int for n in numbers) and all(type(flag) is bool for flag in flags)
    require(sound and 1 <= options.shortest <= options.longest <= LONGEST_NGRAM, path, "the options for text are wrong")
    require(1 <= options.word_length <= 1000, path, "the options for text are wrong")
    return options
