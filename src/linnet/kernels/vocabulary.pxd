cimport cython

# The tables of vocabulary.py, and what runs for every word: with their bodies, so that they are compiled into the loops
# of the kernels that call them.

from libc.string cimport memcpy

cdef extern from *:
    """
    #include <stdint.h>
    #include <stdlib.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    /* Zeroed memory for a table, to be given back with linnet_release.  Lookups in a large table
       are random: pages of 2 MiB save a page lookup for each.  It comes straight from the system, because memory that malloc
       reuses keeps its small pages.  Small tables do without: to find such a page may take longer than it saves. */
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
    #define LINNET_PAGE ((size_t)2 << 20)
    #define LINNET_LARGE ((size_t)64 << 20)
    #else
    #define LINNET_LARGE ((size_t)-1)
    #endif
    static void* linnet_zeroed(size_t bytes) {
    #if defined(LINNET_PAGE)
        if (bytes >= LINNET_LARGE) {
            size_t whole = (bytes + LINNET_PAGE - 1) & ~(LINNET_PAGE - 1), before;
            char* found = (char*)mmap(NULL, whole + LINNET_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                      -1, 0);
            if (found == (char*)MAP_FAILED) return NULL;
            before = (size_t)(-(uintptr_t)found & (LINNET_PAGE - 1));
            if (before) munmap(found, before);
            munmap(found + before + whole, LINNET_PAGE - before);
            madvise(found + before, whole, MADV_HUGEPAGE);
            return found + before;
        }
    #endif
        return calloc(1, bytes);
    }
    static void linnet_release(void* table, size_t bytes) {
    #if defined(LINNET_PAGE)
        if (table && bytes >= LINNET_LARGE) {
            munmap(table, (bytes + LINNET_PAGE - 1) & ~(LINNET_PAGE - 1));
            return;
        }
    #endif
        free(table);
    }
    """
    void* zeroed "linnet_zeroed"(size_t bytes) noexcept nogil
    void release "linnet_release"(void* table, size_t bytes) noexcept nogil

# The bucket of a key in a table of 2^(64 - shift).  Keys are known to whoever writes the input, so `odd` is a secret: who
# does not know it cannot choose keys that share buckets (Dietzfelbinger and others 1997, multiply-shift hashing).
cdef inline Py_ssize_t bucket_of(unsigned long long key, int shift, unsigned long long odd) noexcept nogil:
    return <Py_ssize_t>((key * odd) >> shift)

# A key of a name's bytes that only this table knows, for names whose fixed keys are equal, which happens only on purpose:
# a polynomial with a secret base over the integers modulo the prime 2^32 - 5.  Two names of up to n bytes are equal in it
# with a chance of n / 2^32.
cdef inline unsigned long long secret_key(
    const unsigned char* prefix, Py_ssize_t prefix_length, const unsigned char* name, Py_ssize_t length,
    unsigned long long odd
) noexcept nogil:
    cdef unsigned long long base = (odd >> 31) % 4294967291ULL
    cdef unsigned long long h = 1
    cdef Py_ssize_t i
    for i in range(prefix_length):
        h = (h * base + prefix[i]) % 4294967291ULL
    for i in range(length):
        h = (h * base + name[i]) % 4294967291ULL
    return h

# The hash of a sequence, one more element long.
cdef inline unsigned long long chained(unsigned long long before, unsigned long long following) noexcept nogil:
    cdef unsigned long long h = (((before << 23) | (before >> 41)) ^ following) * 0xD1342543DE82EF95ULL
    return h ^ (h >> 32)

# Whether these bytes are equal.  Eight are read at a time, so both need spare bytes at their end.
cdef inline bint same(const unsigned char* a, const unsigned char* b, Py_ssize_t length) noexcept nogil:
    cdef unsigned long long x = 0
    cdef unsigned long long y = 0
    while length > 0:
        memcpy(&x, a, 8)
        memcpy(&y, b, 8)
        x ^= y
        if length < 8:
            x &= ~(<unsigned long long>0) >> (64 - 8 * length)
        if x != 0:
            return False
        a += 8
        b += 8
        length -= 8
    return True

cdef struct Slot:
    unsigned long long key
    unsigned long long detail  # exact: where its name begins in the arena; hashed: the last fingerprint noticed for it
    unsigned int number  # its feature's number + 1; 0: the slot is free
    unsigned int length  # of its name

@cython.final
cdef class Vocabulary:
    cdef readonly int bits
    cdef readonly Py_ssize_t size
    cdef readonly Py_ssize_t distinct
    cdef Slot* slots
    cdef Py_ssize_t capacity
    cdef int shift
    cdef unsigned long long odd  # a secret: see bucket_of
    cdef unsigned char* arena
    cdef Py_ssize_t arena_used
    cdef Py_ssize_t arena_room
    cdef unsigned long long* keys
    cdef long long* name_starts  # where each name begins in the arena; the next one's beginning is its end
    cdef Py_ssize_t room
    cdef unsigned long long* seen
    cdef Py_ssize_t seen_capacity
    cdef int seen_shift

    cdef Slot* find(
        self, unsigned long long key, const unsigned char* prefix, Py_ssize_t prefix_length,
        const unsigned char* name, Py_ssize_t length
    ) noexcept nogil
    cdef Slot* add(
        self, Slot* slot, unsigned long long key, const unsigned char* prefix, Py_ssize_t prefix_length,
        const unsigned char* name, Py_ssize_t length
    ) except NULL nogil
    cdef unsigned long long mask(self) noexcept nogil
    cdef inline bint is_full(self) noexcept nogil
    cdef int notice(self, unsigned long long fingerprint) except -1 nogil
    cdef int grow(self) except -1 nogil
    cdef int grow_seen(self) except -1 nogil
