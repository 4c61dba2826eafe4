# One row, one output: the innermost loops.  Their bodies are here, in a file that every kernel includes, so that they are
# inlined: passing the arguments of a call would cost as much as a short row.

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define LINNET_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define LINNET_PREFETCH(address) ((void)(address))
    #endif
    """
    void prefetch "LINNET_PREFETCH"(const void* address) noexcept nogil

ctypedef fused value_t:
    float
    double


cdef inline double dot(
    const value_t[::1] values,
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    bint dense,
    double[::1] w,
    Py_ssize_t ahead,
) noexcept nogil:
    """w . x in four sums: one alone would wait for each addition before the next.

    `ahead` is how many entries ahead the next ones are asked for, where rows come as they stand; 0 to ask for none.
    """
    cdef double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0
    cdef Py_ssize_t e = start, j = 0
    if dense:
        while e + 4 <= stop:
            s0 += values[e] * w[j]
            s1 += values[e + 1] * w[j + 1]
            s2 += values[e + 2] * w[j + 2]
            s3 += values[e + 3] * w[j + 3]
            e += 4
            j += 4
        while e < stop:
            s0 += values[e] * w[j]
            e += 1
            j += 1
    else:
        while e + 4 <= stop:
            if ahead:
                prefetch(&values[e] + ahead)
                prefetch(&ids[e] + ahead)
            s0 += values[e] * w[ids[e]]
            s1 += values[e + 1] * w[ids[e + 1]]
            s2 += values[e + 2] * w[ids[e + 2]]
            s3 += values[e + 3] * w[ids[e + 3]]
            e += 4
        while e < stop:
            s0 += values[e] * w[ids[e]]
            e += 1
    return (s0 + s1) + (s2 + s3)


cdef inline void add(
    const value_t[::1] values,
    const unsigned int[::1] ids,
    Py_ssize_t start,
    Py_ssize_t stop,
    bint dense,
    double[::1] w,
    double amount,
) noexcept nogil:
    """w += amount x."""
    cdef Py_ssize_t e = start, j
    cdef double x0, x1, x2, x3
    if dense:
        for j in range(stop - start):
            w[j] += amount * values[start + j]
    else:
        while e + 4 <= stop:  # the four products first: they need not wait for one another's stores
            x0 = amount * values[e]
            x1 = amount * values[e + 1]
            x2 = amount * values[e + 2]
            x3 = amount * values[e + 3]
            w[ids[e]] += x0
            w[ids[e + 1]] += x1
            w[ids[e + 2]] += x2
            w[ids[e + 3]] += x3
            e += 4
        while e < stop:
            w[ids[e]] += amount * values[e]
            e += 1


cdef inline void ask_for_row(
    const value_t[::1] values, const unsigned int[::1] ids, Py_ssize_t start, Py_ssize_t stop, bint dense
) noexcept nogil:
    """Prefetch a row's own entries, a cache line at a time: in a shuffled order the processor cannot foresee them."""
    cdef Py_ssize_t e
    if start == stop:
        return
    for e in range(start, stop, 8):
        prefetch(&values[e])
    prefetch(&values[stop - 1])  # rows begin anywhere in a line, and so may end in one more
    if not dense:
        for e in range(start, stop, 16):
            prefetch(&ids[e])
        prefetch(&ids[stop - 1])


cdef inline void ask_for(
    const unsigned int[::1] ids, Py_ssize_t start, Py_ssize_t stop, double[::1] w
) noexcept nogil:
    """Prefetch a row's weights: only its last ones, where a numbering by first appearance has the rare columns (the common
    ones are in cache anyway)."""
    cdef Py_ssize_t e, rare = 20
    if stop - start > rare:
        start = stop - rare
    for e in range(start, stop):
        prefetch(&w[ids[e]])


cdef inline double squared_length(const value_t[::1] values, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    cdef double total = 0.0, x
    cdef Py_ssize_t e
    for e in range(start, stop):
        x = values[e]
        total += x * x
    return total
