"""What is measured of the columns: their number, zeros, missing values and scales."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.reasons import Fact
from linnet.comparison.row_sample import RowSample
from linnet.comparison.wording import percent, short
from linnet.data.features.feature_map import Features
from linnet.data.features.terms import CategoryTerm, missing_name
from linnet.kernels import sparse_entries
from linnet.pipeline.feature_moments import MomentSums

Flat = NDArray[np.float64]
Numbers = NDArray[np.int64]

# Scales that differ by more than this slow down learners that take columns as they are; more than that spoils them.
DIFFERENT, FAR_APART = 10.0, 100.0
# Categories among which the one for missing values is looked for.
MOST_CATEGORIES = 1 << 16


def entries_of_columns(sample: RowSample) -> Numbers:
    """How many rows have each feature."""
    counts: Numbers = np.asarray(sparse_entries.entries_by_column(sample.rows.ids, len(sample.features)))
    return counts.astype(np.int64)


def size_facts(sample: RowSample, counts: Numbers) -> list[Fact]:
    """Rows to a feature, and the fraction of zeros, over the features that any row has."""
    n, used = len(sample.targets), int((counts > 0).sum())
    if not used:
        return []
    each = sample.total / used
    text = f"{sample.total:,} rows and {used:,} features, {short(each)} rows to a feature{sample.note}"
    return [
        Fact("rows per feature", each, text, _of_rows(each, sample.total, used)),
        _sparsity(sample, counts, n, used),
    ]


def _of_rows(each: float, rows: int, used: int) -> str:
    if rows <= used + 1:
        return "a plane can fit any labels of so few rows: how strong the penalty is decides what is predicted"
    if each < 10:
        return "few rows for the weights to be fitted: the strength of the penalty matters, so tune it"
    if each < 100:
        return ""
    return "the weights are well determined: linear learners differ by their loss, hardly by their penalty"


def _sparsity(sample: RowSample, counts: Numbers, n: int, used: int) -> Fact:
    stored = int(np.count_nonzero(sample.rows.values))
    zeros = 1.0 - stored / (n * used)
    rare = int(((counts > 0) & (counts < 10)).sum())
    text = f"{percent(zeros)} of all values are 0; a row has {short(stored / n)} others on average{sample.note}"
    meaning = ""
    if zeros >= 0.9:
        text += f"; {rare:,} features are in fewer than 10 rows" if rare else ""
        meaning = "time goes by the values that are not 0; steps that adapt to each feature learn rare ones faster"
    return Fact("sparsity", zeros, text, meaning)


def missing_fact(sample: RowSample, counts: Numbers) -> Fact | None:
    """The fraction of missing values among columns of numbers, dates and categories; None where there are none such."""
    flags = _missing_flags(sample.features)
    if not flags:
        return None
    n = len(sample.targets)
    missing = {column: int(counts[number]) if number >= 0 else 0 for column, number in flags.items()}
    fraction = sum(missing.values()) / (n * len(missing))
    if fraction == 0:
        return Fact("missing values", 0.0, f"none in {len(missing):,} columns{sample.note}")
    worst = max(missing, key=lambda column: missing[column])
    several = sum(many > 0 for many in missing.values())
    text = f"{percent(fraction)} of all values, in {several:,} of {len(missing):,} columns{sample.note}; most in "
    text += f"{worst} ({percent(missing[worst] / n)})"
    meaning = "linear learners get a column that says so, so that being missing has a weight of its own"
    return Fact("missing values", fraction, text, meaning)


def _missing_flags(features: Features) -> dict[str, int]:
    """The feature for missing values of each column; -1 if it has none."""
    pairs = dict(features.number_features())
    found: dict[str, int] = {}
    for first, term in zip(accumulate(features.sizes, initial=0), features.terms, strict=False):
        if isinstance(term, CategoryTerm):
            name = missing_name(term.columns[0])
            among = range(len(term) if len(term) <= MOST_CATEGORIES else 0)
            found[term.columns[0]] = first + next((at for at in among if term.name(at) == name), -1 - first)
        elif hasattr(term, "numbers"):
            found[term.columns[0]] = pairs[first + term.numbers[0][0]]
    return found


def scales_fact(sample: RowSample) -> Fact | None:
    """The largest scale of a column over the smallest; None where all are text.

    The scale of a number is its standard deviation, that of another feature its largest size.
    """
    features = sample.features
    sizes = np.zeros(len(features))
    sparse_entries.largest(sample.rows.values, sample.rows.ids, sizes)
    sizes[features.text_features()] = 0.0
    pairs = np.array(list(features.number_features()), dtype=np.int64).reshape(-1, 2)
    if len(pairs):
        sums = MomentSums()
        sums.add(sample.rows, sample.weights)
        sizes[pairs[:, 1]] = 0.0
        sizes[pairs[:, 0]] = sums.moments(features).deviations[pairs[:, 0]]
    there = np.flatnonzero((sizes > 0) & np.isfinite(sizes))
    if not len(there):
        return None
    # of features of one scale, the numbers are named
    order = there[np.lexsort((there, sizes[there]))]
    smallest, largest = int(order[0]), int(order[-1])
    ratio = float(sizes[largest] / sizes[smallest])
    small, large = features.names_of([smallest, largest])
    if ratio <= 1.0:
        return Fact("scales", 1.0, f"all {len(there):,} columns have the scale {short(float(sizes[largest]))}")
    text = f"the largest is {short(ratio)} times the smallest: {large} {short(float(sizes[largest]))}, "
    text += f"{small} {short(float(sizes[smallest]))}{sample.note}"
    return Fact("scales", ratio, text, _of_scales(ratio, large))


def _of_scales(ratio: float, large: str) -> str:
    if ratio < DIFFERENT:
        return ""
    if ratio < FAR_APART:
        return "perceptrons and plain gradient steps take columns as they are, and need more passes"
    return (
        f"perceptrons, passive-aggressive and plain gradient steps take columns as they are, so {large} outweighs the "
        f"others; adaptive and batch learners bring columns to one scale first"
    )
