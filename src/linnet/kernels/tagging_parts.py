"""The parts of words that features are made of: the word, its lower case, affixes, shape; as 64-bit hashes.

ASCII words are taken apart here.  For others the caller gives the lower case and the shape, which Python knows; affixes
are of characters, not of bytes.
"""

import cython
import numpy as np
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.linnet.kernels.tagging_features import bytes_hash

# The kinds of parts: each with a number n where it has one.
WORD, LOWER, PREFIX, SUFFIX, SHAPE, LONG_SHAPE, DIGITS, GIVEN = range(8)
_WORD = cython.declare(cython.int, 0)
_LOWER = cython.declare(cython.int, 1)
_PREFIX = cython.declare(cython.int, 2)
_SUFFIX = cython.declare(cython.int, 3)
_SHAPE = cython.declare(cython.int, 4)
_LONG_SHAPE = cython.declare(cython.int, 5)
_DIGITS = cython.declare(cython.int, 6)

Bytes = cython.typedef(cython.pointer(cython.const[cython.uchar]))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def shape_of(byte: cython.uchar) -> cython.uchar:
    """X for upper case, x for lower case, 0 for a digit, and everything else as it is."""
    if 97 <= byte <= 122:
        return 120
    if 65 <= byte <= 90:
        return 88
    if 48 <= byte <= 57:
        return 48
    return byte


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def shortened(shape: Bytes, length: cython.Py_ssize_t, into: cython.p_uchar) -> cython.Py_ssize_t:
    """A shape with runs of one sign as one sign."""
    i: cython.Py_ssize_t
    out: cython.Py_ssize_t = 0
    for i in range(length):
        if i == 0 or shape[i] != shape[i - 1] or shape[i] >= 0x80:
            into[out] = shape[i]
            out += 1
    return out


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def with_one_digit(text: Bytes, length: cython.Py_ssize_t, into: cython.p_uchar) -> cython.Py_ssize_t:
    """A text with every digit as 0."""
    i: cython.Py_ssize_t
    for i in range(length):
        into[i] = 48 if 48 <= text[i] <= 57 else text[i]
    return length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def affix(text: Bytes, length: cython.Py_ssize_t, n: cython.int, suffix: cython.bint) -> cython.Py_ssize_t:
    """How many bytes the first or last n characters are; 0 if the text is not longer than that."""
    size: cython.Py_ssize_t = 0
    seen: cython.int = 0
    while size < length:
        if suffix:
            size += 1
            if text[length - size] & 0xC0 != 0x80:
                seen += 1
        else:
            size += 1
            while size < length and text[size] & 0xC0 == 0x80:
                size += 1
            seen += 1
        if seen == n:
            return size if size < length else 0
    return 0


def part_hashes(
    data: cython.const[cython.uchar][::1],
    begins: cython.const[cython.uint][::1],
    ends: cython.const[cython.uint][::1],
    kinds: cython.const[cython.int][:, ::1],
    given: cython.const[cython.uchar][::1],
    given_starts: cython.const[cython.longlong][::1],
    extra: cython.const[cython.ulonglong][:, ::1],
):
    """The parts of words as hashes, words × kinds; 0 where a word has not got the part.

    A kind is its number and n.  The lower case and the shape of the i-th word that is not ASCII are the texts 2 i and
    2 i + 1 of `given`.  A part of kind GIVEN is extra[word, n].
    """
    words: cython.Py_ssize_t = begins.shape[0]
    into = np.zeros((words, kinds.shape[0]), dtype=np.uint64)
    if words == 0 or kinds.shape[0] == 0:
        return into
    lengths = np.asarray(ends).astype(np.int64) - np.asarray(begins)
    if data.shape[0] == 0 or int(np.asarray(ends).max()) > data.shape[0] or int(lengths.min()) < 0:
        raise ValueError("words are outside of their text")
    out: cython.ulonglong[:, ::1] = into
    room: cython.Py_ssize_t = int(lengths.max()) + 8
    if given_starts.shape[0] > 1:
        room = max(room, int(np.diff(np.asarray(given_starts)).max()) + 8)
    scratch: cython.p_uchar = cython.cast(cython.p_uchar, malloc(3 * room))
    if not scratch:
        raise MemoryError
    lowered: cython.p_uchar = scratch + room
    shaped: cython.p_uchar = scratch + 2 * room
    cython.declare(w=cython.Py_ssize_t, i=cython.Py_ssize_t, k=cython.Py_ssize_t, size=cython.Py_ssize_t)
    cython.declare(other=cython.Py_ssize_t, length=cython.Py_ssize_t, short=cython.Py_ssize_t, long=cython.Py_ssize_t)
    cython.declare(kind=cython.int, n=cython.int, high=cython.uchar, seed=cython.ulonglong)
    cython.declare(word=Bytes, lower=Bytes, shape=Bytes)
    other = 0
    try:
        with cython.nogil:
            for w in range(words):
                word = cython.address(data[0]) + begins[w]
                length = ends[w] - begins[w]
                high = 0
                for i in range(length):
                    high |= word[i]
                    lowered[i] = word[i] | 32 if 65 <= word[i] <= 90 else word[i]
                    shaped[i] = shape_of(word[i])
                lower = lowered
                shape = shaped
                short = length
                long = length
                if high >= 0x80:
                    lower = cython.address(given[0]) + given_starts[2 * other]
                    short = given_starts[2 * other + 1] - given_starts[2 * other]
                    shape = cython.address(given[0]) + given_starts[2 * other + 1]
                    long = given_starts[2 * other + 2] - given_starts[2 * other + 1]
                    other += 1
                for k in range(kinds.shape[0]):
                    kind = kinds[k, 0]
                    n = kinds[k, 1]
                    seed = 16 * n + kind
                    if kind == _WORD:
                        out[w, k] = bytes_hash(seed, word, length)
                    elif kind == _LOWER:
                        out[w, k] = bytes_hash(seed, lower, short)
                    elif kind == _PREFIX:
                        size = affix(lower, short, n, False)
                        if size:
                            out[w, k] = bytes_hash(seed, lower, size)
                    elif kind == _SUFFIX:
                        size = affix(lower, short, n, True)
                        if size:
                            out[w, k] = bytes_hash(seed, lower + short - size, size)
                    elif kind == _SHAPE:
                        size = shortened(shape, long, scratch)
                        out[w, k] = bytes_hash(seed, scratch, size)
                    elif kind == _LONG_SHAPE:
                        out[w, k] = bytes_hash(seed, shape, long)
                    elif kind == _DIGITS:
                        size = with_one_digit(lower, short, scratch)
                        out[w, k] = bytes_hash(seed, scratch, size)
                    else:
                        out[w, k] = extra[w, n]
    finally:
        free(scratch)
    return into
