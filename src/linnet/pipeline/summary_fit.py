"""A fit without a penalty whose coefficients have standard errors: each column of categories compared with a level.

One column a category and an intercept are collinear, so of each column of categories the most frequent level (the first
of equally frequent ones) is left out: it has the weight 0, and the others are differences from it.  Crosses leave out
what has such a level in it.  Missing numbers count as the mean, and a flag says so if there are any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.dates import DateTerm
from linnet.data.features.feature_map import Features
from linnet.data.features.terms import CROSS, CategoryTerm, CrossTerm, NumberTerm
from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.errors import InputError, option
from linnet.learners.linear import LinearModel
from linnet.pipeline.dataset import TrainingSet
from linnet.pipeline.scaling import Scaling
from linnet.theory.collinearity import collinear_columns
from linnet.theory.fit_summary import FitSummary, of_classes, of_numbers
from linnet.theory.inference import COLUMNS_AT_MOST, INTERCEPT, Estimates, logistic_estimates, squares_estimates
from linnet.theory.separation import examine_model
from linnet.training.result import Trained

Flat = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Design:
    """The features that have a coefficient, and the reference level of each column of categories.

    Features are `aliased` that can be had from those before them, or are constant: they have no coefficient.
    """

    kept: NDArray[np.int64]
    references: dict[str, str]
    aliased: tuple[str, ...] = ()

    @classmethod
    def of(cls, features: Features, rows: Rows, weights: Flat | None) -> Design:
        """Of these rows; a feature that none of them has is left out, too."""
        counts = _counts(rows, weights)
        kept, references, taken = counts > 0, {}, []
        first = 0
        for term in features.terms:
            if isinstance(term, CategoryTerm) and len(term):
                number = int(counts[first : first + len(term)].argmax())
                kept[first + number] = False
                name = term.name(number)
                taken.append(name)
                references[term.columns[0]] = name.removeprefix(f"{term.columns[0]}=")
            elif isinstance(term, DateTerm):
                for number, _ in term.numbers:  # where all dates are of one year, that says nothing
                    kept[first + number] &= not _constant(rows, first + number)
                for name, part in term.groups:
                    number = part.start + int(counts[first + part.start : first + part.stop].argmax())
                    kept[first + number] = False
                    references[name] = term.name(number).rpartition("=")[2]
            elif isinstance(term, NumberTerm):
                kept[first] = True  # aliased where it is constant
            first += len(term)
        first = 0
        for term in features.terms:
            if isinstance(term, CrossTerm):
                for number in range(len(term)):
                    name = f"{CROSS}{term.name(number)}{CROSS}"
                    if any(f"{CROSS}{level}{CROSS}" in name for level in taken):
                        kept[first + number] = False
            first += len(term)
        return cls(np.flatnonzero(kept), references)

    def without(self, columns: NDArray[np.int64], names: tuple[str, ...]) -> Design:
        """The design without some of its columns, which have these names."""
        return replace(self, kept=np.delete(self.kept, columns), aliased=(*self.aliased, *names))

    def of_rows(self, rows: Rows, names: tuple[str, ...]) -> Rows:
        """The rows, with these columns alone."""
        made = Rows.of(rows.matrix()[:, self.kept], names)
        resolution = None if rows.resolution is None else rows.resolution[self.kept]
        return replace(made, resolution=resolution)


def _constant(rows: Rows, column: int) -> bool:
    """Whether all rows that have this column have one value of it."""
    values = rows.matrix()[:, [column]]
    there = values.data if hasattr(values, "indptr") else np.asarray(values)[np.asarray(values) != 0]
    return not len(there) or bool((there == there[0]).all())


def _counts(rows: Rows, weights: Flat | None) -> Flat:
    """How many rows have each column, by their weights."""
    table = rows.matrix() != 0
    w = np.ones(rows.shape[0]) if weights is None else weights
    return np.asarray(table.astype(np.float64).T @ w).reshape(-1)


@dataclass(frozen=True, eq=False)
class Summarised:
    """The fit with its weights at the optimum, on the scale of the rows, and its summary in units of the columns."""

    trained: Trained
    summary: FitSummary


def summarised(
    data: TrainingSet,
    rows: Rows,
    raw: Rows,
    scaling: Scaling | None,
    fitting: Callable[[Examples], Trained],
) -> Summarised:
    """Fit these rows (`raw` are those before they were scaled), and estimate the errors of the coefficients."""
    features = data.features
    if features.text_features().any():
        raise _refused(
            "are not for text, which has more words than rows can determine",
            f"leave its column out ({option('columns')})",
        )
    weights = _frequencies(data.weights)
    design = Design.of(features, raw, weights)
    design, examples = _determined(features, design, Examples(rows, data.targets, weights), len(data.labels or ()))
    names = examples.rows.names
    trained = fitting(examples)
    if data.labels is not None:
        _check_overlap(examples, trained.model)
    found = _estimates(examples, trained.model, data.labels)
    table = found.at.reshape(-1, len(names) + 1)
    expanded = _expanded(trained.model, table, design, len(features))
    summary = FitSummary(
        *_in_units(found, table.shape, scaling, design, names, data.labels),
        rows=found.rows,
        degrees=found.degrees,
        references=design.references,
        aliased=design.aliased,
        note=_note(found, data.labels, weighted=weights is not None),
        **_fit_figures(examples, table, data.labels),
    )
    return Summarised(replace(trained, model=expanded), summary)


def _note(found: Estimates, labels: Labels | None, *, weighted: bool) -> str:
    """What the coefficients are of, and how it was fitted."""
    parts = [found.note, "no penalty", *(["weights of rows are numbers of copies"] if weighted else [])]
    if labels is not None:
        first, *_, last = labels.classes.tolist()
        parts.insert(0, f"log-odds of {last} against {first}" if len(labels) == 2 else f"log-odds against {last}")
    return "; ".join(parts)


def _refused(why: str, remedy: str = "") -> InputError:
    return InputError(f"standard errors {why}: {remedy + ', or ' if remedy else ''}leave out {option('summary')}")


def _frequencies(weights: Flat | None) -> Flat | None:
    """The weights, which must be numbers of copies."""
    if weights is not None and (weights != np.floor(weights)).any():
        raise _refused("need weights that are numbers of copies, and some are not whole numbers")
    return weights


def _determined(features: Features, design: Design, examples: Examples, classes: int) -> tuple[Design, Examples]:
    """The design without collinear columns, and its rows; refuse what has no standard errors, before it is fitted."""

    def rows_of(design: Design) -> Examples:
        names = tuple(features.names_of(design.kept.tolist()))
        return replace(examples, rows=design.of_rows(examples.rows, names))

    chosen = rows_of(design)
    size = chosen.rows.shape[1] * max(1, classes - 1)
    if size > COLUMNS_AT_MOST:
        raise _refused(f"are for at most {COLUMNS_AT_MOST:,} coefficients, and there are {size:,}", "leave columns out")
    collinear = collinear_columns(chosen, intercept=True)
    if len(collinear):
        design = design.without(collinear, tuple(chosen.rows.names[j] for j in collinear.tolist()))
        chosen = rows_of(design)
    if chosen.total_weight <= chosen.rows.shape[1] + 1:
        asked = len(design.kept) + len(design.aliased) + 1
        raise _refused(
            f"need more rows than coefficients, and there are {chosen.total_weight:g} rows for {asked:,}",
            "leave columns out",
        )
    return design, chosen


def _check_overlap(examples: Examples, model: LinearModel) -> None:
    found = examine_model(examples, model, intercept=True)
    if found.separated:
        raise _refused(
            f"do not exist, for there is no finite optimum without a penalty ({replace(found, collinear=())})"
        )


def _estimates(examples: Examples, model: LinearModel, labels: Labels | None) -> Estimates:
    w, b = model.weights, model.intercepts
    if labels is None:
        return squares_estimates(examples, w[:, 0], float(b[0]), intercept=True)
    if len(labels) == 2:
        return logistic_estimates(examples, w, b, [1], intercept=True)
    scored = list(range(len(labels) - 1))
    return logistic_estimates(examples, w[:, : len(scored)], b[: len(scored)], scored, intercept=True)


def _expanded(model: LinearModel, table: Flat, design: Design, features: int) -> LinearModel:
    """The model of all features with these coefficients: 0 for those that are left out, and for the reference class."""
    weights, intercepts = np.zeros((features, len(model.intercepts))), np.zeros(len(model.intercepts))
    weights[design.kept, : len(table)], intercepts[: len(table)] = table[:, :-1].T, table[:, -1]
    return replace(model, weights=weights, intercepts=intercepts)


def _in_units(
    found: Estimates,
    shape: tuple[int, ...],
    scaling: Scaling | None,
    design: Design,
    names: tuple[str, ...],
    labels: Labels | None,
) -> tuple[tuple[str, ...], tuple[float, ...], tuple[float, ...]]:
    """Names, coefficients and standard errors for columns as they are: b - w . c / u and w / u for (x - c) / u."""
    outputs, width = shape
    units, shift = np.ones(width), np.append(np.zeros(width - 1), 1.0)
    if scaling is not None:
        units[:-1] = scaling.units[design.kept]
        shift[:-1] = -scaling.centres[design.kept] / units[:-1]
    estimates, errors = found.at.reshape(shape).copy(), np.empty(shape)
    for k in range(outputs):
        covariance = found.covariance[k * width : (k + 1) * width, k * width : (k + 1) * width]
        errors[k] = np.sqrt(covariance.diagonal()) / units
        errors[k, -1] = np.sqrt(shift @ covariance @ shift)
        estimates[k, -1] = shift @ estimates[k]
        estimates[k, :-1] /= units[:-1]
    columns: tuple[str, ...] = (*names, INTERCEPT)
    if labels is not None and len(labels) > 2:
        columns = tuple(f"{label}: {name}" for label in labels.classes[:-1].tolist() for name in columns)
    return columns, tuple(estimates.reshape(-1).tolist()), tuple(errors.reshape(-1).tolist())


def _fit_figures(examples: Examples, table: Flat, labels: Labels | None) -> dict[str, Any]:
    weights = np.ones(examples.rows.shape[0]) if examples.weights is None else examples.weights
    scores = np.asarray(examples.rows.matrix() @ table[:, :-1].T) + table[:, -1]
    if labels is None:
        return of_numbers(examples.targets - scores[:, 0], examples.targets, weights, table.size)
    codes = examples.targets.astype(np.int64)
    nothing = np.zeros((len(codes), 1))  # the score of the reference class, which of two is the first
    scores = np.hstack([nothing, scores] if len(labels) == 2 else [scores, nothing])
    own = scores[np.arange(len(codes)), codes] - np.logaddexp.reduce(scores, axis=1)
    return of_classes(own, np.bincount(codes, weights, len(labels)).astype(np.float64), weights, table.size)
