"""Half deviances of generalised linear models: the losses of counts, amounts and durations.

The score z is linked to the mean m by m = exp(z) (log link) or m = z (identity).  For Tweedie's family of power p,
whose variance grows as m^p,

    d(m, y) = c(y) - y m^(1-p) / (1-p) + m^(2-p) / (2-p),    c(y) = y^(2-p) / ((1-p)(2-p))

with its limits, Poisson at p = 1 and gamma at p = 2,

    y log(y / m) - y + m,        y / m - log(y / m) - 1

and half of the squared error at p = 0; c makes it 0 at m = y, so that no loss is negative.  With the log link it is
convex for 1 <= p <= 2, and has the slope m^(2-p) - y m^(1-p).  (Jorgensen 1997, The theory of dispersion models.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.errors import RecipeError
from linnet.learners.losses import Loss
from linnet.learners.values import NON_NEGATIVE_TARGETS, POSITIVE_TARGETS, Values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LINKS = ("log", "identity")
# Newton's steps for the slope's inverse, from a point where they cannot overshoot: far more than are ever needed.
INVERSE_STEPS = 100
# A second derivative of 0 must not divide.
TINY = 1e-300


class Tweedie(Loss):
    """The half deviance of a power and a link."""

    unpenalised_by_newton = True
    explains = True

    def __init__(self, power: float, link: str = "log") -> None:
        check_power(power)
        if link not in LINKS:
            raise RecipeError(f"link={link!r} is not known; there are {', '.join(map(repr, LINKS))}")
        self.power, self.link = float(power), link
        self.name = f"tweedie:{self.power:g}:{link}"
        if self._squared:
            self.largest_curvature, self.unbounded_slopes, self.of_residual = 1.0, True, True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tweedie) and (self.power, self.link) == (other.power, other.link)

    def __hash__(self) -> int:
        return hash((self.power, self.link))

    def __repr__(self) -> str:
        return f"Tweedie({self.power:g}, {self.link!r})"

    def to_plain(self) -> str:
        return f"tweedie:{self.power!r}:{self.link}"

    def __reduce__(self) -> Any:
        return Tweedie, (self.power, self.link)

    @property
    def smooth(self) -> bool:
        return True

    @property
    def convex(self) -> bool:
        """Whether every local minimum is the global one."""
        return self._log_convex or (self.link == "identity" and 0 <= self.power <= 1)

    @property
    def _log_convex(self) -> bool:
        return self.link == "log" and 1 <= self.power <= 2

    @property
    def _squared(self) -> bool:
        """Half of the squared error."""
        return self.power == 0 and self.link == "identity"

    @property
    def has_conjugate(self) -> bool:
        return self._log_convex or self._squared

    @property
    def no_conjugate_reason(self) -> str:
        if not self.convex:
            return f"the deviance of power {self.power:g} is not convex in the score of the {self.link} link"
        return f"no dual is known here for the deviance of power {self.power:g} with the {self.link} link"

    @property
    def strictly_convex(self) -> bool:  # type: ignore[override]
        return self.has_conjugate

    @property
    def targets(self) -> Values | None:  # type: ignore[override]
        """The numbers that have a deviance."""
        if self.power <= 0:
            return None
        return POSITIVE_TARGETS if self.power >= 2 else NON_NEGATIVE_TARGETS

    @property
    def title(self) -> str:  # type: ignore[override]
        family = {0.0: "", 1.0: "Poisson deviance", 2.0: "gamma deviance"}
        return family.get(self.power, f"Tweedie deviance of power {self.power:g}")

    def reported(self, predicted: Floats, targets: Floats) -> Floats:
        """The deviance, twice the loss."""
        import numpy as np

        return 2.0 * self.of_mean(np.maximum(predicted, TINY), targets)

    # -- of the mean -------------------------------------------------------------------------------------------------

    def mean(self, scores: Floats) -> Floats:
        """The mean that a score stands for."""
        import numpy as np

        if self.link == "identity":
            return scores
        with np.errstate(over="ignore"):
            return np.exp(scores)

    def level(self, mean: float) -> float:
        """The score of this mean, which of all constants fits targets of this mean best."""
        from math import log

        return mean if self.link == "identity" or mean <= 0 else log(mean)

    def of_mean(self, means: Floats, targets: Floats) -> Floats:
        """Half of the deviance of these means; infinite where a mean is not allowed."""
        import numpy as np

        p = self.power
        if p == 0:
            return np.asarray(0.5 * (targets - means) ** 2)
        with np.errstate(all="ignore"):
            if p == 1:
                values = means - targets - targets * np.log(means / np.where(targets > 0, targets, means))
            elif p == 2:
                ratio = targets / means
                values = ratio - np.log(ratio) - 1.0
            else:
                rest = means ** (2 - p) / (2 - p) - targets * means ** (1 - p) / (1 - p)
                values = self.saturated(targets) + rest
            return np.where(means > 0, np.maximum(values, 0.0), np.inf)

    def saturated(self, targets: Floats) -> Floats:
        """c(y), the part of the half deviance that does not depend on the mean."""
        import numpy as np

        p = self.power
        if p == 0:
            return 0.5 * targets**2
        with np.errstate(all="ignore"):
            if p == 1:
                return targets * np.log(np.where(targets > 0, targets, 1.0)) - targets
            if p == 2:
                return -np.log(targets) - 1.0
            return np.asarray(np.maximum(targets, 0.0) ** (2 - p) / ((1 - p) * (2 - p)))

    # -- of the score ------------------------------------------------------------------------------------------------

    def value(self, scores: Floats, targets: Floats) -> Floats:
        return self.at(scores, targets)[0]

    def slope(self, scores: Floats, targets: Floats) -> Floats:
        return self.at(scores, targets)[1]

    def at(self, scores: Floats, targets: Floats) -> tuple[Floats, Floats]:
        values, slopes, _ = self.with_curvature(scores, targets)
        return values, slopes

    def with_curvature(self, scores: Floats, targets: Floats) -> tuple[Floats, Floats, Floats]:
        """Of the log link, the powers of the mean are worked out once for all three."""
        import numpy as np

        p = self.power
        with np.errstate(over="ignore", invalid="ignore"):
            if not self._log_convex:
                means = self.mean(scores)
                return self.of_mean(means, targets), self._slope(means, targets), self.curvature(scores, targets)
            if p in (1, 2):
                slopes, bends = self.slopes_and_curvatures(scores, targets)
                values = scores - (_log_or_0(targets) if p == 1 else np.log(targets))
                if p == 1:
                    values *= -targets
                    values += slopes
                else:
                    values -= slopes
            else:
                rising, falling = np.exp((2 - p) * scores), targets * np.exp((1 - p) * scores)
                slopes, bends = rising - falling, (2 - p) * rising + (p - 1) * falling
                values = self.saturated(targets) + rising / (2 - p) - falling / (1 - p)
        return np.maximum(values, 0.0, out=values), slopes, bends

    def slopes_and_curvatures(self, scores: Floats, targets: Floats) -> tuple[Floats, Floats]:
        """Those of counts and amounts take no logarithm of the targets."""
        import numpy as np

        if not self._log_convex or self.power not in (1, 2):
            return super().slopes_and_curvatures(scores, targets)
        with np.errstate(over="ignore", invalid="ignore"):
            if self.power == 1:
                bends = np.exp(scores)
                return bends - targets, bends
            bends = np.exp(-scores)
            bends *= targets
            return 1.0 - bends, bends

    def _slope(self, means: Floats, targets: Floats) -> Floats:
        import numpy as np

        p = self.power
        with np.errstate(all="ignore"):
            by_mean = (means - targets) * means ** (-p) if p else means - targets
            return np.asarray(by_mean * means if self.link == "log" else by_mean)

    def curvature(self, scores: Floats, targets: Floats) -> Floats:
        """The second derivative; where the loss is not convex, its expectation (Fisher's scoring), which is above 0."""
        import numpy as np

        p = self.power
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            if self._log_convex:
                rising = 1.0 if p == 2 else np.exp((2 - p) * scores)
                return np.asarray((2 - p) * rising + (p - 1) * targets * np.exp((1 - p) * scores))
            means = self.mean(scores)
            if self.link == "log":
                return np.asarray(means ** (2 - p))
            return np.asarray(means ** (-p)) if p else np.ones_like(means)

    def usual_curvature(self, mean: float) -> float:
        """The second derivative at the mean, for a target as large: what weights are measured by."""
        if not mean > 0:
            return 1.0
        return float(mean ** (2 - self.power if self.link == "log" else -self.power))

    # -- the dual ------------------------------------------------------------------------------------------------------

    def conjugate(self, slopes: Floats, targets: Floats) -> Floats:
        import numpy as np

        p = self.power
        if p == 0:
            return np.asarray(0.5 * slopes**2 + slopes * targets)
        if p == 1:
            means = slopes + targets
            found = _log_or_0(means)
            found *= means
            found -= means
            found -= self.saturated(targets)
            return found
        if p == 2:
            ratio = 1.0 - slopes
            return np.asarray(ratio * _log_or_0(ratio) + slopes * (1.0 + np.log(targets)))
        scores = self._inverse(slopes, targets)
        # any score gives less than the maximum: the bound that is proven must be above it, by Newton's last step
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            values, there = self.at(scores, targets)
            bends = self.curvature(scores, targets)
            off = (slopes - there) ** 2 / np.maximum(bends, TINY)
        found = slopes * scores - values + off
        # a target of 0 has no falling part: its slope 0 is met at -infinity, where the loss is 0
        return np.where((targets == 0) & (slopes <= 0), 0.0, found)

    def _inverse(self, slopes: Floats, targets: Floats) -> Floats:
        """The score where the loss has this slope.

        With a = 2 - p and b = p - 1 the slope is exp(a z) - y exp(-b z), which rises in z.  The first score is where
        the larger of the two parts alone is as large, and the root is less than log 2 / b away: few steps are needed.
        """
        import numpy as np

        a, b = 2 - self.power, self.power - 1
        y = np.where(targets > 0, targets, 1.0)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            above = np.log(np.maximum(slopes, 0.0) ** (1 / a) + y)
            below = -np.log(np.maximum(-slopes / y, 0.0) ** (1 / b) + 1.0 / y)
            of_zero = np.log(np.maximum(slopes, TINY)) / a
            scores = np.where(targets > 0, np.where(slopes >= 0, above, below), of_zero)
            for _ in range(INVERSE_STEPS):
                off = np.exp(a * scores) - targets * np.exp(-b * scores) - slopes
                step = off / np.maximum(self.curvature(scores, targets), TINY)
                step = np.clip(np.where(np.isfinite(step), step, 0.0), -1.0, 1.0)
                scores = scores - step
                if not (np.abs(step) > 1e-15 * (1.0 + np.abs(scores))).any():
                    break
        return np.asarray(scores)

    def allowed(self, slopes: Floats, targets: Floats) -> Floats:
        import numpy as np

        if self.power == 0:
            return slopes
        if self.power == 1:
            return np.maximum(slopes, -targets)
        if self.power == 2:
            return np.minimum(slopes, 1.0)
        return np.where(targets > 0, slopes, np.maximum(slopes, 0.0))


def check_power(power: float) -> None:
    """Refuse a power that no distribution of the family has."""
    if not (power == 0 or 1 <= power < float("inf")):
        raise RecipeError(f"power must be 0, or 1 and above; it is {power:g}: there is no such distribution")


def _log_or_0(x: Floats) -> Floats:
    """log x, and 0 where x is 0: it is multiplied by x."""
    import numpy as np

    return np.asarray(np.log(np.where(x > 0, x, 1.0)))
