"""Counts of n-grams into values: count, 1 or 1 + log(count), and rows brought to unit length."""

import cython
from cython.cimports.libc.math import log, sqrt

COUNT, BINARY, LOG = range(3)
_BINARY = cython.declare(cython.int, 1)
_LOG = cython.declare(cython.int, 2)
# Most counts are small: their logarithms are computed once.
FEW = cython.declare(cython.int, 64)
_log_values = cython.declare(cython.double[64])
for _count in range(1, 64):
    _log_values[_count] = 1.0 + log(_count)


@cython.cdivision(True)
def weight_counts(
    counts: cython.const[cython.float][::1],
    starts: cython.const[cython.longlong][::1],
    weighting: cython.int,
    unit_length: cython.bint,
    into: cython.float[::1],
):
    """into = f(count); each row divided by its length if `unit_length`.

    f is the count itself, 1, or 1 + log(count), in double precision.
    """
    r: cython.Py_ssize_t
    e: cython.Py_ssize_t
    x: cython.double
    squares: cython.double
    with cython.nogil:
        for r in range(starts.shape[0] - 1):
            squares = 0.0
            for e in range(starts[r], starts[r + 1]):
                x = counts[e]
                if weighting == _BINARY:
                    x = 1.0
                elif weighting == _LOG:
                    x = _log_values[cython.cast(cython.int, x)] if x < FEW else 1.0 + log(x)
                into[e] = cython.cast(cython.float, x)
                squares += x * x
            if unit_length and squares > 0.0:
                squares = sqrt(squares)
                for e in range(starts[r], starts[r + 1]):
                    into[e] = cython.cast(cython.float, into[e] / squares)
