"""Loss functions: each is one object with all that solvers and certificates need of it.

    value(z, y)      the loss of a score z for the target y
    slope(z, y)      its derivative by z, a subgradient at a kink
    curvature(z, y)  its second derivative by z (smooth losses)
    conjugate(g, y)  max over z of g z - value(z, y), for slopes g in its domain; `allowed` brings others there

The target of a classifier is a sign: y = 1 for the positive class of the problem, -1 for all others.  Most such losses
depend on the margin m = y z alone; `MarginLoss` makes all of the above from functions of m and of a = -y g >= 0.
Losses of all scores of a row are in joint_losses.py.

A new loss is one more object: the batch solvers fit it and certify the fit.  `code` is its number in the compiled
kernels, which have fast copies of some; online learners need one, batch learners do not.

NumPy is imported where it is used: `linnet --help` lists learners without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from linnet.learners.joint_losses import JointHinge, JointLoss, Softmax, x_log_x

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from linnet.learners.values import Values

    Floats = NDArray[np.float64]

INFINITY = float("inf")


class Loss:
    """A convex loss that is nowhere negative."""

    name: str
    # the kernels' number; None for a loss that they do not know
    code: int | None = None
    # the largest second derivative; infinite where the slope jumps
    largest_curvature: float = INFINITY
    # whether the second derivative is positive everywhere
    strictly_convex: bool = False
    # whether it is a parabola, of curvature `largest_curvature` everywhere
    is_quadratic: bool = False
    # whether the conjugate is finite for every slope
    unbounded_slopes: bool = False
    # whether scores are log-odds, from which probabilities follow
    log_odds: bool = False
    # how the score is linked to the predicted number
    link: str = "identity"
    # whether it is a loss of z - y alone; and the residual up to which it is a parabola, or nothing
    of_residual: bool = False
    epsilon: float = 0.0
    # whether its slope is 1, 0 or -1, so that a passive-aggressive step of the size of the loss just mends it
    unit_slopes: bool = False
    # whether Newton's method takes it without a penalty, too
    unpenalised_by_newton: bool = False
    # what an evaluation calls the mean of `reported`; empty for losses that have no figure of their own there
    title: str = ""
    # whether the mean of the targets is its best constant, and `saturated` says its loss
    explains: bool = False
    # the numbers to predict that have a loss; None for all
    targets: Values | None = None
    # the form for several classes at once, one score each
    joint: JointLoss | None = None

    PERCEPTRON: ClassVar[Loss]
    HINGE: ClassVar[Loss]
    SQUARED_HINGE: ClassVar[Loss]
    LOGISTIC: ClassVar[Loss]
    SQUARED: ClassVar[Loss]
    MODIFIED_HUBER: ClassVar[Loss]

    @property
    def smooth(self) -> bool:
        """Whether the slope never jumps."""
        return self.largest_curvature < INFINITY

    @property
    def has_conjugate(self) -> bool:
        """Whether a duality gap can be computed."""
        return True

    @property
    def no_conjugate_reason(self) -> str:
        """Why none can be, where that is so."""
        return f"no dual is known here for the {self.name} loss"

    def level(self, mean: float) -> float:  # noqa: ARG002
        """A score to begin with, for targets of this mean."""
        return 0.0

    def usual_curvature(self, mean: float) -> float:  # noqa: ARG002
        """The second derivative to measure weights by, for targets of this mean: the largest, where there is one."""
        return self.largest_curvature

    def value(self, scores: Floats, targets: Floats) -> Floats:
        raise NotImplementedError

    def slope(self, scores: Floats, targets: Floats) -> Floats:
        raise NotImplementedError

    def curvature(self, scores: Floats, targets: Floats) -> Floats:
        raise NotImplementedError

    def conjugate(self, slopes: Floats, targets: Floats) -> Floats:
        raise NotImplementedError

    def allowed(self, slopes: Floats, targets: Floats) -> Floats:
        """The nearest slopes for which the conjugate is finite."""
        raise NotImplementedError

    def reported(self, predicted: Floats, targets: Floats) -> Floats:
        """The loss of predicted numbers, as evaluations report it."""
        raise NotImplementedError

    def saturated(self, targets: Floats) -> Floats:
        """What is left of the loss of the mean of some targets: the mean of `saturated` less that of their mean."""
        raise NotImplementedError

    def at(self, scores: Floats, targets: Floats) -> tuple[Floats, Floats]:
        """Values and slopes together, for losses where one computation gives both."""
        return self.value(scores, targets), self.slope(scores, targets)

    def with_curvature(self, scores: Floats, targets: Floats) -> tuple[Floats, Floats, Floats]:
        """Values, slopes and second derivatives together."""
        return (*self.at(scores, targets), self.curvature(scores, targets))

    def slopes_and_curvatures(self, scores: Floats, targets: Floats) -> tuple[Floats, Floats]:
        """Where values are not needed."""
        return self.with_curvature(scores, targets)[1:]

    def __repr__(self) -> str:
        return f"Loss.{self.name.upper()}"

    def to_plain(self) -> str:
        """As a file holds it: by name."""
        return self.name

    @classmethod
    def from_plain(cls, plain: Any) -> Loss:
        """The loss of this name, of those that are named here; or of a family, by its name and parameters."""
        if isinstance(plain, str) and ":" in plain:
            from linnet.learners.loss_families import from_plain

            return from_plain(plain)
        found = getattr(Loss, plain.upper(), None) if isinstance(plain, str) else None
        if not isinstance(found, Loss):
            raise TypeError(f"no loss is called {plain!r}")
        return found

    # Named losses stay themselves when a recipe is copied or pickled.

    def __copy__(self) -> Loss:
        return self

    def __deepcopy__(self, _: Any) -> Loss:
        return self

    def __reduce__(self) -> Any:
        if getattr(Loss, self.name.upper(), None) is self:
            return getattr, (Loss, self.name.upper())
        return super().__reduce__()


class MarginLoss(Loss):
    """A loss of the margin m = y z, which falls as m grows; a = -d loss / d m is its pull."""

    # the domain of the conjugate: 0 <= a <= largest_pull
    largest_pull: float = 1.0

    def of_margin(self, margins: Floats) -> Floats:
        raise NotImplementedError

    def pull(self, margins: Floats) -> Floats:
        raise NotImplementedError

    def bend(self, margins: Floats) -> Floats:
        """The second derivative by m, which is that by z."""
        raise NotImplementedError

    def conjugate_of_pull(self, pulls: Floats) -> Floats:
        """max over m of -a m - loss(m)."""
        raise NotImplementedError

    def both(self, margins: Floats) -> tuple[Floats, Floats]:
        """Value and pull together."""
        return self.of_margin(margins), self.pull(margins)

    def value(self, scores: Floats, targets: Floats) -> Floats:
        return self.of_margin(targets * scores)

    def slope(self, scores: Floats, targets: Floats) -> Floats:
        return -targets * self.pull(targets * scores)

    def curvature(self, scores: Floats, targets: Floats) -> Floats:
        return self.bend(targets * scores)

    def conjugate(self, slopes: Floats, targets: Floats) -> Floats:
        return self.conjugate_of_pull(-targets * slopes)

    def allowed(self, slopes: Floats, targets: Floats) -> Floats:
        import numpy as np

        clipped: Floats = -targets * np.clip(-targets * slopes, 0.0, self.largest_pull)
        return clipped

    def at(self, scores: Floats, targets: Floats) -> tuple[Floats, Floats]:
        values, pulls = self.both(targets * scores)
        return values, -targets * pulls


class _Perceptron(MarginLoss):
    """max(0, -m).  It pulls at m = 0, too: otherwise w = 0 would never change."""

    name, code = "perceptron", 0

    @property
    def has_conjugate(self) -> bool:
        return False  # its minimum, 0, is at w = 0: a gap would say nothing about the classes

    def of_margin(self, margins: Floats) -> Floats:
        import numpy as np

        return np.maximum(0.0, -margins)

    def pull(self, margins: Floats) -> Floats:
        return (margins <= 0).astype(float)


class _Hinge(MarginLoss):
    """max(0, 1 - m)."""

    name, code = "hinge", 1
    unit_slopes = True
    joint = JointHinge()

    def of_margin(self, margins: Floats) -> Floats:
        import numpy as np

        return np.maximum(0.0, 1.0 - margins)

    def pull(self, margins: Floats) -> Floats:
        return (margins < 1).astype(float)

    def conjugate_of_pull(self, pulls: Floats) -> Floats:
        return -pulls


class _SquaredHinge(MarginLoss):
    """max(0, 1 - m)^2."""

    name, code = "squared_hinge", 2
    largest_curvature = 2.0
    largest_pull = INFINITY

    def of_margin(self, margins: Floats) -> Floats:
        return self.both(margins)[0]

    def pull(self, margins: Floats) -> Floats:
        return self.both(margins)[1]

    def bend(self, margins: Floats) -> Floats:
        return 2.0 * (margins < 1).astype(float)

    def conjugate_of_pull(self, pulls: Floats) -> Floats:
        return 0.25 * pulls * pulls - pulls

    def both(self, margins: Floats) -> tuple[Floats, Floats]:
        import numpy as np

        short = np.maximum(0.0, 1.0 - margins)
        return short * short, 2.0 * short


class _Logistic(MarginLoss):
    """log(1 + exp(-m))."""

    name, code = "logistic", 3
    largest_curvature = 0.25
    strictly_convex = True
    log_odds = True
    joint = Softmax()

    def of_margin(self, margins: Floats) -> Floats:
        return self.both(margins)[0]

    def pull(self, margins: Floats) -> Floats:
        return self.both(margins)[1]

    def bend(self, margins: Floats) -> Floats:
        pulls = self.pull(margins)
        return pulls * (1.0 - pulls)

    def conjugate_of_pull(self, pulls: Floats) -> Floats:
        return x_log_x(pulls) + x_log_x(1.0 - pulls)

    def both(self, margins: Floats) -> tuple[Floats, Floats]:
        import numpy as np

        e = np.exp(-np.abs(margins))
        return np.log1p(e) + np.maximum(0.0, -margins), np.where(margins >= 0, e, 1.0) / (1.0 + e)


class _ModifiedHuber(MarginLoss):
    """max(0, 1 - m)^2, but a line -4 m below m = -1 (Zhang 2004, Statistical behavior and consistency of
    classification methods based on convex risk minimization)."""

    name, code = "modified_huber", 5
    largest_curvature = 2.0
    largest_pull = 4.0

    def of_margin(self, margins: Floats) -> Floats:
        import numpy as np

        short = np.maximum(0.0, 1.0 - margins)
        return np.where(margins < -1, -4.0 * margins, short * short)

    def pull(self, margins: Floats) -> Floats:
        import numpy as np

        return np.clip(2.0 * (1.0 - margins), 0.0, 4.0)

    def bend(self, margins: Floats) -> Floats:
        return 2.0 * ((margins >= -1) & (margins < 1)).astype(float)

    def conjugate_of_pull(self, pulls: Floats) -> Floats:
        return 0.25 * pulls * pulls - pulls


class _Squared(Loss):
    """(z - y)^2 / 2, for numbers or for signs."""

    name, code = "squared", 4
    largest_curvature = 1.0
    strictly_convex = True
    is_quadratic = True
    unbounded_slopes = True
    of_residual = True

    def value(self, scores: Floats, targets: Floats) -> Floats:
        return self.at(scores, targets)[0]

    def slope(self, scores: Floats, targets: Floats) -> Floats:
        return scores - targets

    def at(self, scores: Floats, targets: Floats) -> tuple[Floats, Floats]:
        residuals = scores - targets
        return 0.5 * residuals**2, residuals

    def curvature(self, scores: Floats, targets: Floats) -> Floats:  # noqa: ARG002
        import numpy as np

        return np.ones_like(scores)

    def conjugate(self, slopes: Floats, targets: Floats) -> Floats:
        return 0.5 * slopes**2 + slopes * targets

    def allowed(self, slopes: Floats, targets: Floats) -> Floats:  # noqa: ARG002
        return slopes


Loss.PERCEPTRON, Loss.HINGE, Loss.SQUARED_HINGE = _Perceptron(), _Hinge(), _SquaredHinge()
Loss.LOGISTIC, Loss.SQUARED, Loss.MODIFIED_HUBER = _Logistic(), _Squared(), _ModifiedHuber()
# Those without parameters.
NAMED = (Loss.PERCEPTRON, Loss.HINGE, Loss.SQUARED_HINGE, Loss.LOGISTIC, Loss.SQUARED, Loss.MODIFIED_HUBER)
