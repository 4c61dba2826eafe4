"""FitSummary: an unpenalised fit in the terms of statistics: coefficients with standard errors, and how well it fits.

With the log-likelihood l at the optimum, l0 without any column, k coefficients and n rows:

    AIC = 2 k - 2 l,   BIC = k log n - 2 l
    logistic   deviance -2 l; McFadden's R² = 1 - l / l0
    squares    l = -n/2 (log(2 π S / n) + 1), deviance S, the sum of squared residuals; R² = 1 - S / S0, adjusted for
               degrees of freedom 1 - (S / (n - k)) / (S0 / (n - 1))

These are the figures of statsmodels (GLM with a binomial family, and OLS).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.notebook import card
from linnet.theory.coefficient_table import Summary

Flat = NDArray[np.float64]

LEVEL = 0.95
# Features without a coefficient that are named.
MOST_NAMED = 20


@dataclass(frozen=True)
class FitSummary:
    """Coefficients with standard errors, and the figures of the whole fit.

    `rows` is the sum of the weights, which are frequencies.  `references` has, of each column of categories, the level
    that the others are compared with; `aliased` features have no coefficient, for they can be had from those
    before them or are constant.  R² is McFadden's for classes, which have no adjusted one.
    """

    names: tuple[str, ...]
    estimates: tuple[float, ...]
    standard_errors: tuple[float, ...]
    rows: float
    log_likelihood: float
    null_log_likelihood: float
    deviance: float
    null_deviance: float
    aic: float
    bic: float
    r2: float | None
    adjusted_r2: float | None = None
    degrees: float | None = None
    level: float = LEVEL
    references: dict[str, str] = field(default_factory=dict)
    aliased: tuple[str, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        if not len(self.names) == len(self.estimates) == len(self.standard_errors):
            raise ValueError("names, estimates and standard errors differ in number")
        if not 0 < self.level < 1 or not all(0 < error < math.inf for error in self.standard_errors):
            raise ValueError("a level or a standard error is impossible")
        if not all(map(math.isfinite, self.estimates)) or not 0 < self.rows < math.inf:
            raise ValueError("an estimate or the number of rows is impossible")
        if self.degrees is not None and not 0 < self.degrees < math.inf:
            raise ValueError("the degrees of freedom are impossible")

    @property
    def table(self) -> Summary:
        """The coefficients, their tests and intervals."""
        return Summary(
            self.names,
            np.array(self.estimates),
            np.array(self.standard_errors),
            self.level,
            self.rows,
            self.note,
            self.degrees,
        )

    def frame(self) -> Any:
        """The coefficients as a pandas data frame, indexed by name."""
        return self.table.frame()

    def figures(self) -> dict[str, float | None]:
        """The figures of the whole fit, by name."""
        names = ("rows", "log_likelihood", "null_log_likelihood", "deviance", "null_deviance", "aic", "bic", "r2")
        return {name: getattr(self, name) for name in (*names, "adjusted_r2")}

    def as_dict(self) -> dict[str, Any]:
        """For JSON: a row for each coefficient, and the figures."""
        table = self.table
        with np.errstate(over="ignore", invalid="ignore"):  # of a file: numbers may have any size
            columns = (table.estimates, table.standard_errors, table.statistics, table.p_values, *table.intervals.T)
        heads = ("coef", "std_err", table.statistic, "p_value", "low", "high")
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return {
            "coefficients": [
                {"name": name, **dict(zip(heads, row, strict=True))} for name, row in zip(self.names, rows, strict=True)
            ],
            "level": self.level,
            **self.figures(),
            "degrees": self.degrees,
            "references": self.references,
            "aliased": list(self.aliased),
            "note": self.note,
        }

    def lines(self) -> list[str]:
        """The figures and the references in words."""
        found = [
            f"{self.rows:g} rows; {self.note}",
            f"log-likelihood {self.log_likelihood:.6g} (without columns {self.null_log_likelihood:.6g}); deviance "
            f"{self.deviance:.6g} (without columns {self.null_deviance:.6g})",
        ]
        ratios = f"AIC {self.aic:.6g}; BIC {self.bic:.6g}"
        if self.r2 is not None:
            ratios += f"; {'McFadden R²' if self.degrees is None else 'R²'} {self.r2:.4f}"
        if self.adjusted_r2 is not None:
            ratios += f", adjusted {self.adjusted_r2:.4f}"
        found.append(ratios)
        if self.references:
            levels = ", ".join(f"{column}={level}" for column, level in self.references.items())
            found.append(f"compared with the most frequent levels: {levels}")
        if self.aliased:
            shown = ", ".join(self.aliased[:MOST_NAMED])
            more = f" and {len(self.aliased) - MOST_NAMED:,} more" if len(self.aliased) > MOST_NAMED else ""
            found.append(f"not determined, and left out, for they can be had from the others: {shown}{more}")
        return found

    def _repr_html_(self) -> str:
        with np.errstate(over="ignore", invalid="ignore"):
            return card("summary of the fit", [("", line) for line in self.lines()], self.table.table_html())

    def __str__(self) -> str:
        with np.errstate(over="ignore", invalid="ignore"):
            table = str(self.table).splitlines()[:-1]  # the last line is in ours
        return "\n".join([*table, *self.lines()])


def of_classes(own: Flat, frequencies: Flat, weights: Flat, coefficients: int) -> dict[str, float | None]:
    """The figures of a logistic fit: the log-probability of each row's own class, and the frequencies of classes."""
    n, present = float(weights.sum()), frequencies[frequencies > 0]
    fitted = float(weights @ own)
    null = float(present @ np.log(present / n))
    return _figures(fitted, null, coefficients, n) | {
        "deviance": -2.0 * fitted,
        "null_deviance": -2.0 * null,
        "r2": 1.0 - fitted / null,
    }


def of_numbers(residuals: Flat, targets: Flat, weights: Flat, coefficients: int) -> dict[str, float | None]:
    """The figures of least squares."""
    n = float(weights.sum())
    around = targets - float(weights @ targets) / n
    left, all_of_it = float(weights @ residuals**2), float(weights @ around**2)
    found = _figures(_gaussian(left, n), _gaussian(all_of_it, n), coefficients, n)
    return found | {
        "deviance": left,
        "null_deviance": all_of_it,
        "r2": 1.0 - left / all_of_it,
        "adjusted_r2": 1.0 - (left / (n - coefficients)) / (all_of_it / (n - 1.0)),
    }


def _gaussian(squares: float, n: float) -> float:
    """The log-likelihood of normal errors with this sum of squares, their variance estimated."""
    return -n / 2.0 * (math.log(2.0 * math.pi * squares / n) + 1.0)


def _figures(fitted: float, null: float, k: int, n: float) -> dict[str, float | None]:
    return {
        "log_likelihood": fitted,
        "null_log_likelihood": null,
        "aic": 2.0 * k - 2.0 * fitted,
        "bic": k * math.log(n) - 2.0 * fitted,
    }
