"""Signed logarithms of a column, with the same bits on every machine.

The C library and NumPy pick their own logarithm by processor, so two machines may differ in the last bit, and an online
learner carries that bit on.  Here only +, -, *, / decide.  With 1 + u = 2^k m, sqrt(1/2) <= m < sqrt(2), and
s = (m - 1) / (m + 1),

    log(1 + u) = k log(2) + 2 (s + s^3/3 + s^5/5 + ...) + (u - ((1 + u) - 1)) / (1 + u)

where |s| < 0.172, so that the 11 terms taken are enough, and the last summand is what rounding 1 + u lost.
"""

import cython
from cython.cimports.libc.math import fabs, frexp

LARGEST = cython.declare(cython.double, 1.7976931348623157e308)


def signed_logs(x: cython.const[cython.double][::1], scale: cython.double, into: cython.double[::1]):
    """into = sign(x) log(1 + |x| / scale); a missing number stays one."""
    i: cython.Py_ssize_t
    value: cython.double
    with cython.nogil:
        for i in range(x.shape[0]):
            if x[i] != x[i]:
                into[i] = x[i]
                continue
            value = log_of_more(fabs(x[i]) / scale)
            into[i] = value if x[i] >= 0 else -value


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def log_of_more(u: cython.double) -> cython.double:
    """log(1 + u) for u >= 0; beyond the largest number, of that."""
    exponent: cython.int = 0
    k: cython.double
    m: cython.double
    s: cython.double
    t: cython.double
    series: cython.double
    lost: cython.double
    u = u if u < LARGEST else LARGEST
    lost = (u - ((1.0 + u) - 1.0)) / (1.0 + u)
    m = frexp(1.0 + u, cython.address(exponent))
    k = exponent
    if m < 0.7071067811865476:
        m, k = 2.0 * m, k - 1.0
    s = (m - 1.0) / (m + 1.0)
    t = s * s
    series = 1.0 / 19.0 + t * (1.0 / 21.0)
    series = 1.0 / 15.0 + t * (1.0 / 17.0 + t * series)
    series = 1.0 / 11.0 + t * (1.0 / 13.0 + t * series)
    series = 1.0 / 7.0 + t * (1.0 / 9.0 + t * series)
    series = 1.0 / 3.0 + t * (1.0 / 5.0 + t * series)
    # log(2) in two parts, the first short enough for k times it to be exact
    return k * 6.93147180369123816490e-01 + (2.0 * s + (2.0 * s * t * series + (k * 1.90821492927058770002e-10 + lost)))
