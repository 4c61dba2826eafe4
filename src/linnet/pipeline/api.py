"""linnet.train: the command of the same name, from Python."""

from __future__ import annotations

import sys
import warnings
from inspect import Parameter, cleandoc
from typing import Any

from linnet.errors import LinnetWarning, RecipeError, TaskWarning
from linnet.model.model import Model
from linnet.model.model_warnings import guessed_task, warnings_of
from linnet.model.plan import Plan
from linnet.pipeline.declaration import checked, documentation, signature
from linnet.pipeline.train import TrainOptions
from linnet.pipeline.train import train as _train

_DOC = """Train a model on files, a data frame, a dictionary of columns, or arrays (X, y).

The options are those of `linnet train`; the same data and options give the same model, to the bit.  What the command
prints is here `model.plan` (columns, roles and task, with reasons), `model.record` (rows read, held out and skipped,
figures), and a `LinnetWarning` for each of its warnings; a `TaskWarning` where the task was guessed.

Parameters
----------
data : path, list of paths, data frame, dict of columns, or (X, y)
    The training data; paths may be globs, folders and compressed files.
{options}
verbose : bool, optional
    Print the plan before training; where it is not given, in notebooks alone.

Returns
-------
Model
    The trained model.

Examples
--------
>>> import linnet
>>> rows = {{"text": ["good film", "good fun", "bad film", "so bad"] * 10, "label": ["+", "+", "-", "-"] * 10}}
>>> model = linnet.train(rows, target="label")
>>> model.predict(["good", "bad"]).tolist()
['+', '-']
"""


def train(data: Any, target: str | None = None, *, verbose: bool | None = None, **options: Any) -> Model:
    """Made below from the declaration of the options."""
    if target is not None and hasattr(target, "__len__") and not isinstance(target, str | tuple):
        raise RecipeError(
            f"target is the name of a column of the data, not a {type(target).__name__}: put the values into the "
            "table, or give arrays as (X, y)"
        )
    given = TrainOptions(target=target, **checked(TrainOptions, options))
    shown = _in_notebook() if verbose is None else verbose
    model = _train(data, given, show_plan=print if shown else _unprinted)
    for text in warnings_of(model):
        warnings.warn(text, TaskWarning if text == guessed_task(model) else LinnetWarning, stacklevel=2)
    return model


def _unprinted(_: Plan) -> None:
    pass


def _in_notebook() -> bool:
    """Whether output is shown beside the code that made it."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


train.__doc__ = cleandoc(_DOC).format(options=documentation(TrainOptions))
_signature = signature(TrainOptions)
_verbose = Parameter("verbose", Parameter.KEYWORD_ONLY, default=None)
train.__signature__ = _signature.replace(  # type: ignore[attr-defined]
    parameters=[*_signature.parameters.values(), _verbose]
)
