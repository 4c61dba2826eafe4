# The C declarations of losses.py, so that other kernels can call it without Python.

cimport cython
from libc.math cimport fabs, log


cpdef enum Loss:
    PERCEPTRON = 0
    HINGE = 1
    SQUARED_HINGE = 2
    LOGISTIC = 3
    SQUARED = 4
    MODIFIED_HUBER = 5
    # of the residual y - z
    HUBER = 6
    EPSILON_INSENSITIVE = 7
    SQUARED_EPSILON_INSENSITIVE = 8

cdef struct LossPoint:
    double value
    double factor
    double pull

cdef union Bits:
    double number
    unsigned long long pattern


cdef inline double exp_inline(double x) noexcept nogil:
    """exp(x) to one unit in the last place, with the same bits on every machine.

    The C library picks its own exp by processor (with or without fused multiply-add), so two machines may differ in the
    last bit, and an online learner carries that bit on.  Here only +, -, * decide.  Without branches and calls, for then
    a loop over many takes several at once.
    """
    cdef Bits rounded, power_of_two
    cdef double k, r, r2, r4, q, q0, q1, q2, q3, q4, q5
    x = 709.0 if x > 709.0 else x
    # adding 1.5 * 2^52 rounds to the nearest whole number, which the last bits then are
    rounded.number = x * 1.4426950408889634 + 6755399441055744.0
    k = rounded.number - 6755399441055744.0
    # ln 2 in two parts, the first short enough for k times it to be exact
    r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10
    # exp(r) on |r| <= ln(2) / 2 as r + r^2 q(r) + 1, q by its Taylor series in pairs
    r2 = r * r
    q0 = 0.5 + r * (1.0 / 6.0)
    q1 = 1.0 / 24.0 + r * (1.0 / 120.0)
    q2 = 1.0 / 720.0 + r * (1.0 / 5040.0)
    q3 = 1.0 / 40320.0 + r * (1.0 / 362880.0)
    q4 = 1.0 / 3628800.0 + r * (1.0 / 39916800.0)
    q5 = 1.0 / 479001600.0 + r * (1.0 / 6227020800.0)
    r4 = r2 * r2
    q = (q0 + r2 * q1) + r4 * ((q2 + r2 * q3) + r4 * (q4 + r2 * q5))
    power_of_two.pattern = (rounded.pattern + 1023) << 52
    # below, the result would be subnormal: for learning it is the same as 0
    return 0.0 if x < -708.0 else (1.0 + (r + r2 * q)) * power_of_two.number


@cython.cdivision(True)
cdef inline LossPoint loss_there(int loss, double margin) noexcept nogil:
    """Value and pull of the logistic loss or the squared hinge at this margin; the second derivative is in `factor`."""
    cdef LossPoint at
    cdef double e, u, short = 1.0 - margin
    at.value = 0.0
    at.pull = 0.0
    at.factor = 0.0
    if loss == Loss.LOGISTIC:
        e = exp_inline(-fabs(margin))
        u = 1.0 + e
        at.value = log(u) + (e - (u - 1.0)) / u - (margin if margin < 0 else 0.0)  # corrects the rounding of u
        at.pull = (e if margin >= 0 else 1.0) / u
        at.factor = e / (u * u)
    elif not short <= 0:  # NaN must reach the sum
        at.value = short * short
        at.pull = 2.0 * short
        at.factor = 2.0
    return at


cpdef double exp_same_bits(double x) noexcept nogil
cpdef LossPoint loss_at(int loss, double margin) noexcept nogil
cpdef LossPoint loss_of_residual(int loss, double residual, double epsilon) noexcept nogil
cpdef double soft_threshold(double w, double by) noexcept nogil
