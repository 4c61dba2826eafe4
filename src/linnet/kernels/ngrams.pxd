cimport cython

# The table of ngrams.py.  All that a lookup needs is in half a cache line.
cdef struct Cell:
    unsigned long long key
    unsigned long long detail  # exact: its name, offset << 32 | length; hashed: the last fingerprint noticed for it
    unsigned int row  # the stamp of the last row that had it; one of an earlier block: the cell is free
    unsigned int entry  # and its entry there
    unsigned int number  # its name's number in the block

cdef struct Gram:
    unsigned long long key
    unsigned int name
    unsigned int length

cdef struct Sizes:
    Py_ssize_t shortest  # tokens of an n-gram
    Py_ssize_t longest
    Py_ssize_t gap  # bytes between two tokens
    bint whole  # a segment that is too short for any n-gram counts as one

# Where the n-grams of a block are counted, and how many there are.
cdef struct Counts:
    unsigned int* ids
    unsigned int* counts
    unsigned long long* fingerprints
    unsigned int* names
    unsigned int* lengths
    unsigned long long* others
    Py_ssize_t size  # names
    Py_ssize_t written  # entries of rows
    Py_ssize_t noticed  # others

@cython.final
cdef class Counter:
    cdef Cell* cells
    cdef Py_ssize_t capacity
    cdef int shift
    cdef unsigned long long odd  # a secret: see vocabulary.pxd
    cdef unsigned int row
    cdef unsigned int first_row  # of the present block

    cdef int clear(self) noexcept nogil
    cdef int grow(self, const unsigned char* base, int bits) except -1 nogil
    cdef tuple arrays(self, Counts* into, Py_ssize_t most, int bits, object results)
    cdef int count_row(
        self, Gram* grams, Py_ssize_t filled, const unsigned char* base, int bits, Counts* into
    ) except -1 nogil
