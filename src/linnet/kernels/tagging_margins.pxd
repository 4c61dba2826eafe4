from linnet.kernels.tagging_trigrams cimport Trigrams

# For each of n tokens, the best score less that of the best sequence with another tag there; `emit` is overwritten.

cdef void margins_of(
    float* emit, const float* trans, const int* only, Py_ssize_t n, int tags, int width, float* ahead, float top,
    const int* best, float* gaps
) noexcept nogil

cdef int trigram_margins(
    Trigrams trigrams, const float* emit, const float* trans, const int* only, Py_ssize_t n, float top, const int* best,
    float* gaps
) except -1 nogil
