"""From a model, its file, or the results of a comparison to a page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from linnet.comparison import results_file
from linnet.comparison.results import Results
from linnet.data.features.schema import Task
from linnet.data.on_error import BadRows, OnError
from linnet.data.sources.formats import Form
from linnet.data.targets import LabelIndex
from linnet.errors import RecipeError
from linnet.model.file import load
from linnet.model.model import Model
from linnet.model.plane import two_columns
from linnet.model.point_sample import PointSample, PointSampling
from linnet.model.target_checks import unusable_for
from linnet.report.comparison_page import comparison_page
from linnet.report.model_page import Evaluation, model_page, names_of
from linnet.storage.atomic import replacing
from linnet.storage.outputs import claimed
from linnet.structured.model_kind import structure_of

Path = str | os.PathLike[str]
# A file of results begins with this, a model does not.
JSON = b"{"


def html(
    source: Model | Results | Path,
    data: Any = None,
    *,
    form: Form = None,
    rejected: BadRows | None = None,
    threads: int = 0,
) -> str:
    """The page of a model, of the results of a comparison, or of a file of either, as text.

    With `data`, which the model is evaluated on, the pictures are of that evaluation; otherwise they are of the rows
    that were held out in training.
    """
    if isinstance(source, Results):
        return comparison_page(_alone(source, data))
    if not isinstance(source, Model) and _is_json(source):
        return comparison_page(_alone(results_file.load(source), data))
    model = source if isinstance(source, Model) else _loaded(source)
    if data is None:
        return model_page(model)
    return model_page(model, _evaluated(model, data, form, rejected, threads))


def write(source: Model | Results | Path, path: Path, data: Any = None, **given: Any) -> None:
    """Write the page of a model or of a comparison to a file, whole or not at all; see `html`."""
    with claimed([path]):
        page = html(source, data, **given)
        with replacing(path, "w") as file:
            file.write(page)


def _is_json(path: Path) -> bool:
    """A model file is binary, and its first byte is a length."""
    with open(path, "rb") as file:
        return file.read(64).lstrip()[:1] == JSON


def _alone(results: Results, data: Any) -> Results:
    if data is not None:
        raise RecipeError("a comparison has its figures already: leave the data out")
    return results


def _loaded(path: Path) -> Model:
    structure = structure_of(path)
    if structure is not None:
        raise RecipeError(
            f"{os.fspath(path)} is a {structure}: reports are for models of linnet train; use linnet inspect"
        )
    return load(path)


def _evaluated(model: Model, data: Any, form: Form, rejected: BadRows | None, threads: int) -> Evaluation:
    rejected = BadRows(OnError.SKIP) if rejected is None else rejected
    result = model.evaluate(data, form, rejected, threads)
    notes = [str(each) for each in rejected.notes.values()] + list(rejected.findings.lines())
    if rejected.count:
        notes.insert(0, f"{rejected.count:,} rows of the data could not be read and were skipped")
    files = data if isinstance(data, list | tuple) else [data]
    named = all(isinstance(each, str | os.PathLike) for each in files) and files
    rows = f"{result.rows:,} rows" + (f" of {names_of(files)}" if named else "")
    return Evaluation(result, rows, _points(model, data, form), notes)


def _points(model: Model, data: Any, form: Form) -> PointSample | None:
    """A sample of the data, for a model of two numbers."""
    columns = two_columns(model)
    if columns is None or model.task is not Task.CLASSIFICATION or model.several or data in ("-", ["-"]):
        return None
    source, sampling = model.open(data, form, labelled=True), PointSampling()
    known, schema, loss = LabelIndex.of(model.classes or []), model.features.schema, model.record.recipe.loss
    for made in model.blocks(source, BadRows(OnError.SKIP), 0, lambda block: unusable_for(loss, block, model.features)):
        if made.block.rows:
            rows = model.rows(made.block, made.prepared)
            sampling.add(points_of(rows, columns), known.numbers(made.block, schema, frozen=True))
    return sampling.result()


def points_of(rows: Any, columns: Sequence[int]) -> Any:
    """Two columns of some rows."""
    matrix = rows.matrix()
    chosen = matrix[:, list(columns)]
    return np.ascontiguousarray(chosen.toarray() if hasattr(chosen, "toarray") else chosen, dtype=np.float64)
