# The states that a beam has kept, and how each was reached.

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

cdef class BeamRoom:
    cdef Beam beam
