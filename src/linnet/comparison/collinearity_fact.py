"""How nearly columns are linear combinations of one another.

Of the columns that are not exactly such combinations, centred and scaled to unit length, with R their correlations:

    condition number       sqrt(largest / smallest eigenvalue of R)      (Belsley, Kuh, Welsch 1980)
    variance inflation     of column j, (R^-1)_jj = 1 / (1 - R_j²), R_j² of column j on all others

Of each column of categories the most frequent level is left out, as beside an intercept all of them always add up.
"""

from __future__ import annotations

import numpy as np

from linnet.comparison.reasons import Fact
from linnet.comparison.row_sample import RowSample
from linnet.comparison.wording import several, short
from linnet.cores import one_thread
from linnet.data.rows import Examples, Rows
from linnet.pipeline.scaling import measured, scaled
from linnet.pipeline.summary_fit import Design
from linnet.theory.collinearity import collinear_columns

# More columns are not looked at; of wide tables fewer rows are.
MOST_COLUMNS, MOST_VALUES, FEWEST_ROWS = 400, 1 << 21, 2000
# Belsley's: from here on, columns can hardly be distinguished.
ILL_CONDITIONED = 30.0


@one_thread()
def collinearity_fact(sample: RowSample, seed: int) -> Fact | None:
    """None for rows of text and others with very many columns."""
    if len(sample.features) > 2 * MOST_COLUMNS:
        return None
    sample = sample.at_most(max(FEWEST_ROWS, MOST_VALUES // max(1, len(sample.features))), seed)
    design = Design.of(sample.features, sample.rows, sample.weights)
    if not 2 <= len(design.kept) <= MOST_COLUMNS or len(sample.targets) <= len(design.kept) + 1:
        return None
    rows = scaled(sample.rows, measured(sample.features, sample.rows, sample.weights))
    names = tuple(sample.features.names_of(design.kept.tolist()))
    chosen = design.of_rows(rows, names)
    aliased = collinear_columns(Examples(chosen, sample.targets, sample.weights), intercept=True)
    left = np.delete(np.arange(len(names)), aliased)
    if len(left) < 2:
        return None
    condition, inflation = condition_and_inflation(chosen, left)
    worst = int(inflation.argmax())
    text = f"condition number {short(condition)}; most inflated variance {short(float(inflation[worst]))}, of "
    text += f"{names[left[worst]]}{sample.note}"
    meaning = ""
    if len(aliased):
        text += f"; {len(aliased):,} of {len(names):,} columns are constant or combinations of others: "
        text += several([names[j] for j in aliased.tolist()])
    if len(aliased) or condition >= ILL_CONDITIONED:
        meaning = (
            "single weights say little, for others can stand in for them; plain gradient steps need many passes, naive "
            "Bayes counts the same evidence twice, and penalised fits predict as well as ever"
        )
    return Fact("collinearity", condition, text, meaning)


def condition_and_inflation(rows: Rows, left: np.ndarray) -> tuple[float, np.ndarray]:
    """Of some of the columns, none of which is a constant."""
    table = rows.matrix()
    X = (np.asarray(table) if rows.dense else table.toarray())[:, left].astype(np.float64)
    X -= X.mean(axis=0)
    X /= np.sqrt((X * X).sum(axis=0))
    # by singular values: those of R would lose half of the digits
    _, values, axes = np.linalg.svd(X, full_matrices=False)
    smallest = max(float(values[-1]), float(np.finfo(np.float64).tiny))
    inflation = ((axes / np.maximum(values, smallest)[:, np.newaxis]) ** 2).sum(axis=0)
    return float(values[0]) / smallest, inflation
