"""The points of a path of strengths, from the strongest penalty to the weakest.

C          4^(-5), ..., 4^4 times the learner's own
alpha, L1  from where all weights are 0 on, by factors of 10^-0.4; quantile regression: from 1 on, by 10^-0.5
alpha, L2  from the usual curvature of the loss on (ridge and huber: times the rows), by factors of 10^-0.7
alpha of an online learner, or smoothing of naive Bayes: 10^1, 10^0.5, ... times the usual 10^-3, or 1

as far as 10 points go; with more or fewer, the same range in other steps.  An alpha that follows from the data is
rounded to three digits of 10^(k/10): so it does not depend on the last bits of a sum.
"""

from __future__ import annotations

from math import ceil, log10

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.errors import InputError
from linnet.learners.entry import Entry, Way
from linnet.learners.losses import Loss
from linnet.learners.regularisation import ALPHA_ONLINE
from linnet.learners.robust_losses import Huber
from linnet.learners.schedule import Step
from linnet.training.l1_path import largest_l1
from linnet.training.log_count_ratio import Text
from linnet.training.problems import Problems

Flat = NDArray[np.float64]

# The strongest and the weakest C beside the learner's own, as powers of 4.
STRONGEST_C, WEAKEST_C = -5.0, 4.0
# Decades from the strongest alpha to the weakest.
DECADES_L1, DECADES_L2, DECADES = 3.6, 6.3, 4.5


def strengths(entry: Entry, examples: Examples, labels: Labels | None, text: Text | None, points: int) -> list[float]:
    """The values of C or alpha to try on these examples, scaled as the learner takes them."""
    if entry.strength == "C":
        powers = np.linspace(STRONGEST_C, WEAKEST_C, points)
        return [float(f"{_own_C(entry) * 4.0**power:.6g}") for power in powers]
    if entry.way is Way.COUNTING:
        return _falling(1.0, DECADES, points)
    if entry.way is Way.ONLINE or labels is not None:
        return _falling(log10(ALPHA_ONLINE) + 2.0, DECADES, points)
    top, decades = _largest_alpha(entry, examples, text)
    if not 0 < top < np.inf:
        raise InputError("the target does not vary with any column: there is no penalty to tune")
    return _falling(ceil(10.0 * log10(top)) / 10.0, decades, points)


def _own_C(entry: Entry) -> float:
    """The learner's own C."""
    penalty = entry.recipe.penalty
    own = penalty.l1 + penalty.l2
    aggressive = entry.recipe.schedule.step is not Step.POWER
    return entry.recipe.schedule.eta if aggressive else 1.0 / own if own else 1.0


def _falling(top: float, decades: float, points: int) -> list[float]:
    """Powers of ten from 10^top on, over so many decades."""
    return [float(f"{10.0**power:.3g}") for power in top - np.linspace(0.0, decades, points)]


def _largest_alpha(entry: Entry, examples: Examples, text: Text | None) -> tuple[float, float]:
    """The largest alpha for a number, and over how many decades it falls."""
    penalty, loss = entry.recipe.penalty, entry.recipe.loss
    problem = Problems(entry, examples, None, text=text)[0].objective
    if penalty.l1 > 0 and loss is Loss.SQUARED:
        ratio = penalty.l1 / (penalty.l1 + penalty.l2)
        return largest_l1(problem) / ratio * (problem.total if penalty.total else 1.0), DECADES_L1
    if penalty.l1 > 0:
        return 1.0, DECADES
    curvature = loss.usual_curvature(problem.mean_target)
    if isinstance(loss, Huber):  # its scale has the unit of the target
        curvature = 1.0 / (float(np.std(examples.targets)) or 1.0)
    return curvature * (problem.total if penalty.total else 1.0), DECADES_L2
