"""The files of a comparison: RESULTS.json, the same bytes for the same data and options, and RESULTS.costs.json."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Any

from linnet.comparison.results import Costs, Results
from linnet.errors import InputError
from linnet.storage.atomic import replacing
from linnet.storage.typed_json import from_plain, to_plain

FORMAT, COSTS_FORMAT = "linnet comparison", "linnet comparison, costs"
VERSION = 1
# No results are larger: those of a hundred learners on a hundred data sets have some 10 MB.
LARGEST = 1 << 30


def costs_path(path: str) -> str:
    """Where the costs are, beside the results."""
    return f"{path.removesuffix('.json')}.costs.json"


def partial_path(path: str) -> str:
    """Where finished trials are kept until the results are written."""
    return f"{path}.partial"


def save(results: Results, path: str | os.PathLike[str]) -> None:
    """Write the results, and what they cost, if that is known."""
    name = os.fspath(path)
    if results.costs is not None:
        _write(costs_path(name), COSTS_FORMAT, results.costs)
    _write(name, FORMAT, results)


def load(path: str | os.PathLike[str]) -> Results:
    """Results that `linnet compare -o` wrote, with their costs if that file is there; nothing in them is believed."""
    name = os.fspath(path)
    results: Results = _read(name, FORMAT, Results)
    beside = costs_path(name)
    costs = _read(beside, COSTS_FORMAT, Costs) if os.path.exists(beside) else None
    return replace(results, costs=costs)


def is_one(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as results do."""
    with open(path, "rb") as file:
        return file.read(64).startswith(f'{{"format": "{FORMAT}", '.encode())


def as_plain(results: Results) -> dict[str, Any]:
    """The results as JSON holds them."""
    return {"format": FORMAT, "version": VERSION, **to_plain(results)}


def _write(path: str, form: str, content: Any) -> None:
    plain = {"format": form, "version": VERSION, **to_plain(content)}
    with replacing(path) as file:
        file.write(json.dumps(plain, allow_nan=False).encode("ascii") + b"\n")


def _read(path: str, form: str, kind: Any) -> Any:
    what = "the results of a comparison" if form == FORMAT else "the costs of a comparison"
    try:
        with open(path, "rb") as file:
            text = file.read(LARGEST + 1)
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    try:
        if len(text) > LARGEST:
            raise ValueError("it is too large")
        plain = json.loads(text)
        if not isinstance(plain, dict) or plain.pop("format", None) != form:
            raise TypeError(f"it is not {what}")
        if plain.pop("version", None) != VERSION:
            raise TypeError("it was written by another version of linnet")
        return from_plain(kind, plain, "results")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(f"{path} is not {what} that can be read: {error}") from None
