"""Columns of numbers that enter by their logarithm: which, on what scale, and why.

A sum of money, a count, a duration or a concentration may have a few values that are many times the others.  As they
are, those few decide the weight of the column; by

    sign(x) log(1 + |x| / s)

equal ratios become equal steps, 0 stays 0, and every number has a value, the negative ones that come later included.
s is near the lower end of the positive values (their tenth percentile, as 1, 2 or 5 times a power of 10): above it
the transform is a logarithm, below it nearly linear.  Of a column that is negative as well, with tails on both sides,
s is half way up instead (the median of |x|), so that all but the tails stay what they are.

A column is transformed where, in the first rows (data/sources/sampling.py),

- enough values are different, and they span more than an order of magnitude
- no value is negative, the skewness is high, and that of the logarithm is much nearer to 0; or some are, and the same
  is true of the kurtosis
- the target agrees: alone, the logarithm explains it clearly better than the number does, and so do all logarithms
  together, beside the other numbers

Rows count by their weights, so that a row of weight k is k copies.  `--column NAME:log` asks for it, and
`--column NAME:number` forbids it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import copysign, expm1

import numpy as np
from numpy.typing import NDArray

from linnet.data.features import likelihoods
from linnet.data.features.likelihoods import standardised
from linnet.data.features.schema import Role, Schema, Task
from linnet.data.sources.block import Block, Numbers, Strings
from linnet.errors import RecipeError
from linnet.kernels.logarithm import signed_logs

Flat = NDArray[np.float64]
Table = NDArray[np.float64]

# The fraction of the positive values below the scale; of all values by their size, where some are negative.
LOWER_END, HALF_WAY = 0.1, 0.5
# Fewer rows, or fewer different values, show no tail.
FEWEST_ROWS, FEWEST_VALUES = 30, 10
# The largest value beside the scale, at least.
SPAN = 20.0
# The least skewness (an exponential distribution has 2), and the largest fraction of it that the logarithm may keep.
SKEWED, KEPT = 2.0, 0.5
# The least kurtosis of two tails: a normal distribution has 3, one with exponential tails on both sides 6.
HEAVY = 12.0
# How much likelier the target must be by the logarithm than by the number: a factor of 20, as a logarithm.
CLEARLY = 3.0
# The most rows and the most classes (the most frequent) that are looked at, and the most columns together.
MOST_ROWS, MOST_CLASSES, MOST_COLUMNS = 1000, 5, 100
# Beyond this an exponential is not a number.
LARGEST = 700.0


@dataclass(frozen=True)
class Log:
    """sign(x) log(1 + |x| / scale)."""

    scale: float

    def __call__(self, values: Flat) -> Flat:
        into = np.empty(len(values))
        signed_logs(np.ascontiguousarray(values, dtype=np.float64), self.scale, into)
        return into

    def undone(self, value: float) -> float:
        """The number that has this logarithm, without the digits that were rounded."""
        number = copysign(self.scale * expm1(min(abs(value), LARGEST)), value)
        return float(f"{number:.12g}")

    @staticmethod
    def name(column: str) -> str:
        return f"log({column})"


def read_as(given: Mapping[str, Role]) -> dict[str, Role]:
    """The roles that were given, as columns are read: a logarithm is of a number."""
    return {name: Role.NUMBER if role is Role.LOG else role for name, role in given.items()}


def chosen(schema: Schema, task: Task, sample: Block, given: Mapping[str, Role]) -> tuple[dict[str, Log], Schema]:
    """The logarithms by which columns enter, asked for or called for by these rows; and the schema with the reasons."""
    weights = _weights(schema, sample)
    logs: dict[str, Log] = {}
    tailed: dict[str, tuple[Flat, Tail]] = {}
    reasons, others = dict(schema.reasons), []
    for name in schema.having(Role.NUMBER):
        column = sample.columns.get(name)
        if not isinstance(column, Numbers) or given.get(name) not in (None, Role.LOG):
            continue
        use = np.isfinite(column.values) & (weights > 0)
        values, own = column.values[use], weights[use]
        taken = Log.name(name) in schema.roles
        if name in given and taken:
            raise RecipeError(f"there is a column {Log.name(name)!r}: {name!r} cannot enter by its logarithm beside it")
        if name in given:
            logs[name] = log = Log(_scale(values, own))
            reasons[name] = f"{reasons[name]}, as log(1 + x/{log.scale:g})"
        elif not taken and (tail := _tail(values, own)) is not None:
            tailed[name] = column.values, tail
        else:
            others.append(column.values)
    if tailed:
        pairs = [(values, tail.log) for values, tail in tailed.values()]
        confirmed = _confirmed(pairs, others, _outcomes(schema, task, sample), weights)
        for (name, (_, tail)), confirms in zip(tailed.items(), confirmed, strict=True):
            if confirms:
                logs[name], reasons[name] = tail.log, f"{reasons[name]}, {tail}"
    return {name: logs[name] for name in schema.roles if name in logs}, replace(schema, reasons=reasons)


def _weights(schema: Schema, sample: Block) -> Flat:
    """How often each row counts; not at all where its weight is not one."""
    column = sample.columns.get(schema.only(Role.WEIGHT) or "")
    if not isinstance(column, Numbers):
        return np.ones(sample.rows)
    return np.where(np.isfinite(column.values), np.maximum(column.values, 0.0), 0.0)


@dataclass(frozen=True)
class Tail:
    """The logarithm that a column with a tail calls for, and what it does to the measure of the tail."""

    log: Log
    measure: str
    before: float
    after: float

    def __str__(self) -> str:
        shape = "log(1 + x/{})" if self.measure == "skewness" else "± log(1 + |x|/{})"
        return (
            f"as {shape.format(f'{self.log.scale:g}')}: the {self.measure} falls from {self.before:.1f} to "
            f"{self.after:.1f}"
        )


def _scale(values: Flat, weights: Flat, below: float = LOWER_END) -> float:
    """Where this fraction of the positive values is below: 1, 2 or 5 times a power of 10; 1 where there are none."""
    positive = values > 0
    if not positive.any():
        return 1.0
    order = np.argsort(values[positive])
    reached = np.cumsum(weights[positive][order])
    lower = float(values[positive][order][np.searchsorted(reached, below * reached[-1])])
    digits, exponent = f"{lower:e}".split("e")
    lead = next(each for each in (5, 2, 1) if float(digits) >= each)
    return max(float(f"{lead}e{exponent}"), float(np.finfo(np.float64).tiny))


def _tail(values: Flat, weights: Flat) -> Tail | None:
    """The tail of a column that a logarithm is for, if it has one: above, or on both sides."""
    total = float(weights.sum())
    if total < FEWEST_ROWS:
        return None
    two_sided = bool((values < 0).any())
    log = Log(_scale(np.abs(values), weights, HALF_WAY) if two_sided else _scale(values, weights))
    if not float(np.abs(values).max()) / log.scale >= SPAN or len(np.unique(values)) < FEWEST_VALUES:
        return None
    measure, power, least = ("kurtosis", 4, HEAVY) if two_sided else ("skewness", 3, SKEWED)
    before = _moment(values, weights / total, power)
    if not before >= least:
        return None
    after = _moment(log(values), weights / total, power)
    return Tail(log, measure, before, after) if abs(after) <= KEPT * before else None


def _moment(values: Flat, fractions: Flat, power: int) -> float:
    """The third moment beside the second, or the fourth."""
    values = values / (float(np.abs(values).max()) or 1.0)  # so that no power leaves the range of numbers
    off = values - float(fractions @ values)
    return float(fractions @ off**power) / (float(fractions @ off**2) ** (power / 2) or 1.0)


# -- what the target says ----------------------------------------------------------------------------------------------


def _outcomes(schema: Schema, task: Task, sample: Block) -> Table:
    """The target of each row, missing where it is: a number, or for each of the most frequent classes whether it is
    that one; of two classes only the first."""
    column = sample.columns[schema.target or ""]
    if task is Task.REGRESSION:
        given = column.values if isinstance(column, Numbers) else np.full(len(column), np.nan)
        return np.where(np.isfinite(given), given, np.nan)[:, np.newaxis]
    names = np.array(column.strings() if isinstance(column, Strings) else column.values)
    classes, which, counts = np.unique(names, return_inverse=True, return_counts=True)
    most = np.argsort(-counts, kind="stable")[: MOST_CLASSES if len(classes) > 2 else 1]
    return np.asarray(which[:, np.newaxis] == most, dtype=np.float64)


def _confirmed(columns: list[tuple[Flat, Log]], others: list[Flat], outcomes: Table, weights: Flat) -> list[bool]:
    """Whether each column explains the target clearly better by its logarithm than as it is: alone, and all of those
    that do together, beside the others."""
    use = np.flatnonzero((weights > 0) & np.isfinite(outcomes).all(axis=1))[:MOST_ROWS]
    w, y = weights[use], outcomes[use]
    if not len(w):
        return [False] * len(columns)
    plain = np.column_stack([standardised(values[use], w) for values, _ in columns])
    logs = np.column_stack([standardised(log(values[use]), w) for values, log in columns])
    binary = bool(((y == 0) | (y == 1)).all())
    alone = likelihoods.logistic if binary else likelihoods.squared
    together = likelihoods.logistic_jointly if binary else likelihoods.squared_jointly
    gained = np.sum([alone(plain, each, w) - alone(logs, each, w) for each in y.T], axis=0) > CLEARLY
    if gained.any():
        beside = [standardised(values[use], w) for values in others]
        both = [np.column_stack([np.where(gained, each, plain), *beside])[:, :MOST_COLUMNS] for each in (plain, logs)]
        if not sum(together(both[0], each, w) - together(both[1], each, w) for each in y.T) > CLEARLY:
            gained[:] = False
    return [bool(each) for each in gained]
