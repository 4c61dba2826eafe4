"""What a certificate takes of the rows of a small dense table, in one call: see training/duality_gap.py."""

import cython
from cython.cimports.libc.math import fabs
from cython.cimports.linnet.kernels.rows import value_t
from cython.cimports.linnet.kernels.small_rows import bring_into_bounds, conjugates, pulled


def certified(
    values: cython.const[value_t][::1],
    loss: cython.int,
    intercept: cython.bint,
    signs: cython.const[cython.double][::1],
    sample_weights: cython.const[cython.double][::1],
    scores: cython.const[cython.double][::1],
    slopes: cython.const[cython.double][::1],
    dual: cython.double[::1],
    v: cython.double[::1],
):
    """`slopes` are those at the scores; `dual`, a dual point, is brought into its bounds, and weighs v.

    Returns the largest |score|, the mean |slope|, the mean |slope| of the dual point, and the mean of its conjugates,
    all added in row order.
    """
    i: cython.Py_ssize_t
    conjugate: cython.double
    largest: cython.double = 0.0
    steepness: cython.double = 0.0
    size: cython.double = 0.0
    with cython.nogil:
        for i in range(scores.shape[0]):
            largest = max(largest, fabs(scores[i]))
            steepness += sample_weights[i] * fabs(slopes[i])
        bring_into_bounds(loss, signs, sample_weights, intercept, dual)
        for i in range(dual.shape[0]):
            size += sample_weights[i] * fabs(dual[i])
        conjugate = conjugates(loss, signs, sample_weights, dual, 1.0)
        pulled(values, sample_weights, dual, v)
    return largest, steepness, size, conjugate
