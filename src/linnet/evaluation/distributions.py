"""Distribution functions and quantiles for confidence intervals: of the gamma and beta distributions from a kernel
(kernels/incomplete.py), and those that follow from them."""

from __future__ import annotations

import math
from math import erfc, exp, pi, sqrt

from linnet.kernels.incomplete import betainc as betainc
from linnet.kernels.incomplete import betaincinv as betaincinv
from linnet.kernels.incomplete import gammainc as gammainc
from linnet.kernels.incomplete import gammaincinv as gammaincinv


def normal_quantile(p: float) -> float:
    """Of the standard normal distribution: by Newton's method on the nearer tail, which is convex, from 0."""
    tail, z = min(p, 1 - p), 0.0
    for _ in range(200):
        step = (0.5 * erfc(z / sqrt(2)) - tail) * sqrt(2 * pi) * exp(0.5 * z * z)
        z += step
        if abs(step) <= 1e-15 * max(z, 1e-3):
            break
    return z if p > 0.5 else -z


def student_quantile(degrees: float, p: float) -> float:
    """Of Student's t: t^2 / (degrees + t^2) is beta distributed."""
    tail = min(p, 1 - p)
    if tail > 1e-3:
        y = betaincinv(0.5, degrees / 2, 1 - 2 * tail)
        t = sqrt(degrees * y / (1 - y))
    else:  # 1 - 2 tail would lose the digits of the tail
        rest = betaincinv(degrees / 2, 0.5, 2 * tail)
        t = sqrt(degrees * (1 - rest) / rest)
    return t if p > 0.5 else -t


def student_above(degrees: float, t: float) -> float:
    """The probability that Student's t is larger than this one."""
    square = t * t
    if square < min(1.0, degrees):  # near the middle this is the ratio that has all its digits
        beside = 0.5 * float(betainc(0.5, degrees / 2, square / (degrees + square)))
        return 0.5 - beside if t > 0 else 0.5 + beside
    if not square < math.inf:  # |t| over 1e154, which leaves no tail, or not a number
        return math.nan if math.isnan(t) else float(t < 0)
    tail = 0.5 * float(betainc(degrees / 2, 0.5, degrees / (degrees + square)))
    return tail if t > 0 else 1 - tail


def f_above(between: float, within: float, ratio: float) -> float:
    """The probability that Fisher's F, with these degrees of freedom, is larger than this ratio."""
    if ratio == math.inf:
        return 0.0
    part = between * ratio
    if ratio < 1:  # near 0 this is the ratio that has all its digits
        return 1 - float(betainc(between / 2, within / 2, part / (within + part)))
    return float(betainc(within / 2, between / 2, within / (within + part)))


def binomial_at_most(k: float, n: float, p: float) -> float:
    """The probability of k successes or fewer in n."""
    return 1.0 if k >= n else float(betainc(n - k, k + 1, 1 - p))
