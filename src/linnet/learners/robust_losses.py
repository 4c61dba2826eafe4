"""Losses that outliers do not rule: the pinball loss of quantiles."""

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
