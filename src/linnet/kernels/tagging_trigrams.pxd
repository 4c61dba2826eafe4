cimport cython

# Scores of three tags in a row, and decoding by them: shared by training and prediction of taggers of second order.
#
# The score of j after i after h is scores[i, h, j], tags + 1 squared rows of `width` scores as in tagging_decoder.pxd: for each
# tag in the middle, a square like that of transitions.

cdef extern from *:
    """
    #include <string.h>
    #include <stdint.h>
    #define LINNET_NO_PAIR (-2e30f)
    typedef float linnet_pair_scores __attribute__((vector_size(16)));
    typedef int32_t linnet_pair_tags __attribute__((vector_size(16)));

    /* For one tag i: now[j] = max over h of before[h] + scores[h, j], plus trans[j] and emit[j], every `width` places, and
       from[j] the first h that has it.  `places` are the tags h that i may follow; blocks of four tags j, none of which may
       follow i, are not open. */
    static void linnet_relax_pairs(const float* before, const float* scores, const float* trans, const float* emit,
                                   int width, const int32_t* places, int count, const unsigned char* open, float* now,
                                   unsigned char* from) {
        for (int j = 0; j < width; j += 4) {
            linnet_pair_scores top = {LINNET_NO_PAIR, LINNET_NO_PAIR, LINNET_NO_PAIR, LINNET_NO_PAIR}, s;
            linnet_pair_tags at = {0, 0, 0, 0}, better;
            if (open[j / 4]) {
                for (int p = 0; p < count; p++) {
                    int h = places[p];
                    memcpy(&s, scores + (size_t)h * width + j, 16);
                    s += before[h];
                    better = s > top;
                    top = (linnet_pair_scores)((better & (linnet_pair_tags)s) | (~better & (linnet_pair_tags)top));
                    at = (better & h) | (~better & at);
                }
                memcpy(&s, trans + j, 16);
                top += s;
                memcpy(&s, emit + j, 16);
                top += s;
            }
            for (int q = 0; q < 4; q++) {
                now[(size_t)(j + q) * width] = top[q];
                from[j + q] = (unsigned char)at[q];
            }
        }
    }
    """
    const float NO_PAIR "LINNET_NO_PAIR"
    void relax_pairs "linnet_relax_pairs"(
        const float* before, const float* scores, const float* trans, const float* emit, int width, const int* places,
        int count, const unsigned char* open, float* now, unsigned char* origin
    ) noexcept nogil

@cython.final
cdef class Trigrams:
    cdef bint trained
    cdef readonly int tags
    cdef readonly int width
    cdef readonly Py_ssize_t cells
    cdef float* scores
    # what only training needs: the sums that the mean is made of, and the step that is being made
    cdef double* u
    cdef double* delta
    cdef int[::1] starts
    cdef int[::1] places
    cdef unsigned char[:, ::1] open
    cdef float* pairs
    cdef unsigned char* origins
    cdef Py_ssize_t longest

    cdef int reserve(self, Py_ssize_t tokens) except -1
    cdef Py_ssize_t cell(self, int h, int i, int j) noexcept nogil
    cdef float viterbi(
        self, const float* scores, const float* emit, const float* trans, const int* only, Py_ssize_t n, int* out
    ) noexcept nogil
    cdef float traced(
        self, const float* scores, const float* trans, const float* pairs, Py_ssize_t n, int* out
    ) noexcept nogil
    cdef double gather(self, const int* truth, const int* guess, Py_ssize_t n, double* margin) noexcept nogil
    cdef void update(
        self, const int* truth, const int* guess, Py_ssize_t n, double tau, double steps_before
    ) noexcept nogil
    cdef void step(self, Py_ssize_t c, double tau, double steps_before) noexcept nogil
    cdef void mean(self, double scale, float* into) noexcept nogil
