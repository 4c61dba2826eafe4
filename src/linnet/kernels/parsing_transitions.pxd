# The arc-hybrid transition system (Kuhlmann, Gómez-Rodríguez, Satta 2011): its states, its moves, and which are possible.
#
# Tokens are 1 ... n, 0 is the root, n + 1 stands for "none".  A state has a stack ..., s1, s0, at first the root alone, and a
# buffer b, b + 1, ..., n:
#
#     SHIFT  moves b onto the stack
#     LEFT   makes s0 a dependent of b, and pops it
#     RIGHT  makes s0 a dependent of s1, and pops it
#
# The root gets its only dependent as the last move of all, so that every sequence of 2n possible moves ends in a tree.
# The classes of a model with L labels are SHIFT = 0, LEFT with label l = 1 + l, RIGHT with label l = 1 + L + l.

from linnet.kernels.vocabulary cimport chained

cdef enum:
    SHIFT = 0
    LEFT = 1
    RIGHT = 2

# A token of the stack, with its outermost dependents so far: leftmost, second leftmost, rightmost, second rightmost.
# Labels count from 1; 0 is none.  `left_set` has a bit for each label (modulo 64) of the left dependents.
# Never changed once it is in the pool, so that the states of a beam share them.
cdef struct Element:
    int node
    int below  # its place in the pool; -1 below the root
    int l1
    int l2
    int r1
    int r2
    unsigned short l1_label
    unsigned short l2_label
    unsigned short r1_label
    unsigned short r2_label
    unsigned short lefts
    unsigned short rights
    unsigned long long left_set
    unsigned long long right_set

cdef struct State:
    int top  # the place of s0 in the pool
    int b
    Element front  # b, with its left dependents


cdef inline void blank(Element* element, int node, int none) noexcept nogil:
    element.node = node
    element.below = -1
    element.l1 = element.l2 = element.r1 = element.r2 = none
    element.l1_label = element.l2_label = element.r1_label = element.r2_label = 0
    element.lefts = element.rights = 0
    element.left_set = element.right_set = 0


# The first state; the pool has one element then.
cdef inline void begin(State* state, Element* pool, int n) noexcept nogil:
    blank(&pool[0], 0, n + 1)
    state.top = 0
    state.b = 1
    blank(&state.front, 1, n + 1)


# Which moves are possible, as bits 1 << move.
cdef inline int possible(const State* state, const Element* pool, int n) noexcept nogil:
    cdef const Element* top = &pool[state.top]
    cdef int found = 0
    if state.b <= n:
        found = 1 << SHIFT
        if top.node != 0:
            found |= 1 << LEFT
    if top.node != 0 and (state.b > n or pool[top.below].node != 0):
        found |= 1 << RIGHT
    return found


# Make a move; it may take the next place in the pool, and returns the places in use.
cdef inline int moved(State* state, Element* pool, int used, int n, int move, int label) noexcept nogil:
    cdef const Element* top = &pool[state.top]
    cdef Element* parent
    if move == SHIFT:
        pool[used] = state.front
        pool[used].below = state.top
        state.top = used
        state.b += 1
        blank(&state.front, state.b, n + 1)
        return used + 1
    if move == LEFT:
        parent = &state.front
        parent.l2 = parent.l1
        parent.l2_label = parent.l1_label
        parent.l1 = top.node
        parent.l1_label = <unsigned short>(label + 1)
        parent.lefts += parent.lefts < 65535
        parent.left_set |= (<unsigned long long>1) << (label & 63)
        state.top = top.below
        return used
    pool[used] = pool[top.below]
    parent = &pool[used]
    parent.r2 = parent.r1
    parent.r2_label = parent.r1_label
    parent.r1 = top.node
    parent.r1_label = <unsigned short>(label + 1)
    parent.rights += parent.rights < 65535
    parent.right_set |= (<unsigned long long>1) << (label & 63)
    state.top = used
    return used + 1


# -- features --------------------------------------------------------------------------------------------------------

cdef enum:
    COLUMNS = 4  # of a token: word, universal tag, tag of the language, features
    NODES = 17  # s0 s1 s2 b b+1 b+2 b+3, and s0's, s1's and b's dependents
    LABELS = 10
    NUMBERS = 12
    ATOMS = 17 * 4 + 10 + 12
    TEMPLATE_ATOMS = 5
    MOST_TEMPLATES = 512


# A small number as a value that differs in all its bits from any other.
cdef inline unsigned long long spread(unsigned long long number) noexcept nogil:
    return (number + 1) * 0x9E3779B97F4A7C15ULL


cdef inline void put(unsigned long long* into, const unsigned long long* tokens, int node) noexcept nogil:
    cdef const unsigned long long* row = tokens + COLUMNS * <Py_ssize_t>node
    into[0] = row[0]
    into[1] = row[1]
    into[2] = row[2]
    into[3] = row[3]


cdef inline unsigned long long distance(int near, int far, int none) noexcept nogil:
    cdef int d = far - near
    if far >= none or near >= none:
        return spread(0)
    if d > 10:
        d = 7
    elif d > 6:
        d = 6
    elif d > 4:
        d = 5
    return spread(d)


# The atoms of a state: what templates combine.  `tokens` has the hashes of the root, the tokens, and none, row by row.
cdef inline void atoms_of(
    const State* state, const Element* pool, const unsigned long long* tokens, int n, unsigned long long* into
) noexcept nogil:
    cdef Element nothing
    cdef const Element* s0 = &pool[state.top]
    cdef const Element* s1
    cdef const Element* b = &state.front
    cdef int s2 = n + 1
    cdef int i
    cdef unsigned long long* labels = into + NODES * COLUMNS
    cdef unsigned long long* numbers = labels + LABELS
    blank(&nothing, n + 1, n + 1)
    s1 = &nothing
    if s0.below >= 0:
        s1 = &pool[s0.below]
        if s1.below >= 0:
            s2 = pool[s1.below].node
    put(into, tokens, s0.node)
    put(into + COLUMNS, tokens, s1.node)
    put(into + 2 * COLUMNS, tokens, s2)
    for i in range(4):
        put(into + (3 + i) * COLUMNS, tokens, state.b + i if state.b + i <= n else n + 1)
    put(into + 7 * COLUMNS, tokens, s0.l1)
    put(into + 8 * COLUMNS, tokens, s0.r1)
    put(into + 9 * COLUMNS, tokens, s0.l2)
    put(into + 10 * COLUMNS, tokens, s0.r2)
    put(into + 11 * COLUMNS, tokens, s1.l1)
    put(into + 12 * COLUMNS, tokens, s1.r1)
    put(into + 13 * COLUMNS, tokens, s1.l2)
    put(into + 14 * COLUMNS, tokens, s1.r2)
    put(into + 15 * COLUMNS, tokens, b.l1)
    put(into + 16 * COLUMNS, tokens, b.l2)
    labels[0] = spread(s0.l1_label)
    labels[1] = spread(s0.r1_label)
    labels[2] = spread(s0.l2_label)
    labels[3] = spread(s0.r2_label)
    labels[4] = spread(s1.l1_label)
    labels[5] = spread(s1.r1_label)
    labels[6] = spread(s1.l2_label)
    labels[7] = spread(s1.r2_label)
    labels[8] = spread(b.l1_label)
    labels[9] = spread(b.l2_label)
    numbers[0] = distance(s0.node, state.b, n + 1)
    numbers[1] = distance(s1.node, s0.node, n + 1)
    numbers[2] = spread(s0.lefts)
    numbers[3] = spread(s0.rights)
    numbers[4] = spread(s1.lefts)
    numbers[5] = spread(s1.rights)
    numbers[6] = spread(b.lefts)
    numbers[7] = spread(s0.left_set)
    numbers[8] = spread(s0.right_set)
    numbers[9] = spread(s1.left_set)
    numbers[10] = spread(s1.right_set)
    numbers[11] = spread(b.left_set)


# The keys of all templates.  A template is TEMPLATE_ATOMS places of atoms, -1 where it has fewer; its key is a hash of its
# number and its atoms.
cdef inline void keys_of(
    const unsigned long long* atoms, const signed char* templates, Py_ssize_t count, unsigned long long* into
) noexcept nogil:
    cdef Py_ssize_t t
    cdef unsigned long long h
    cdef const signed char* places = templates
    for t in range(count):
        h = chained(spread(t), atoms[places[0]])
        if places[1] >= 0:
            h = chained(h, atoms[places[1]])
            if places[2] >= 0:
                h = chained(h, atoms[places[2]])
                if places[3] >= 0:
                    h = chained(h, atoms[places[3]])
                    if places[4] >= 0:
                        h = chained(h, atoms[places[4]])
        into[t] = h
        places += TEMPLATE_ATOMS
