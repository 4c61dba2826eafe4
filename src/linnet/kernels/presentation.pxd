# The steps of one presentation of a row that need no more than numbers; passes.py has the loops.  Written out here, in a
# file that the kernel includes, so that they are compiled into its loops (see rows.pxd).  No step takes an array: to pass
# one costs as much as a short row.

cimport cython
from libc.math cimport log, pow as power_of, sqrt
from linnet.kernels.losses cimport Loss, LossPoint, loss_at, loss_of_residual
from linnet.kernels.passes cimport Clock, Geometry, Settings, Step, Tally

cdef struct Presentation:
    double weight  # sample weight
    double target
    double score  # of the only output, or the sum over outputs
    double margin
    LossPoint loss
    double pull  # on the only output
    Py_ssize_t truth  # with several outputs: the true class, and the best of the others
    Py_ssize_t rival
    double unit  # the standard deviation of the targets so far, in adaptive regression; 1 otherwise
    double spread_over  # steps that a penalty is spread over
    double eta
    double product  # of the losses' factors so far, whose logarithm is still to be added to the loss


cdef inline void begin(Presentation* at, Tally* tally) noexcept nogil:
    """Nothing tallied yet; every row has the weight 1 unless weights are given."""
    tally.loss = 0.0
    tally.mistakes = 0
    tally.updates = 0
    tally.lost = -1
    at.product = 1.0
    at.weight = 1.0
    at.unit = 1.0
    at.pull = 0.0
    at.truth = 0
    at.rival = 0


cdef inline void count_row(Presentation* at, Tally* tally, Clock* clock, bint one_by_one) noexcept nogil:
    """Tally the row's mistake and its loss; without weights, logarithms of factors are left to one of their product."""
    cdef double logarithm = 0.0
    if not at.margin > 0:
        tally.mistakes += 1
        clock.mistakes += 1.0
    if one_by_one:
        if at.loss.factor != 1.0:  # a logarithm takes as long as a short row
            logarithm = log(at.loss.factor)
        tally.loss += at.weight * at.unit * at.unit * (at.loss.value + logarithm)
        return
    tally.loss += at.loss.value
    at.product *= at.loss.factor
    if at.product > 1e280:  # before it overflows
        tally.loss += log(at.product)
        at.product = 1.0


@cython.cdivision(True)
cdef inline void standardise_target(Presentation* at, Settings* settings, Clock* clock) noexcept nogil:
    """The target as (y - mean) / deviation, both of the rows so far; without an intercept the mean is 0."""
    cdef double delta = at.target - clock.mean
    if settings.intercept:
        clock.mean += delta / clock.steps
    clock.spread += delta * (at.target - clock.mean)
    at.unit = sqrt(clock.spread / clock.steps)
    at.target = (at.target - clock.mean) / at.unit if at.unit > 0 else 0.0


@cython.cdivision(True)
cdef inline double predicted_number(Presentation* at, Clock* clock) noexcept nogil:
    """What the score of an adaptive learner means as a number, by the targets before this row."""
    cdef double before = clock.steps - 1.0
    return clock.mean + at.score * sqrt(clock.spread / before) if before > 0 else 0.0


cdef inline void pull_alone(Presentation* at, Settings* settings, Clock* clock) noexcept nogil:
    """Margin, loss and pull of a row with one output, from its score and target."""
    if settings.regression:
        if settings.geometry == Geometry.ADAPTIVE:
            standardise_target(at, settings, clock)
        at.margin = 1.0
        at.pull = at.target - at.score
        if settings.loss != Loss.SQUARED:
            at.loss = loss_of_residual(settings.loss, at.pull, settings.epsilon)
            at.pull = at.loss.pull
            return
        at.loss.value = 0.5 * at.pull * at.pull  # written out: of short rows a call takes a sixth of the time
        at.loss.factor = 1.0
        at.loss.pull = at.pull
        return
    at.target = 2.0 * (at.target == settings.positive) - 1.0
    at.margin = at.target * at.score
    if settings.geometry == Geometry.MULTIPLICATIVE and at.score == 0.0 and at.target < 0:
        at.margin = 1e-300  # 0 is predicted negative, so this is right, by the smallest margin
    if settings.loss >= Loss.HUBER:
        at.loss = loss_of_residual(settings.loss, 1.0 - at.margin, settings.epsilon)
    else:
        at.loss = loss_at(settings.loss, at.margin)
    at.pull = at.loss.pull * at.target


@cython.cdivision(True)
cdef inline double step_size(
    Settings* settings,
    double steps,
    double loss,
    double length,
    double weight,
) noexcept nogil:
    """eta (t + offset)^-p, or the passive-aggressive step that just corrects this row (eta is then the aggressiveness C)."""
    if settings.step == Step.PASSIVE_AGGRESSIVE_1:
        if length * settings.eta * weight > loss:
            return loss / (length * weight)
        return settings.eta
    if settings.step == Step.PASSIVE_AGGRESSIVE_2:
        return loss / ((length + 0.5 / (settings.eta * weight)) * weight)
    if settings.power == 0.0:
        return settings.eta
    steps += settings.offset
    if settings.power == 0.5:
        return settings.eta / sqrt(steps)
    if settings.power == 1.0:
        return settings.eta / steps
    return settings.eta * power_of(steps, -settings.power)


@cython.cdivision(True)
cdef inline void adaptive_rate(Presentation* at, Settings* settings, Clock* clock) noexcept nogil:
    """The step size of the adaptive geometry; the penalty grows with it."""
    at.eta = settings.eta * sqrt(clock.steps / clock.norm) if clock.norm > 0 else settings.eta
    clock.shrunk += at.eta / at.spread_over


@cython.cdivision(True)
cdef inline bint decayed(Presentation* at, Settings* settings, Clock* clock) noexcept nogil:
    """Apply the L2 penalty to the scale; whether that is now too small: updates are divided by it, and an average would
    lose as many digits as it has zeros."""
    cdef double decay
    if settings.l2 > 0:
        decay = 1.0 - at.eta * settings.l2 / at.spread_over
        clock.scale *= decay if decay > 0 else 0.0
        return clock.scale < 1e-4
    return False
