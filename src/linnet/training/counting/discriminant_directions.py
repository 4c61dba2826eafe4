"""The directions in which the classes of a discriminant analysis lie apart, most first: what `transform` projects on.

With Σ the covariance within classes and B that of their means, the directions v solve B v = λ Σ v, v'Σv = 1, and λ over
the sum of all is the part of the variance between classes that a direction has (Fisher 1936, The use of multiple
measurements in taxonomic problems).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linnet.cores import one_thread, scipy
from linnet.training.counting.naive_bayes import Table


class Directions(NamedTuple):
    """The directions as columns (d x r), and the fraction of the variance between classes that each has."""

    scalings: Table
    ratios: Table


@one_thread()
def of_means(within: Table, means: Table, priors: Table, tol: float) -> Directions:
    """From the means (classes x d): Σ may be singular; deviations and distances of at most `tol` are left out."""
    deviations = np.sqrt(np.diag(within))
    deviations[deviations == 0] = 1.0
    variances, axes = scipy("linalg").eigh(within / np.outer(deviations, deviations))
    kept = np.flatnonzero(np.sqrt(np.maximum(variances, 0.0)) > tol)[::-1]
    to_unit = axes[:, kept] / deviations[:, np.newaxis] / np.sqrt(variances[kept])
    apart = np.sqrt(priors)[:, np.newaxis] * ((means - priors @ means) @ to_unit)
    _, spread, across = scipy("linalg").svd(apart, full_matrices=False)
    total = float(spread @ spread)
    rank = int((spread > tol * spread[:1]).sum()) if len(spread) else 0
    return Directions(to_unit @ across.T[:, :rank], spread**2 / total if total else spread)


@one_thread()
def of_scatter(within: Table, total: Table) -> Directions:
    """From the covariance of all rows, however both were estimated: B is the difference; Σ must be regular."""
    strengths, axes = scipy("linalg").eigh(total - within, within)
    return Directions(axes[:, ::-1], (strengths / strengths.sum())[::-1])
