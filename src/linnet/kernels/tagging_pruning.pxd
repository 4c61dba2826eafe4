cimport cython

# Viterbi among many tags, without the tags that cannot be on the best path: tagging_pruning.py.

cdef extern from *:
    """
    #include <math.h>
    #include <string.h>
    #include <stdint.h>
    #ifdef __SSE__
    #include <xmmintrin.h>
    #endif
    typedef float linnet_bounds __attribute__((vector_size(16)));
    typedef int32_t linnet_tests __attribute__((vector_size(16)));

    /* a > b ? a : b of each.  Left to the compiler, the loop becomes a dozen operations where it is within another. */
    static inline linnet_bounds linnet_larger(linnet_bounds a, linnet_bounds b) {
    #ifdef __SSE__
        return (linnet_bounds)_mm_max_ps((__m128)a, (__m128)b);
    #else
        for (int q = 0; q < 4; q++) b[q] = a[q] > b[q] ? a[q] : b[q];
        return b;
    #endif
    }
    static inline float linnet_largest(linnet_bounds all) {
        float largest = all[0];
        for (int q = 1; q < 4; q++) largest = all[q] > largest ? all[q] : largest;
        return largest;
    }
    /* For all tags j: now[j] = max over the tags i of `places` of before[i] + trans[i, j], plus emit[j]; and the largest of
       now[j] + least[j]. */
    static float linnet_follow(const float* before, const float* trans, const float* emit, const float* least, int width,
                               const int32_t* places, int count, float* now) {
        linnet_bounds all = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}, top, s;
        for (int j = 0; j < width; j += 4) {
            memcpy(&top, trans + (size_t)places[0] * width + j, 16);
            top += before[places[0]];
            for (int p = 1; p < count; p++) {
                memcpy(&s, trans + (size_t)places[p] * width + j, 16);
                s += before[places[p]];
                top = linnet_larger(s, top);
            }
            memcpy(&s, emit + j, 16);
            top += s;
            memcpy(now + j, &top, 16);
            memcpy(&s, least + j, 16);
            s += top;
            all = linnet_larger(s, all);
        }
        return linnet_largest(all);
    }
    /* highest[j] = top + most[j] + emit[j], and the largest of them. */
    static float linnet_highest(float top, const float* most, const float* emit, int width, float* highest) {
        linnet_bounds all = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}, s, e;
        for (int j = 0; j < width; j += 4) {
            memcpy(&s, most + j, 16);
            memcpy(&e, emit + j, 16);
            s = top + s + e;
            memcpy(highest + j, &s, 16);
            all = linnet_larger(s, all);
        }
        return linnet_largest(all);
    }
    /* The tags j, in their order, of which highest[j] + most[j] is not less than `least`; how many there are. */
    static int linnet_hopeful(const float* highest, const float* most, float least, int tags, int32_t* hopeful) {
        int count = 0;
        for (int j = 0; j < tags; j += 4) {
            linnet_bounds s, m;
            linnet_tests enough;
            uint64_t any[2];
            memcpy(&s, highest + j, 16);
            memcpy(&m, most + j, 16);
            enough = s + m >= least;
            memcpy(any, &enough, 16);
            if (!(any[0] | any[1])) continue;
            for (int q = 0; q < 4 && j + q < tags; q++)
                if (enough[q]) hopeful[count++] = j + q;
        }
        if (!count) hopeful[count++] = 0;  /* scores that are no numbers any more, of weights beyond all measure */
        return count;
    }
    /* For each tag j of `hopeful`: now[j] = max over the tags i of `places` of before[i] + trans[i, j], plus emit[j].  Those of
       four tags are one operation. */
    static void linnet_relax_some(const float* before, const float* trans, const float* emit, int width,
                                  const int32_t* places, int count, const int32_t* hopeful, int hopes, float* now) {
        for (int h = 0; h < hopes;) {
            int j = hopeful[h] & ~3;
            linnet_bounds top = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}, s;
            for (int p = 0; p < count; p++) {
                memcpy(&s, trans + (size_t)places[p] * width + j, 16);
                s += before[places[p]];
                top = linnet_larger(s, top);
            }
            memcpy(&s, emit + j, 16);
            top += s;
            memcpy(now + j, &top, 16);
            while (h < hopes && hopeful[h] < j + 4) h++;
        }
    }
    """
    const float INFINITY
    float follow "linnet_follow"(
        const float* before, const float* trans, const float* emit, const float* least, int width, const int* places,
        int count, float* now
    ) noexcept nogil
    float highest_of "linnet_highest"(
        float top, const float* most, const float* emit, int width, float* highest
    ) noexcept nogil
    int hopeful_of "linnet_hopeful"(
        const float* highest, const float* most, float least, int tags, int* hopeful
    ) noexcept nogil
    void relax_some "linnet_relax_some"(
        const float* before, const float* trans, const float* emit, int width, const int* places, int count,
        const int* hopeful, int hopes, float* now
    ) noexcept nogil

@cython.final
cdef class Pruning:
    cdef int tags
    cdef int width
    cdef float* after_most  # for each tag, the best that may follow
    cdef float* after_least
    cdef float* before_most  # for each tag, the best that it may follow
    cdef float* scores
    cdef int* places
    cdef int* counts
    cdef Py_ssize_t longest

    cdef int reserve(self, Py_ssize_t tokens) except -1
    cdef void bound(self, const float* trans) noexcept nogil
    cdef void bound_followers(self, const float* trans, int i) noexcept nogil
    cdef void bound_followed(self, const float* trans, int j) noexcept nogil
    cdef int kept(self, const float* now, int* places, int count) noexcept nogil
    cdef float viterbi(
        self, const float* emit, const float* trans, const int* only, Py_ssize_t n, int* out
    ) noexcept nogil
