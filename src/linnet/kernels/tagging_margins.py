"""How sure each tag of a sequence is: by how much the best sequence with another tag at that token scores less.

From the best scores of what is before a tag, and of what is behind it; of second order, before and behind a pair of
tags."""

import cython
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.libc.string import memcpy
from cython.cimports.linnet.kernels.tagging_decoder import NEVER
from cython.cimports.linnet.kernels.tagging_trigrams import Trigrams

# Of long sentences, what is behind the pairs of this many tokens is kept at a time, and made again from what is kept at
# the ends of blocks: pairs of tags take much memory.
BLOCK = cython.declare(cython.Py_ssize_t, 64)


def margins_of(emit, trans, only, n, tags, width, ahead, top, best, gaps):
    """Of first order: what is behind goes to `ahead`, what is before to `emit`."""
    t: cython.Py_ssize_t
    i: cython.int
    j: cython.int
    s: cython.float
    most: cython.float
    for i in range(tags):
        ahead[(n - 1) * width + i] = trans[i * width + tags]
    t = n - 2
    while t >= 0:
        for i in range(tags):
            most = 2 * NEVER
            for j in range(tags):
                if only[t + 1] < 0 or only[t + 1] == j:
                    s = trans[i * width + j] + emit[(t + 1) * width + j] + ahead[(t + 1) * width + j]
                    if s > most:
                        most = s
            ahead[t * width + i] = most
        t -= 1
    for j in range(tags):
        emit[j] += trans[tags * width + j]
    for t in range(n):
        if t > 0:
            for j in range(tags):
                most = 2 * NEVER
                for i in range(tags):
                    s = emit[(t - 1) * width + i] + trans[i * width + j]
                    if s > most:
                        most = s
                emit[t * width + j] += most
        most = 2 * NEVER
        for j in range(tags):
            if only[t] >= 0 and only[t] != j:
                emit[t * width + j] = NEVER
            elif j != best[t] and emit[t * width + j] + ahead[t * width + j] > most:
                most = emit[t * width + j] + ahead[t * width + j]
        gaps[t] = top - most if most > NEVER / 2 else -NEVER


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def behind_pairs(
    trigrams: Trigrams,
    emit: cython.pointer(cython.const[cython.float]),
    trans: cython.pointer(cython.const[cython.float]),
    only: cython.int,
    later: cython.pointer(cython.const[cython.float]),
    into: cython.pointer(cython.float),
) -> cython.void:
    """The best score of what is behind each pair [h, i] of tags, from that behind the pairs [i, j] one token later,
    whose scores and known tag are given; where `later` is none, the end of the sentence is behind."""
    tags: cython.int = trigrams.tags
    width: cython.int = trigrams.width
    h: cython.int
    i: cython.int
    j: cython.int
    s: cython.float
    most: cython.float
    for i in range(tags):
        for h in range(tags + 1):
            if later == cython.NULL:
                into[h * width + i] = trans[i * width + tags] + trigrams.scores[trigrams.cell(h, i, tags)]
                continue
            most = 2 * NEVER
            for j in range(tags):
                if only < 0 or only == j:
                    s = trans[i * width + j] + trigrams.scores[trigrams.cell(h, i, j)] + emit[j] + later[i * width + j]
                    if s > most:
                        most = s
            into[h * width + i] = most


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def before_pairs(
    trigrams: Trigrams,
    emit: cython.pointer(cython.const[cython.float]),
    trans: cython.pointer(cython.const[cython.float]),
    only: cython.int,
    earlier: cython.pointer(cython.const[cython.float]),
    second: cython.bint,
    into: cython.pointer(cython.float),
) -> cython.void:
    """The best score of what ends with each pair [i, j] of tags, from that of the pairs [h, i] one token earlier; of
    the second token, h is outside."""
    tags: cython.int = trigrams.tags
    width: cython.int = trigrams.width
    h: cython.int
    i: cython.int
    j: cython.int
    s: cython.float
    most: cython.float
    for i in range(tags):
        for j in range(tags):
            most = 2 * NEVER
            for h in range(tags if second else 0, tags + 1 if second else tags):
                s = earlier[h * width + i] + trigrams.scores[trigrams.cell(h, i, j)]
                if s > most:
                    most = s
            into[i * width + j] = most + trans[i * width + j] + emit[j]
            if only >= 0 and only != j:
                into[i * width + j] = NEVER


def trigram_margins(trigrams, emit, trans, only, n, top, best, gaps):
    """Of second order."""
    tags: cython.int = trigrams.tags
    width: cython.int = trigrams.width
    size: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, tags + 1) * width
    blocks: cython.Py_ssize_t = (n + BLOCK - 1) // BLOCK
    cython.declare(t=cython.Py_ssize_t, b=cython.Py_ssize_t, first=cython.Py_ssize_t, stop=cython.Py_ssize_t)
    cython.declare(h=cython.int, j=cython.int, s=cython.float, most=cython.float)
    room: cython.pointer(cython.float) = cython.cast(
        cython.pointer(cython.float), malloc((blocks + BLOCK + 2) * size * 4)
    )
    if not room:
        with cython.gil:
            raise MemoryError
    kept: cython.pointer(cython.float) = room  # behind the last token of each block
    ahead: cython.pointer(cython.float) = kept + blocks * size  # behind each token of one block
    before: cython.pointer(cython.float) = ahead + BLOCK * size
    now: cython.pointer(cython.float) = before + size
    swap: cython.pointer(cython.float)
    behind_pairs(trigrams, emit, trans, -1, cython.NULL, kept + (blocks - 1) * size)
    b = blocks - 2
    while b >= 0:
        stop = (b + 1) * BLOCK
        behind_block(trigrams, emit, trans, only, stop, min(n, stop + BLOCK), kept + (b + 1) * size, ahead)
        behind_pairs(trigrams, emit + stop * width, trans, only[stop], ahead, kept + b * size)
        b -= 1
    for b in range(blocks):
        first = b * BLOCK
        stop = min(n, first + BLOCK)
        behind_block(trigrams, emit, trans, only, first, stop, kept + b * size, ahead)
        for t in range(first, stop):
            if t == 0:
                for j in range(tags):
                    now[tags * width + j] = (
                        trans[tags * width + j] + trigrams.scores[trigrams.cell(tags, tags, j)] + emit[j]
                    )
                    if only[0] >= 0 and only[0] != j:
                        now[tags * width + j] = NEVER
            else:
                before_pairs(trigrams, emit + t * width, trans, only[t], before, t == 1, now)
            most = 2 * NEVER
            for h in range(tags if t == 0 else 0, tags + 1 if t == 0 else tags):
                for j in range(tags):
                    if j != best[t] and (only[t] < 0 or only[t] == j):
                        s = now[h * width + j] + ahead[(t - first) * size + h * width + j]
                        if s > most:
                            most = s
            gaps[t] = top - most if most > NEVER / 2 else -NEVER
            swap = before
            before = now
            now = swap
    free(room)
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def behind_block(
    trigrams: Trigrams,
    emit: cython.pointer(cython.const[cython.float]),
    trans: cython.pointer(cython.const[cython.float]),
    only: cython.pointer(cython.const[cython.int]),
    first: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    last: cython.pointer(cython.const[cython.float]),
    ahead: cython.pointer(cython.float),
) -> cython.void:
    """What is behind the pairs of the tokens from `first` to `stop`, into `ahead`, from what is behind the last."""
    size: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, trigrams.tags + 1) * trigrams.width
    t: cython.Py_ssize_t = stop - 1
    memcpy(ahead + (t - first) * size, last, size * 4)
    while t > first:
        behind_pairs(trigrams, emit + t * trigrams.width, trans, only[t], ahead + (t - first) * size,
                     ahead + (t - 1 - first) * size)  # fmt: skip
        t -= 1
