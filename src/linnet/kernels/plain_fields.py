"""Delimited text without quotes to columns, in one read: numbers to the nearest double, strings packed tight.

Records are lines that end in LF or CR LF, all with the same number of fields; blank lines are none.  A number
(numbers.py) may have blanks around it; one that is a spelling of a missing value is missing.  Whatever else there is
makes `read` return None: the caller has another way, which is slower and knows what to do about it.
"""

import cython
import numpy as np
from cython.cimports.libc.math import NAN
from cython.cimports.libc.string import memchr, memcmp, memcpy
from cython.cimports.linnet.kernels.numbers import (
    SMALL_TENS,
    TENS,
    Fault,
    Number,
    Text,
    peek,
    read_number,
    zeros_below,
)
from cython.cimports.linnet.kernels.plain_fields import Cursor, Kind, Missing
from cython.cimports.linnet.kernels.svmlight import digits_at, not_digits

EXACT = cython.declare(cython.ulonglong, 9007199254740992)
SIGNS = cython.declare(cython.double[2])
SIGNS[0] = 1.0
SIGNS[1] = -1.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def plain_number(
    cursor: cython.pointer(Cursor), end: Text, terminator: cython.uchar, into: cython.p_double
) -> cython.bint:
    """Read a number of few digits without an exponent that the terminator ends; False, and nothing read, for any other.

    Where it ends is read off the bits of 64 bytes at a time, as in svmlight.py.
    """
    at: Text = cursor.at
    start: cython.Py_ssize_t = cursor.start
    bits: cython.ulonglong = cursor.bits
    third: cython.ulonglong = bits & (bits - 1)
    third &= third - 1
    if third == 0:  # sign, point and terminator must be among these bits
        at += start
        start = 0
        if end - at < 72:  # eight bytes may be read from the last of these 64
            return False
        bits = not_digits(at)
        cursor.at = at
        cursor.start = 0
        cursor.bits = bits
    # computed, not branched on: signs come at random, and a wrong guess costs more
    sign: cython.Py_ssize_t = at[start] == 45
    bits &= bits - sign
    if bits == 0:
        return False
    point: cython.Py_ssize_t = zeros_below(bits)
    bits &= bits - 1
    whole: cython.Py_ssize_t = point - start - sign
    if whole < 1 or whole > 8:
        return False
    mantissa: cython.ulonglong = digits_at(at + start + sign, whole)
    stop: cython.Py_ssize_t = point
    fraction: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t
    if at[point] == 46:
        if bits == 0:
            return False
        stop = zeros_below(bits)
        bits &= bits - 1
        fraction = stop - point - 1
        if fraction < 1 or fraction > 16 or (fraction > 8 and whole > 2):
            return False
        first = fraction if fraction < 8 else 8
        mantissa = mantissa * SMALL_TENS[first] + digits_at(at + point + 1, first)
        if fraction > 8:
            mantissa = mantissa * SMALL_TENS[fraction - 8] + digits_at(at + point + 9, fraction - 8)
        if mantissa > EXACT:
            return False
    if at[stop] != terminator:
        return False
    # exact before the division, as in read_number, so rounded once
    value: cython.double = cython.cast(cython.double, cython.cast(cython.longlong, mantissa)) / TENS[fraction]
    into[0] = value * SIGNS[sign]
    cursor.start = stop + 1
    cursor.bits = bits
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def ends_field(p: Text, end: Text, delimiter: cython.uchar, last: cython.bint) -> cython.bint:
    """Whether a field ends at p: the delimiter there; of the last field, the end of the line or of the text."""
    c: cython.uchar = peek(p, end)
    if not last:
        return p < end and c == delimiter
    return c == 10 or (c == 13 and p + 1 < end and p[1] == 10)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def field_end(p: Text, end: Text, delimiter: cython.uchar) -> Text:
    """The next delimiter, LF or CR, or the end."""
    while p < end and p[0] != delimiter and p[0] != 10 and p[0] != 13:
        p += 1
    return p


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_missing(p: Text, size: cython.Py_ssize_t, missing: cython.pointer(Missing)) -> cython.bint:
    """Whether these bytes are a spelling of a missing value; nothing at all always is."""
    i: cython.Py_ssize_t
    if size == 0:
        return True
    if size > missing.longest or not missing.first[p[0]]:
        return False
    for i in range(missing.count):
        if missing.starts[i + 1] - missing.starts[i] == size and (
            memcmp(missing.bytes + missing.starts[i], p, size) == 0
        ):
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def any_number(
    p: Text,
    end: Text,
    delimiter: cython.uchar,
    last: cython.bint,
    missing: cython.pointer(Missing),
    into: cython.p_double,
) -> Text:
    """Read any number, or a missing one, at p; returns where its field ends, or NULL if it is neither."""
    after: Text = p
    while after < end and after[0] != delimiter and (after[0] == 32 or after[0] == 9):
        after += 1
    found: Number = read_number(after, end)
    if found.fault == Fault.NONE:
        after = found.after
        while after < end and after[0] != delimiter and (after[0] == 32 or after[0] == 9):
            after += 1
        into[0] = found.value
        return after if ends_field(after, end, delimiter, last) else cython.NULL
    after = field_end(p, end, delimiter)
    into[0] = NAN
    return after if ends_field(after, end, delimiter, last) and is_missing(p, after - p, missing) else cython.NULL


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_records(
    base: Text,
    size: cython.Py_ssize_t,
    delimiter: cython.uchar,
    kinds: cython.const[cython.uchar][::1],
    missing: cython.pointer(Missing),
    numbers: cython.double[:, ::1],
    lacking: cython.uchar[::1],
    fields: cython.longlong[:, :, ::1],
    records: cython.longlong[:, ::1],
) -> cython.Py_ssize_t:
    """Read all records; how many there are, or -1 if one is not plain.  Columns that lack a number are marked."""
    end: Text = base + size
    p: Text
    after: Text
    last: cython.Py_ssize_t = kinds.shape[0] - 1
    column: cython.Py_ssize_t
    number: cython.Py_ssize_t
    string: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    line: cython.longlong = 0
    cursor: Cursor
    cursor.at = base
    cursor.start = 0
    cursor.bits = 0
    while True:
        p = cursor.at + cursor.start
        if p >= end:
            return n
        if p[0] == 10 or (p[0] == 13 and peek(p + 1, end) == 10):
            cursor.at = p + 1 + (p[0] == 13)
            cursor.start = 0
            cursor.bits = 0
            line += 1
            continue
        if n == records.shape[1]:  # lines are counted beforehand: this cannot be
            return -1
        records[0, n] = p - base
        records[2, n] = line
        number = 0
        string = 0
        for column in range(last + 1):
            if kinds[column] == Kind.NUMBER:
                number += 1
                if plain_number(
                    cython.address(cursor), end, delimiter if column < last else 10,
                    cython.address(numbers[number - 1, n]),
                ):  # fmt: skip
                    continue
                p = cursor.at + cursor.start
                after = any_number(p, end, delimiter, column == last, missing, cython.address(numbers[number - 1, n]))
                if after == cython.NULL:
                    return -1
                lacking[number - 1] |= numbers[number - 1, n] != numbers[number - 1, n]
            else:
                p = cursor.at + cursor.start
                after = field_end(p, end, delimiter)
                if not ends_field(after, end, delimiter, column == last):
                    return -1
                if kinds[column] == Kind.STRING:
                    fields[string, 0, n] = p - base
                    fields[string, 1, n] = after - p
                    string += 1
            cursor.at = after + 1 + (peek(after, end) == 13)
            cursor.start = 0
            cursor.bits = 0
        p = cursor.at + cursor.start
        after = p - 1 if p <= end else end  # the last line may lack its end
        if after > base and after < end and after[0] == 10 and (after - 1)[0] == 13:
            after -= 1
        records[1, n] = after - base
        n += 1
        line += 1


def packed(data: cython.const[cython.uchar][::1], fields: cython.const[cython.longlong][:, ::1]):
    """(bytes, starts) of the fields that begin at fields[0] and are fields[1] bytes long."""
    n: cython.Py_ssize_t = fields.shape[1]
    i: cython.Py_ssize_t
    total: cython.Py_ssize_t = 0
    starts_out = np.zeros(n + 1, dtype=np.int64)
    starts: cython.longlong[::1] = starts_out
    with cython.nogil:
        for i in range(n):
            total += fields[1, i]
            starts[i + 1] = total
    bytes_out = np.empty(total, dtype=np.uint8)
    into: cython.uchar[::1] = bytes_out
    with cython.nogil:
        for i in range(n):
            if fields[1, i] > 0:
                memcpy(cython.address(into[starts[i]]), cython.address(data[fields[0, i]]), fields[1, i])
    return bytes_out, starts_out


def read(
    data: cython.const[cython.uchar][::1],
    delimiter: cython.uchar,
    kinds: cython.const[cython.uchar][::1],
    spellings: tuple,
    lines: cython.Py_ssize_t,
):
    """The records of a text that has at most this many lines, if all are plain; else None.

    `kinds` says of each field whether it is skipped (0), a number (1) or a string (2), `spellings` which bytes stand
    for a missing number.  Gives the starts, stops and lines (from 0) of the records; the numbers, a column after the
    other, NaN where they are missing; which columns have such; and the strings of each column as `packed` has them.
    """
    size: cython.Py_ssize_t = data.shape[0]
    if size == 0 or kinds.shape[0] == 0 or delimiter in b'0123456789+-.eE "\r\n':
        return None
    if memchr(cython.address(data[0]), 34, size) != cython.NULL:
        return None
    # a record has a byte for each field at least, so that blank lines take no room
    room = min(lines, size // kinds.shape[0] + 1)
    of_kind = np.bincount(np.asarray(kinds), minlength=3).tolist()
    text: cython.const[cython.uchar][::1] = np.frombuffer(b"".join(spellings) + b"\0", dtype=np.uint8)
    starts: cython.const[cython.longlong][::1] = np.cumsum([0, *map(len, spellings)], dtype=np.int64)
    missing: Missing
    i: cython.Py_ssize_t
    missing.bytes = cython.address(text[0])
    missing.starts = cython.address(starts[0])
    missing.count = len(spellings)
    missing.longest = max(map(len, spellings), default=0)
    for i in range(256):
        missing.first[i] = 0
    for i in range(missing.count):
        missing.first[text[starts[i]]] = 1
    numbers_out = np.empty((max(1, of_kind[1]), max(1, room)))
    fields_out = np.empty((max(1, of_kind[2]), 2, max(1, room)), dtype=np.int64)
    records_out = np.empty((3, max(1, room)), dtype=np.int64)
    lacking_out = np.zeros(max(1, of_kind[1]), dtype=np.uint8)
    numbers: cython.double[:, ::1] = numbers_out
    fields: cython.longlong[:, :, ::1] = fields_out
    records: cython.longlong[:, ::1] = records_out
    lacking: cython.uchar[::1] = lacking_out
    found: cython.Py_ssize_t
    with cython.nogil:
        found = read_records(
            cython.address(data[0]), size, delimiter, kinds, cython.address(missing), numbers, lacking, fields, records
        )
    if found < 0:
        return None
    strings = [packed(data, np.ascontiguousarray(fields_out[i, :, :found])) for i in range(of_kind[2])]
    return records_out[:, :found], numbers_out[: of_kind[1], :found], lacking_out[: of_kind[1]], strings
