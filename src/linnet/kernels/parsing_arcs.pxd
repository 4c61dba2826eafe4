# The features of an arc from a head to a dependent, for parsing_eisner.py.

from linnet.kernels.parsing_greedy cimport Room
from linnet.kernels.parsing_transitions cimport COLUMNS, MOST_TEMPLATES, distance, keys_of, put, spread

# Places of atoms: six tokens (head, dependent, and the neighbours of each), then direction with distance, direction, a tag
# between head and dependent.
cdef enum:
    ARC_TOKENS = 6
    MOST_BETWEEN = 24


# Add the coarse tag of a token to the different ones between a head and a dependent; how many there are now.
cdef inline int between(const Room* room, unsigned long long* tags, int count, int token) noexcept nogil:
    cdef int i
    cdef unsigned long long tag = room.tokens[COLUMNS * <Py_ssize_t>token + 1]
    for i in range(count):
        if tags[i] == tag:
            return count
    if count < MOST_BETWEEN:
        tags[count] = tag
        count += 1
    return count


# The keys of an arc; templates from `single` on are repeated for each tag between.
cdef inline Py_ssize_t arc_keys(
    Room* room, const signed char* plan, Py_ssize_t single, Py_ssize_t count, const unsigned long long* tags, int tag_count,
    int h, int m, int n
) noexcept nogil:
    cdef Py_ssize_t filled = single
    cdef Py_ssize_t k
    cdef int t
    cdef unsigned long long* atoms = room.atoms
    cdef unsigned long long extra[MOST_TEMPLATES]
    put(atoms, room.tokens, h)
    put(atoms + COLUMNS, room.tokens, m)
    put(atoms + 2 * COLUMNS, room.tokens, h - 1 if h > 0 else n + 1)
    put(atoms + 3 * COLUMNS, room.tokens, h + 1)
    put(atoms + 4 * COLUMNS, room.tokens, m - 1)
    put(atoms + 5 * COLUMNS, room.tokens, m + 1)
    atoms[ARC_TOKENS * COLUMNS + 1] = spread(1 if h < m else 0)
    atoms[ARC_TOKENS * COLUMNS] = atoms[ARC_TOKENS * COLUMNS + 1] ^ distance(min(h, m), max(h, m), n + 1)
    keys_of(atoms, plan, single, room.keys)
    for t in range(tag_count):
        if filled + count - single > MOST_TEMPLATES:
            break
        atoms[ARC_TOKENS * COLUMNS + 2] = tags[t]
        # numbered on from the others, so that no two templates share keys
        keys_of(atoms, plan, count, extra)
        for k in range(single, count):
            room.keys[filled] = extra[k]
            filled += 1
    return filled
