"""The Bayesian correlated t-test: how probable it is that a learner is better, equivalent, or worse."""

from __future__ import annotations

import math

from linnet.errors import InputError
from linnet.evaluation.corrected_t import Resampled
from linnet.evaluation.distributions import student_above
from linnet.evaluation.paired_comparison import Posterior


def correlated_t(differences: Resampled, rope: float) -> Posterior:
    """The posterior of the mean difference, cut at -rope and rope.

    With the prior 1/σ, and the correlation of folds that the corrected t-test assumes, the mean difference is
    distributed as Student's t with J - 1 degrees of freedom around the mean that was seen, scaled by its corrected
    standard error (Corani, Benavoli 2015, A Bayesian approach for comparing cross-validated algorithms on multiple data
    sets, Machine Learning 100).  Differences that are all equal leave no doubt.
    """
    check_rope(rope)
    mean, error = differences.mean, differences.error
    if math.isnan(error):
        return Posterior(math.nan, math.nan, math.nan, rope)
    if error == 0:
        better, worse = float(mean > rope), float(mean < -rope)
    else:
        better = student_above(differences.degrees, (rope - mean) / error)
        worse = student_above(differences.degrees, (rope + mean) / error)
    return Posterior(better, max(0.0, 1 - better - worse), worse, rope)


def check_rope(rope: float) -> None:
    if not 0 <= rope < math.inf:
        raise InputError(f"rope is {rope}: pass how far equivalent scores may differ, at least 0, such as 0.01")
