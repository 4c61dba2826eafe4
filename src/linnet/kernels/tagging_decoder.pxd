# What decodes tag sequences, shared by training and prediction: compiled into the loops of both.
#
# Tags are 0 ... K - 1; K stands for what is before and behind a sentence.  Rows of scores have a stride of `width`, K + 1
# rounded up to a multiple of 4, so that four tags are one operation.  What is not allowed scores NEVER.

cdef extern from *:
    """
    #include <string.h>
    #include <stdint.h>
    #define LINNET_NEVER (-1e30f)
    typedef float linnet_scores __attribute__((vector_size(16)));
    typedef int32_t linnet_tags __attribute__((vector_size(16)));

    /* best[j] = max over i of before[i] + trans[i, j], and from[j] the first i that has it.  Where not all tags may
       follow all, places[starts[b] ... starts[b + 1]] are the tags i that one of the four tags of block b may follow. */
    static void linnet_relax(const float* before, const float* trans, int tags, int width, const int32_t* starts,
                             const int32_t* places, float* best, int32_t* from) {
        for (int j = 0; j < width; j += 4) {
            linnet_scores top = {LINNET_NEVER, LINNET_NEVER, LINNET_NEVER, LINNET_NEVER}, s;
            linnet_tags at = {0, 0, 0, 0}, better;
            int first = places ? starts[j / 4] : 0, stop = places ? starts[j / 4 + 1] : tags;
            top += LINNET_NEVER;
            for (int p = first; p < stop; p++) {
                int i = places ? places[p] : p;
                memcpy(&s, trans + (size_t)i * width + j, 16);
                s += before[i];
                better = s > top;
                top = (linnet_scores)((better & (linnet_tags)s) | (~better & (linnet_tags)top));
                at = (better & i) | (~better & at);
            }
            memcpy(best + j, &top, 16);
            memcpy(from + j, &at, 16);
        }
    }
    static void linnet_add(float* restrict into, const float* restrict what, int width) {
        for (int j = 0; j < width; j++) into[j] += what[j];
    }
    """
    const float NEVER "LINNET_NEVER"
    void relax "linnet_relax"(
        const float* before, const float* trans, int tags, int width, const int* starts, const int* places, float* best,
        int* origin
    ) noexcept nogil
    void add_scores "linnet_add"(float* into, const float* what, int width) noexcept nogil

# The best tags of n tokens, in `out`, and their score: max over y of the sum of emit[t, y_t] and trans[y_t-1, y_t] (Viterbi
# 1967).  `starts` and `places` are those of relax.  `only` has the tag of tokens whose tag is known, -1 for others.  Room: rows of 2 × width scores, n × width origins.
cdef inline float viterbi(
    const float* emit, const float* trans, const int* starts, const int* places, const int* only, Py_ssize_t n,
    int tags, int width, float* rows, int* origins, int* out
) noexcept nogil:
    cdef Py_ssize_t t
    cdef int i
    cdef int j
    cdef int best
    cdef float s
    cdef float top
    cdef float* before = rows
    cdef float* now = rows + width
    cdef float* swap
    cdef int* origin
    for j in range(tags):
        before[j] = trans[<Py_ssize_t>tags * width + j] + emit[j]
        if only[0] >= 0 and only[0] != j:
            before[j] = NEVER
    for t in range(1, n):
        origin = origins + t * width
        if only[t] >= 0:
            j = only[t]
            best = only[t - 1] if only[t - 1] >= 0 else 0
            top = before[best] + trans[<Py_ssize_t>best * width + j]
            if only[t - 1] < 0:
                for i in range(1, tags):
                    s = before[i] + trans[<Py_ssize_t>i * width + j]
                    if s > top:
                        top = s
                        best = i
            for i in range(tags):  # of all: where no sequence is allowed, any may be looked up
                now[i] = NEVER
                origin[i] = best
            now[j] = top + emit[t * width + j]
        else:
            if only[t - 1] >= 0:
                best = only[t - 1]
                s = before[best]
                for j in range(tags):
                    now[j] = s + trans[<Py_ssize_t>best * width + j]
                    origin[j] = best
            else:
                relax(before, trans, tags, width, starts, places, now, origin)
            add_scores(now, emit + t * width, width)
        swap = before
        before = now
        now = swap
    best = only[n - 1] if only[n - 1] >= 0 else 0
    top = before[best] + trans[<Py_ssize_t>best * width + tags]
    if only[n - 1] < 0:
        for i in range(1, tags):
            s = before[i] + trans[<Py_ssize_t>i * width + tags]
            if s > top:
                top = s
                best = i
    t = n - 1
    while t >= 0:
        out[t] = best
        if t > 0:
            best = origins[t * width + best]
        t -= 1
    return top
