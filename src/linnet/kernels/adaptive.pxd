# The adaptive geometry: every column in its own unit, every weight at its own rate.
#
# NAG (Ross, Mineiro, Langford 2013), kept in scaled units: with s_j the largest |x_j| met so far, the stored weight is
# w_j s_j, a row enters as x_j / s_j, and its squared gradients are summed in that unit.  Multiplying a column by any
# factor then changes nothing that is stored, and sizes from 1e-300 to 1e300 neither underflow nor overflow.  Penalties
# act on the stored weights, so they do not depend on units either.
#
# Everything about a column is stored together, because a row mostly waits for memory: with one output, a column is half
# a cache line.  A record of K outputs is
#
#     1 / s_j,  the shrinking paid so far,  K weights,  K sums of squared gradients
#
# and the record after the last column holds the intercepts.  The bodies are here for the reason given in rows.pxd.

cimport cython
from libc.math cimport fabs, sqrt
from linnet.kernels.losses cimport exp_same_bits, soft_threshold
from linnet.kernels.passes cimport Settings
from linnet.kernels.rows cimport prefetch, value_t

cdef extern from *:
    """
    typedef struct { double first, second; } linnet_pair;

    #if defined(__SSE2__) || defined(_M_X64)
    #include <emmintrin.h>
    static inline linnet_pair linnet_two_steps(double rate, double g0, double g1, double s0, double s1) {
        __m128d both = _mm_div_pd(_mm_mul_pd(_mm_set1_pd(rate), _mm_set_pd(g1, g0)), _mm_sqrt_pd(_mm_set_pd(s1, s0)));
        linnet_pair steps = { _mm_cvtsd_f64(both), _mm_cvtsd_f64(_mm_unpackhi_pd(both, both)) };
        return steps;
    }
    #else
    #include <math.h>
    static inline linnet_pair linnet_two_steps(double rate, double g0, double g1, double s0, double s1) {
        linnet_pair steps = { rate * g0 / sqrt(s0), rate * g1 / sqrt(s1) };
        return steps;
    }
    #endif
    """
    ctypedef struct Pair "linnet_pair":
        double first
        double second

    # rate g / sqrt(s) for two: root and division take as long for two numbers as for one, and give the same bits.
    Pair two_steps "linnet_two_steps"(double rate, double g0, double g1, double s0, double s1) noexcept nogil

cdef enum:
    # Offsets in a record.
    INVERSE_SCALE = 0
    PAID = 1
    WEIGHTS = 2
    # How many entries ahead of the score the next records are prefetched: about a row.
    RECORDS_AHEAD = 96


@cython.cdivision(True)
cdef inline double in_its_unit(double x, double* record, Py_ssize_t outputs) noexcept nogil:
    """x as a fraction of the largest entry its column has shown, which it may now be itself."""
    cdef double size = fabs(x), inverse = record[INVERSE_SCALE], shrinking
    cdef Py_ssize_t k
    if size * inverse > 1.0 or inverse == 0.0:
        if size < 1e-300:  # 1 / s must be a finite number: smaller values count as zero
            return 0.0
        record[INVERSE_SCALE] = 1.0 / size
        shrinking = (1.0 / size) / inverse if inverse > 0 else 0.0
        for k in range(WEIGHTS + outputs, WEIGHTS + 2 * outputs):
            record[k] = record[k] * shrinking * shrinking
        return 1.0 if x > 0 else -1.0
    return x * inverse


@cython.cdivision(True)
cdef inline void pay(double* record, Settings* settings, double shrunk) noexcept nogil:
    """Apply the shrinking that a column owes, each weight at its own rate, 1 / sqrt(sum of squares)."""
    cdef double owed = shrunk - record[PAID], amount
    cdef Py_ssize_t k
    if owed > 0:
        for k in range(WEIGHTS, WEIGHTS + settings.outputs):
            if record[k] != 0.0:
                amount = owed / sqrt(record[k + settings.outputs])
                record[k] = soft_threshold(record[k] * exp_same_bits(-settings.l2 * amount), settings.l1 * amount)
        record[PAID] = shrunk


cdef inline double scaled_entry(double x, double* record, bint penalised, Settings* settings, double shrunk) noexcept nogil:
    """An entry in its column's unit, once the column has paid what it owes; 0 has no effect, even if it is stored."""
    if x == 0:
        return 0.0
    if penalised:  # before the unit may change: the debt is in the old one
        pay(record, settings, shrunk)
    return in_its_unit(x, record, settings.outputs)


cdef inline double adaptive_scores(
    const value_t[::1] values,
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    bint foreseen,
    Settings* settings,
    double[::1] records,
    double shrunk,
    double[::1] scores,
) noexcept nogil:
    """Score every output on the scaled row; returns the row's squared length in those units.

    `foreseen` says that rows come as they stand, so that the next entries are those that will be needed.  The score of
    one output is two sums, of even and of odd columns, so that an addition need not wait for the one before.
    """
    cdef Py_ssize_t outputs = settings.outputs, width = WEIGHTS + 2 * outputs
    cdef bint dense = settings.dense, penalised = settings.l1 > 0 or settings.l2 > 0
    cdef double length = 1.0 if settings.intercept else 0.0, x, following
    cdef double[2] sums
    cdef double* record
    cdef Py_ssize_t e = start, k, last_foreseen = ids.shape[0] - RECORDS_AHEAD if foreseen and not dense else 0
    sums[0] = sums[1] = 0.0
    for k in range(outputs):
        scores[k] = 0.0
    if dense and outputs == 1:
        record = &records[0]
        while e + 2 <= stop:
            x = scaled_entry(values[e], record, penalised, settings, shrunk)
            following = scaled_entry(values[e + 1], record + width, penalised, settings, shrunk)
            length += x * x
            length += following * following
            sums[0] += x * record[WEIGHTS]
            sums[1] += following * record[width + WEIGHTS]
            record += 2 * width
            e += 2
    while e < stop:
        if e < last_foreseen:
            prefetch(&records[ids[e + RECORDS_AHEAD] * width])
        k = e - start if dense else ids[e]
        record = &records[k * width]
        x = scaled_entry(values[e], record, penalised, settings, shrunk)
        e += 1
        if x == 0:
            continue
        length += x * x
        if outputs > 1:
            for k in range(outputs):
                scores[k] += x * record[WEIGHTS + k]
        else:
            sums[k & 1] += x * record[WEIGHTS]
    if outputs == 1:
        scores[0] = sums[0] + sums[1]
    if settings.intercept:
        record = &records[settings.columns * width]
        for k in range(outputs):
            scores[k] += record[WEIGHTS + k]
    return length


cdef inline void ask_for_records(
    const unsigned int[::1] ids, Py_ssize_t start, Py_ssize_t stop, Settings* settings, double[::1] records
) noexcept nogil:
    """Prefetch the records of a row's last entries (see ask_for in rows.pxd)."""
    cdef Py_ssize_t e, rare = 20
    if stop - start > rare:
        start = stop - rare
    for e in range(start, stop):
        prefetch(&records[ids[e] * (WEIGHTS + 2 * settings.outputs)])


@cython.cdivision(True)
cdef inline void take_step(double* weight, double* squares, double g, double rate) noexcept nogil:
    if g != 0.0:
        squares[0] += g * g
        if squares[0] > 0:  # g * g may underflow
            weight[0] += rate * g / sqrt(squares[0])


@cython.cdivision(True)
cdef inline void adaptive_add(
    const value_t[::1] values,
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    Settings* settings,
    double[::1] records,
    Py_ssize_t k,
    double pull,
    double rate,
) noexcept nogil:
    """w_jk += rate g / sqrt(sum of g^2 so far), with g = pull times the scaled x_j."""
    cdef Py_ssize_t outputs = settings.outputs, width = WEIGHTS + 2 * outputs, e = start
    cdef bint dense = settings.dense
    cdef double g0, g1, s0, s1
    cdef Pair steps
    cdef double* first
    cdef double* second
    while e + 2 <= stop:
        first = &records[(e - start if dense else ids[e]) * width]
        second = &records[(e + 1 - start if dense else ids[e + 1]) * width]
        g0 = pull * values[e] * first[INVERSE_SCALE]
        g1 = pull * values[e + 1] * second[INVERSE_SCALE]
        first += WEIGHTS + k
        second += WEIGHTS + k
        if fabs(g0) > 1e-150 and fabs(g1) > 1e-150:  # their squares are above 0
            s0 = first[outputs] + g0 * g0
            first[outputs] = s0
            s1 = second[outputs] + g1 * g1  # only now: it may be the same column once more
            second[outputs] = s1
            steps = two_steps(rate, g0, g1, s0, s1)
            first[0] += steps.first
            second[0] += steps.second
        else:
            take_step(first, first + outputs, g0, rate)
            take_step(second, second + outputs, g1, rate)
        e += 2
    if e < stop:
        first = &records[(e - start if dense else ids[e]) * width]
        g0 = pull * values[e] * first[INVERSE_SCALE]
        take_step(first + WEIGHTS + k, first + WEIGHTS + outputs + k, g0, rate)
    if settings.intercept:
        first = &records[settings.columns * width]
        take_step(first + WEIGHTS + k, first + WEIGHTS + outputs + k, pull, rate)


@cython.cdivision(True)
cdef inline double add_square(double* record, double x, double pull) noexcept nogil:
    """Add the squared gradient pull x; returns x / sqrt(sum of g^2), the way that this weight goes."""
    record[WEIGHTS + 1] += (pull * x) * (pull * x)
    return x / sqrt(record[WEIGHTS + 1]) if record[WEIGHTS + 1] > 0 else 0.0


@cython.cdivision(True)
cdef inline double adaptive_reach(
    const value_t[::1] values,
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    Settings* settings,
    double[::1] records,
    double pull,
    double rate,
    double[::1] directions,
) noexcept nogil:
    """Add the squared gradients of a row with one output; returns how far the step is to move its score, over the pull.

    That is rate sum_j x_j^2 / sqrt(sum of g_j^2): of rare columns and small pulls many times the pull itself.  The
    directions x_j / sqrt(sum of g_j^2), the intercept's last, are kept for `adaptive_move`.  As in a score, even and odd
    columns are summed apart, so that rows give the same bits whether they are stored sparse or dense.
    """
    cdef Py_ssize_t width = WEIGHTS + 2, e = start, at = 0
    cdef bint dense = settings.dense
    cdef double even = 0.0, odd = 0.0, x0, x1, s0, s1
    cdef Pair both
    cdef double* first
    cdef double* second
    while e + 2 <= stop:
        first = &records[(e - start if dense else ids[e]) * width]
        second = &records[(e + 1 - start if dense else ids[e + 1]) * width]
        x0 = values[e] * first[INVERSE_SCALE]
        x1 = values[e + 1] * second[INVERSE_SCALE]
        s0 = first[WEIGHTS + 1] + (pull * x0) * (pull * x0)
        first[WEIGHTS + 1] = s0
        s1 = second[WEIGHTS + 1] + (pull * x1) * (pull * x1)  # only now: it may be the same column once more
        second[WEIGHTS + 1] = s1
        if s0 > 0 and s1 > 0:
            both = two_steps(1.0, x0, x1, s0, s1)
            directions[at] = both.first
            directions[at + 1] = both.second
        else:
            directions[at] = x0 / sqrt(s0) if s0 > 0 else 0.0
            directions[at + 1] = x1 / sqrt(s1) if s1 > 0 else 0.0
        if dense:
            even += x0 * directions[at]
            odd += x1 * directions[at + 1]
        else:
            even += 0.0 if ids[e] & 1 else x0 * directions[at]
            odd += x0 * directions[at] if ids[e] & 1 else 0.0
            even += 0.0 if ids[e + 1] & 1 else x1 * directions[at + 1]
            odd += x1 * directions[at + 1] if ids[e + 1] & 1 else 0.0
        e += 2
        at += 2
    if e < stop:
        first = &records[(e - start if dense else ids[e]) * width]
        x0 = values[e] * first[INVERSE_SCALE]
        directions[at] = add_square(first, x0, pull)
        if (0 if dense else ids[e] & 1):  # of dense rows, the last of an odd number of columns is an even one
            odd += x0 * directions[at]
        else:
            even += x0 * directions[at]
        at += 1
    if settings.intercept:
        directions[at] = add_square(&records[settings.columns * width], 1.0, pull)
        even += directions[at]
    return rate * (even + odd)


@cython.cdivision(True)
cdef inline double not_beyond(double reach) noexcept nogil:
    """(1 - exp(-reach)) / reach: the fraction of a step that follows the score as it nears its target."""
    if reach > 0.01:
        return (1.0 - exp_same_bits(-reach)) / reach
    # the first terms of its series, where the difference would lose digits
    return 1.0 - reach * (1 / 2.0 - reach * (1 / 6.0 - reach * (1 / 24.0 - reach * (1 / 120.0 - reach * (1 / 720.0)))))


cdef inline void adaptive_move(
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    Settings* settings,
    double[::1] records,
    double step,
    double[::1] directions,
) noexcept nogil:
    """w_j += step times the direction that `adaptive_reach` has found."""
    cdef Py_ssize_t width = WEIGHTS + 2, at
    cdef bint dense = settings.dense
    for at in range(stop - start):
        records[(at if dense else ids[start + at]) * width + WEIGHTS] += step * directions[at]
    if settings.intercept:
        records[settings.columns * width + WEIGHTS] += step * directions[stop - start]
