"""Where lines of text begin and end, and what they are made of; delimited.py has the records of CSV."""

import cython
import numpy as np
from cython.cimports.libc.string import memchr, memcpy
from cython.cimports.linnet.kernels.utf8 import decode

# One bit of every byte of a 64-bit word.
ONES = cython.declare(cython.ulonglong, 0x0101010101010101)


def is_text(data: cython.const[cython.uchar][::1]):
    """Is all of it UTF-8, without a NUL byte?  Faster than decoding it."""
    size: cython.Py_ssize_t = data.shape[0]
    i: cython.Py_ssize_t = 0
    length: cython.Py_ssize_t = 1
    eight: cython.ulonglong = 0
    good: cython.bint = True
    with cython.nogil:
        while i < size and good:
            if i + 8 <= size:
                memcpy(cython.address(eight), cython.address(data[i]), 8)
                # a byte's highest bit stays set where it was set already, or where the byte is 0
                if (eight | ((eight - ONES) & ~eight)) & (ONES << 7) == 0:
                    i += 8
                    continue
            good = data[i] != 0 and decode(cython.address(data[i]), size - i, cython.address(length)) >= 0
            i += length
    return good


def first_of(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
    sign: cython.uchar,
    other: cython.uchar,
):
    """Where the first of two signs stands in each of these parts of the data; its end if it has none."""
    found_out = np.empty(starts.shape[0], dtype=np.int64)
    found: cython.longlong[::1] = found_out
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for r in range(starts.shape[0]):
            i = starts[r]
            while i < stops[r] and data[i] != sign and data[i] != other:
                i += 1
            found[r] = i
    return found_out


def packed(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
):
    """These parts of the data packed tight: (bytes, where each begins)."""
    rows: cython.Py_ssize_t = starts.shape[0]
    offsets_out = np.zeros(rows + 1, dtype=np.int64)
    np.cumsum(np.asarray(stops) - np.asarray(starts), out=offsets_out[1:])
    offsets: cython.longlong[::1] = offsets_out
    into_out = np.empty(int(offsets_out[rows]), dtype=np.uint8)
    into: cython.uchar[::1] = into_out
    r: cython.Py_ssize_t
    with cython.nogil:
        for r in range(rows):
            if stops[r] > starts[r]:
                memcpy(cython.address(into[offsets[r]]), cython.address(data[starts[r]]), stops[r] - starts[r])
    return into_out, offsets_out


def labelled(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
    separators: cython.const[cython.longlong][::1],
):
    """Lines cut in two: label = start to separator, text = behind it to stop; both packed tight.

    Gives (label bytes, label starts, text bytes, text starts).
    """
    rows: cython.Py_ssize_t = starts.shape[0]
    label_starts_out = np.zeros(rows + 1, dtype=np.int64)
    text_starts_out = np.zeros(rows + 1, dtype=np.int64)
    labels_out = np.empty(data.shape[0], dtype=np.uint8)
    texts_out = np.empty(data.shape[0], dtype=np.uint8)
    label_starts: cython.longlong[::1] = label_starts_out
    text_starts: cython.longlong[::1] = text_starts_out
    labels: cython.uchar[::1] = labels_out
    texts: cython.uchar[::1] = texts_out
    r: cython.Py_ssize_t
    length: cython.Py_ssize_t
    a: cython.Py_ssize_t = 0
    b: cython.Py_ssize_t = 0
    with cython.nogil:
        for r in range(rows):
            length = separators[r] - starts[r]
            if length > 0:
                memcpy(cython.address(labels[a]), cython.address(data[starts[r]]), length)
                a += length
            label_starts[r + 1] = a
            length = stops[r] - separators[r] - 1
            if length > 0:
                memcpy(cython.address(texts[b]), cython.address(data[separators[r] + 1]), length)
                b += length
            text_starts[r + 1] = b
    return labels_out[:a], label_starts_out, texts_out[:b], text_starts_out


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def next_byte(
    data: cython.const[cython.uchar][::1], byte: cython.int, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Where this byte next stands, from start on; stop if it does not."""
    if start >= stop:
        return stop
    base: cython.pointer(cython.const[cython.uchar]) = cython.address(data[0])
    found: cython.pointer(cython.const[cython.uchar]) = cython.cast(
        cython.pointer(cython.const[cython.uchar]), memchr(base + start, byte, stop - start)
    )
    return stop if found == cython.NULL else found - base


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def closing_quote(
    data: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Where the string that begins at start ends: the first quote behind an even number of backslashes; else stop."""
    quote: cython.Py_ssize_t
    i: cython.Py_ssize_t
    while start < stop:
        quote = next_byte(data, 34, start, stop)
        i = quote
        while i > start and data[i - 1] == 92:
            i -= 1
        if quote == stop or (quote - i) % 2 == 0:
            return quote
        start = quote + 1
    return stop


def count_byte(data: cython.const[cython.uchar][::1], byte: cython.uchar):
    """How often a byte occurs; counted by bytes and in short runs, so that the compiler does sixteen at once."""
    size: cython.Py_ssize_t = data.shape[0]
    total: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    i: cython.Py_ssize_t
    run: cython.uchar
    with cython.nogil:
        while begin < size:
            end = begin + 240 if begin + 240 < size else size
            run = 0
            for i in range(begin, end):
                run += data[i] == byte
            total += run
            begin = end
    return total


def lines(data: cython.const[cython.uchar][::1]):
    """(starts, stops, numbers from 0) of the lines that are more than blanks; the stop is before LF or CR LF."""
    size: cython.Py_ssize_t = data.shape[0]
    ends: cython.Py_ssize_t = 1 + count_byte(data, 10)
    i: cython.Py_ssize_t
    starts_out = np.empty(ends, dtype=np.int64)
    stops_out = np.empty(ends, dtype=np.int64)
    numbers_out = np.empty(ends, dtype=np.int64)
    starts: cython.longlong[::1] = starts_out
    stops: cython.longlong[::1] = stops_out
    numbers: cython.longlong[::1] = numbers_out
    found: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    number: cython.longlong = 0
    with cython.nogil:
        while begin < size:
            end = next_byte(data, 10, begin, size)
            i = begin
            while i < end and (data[i] == 32 or data[i] == 9 or data[i] == 13):
                i += 1
            if i < end:
                starts[found] = begin
                stops[found] = end - 1 if data[end - 1] == 13 else end
                numbers[found] = number
                found += 1
            begin = end + 1
            number += 1
    return starts_out[:found], stops_out[:found], numbers_out[:found]


def depths(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
):
    """How deep the brackets of each record of JSON are nested; 0 for one that is not a single object, or not closed.

    Only brackets and quotes are looked at: what is between them may still be wrong.
    """
    rows: cython.Py_ssize_t = starts.shape[0]
    out = np.zeros(rows, dtype=np.int64)
    deepest: cython.longlong[::1] = out
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    depth: cython.longlong
    most: cython.longlong
    over: cython.bint
    byte: cython.uchar
    with cython.nogil:
        for r in range(rows):
            depth = most = 0
            over = False
            i = starts[r]
            while i < stops[r]:
                byte = data[i]
                i += 1
                if byte == 32 or byte == 9 or byte == 13:
                    continue
                if over or (depth == 0 and byte != 123):
                    most = 0
                    break
                if byte == 34:
                    i = closing_quote(data, i, stops[r]) + 1
                elif byte == 91 or byte == 123:
                    depth += 1
                    if depth > most:
                        most = depth
                elif byte == 93 or byte == 125:
                    depth -= 1
                    over = depth == 0
            deepest[r] = most if over else 0
    return out
