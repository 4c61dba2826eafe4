"""The weights of a model as a table: a line for every feature and output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.data.features.dates import DateTerm
from linnet.data.features.feature_map import Features, Term
from linnet.data.features.terms import CategoryTerm, NumberedTerm, NumberTerm, missing_name
from linnet.data.features.text import TextTerm

if TYPE_CHECKING:
    from linnet.model.model import Model

INTERCEPT = "(intercept)"
MISSING = "(missing)"
COLUMNS = ("feature", "column", "level", "label", "weight", "mean", "spread")


def coefficient_tables(model: Model) -> Iterator[dict[str, list[Any]]]:
    """For each output of the model, its intercept and the weights of all features: columns by name.

    `level` is the value of a category, the word of a text, `(missing)` for a missing value.  A missing number counts as
    its mean, and its flag has the weight of what is added to that: so the score is intercept + sum of weight × value.
    `mean` and `spread`, which is |weight| times the standard deviation, are of the training rows; words have no mean.
    """
    reasons, features = model.reasons, model.features
    names = [INTERCEPT, *features.names()]
    columns, levels = _origins(features)
    words = np.append(False, features.text_features())
    known = model.moments is not None
    means = [
        None if word or not known else mean
        for word, mean in zip(words.tolist(), [1.0, *reasons.moments.means.tolist()], strict=True)
    ]
    for number, label in enumerate(model.outputs()):
        weights = reasons.of_output(number)
        with np.errstate(over="ignore", invalid="ignore"):  # weights of a file may have any size
            spreads = np.nan_to_num(np.abs(weights) * reasons.moments.deviations).tolist()
        yield {
            "feature": names,
            "column": columns,
            "level": levels,
            "label": [label] * len(names),
            "weight": [float(model.linear.intercepts[number]), *weights.tolist()],
            "mean": means,
            "spread": [0.0, *(spreads if known else [None] * len(spreads))],
        }


def _origins(features: Features) -> tuple[list[str | None], list[str | None]]:
    """Column and level of every feature, after those of the intercept."""
    columns: list[str | None] = [None]
    levels: list[str | None] = [None]
    for term in features.terms:
        for number in range(len(term)):
            column, level = _origin(term, number)
            columns.append(column)
            levels.append(level)
    return columns, levels


def _origin(term: Term, number: int) -> tuple[str, str | None]:
    """The column that a feature is made of, and which of its values, if it is one."""
    name = term.name(number)
    if isinstance(term, NumberedTerm):
        return name, None
    column = "×".join(term.columns)
    if isinstance(term, NumberTerm):
        return column, MISSING if number else None
    if isinstance(term, CategoryTerm | DateTerm) and name == missing_name(column):
        return column, MISSING
    return column, name[len(column) + 1 :] if isinstance(term, CategoryTerm | TextTerm | DateTerm) else name
