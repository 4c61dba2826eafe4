# The C face of losses.py, so that other kernels can call it without Python in between.

cpdef enum Loss:
    PERCEPTRON = 0
    HINGE = 1
    SQUARED_HINGE = 2
    LOGISTIC = 3
    SQUARED = 4

cdef struct LossPoint:
    double value
    double factor
    double pull

cpdef double exp_same_bits(double x) noexcept nogil
cpdef LossPoint loss_at(int loss, double margin) noexcept nogil
cpdef double soft_threshold(double w, double by) noexcept nogil
