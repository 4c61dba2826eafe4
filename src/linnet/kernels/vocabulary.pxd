cimport cython

# The tables of vocabulary.py.

cdef extern from *:
    """
    #include <stdint.h>
    #include <stdlib.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    /* Zeroed memory for a table, to be given back with linnet_release.  A large table is looked at all over the place:
       with pages of 2 MiB the processor need not look up a page for every look.  It comes straight from the system:
       memory that malloc had lent out before would keep the small pages it has. */
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
    #define LINNET_PAGE ((size_t)2 << 20)
    #define LINNET_LARGE ((size_t)4 << 20)
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

# All that a look needs lies in half a cache line.
cdef struct Slot:
    unsigned long long key
    unsigned long long detail  # exact: where its name begins in the arena; hashed: the last fingerprint noticed for it
    unsigned int number  # its feature's number + 1; 0: the slot is free
    unsigned int length  # of its name
    unsigned int row  # the stamp of the last row that had it
    unsigned int place  # and its entry there

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
    cdef long long* name_starts  # where each name begins in the arena; the next one's beginning is its end
    cdef Py_ssize_t room
    cdef unsigned long long* seen
    cdef Py_ssize_t seen_capacity
    cdef unsigned int row

    cdef Slot* find(
        self, unsigned long long key, Py_ssize_t prefix_length, const unsigned char* name, Py_ssize_t length
    ) noexcept nogil
    cdef Slot* add(
        self, Slot* slot, unsigned long long key, const unsigned char* prefix, Py_ssize_t prefix_length,
        const unsigned char* name, Py_ssize_t length
    ) except NULL nogil
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
