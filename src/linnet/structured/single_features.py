"""Features that training leaves out: those that it sees once only, at a token of a span, where most tokens are of none.

Names are few, and what is new in each (its word, the pairs with its neighbours) can explain it by itself: then the
features that would tell new names, of affixes, shapes and other columns, are not trained.  A feature seen once says
nothing of any other name.  At tokens outside it stays: many of them say together what is not a name.  Where most tokens
are inside of spans, as in chunks, nothing is left out, nor of few sentences, of which hardly anything is seen twice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FEWEST_SENTENCES = 100
# Entries that are counted at a time: NumPy counts copies of eight bytes each.
BLOCK = 1 << 22


def without_single(
    ids: NDArray[np.uint32], starts: NDArray[np.int64], features: int, trained: NDArray[np.bool_],
    inside: NDArray[np.bool_],
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:  # fmt: skip
    """The features of each token (ids[starts[t]:starts[t + 1]]) but those that `trained` tokens have once, one `inside`
    of a span."""
    counts = np.diff(starts)
    counted = np.repeat(trained, counts)
    seen = np.zeros(features, dtype=np.int64)
    for first in range(0, len(ids), BLOCK):
        part = slice(first, first + BLOCK)
        seen += np.bincount(ids[part][counted[part]], minlength=features)
    left_out = (seen == 1)[ids] & np.repeat(trained & inside, counts)
    owners = np.searchsorted(starts, np.flatnonzero(left_out), side="right") - 1
    kept = counts - np.bincount(owners, minlength=len(counts))
    return ids[~left_out], np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
