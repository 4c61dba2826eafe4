# Steps of the parsers' weights that are not whole: see parsing_steps.py.

from linnet.kernels.parsing_weights cimport Weights

cdef extern from *:
    """
    #include <stdint.h>
    #include <stdlib.h>
    typedef struct { uint64_t key; uint32_t label; int32_t times; } linnet_move;
    static int linnet_compare_moves(const void* a, const void* b) {
        const linnet_move *x = (const linnet_move*)a, *y = (const linnet_move*)b;
        return x->key != y->key ? (x->key < y->key ? -1 : 1) : (x->label > y->label) - (x->label < y->label);
    }
    static void linnet_sort_moves(linnet_move* moves, size_t count) {
        qsort(moves, count, sizeof(linnet_move), linnet_compare_moves);
    }
    """
    ctypedef struct Move "linnet_move":
        unsigned long long key
        unsigned int label
        int times
    void sort_moves "linnet_sort_moves"(Move* moves, size_t count) noexcept nogil

# min(C, tau), but not below 0, as a multiple of 2^-16.
cdef inline double step_size(double tau, double C) noexcept nogil:
    if tau > C:
        tau = C
    if not tau > 0.0:
        return 0.0
    return <double>(<long long>(tau * 65536.0 + 0.5)) / 65536.0

cdef class Steps:
    cdef readonly double C
    cdef Move* moves
    cdef Py_ssize_t used
    cdef Py_ssize_t room

    cdef int add(self, unsigned long long key, unsigned int label, int times) except -1 nogil
    cdef int make(self, Weights weights, double loss) except -1 nogil
