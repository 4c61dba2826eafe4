"""A parser as a file and back, with everything that is checked before any of it is believed."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from linnet.errors import ModelFileError
from linnet.kernels.parsing_checks import MOST_TEMPLATES
from linnet.model.file_checks import Tensors, a_list, a_text, require
from linnet.storage import container
from linnet.storage.typed_json import from_plain, to_plain
from linnet.structured.formats import CONLLU
from linnet.structured.parse_options import MOST_BEAM
from linnet.structured.parser_decoders import Decoder, decoder_named
from linnet.structured.parser_model import ParserModel, ParserRecord
from linnet.structured.parser_templates import MOST_ATOMS
from linnet.structured.projectivity import Label
from linnet.structured.treebank import TagColumns

KIND = "parser"
MOST_LABELS = 10_000
# Far beyond what training gives, and such that no sum of features overflows.
LARGEST_WEIGHT = 1e30
TYPES = {"keys": np.uint64, "starts": np.int64, "classes": np.uint32, "weights": np.float32, "allowed": np.uint8}


def save(model: ParserModel, path: str | os.PathLike[str]) -> None:
    """Write a parser; the file appears whole or not at all."""
    keys, starts, classes, weights = model.rows
    content = {
        "structure": KIND,
        "decoder": model.decoder.name,
        "beam": model.decoder.beam,
        "templates": [list(template) for template in model.decoder.templates],
        "columns": to_plain(model.columns),
        "labels": [list(label) for label in model.labels],
        "record": to_plain(model.record),
    }
    tensors: Tensors = {
        "keys": keys, "starts": starts, "classes": classes, "weights": weights, "allowed": model.allowed
    }  # fmt: skip
    container.write(path, "model", content, tensors)


def load(path: str | os.PathLike[str]) -> ParserModel:
    """Read a parser; safe for files of unknown authors: one ModelFileError for anything that is wrong."""
    name = os.fspath(path)
    content, tensors = container.read(name, "model")
    if content.get("structure") != KIND:
        kind = "a tagger" if content.get("structure") else "a model of rows"
        raise ModelFileError(f"{name}: is {kind}, not a parser: linnet parse train makes one")
    try:
        return _model(content, tensors, name)
    except ModelFileError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise ModelFileError(f"{name}: is not a parser that linnet wrote: {error!r}") from None


def _model(content: dict[str, Any], tensors: Tensors, path: str) -> ParserModel:
    for name, kind in TYPES.items():
        require(tensors[name].dtype == kind, path, f"{name} has another type")
    labels = _labels(content["labels"], path)
    columns: TagColumns = from_plain(TagColumns, content["columns"], "columns")
    named = (*columns.coarse, *columns.fine, *columns.morphology)
    require(bool(columns.coarse and columns.fine) and set(named) <= set(CONLLU), path, "a column is unknown")
    require(len(named) <= len(CONLLU), path, "a column is named too often")
    decoder = _decoder(content, path)
    allowed = np.ascontiguousarray(tensors["allowed"])
    require(allowed.shape == (2, len(labels)) and bool(allowed.any(axis=1).all()), path, "no label is allowed")
    weights = container.finite(tensors["weights"], "weights", path)
    require(
        weights.ndim == 1 and (not weights.size or np.abs(weights).max() <= LARGEST_WEIGHT), path, "a weight is huge"
    )
    rows = (tensors["keys"], tensors["starts"], tensors["classes"], weights)
    record: ParserRecord = from_plain(ParserRecord, content["record"], "record")
    record.history.check()
    return ParserModel(decoder, columns, labels, allowed, rows, record)


def _labels(content: Any, path: str) -> tuple[Label, ...]:
    found: list[Label] = []
    for relation, head in a_list(content):
        for text in (relation, *([] if head is None else [head])):
            # they are written into files of tabs and lines
            require(
                a_text(text) != "" and not set(text) & set("\t\n\r"), path, "a label is empty, or has a line end in it"
            )
        found.append((relation, head))
    require(0 < len(found) <= MOST_LABELS and len(set(found)) == len(found), path, "labels are missing or not distinct")
    return tuple(found)


def _decoder(content: dict[str, Any], path: str) -> Decoder:
    beam, templates = content["beam"], [tuple(map(a_text, a_list(each))) for each in a_list(content["templates"])]
    require(type(beam) is int and 1 <= beam <= MOST_BEAM, path, "the width of the beam is wrong")
    enough = 0 < len(templates) <= MOST_TEMPLATES and all(0 < len(each) <= MOST_ATOMS for each in templates)
    require(enough, path, "there are no templates, or too many, or one that is empty or too long")
    return decoder_named(a_text(content["decoder"]), beam, templates)
