cimport cython
from linnet.kernels.tagging_pruning cimport Pruning
from linnet.kernels.tagging_trigrams cimport Trigrams

# The weights of tagging_trainer.py, which tagging_state.py saves and restores.

# Where the weights of a feature are, how many there are, and for how many there is room.  A row that has weights for many
# tags has one for each, in their order, and zeros up to the width of scores: such a row is dense.  A feature without weights has a
# row that begins at 0, where there is a dense row of zeros.
cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>
    #define LINNET_DENSE 0xFFFF
    /* sums of four tags each, as many as there are registers for */
    #define LINNET_MOST_SUMS 12
    /* features whose rows, and whose weights, are fetched ahead */
    #define LINNET_ROWS_AHEAD 40
    #define LINNET_WEIGHTS_AHEAD 16
    typedef struct { uint32_t start; uint16_t count, room; } linnet_row;
    typedef float linnet_sums __attribute__((vector_size(16)));

    /* Fetches what a dense row needs and what a sparse one needs: which of them it will be is hard to predict. */
    static inline void linnet_fetch_ahead(const linnet_row* rows, const float* weights, const uint16_t* tag_of,
                                          const uint32_t* ids, int width) {
        linnet_row row = rows[ids[LINNET_WEIGHTS_AHEAD]];
        __builtin_prefetch(rows + ids[LINNET_ROWS_AHEAD]);
        __builtin_prefetch(weights + row.start);
        __builtin_prefetch(weights + row.start + width - 1);
        __builtin_prefetch(tag_of + row.start);
    }
    /* into = the sum of the rows of features first ... stop, in their order; those up to last are fetched ahead.  A sparse
       row is spread over `spread`, which is all 0 before and after, so that every sum stays in registers: where sums are
       in memory, each addition waits for the store of the one before. */
    static inline __attribute__((always_inline)) void linnet_sum_blocks(
        const linnet_row* rows, const float* weights, const uint16_t* tag_of, const uint32_t* ids, ptrdiff_t first,
        ptrdiff_t stop, ptrdiff_t last, float* spread, float* into, const int blocks) {
        linnet_sums sum[LINNET_MOST_SUMS], part;
        memset(sum, 0, sizeof(linnet_sums) * blocks);
        for (ptrdiff_t f = first; f < stop; f++) {
            linnet_row row = rows[ids[f]];
            const float* from = weights + row.start;
            if (f + LINNET_ROWS_AHEAD < last) linnet_fetch_ahead(rows, weights, tag_of, ids + f, 4 * blocks);
            if (row.room != LINNET_DENSE && row.count) {
                for (int c = 0; c < row.count; c++) spread[tag_of[row.start + c]] = from[c];
                from = spread;
            }
            for (int b = 0; b < blocks; b++) {
                memcpy(&part, from + 4 * b, 16);
                sum[b] += part;
            }
            if (from == spread)
                for (int c = 0; c < row.count; c++) spread[tag_of[row.start + c]] = 0.0f;
        }
        memcpy(into, sum, sizeof(linnet_sums) * blocks);
    }
    static void linnet_sum_rows(const linnet_row* rows, const float* weights, const uint16_t* tag_of, const uint32_t* ids,
                                ptrdiff_t first, ptrdiff_t stop, ptrdiff_t last, float* spread, float* into, int width) {
        #define LINNET_SUM(n) case n: linnet_sum_blocks(rows, weights, tag_of, ids, first, stop, last, spread, into, n); return;
        switch (width / 4) {
            LINNET_SUM(1) LINNET_SUM(2) LINNET_SUM(3) LINNET_SUM(4) LINNET_SUM(5) LINNET_SUM(6)
            LINNET_SUM(7) LINNET_SUM(8) LINNET_SUM(9) LINNET_SUM(10) LINNET_SUM(11) LINNET_SUM(12)
        }
        memset(into, 0, sizeof(float) * width);  /* more tags than registers have room for */
        for (ptrdiff_t f = first; f < stop; f++) {
            linnet_row row = rows[ids[f]];
            const float* from = weights + row.start;
            if (f + LINNET_ROWS_AHEAD < last) linnet_fetch_ahead(rows, weights, tag_of, ids + f, width);
            if (row.room == LINNET_DENSE) for (int j = 0; j < width; j++) into[j] += from[j];
            else for (int c = 0; c < row.count; c++) into[tag_of[row.start + c]] += from[c];
        }
    }
    """
    ctypedef struct Row "linnet_row":
        unsigned int start
        unsigned short count
        unsigned short room
    unsigned short DENSE "LINNET_DENSE"
    void sum_rows "linnet_sum_rows"(
        const Row* rows, const float* weights, const unsigned short* tag_of, const unsigned int* ids, Py_ssize_t first,
        Py_ssize_t stop, Py_ssize_t last, float* spread, float* into, int width
    ) noexcept nogil

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
    cdef float* spread
    cdef float* paths
    cdef int* guess
    cdef readonly Trigrams trigrams  # None: first order
    cdef int cost  # the margin: what a wrong token adds to a score in training
    cdef readonly object groups
    cdef const int[::1] group
    cdef const int[::1] mate_starts  # for each tag the tags of its group, itself among them; none where it is alone
    cdef const int[::1] mates
    cdef Pruning pruning  # None: few tags, or not all may follow all

    cdef void score(self, Py_ssize_t s, const float* weights) noexcept nogil
    cdef void best(self, Py_ssize_t s, const float* trans, const float* trigrams, int* out) noexcept nogil
    cdef Py_ssize_t place(self, unsigned int feature, unsigned int tag) except -1 nogil
    cdef void clear(self, Py_ssize_t c, Py_ssize_t tag) noexcept nogil
    cdef int widen(self, Row* row) except -1 nogil
    cdef int grow(self, Py_ssize_t needed) except -1 nogil
    cdef double weigh(self, unsigned int feature, int tag, int other, double sign, double* margin) except? -1 nogil
    cdef int move(self, unsigned int feature, int tag, int other, double tau) except -1 nogil
    cdef double gather(self, Py_ssize_t s, double* margin) except -1 nogil
    cdef void step(self, float* w, Sums* sums, double tau) noexcept nogil
    cdef int update(self, Py_ssize_t s, double tau) except -1 nogil
    cdef void renew_bounds(self, int i, int j) noexcept nogil
