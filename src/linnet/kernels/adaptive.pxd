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
from linnet.kernels.adaptive_dense cimport reach_columns, score_columns
from linnet.kernels.adaptive_steps cimport step_each, steps
from linnet.kernels.losses cimport exp_same_bits, soft_threshold
from linnet.kernels.passes cimport Settings
from linnet.kernels.rows cimport prefetch, value_t

cdef enum:
    # Offsets in a record.
    INVERSE_SCALE = 0
    PAID = 1
    WEIGHTS = 2
    # How many entries ahead of the score the next records are prefetched: about a row.
    RECORDS_AHEAD = 96
    # With several outputs a record is several cache lines: fewer entries ahead, and all of their lines.
    LONG_RECORDS_AHEAD = 3
    # How many steps of a row are worked out together: few enough for the first level of the cache.
    TOGETHER = 32
    # How many entries are looked at one by one before four at once are tried again: an even number.
    ONE_BY_ONE = 16


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


cdef struct FourSums:
    # By turns numbers are added to four sums, so that an addition need not wait for the one before; `next` is the next.
    double next
    double second
    double third
    double last


cdef inline FourSums no_sums() noexcept nogil:
    cdef FourSums sums
    sums.next = sums.second = sums.third = sums.last = 0.0
    return sums


cdef inline FourSums by_turns(FourSums sums, double x) noexcept nogil:
    """The sums after x was added to the next one.  By value, so that they stay in registers."""
    cdef FourSums after
    after.next = sums.second
    after.second = sums.third
    after.third = sums.last
    after.last = sums.next + x
    return after


cdef inline double total(FourSums sums) noexcept nogil:
    return (sums.next + sums.second) + (sums.third + sums.last)


cdef inline Py_ssize_t score_dense(
    const value_t* values, double* record, Py_ssize_t n, FourSums* sums, FourSums* lengths
) noexcept nogil:
    """Add the first columns of a dense row to its sums; returns how many could be added four at once."""
    cdef double[TOGETHER] wide
    cdef Py_ssize_t done = 0, now, at, made
    if value_t is double:
        return score_columns(values, record, n, &sums.next, &lengths.next)
    while done < n:
        now = TOGETHER if n - done > TOGETHER else n - done
        for at in range(now):
            wide[at] = values[done + at]
        made = score_columns(wide, record + done * (WEIGHTS + 2), now, &sums.next, &lengths.next)
        done += made
        if made < now:
            break
    return done


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
    one output is four sums, to which entries other than 0 are added by turns.  Not by their columns' numbers, which depend
    on how a stream is cut into blocks.
    """
    cdef Py_ssize_t outputs = settings.outputs, width = WEIGHTS + 2 * outputs
    cdef bint dense = settings.dense, penalised = settings.l1 > 0 or settings.l2 > 0
    cdef double length = 1.0 if settings.intercept else 0.0, x, following
    cdef FourSums sums = no_sums(), lengths = no_sums(), sums_there, lengths_there
    cdef double* record
    cdef Py_ssize_t e = start, k, last_foreseen = ids.shape[0] - RECORDS_AHEAD if foreseen and not dense else 0
    cdef Py_ssize_t at_once = start if dense and outputs == 1 and not penalised else stop
    for k in range(outputs):
        scores[k] = 0.0
    while dense and outputs == 1 and e + 2 <= stop:
        if e == at_once:
            sums_there, lengths_there = sums, lengths  # copies have an address, the sums themselves are in registers
            e += score_dense(&values[e], &records[(e - start) * width], stop - e, &sums_there, &lengths_there)
            sums, lengths = sums_there, lengths_there
            at_once = e + ONE_BY_ONE
            continue
        record = &records[(e - start) * width]
        x = scaled_entry(values[e], record, penalised, settings, shrunk)
        following = scaled_entry(values[e + 1], record + width, penalised, settings, shrunk)
        if x != 0 and following != 0:
            lengths = by_turns(by_turns(lengths, x * x), following * following)
            sums = by_turns(by_turns(sums, x * record[WEIGHTS]), following * record[width + WEIGHTS])
        elif x != 0 or following != 0:
            lengths = by_turns(lengths, x * x if x != 0 else following * following)
            sums = by_turns(sums, x * record[WEIGHTS] if x != 0 else following * record[width + WEIGHTS])
        e += 2
    while e < stop:
        if e < last_foreseen:
            prefetch(&records[ids[e + RECORDS_AHEAD] * width])
        if outputs > 1 and not dense and e + LONG_RECORDS_AHEAD < stop:
            for k in range(0, width, 8):
                prefetch(&records[ids[e + LONG_RECORDS_AHEAD] * width + k])
        record = &records[(e - start if dense else ids[e]) * width]
        x = scaled_entry(values[e], record, penalised, settings, shrunk)
        e += 1
        if x == 0:
            continue
        if outputs > 1:
            length += x * x
            for k in range(outputs):
                scores[k] += x * record[WEIGHTS + k]
        else:
            lengths = by_turns(lengths, x * x)
            sums = by_turns(sums, x * record[WEIGHTS])
    if outputs == 1:
        length += total(lengths)
        scores[0] = total(sums)
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
    squares[0] += g * g
    if squares[0] > 0:  # g * g may underflow
        weight[0] += rate * g / sqrt(squares[0])


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
    cdef Py_ssize_t outputs = settings.outputs, width = WEIGHTS + 2 * outputs, first = start, n, at
    cdef bint dense = settings.dense
    cdef double[TOGETHER] g
    cdef double[TOGETHER] squares
    cdef double[TOGETHER] moves
    cdef double* record
    while first < stop:
        n = TOGETHER if stop - first > TOGETHER else stop - first
        for at in range(n):  # a column that a row has twice has the squares of both the second time
            record = &records[(first - start + at if dense else ids[first + at]) * width]
            g[at] = pull * values[first + at] * record[INVERSE_SCALE]
            record += WEIGHTS + outputs + k
            squares[at] = record[0] + g[at] * g[at]
            record[0] = squares[at]
        steps(rate, g, squares, moves, n)
        for at in range(n):
            records[(first - start + at if dense else ids[first + at]) * width + WEIGHTS + k] += moves[at]
        first += n
    if settings.intercept:
        record = &records[settings.columns * width + WEIGHTS + k]
        take_step(record, record + outputs, pull, rate)


cdef inline void adaptive_add_each(
    const value_t[::1] values,
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    Settings* settings,
    double[::1] records,
    double[::1] pulls,
    double rate,
) noexcept nogil:
    """As `adaptive_add` for every output, with the same bits: a column after the other, for its weights are together."""
    cdef Py_ssize_t outputs = settings.outputs, width = WEIGHTS + 2 * outputs, e
    cdef bint dense = settings.dense
    cdef double* record
    for e in range(start, stop):
        if values[e] != 0:
            record = &records[(e - start if dense else ids[e]) * width]
            step_each(
                record + WEIGHTS, record + WEIGHTS + outputs, &pulls[0], outputs, values[e], record[INVERSE_SCALE], rate
            )
    if settings.intercept:
        record = &records[settings.columns * width]
        step_each(record + WEIGHTS, record + WEIGHTS + outputs, &pulls[0], outputs, 1.0, 1.0, rate)


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
    directions x_j / sqrt(sum of g_j^2), the intercept's last, are kept for `adaptive_move`.  As in a score, entries other
    than 0 are added to four sums by turns.
    """
    cdef Py_ssize_t width = WEIGHTS + 2, first = start, n, at
    cdef bint dense = settings.dense
    cdef FourSums sums = no_sums(), sums_there
    cdef double[TOGETHER] x
    cdef double[TOGETHER] squares
    cdef double* record
    cdef double* found
    while first < stop:
        if value_t is double and dense:
            sums_there = sums
            at = reach_columns(
                &values[first], &records[(first - start) * width], stop - first, pull, &directions[first - start],
                &sums_there.next,
            )
            sums = sums_there
            first += at
        n = TOGETHER if stop - first > TOGETHER else stop - first
        found = &directions[first - start]
        for at in range(n):
            record = &records[(first - start + at if dense else ids[first + at]) * width]
            x[at] = values[first + at] * record[INVERSE_SCALE]
            squares[at] = record[WEIGHTS + 1] + (pull * x[at]) * (pull * x[at])
            record[WEIGHTS + 1] = squares[at]
        steps(1.0, x, squares, found, n)
        for at in range(n):
            if x[at] != 0:
                sums = by_turns(sums, x[at] * found[at])
        first += n
    if settings.intercept:
        record = &records[settings.columns * width + WEIGHTS + 1]
        record[0] += pull * pull
        directions[stop - start] = 1.0 / sqrt(record[0]) if record[0] > 0 else 0.0
        sums.next += directions[stop - start]
    return rate * total(sums)


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
