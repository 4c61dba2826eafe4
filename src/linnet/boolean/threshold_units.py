"""Unit: a linear threshold unit with integer weights; and the smallest one for a truth table.

    minimise    Σ |w_j|
    subject to  w·φ(x) >= t       where the table is true
                w·φ(x) <= t - 1   where it is false,     w, t integers

by the branch and bound of HiGHS (scipy's milp).  The solution is rounded and checked in integers at every point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.boolean.function import Table
from linnet.errors import NumericalError

Columns = NDArray[np.int64]
SOLVED, OUT_OF_TIME, INFEASIBLE = 0, 1, 2


@dataclass(frozen=True)
class Unit:
    """True where weights · features >= threshold."""

    weights: tuple[int, ...]
    threshold: int
    smallest: bool = True

    def values(self, columns: Any) -> Table:
        """Its values at rows of features."""
        return np.asarray(np.asarray(columns) @ np.array(self.weights, dtype=np.int64) >= self.threshold)

    def holds(self, columns: Any, table: Table) -> bool:
        """Whether it equals the table at every point; integers, so exact."""
        return bool((self.values(columns) == table).all())

    def formula(self, names: Sequence[str]) -> str:
        """x1 + x2 - 2 x3 >= 2"""
        terms = [
            f"{'-' if w < 0 else '+'} {'' if abs(w) == 1 else f'{abs(w)} '}{name}"
            for w, name in zip(self.weights, names, strict=True)
            if w
        ]
        left = " ".join(terms).removeprefix("+ ") or "0"
        return f"{left.replace('- ', '-', 1) if left.startswith('- ') else left} >= {self.threshold}"


class NoUnitError(NumericalError):
    """No integer weights were found: there are none, or the time limit was reached first."""

    def __init__(self, *, proven: bool) -> None:
        super().__init__("no linear threshold unit was found")
        self.proven = proven


def smallest_unit(columns: Columns, table: Table, seconds: float = 60.0) -> Unit:
    """The unit of smallest Σ|w_j| over any features; not `smallest` if the time limit was reached."""
    d = columns.shape[1]
    signed = np.column_stack([columns, -columns, -np.ones(len(columns), dtype=np.int64)])
    lower, upper = np.where(table, 0.0, -np.inf), np.where(table, np.inf, -1.0)
    found, proven = _least(np.append(np.ones(2 * d), 0.0), signed, lower, upper, _bounds(2 * d), seconds)
    unit = Unit(tuple((found[:d] - found[d : 2 * d]).tolist()), int(found[-1]), proven)
    if not unit.holds(columns, table):
        raise NumericalError("the smallest weights are too large for floating point")
    return unit


def smallest_ordered_unit(least_true: Columns, most_false: Columns, n: int) -> Unit:
    """The unit with w_1 >= ... >= w_n >= 1 of smallest Σ w_j, and of these the one of smallest threshold.

    With such weights the minimal true points and the maximal false points are the only constraints.
    """
    falling = np.eye(n - 1, n, dtype=np.int64) - np.eye(n - 1, n, 1, dtype=np.int64)
    rows = np.vstack([least_true, most_false, falling])
    last = np.append(np.full(len(least_true) + len(most_false), -1), np.zeros(n - 1, dtype=np.int64))
    table = np.column_stack([rows, last])
    lower = np.concatenate([np.zeros(len(least_true)), np.full(len(most_false), -np.inf), np.zeros(n - 1)])
    upper = np.concatenate([np.full(len(least_true), np.inf), np.full(len(most_false), -1.0), np.full(n - 1, np.inf)])
    bounds = (np.append(np.ones(n), -np.inf), np.full(n + 1, np.inf))
    sizes = np.append(np.ones(n), 0.0)
    found, _ = _least(sizes, table, lower, upper, bounds)
    total = found[:n].sum()
    table, lower, upper = np.vstack([table, sizes]), np.append(lower, total), np.append(upper, total)
    found, _ = _least(1.0 - sizes, table, lower, upper, bounds)
    return Unit(tuple(found[:n].tolist()), int(found[-1]))


def _bounds(free: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`free` nonnegative numbers, then a threshold."""
    return np.append(np.zeros(free), -np.inf), np.full(free + 1, np.inf)


def _least(
    value: Any, rows: Any, lower: Any, upper: Any, bounds: tuple[Any, Any], seconds: float | None = None
) -> tuple[NDArray[np.int64], bool]:
    """The integers of smallest value that satisfy the constraints, and whether that is proven."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    options = {"mip_rel_gap": 0.0} | ({} if seconds is None else {"time_limit": max(seconds, 0.1)})
    done = milp(
        value,
        constraints=LinearConstraint(rows.astype(np.float64), lower, upper),
        integrality=np.ones(len(value)),
        bounds=Bounds(*bounds),
        options=options,
    )
    if done.x is None:
        raise NoUnitError(proven=done.status == INFEASIBLE)
    return np.rint(done.x).astype(np.int64), done.status == SOLVED
