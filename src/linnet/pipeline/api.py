"""linnet.train: the command of the same name, from Python."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

from linnet.model.model import Model
from linnet.pipeline.declaration import checked, documentation, signature
from linnet.pipeline.train import TrainOptions
from linnet.pipeline.train import train as _train

_DOC = """Train a model on files, a data frame, a dictionary of columns, or arrays (X, y).

The options are those of `linnet train`; the same data and options give the same model, to the bit.

Parameters
----------
data : path, list of paths, data frame, dict of columns, or (X, y)
    The training data; paths may be globs, folders and compressed files.
{options}

Returns
-------
Model
    The trained model.

Examples
--------
>>> import linnet
>>> rows = {{"text": ["good film", "good fun", "bad film", "so bad"] * 10, "label": ["+", "+", "-", "-"] * 10}}
>>> model = linnet.train(rows, target="label")
>>> model.predict({{"text": ["good", "bad"]}})
['+', '-']
"""


def train(data: Any, target: str | None = None, **options: Any) -> Model:
    """Made below from the declaration of the options."""
    return _train(data, TrainOptions(target=target, **checked(TrainOptions, options)))


train.__doc__ = cleandoc(_DOC).format(options=documentation(TrainOptions))
train.__signature__ = signature(TrainOptions)  # type: ignore[attr-defined]
