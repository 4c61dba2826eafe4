"""The mistake bounds of Winnow.

Winnow1 and Winnow2 (Littlestone 1988): let a disjunction of k of the d Boolean variables label every row correctly.
Its variables are never demoted, and are promoted only while their weight is at most Theta.  Every promotion promotes at
least one of them, so there are at most u = k (log_alpha Theta + 1) promotions.  A promotion adds at most
(alpha - 1) Theta to the sum of all weights, which starts at d; a demotion by the factor beta takes more than
(1 - beta) Theta from it, and the sum is never negative.  So there are at most (d / Theta + (alpha - 1) u) / (1 - beta)
demotions.  For Winnow1, beta = 0, both together are

    alpha k (log_alpha Theta + 1) + d / Theta.

Balanced Winnow: with a plane |u|_1 = 1, a margin gamma and the sum of hinge losses L (margin_losses.py), values from 0
to 1 and 1 for the intercept, the weights are exp(+-eta theta_j), eta = log alpha, 2 (d + 1) of them.  On a mistake
alpha^(+-x) <= 1 + (alpha^(+-1) - 1) x, and the side that should have had the larger sum did not: the sum of all weights
grows by at most the factor cosh eta.  Some weight is at least exp(eta gamma (M - L)), so

    M (eta gamma - log cosh eta) <= log(2 (d + 1)) + eta gamma L,

a bound wherever gamma > log cosh eta / eta (the argument of Littlestone 1989, and of Grove, Littlestone, Schuurmans
2001).
"""

from __future__ import annotations

import math

from linnet.learners.recipe import Factors

# The kernel (kernels/multiplicative.py) keeps weights of Winnow1 and Winnow2 at or below this,
LARGEST_WEIGHT = 1e100
# and those of balanced Winnow from exp(-LARGEST_EXPONENT) to exp(LARGEST_EXPONENT).  The theorems end there.
LARGEST_EXPONENT = 100.0 * math.log(10.0)


def winnow_bound(literals: int, variables: int, factors: Factors, threshold: float) -> float:
    """The largest possible number of mistakes of Winnow1 or Winnow2, if a disjunction of `literals` labels all rows."""
    promotions = literals * max(0.0, math.log(threshold, factors.promotion) + 1.0)
    demotions = (variables / threshold + (factors.promotion - 1.0) * promotions) / (1.0 - factors.demotion)
    return promotions + demotions


def balanced_winnow_bound(columns: int, promotion: float, gamma: float, losses: float) -> float:
    """The largest possible number of mistakes of balanced Winnow with an intercept; infinite if gamma is too small."""
    eta = math.log(promotion)
    gained = eta * gamma - log_cosh(eta)
    return (math.log(2.0 * (columns + 1)) + eta * gamma * losses) / gained if gained > 0 else math.inf


def mistakes_within_range(columns: int, promotion: float) -> float:
    """Fewer mistakes than this cannot have brought a weight of balanced Winnow to the limits of the kernel."""
    return (LARGEST_EXPONENT - math.log(2.0 * (columns + 1))) / log_cosh(math.log(promotion))


def log_cosh(x: float) -> float:
    return math.log1p(math.expm1(x) ** 2 / (2.0 * math.exp(x)))  # cosh x = 1 + (e^x - 1)^2 / 2 e^x
