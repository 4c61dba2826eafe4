"""Summary: the coefficients with their standard errors, to print, as a dictionary or as a data frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.notebook import card, table

Flat = NDArray[np.float64]
# Shown in a notebook.
MOST_COEFFICIENTS = 60


@dataclass(frozen=True, eq=False)
class Summary:
    """One row a coefficient: estimate, standard error, test statistic of the coefficient being 0, p-value and interval.

    With `degrees` of freedom the statistic is t, from Student's distribution; without, z, from the normal distribution.
    """

    names: tuple[str, ...]
    estimates: Flat
    standard_errors: Flat
    level: float
    rows: float
    note: str
    degrees: float | None = None
    tested: bool = True

    @property
    def statistics(self) -> Flat:
        return self.estimates / self.standard_errors

    @property
    def p_values(self) -> Flat:
        """Two-sided p-values; NaN for a penalised fit, which is not tested."""
        from scipy.special import ndtr, stdtr

        if not self.tested:
            return np.full(len(self.names), np.nan)
        below = -np.abs(self.statistics)
        return np.asarray(2.0 * (ndtr(below) if self.degrees is None else stdtr(self.degrees, below)))

    @property
    def intervals(self) -> Flat:
        """(coefficients, 2): the confidence intervals."""
        from scipy.special import ndtri, stdtrit

        upper = 0.5 + self.level / 2
        far = float(ndtri(upper) if self.degrees is None else stdtrit(self.degrees, upper))
        return np.column_stack(
            [self.estimates - far * self.standard_errors, self.estimates + far * self.standard_errors]
        )

    @property
    def statistic(self) -> str:
        return "z" if self.degrees is None else "t"

    def as_dict(self) -> dict[str, list[Any]]:
        """The columns of the table by name, headed as in statsmodels."""
        low, high = self.intervals.T
        return {
            "name": list(self.names),
            "coef": self.estimates.tolist(),
            "std err": self.standard_errors.tolist(),
            self.statistic: self.statistics.tolist(),
            f"P>|{self.statistic}|": self.p_values.tolist(),
            f"[{0.5 - self.level / 2:.6g}": low.tolist(),
            f"{0.5 + self.level / 2:.6g}]": high.tolist(),
        }

    def frame(self) -> Any:
        """The table as a pandas data frame, indexed by name."""
        import pandas as pd

        return pd.DataFrame(self.as_dict()).set_index("name")

    def table_html(self) -> str:
        """The table for a notebook, with numbers as they are printed."""
        columns = self.as_dict()
        names = [str(name) for name in columns.pop("name")]
        cells = {head: [_number(value, head) for value in values] for head, values in columns.items()}
        return table({"": names, **cells}, MOST_COEFFICIENTS)

    def _repr_html_(self) -> str:
        return card(f"{self.rows:g} rows; {self.note}", [], self.table_html())

    def __str__(self) -> str:
        columns = self.as_dict()
        cells = [[str(name) for name in columns.pop("name")]]
        cells += [[_number(value, name) for value in values] for name, values in columns.items()]
        heads = ["", *columns]
        widths = [max(map(len, [head, *column])) for head, column in zip(heads, cells, strict=True)]
        lines = [heads, *map(list, zip(*cells, strict=True))]
        table = [
            "  ".join(cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(row))
            for row in (list(zip(line, widths, strict=True)) for line in lines)
        ]
        return "\n".join([*(line.rstrip() for line in table), f"{self.rows:g} rows; {self.note}"])


def _number(value: float, column: str) -> str:
    if np.isnan(value):
        return "-"
    if column.startswith("P>"):
        return "<0.0001" if value < 1e-4 else f"{value:.4f}"
    return f"{value:.3f}" if column in ("z", "t") else f"{value:.5g}"
