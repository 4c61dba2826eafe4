# The C face of adaptive.py: two calls a row, from passes.py.

from linnet.kernels.passes cimport Settings, value_t

cdef double adaptive_scores(
    const value_t[::1] values,
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    Settings* settings,
    double[::1] w,
    double[::1] squares,
    double[::1] inverse_scales,
    double[::1] touched,
    double shrunk,
    double[::1] scores,
) noexcept nogil

cdef void adaptive_add(
    const value_t[::1] values,
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    Settings* settings,
    double[::1] w,
    double[::1] squares,
    double[::1] inverse_scales,
    Py_ssize_t k,
    double pull,
    double rate,
) noexcept nogil
