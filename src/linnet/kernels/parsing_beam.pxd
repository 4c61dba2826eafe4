# The states that a beam has kept, and how each was reached.

from libc.stdlib cimport free, malloc
from linnet.kernels.parsing_transitions cimport State

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


# Room for sentences of up to n tokens; 0 where memory lacks.
cdef inline bint make_room(Beam* beam, Py_ssize_t n, int width) noexcept nogil:
    beam.width = width
    beam.items = <Item*>malloc((2 * n + 1) * width * sizeof(Item))
    beam.gold = <Item*>malloc((2 * n + 1) * sizeof(Item))
    beam.counts = <int*>malloc((2 * n + 1) * sizeof(int))
    beam.candidates = <Candidate*>malloc((width + 1) * sizeof(Candidate))
    return beam.items != NULL and beam.gold != NULL and beam.counts != NULL and beam.candidates != NULL


cdef inline void give_back(Beam* beam) noexcept nogil:
    free(beam.items)
    free(beam.gold)
    free(beam.counts)
    free(beam.candidates)
