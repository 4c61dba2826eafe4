cimport cython

# The table of counting.py.  All that a look needs lies in half a cache line.
cdef struct Place:
    unsigned long long key
    unsigned long long detail  # exact: its name, offset << 32 | length; hashed: the last fingerprint noticed for it
    unsigned int row  # the stamp of the last row that had it; one of an earlier block: the place is free
    unsigned int entry  # and its entry there
    unsigned int number  # its name's number in the block

cdef struct Gram:
    unsigned long long key
    unsigned int name
    unsigned int length

@cython.final
cdef class Counter:
    cdef Place* places
    cdef Py_ssize_t capacity
    cdef int shift
    cdef unsigned int row
    cdef unsigned int first_row  # of the present block

    cdef int clear(self) noexcept nogil
    cdef int grow(self) except -1 nogil
