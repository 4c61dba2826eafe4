"""Separation: logistic regression without a penalty has a finite optimum only where the classes overlap.

With s_i = 1 or -1 the class of row i and z_i = (x_i, 1), the loss falls without end along any v that has
s_i z_i . v >= 0 for all rows and > 0 for at least one (Albert, Anderson 1984).  The separation is complete if all
products are > 0, otherwise quasi-complete.  Four tests, in this order (separating_directions.py):

    the fit       s_i (w . x_i + b) > 0 for all rows: the fitted plane separates them
    multipliers   l_i > 0 with sum_i l_i s_i z_i = 0 prove overlap.  They are found by a Newton step
    programme     a linear programme decides, and names the columns that separate (Konis 2007)
    divergence    for data too large for the programme: a last Newton step that still gains half a margin

Collinear columns are reported too.  With them the optimum is finite, but not unique.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linnet.cores import one_thread
from linnet.data.rows import Examples
from linnet.learners.linear import LinearModel
from linnet.theory.collinearity import collinear_columns
from linnet.theory.separating_directions import Flat, ManyClasses, SignedRows, TwoClasses, large
from linnet.theory.separating_directions import Kind as Kind
from linnet.training.reduction import problems

# A separated row gains a margin of 1 by every Newton step: less than half of it proves overlap.
HALF_A_MARGIN = 0.5


@dataclass(frozen=True)
class Limits:
    """The largest problems that are examined.

    `columns` (times classes - 1) bounds the tables of a Newton step, `entries` the stored values of a linear programme.
    """

    columns: int = 2000
    entries: int = 1 << 20


LIMITS = Limits()


@dataclass(frozen=True)
class Separation:
    """The kind of separation, how it was established, the columns that separate, and the collinear columns.

    `between` names the classes, where several classes were fitted one against the rest or in pairs.
    """

    kind: Kind
    method: str
    features: tuple[str, ...] = ()
    collinear: tuple[str, ...] = ()
    between: str = ""

    @property
    def separated(self) -> bool:
        """Whether there is no finite optimum, proven or suspected."""
        return self.kind in (Kind.QUASI, Kind.COMPLETE, Kind.SUSPECTED)

    def __str__(self) -> str:
        words = {
            Kind.OVERLAP: "the classes overlap",
            Kind.QUASI: "the classes are quasi-completely separated",
            Kind.COMPLETE: "the classes are completely separated",
            Kind.SUSPECTED: "the classes seem to be separated",
            Kind.UNKNOWN: "whether the classes are separated is unknown",
        }
        by = f" by {_listed(self.features)}" if self.features else ""
        collinear = f"; collinear columns: {_listed(self.collinear)}" if self.collinear else ""
        between = f"{self.between}: " if self.between else ""
        return f"{between}{words[self.kind]}{by} ({self.method}){collinear}"


@one_thread()
def examine_model(examples: Examples, model: LinearModel, *, intercept: bool, limits: Limits = LIMITS) -> Separation:
    """The separation of the classes, jointly or in each of the problems that were solved; the worst of these."""
    assert model.classes is not None
    w, b, classes = model.weights, model.intercepts, model.classes
    solved = problems(len(classes), model.reduction)
    if solved[0].positive is None:
        return _all_classes(examples, w, b, intercept, limits)
    found = []
    for number, problem in enumerate(solved):
        members, weights = problem.members(examples.targets, len(classes)), examples.weights
        if members is not None:
            weights = members.astype(np.float64) if weights is None else members * weights
        rows, positive = replace(examples, weights=weights), problem.positive or 0
        each = _one_class(rows, float(positive), w[:, number], float(b[number]), intercept, limits)
        if len(solved) > 1:
            other = "the rest" if problem.negative is None else str(classes[problem.negative])
            each = replace(each, between=f"{classes[positive]} against {other}")
        found.append(each)
    return min(found, key=lambda each: (not each.separated, each.kind is not Kind.UNKNOWN))


def _one_class(examples: Examples, positive: float, w: Flat, b: float, intercept: bool, limits: Limits) -> Separation:
    """One class against the others, given the weights of an unpenalised fit."""
    rows = TwoClasses(examples, positive, intercept)
    return _examined(rows, rows.signs * (rows.matrix @ w + b), np.abs(w), limits)


def _all_classes(examples: Examples, w: Flat, b: Flat, intercept: bool, limits: Limits) -> Separation:
    """All classes jointly, given the (d, classes) weights of an unpenalised softmax."""
    rows = ManyClasses(examples, len(b), intercept)
    scores = np.asarray(rows.matrix @ w + b)
    leads = scores[np.arange(len(scores)), rows.classes, np.newaxis] - scores
    return _examined(rows, leads[rows.rivals], w.max(axis=1) - w.min(axis=1), limits)


def _examined(rows: SignedRows, margins: Flat, sizes: Flat, limits: Limits) -> Separation:
    """By the margins of the fit and the sizes of its weights, one a column."""
    intercept, d = rows.intercept, rows.examples.rows.shape[1]
    sizes = sizes * rows.scales[:d]
    if rows.dimensions > limits.columns:
        if margins.min() > 0:
            return Separation(Kind.COMPLETE, rows.shown_by, rows.names(large(sizes)))
        return Separation(Kind.UNKNOWN, f"more than {limits.columns} {rows.limited}")
    dropped = collinear_columns(rows.examples, intercept=intercept)
    kept = np.setdiff1d(np.arange(d), dropped)
    collinear = rows.names(dropped)
    small = rows.entries <= limits.entries
    if margins.min() > 0:
        found = rows.fewest_columns(kept) if small else None
        columns = large(sizes) if found is None else found
        return Separation(Kind.COMPLETE, rows.shown_by, rows.names(columns), collinear)
    step, gain = rows.newton(margins, kept)
    if gain < HALF_A_MARGIN:
        return Separation(Kind.OVERLAP, "shown by dual multipliers", (), collinear)
    if small:
        kind, columns = rows.programme(kept)
        method = "a linear programme failed" if kind is Kind.UNKNOWN else "shown by a linear programme"
        return Separation(kind, method, rows.names(columns), collinear)
    columns = kept[large(rows.by_column(step, len(kept)))]
    return Separation(
        Kind.SUSPECTED, "suggested by a divergence test, which is not a proof", rows.names(columns), collinear
    )


def _listed(names: tuple[str, ...], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
