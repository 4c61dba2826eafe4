"""The distribution functions that confidence intervals need, and their inverses.

    gamma   P(a, x) = 1 / Gamma(a) int_0^x t^(a-1) e^-t dt
    beta    I_x(a, b) = 1 / B(a, b) int_0^x t^(a-1) (1 - t)^(b-1) dt

by series and continued fractions (Abramowitz, Stegun 1964, 6.5.29, 6.5.31, 26.5.8; Lentz 1976), whose length grows with
the root of the parameters; from a = 10^8 on gamma's by its expansion in 1/a (Temme 1979, The asymptotic expansion of
the incomplete gamma functions).  What stands before them is computed without the large logarithms that would cancel
(Loader 2000, Fast and accurate computation of binomial probabilities).  SciPy has all of these, and takes longer to
load than many a fit takes in all.
"""

import cython
from cython.cimports.libc.math import erfc, exp, fabs, fmax, fmin, lgamma, log, sqrt

EPS = cython.declare(cython.double, 2.220446049250313e-16)
TINY = cython.declare(cython.double, 1e-300)
HALF_LOG_OF_TWO_PI = cython.declare(cython.double, 0.9189385332046728)
MOST_TERMS = cython.declare(cython.longlong, 100_000_000)
# The a from which on the expansion in 1/a has all digits.
LARGE = cython.declare(cython.double, 1e8)
# Bisection alone needs more than 1,000 steps to the smallest numbers.
MOST_STEPS = cython.declare(cython.int, 2000)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def off_stirling(z: cython.double) -> cython.double:
    """log Gamma(z) - (z - 1/2) log z + z - log sqrt(2 pi)."""
    if z < 16.0:
        return lgamma(z) - (z - 0.5) * log(z) + z - HALF_LOG_OF_TWO_PI
    y: cython.double = 1.0 / (z * z)
    rest: cython.double = 1 / 1260.0 - y * (1 / 1680.0 - y * (1 / 1188.0 - y * 691 / 360360.0))
    return (1 / 12.0 - y * (1 / 360.0 - y * rest)) / z


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def log_less_line(u: cython.double, ratio: cython.double) -> cython.double:
    """log(ratio) - u, where ratio = 1 + u, which may be far smaller than what u shows of it."""
    if fabs(u) > 0.5:
        return log(ratio) - u
    r: cython.double = u / (2.0 + u)
    square: cython.double = r * r
    total: cython.double = 0.0
    k: cython.int
    for k in range(17, 0, -1):  # 1/3 + r^2/5 + r^4/7 + ...
        total = total * square + 1.0 / (2 * k + 1)
    return 2.0 * r * square * total - u * r


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def gamma_weight(a: cython.double, x: cython.double) -> cython.double:
    """x^a e^-x / Gamma(a)."""
    return sqrt(a) * exp(a * log_less_line((x - a) / a, x / a) - off_stirling(a) - HALF_LOG_OF_TWO_PI)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def beta_weight(a: cython.double, b: cython.double, x: cython.double) -> cython.double:
    """x^a (1 - x)^b / B(a, b)."""
    n: cython.double = a + b
    off: cython.double = x * b - (1.0 - x) * a  # n x - a
    apart: cython.double = a * log_less_line(off / a, x / a * n) + b * log_less_line(-off / b, (1.0 - x) / b * n)
    return sqrt(a / n * b) * exp(apart + off_stirling(n) - off_stirling(a) - off_stirling(b) - HALF_LOG_OF_TWO_PI)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def gamma_of_large(a: cython.double, x: cython.double) -> cython.double:
    """P(a, x) for a large a, with eta^2 / 2 = x/a - 1 - log(x/a):

        erfc(-eta sqrt(a/2)) / 2 - e^(-a eta^2 / 2) / sqrt(2 pi a) (c_0(eta) + c_1(eta) / a + ...)

    Where it is neither 0 nor 1 eta is of the order of a^(-1/2): the first terms of c_0 are enough, and c_1 / a is none.
    """
    half: cython.double = fmax(-log_less_line((x - a) / a, x / a), 0.0)
    eta: cython.double = sqrt(2.0 * half) if x >= a else -sqrt(2.0 * half)
    c: cython.double = -1 / 3.0 + eta * (1 / 12.0 - eta * (2 / 135.0 - eta / 864.0))
    part: cython.double = 0.5 * erfc(-eta * sqrt(0.5 * a))
    part -= exp(-a * half - HALF_LOG_OF_TWO_PI) / sqrt(a) * c
    return fmax(0.0, fmin(1.0, part))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def gamma_part(a: cython.double, x: cython.double) -> cython.double:
    if x <= 0.0:
        return 0.0
    if a >= LARGE:
        return gamma_of_large(a, x)
    k: cython.longlong
    total: cython.double
    term: cython.double
    b: cython.double
    c: cython.double
    d: cython.double
    change: cython.double
    if x < a + 1.0:
        total = term = 1.0 / a
        for k in range(1, MOST_TERMS):
            term *= x / (a + k)
            total += term
            if term < total * 0.25 * EPS:
                break
        return fmin(1.0, gamma_weight(a, x) * total)
    b = x + 1.0 - a
    c = 1.0 / TINY
    d = 1.0 / b
    total = d
    for k in range(1, MOST_TERMS):
        b += 2.0
        d = -k * (k - a) * d + b
        d = TINY if fabs(d) < TINY else d
        c = b - k * (k - a) / c
        c = TINY if fabs(c) < TINY else c
        d = 1.0 / d
        change = d * c
        total *= change
        if fabs(change - 1.0) < EPS:
            break
    return 1.0 - gamma_weight(a, x) * total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def beta_fraction(a: cython.double, b: cython.double, x: cython.double) -> cython.double:
    c: cython.double = 1.0
    d: cython.double = 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (TINY if fabs(d) < TINY else d)
    total: cython.double = d
    m: cython.longlong
    step: cython.double
    change: cython.double
    for m in range(1, MOST_TERMS):
        step = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        d = 1.0 + step * d
        c = 1.0 + step / c
        d = 1.0 / (TINY if fabs(d) < TINY else d)
        c = TINY if fabs(c) < TINY else c
        total *= d * c
        step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        d = 1.0 + step * d
        c = 1.0 + step / c
        d = 1.0 / (TINY if fabs(d) < TINY else d)
        c = TINY if fabs(c) < TINY else c
        change = d * c
        total *= change
        if fabs(change - 1.0) < EPS:
            break
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def beta_part(a: cython.double, b: cython.double, x: cython.double) -> cython.double:
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    if x < (a + 1.0) / (a + b + 2.0):
        return fmin(1.0, beta_weight(a, b, x) * beta_fraction(a, b, x) / a)
    return fmax(0.0, 1.0 - beta_weight(b, a, 1.0 - x) * beta_fraction(b, a, 1.0 - x) / b)


def gammainc(a: cython.double, x: cython.double) -> float:
    """P(a, x), for a > 0."""
    return gamma_part(a, x)


def betainc(a: cython.double, b: cython.double, x: cython.double) -> float:
    """I_x(a, b), for a > 0 and b > 0."""
    return beta_part(a, b, x)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def newton(
    x: cython.double, off: cython.double, slope: cython.double, low: cython.p_double, high: cython.p_double
) -> cython.double:
    """The next x by Newton's method within a bracket, which is narrowed by how far a rising function is off at x."""
    if off == 0.0:
        return x
    if off > 0.0:
        high[0] = x
    else:
        low[0] = x
    after: cython.double = x - off / slope if slope > 0.0 else low[0]
    return after if low[0] < after < high[0] else 0.5 * (low[0] + high[0])


@cython.cdivision(True)
def gammaincinv(a: cython.double, p: cython.double) -> float:
    """The x with P(a, x) = p."""
    if not 0.0 < p < 1.0:
        return 0.0 if p <= 0.0 else float("inf")
    low: cython.double = 0.0
    high: cython.double = a + 10.0 * sqrt(a) + 10.0
    while gamma_part(a, high) < p:
        high *= 2.0
    x: cython.double = a
    before: cython.double = 0.0
    _: cython.int
    for _ in range(MOST_STEPS):
        if fabs(x - before) <= 4.0 * EPS * x or x == 0.0:  # 0: below the smallest number
            break
        before = x
        x = newton(x, gamma_part(a, x) - p, gamma_weight(a, x) / x, cython.address(low), cython.address(high))
    return x


@cython.cdivision(True)
def betaincinv(a: cython.double, b: cython.double, p: cython.double) -> float:
    """The x with I_x(a, b) = p."""
    if not 0.0 < p < 1.0:
        return 0.0 if p <= 0.0 else 1.0
    low: cython.double = 0.0
    high: cython.double = 1.0
    x: cython.double = a / (a + b)
    before: cython.double = 0.0
    slope: cython.double
    _: cython.int
    for _ in range(MOST_STEPS):
        if fabs(x - before) <= 4.0 * EPS * x or x == 0.0:  # 0: below the smallest number
            break
        before = x
        slope = beta_weight(a, b, x) / (x * (1.0 - x))
        x = newton(x, beta_part(a, b, x) - p, slope, cython.address(low), cython.address(high))
    return x
