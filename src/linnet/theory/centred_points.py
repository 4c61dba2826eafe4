"""Rows about their means, and what is found there brought back to the rows as they are.

A column whose mean is 10^5 times its deviation is nearly a multiple of the intercept.  Products of such rows lose the
square of that ratio, 10 of their 16 digits, and products of these in turn, as those of a sandwich, lose all of them.
About the means nothing is lost:

    w . x + b = w . (x - m) + b',   b' = b + w . m

and the covariance of (w, b) follows from that of (w, b').
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples
from linnet.training.exact_products import exact_product
from linnet.training.solvers.least_squares import dense

Flat = NDArray[np.float64]

ROWS_AT_ONCE = 1 << 12


def blocks_of(examples: Examples) -> list[slice]:
    return [slice(first, first + ROWS_AT_ONCE) for first in range(0, examples.rows.shape[0], ROWS_AT_ONCE)]


def weights_of(examples: Examples) -> Flat:
    return np.ones(examples.rows.shape[0]) if examples.weights is None else examples.weights


@dataclass(frozen=True, eq=False)
class CentredPoints:
    """Points z = (x - mean, 1), or x as it is without an intercept.

    `means` are rounded, so `rest` is what is left of them.
    """

    examples: Examples
    intercept: bool
    means: Flat
    rest: Flat

    @classmethod
    def of(cls, examples: Examples, *, intercept: bool) -> CentredPoints:
        means, rest = (np.zeros(examples.rows.shape[1]) for _ in range(2))
        c, total = weights_of(examples), examples.total_weight
        for found in (means, rest) if intercept else ():
            found += sum(c[block] @ (dense(examples, block) - means) / total for block in blocks_of(examples))
        return cls(examples, intercept, means, rest)

    def blocks(self) -> Iterator[tuple[slice, Flat]]:
        """Some rows after the other."""
        for block in blocks_of(self.examples):
            X = dense(self.examples, block)
            if not self.intercept:
                yield block, X
            else:
                yield block, np.column_stack([X - self.means - self.rest, np.ones(len(X))])

    def centred(self, at: Flat) -> Flat:
        """Coefficients of the points, given those of the rows; a row for each class, the intercept last."""
        return self._moved(at, 1.0)

    def as_given(self, at: Flat) -> Flat:
        """Coefficients of the rows, given those of the points."""
        return self._moved(at, -1.0)

    def _moved(self, at: Flat, sign: float) -> Flat:
        moved = at.copy()
        if self.intercept:
            both = np.concatenate([self.means, self.rest, [sign]])
            for own in moved:
                w = own[:-1]
                own[-1] = sign * exact_product(both, np.concatenate([w, w, own[-1:]]))
        return moved

    def covariance_as_given(self, covariance: Flat) -> Flat:
        """Of the coefficients of the rows, class after class, given that of those of the points."""
        if not self.intercept:
            return covariance
        width, mean = len(self.means) + 1, self.means + self.rest
        table = covariance.reshape(-1, width, len(covariance) // width, width).copy()
        table[..., -1] -= table[..., :-1] @ mean
        table[:, -1] -= np.einsum("kilj,i->klj", table[:, :-1], mean)
        return np.asarray(table.reshape(covariance.shape))
