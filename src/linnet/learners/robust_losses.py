"""Losses that outliers do not rule: the pinball loss of quantiles, and Huber's, with a scale or without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.errors import RecipeError
from linnet.learners.losses import Loss

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Pinball(Loss):
    """q (y - z) where z is below y, (1 - q) (z - y) where it is above: least where a fraction q of the targets is
    below z (Koenker, Bassett 1978)."""

    of_residual = True

    def __init__(self, quantile: float = 0.5) -> None:
        if not 0 < quantile < 1:
            raise RecipeError(f"quantile must lie between 0 and 1, without either; it is {quantile:g}")
        self.quantile = float(quantile)
        self.name = f"pinball:{self.quantile:g}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pinball) and self.quantile == other.quantile

    def __hash__(self) -> int:
        return hash(("pinball", self.quantile))

    def __repr__(self) -> str:
        return f"Pinball({self.quantile:g})"

    def to_plain(self) -> str:
        return f"pinball:{self.quantile!r}"

    def __reduce__(self) -> Any:
        return Pinball, (self.quantile,)

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"pinball loss at {self.quantile:g}"

    def reported(self, predicted: Floats, targets: Floats) -> Floats:
        return self.value(predicted, targets)

    def value(self, scores: Floats, targets: Floats) -> Floats:
        import numpy as np

        above = scores - targets
        return np.maximum((1.0 - self.quantile) * above, -self.quantile * above)

    def slope(self, scores: Floats, targets: Floats) -> Floats:
        import numpy as np

        sides = np.sign(scores - targets)
        return np.asarray(0.5 * (sides * 1.0 + (1.0 - 2.0 * self.quantile)))

    def conjugate(self, slopes: Floats, targets: Floats) -> Floats:
        return slopes * targets

    def allowed(self, slopes: Floats, targets: Floats) -> Floats:  # noqa: ARG002
        import numpy as np

        return np.clip(slopes, -self.quantile, 1.0 - self.quantile)


class Huber(Loss):
    """Half of s + s H((y - z) / s) with H(t) = t^2 where |t| <= epsilon and a line beyond, at the scale s that is best
    for all rows together: it is no loss of one row, and has a solver and a certificate of its own."""

    of_residual = True
    unpenalised_by_newton = True

    def __init__(self, epsilon: float = 1.35) -> None:
        if not 1 <= epsilon < float("inf"):
            raise RecipeError(f"epsilon must be 1 or more and finite; it is {epsilon:g}")
        self.epsilon = float(epsilon)
        self.name = f"huber:{self.epsilon:g}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Huber) and self.epsilon == other.epsilon

    def __hash__(self) -> int:
        return hash(("huber", self.epsilon))

    def __repr__(self) -> str:
        return f"Huber({self.epsilon:g})"

    def to_plain(self) -> str:
        return f"huber:{self.epsilon!r}"

    def __reduce__(self) -> Any:
        return Huber, (self.epsilon,)

    @property
    def has_conjugate(self) -> bool:
        return False

    @property
    def smooth(self) -> bool:
        return True


class FixedHuber(Loss):
    """(z - y)^2 / 2 where |z - y| <= epsilon, a line beyond (Huber 1964, Robust estimation of a location parameter)."""

    code = 6
    of_residual = True
    largest_curvature = 1.0

    def __init__(self, epsilon: float = 0.1) -> None:
        if not 0 < epsilon < float("inf"):
            raise RecipeError(f"epsilon must be above 0 and finite; it is {epsilon:g}")
        self.epsilon = float(epsilon)
        self.name = f"fixed_huber:{self.epsilon:g}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FixedHuber) and self.epsilon == other.epsilon

    def __hash__(self) -> int:
        return hash(("fixed_huber", self.epsilon))

    def __repr__(self) -> str:
        return f"FixedHuber({self.epsilon:g})"

    def to_plain(self) -> str:
        return f"fixed_huber:{self.epsilon!r}"

    def __reduce__(self) -> Any:
        return FixedHuber, (self.epsilon,)

    def value(self, scores: Floats, targets: Floats) -> Floats:
        import numpy as np

        sizes = np.abs(scores - targets)
        return np.where(sizes <= self.epsilon, 0.5 * sizes * sizes, self.epsilon * (sizes - 0.5 * self.epsilon))

    def slope(self, scores: Floats, targets: Floats) -> Floats:
        import numpy as np

        return np.clip(scores - targets, -self.epsilon, self.epsilon)

    def curvature(self, scores: Floats, targets: Floats) -> Floats:
        import numpy as np

        return (np.abs(scores - targets) <= self.epsilon).astype(float)

    def conjugate(self, slopes: Floats, targets: Floats) -> Floats:
        return 0.5 * slopes**2 + slopes * targets

    def allowed(self, slopes: Floats, targets: Floats) -> Floats:  # noqa: ARG002
        import numpy as np

        return np.clip(slopes, -self.epsilon, self.epsilon)
