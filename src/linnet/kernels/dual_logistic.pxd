# The C face of dual.py: the step of one row, which the tests call too.

cpdef double margin_at_rest(
    double margin, double pull, double before, double alpha, double cost, double length
) noexcept nogil
