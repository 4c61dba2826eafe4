"""The multiplicative geometry: a mistaken row multiplies its weights (Winnow; Littlestone 1988, 1989).

    one side       w_j *= f^x_j, the score is w . x - threshold
    balanced       w_j = p_j - q_j;  p_j *= f^x_j, q_j *= g^x_j, the intercept is one more column that is always 1
    complemented   w_j = p_j - q_j, q_j the weight of the variable 1 - x_j;  p_j *= f^x_j, q_j *= f^(1 - x_j)

where f is the factor of a promotion for a row of the positive class and that of a demotion for any other, and g the
other of the two.  Of two sides, `sides` holds p_j and q_j side by side (those of the intercept last), and `w` their
difference, so that a row is scored as by any other learner.  With complements the score is

    sum_j p_j x_j + sum_j q_j (1 - x_j) - threshold = w . x + (sum_j q_j - threshold)

and the bracket is the intercept: complements are never written down, and only a mistake reads all columns.
"""

import cython
from cython.cimports.linnet.kernels.losses import exp_same_bits
from cython.cimports.linnet.kernels.passes import Settings, Sides, prefetch, value_t

# A weight that is not 0 stays between these, so that it can recover from noise.
LEAST = cython.declare(cython.double, 1e-100)
MOST = cython.declare(cython.double, 1e100)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def times(w: cython.double, factor: cython.double, log_factor: cython.double, x: cython.double) -> cython.double:
    """w factor^x, x from 0 on; a factor of 0 eliminates every weight with x > 0."""
    if x == 1.0:
        w *= factor
    elif x == 0.0:
        return w
    elif factor == 0.0:
        return 0.0
    else:
        w *= exp_same_bits(x * log_factor)
    if w < LEAST and w > 0.0:
        return LEAST
    return MOST if w > MOST else w


def multiply(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    settings: cython.pointer(Settings),
    w: cython.double[::1],
    sides: cython.double[::1],
    promoting: cython.bint,
    sample_weight: cython.double,
):
    """Promote the row's weights, or demote them; factors are raised to the power of the sample weight."""
    columns: cython.Py_ssize_t = settings.columns
    f: cython.double = settings.promotion if promoting else settings.demotion
    g: cython.double = settings.demotion if promoting else settings.promotion
    log_f: cython.double = settings.log_promotion if promoting else settings.log_demotion
    log_g: cython.double = settings.log_demotion if promoting else settings.log_promotion
    e: cython.Py_ssize_t
    j: cython.Py_ssize_t
    x: cython.double
    total: cython.double
    if settings.sides == Sides.ONE:
        for e in range(start, stop):
            j = e - start if settings.dense else ids[e]
            w[j] = times(w[j], f, log_f, sample_weight * values[e])
    elif settings.sides == Sides.BALANCED:
        if not settings.dense:
            for e in range(start, stop):  # all at once: mistakes are rare, and no side is in cache
                j = ids[e]
                prefetch(cython.address(sides[2 * j]))
        for e in range(start, stop):
            j = e - start if settings.dense else ids[e]
            x = sample_weight * values[e]
            sides[2 * j] = times(sides[2 * j], f, log_f, x)
            sides[2 * j + 1] = times(sides[2 * j + 1], g, log_g, x)
            w[j] = sides[2 * j] - sides[2 * j + 1]
        if settings.intercept:
            sides[2 * columns] = times(sides[2 * columns], f, log_f, sample_weight)
            sides[2 * columns + 1] = times(sides[2 * columns + 1], g, log_g, sample_weight)
            w[columns] = sides[2 * columns] - sides[2 * columns + 1]
    else:
        for e in range(start, stop):
            j = e - start if settings.dense else ids[e]
            x = values[e]
            sides[2 * j] = times(sides[2 * j], f, log_f, sample_weight * x)
            # below 0: done already
            sides[2 * j + 1] = -times(sides[2 * j + 1], f, log_f, sample_weight * (1.0 - x))
        total = 0.0
        for j in range(columns):
            if sides[2 * j + 1] < 0.0:
                sides[2 * j + 1] = -sides[2 * j + 1]
            else:
                sides[2 * j + 1] = times(sides[2 * j + 1], f, log_f, sample_weight)
            total += sides[2 * j + 1]
            w[j] = sides[2 * j] - sides[2 * j + 1]
        w[columns] = total - settings.threshold
