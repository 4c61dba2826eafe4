"""Losses of all scores of a row, for many classes in one problem.

NumPy is imported where it is used, as in losses.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

INFINITY = float("inf")


class JointLoss:
    """A loss of all scores of a row; `own` is 1 in the column of the row's class, else 0.

    Slopes are q - own with q a distribution over the classes, and so is the domain of the conjugate.
    """

    largest_curvature: float = INFINITY

    @property
    def smooth(self) -> bool:
        return self.largest_curvature < INFINITY

    def at(self, scores: Floats, own: Floats) -> tuple[Floats, Floats]:
        """Values, and the distributions q."""
        raise NotImplementedError

    def curvature(self, q: Floats, along: Floats) -> Floats:
        """The second derivative by the scores, where q is the distribution, times a change of the scores."""
        raise NotImplementedError

    def curvatures(self, q: Floats) -> Floats:
        """The second derivative by each score alone."""
        raise NotImplementedError

    def conjugate(self, q: Floats, own: Floats) -> Floats:
        raise NotImplementedError


class JointHinge(JointLoss):
    """The lead of the best rival, raised by 1 (Crammer, Singer 2001)."""

    def at(self, scores: Floats, own: Floats) -> tuple[Floats, Floats]:
        import numpy as np

        raised = scores + 1.0 - own
        q = np.zeros_like(scores)
        q[np.arange(len(scores)), raised.argmax(axis=1)] = 1.0
        return raised.max(axis=1) - (own * scores).sum(axis=1), q

    def conjugate(self, q: Floats, own: Floats) -> Floats:
        lost: Floats = (own * q).sum(axis=1) - 1.0
        return lost


class Softmax(JointLoss):
    """-log of the probability that the scores give the row's class."""

    largest_curvature = 0.5

    def at(self, scores: Floats, own: Floats) -> tuple[Floats, Floats]:
        import numpy as np

        top = scores.max(axis=1, keepdims=True)
        e = np.exp(scores - top)
        total = e.sum(axis=1, keepdims=True)
        return (np.log(total) + top)[:, 0] - (own * scores).sum(axis=1), e / total

    def curvature(self, q: Floats, along: Floats) -> Floats:
        product: Floats = q * (along - (q * along).sum(axis=1, keepdims=True))  # diag(q) - q q', without a table
        return product

    def curvatures(self, q: Floats) -> Floats:
        return q * (1.0 - q)

    def conjugate(self, q: Floats, own: Floats) -> Floats:  # noqa: ARG002
        import numpy as np

        entropy: Floats = x_log_x(q) @ np.ones(q.shape[1])  # a quarter of the time of a sum along rows
        return entropy


def x_log_x(x: Floats) -> Floats:
    """x log x, and 0 at 0."""
    import numpy as np

    product: Floats = x * np.log(np.where(x > 0, x, 1.0))
    return product
