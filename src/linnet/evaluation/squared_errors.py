"""How uncertain the mean of squared errors is, and that of squared distances of the targets from their mean.

With e = prediction - truth and d = truth - c: sums of e⁴, d³, d⁴, e² d, e² d², by weights and by their squares, whose
terms are rounded.  They are for standard errors only, and c being a true value bounds their rounding error: no row is
further than sqrt(n - 1) deviations from the mean (Samuelson 1968, How deviant can you be?).
"""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from linnet.evaluation.exact_sums import ExactSum, Floats, Moments, as_worth, root

POWERS = ((4, 0), (0, 3), (0, 4), (2, 1), (2, 2))  # of e and d


class Spread(NamedTuple):
    """Σ (e² - a)², Σ (D - b)² and Σ (e² - a)(D - b), with D = (d - mean)², a and b the means of e² and D."""

    of_errors: Fraction
    of_targets: Fraction
    of_both: Fraction


class Uncertain(NamedTuple):
    """The spread by weights, how many rows of equal weight e² and D are worth, and their correlation."""

    spread: Spread
    of_errors: float
    of_targets: float
    correlation: float


NOTHING = Uncertain(Spread(Fraction(0), Fraction(0), Fraction(0)), 0.0, 0.0, 0.0)


class SquaredErrors:
    """Adds up products of powers of errors and targets."""

    def __init__(self) -> None:
        self._sums = {powers: ExactSum() for powers in POWERS}
        self._by_squares: dict[tuple[int, int], ExactSum] | None = None

    def add(self, e: Floats, d: Floats, w: Floats | None) -> None:
        """Mantissas and exponents are multiplied apart, so that no product overflows or underflows."""
        (em, ex), (dm, dx) = np.frexp(e), np.frexp(d)
        e2, d2 = em * em, dm * dm
        mantissas = {(4, 0): e2 * e2, (0, 3): d2 * dm, (0, 4): d2 * d2, (2, 1): e2 * dm, (2, 2): e2 * d2}
        if w is not None and self._by_squares is None:
            self._by_squares = deepcopy(self._sums)
        for sums, by in ((self._sums, w), (self._by_squares, None if w is None else w * w)):
            for (of_e, of_d), total in (sums or {}).items():
                total.add(mantissas[of_e, of_d], of_e * ex + of_d * dx, by)

    def uncertain(self, errors: Moments, truth: Moments, rows: float, *, whole: bool) -> Uncertain:
        """Given the moments of e and of d: rows are worth as many where the weights are whole numbers of copies."""
        total = errors.total()
        by_weight = self._spread(self._sums, errors, truth, squared=False)
        spread, worth = by_weight, (rows, rows)
        if not whole:
            spread = self._spread(self._by_squares or self._sums, errors, truth, squared=True)
            worth = (
                as_worth(by_weight.of_errors, spread.of_errors, total, rows),
                as_worth(by_weight.of_targets, spread.of_targets, total, rows),
            )
        products = spread.of_errors * spread.of_targets
        correlation = min(root(spread.of_both**2 / products), 1.0) if products > 0 else 0.0
        return Uncertain(by_weight, *worth, -correlation if spread.of_both < 0 else correlation)

    @staticmethod
    def _spread(sums: dict[tuple[int, int], ExactSum], errors: Moments, truth: Moments, *, squared: bool) -> Spread:
        e4, d3, d4, e2d, e2d2 = (sums[powers].value() for powers in POWERS)
        total, _, e2 = errors.by_squares() if squared else errors.by_weights()
        _, d1, d2 = truth.by_squares() if squared else truth.by_weights()
        a, b, mean = errors.squares() / errors.total(), truth.scatter() / truth.total(), truth.sum() / truth.total()
        of_d2 = d2 - 2 * mean * d1 + mean**2 * total  # Σ D
        of_d4 = d4 - 4 * mean * d3 + 6 * mean**2 * d2 - 4 * mean**3 * d1 + mean**4 * total  # Σ D²
        of_both = e2d2 - 2 * mean * e2d + mean**2 * e2  # Σ e² D
        return Spread(
            e4 - 2 * a * e2 + a**2 * total,
            of_d4 - 2 * b * of_d2 + b**2 * total,
            of_both - b * e2 - a * of_d2 + a * b * total,
        )
