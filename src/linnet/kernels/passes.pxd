# The records that passes.py takes and gives back; to Python they are plain dictionaries.

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define LINNET_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define LINNET_PREFETCH(address) ((void)(address))
    #endif
    """
    void prefetch "LINNET_PREFETCH"(const void* address) noexcept nogil

ctypedef fused value_t:
    float
    double

cpdef enum Geometry:
    ADDITIVE = 0
    ADAPTIVE = 1

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
    double l1
    double l2
    double population
    double positive

cdef struct Clock:
    double steps
    double scale
    double scale_sum
    double shrunk
    double norm
    double mean
    double spread
    double survived

cdef struct Tally:
    double loss
    Py_ssize_t mistakes
    Py_ssize_t updates
    Py_ssize_t lost

# What is done with one row of one output; dual.py does it too.

cdef double dot(
    const value_t[::1] values,
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    bint dense,
    double[::1] w,
    Py_ssize_t ahead,
) noexcept nogil

cdef void add(
    const value_t[::1] values,
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    bint dense,
    double[::1] w,
    double amount,
) noexcept nogil

cdef void ask_for_row(
    const value_t[::1] values, const unsigned int[::1] ids, Py_ssize_t start, Py_ssize_t stop, bint dense
) noexcept nogil

cdef void ask_for(const unsigned int[::1] ids, Py_ssize_t start, Py_ssize_t stop, double[::1] w) noexcept nogil

cdef double squared_length(const value_t[::1] values, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
