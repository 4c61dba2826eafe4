# What a parser needs for one sentence, and what a dynamic oracle knows about it.

from libc.string cimport memcpy, memset
from linnet.kernels.parsing_transitions cimport ATOMS, COLUMNS, Element, MOST_TEMPLATES, State, spread
from linnet.kernels.parsing_weights cimport Slot

cdef struct Room:
    State state
    Element* pool
    unsigned long long* tokens  # the rows of the root, the tokens and none
    float* scores
    unsigned long long atoms[ATOMS]
    unsigned long long keys[MOST_TEMPLATES]
    Slot* found[MOST_TEMPLATES]

# Arrays over the root and the tokens; see parsing_greedy.py.
cdef struct Oracle:
    int* heads
    int* labels
    int* on_stack  # how many gold dependents are on the stack
    int* in_buffer
    unsigned char* stacked  # whether the token is on the stack
    int costs[3]


cdef class Workspace:
    cdef Room room
    cdef Oracle gold


# The rows of a sentence's tokens, between those of the root and of none.
cdef inline void place_tokens(Room* room, const unsigned long long* tokens, Py_ssize_t n) noexcept nogil:
    cdef int i
    for i in range(COLUMNS):
        room.tokens[i] = spread(1000 + i)
        room.tokens[(n + 1) * COLUMNS + i] = spread(2000 + i)
    memcpy(room.tokens + COLUMNS, tokens, n * COLUMNS * sizeof(unsigned long long))


# The gold tree of a sentence, and the counts of the first state.
cdef inline void place_gold(Oracle* gold, const int* heads, const int* labels, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    memset(gold.on_stack, 0, (n + 2) * sizeof(int))
    memset(gold.in_buffer, 0, (n + 2) * sizeof(int))
    memset(gold.stacked, 0, n + 2)
    gold.heads[0] = -1
    gold.labels[0] = -1
    gold.stacked[0] = 1
    for i in range(n):
        gold.heads[i + 1] = heads[i]
        gold.labels[i + 1] = labels[i]
        gold.in_buffer[heads[i]] += 1


# What parsing_greedy.py shares.
cdef int move_of(int best, int labels) noexcept nogil
cdef int label_of(int best, int labels) noexcept nogil
cdef void costs_of(Room* room, Oracle* gold, int n) noexcept nogil
cdef void follow(Oracle* gold, Room* room, int move) noexcept nogil
