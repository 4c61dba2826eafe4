cimport cython

# The hash of a sequence, one more element long; 0 stands for nothing, so no hash is 0.
cdef inline unsigned long long followed(unsigned long long before, unsigned long long following) noexcept nogil:
    cdef unsigned long long h = (((before << 23) | (before >> 41)) ^ following) * 0xD1342543DE82EF95ULL
    h ^= h >> 32
    return h if h != 0 else 1

# The hash of some bytes, of a kind that its seed names.
cdef inline unsigned long long bytes_hash(
    unsigned long long seed, const unsigned char* p, Py_ssize_t length
) noexcept nogil:
    cdef unsigned long long h = 0xCBF29CE484222325ULL ^ seed
    cdef Py_ssize_t i
    for i in range(length):
        h = (h ^ p[i]) * 0x100000001B3ULL
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ULL
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBULL
    h ^= h >> 31
    return h if h != 0 else 1

cdef struct Key:
    unsigned long long key  # 0: free
    unsigned int number

@cython.final
cdef class Numbering:
    cdef Key* slots
    cdef Py_ssize_t capacity
    cdef readonly Py_ssize_t size
    cdef int shift
    cdef unsigned long long odd  # a secret: see bucket_of in vocabulary.pxd

    cdef unsigned int find(self, unsigned long long key) noexcept nogil
    cdef void ask_for(self, unsigned long long key) noexcept nogil
    cdef int add(self, unsigned long long key, unsigned int* number) except -1 nogil
    cdef int grow(self) except -1 nogil

cdef unsigned long long outside(Py_ssize_t distance) noexcept nogil
cdef unsigned long long feature(
    const unsigned long long[:, ::1] atoms, const unsigned int[::1] own, const unsigned long long[:, ::1] others,
    Py_ssize_t parts, const int[:, ::1] templates, Py_ssize_t k, Py_ssize_t t, Py_ssize_t begin, Py_ssize_t stop,
    const unsigned char[::1] bounded
) noexcept nogil
