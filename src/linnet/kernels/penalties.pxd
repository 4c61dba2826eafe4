# The C declarations of penalties.py: at most one call a row, from passes.py.

from linnet.kernels.passes cimport Clock, Settings

cdef void pay_row(
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    bint dense,
    Py_ssize_t outputs,
    double[::1] w,
    double[::1] touched,
    double shrunk,
) noexcept nogil

cdef void fold(double[::1] w, double[::1] sums, double[::1] touched, Settings* settings, Clock* clock) noexcept nogil
