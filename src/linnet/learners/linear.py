"""LinearModel: what every learner ends in, and how it decides."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows
from linnet.errors import InputError, NumericalError
from linnet.kernels import scores as kernel
from linnet.learners.recipe import Reduction
from linnet.learners.sparse_weights import SparseWeights
from linnet.learners.voting import Votes

# Scores beyond this count as this in the confidence of pairs, so that sums of them stay numbers.
LARGEST_SCORE = 1e300
# exp of this is the largest number, nearly.
LARGEST_EXPONENT = 709.782712893384


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Weights (d columns x outputs), an intercept for each output, and what the outputs mean.

    No classes: one output, the predicted number, or its logarithm (`link`); several, for several numbers.  Two classes:
    one output, positive for the second.  K classes: one output each, the largest wins; or, for pairwise classes, one
    for each pair a < b, positive for b, and votes decide.
    """

    weights: Any  # a table, or SparseWeights where most of a large table would be 0
    intercepts: NDArray[np.float64]
    classes: NDArray[Any] | None = None
    reduction: Reduction = Reduction.JOINT
    votes: tuple[Votes, ...] = field(default=(), repr=False)
    link: str = "identity"

    @property
    def pairwise(self) -> bool:
        return self.classes is not None and len(self.classes) > 2 and self.reduction is Reduction.PAIRWISE

    def scores(self, rows: Rows) -> NDArray[np.float64]:
        """(n, outputs): w . x + b of each output; where hypotheses vote, their fraction of the votes."""
        n, d = rows.shape
        if d != len(self.weights):
            raise InputError(f"the model was trained on {len(self.weights)} columns, the data have {d}")
        if self.votes:
            rows.check_finite()
            return np.concatenate([votes.count(rows) for votes in self.votes], axis=1)
        if isinstance(self.weights, SparseWeights):
            into = np.tile(self.intercepts, (n, 1))
            self.weights.add_scores(rows, into)
        else:
            into = np.empty((n, len(self.intercepts)))
            kernel.scores(rows.values, rows.ids, rows.starts, d, rows.dense, self.weights, self.intercepts, into)
        wrong = ~np.isfinite(into).all(axis=1)
        if wrong.any():
            rows.check_finite()
            row = int(np.flatnonzero(wrong)[0])
            raise NumericalError(f"row {row} has a score beyond the range of numbers: its values are too large")
        return into

    def contiguous(self) -> LinearModel:
        """The same model, its weights in the order of the file."""
        sparse = isinstance(self.weights, SparseWeights)
        return self if sparse else replace(self, weights=np.ascontiguousarray(self.weights))

    def decision(self, rows: Rows) -> NDArray[np.float64]:
        """One score a row for two classes or a number, one a row and class for more."""
        scores = self.scores(rows)
        if self.pairwise:
            return self._tournament(scores)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def evidence(self, decision: NDArray[np.float64]) -> NDArray[np.float64]:
        """What probabilities are calibrated on: scores, or, of classes fitted jointly, leads over the best rival.

        Single scores are not comparable between rows: those of naive Bayes fall with every word, in all classes.
        """
        if decision.ndim == 1 or self.reduction is not Reduction.JOINT:
            return decision
        best = np.sort(decision, axis=1)[:, -2:]
        return np.asarray(decision - np.where(decision == best[:, 1:], best[:, :1], best[:, 1:]))

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The number, or the label of the class with the largest score."""
        decision = self.decision(rows)
        if self.classes is None:
            return self.means(decision)
        predicted: NDArray[Any] = self.classes[self.codes(decision)]
        return predicted

    def means(self, decision: NDArray[np.float64]) -> NDArray[np.float64]:
        """The numbers that scores stand for, by the inverse of the link; the largest there is where it overflows."""
        if self.link == "identity":
            return decision
        return np.minimum(np.exp(np.minimum(decision, LARGEST_EXPONENT)), np.finfo(np.float64).max)

    def codes(self, decision: NDArray[np.float64]) -> NDArray[np.int64]:
        """The number of the class with the largest score."""
        assert self.classes is not None
        if decision.ndim > 1:
            largest: NDArray[np.int64] = decision.argmax(axis=1)
            return largest
        if len(self.classes) == 1:  # a stream with only one class so far
            return np.zeros(len(decision), np.int64)
        return (decision > 0).astype(np.int64)

    def predict_proba(self, rows: Rows) -> NDArray[np.float64]:
        """(n, classes): logistic for two classes, softmax for more; one-vs-rest logistics made to add up to 1."""
        return self.probabilities(self.decision(rows))

    def probabilities(self, decision: NDArray[np.float64]) -> NDArray[np.float64]:
        """What `predict_proba` makes of the scores that `decision` gives."""
        if self.classes is not None and len(self.classes) == 1:
            return np.ones((len(decision), 1))
        if decision.ndim == 1:
            second = logistic(decision)
            return np.column_stack([1.0 - second, second])
        if self.reduction is Reduction.ONE_VS_REST:
            decision = -np.logaddexp(0.0, -decision)  # the logarithms, which do not all vanish at once
        odds: NDArray[np.float64] = np.exp(decision - decision.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        return odds

    def _tournament(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The pairs' votes for each class; ties are broken by the sum of scores, squeezed below 1/3."""
        assert self.classes is not None
        classes = len(self.classes)
        votes = np.zeros((len(scores), classes))
        confidence = np.zeros_like(votes)
        pairs = [(a, b) for a in range(classes) for b in range(a + 1, classes)]
        for score, (a, b) in zip(scores.T, pairs, strict=True):
            votes[:, b] += score > 0
            votes[:, a] += score <= 0
            score = np.clip(score, -LARGEST_SCORE, LARGEST_SCORE)
            confidence[:, b] += score
            confidence[:, a] -= score
        votes += confidence / (3 * (np.abs(confidence) + 1))
        return votes


def logistic(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / (1 + exp(-score)), without overflow at either end."""
    e = np.exp(-np.abs(scores))
    return np.where(scores >= 0, 1.0, e) / (1.0 + e)
