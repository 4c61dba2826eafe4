"""svmlight text to rows:  label id:value id:value ... # comment

Lines end in LF or CRLF, and tokens are separated by spaces or tabs.  Blank lines and comments are not rows.  `qid:N`
after the label is ignored.  The label and the values are decimal numbers (see numbers.py), ids are integers from 0 to
2^31 - 2, in any order but none twice in a row.  A value of zero is an entry like any other.

Any other line gives one error, with the position of its first fault (a duplicate only if all else is right), and no
row; reading continues with the next line.  So the result does not depend on which lines form a block.
"""

from typing import NamedTuple

import cython
import numpy as np
from cython.cimports.libc.stdlib import qsort
from cython.cimports.linnet.kernels.numbers import (
    SMALL_TENS,
    TENS,
    Fault,
    Number,
    Text,
    peek,
    read_digits,
    read_number,
    zeros_below,
)
from cython.cimports.linnet.kernels.svmlight import (
    Entries,
    Row,
    Wrong,
    after_blanks,
    digits_at,
    ends_line,
    ends_token,
    line_end,
    not_digits,
)
from cython.cimports.linnet.kernels.svmlight_errors import check_text, refuse, refuse_id, refuse_number

LARGEST_ID = cython.declare(cython.ulonglong, 2147483646)
EXACT = cython.declare(cython.ulonglong, 9007199254740992)


class Parsed(NamedTuple):
    """Rows in compressed form, the line (from 0) of each, and the errors: line from 0, column in bytes from 1, code."""

    targets: np.ndarray
    starts: np.ndarray
    ids: np.ndarray
    values: np.ndarray
    lines: np.ndarray
    error_lines: np.ndarray
    error_columns: np.ndarray
    error_codes: np.ndarray


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def after_qid(p: Text, end: Text, row: cython.pointer(Row)) -> Text:
    """After the `qid:N` at p, or p if there is none."""
    if not (peek(p, end) == 113 and peek(p + 1, end) == 105 and peek(p + 2, end) == 100 and peek(p + 3, end) == 58):
        return p
    digits: Text = p + 4
    after: Text = digits
    while 48 <= peek(after, end) <= 57:
        after += 1
    if after == digits or not ends_token(after, end):
        refuse(row, Wrong.QID, digits, end)
    return after_blanks(after, end)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fits(p: Text, after: Text, id_: cython.pointer(cython.ulonglong)) -> cython.bint:
    """Whether these digits, which may exceed 64 bits, are an id: leading zeros are allowed."""
    while p < after - 1 and p[0] == 48:
        p += 1
    id_[0] = 0
    read_digits(p, after, id_)
    return after - p <= 10 and id_[0] <= LARGEST_ID


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def read_label(p: Text, end: Text, row: cython.pointer(Row)) -> Text:
    """Read the label at p; returns where the first entry begins."""
    number: Number = read_number(p, end)
    if number.fault != Fault.NONE or not ends_token(number.after, end):
        refuse_number(row, Wrong.LABEL, number, p, end)
        return p
    row.target = number.value
    return after_qid(after_blanks(number.after, end), end, row)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def read_plain_entries(
    p: Text, end: Text, ids: cython.uint[::1], values: cython.double[::1], read: cython.pointer(Entries)
) -> Text:
    """Read plain entries from p on; returns where the first other one begins, or the end of the line.

    A plain entry is id:value followed by one blank or the end of the line, with an id of at most 8 digits and a value
    whose digits are an integer below 2^53; most are.  Where tokens end is read off the bits of 64 bytes at a time.
    """
    at: Text = p
    bits: cython.ulonglong = 0
    beyond: cython.ulonglong
    third: cython.ulonglong
    mantissa: cython.ulonglong
    id_: cython.longlong
    start: cython.Py_ssize_t = 0
    colon: cython.Py_ssize_t
    sign: cython.Py_ssize_t
    point: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    whole: cython.Py_ssize_t
    fraction: cython.Py_ssize_t
    first: cython.Py_ssize_t
    while True:
        third = bits & (bits - 1)
        third &= third - 1
        if third & (third - 1) == 0:  # colon, sign, point and blank must be among these bits
            at += start
            if end - at < 72:  # eight bytes may be read from the last of these 64
                return at
            bits = not_digits(at)
            start = 0
            if bits == 0:
                return at
        colon = zeros_below(bits)
        beyond = bits & (bits - 1)
        sign = at[colon + 1] == 45
        if sign:
            beyond &= beyond - 1
        if beyond == 0:
            return at + start
        point = zeros_below(beyond)
        beyond &= beyond - 1
        whole = point - colon - 1 - sign
        if at[colon] != 58 or colon == start or colon - start > 8 or whole < 1 or whole > 8:
            return at + start
        mantissa = digits_at(at + colon + 1 + sign, whole)
        stop = point
        fraction = 0
        if at[point] == 46:
            if beyond == 0:
                return at + start
            stop = zeros_below(beyond)
            beyond &= beyond - 1
            fraction = stop - point - 1
            if fraction < 1 or fraction > 16 or (fraction > 8 and whole > 2):
                return at + start
            first = fraction if fraction < 8 else 8
            mantissa = mantissa * SMALL_TENS[first] + digits_at(at + point + 1, first)
            if fraction > 8:
                mantissa = mantissa * SMALL_TENS[fraction - 8] + digits_at(at + point + 9, fraction - 8)
            if mantissa > EXACT:
                return at + start
        if at[stop] != 32 and at[stop] != 10:
            return at + start
        id_ = digits_at(at + start, colon - start)
        ids[read.count] = cython.cast(cython.uint, id_)
        # exact before the division, as in read_number, so rounded once
        values[read.count] = cython.cast(cython.double, cython.cast(cython.longlong, mantissa)) / TENS[fraction]
        if sign:
            values[read.count] = -values[read.count]
        read.count += 1
        read.rising = read.rising and id_ > read.previous
        read.previous = id_
        if at[stop] == 10:
            return at + stop
        start = stop + 1
        bits = beyond


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def read_entries(
    p: Text,
    end: Text,
    ids: cython.uint[::1],
    values: cython.double[::1],
    first: cython.Py_ssize_t,
    row: cython.pointer(Row),
) -> Text:
    """Read the entries from p on, into ids and values from `first` on; returns where they end."""
    read: Entries
    id_: cython.ulonglong
    after: Text
    number: Number
    read.count = first
    read.previous = -1
    read.rising = True
    while True:
        p = after_blanks(read_plain_entries(p, end, ids, values, cython.address(read)), end)
        if ends_line(p, end):
            break
        id_ = 0
        after = read_digits(p, end, cython.address(id_))
        if after == p or peek(after, end) != 58:
            refuse_id(row, p, after, end)
            return p
        if (id_ > LARGEST_ID or after - p > 19) and not fits(p, after, cython.address(id_)):
            refuse(row, Wrong.ID_TOO_LARGE, p, end)
            return p
        number = read_number(after + 1, end)
        if number.fault != Fault.NONE or not ends_token(number.after, end):
            refuse_number(row, Wrong.VALUE, number, after + 1, end)
            return p
        ids[read.count] = cython.cast(cython.uint, id_)
        values[read.count] = number.value
        read.count += 1
        read.rising = read.rising and cython.cast(cython.longlong, id_) > read.previous
        read.previous = id_
        p = after_blanks(number.after, end)
    row.entries = read.count - first
    row.rising = read.rising
    return p


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def read_row(p: Text, end: Text, ids: cython.uint[::1], values: cython.double[::1], e: cython.Py_ssize_t) -> Row:
    """Read the line at p, its entries into ids and values from e on."""
    row: Row
    row.wrong = Wrong.NOTHING
    row.entries = 0
    row.target = 0.0
    row.rising = True
    p = after_blanks(p, end)
    row.at = p
    row.filled = not ends_line(p, end)
    if row.filled:
        p = read_label(p, end, cython.address(row))
        if row.wrong == Wrong.NOTHING:
            p = read_entries(p, end, ids, values, e, cython.address(row))
        if row.wrong != Wrong.NOTHING:
            return row
    row.at = line_end(p, end)
    if peek(p, end) == 35:
        check_text(p, row.at, cython.address(row))
    return row


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compare(a: cython.p_const_void, b: cython.p_const_void) -> cython.int:
    x: cython.ulonglong = cython.cast(cython.pointer(cython.const[cython.ulonglong]), a)[0]
    y: cython.ulonglong = cython.cast(cython.pointer(cython.const[cython.ulonglong]), b)[0]
    return (x > y) - (x < y)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def first_duplicate(
    ids: cython.uint[::1], first: cython.Py_ssize_t, entries: cython.Py_ssize_t, keys: cython.ulonglong[::1]
) -> cython.Py_ssize_t:
    """The first entry with the id of an earlier one, or -1: sorts ids (31 bits) with their indices (33 bits)."""
    k: cython.Py_ssize_t
    index: cython.Py_ssize_t
    found: cython.Py_ssize_t = -1
    for k in range(entries):
        keys[k] = (cython.cast(cython.ulonglong, ids[first + k]) << 33) | cython.cast(cython.ulonglong, k)
    qsort(cython.address(keys[0]), entries, 8, compare)
    for k in range(1, entries):
        if keys[k] >> 33 == keys[k - 1] >> 33:
            index = keys[k] & cython.cast(cython.ulonglong, 0x1FFFFFFFF)
            if found < 0 or index < found:
                found = index
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def entry_at(p: Text, end: Text, k: cython.Py_ssize_t, row: cython.pointer(Row)) -> Text:
    """Where entry k of the valid line at p begins: after the label and k tokens."""
    p = after_blanks(p, end)
    while not ends_token(p, end):
        p += 1
    p = after_qid(after_blanks(p, end), end, row)
    while k > 0:
        while not ends_token(p, end):
            p += 1
        p = after_blanks(p, end)
        k -= 1
    return p


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def count(p: Text, end: Text, newlines: cython.p_Py_ssize_t, colons: cython.p_Py_ssize_t) -> cython.void:
    """Count line ends and colons; in bytes and short runs, so that the compiler vectorises it."""
    run: cython.Py_ssize_t
    i: cython.Py_ssize_t
    lines: cython.uchar
    pairs: cython.uchar
    newlines[0] = 0
    colons[0] = 0
    while p < end:
        run = 240 if end - p > 240 else end - p
        lines = 0
        pairs = 0
        for i in range(run):
            lines += p[i] == 10
            pairs += p[i] == 58
        newlines[0] += lines
        colons[0] += pairs
        p += run


def parse(text: cython.const[cython.uchar][::1]):
    """Read a block of whole lines; the last one may lack its end."""
    size: cython.Py_ssize_t = text.shape[0]
    newlines: cython.Py_ssize_t = 0
    colons: cython.Py_ssize_t = 0
    p: Text = cython.address(text[0]) if size > 0 else cython.NULL
    end: Text = p + size
    with cython.nogil:
        count(p, end, cython.address(newlines), cython.address(colons))
    rows = newlines + 1
    entries = min(colons, size // 3 + 1)  # an entry has a colon, two digits and, but for the last, a separator
    parsed = Parsed(
        np.empty(rows),
        np.zeros(rows + 1, dtype=np.int64),
        np.empty(entries, dtype=np.uint32),
        np.empty(entries),
        np.empty(rows, dtype=np.int64),
        np.empty(rows, dtype=np.int64),
        np.empty(rows, dtype=np.int64),
        np.empty(rows, dtype=np.int32),
    )
    n, nnz, errors = _read(text, *parsed, np.empty(entries, dtype=np.uint64))
    # Shrink in place: nothing is copied.
    for array, length in zip(parsed, (n, n + 1, nnz, nnz, n, errors, errors, errors), strict=True):
        array.resize(length, refcheck=False)
    return parsed


def _read(
    text: cython.const[cython.uchar][::1],
    targets: cython.double[::1],
    starts: cython.longlong[::1],
    ids: cython.uint[::1],
    values: cython.double[::1],
    lines: cython.longlong[::1],
    error_lines: cython.longlong[::1],
    error_columns: cython.longlong[::1],
    error_codes: cython.int[::1],
    keys: cython.ulonglong[::1],
):
    """Fill the arrays, which are large enough; returns the numbers of rows, entries and errors."""
    n: cython.Py_ssize_t = 0
    e: cython.Py_ssize_t = 0
    errors: cython.Py_ssize_t = 0
    line: cython.Py_ssize_t = 0
    duplicate: cython.Py_ssize_t
    row: Row
    if text.shape[0] == 0:
        return 0, 0, 0
    p: Text = cython.address(text[0])
    end: Text = p + text.shape[0]
    with cython.nogil:
        while p < end:
            row = read_row(p, end, ids, values, e)
            if row.wrong == Wrong.NOTHING and not row.rising:
                duplicate = first_duplicate(ids, e, row.entries, keys)
                if duplicate >= 0:
                    row.at = entry_at(p, end, duplicate, cython.address(row))
                    row.wrong = Wrong.DUPLICATE
            if row.wrong != Wrong.NOTHING:
                error_lines[errors] = line
                error_columns[errors] = row.at - p + 1
                error_codes[errors] = row.wrong
                errors += 1
                row.at = line_end(row.at, end)
            elif row.filled:
                e += row.entries
                targets[n] = row.target
                lines[n] = line
                n += 1
                starts[n] = e
            p = row.at + 1
            line += 1
    return n, e, errors
