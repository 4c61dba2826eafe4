# The table of parsing_weights.py, with the bodies of what runs for every feature of every state, so that they are
# compiled into the loops of the kernels that call them.

from linnet.kernels.rows cimport prefetch
from linnet.kernels.vocabulary cimport bucket_of

# Where the row of a feature is: `count` entries from `start` on, with room for `room`; a free slot has no room.  Of a frozen
# table, the room is SPARSE, or DENSE for a row of all classes that is number `start` of those.
cdef struct Slot:
    unsigned long long key
    unsigned int start
    unsigned short count
    unsigned short room

# The weight of a feature for one class while it is trained: w, and u, the sum of its changes times their steps.
cdef struct Entry:
    unsigned int label
    float w
    double u

# The weight of a feature for one class as it is used.
cdef struct Frozen:
    unsigned int label
    float w

cdef enum:
    SPARSE = 1
    DENSE = 2

cdef class Weights:
    cdef readonly Py_ssize_t size  # features that have a row
    cdef readonly Py_ssize_t classes
    cdef readonly bint frozen
    cdef public double steps
    cdef Slot* slots
    cdef Py_ssize_t capacity
    cdef int shift
    cdef unsigned long long odd
    cdef Entry* entries
    cdef Frozen* fixed
    cdef float* dense
    cdef readonly Py_ssize_t stride  # classes, filled up to whole vectors: as many scores are written
    cdef Py_ssize_t used
    cdef Py_ssize_t room
    cdef long long free_rows[18]  # the first free row of 2^i entries, or -1; its `u` leads to the next

    cdef Slot* find(self, unsigned long long key) noexcept nogil
    cdef int change(self, unsigned long long key, unsigned int label, float delta) except -1 nogil
    cdef int widen(self, Slot* slot) except -1 nogil
    cdef int grow(self) except -1 nogil
    cdef void scores(
        self, const unsigned long long* keys, Py_ssize_t count, Slot** found, double average, float* into
    ) noexcept nogil
