# The states that a beam has kept, and how each was reached.

from linnet.kernels.parsing_greedy cimport Room
from linnet.kernels.parsing_transitions cimport State
from linnet.kernels.parsing_weights cimport Weights

cdef struct Item:
    State state
    double score
    int parent  # its place among the items of the step before
    int action  # the class that led here

# What may come next: the state it comes from, and the class.
cdef struct Candidate:
    double score
    int parent
    int action

cdef struct Beam:
    Item* items  # those of step t from t * width on
    Item* gold  # the states of the gold tree's sequence, a step each
    int* counts  # how many items each step has
    Candidate* candidates
    int width
    int used  # places of the pool

cdef class BeamRoom:
    cdef Beam beam


# What parsing_beam.py shares.
cdef void score_state(
    Weights weights, Room* room, State* state, const signed char* templates, Py_ssize_t count, int n, double average
) noexcept nogil
cdef int offer_all(
    Beam* beam, Room* room, Item* item, int parent, int kept, int n, int labels, const unsigned char* allowed
) noexcept nogil
cdef void advance(Beam* beam, Room* room, int step, int kept, int n, int labels) noexcept nogil
cdef void start(Beam* beam, Room* room, int n) noexcept nogil
