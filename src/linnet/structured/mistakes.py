"""Mistakes of a structured perceptron beside their bound.

If one vector w separates the true structures from all others by a margin γ (w · Δ >= γ |w| for every Δ, the features of
the true structure of an example less those of another), and no Δ is longer than R, the perceptron makes at most
(R / γ)² mistakes, in any number of passes (Collins 2002, Discriminative training methods for hidden Markov models,
theorem 1).  Any w and any R that is large enough give a true bound, if not always the smallest.

With a margin ρ for each wrong token, weights also move where w · Δ <= ρ n, n being the tokens of the sentence: a step
makes |w|² grow by at most R² + 2 ρ n, and so there are at most (R² + 2 ρ n) / γ² of them, with the largest n."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.kernels.tagging_separation import smallest_margin
from linnet.kernels.tagging_state import weights_of

# Whole numbers up to it are floats of 32 bits, and so their sums are exact.
EXACT = float(1 << 24)
FORBIDDEN = -1e29


@dataclass(frozen=True)
class MistakeBound:
    """Mistakes beside the bound (R / γ)² of Collins (2002); `bound` is None where `reason` says why.  With a margin
    steps are also made without a mistake: `allowance` is 2 ρ n, and the bound (R² + 2 ρ n) / γ²."""

    mistakes: int
    bound: float | None = None
    radius: float | None = None
    margin: float | None = None
    reason: str = ""
    allowance: float = 0.0

    def check(self) -> None:
        """Raise ValueError for one that no training has; it may come from a file of an unknown author."""
        numbers = [each for each in (self.bound, self.radius, self.margin, self.allowance) if each is not None]
        if self.mistakes < 0 or not all(isfinite(each) and each >= 0 for each in numbers):
            raise ValueError("a number of the mistake bound is wrong")


def tagging_bound(
    kernel: Any, ids: NDArray[np.uint32], starts: NDArray[np.int64], sentences: NDArray[np.int64],
    codes: NDArray[np.int32], only: NDArray[np.int32], mistakes: int, margin: int = 0,
) -> MistakeBound | None:  # fmt: skip
    """The mistakes of a tagger's training beside their bound, by its last weights; None where these do not separate the
    sentences, or are so large that sums of them are rounded.

    `kernel` has been trained on these sentences by perceptron steps; the rest is what it was made of."""
    rows, tags, weights, between, triples = weights_of(kernel, False)
    moved = [weights, between[between > FORBIDDEN], np.zeros(0) if triples is None else triples.reshape(-1)]
    largest = max(float(np.abs(each).max(initial=0.0)) for each in moved)
    lengths, counts = np.diff(sentences), np.diff(starts)
    terms = int(lengths.max(initial=0) + 1) * (int(counts.max(initial=0)) + 2)
    if not 0 < largest * terms < EXACT:
        return None
    least = smallest_margin(kernel)
    if not 0 < least < float("inf"):
        return None
    length = sum(float((each.astype(np.float64) ** 2).sum()) for each in moved)
    gamma = least / sqrt(length - _counted_twice(kernel.groups, rows, tags, weights))
    order = 1 if triples is None else 2
    square = squared_radius(ids, starts, sentences, codes, only, kernel.tags, order=order, groups=kernel.groups)
    allowance = 2.0 * margin * int(lengths.max())
    return MistakeBound(mistakes, (square + allowance) / gamma**2, sqrt(square), gamma, allowance=allowance)


def _counted_twice(
    groups: NDArray[np.int32], rows: NDArray[np.int64], tags: NDArray[np.int32], weights: NDArray[np.float64]
) -> float:
    """By how much the squares of weights w = a + c are more than those of a and c, where the tags of a group have c in
    common, which is the sum of their a: of K tags, by (sum of w)² / (1 + K)."""
    sizes = np.bincount(groups)
    owner = np.repeat(np.arange(len(rows) - 1), np.diff(rows)) * len(sizes) + groups[tags]
    found, place = np.unique(owner, return_inverse=True)
    sums = np.bincount(place.reshape(-1), weights=weights)
    size = sizes[found % len(sizes)]
    return float((sums**2 / (1 + size))[size > 1].sum())


def squared_radius(
    ids: NDArray[np.uint32], starts: NDArray[np.int64], sentences: NDArray[np.int64], codes: NDArray[np.int32],
    only: NDArray[np.int32], tags: int, *, order: int, groups: NDArray[np.int32] | None = None,
) -> float:  # fmt: skip
    """No less than |Δ|² for any two sequences of tags of a sentence, one of which is the true one.

    Features count times, so |Φ(y) - Φ(z)|² <= |Φ(y)|² + |Φ(z)|².  The first is known; of all z, those that give all
    tokens one tag, and all places one transition, have the longest Φ.  Tokens of known tag have no features.  What the
    tags of a group have in common are features, too."""
    most = 0.0
    shared = np.zeros(tags, dtype=bool) if groups is None else np.bincount(groups)[groups] > 1
    for first, stop in zip(sentences[:-1].tolist(), sentences[1:].tolist(), strict=True):
        if first == stop:
            continue
        free = np.repeat(only[first:stop] < 0, np.diff(starts[first : stop + 1]))
        mine = ids[starts[first] : starts[stop]][free].astype(np.int64)
        tag = np.repeat(codes[first:stop], np.diff(starts[first : stop + 1]))[free]
        places = stop - first + 1
        path = np.concatenate([[tags, tags], codes[first:stop], [tags]]).astype(np.int64)
        pairs = path[1:-1] * (tags + 1) + path[2:]
        total = _squared(mine) + _squared(mine * tags + tag) + _squared(pairs) + places**2
        if groups is not None and shared.any():
            common = shared[tag]
            total += _squared(mine[common] * tags + groups[tag[common]]) + _squared(mine)
        if order == 2:
            total += _squared(path[:-2] * (tags + 1) ** 2 + pairs) + places**2
        most = max(most, total)
    return most


def _squared(names: NDArray[np.int64]) -> float:
    """The squared length of the counts of some names."""
    counts = np.unique(names, return_counts=True)[1].astype(np.float64)
    return float((counts**2).sum())
