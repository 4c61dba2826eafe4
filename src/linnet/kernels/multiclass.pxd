# The C declarations of multiclass.py: a few calls a row, from passes.py.

from linnet.kernels.losses cimport LossPoint
from linnet.kernels.passes cimport value_t

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
) noexcept nogil

cdef Py_ssize_t rival_of(double[::1] scores, Py_ssize_t truth) noexcept nogil

cdef LossPoint pull_each(
    int loss, double[::1] scores, Py_ssize_t truth, Py_ssize_t rival, double[::1] pulls
) noexcept nogil
