# The C interface of dual_logistic.py: the step of one row, which the tests call too.

cpdef double margin_after_step(
    double margin, double pull, double before, double alpha, double cost, double length
) noexcept nogil
