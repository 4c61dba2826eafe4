"""Text into words, lower-cased, each with a 64-bit hash, in one pass over the bytes.

The kind of a character (space, part of a word, mark) and its lower case are looked up in tables of Python's own
answers, filled a page of 256 at a time when first needed (data/features/unicode.py).  A word is a run of characters
that match Python's \\w; with `marks`, any other character that is not a space is a word by itself.

The result is tokens: their lower-cased bytes one after the other in `into`, with one space between words so that
neighbouring words are one slice.  token_starts[u]:token_starts[u + 1] is token u, with that space.
"""

import cython
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.linnet.kernels.tokenizer import finish, trailing_zeros
from cython.cimports.linnet.kernels.utf8 import decode, encode

At = cython.struct(out=cython.Py_ssize_t, token=cython.Py_ssize_t)

SPACE = cython.declare(cython.uchar, 0)
WORD = cython.declare(cython.uchar, 1)
MARK = cython.declare(cython.uchar, 2)
OTHER = cython.declare(cython.uchar, 4)  # not known yet: see flag_others

# Why a row could not be finished.
DONE, NOT_UTF8, PAGE_MISSING, SPECIAL = range(4)
_DONE = cython.declare(cython.int, 0)
_NOT_UTF8 = cython.declare(cython.int, 1)
_PAGE_MISSING = cython.declare(cython.int, 2)
_SPECIAL = cython.declare(cython.int, 3)

PRIME = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
# One bit of every byte of a 64-bit word.
ONES = cython.declare(cython.ulonglong, 0x0101010101010101)
# Spare bytes that `into` must have at its end: words are written and read eight bytes at a time.
SLACK = 8
# Bytes that the workspace must have beyond the longest row.
ROOM = 64


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def first_bytes(x: cython.ulonglong, length: cython.Py_ssize_t) -> cython.ulonglong:
    """The first 1 to 8 bytes of a word as it lies in memory, the others 0."""
    return x & (~cython.cast(cython.ulonglong, 0) >> (64 - 8 * length))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mixed(h: cython.ulonglong, chunk: cython.ulonglong) -> cython.ulonglong:
    """A hash with eight more bytes in it."""
    h = (h ^ chunk) * PRIME
    return h ^ (h >> 32)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hash_of(p: cython.pointer(cython.const[cython.uchar]), length: cython.Py_ssize_t) -> cython.ulonglong:
    """The hash of a word that lies in a buffer with SLACK behind it."""
    h: cython.ulonglong = length
    chunk: cython.ulonglong = 0
    while length > 0:
        memcpy(cython.address(chunk), p, 8)
        h = mixed(h, first_bytes(chunk, length) if length < 8 else chunk)
        p += 8
        length -= 8
    return finish(h)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def flag(
    text: cython.pointer(cython.const[cython.uchar]),
    size: cython.Py_ssize_t,
    lowering: cython.bint,
    flags: cython.pointer(cython.uchar),
    lowered: cython.pointer(cython.uchar),
) -> cython.uchar:
    """What each byte is: 0 a space, 1 part of a word, 2 a mark, 4 part of a non-ASCII character; and its lower case.
    Returns all bytes or-ed together.

    Arithmetic only, so that compilers vectorise it.
    """
    i: cython.Py_ssize_t
    c: cython.uchar
    letter: cython.uchar
    word: cython.uchar
    space: cython.uchar
    upper: cython.uchar
    seen: cython.uchar = 0
    case: cython.uchar = 0x20 if lowering else 0
    for i in range(size):
        c = text[i]
        letter = (c | 0x20) - 97
        word = (letter < 26) | (cython.cast(cython.uchar, c - 48) < 10) | (c == 95)
        space = (cython.cast(cython.uchar, c - 9) < 5) | (cython.cast(cython.uchar, c - 28) < 5)
        upper = cython.cast(cython.uchar, c - 65) < 26
        flags[i] = word + (((word | space) ^ 1) << 1) + ((c >> 7) << 1)
        lowered[i] = c | ((0 - upper) & case)
        seen |= c
    return seen


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def flag_others(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    kinds: cython.const[cython.uchar][::1],
    lowers: cython.const[cython.int][::1],
    pages: cython.const[cython.uchar][::1],
    flags: cython.pointer(cython.uchar),
    where: cython.pointer(cython.Py_ssize_t),
) -> cython.int:
    """The kinds of non-ASCII characters: every byte of one in a word gets 1, the first byte of a mark 2, all
    others 0.  Why it stopped, and where, if one is not known."""
    at: cython.Py_ssize_t = start
    k: cython.Py_ssize_t
    length: cython.Py_ssize_t = 1
    point: cython.int
    ahead: cython.ulonglong = 0
    memset(flags + (stop - start), 0, 8)
    while at < stop:
        memcpy(cython.address(ahead), flags + (at - start), 8)
        if ahead & (OTHER * ONES) == 0:
            at += 8
            continue
        if flags[at - start] != OTHER:
            at += 1
            continue
        point = decode(cython.address(text[at]), stop - at, cython.address(length))
        where[0] = at
        if point < 0:
            return _NOT_UTF8
        if not pages[point >> 8]:
            where[0] = point >> 8
            return _PAGE_MISSING
        if lowers[point] < 0:
            return _SPECIAL
        for k in range(length):
            flags[at - start + k] = WORD if kinds[point] == WORD else SPACE
        if kinds[point] == MARK:
            flags[at - start] = MARK
        at += length
    return _DONE


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def bits_of(flags: cython.pointer(cython.const[cython.uchar]), which: cython.int) -> cython.ulonglong:
    """One bit of each of 64 flags, the first lowest."""
    bits: cython.ulonglong = 0
    x: cython.ulonglong = 0
    k: cython.int
    for k in range(8):
        memcpy(cython.address(x), flags + 8 * k, 8)
        x = (x >> which) & ONES
        bits |= ((x * cython.cast(cython.ulonglong, 0x0102040810204080)) >> 56) << (8 * k)
    return bits


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def split_row(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    flags: cython.pointer(cython.uchar),
    lowered: cython.pointer(cython.const[cython.uchar]),
    lowers: cython.const[cython.int][::1],
    shortest: cython.Py_ssize_t,
    marks: cython.bint,
    into: cython.uchar[::1],
    token_starts: cython.pointer(cython.uint),
    hashes: cython.pointer(cython.ulonglong),
    at: cython.pointer(At),
) -> cython.void:
    """One row, flagged.

    Where tokens begin and end is read off the bits of 64 flags at a time: a branch for every character would be
    mispredicted at every end of a word, which costs more than the word.
    """
    window: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    length: cython.Py_ssize_t
    left: cython.Py_ssize_t
    shift: cython.int
    words: cython.ulonglong
    following: cython.ulonglong
    starts: cython.ulonglong
    run: cython.ulonglong
    before: cython.ulonglong = 0
    chunk: cython.ulonglong = 0
    h: cython.ulonglong
    size: cython.Py_ssize_t = stop - start
    out: cython.Py_ssize_t = at.out
    token: cython.Py_ssize_t = at.token
    memset(flags + size, 0, 64)
    following = bits_of(flags, 0)
    for window in range(0, size, 64):
        words = following
        following = bits_of(flags + window + 64, 0) if window + 64 < size else 0
        starts = words & ~((words << 1) | before)
        before = words >> 63
        if marks:
            starts |= bits_of(flags + window, 1)
        while starts != 0:
            shift = trailing_zeros(starts)
            starts &= starts - 1
            begin = window + shift
            run = (words >> shift) | ((following << 1) << (63 - shift))
            if run != ~cython.cast(cython.ulonglong, 0):
                length = trailing_zeros(~run)
            else:
                length = 64
                while flags[begin + length] == WORD:
                    length += 1
            if cython.cast(cython.size_t, length - 1) < cython.cast(cython.size_t, shortest - 1):
                continue  # a word too short; marks have length 0 here
            length += length == 0
            token_starts[token] = cython.cast(cython.uint, out)
            h = length
            left = length
            while True:
                memcpy(cython.address(chunk), lowered + begin, 8)
                chunk = first_bytes(chunk, left if left < 8 else 8)
                if chunk & (0x80 * ONES):
                    break
                memcpy(cython.address(into[out]), cython.address(chunk), 8)
                h = mixed(h, chunk)
                if left <= 8:
                    break
                begin += 8
                out += 8
                left -= 8
            if chunk & (0x80 * ONES):
                out = token_starts[token]
                begin -= length - left
                at.out = out
                if spell(text, start + begin, flags + begin, lowers, into, at) < shortest and flags[begin] == WORD:
                    continue
                h = hash_of(cython.address(into[out]), at.out - out)
                out = at.out
            else:
                out += left
                h = finish(h)
            hashes[token] = h
            token += 1
            into[out] = 32
            out += 1
    at.out = out
    at.token = token


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def spell(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    flags: cython.pointer(cython.const[cython.uchar]),
    lowers: cython.const[cython.int][::1],
    into: cython.uchar[::1],
    at: cython.pointer(At),
) -> cython.Py_ssize_t:
    """Write one token, character by character, in lower case; how many there are."""
    here: cython.Py_ssize_t = start
    length: cython.Py_ssize_t = 1
    written: cython.Py_ssize_t = 0
    while True:
        at.out = encode(
            lowers[decode(cython.address(text[here]), text.shape[0] - here, cython.address(length))], into, at.out
        )
        here += length
        written += 1
        if flags[0] != WORD or flags[here - start] != WORD:
            return written


def split_words(
    text: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    row: cython.Py_ssize_t,
    kinds: cython.const[cython.uchar][::1],
    lowers: cython.const[cython.int][::1],
    pages: cython.const[cython.uchar][::1],
    shortest: cython.Py_ssize_t,
    marks: cython.bint,
    into: cython.uchar[::1],
    token_starts: cython.uint[::1],
    hashes: cython.ulonglong[::1],
    segments: cython.longlong[::1],
    room: cython.uchar[:, ::1],
    out: cython.Py_ssize_t,
    token: cython.Py_ssize_t,
):
    """Rows row, row + 1, ... of text into words; segments[r] is the first word of row r.

    `room` is a workspace: two rows, ROOM bytes longer than the longest text.  Returns (the row where it stopped, out,
    token, why, the byte or page that it stopped for): after all rows, or before one that is not UTF-8, needs a page of
    the tables, or needs Python's own lower case.
    """
    rows: cython.Py_ssize_t = starts.shape[0] - 1
    lowering: cython.bint = lowers[65] != 65
    why: cython.int = 0
    where: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    flags: cython.pointer(cython.uchar) = cython.address(room[0, 0])
    lowered: cython.pointer(cython.uchar) = cython.address(room[1, 0])
    reached: At
    reached.out = out
    reached.token = token
    with cython.nogil:
        while row < rows:
            at = starts[row]
            stop = starts[row + 1]
            segments[row] = reached.token
            if at < stop:
                if flag(cython.address(text[at]), stop - at, lowering, flags, lowered) >= 0x80:
                    why = flag_others(text, at, stop, kinds, lowers, pages, flags, cython.address(where))
                    if why != 0:
                        break
                split_row(
                    text, at, stop, flags, lowered, lowers, shortest, marks, into,
                    cython.address(token_starts[0]), cython.address(hashes[0]), cython.address(reached),
                )  # fmt: skip
            row += 1
        segments[row] = reached.token
        token_starts[reached.token] = cython.cast(cython.uint, reached.out)
    return row, reached.out, reached.token, why, where
