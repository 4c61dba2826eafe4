# What decodes tag sequences, shared by training and prediction: compiled into the loops of both.
#
# Tags are 0 ... K - 1; K stands for what is before and behind a sentence.  Rows of scores have a stride of `width`, K + 1
# rounded up to a multiple of 4, so that four tags are one operation.  What is not allowed scores NEVER.

cdef extern from *:
    """
    #include <string.h>
    #include <stdint.h>
    #define LINNET_NEVER (-1e30f)
    /* four tags each, as many as there are registers for */
    #define LINNET_MOST_BLOCKS 12
    typedef float linnet_scores __attribute__((vector_size(16)));

    /* best[j] = max over i of before[i] + trans[i, j].  places[starts[b] ... starts[b + 1]] are the tags i that one of the
       four tags of block b may follow. */
    static inline __attribute__((always_inline)) void linnet_relax_all(const float* before, const float* trans, int tags,
                                                                       float* best, const int blocks) {
        linnet_scores top[LINNET_MOST_BLOCKS], s;
        for (int b = 0; b < blocks; b++) top[b] = (linnet_scores){0, 0, 0, 0} + 2 * LINNET_NEVER;
        for (int i = 0; i < tags; i++, trans += 4 * blocks)
            for (int b = 0; b < blocks; b++) {
                memcpy(&s, trans + 4 * b, 16);
                s += before[i];
                for (int q = 0; q < 4; q++) top[b][q] = s[q] > top[b][q] ? s[q] : top[b][q];
            }
        memcpy(best, top, 16 * blocks);
    }
    static void linnet_relax(const float* before, const float* trans, int tags, int width, const int32_t* starts,
                             const int32_t* places, float* best) {
        #define LINNET_RELAX(n) case n: linnet_relax_all(before, trans, tags, best, n); return;
        if (starts[width / 4] == tags * (width / 4))  /* all may follow all */
            switch (width / 4) {
                LINNET_RELAX(1) LINNET_RELAX(2) LINNET_RELAX(3) LINNET_RELAX(4) LINNET_RELAX(5) LINNET_RELAX(6)
                LINNET_RELAX(7) LINNET_RELAX(8) LINNET_RELAX(9) LINNET_RELAX(10) LINNET_RELAX(11) LINNET_RELAX(12)
            }
        for (int j = 0; j < width; j += 4) {
            linnet_scores top = {2 * LINNET_NEVER, 2 * LINNET_NEVER, 2 * LINNET_NEVER, 2 * LINNET_NEVER}, s;
            for (int p = starts[j / 4]; p < starts[j / 4 + 1]; p++) {
                memcpy(&s, trans + (size_t)places[p] * width + j, 16);
                s += before[places[p]];
                for (int q = 0; q < 4; q++) top[q] = s[q] > top[q] ? s[q] : top[q];
            }
            memcpy(best + j, &top, 16);
        }
    }
    /* The first i of the places that linnet_relax took for tag j whose before[i] + trans[i, j] is largest; 0 if there is none. */
    static int linnet_origin(const float* before, const float* trans, int width, const int32_t* starts,
                             const int32_t* places, int j) {
        float top = 2 * LINNET_NEVER;
        int at = 0;
        for (int p = starts[j / 4]; p < starts[j / 4 + 1]; p++) {
            int i = places[p];
            float s = before[i] + trans[(size_t)i * width + j];
            at = s > top ? i : at;
            top = s > top ? s : top;
        }
        return at;
    }
    static void linnet_add(float* restrict into, const float* restrict what, int width) {
        for (int j = 0; j < width; j++) into[j] += what[j];
    }
    """
    const float NEVER "LINNET_NEVER"
    void relax "linnet_relax"(
        const float* before, const float* trans, int tags, int width, const int* starts, const int* places, float* best
    ) noexcept nogil
    int origin "linnet_origin"(
        const float* before, const float* trans, int width, const int* starts, const int* places, int j
    ) noexcept nogil
    void add_scores "linnet_add"(float* into, const float* what, int width) noexcept nogil

# The best tags of n tokens, in `out`, and their score: max over y of the sum of emit[t, y_t] and trans[y_t-1, y_t] (Viterbi
# 1967).  `starts` and `places` are those of relax.  `only` has the tag of tokens whose tag is known, -1 for others.  Room: n
# rows of scores, of the best sequences that end with each tag.  Which tag came before is asked going backwards, of the
# tags of the best sequence alone.
cdef inline float viterbi(
    const float* emit, const float* trans, const int* starts, const int* places, const int* only, Py_ssize_t n,
    int tags, int width, float* rows, int* out
) noexcept nogil:
    cdef Py_ssize_t t
    cdef int i
    cdef int j
    cdef int best
    cdef float s
    cdef float top
    cdef const float* before
    cdef float* now = rows
    for j in range(tags):
        now[j] = trans[<Py_ssize_t>tags * width + j] + emit[j]
        if only[0] >= 0 and only[0] != j:
            now[j] = NEVER
    for t in range(1, n):
        before = now
        now = now + width
        if only[t] >= 0:
            j = only[t]
            best = before_known(before, trans, tags, width, only[t - 1], j)
            for i in range(tags):
                now[i] = NEVER
            now[j] = before[best] + trans[<Py_ssize_t>best * width + j] + emit[t * width + j]
        else:
            if only[t - 1] >= 0:
                best = only[t - 1]
                s = before[best]
                for j in range(tags):
                    now[j] = s + trans[<Py_ssize_t>best * width + j]
            else:
                relax(before, trans, tags, width, starts, places, now)
            add_scores(now, emit + t * width, width)
    best = before_known(now, trans, tags, width, only[n - 1], tags)
    top = now[best] + trans[<Py_ssize_t>best * width + tags]
    t = n - 1
    while t > 0:
        out[t] = best
        now = now - width
        if only[t] >= 0 or only[t - 1] >= 0:
            best = before_known(now, trans, tags, width, only[t - 1], only[t] if only[t] >= 0 else best)
        else:
            best = origin(now, trans, width, starts, places, best)
        t -= 1
    out[0] = best
    return top

# The best tag before tag j, which is known to follow or is the outside; `known` is the one before, if it is known, too.
cdef inline int before_known(
    const float* before, const float* trans, int tags, int width, int known, int j
) noexcept nogil:
    cdef int i
    cdef int best = 0
    cdef float s
    cdef float top
    if known >= 0:
        return known
    top = before[0] + trans[j]
    for i in range(1, tags):
        s = before[i] + trans[<Py_ssize_t>i * width + j]
        if s > top:
            top = s
            best = i
    return best
