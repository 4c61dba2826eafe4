"""The losses of support vector regression: residuals up to epsilon cost nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.errors import RecipeError
from linnet.learners.losses import Loss

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class EpsilonInsensitive(Loss):
    """max(0, |z - y| - epsilon) (Vapnik 1995)."""

    family, code = "epsilon_insensitive", 7
    unit_slopes = True
    of_residual = True

    def __init__(self, epsilon: float = 0.0) -> None:
        if not 0 <= epsilon < float("inf"):
            raise RecipeError(f"epsilon must be 0 or more and finite; it is {epsilon:g}")
        self.epsilon = float(epsilon)
        self.name = f"{self.family}:{self.epsilon:g}"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.epsilon == getattr(other, "epsilon", None)

    def __hash__(self) -> int:
        return hash((self.family, self.epsilon))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.epsilon:g})"

    def to_plain(self) -> str:
        return f"{self.family}:{self.epsilon!r}"

    def __reduce__(self) -> Any:
        return type(self), (self.epsilon,)

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"{self.family.replace('_', ' ')} loss at {self.epsilon:g}"

    def reported(self, predicted: Floats, targets: Floats) -> Floats:
        return self.value(predicted, targets)

    def _beyond(self, scores: Floats, targets: Floats) -> Floats:
        import numpy as np

        return np.maximum(np.abs(scores - targets) - self.epsilon, 0.0)

    def value(self, scores: Floats, targets: Floats) -> Floats:
        return self._beyond(scores, targets)

    def slope(self, scores: Floats, targets: Floats) -> Floats:
        import numpy as np

        return np.sign(scores - targets) * (self._beyond(scores, targets) > 0)

    def conjugate(self, slopes: Floats, targets: Floats) -> Floats:
        import numpy as np

        return slopes * targets + self.epsilon * np.abs(slopes)

    def allowed(self, slopes: Floats, targets: Floats) -> Floats:  # noqa: ARG002
        import numpy as np

        return np.clip(slopes, -1.0, 1.0)


class SquaredEpsilonInsensitive(EpsilonInsensitive):
    """max(0, |z - y| - epsilon)^2."""

    family, code = "squared_epsilon_insensitive", 8
    unit_slopes = False
    largest_curvature = 2.0
    unbounded_slopes = True

    def value(self, scores: Floats, targets: Floats) -> Floats:
        return self._beyond(scores, targets) ** 2

    def slope(self, scores: Floats, targets: Floats) -> Floats:
        import numpy as np

        return 2.0 * np.sign(scores - targets) * self._beyond(scores, targets)

    def curvature(self, scores: Floats, targets: Floats) -> Floats:
        import numpy as np

        # at epsilon itself the larger one: by the smaller, steps from an exact fit lead away from it
        return np.where(np.abs(scores - targets) >= self.epsilon, 2.0, 0.0)

    def conjugate(self, slopes: Floats, targets: Floats) -> Floats:
        return super().conjugate(slopes, targets) + 0.25 * slopes * slopes

    def allowed(self, slopes: Floats, targets: Floats) -> Floats:  # noqa: ARG002
        return slopes
