# The C declarations of multiplicative.py: a call a mistake, from passes.py.

from linnet.kernels.passes cimport Settings, value_t

cdef void multiply(
    const value_t[::1] values,
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    Settings* settings,
    double[::1] w,
    double[::1] sides,
    bint promoting,
    double sample_weight,
) noexcept nogil
