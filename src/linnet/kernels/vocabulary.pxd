cimport cython

# The tables of vocabulary.py.  What is looked up by key is kept small; what is looked up by number lies in the order of
# numbers, so that frequent names, which come early, share cache lines.

cdef extern from *:
    """
    #include <stdlib.h>
    #include <string.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    /* Zeroed memory to be freed with free().  A large table is looked at all over the place: with pages of 2 MiB the
       processor need not look up a page for every look. */
    static void* linnet_zeroed(size_t bytes) {
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        void* found = NULL;
        if (bytes >= ((size_t)4 << 20) && posix_memalign(&found, (size_t)2 << 20, bytes) == 0) {
            madvise(found, bytes, MADV_HUGEPAGE);
            memset(found, 0, bytes);
            return found;
        }
    #endif
        return calloc(1, bytes);
    }
    """
    void* zeroed "linnet_zeroed"(size_t bytes) noexcept nogil

cdef struct Slot:
    unsigned long long key
    unsigned int number  # its feature's number + 1; 0: the slot is free

cdef struct Met:
    long long name  # where its name begins in the arena; the next one's beginning is its end
    unsigned int row  # the stamp of the last row that had it
    unsigned int place  # and its entry there
    unsigned long long fingerprint  # the last one noticed for it, where names are hashed

cdef struct Gram:
    unsigned long long key
    Py_ssize_t name
    Py_ssize_t length

@cython.final
cdef class Vocabulary:
    cdef readonly int bits
    cdef readonly Py_ssize_t size
    cdef readonly Py_ssize_t distinct
    cdef Slot* slots
    cdef Py_ssize_t capacity
    cdef int shift
    cdef unsigned char* arena
    cdef Py_ssize_t arena_used
    cdef Py_ssize_t arena_room
    cdef unsigned long long* keys
    cdef Met* met
    cdef Py_ssize_t room
    cdef unsigned long long* seen
    cdef Py_ssize_t seen_capacity
    cdef unsigned int row

    cdef Slot* find(
        self, unsigned long long key, Py_ssize_t prefix_length, const unsigned char* name, Py_ssize_t length
    ) noexcept nogil
    cdef unsigned int add(
        self, Slot* slot, unsigned long long key, const unsigned char* prefix, Py_ssize_t prefix_length,
        const unsigned char* name, Py_ssize_t length
    ) except 0 nogil
    cdef inline bint is_full(self) noexcept nogil
    cdef int notice(self, unsigned long long fingerprint) except -1 nogil
    cdef int grow(self) except -1 nogil
    cdef int grow_seen(self) except -1 nogil
    cdef int new_row(self) noexcept nogil
    cdef Py_ssize_t number(
        self, Gram* batch, Py_ssize_t filled, const unsigned char* base, const unsigned char* lead,
        Py_ssize_t lead_length, unsigned long long mask, bint frozen, unsigned int* ids, unsigned int* counts,
        Py_ssize_t written
    ) except -1 nogil
