"""The table of the squares of all columns, less their means, in one pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples
from linnet.kernels.column_squares import MOST_COLUMNS, ROWS_AT_ONCE, add_squares, padded
from linnet.training.solvers.least_squares import dense
from linnet.training.threads import added, over_parts

Flat = NDArray[np.float64]

# A column whose deviation is below this fraction of its mean must be centred before it is squared.
NARROWEST = 1e-12
# Centring may reduce a sum of squares by this factor; beyond, the rows are centred again about the true means.
CANCELLED_AT_MOST = 1e3
# Squared means of at most this many times the variance cancel too little to be taken off before rows are squared.
SMALL_MEAN = 10.0
# Numbers in a block: it stays in the cache while it is centred and squared.
BLOCK = 1 << 16
BLOCKS_A_PART = 8
# The most that one operation may round by, relative to its result.
UNIT = 0.5 * float(np.finfo(np.float64).eps)
NOTHING = np.empty(0)


@dataclass(frozen=True, eq=False)
class CentredSquares:
    """Sum of c z z' over all rows z = (x, y) - m; `means`, m, by the weights c (0 without an intercept); the sum of c.

    No entry jk of `squares` is off by more than `error` lengths_j lengths_k, and no mean by more than error lengths_j /
    sqrt(total), but for its own rounding.
    """

    squares: Flat
    means: Flat
    total: float
    lengths: Flat
    error: float


def centred_squares(examples: Examples, *, intercept: bool) -> CentredSquares:
    """The squares of the columns and of the targets, of which a row may have several.

    They are centred about the means of the first block, unless those are small, and about the true ones if those are
    far.
    """
    first = np.column_stack([dense(examples, slice(0, 1000)), examples.targets[:1000]])
    about = first.mean(axis=0)
    if not intercept or (about * about <= SMALL_MEAN * first.var(axis=0)).all():
        about = np.zeros(len(about))
    squares, off, total = _squares_about(about, examples)
    lengths = np.sqrt(squares.diagonal())
    if intercept:
        if (total * off**2 > CANCELLED_AT_MOST * (lengths**2 - total * off**2)).any():
            about = about + off
            squares, off, total = _squares_about(about, examples)
            lengths = np.sqrt(squares.diagonal())
        squares -= total * np.outer(off, off)
        about = about + off
    # of each: the sums; then, of means, the total too; of squares, the product of two means and the total
    terms = terms_in_a_row(*examples.rows.shape, outputs=len(about) - examples.rows.shape[1])
    return CentredSquares(squares, about, total, lengths, 8.0 * UNIT * (terms + 8.0))


def terms_in_a_row(n: int, d: int, outputs: int = 1) -> int:
    """How many additions a sum over n rows takes at most, one after the other: those of a block, and of all blocks."""
    width = d + outputs
    if width < MOST_COLUMNS:
        at_once, part = _rows_at_once(width, d), _rows_a_part(width, d)
        return ROWS_AT_ONCE + -(-at_once // ROWS_AT_ONCE) + -(-part // at_once) + -(-n // part)
    return _rows_at_once(width, 2 * d) + -(-n // _rows_at_once(width, d))


def _rows_at_once(width: int, least: int) -> int:
    return max(64, BLOCK // width, least)


def _rows_a_part(width: int, at_once: int) -> int:
    return max(BLOCKS_A_PART * BLOCK // width, 2 * at_once)


def _squares_about(about: Flat, examples: Examples) -> tuple[Flat, Flat, float]:
    """Sum of c z z' over all rows z = (x, y) - about; their weighted mean; the sum of c."""
    few = len(about) < MOST_COLUMNS
    squares, sums, total = (_of_few_columns if few else _of_many_columns)(about, examples)
    return squares, sums / total, total


def _of_few_columns(about: Flat, examples: Examples) -> tuple[Flat, Flat, float]:
    """The sums of c z z', of c z and of c, in one table."""
    (n, d), width = examples.rows.shape, len(about)
    y, c = examples.targets.reshape(n, -1), NOTHING if examples.weights is None else examples.weights
    y, off, size = np.ascontiguousarray(y, dtype=np.float64), about if about.any() else NOTHING, padded(width + 1)

    def part(start: int, stop: int) -> Flat:
        table = np.zeros((size, size))
        for first in range(start, stop, _rows_at_once(width, d)):
            at, more = slice(first, min(stop, first + _rows_at_once(width, d))), np.zeros((size, size))
            X = examples.rows.matrix(at)
            add_squares(X.toarray() if hasattr(X, "toarray") else X, y[at], off, c[at], more)
            table += more  # apart from one another, for their rounding
        return table

    table = added(over_parts(part, n, _rows_a_part(width, d)))
    table = np.triu(table) + np.triu(table, 1).T
    return np.ascontiguousarray(table[:width, :width]), table[:width, width].copy(), float(table[width, width])


def _of_many_columns(about: Flat, examples: Examples) -> tuple[Flat, Flat, float]:
    """The same by BLAS."""
    (n, d), width = examples.rows.shape, len(about)
    y, as_given = examples.targets.reshape(n, -1), examples.weights is None and not about.any()
    # of fewer rows than columns, adding up the tables would take longest
    at_once = _rows_at_once(width, 2 * d if as_given else d)

    def centred(at: slice, block: Flat) -> tuple[Flat, Flat, float]:
        z = block[: at.stop - at.start]
        np.subtract(dense(examples, at), about[:d], out=z[:, :d])
        np.subtract(y[at], about[d:], out=z[:, d:])
        c = np.ones(len(z)) if examples.weights is None else examples.weights[at]
        sums = c @ z
        if examples.weights is not None:
            z *= np.sqrt(c)[:, np.newaxis]
        return z.T @ z, sums, float(c.sum())

    def uncentred(at: slice, squares: Flat) -> tuple[Flat, Flat, float]:
        X, Y, ones = dense(examples, at), y[at], np.ones(at.stop - at.start)
        squares[:d, :d], squares[:d, d:], squares[d:, d:] = X.T @ X, X.T @ Y, Y.T @ Y
        squares[d:, :d] = squares[:d, d:].T
        return squares, np.append(ones @ X, ones @ Y), float(len(ones))

    def part(start: int, stop: int) -> tuple[Flat, Flat, float]:
        squares, sums, total = np.zeros((width, width)), np.zeros(width), 0.0
        room = np.empty((width if as_given else min(stop - start, at_once), width))
        for first in range(start, stop, at_once):
            at = slice(first, min(stop, first + at_once))
            more, more_sums, more_total = (uncentred if as_given else centred)(at, room)
            squares += more
            sums += more_sums
            total += more_total
        return squares, sums, total

    squares, sums, total = np.zeros((width, width)), np.zeros(width), 0.0
    for part_squares, part_sums, part_total in over_parts(part, n, _rows_a_part(width, at_once)):
        squares += part_squares
        sums += part_sums
        total += part_total
    return squares, sums, total
