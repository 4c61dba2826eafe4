# The C declarations of small_rows.py.

from linnet.kernels.rows cimport value_t


cdef void scored(const value_t[::1] values, double[::1] weights, double[::1] scores) noexcept nogil
cdef void pulled(
    const value_t[::1] values, const double[::1] sample_weights, double[::1] slopes, double[::1] into
) noexcept nogil
cdef void squared_columns(
    const value_t[::1] values, const double[::1] sample_weights, double[::1] bends, double[:, ::1] table
) noexcept nogil
cdef double looked_at(
    int loss,
    const double[::1] signs,
    const double[::1] sample_weights,
    double[::1] scores,
    double[::1] slopes,
    double[::1] bends,
    Py_ssize_t* mistakes,
) noexcept nogil
cdef void bring_into_bounds(
    int loss, const double[::1] signs, const double[::1] sample_weights, bint intercept, double[::1] dual
) noexcept nogil
cdef double conjugates(
    int loss, const double[::1] signs, const double[::1] sample_weights, double[::1] dual, double shrink
) noexcept nogil
