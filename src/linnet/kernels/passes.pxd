# The records that passes.py takes and gives back; to Python they are plain dictionaries.

from linnet.kernels.rows cimport prefetch, value_t

cpdef enum Geometry:
    ADDITIVE = 0
    ADAPTIVE = 1
    MULTIPLICATIVE = 2

cpdef enum Sides:
    ONE = 0
    BALANCED = 1
    COMPLEMENTED = 2

cpdef enum Step:
    POWER = 0
    PASSIVE_AGGRESSIVE_1 = 1
    PASSIVE_AGGRESSIVE_2 = 2

cpdef enum Averaging:
    LAST = 0
    AVERAGE = 1
    VOTE = 2

cdef struct Settings:
    Py_ssize_t columns
    Py_ssize_t outputs
    bint dense
    bint intercept
    bint regression
    int loss
    int geometry
    int step
    int averaging
    double eta
    double power
    double offset
    double l1
    double l2
    double epsilon
    double population
    double positive
    int sides
    double promotion
    double demotion
    double log_promotion
    double log_demotion
    double threshold

cdef struct Clock:
    double steps
    double scale
    double scale_sum
    double shrunk
    double norm
    double mean
    double spread
    double survived
    double mistakes

cdef struct Tally:
    double loss
    Py_ssize_t mistakes
    Py_ssize_t updates
    Py_ssize_t lost
