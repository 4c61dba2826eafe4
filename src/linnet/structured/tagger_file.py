"""A tagger as a file and back: what is in it, and everything that is checked before any of it is believed."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ModelFileError
from linnet.kernels.tagging_checks import MOST_TAGS
from linnet.kernels.tagging_trigrams import MOST_TRIGRAM_TAGS
from linnet.model.file_checks import Tensors, a_list, a_text, require
from linnet.storage import container
from linnet.storage.typed_json import from_plain, to_plain
from linnet.structured.gazetteers import normal_lists
from linnet.structured.sentence_files import MOST_COLUMNS
from linnet.structured.tag_schemes import LETTERS, OUTSIDE, Scheme, is_span_tag
from linnet.structured.tagger import Tagger, TaggerRecord
from linnet.structured.templates import Templates
from linnet.structured.token_atoms import WordLists

STRUCTURE = "tagger"
METRICS = ("accuracy", "span F1")
# Beyond what training gives; a forbidden transition has -1e30.
LARGEST_WEIGHT = 1e31


def save(tagger: Tagger, path: str | os.PathLike[str]) -> None:
    """Write a tagger; the file appears whole or not at all."""
    content = {
        "structure": STRUCTURE,
        "templates": list(tagger.templates.texts),
        "columns": list(tagger.templates.columns),
        "tags": list(tagger.tags),
        "scheme": str(tagger.scheme),
        "word": tagger.word,
        "target": tagger.target,
        "clusters": dict(tagger.lists.clusters),
        "gazetteers": {name: sorted(entries) for name, entries in tagger.lists.gazetteers.items()},
        "record": to_plain(tagger.record),
    }
    narrow = np.uint8 if len(tagger.tags) <= 256 else np.int32
    tensors: Tensors = {
        "keys": tagger.keys,
        "counts": np.diff(tagger.rows).astype(np.uint32),
        "tags": tagger.entry_tags.astype(narrow),
        "weights": tagger.weights,
        "between": tagger.between,
        "names": tagger.names,
        "dictionary": tagger.dictionary,
        "dictionary_tags": tagger.dictionary_tags,
        "known_words": tagger.known_words,
    }
    if tagger.triples is not None:
        tensors["triples"] = tagger.triples
    container.write(path, "model", content, tensors)


def load(path: str | os.PathLike[str]) -> Tagger:
    """Read a tagger; safe for files of unknown authors: one ModelFileError for anything that is wrong."""
    content, tensors = container.read(path, "model")
    name = os.fspath(path)
    if content.get("structure") != STRUCTURE:
        what = content.get("structure")
        kind = "parser: use linnet parse for it" if what == "parser" else "model of linnet train, not a tagger"
        raise ModelFileError(f"{name}: is a {kind}")
    try:
        return _tagger(content, tensors, name)
    except ModelFileError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise ModelFileError(f"{name}: is not a tagger that linnet wrote: {error!r}") from None


def _tagger(content: dict[str, Any], tensors: Tensors, path: str) -> Tagger:
    texts, columns = (tuple(map(a_text, a_list(content[name]))) for name in ("templates", "columns"))
    tags, scheme = tuple(map(a_text, a_list(content["tags"]))), Scheme(content["scheme"])
    require(0 < len(tags) <= MOST_TAGS and len(set(tags)) == len(tags), path, "the tags are not distinct")
    require(len(set(columns)) == len(columns) <= MOST_COLUMNS, path, "the columns are not distinct, or too many")
    require(all(tags) and not any(set(tag) & set("\t\r\n") for tag in tags), path, "a tag cannot be written")
    spans = all(is_span_tag(tag) and (tag == OUTSIDE or tag[0] in LETTERS[Scheme.IOBES]) for tag in tags)
    require(scheme is Scheme.NONE or spans, path, "tags and scheme do not agree")
    keys, rows, entry_tags, weights = _weights(tensors, len(tags), path)
    between = _array(tensors, "between", np.float32, 2)
    require(between.shape == (len(tags) + 1, len(tags) + 1), path, "transitions and tags differ in number")
    require(_moderate(between), path, "a transition has a weight that is too large")
    names = _array(tensors, "names", np.uint8)
    named = int((names == ord("\n")).sum()) + 1 if len(keys) else 0
    require(named == len(keys), path, "features and their names differ in number")
    dictionary, dictionary_tags = _array(tensors, "dictionary", np.uint64), _array(tensors, "dictionary_tags", np.int32)
    require(len(dictionary) == len(dictionary_tags), path, "the dictionary is damaged")
    require(_rising(dictionary) and not (dictionary == 0).any(), path, "the dictionary is not sorted")
    require(_within(dictionary_tags, len(tags)), path, "the dictionary has a tag that is not there")
    known = _array(tensors, "known_words", np.uint64)
    require(_rising(known), path, "the known words are not sorted")
    record: TaggerRecord = from_plain(TaggerRecord, content["record"], "record")
    record.history.check()
    if record.mistakes is not None:
        record.mistakes.check()
    require(record.metric in METRICS, path, "the metric of the training is unknown")
    return Tagger(
        Templates(texts, columns), tags, scheme, a_text(content["word"]), a_text(content["target"]), keys, rows,
        entry_tags, weights, between, names, dictionary, dictionary_tags, known, _lists(content), record,
        _triples(tensors, len(tags), path),
    )  # fmt: skip


def _weights(tensors: Tensors, tags: int, path: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The features, where the weights of each begin, and the tags and values of the weights."""
    keys, counts = _array(tensors, "keys", np.uint64), _array(tensors, "counts", np.uint32)
    entry_tags, weights = tensors["tags"], _array(tensors, "weights", np.float32)
    require(entry_tags.dtype in (np.uint8, np.int32) and entry_tags.ndim == 1, path, "the tags of weights are damaged")
    entry_tags = entry_tags.astype(np.int32)
    rows = np.concatenate([[0], np.cumsum(counts.astype(np.int64))]).astype(np.int64)
    require(len(keys) == len(counts) and rows[-1] == len(entry_tags) == len(weights), path, "weights are not complete")
    require(bool((keys != 0).all()) and len(np.unique(keys)) == len(keys), path, "features are not distinct")
    require(_within(entry_tags, tags), path, "a weight is of a tag that is not there")
    require(_moderate(weights), path, "a weight is too large")
    return keys, rows, entry_tags, weights


def _triples(tensors: Tensors, tags: int, path: str) -> NDArray[np.float32] | None:
    """The weights of three tags in a row, which a tagger of second order has."""
    if "triples" not in tensors:
        return None
    triples = _array(tensors, "triples", np.float32, 3)
    require(tags <= MOST_TRIGRAM_TAGS, path, "a tagger of second order has too many tags")
    require(triples.shape == (tags + 1, tags + 1, tags + 1), path, "trigrams and tags differ in number")
    require(_moderate(triples), path, "a trigram has a weight that is too large")
    return triples


def _lists(content: dict[str, Any]) -> WordLists:
    clusters = {a_text(word): a_text(bits) for word, bits in content["clusters"].items()}
    gazetteers = {a_text(name): map(a_text, a_list(entries)) for name, entries in content["gazetteers"].items()}
    return WordLists(clusters, normal_lists(gazetteers))


def _array(tensors: Tensors, name: str, dtype: Any, dimensions: int = 1) -> NDArray[Any]:
    array = tensors[name]
    if array.dtype != dtype or array.ndim != dimensions:
        raise TypeError(f"{name} has the wrong type")
    return np.ascontiguousarray(array)


def _moderate(weights: NDArray[np.float32]) -> bool:
    """Whether no sum of these overflows; False where one is not a number."""
    return bool(np.abs(weights).max(initial=0.0) <= LARGEST_WEIGHT)


def _within(numbers: NDArray[np.int32], end: int) -> bool:
    return not len(numbers) or (int(numbers.min()) >= 0 and int(numbers.max()) < end)


def _rising(numbers: NDArray[Any]) -> bool:
    return bool((numbers[1:] > numbers[:-1]).all())
