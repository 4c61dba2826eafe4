"""A version space as bits, one a concept: which of them are true of an example, how many, and which remain.

The concepts are rules "at least m of these j variables", for every set of j out of d variables in lexicographic order;
a class is one or more such segments, one after the other.  Rank and set determine each other, so nothing is stored but
the bits.  The sets that begin alike have consecutive ranks, and an example often decides all of them at once:

    enough of the beginning is true already, or must become so    a run of ones
    too little of it can become true                              a run of zeros
    one variable is left to pick, and it decides                  the example's own bits, from there on

The rest is a walk over the beginnings that are still open.  Those with no concept alive are passed over, by words of 64
bits, and by blocks of 64 words.
"""

import cython

WORDS_A_BLOCK = 64
# The same, as a shift: blocks are found from words, words from bits.
SHIFT = cython.declare(cython.int, 6)
MASK = cython.declare(cython.longlong, 63)
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def ones_in(word: cython.ulonglong) -> cython.longlong:
    """How many bits are set, by adding neighbours: of one bit, of two, of four, then all bytes by one product."""
    word = word - ((word >> 1) & cython.cast(cython.ulonglong, 0x5555555555555555))
    word = (word & cython.cast(cython.ulonglong, 0x3333333333333333)) + (
        (word >> 2) & cython.cast(cython.ulonglong, 0x3333333333333333)
    )
    word = (word + (word >> 4)) & cython.cast(cython.ulonglong, 0x0F0F0F0F0F0F0F0F)
    return cython.cast(cython.longlong, (word * cython.cast(cython.ulonglong, 0x0101010101010101)) >> 56)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_dead(
    alive: cython.const[cython.ulonglong][::1],
    live: cython.const[cython.uchar][::1],
    at: cython.longlong,
    size: cython.longlong,
) -> cython.bint:
    """Whether no concept from `at` on is alive, judged by whole words (of a long run, whole blocks)."""
    first: cython.longlong = at >> SHIFT
    last: cython.longlong = (at + size - 1) >> SHIFT
    if last - first > 2 * MASK:
        first >>= SHIFT
        last >>= SHIFT
        while first <= last and not live[first]:
            first += 1
    else:
        while first <= last and not alive[first]:
            first += 1
    return first > last


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def fill(votes: cython.ulonglong[::1], at: cython.longlong, size: cython.longlong) -> cython.void:
    """Set `size` bits from `at` on."""
    first: cython.longlong = at >> SHIFT
    last: cython.longlong = (at + size - 1) >> SHIFT
    head: cython.ulonglong = ALL << (at & MASK)
    tail: cython.ulonglong = ALL >> (MASK - ((at + size - 1) & MASK))
    w: cython.longlong
    if first == last:
        votes[first] |= head & tail
        return
    votes[first] |= head
    for w in range(first + 1, last):
        votes[w] = ALL
    votes[last] |= tail


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def copy(
    votes: cython.ulonglong[::1],
    at: cython.longlong,
    size: cython.longlong,
    packed: cython.const[cython.ulonglong][::1],
    start: cython.longlong,
) -> cython.void:
    """Set the bits from `at` on that are set in `packed` from `start` on; a word is left over at its end."""
    done: cython.longlong = 0
    word: cython.longlong
    offset: cython.longlong
    taken: cython.longlong
    bits: cython.ulonglong
    while done < size:
        word = (start + done) >> SHIFT
        offset = (start + done) & MASK
        bits = packed[word] >> offset
        if offset:
            bits |= packed[word + 1] << (64 - offset)
        offset = (at + done) & MASK
        taken = 64 - offset
        if taken > size - done:
            taken = size - done
            bits &= ALL >> (64 - taken)
        votes[(at + done) >> SHIFT] |= bits << offset
        done += taken


def vote(
    row: cython.const[cython.uchar][::1],
    segments: cython.const[cython.longlong][:, ::1],
    ways: cython.const[cython.longlong][:, ::1],
    alive: cython.const[cython.ulonglong][::1],
    live: cython.const[cython.uchar][::1],
    packed: cython.ulonglong[::1],
    after: cython.longlong[::1],
    walk: cython.longlong[:, ::1],
    votes: cython.ulonglong[::1],
):
    """votes: a bit for each concept that is true of the row; where no concept of a block is alive, anything.

    A segment is (j, m, the rank of its first concept), ways[n, j] the number of sets of j out of n, live[b] whether
    block b has a concept alive.  Room to work in: `packed` for the row as bits and a word more, `after` for d + 1
    numbers, `walk` for two rows of the largest j.
    """
    d: cython.longlong = row.shape[0]
    b: cython.Py_ssize_t
    s: cython.Py_ssize_t
    v: cython.longlong
    w: cython.longlong
    picks: cython.longlong
    left: cython.longlong
    rest: cython.longlong
    need: cython.longlong
    at: cython.longlong
    size: cython.longlong
    depth: cython.longlong
    if d + 1 != ways.shape[0]:
        raise ValueError(f"a row of {d} variables, for rules of {ways.shape[0] - 1}")
    with cython.nogil:
        for w in range(packed.shape[0]):
            packed[w] = 0
        after[d] = 0
        for v in range(d - 1, -1, -1):
            after[v] = after[v + 1] + row[v]
            packed[v >> SHIFT] |= cython.cast(cython.ulonglong, row[v]) << (v & MASK)
        for b in range(live.shape[0]):
            if live[b]:
                for w in range(b << SHIFT, min((b + 1) << SHIFT, votes.shape[0])):
                    votes[w] = 0
        for s in range(segments.shape[0]):
            picks = segments[s, 0]
            need = segments[s, 1]
            at = segments[s, 2]
            size = ways[d, picks]
            if need <= 0 or need <= picks - (d - after[0]):
                fill(votes, at, size)
                continue
            if need > picks or need > after[0] or is_dead(alive, live, at, size):
                continue
            if picks == 1:
                copy(votes, at, size, packed, 0)
                continue
            # walk[0, depth] is the variable to try next at that depth, walk[1, depth] how many must still be true
            depth = 0
            walk[0, 0] = 0
            walk[1, 0] = need
            while depth >= 0:
                v = walk[0, depth]
                left = picks - depth - 1
                rest = d - v - 1
                if rest < left:
                    depth -= 1
                    continue
                walk[0, depth] = v + 1
                need = walk[1, depth] - row[v]
                size = ways[rest, left]
                if need <= 0 or need <= left - (rest - after[v + 1]):
                    fill(votes, at, size)
                elif need > left or need > after[v + 1] or is_dead(alive, live, at, size):
                    pass
                elif left == 1:
                    copy(votes, at, size, packed, v + 1)
                else:
                    depth += 1
                    walk[0, depth] = v + 1
                    walk[1, depth] = need
                    continue
                at += size


def count(
    alive: cython.const[cython.ulonglong][::1],
    live: cython.const[cython.uchar][::1],
    votes: cython.const[cython.ulonglong][::1],
) -> cython.longlong:
    """How many of those alive voted yes."""
    total: cython.longlong = 0
    b: cython.Py_ssize_t
    w: cython.Py_ssize_t
    with cython.nogil:
        for b in range(live.shape[0]):
            if live[b]:
                for w in range(b << SHIFT, min((b + 1) << SHIFT, alive.shape[0])):
                    total += ones_in(alive[w] & votes[w])
    return total


def keep(
    alive: cython.ulonglong[::1],
    live: cython.uchar[::1],
    votes: cython.const[cython.ulonglong][::1],
    truth: cython.bint,
):
    """Only those stay alive that voted for the truth."""
    flip: cython.ulonglong = 0 if truth else ALL
    left: cython.ulonglong
    b: cython.Py_ssize_t
    w: cython.Py_ssize_t
    with cython.nogil:
        for b in range(live.shape[0]):
            if live[b]:
                left = 0
                for w in range(b << SHIFT, min((b + 1) << SHIFT, alive.shape[0])):
                    alive[w] &= votes[w] ^ flip
                    left |= alive[w]
                live[b] = left != 0
