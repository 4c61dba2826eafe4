cimport cython

# What stands for the number of classes of a list that has a number for each.
cdef enum:
    ALL = 0xFFFFFFFF

# Where a list begins in the words of all lists, its classes, and those that it has room for.
cdef struct List:
    long long start
    unsigned int count
    unsigned int room

@cython.final
cdef class ClassLists:
    cdef List* lists
    cdef Py_ssize_t size
    cdef unsigned int* words
    cdef Py_ssize_t used
    cdef Py_ssize_t room
    cdef Py_ssize_t width
    # Of each size of lists, FIRST_ROOM times a power of two, the first of those that were left, or -1.
    cdef long long left[32]

    cdef Py_ssize_t place(self, Py_ssize_t i, unsigned int k) except -1 nogil
    cdef Py_ssize_t append(self, Py_ssize_t i, unsigned int k) except -1 nogil
    cdef int add(
        self, Py_ssize_t i, double x, Py_ssize_t several, unsigned int* classes, double* by, unsigned char* marks
    ) except -1 nogil
    cdef int widen(self, Py_ssize_t i) except -1 nogil
    cdef Py_ssize_t begin(self, Py_ssize_t room) except -1 nogil
    cdef void leave(self, Py_ssize_t start, Py_ssize_t room) noexcept nogil
    cdef int make_room(self, Py_ssize_t words) except -1 nogil
