cimport cython
from linnet.kernels.tagging_trigrams cimport Trigrams

# The weights of tagging_trainer.py, which tagging_state.py saves and restores.

# Where the weights of a feature are, how many there are, and for how many there is room.  A row that has weights for many
# tags has one for each, in their order, and zeros up to the width of scores: such a row is dense.
cdef struct Row:
    unsigned int start
    unsigned short count
    unsigned short room

cdef enum:
    DENSE = 0xFFFF

# What only updates need: the sum that the mean is made of, and the step that is being made.
cdef struct Sums:
    double u
    double delta

@cython.final
cdef class TagTrainer:
    cdef const unsigned int[::1] ids
    cdef const long long[::1] starts
    cdef const long long[::1] sentences
    cdef const int[::1] gold
    cdef const int[::1] only
    cdef readonly int tags
    cdef int width
    cdef readonly Py_ssize_t features
    cdef readonly long long steps
    cdef object held_rows
    cdef Row* rows  # eight bytes each
    cdef float* weights
    cdef unsigned short* tag_of
    cdef Sums* sums
    cdef int[::1] block_starts
    cdef int[::1] block_places
    cdef Py_ssize_t used
    cdef Py_ssize_t room
    cdef float* trans
    cdef Sums* trans_sums
    cdef float* emit
    cdef float* scratch
    cdef int* origins
    cdef int* guess
    cdef readonly Trigrams trigrams  # None: first order

    cdef void score(self, Py_ssize_t s, const float* weights) noexcept nogil
    cdef void best(self, Py_ssize_t s, const float* trans, const float* trigrams, int* out) noexcept nogil
    cdef Py_ssize_t place(self, unsigned int feature, unsigned int tag) except -1 nogil
    cdef void clear(self, Py_ssize_t c, Py_ssize_t tag) noexcept nogil
    cdef int widen(self, Row* row) except -1 nogil
    cdef int grow(self, Py_ssize_t needed) except -1 nogil
    cdef double gather(self, Py_ssize_t s, double* margin) except -1 nogil
    cdef void step(self, float* w, Sums* sums, double tau) noexcept nogil
    cdef int update(self, Py_ssize_t s, double tau) except -1 nogil
