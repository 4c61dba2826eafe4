"""Holm's correction: p-values of several tests such that all are right together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values: those at most α may be rejected, and the probability of any false rejection is at most α.

    The k-th smallest of m is multiplied by m - k + 1, and is at least the one before (Holm 1979, A simple sequentially
    rejective multiple test procedure).  Whatever the tests have to do with one another.  A NaN is a test that was not
    made: it stays, and does not count.
    """
    p = np.asarray(p_values, dtype=np.float64)
    made = np.flatnonzero(~np.isnan(p))
    order = made[np.argsort(p[made], kind="stable")]
    adjusted = p.copy()
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1)))
    return [float(each) for each in adjusted]
