# The C declarations of multiclass.py: a few calls a row, from passes.py.

from linnet.kernels.losses cimport LossPoint
from linnet.kernels.passes cimport value_t

# The outputs that a row pulls: every `by`-th from the first to the last; whether they are most of all.
cdef struct Pulled:
    Py_ssize_t first
    Py_ssize_t last
    Py_ssize_t by
    bint most

cdef void dot_each(
    const value_t[::1] values,
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    bint dense,
    double[::1] w,
    double scale,
    double[::1] scores,
) noexcept nogil

cdef void add_each(
    const value_t[::1] values,
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    bint dense,
    double[::1] w,
    double amount,
    double[::1] pulls,
    Pulled pulled,
) noexcept nogil

cdef void add_to_intercepts(
    double[::1] w, double amount, double[::1] pulls, double times, Pulled pulled
) noexcept nogil

cdef Pulled pulled_by(int loss, Py_ssize_t truth, Py_ssize_t rival, Py_ssize_t outputs) noexcept nogil

cdef double finite_sum(double[::1] scores) noexcept nogil

cdef Py_ssize_t rival_of(double[::1] scores, Py_ssize_t truth) noexcept nogil

cdef LossPoint pull_each(
    int loss, double[::1] scores, Py_ssize_t truth, Py_ssize_t rival, double[::1] pulls
) noexcept nogil
