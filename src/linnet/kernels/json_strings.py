"""Lines of JSON that are flat objects of strings, integers and booleans, as most files of texts with labels are: the
values of some keys, unescaped.

Anything else (a fraction, a list, a key twice or missing, half a surrogate pair, an error) is not read at all: it is
left to a full JSON parser.
"""

import cython
import numpy as np
from cython.cimports.libc.string import memchr, memcmp, memcpy

# Bytes of a key and its value that are both empty, with the comma or bracket before them.
SHORTEST_FIELD = cython.declare(cython.Py_ssize_t, 6)
# What the values of a key are; integers are of at most 18 digits, so that 64 bits hold them.
STRING, INTEGER, BOOLEAN = 0, 1, 2
MOST_DIGITS = cython.declare(cython.Py_ssize_t, 18)
# Many keys in another order in every line are for a parser that has a table of them.
COMPARED_A_BYTE = cython.declare(cython.Py_ssize_t, 64)

Bytes = cython.typedef(cython.pointer(cython.const[cython.uchar]))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def past_blanks(p: Bytes, end: Bytes) -> Bytes:
    while p < end and (p[0] == 32 or p[0] == 9 or p[0] == 13):
        p += 1
    return p


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hex_digit(byte: cython.uchar) -> cython.int:
    if 48 <= byte <= 57:
        return byte - 48
    byte |= 32
    return byte - 87 if 97 <= byte <= 102 else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def unescaped(p: Bytes, end: Bytes, into: cython.p_uchar, length: cython.pointer(cython.Py_ssize_t)) -> cython.int:
    """One escape, `\\` already read: its UTF-8 goes to `into` (`length` bytes); how many bytes it took, 0 if none."""
    point: cython.int = 0
    digit: cython.int
    i: cython.int
    length[0] = 1
    if p >= end:
        return 0
    if p[0] == 34 or p[0] == 92 or p[0] == 47:
        into[0] = p[0]
    elif p[0] == 98:
        into[0] = 8
    elif p[0] == 102:
        into[0] = 12
    elif p[0] == 110:
        into[0] = 10
    elif p[0] == 114:
        into[0] = 13
    elif p[0] == 116:
        into[0] = 9
    elif p[0] == 117 and end - p > 4:
        for i in range(1, 5):
            digit = hex_digit(p[i])
            if digit < 0:
                return 0
            point = point * 16 + digit
        if point == 0 or 0xD800 <= point <= 0xDFFF:
            return 0
        if point < 0x80:
            into[0] = point
        elif point < 0x800:
            into[0] = 0xC0 | (point >> 6)
            into[1] = 0x80 | (point & 0x3F)
            length[0] = 2
        else:
            into[0] = 0xE0 | (point >> 12)
            into[1] = 0x80 | ((point >> 6) & 0x3F)
            into[2] = 0x80 | (point & 0x3F)
            length[0] = 3
        return 5
    else:
        return 0
    return 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def copied(p: Bytes, stop: Bytes, into: cython.p_uchar) -> cython.bint:
    """Copy bytes; whether none of them is a control character, which JSON has only as an escape."""
    i: cython.Py_ssize_t
    size: cython.Py_ssize_t = stop - p
    wrong: cython.uchar = 0
    memcpy(into, p, size)
    for i in range(size):
        wrong |= p[i] < 32
    return wrong == 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def string(p: Bytes, end: Bytes, into: cython.p_uchar, length: cython.pointer(cython.Py_ssize_t)) -> Bytes:
    """The string whose first quote is read, unescaped, to `into`; what follows its last quote, NULL if it is none."""
    quote: Bytes = p - 1
    escape: Bytes
    out: cython.p_uchar = into
    taken: cython.int
    size: cython.Py_ssize_t = 0
    while True:
        if quote < p:  # looked for again only behind an escaped one: a text of many escapes is still read once
            quote = cython.cast(Bytes, memchr(p, 34, end - p)) if p < end else cython.NULL
            if quote == cython.NULL:
                return cython.NULL
        escape = cython.cast(Bytes, memchr(p, 92, quote - p)) if p < quote else cython.NULL
        if not copied(p, quote if escape == cython.NULL else escape, out):
            return cython.NULL
        if escape == cython.NULL:
            length[0] = (out - into) + (quote - p)
            return quote + 1
        out += escape - p
        taken = unescaped(escape + 1, end, out, cython.address(size))
        if taken == 0:
            return cython.NULL
        out += size
        p = escape + 1 + taken


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def integer(p: Bytes, end: Bytes) -> Bytes:
    """What follows the integer that begins here; NULL if it is none, -0, or has too many digits."""
    first: Bytes
    if p < end and p[0] == 45:
        p += 1
        if p < end and p[0] == 48:
            return cython.NULL
    first = p
    while p < end and 48 <= p[0] <= 57:
        p += 1
    if p == first or p - first > MOST_DIGITS or (first[0] == 48 and p - first > 1):
        return cython.NULL
    return p


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def word(p: Bytes, end: Bytes, nulls: cython.bint) -> Bytes:
    """What follows true or false (or null, where it counts); NULL if it is another."""
    if end - p >= 4 and memcmp(p, b"true", 4) == 0:
        return p + 4
    if end - p >= 5 and memcmp(p, b"false", 5) == 0:
        return p + 5
    return p + 4 if nulls and end - p >= 4 and memcmp(p, b"null", 4) == 0 else cython.NULL


def text_fields(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
    keys: list,
    forms: list,
):
    """For each key (bytes, as they stand in the lines) the text bytes and starts of its values, all of its form; None
    if a line is other than a flat object, with each of these keys there just once.

    The values are first written one behind the other, as they come, and then sorted by key: the memory taken is a
    small multiple of the lines, however many keys there are.
    """
    rows: cython.Py_ssize_t = starts.shape[0]
    count: cython.Py_ssize_t = len(keys)
    if not rows:
        return [(np.empty(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)) for _ in range(count)]
    size: cython.Py_ssize_t = stops[rows - 1] - starts[0]
    if not data.shape[0] or rows * count > size // SHORTEST_FIELD:  # some line cannot have all keys
        return None
    joined: cython.const[cython.uchar][::1] = np.frombuffer(b"".join(keys) + b" ", dtype=np.uint8)
    key_starts: cython.longlong[::1] = np.cumsum([0, *map(len, keys)]).astype(np.int64)
    form_of: cython.longlong[::1] = np.array(forms, dtype=np.int64)
    # one array for what comes, what is skipped, and the result: several would each be returned to the system and
    # cleared again for every chunk
    room = np.empty(3 * (size + 8), dtype=np.uint8)
    came_out, skipped_out, texts_out = np.split(room, 3)
    at_out = np.empty((rows, count), dtype=np.int64)
    lengths_out = np.empty((rows, count), dtype=np.int64)
    found_out = np.zeros(count, dtype=np.int64)
    came: cython.uchar[::1] = came_out
    skipped: cython.uchar[::1] = skipped_out
    at: cython.longlong[:, ::1] = at_out
    lengths: cython.longlong[:, ::1] = lengths_out
    found: cython.longlong[::1] = found_out
    r: cython.Py_ssize_t
    k: cython.Py_ssize_t
    c: cython.Py_ssize_t
    expected: cython.Py_ssize_t = 0
    compared: cython.Py_ssize_t = 0
    most_compared: cython.Py_ssize_t = COMPARED_A_BYTE * size
    used: cython.Py_ssize_t = 0
    length: cython.Py_ssize_t = 0
    p: Bytes
    q: Bytes
    end: Bytes
    to: cython.p_uchar
    good: cython.bint = True
    strings: cython.longlong = STRING
    integers: cython.longlong = INTEGER
    booleans: cython.longlong = BOOLEAN
    with cython.nogil:
        for r in range(rows):
            p = cython.address(data[0]) + starts[r]
            end = cython.address(data[0]) + stops[r]
            p = past_blanks(p, end)
            good = p < end and p[0] == 123
            while good:
                good = False
                p = past_blanks(p + 1, end)
                if p >= end or p[0] != 34:
                    break
                q = p + 1
                # keys are compared as they stand, so one with an escape does not match
                p = string(q, end, cython.address(skipped[0]), cython.address(length))
                if p == cython.NULL or p - 1 - q != length:
                    break
                c = count
                for _ in range(count):  # from the key behind the last one: mostly all lines have the same order
                    if is_key(joined, key_starts, expected, q, length):
                        c = expected
                    expected = expected + 1 if expected + 1 < count else 0
                    compared += 1
                    if c < count:
                        break
                p = past_blanks(p, end)
                if p >= end or p[0] != 58 or compared > most_compared:
                    break
                p = past_blanks(p + 1, end)
                if p >= end or (c < count and (found[c] != r or (p[0] == 34) != (form_of[c] == strings))):
                    break
                q = p
                if p[0] == 34:
                    to = cython.address(came[used]) if c < count else cython.address(skipped[0])
                    p = string(p + 1, end, to, cython.address(length))
                elif p[0] == 45 or 48 <= p[0] <= 57:
                    p = integer(p, end) if c == count or form_of[c] == integers else cython.NULL
                else:
                    p = word(p, end, c == count) if c == count or form_of[c] == booleans else cython.NULL
                if p == cython.NULL:
                    break
                if c < count:
                    if q[0] != 34:
                        length = p - q
                        memcpy(cython.address(came[used]), q, length)
                    at[r, c] = used
                    lengths[r, c] = length
                    used += length
                    found[c] += 1
                p = past_blanks(p, end)
                if p >= end:
                    break
                good = True
                if p[0] == 125:
                    break
                good = p[0] == 44
            good = good and past_blanks(p + 1, end) == end
            for k in range(count):
                good = good and found[k] == r + 1
            if not good:
                break
    if not good:
        return None
    return by_key(came, at, lengths, texts_out)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_key(
    joined: cython.const[cython.uchar][::1],
    key_starts: cython.longlong[::1],
    k: cython.Py_ssize_t,
    name: Bytes,
    length: cython.Py_ssize_t,
) -> cython.bint:
    return key_starts[k + 1] - key_starts[k] == length and (
        memcmp(cython.address(joined[key_starts[k]]), name, length) == 0
    )


@cython.cfunc
def by_key(came: cython.uchar[::1], at: cython.longlong[:, ::1], lengths: cython.longlong[:, ::1], texts_out):
    """The values of each key, one behind the other in `texts_out`, and their starts."""
    rows: cython.Py_ssize_t = at.shape[0]
    count: cython.Py_ssize_t = at.shape[1]
    starts_out = np.zeros((count, rows + 1), dtype=np.int64)
    texts: cython.uchar[::1] = texts_out
    starts: cython.longlong[:, ::1] = starts_out
    firsts_out = np.zeros(count + 1, dtype=np.int64)
    firsts: cython.longlong[::1] = firsts_out
    r: cython.Py_ssize_t
    k: cython.Py_ssize_t
    to: cython.Py_ssize_t = 0
    with cython.nogil:
        for k in range(count):
            firsts[k] = to
            for r in range(rows):
                if lengths[r, k]:
                    memcpy(cython.address(texts[to]), cython.address(came[at[r, k]]), lengths[r, k])
                to += lengths[r, k]
                starts[k, r + 1] = to - firsts[k]
        firsts[count] = to
    return [(texts_out[firsts_out[k] : firsts_out[k + 1]], starts_out[k]) for k in range(count)]
