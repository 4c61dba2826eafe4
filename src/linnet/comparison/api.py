"""linnet.compare: the command of the same name, from Python."""

from __future__ import annotations

import os
from collections.abc import Mapping
from inspect import Parameter, Signature, cleandoc
from typing import Any

from linnet.comparison.comparing import DataSet
from linnet.comparison.comparing import compare as _compare
from linnet.comparison.options import CompareOptions
from linnet.comparison.results import Results
from linnet.errors import RecipeError
from linnet.pipeline.declaration import documented, in_python
from linnet.pipeline.options import FEATURES, READING, TrainOptions

_DOC = """Compare learners on the same folds of a data set, or of several, with a statistical verdict.

Each contender is trained as `linnet train` would train it, on the training rows of every fold alone; copies of a row,
and rows of one group, are never in the training and the test rows of a fold.  The same data and options give the same
results, to the bit, for any number of jobs.

Parameters
----------
data : path, list of paths, data frame, dict of columns, or (X, y), optional
    The data set, as `linnet.train` takes it.
{options}
data_sets : dict of name to data, or to (data, target), optional
    Several data sets, in the place of `data`.
output : path, optional
    Write the results there, and what they cost beside them; until then finished trials are kept in OUTPUT.partial.

Returns
-------
Results
    `results.data` has the figures of each data set, `results.conclusion` what several come to, `results.costs` times
    and memory; `results.save(path)` writes them, and `linnet.comparison.load(path)` reads them.

Examples
--------
>>> import linnet
>>> rows = {{"x": [i % 17 for i in range(200)], "y": ["ab"[i % 17 > 8] for i in range(200)], "z": list(range(200))}}
>>> results = linnet.compare(rows, "y", learners=["logistic-regression", "perceptron"], folds=4, repeats=1, jobs=1)
>>> results.data[0].contenders[0].name
'logistic-regression'
"""

_OF_READING = ("target", "task", "seed")


def _chosen() -> list[Any]:
    """The options of a comparison, and those of reading and features that training has."""
    reading = [
        each
        for each in in_python(TrainOptions)
        if each.name in _OF_READING or (each.written.group in (FEATURES, READING) and each.name != "threads")
    ]
    return [reading[0], *in_python(CompareOptions), *reading[1:]]


def compare(
    data: Any = None,
    target: str | None = None,
    *,
    data_sets: Mapping[str, Any] | None = None,
    output: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Results:
    """Made below from the declaration of the options."""
    known = {each.name for each in _chosen()}
    for name in options:
        if name not in known:
            raise TypeError(f"compare() got an unexpected keyword argument {name!r}")
    own = {each.name for each in in_python(CompareOptions)}
    asked = CompareOptions(**{name: value for name, value in options.items() if name in own})
    reading = TrainOptions(target=target, **{name: value for name, value in options.items() if name not in own})
    path = None if output is None else os.fspath(output)
    return _compare(_data_sets(data, data_sets), reading, asked, path)


def _data_sets(data: Any, several: Mapping[str, Any] | None) -> list[DataSet]:
    if (data is None) == (several is None):
        raise RecipeError("give data, or data_sets, a dictionary of several by name")
    if several is None:
        name = os.path.basename(os.fspath(data)) if isinstance(data, str | os.PathLike) else "data"
        return [DataSet(name, data)]
    found = []
    for name, each in several.items():
        targeted = isinstance(each, tuple) and len(each) == 2 and isinstance(each[1], str)
        found.append(DataSet(str(name), each[0], each[1]) if targeted else DataSet(str(name), each))
    return found


def _parameters() -> list[Parameter]:
    made = [Parameter("data", Parameter.POSITIONAL_OR_KEYWORD, default=None)]
    for each in _chosen():
        kind = Parameter.POSITIONAL_OR_KEYWORD if each.name == "target" else Parameter.KEYWORD_ONLY
        made.append(Parameter(each.name, kind, default=each.default))
    return [*made, *(Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in ("data_sets", "output"))]


compare.__doc__ = cleandoc(_DOC).format(options=documented(_chosen()))
compare.__signature__ = Signature(_parameters())  # type: ignore[attr-defined]
