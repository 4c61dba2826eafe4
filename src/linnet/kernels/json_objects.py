"""What is in a text of JSON, by its quotes and brackets alone: keys, and the objects where they are not one a line."""

import cython
import numpy as np
from cython.cimports.libc.string import memchr


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def behind_string(
    data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """What follows the string that begins at i; size + 1 if it does not end."""
    base: cython.pointer(cython.const[cython.uchar]) = cython.address(data[0])
    found: cython.pointer(cython.const[cython.uchar])
    quote: cython.Py_ssize_t
    k: cython.Py_ssize_t
    i += 1
    while i < size:
        found = cython.cast(cython.pointer(cython.const[cython.uchar]), memchr(base + i, 34, size - i))
        if found == cython.NULL:
            return size + 1
        quote = found - base
        k = quote
        while k > i and data[k - 1] == 92:
            k -= 1
        if (quote - k) % 2 == 0:
            return quote + 1
        i = quote + 1
    return size + 1


def key_spans(data: cython.const[cython.uchar][::1]):
    """(starts, stops) of the strings that a colon follows, without their quotes; no string is longer than its line."""
    size: cython.Py_ssize_t = data.shape[0]
    room: cython.Py_ssize_t = size // 3 + 1  # two quotes and a colon each
    out = np.empty((2, room), dtype=np.int64)
    found: cython.longlong[:, ::1] = out
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    end: cython.Py_ssize_t = -1  # of the line that i is in
    if not size:
        return out[0, :0], out[1, :0]
    base: cython.pointer(cython.const[cython.uchar]) = cython.address(data[0])
    at: cython.pointer(cython.const[cython.uchar])
    with cython.nogil:
        while i < size:
            if i > end:
                at = cython.cast(cython.pointer(cython.const[cython.uchar]), memchr(base + i, 10, size - i))
                end = size if at == cython.NULL else at - base
            at = cython.cast(cython.pointer(cython.const[cython.uchar]), memchr(base + i, 34, end - i))
            k = end if at == cython.NULL else at - base + 1
            i = end + 1 if at == cython.NULL else behind_string(data, k - 1, end)
            if i > end:  # nothing more in this line, or a string that does not end
                i = end + 1
                continue
            found[0, count] = k
            found[1, count] = i - 1
            while i < size and (data[i] == 32 or data[i] == 9 or data[i] == 10 or data[i] == 13):
                i += 1
            if i < size and data[i] == 58:
                count += 1
    return out[0, :count], out[1, :count]


def count_values(data: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t):
    """How many values a record of JSON has at most: one more than the commas that are not in strings."""
    i: cython.Py_ssize_t = start
    count: cython.Py_ssize_t = 1
    with cython.nogil:
        while i < stop:
            if data[i] == 34:
                i = behind_string(data, i, stop)
            else:
                count += data[i] == 44
                i += 1
    return count


def elements(data: cython.const[cython.uchar][::1], final: cython.bint = True):
    """(starts, stops, lines from 0, open) of the elements of an array, or of objects that follow one another.

    Blanks, line ends, commas and the brackets of the array are between them.  An element is an object, as far as its
    brackets and quotes show, or what has no blank, comma or bracket in it.  Unless the data are `final`, the last one
    is `open` if it does not end before them.
    """
    size: cython.Py_ssize_t = data.shape[0]
    room: cython.Py_ssize_t = 2 * size // 3 + 2  # a letter, then an object, and so on
    out = np.empty((3, room), dtype=np.int64)
    found: cython.longlong[:, ::1] = out
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    depth: cython.Py_ssize_t
    line: cython.longlong = 0
    is_open: cython.bint = False
    closed: cython.bint
    byte: cython.uchar
    with cython.nogil:
        while i < size:
            byte = data[i]
            if byte == 10:
                line += 1
            if byte == 32 or byte == 9 or byte == 10 or byte == 13 or byte == 44 or byte == 91 or byte == 93:
                i += 1
                continue
            begin = i
            depth = 0
            closed = False
            while i < size:
                byte = data[i]
                if byte == 34:
                    i = behind_string(data, i, size)
                    continue
                if (
                    depth == 0
                    and i > begin
                    and (byte == 32 or byte == 9 or byte == 10 or byte == 13 or byte == 44 or byte == 93 or byte == 123)
                ):
                    break
                if byte == 123 or byte == 91:
                    depth += 1
                elif depth > 0 and (byte == 125 or byte == 93):
                    depth -= 1
                    if depth == 0:
                        closed = True
                        i += 1
                        break
                i += 1
            if i >= size and not final and not closed:
                is_open = True
                break
            i = i if i < size else size
            found[0, count] = begin
            found[1, count] = i
            found[2, count] = line
            count += 1
            for k in range(begin, i):
                line += data[k] == 10
    return out[0, :count], out[1, :count], out[2, :count], bool(is_open)
