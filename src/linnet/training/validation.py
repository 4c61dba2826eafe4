"""Rows held out while an online learner makes its passes, whose score decides when to stop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Labels
from linnet.data.rows import Examples, select_examples
from linnet.errors import InputError, option
from linnet.kernels.fingerprints import scramble
from linnet.learners.linear import LinearModel
from linnet.training.online_learner import Learner
from linnet.training.order import row_identities
from linnet.training.reduction import Problem

# Which draw of the seed this is: passes are the others (order.py).
DRAW = 0xA24BAED4963EE407


def validation_rows(
    examples: Examples, fraction: float, seed: int, *, classes: bool, by_content: bool
) -> NDArray[np.bool_]:
    """Which rows are held out, this fraction of each class but never all of it; by their contents, which sorting the
    table does not change, or by their positions where it is the order that counts."""
    n = len(examples.targets)
    identities = row_identities(examples) if by_content else np.arange(n, dtype=np.uint64)
    keys = np.empty_like(identities)
    scramble(identities, (seed * 0x9E3779B97F4A7C15 + DRAW) % 2**64, keys)
    held = np.zeros(n, dtype=bool)
    groups = examples.targets if classes else np.zeros(n)
    order = np.lexsort((keys, groups))
    ends = np.append(np.flatnonzero(np.diff(groups[order])) + 1, n)
    for start, stop in zip(np.append(0, ends[:-1]), ends, strict=True):
        several = round(fraction * float(stop - start))
        held[order[start : start + min(several, stop - start - 1)]] = True
    if round(fraction * n) >= n:
        raise InputError(
            f"{option('validation_fraction', fraction)} leaves none of {n} rows to train on: lower it, or leave "
            "early_stopping out"
        )
    if not held.any():
        raise InputError(
            f"{option('validation_fraction', fraction)} holds out none of {n} rows: raise it, or leave early_stopping "
            "out"
        )
    return held


class Validation:
    """The score of one learner on the rows held out: accuracy, or for numbers the coefficient of determination."""

    def __init__(self, problem: Problem, labels: Labels | None, held: Examples) -> None:
        self.regression = labels is None
        self.joint = problem.positive is None
        members = None if labels is None else problem.members(held.targets, len(labels))
        self.held = held if members is None else select_examples(held, members)
        targets = self.held.targets
        self.targets = targets if self.regression or self.joint else (targets == float(problem.positive or 0)) * 1.0
        self.weights = np.ones(len(targets)) if self.held.weights is None else self.held.weights

    def score(self, learner: Learner) -> float:
        """How the learner does as it is now."""
        if not len(self.targets):
            return 0.0
        w, b = learner.solution()
        votes = learner.votes()
        classes = None if self.regression else np.arange(max(2, len(b)))
        model = LinearModel(np.ascontiguousarray(w), b, classes, votes=() if votes is None else (votes,))
        decision = model.decision(self.held.rows)
        if not self.regression:
            return float(np.average(model.codes(decision) == self.targets, weights=self.weights))
        about = self.targets - np.average(self.targets, weights=self.weights)
        spread = float(self.weights @ about**2)
        return 1.0 - float(self.weights @ (self.targets - decision) ** 2) / spread if spread > 0 else 0.0
