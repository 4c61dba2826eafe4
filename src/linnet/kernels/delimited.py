"""Records and fields of delimited text: where they begin and end, and which of its quotes are quotes.

The rules, by which chunks are cut, records found and fields read alike:

- A quote opens a quoted field only where a field begins.  Within one, two quotes are one quote; one alone closes it.
- A field that is closed on its own line may have more text behind the closing quote, as the csv module has it.
- A field that goes on over line ends must be closed by a quote with a separator or a line end behind it, within
  `most_lines` lines.  And if every one of its lines is a record of its own, it is doubtful: where tabs separate fields,
  or records have three fields or more and it has ten lines or more, it was not meant as a field.
- A quote that opens no such field is literal: a character like others.
"""

import cython
import numpy as np

# Instead of a byte, the separator may be runs of blanks: spaces and tabs.
BLANKS = cython.declare(cython.int, 32)
LITERAL = cython.declare(cython.Py_ssize_t, -1)
UNDECIDED = cython.declare(cython.Py_ssize_t, -2)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def ends_line(byte: cython.uchar) -> cython.bint:
    return byte == 10 or byte == 13


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def behind_separator(
    data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t, stop: cython.Py_ssize_t, separator: cython.int
) -> cython.Py_ssize_t:
    """What follows the separator at i; i itself, if there is none."""
    if separator != BLANKS:
        return i + 1 if i < stop and data[i] == separator else i
    while i < stop and (data[i] == 32 or data[i] == 9):
        i += 1
    return i


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def next_lone_quote(
    data: cython.const[cython.uchar][::1],
    i: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    quote: cython.int,
    most_lines: cython.longlong,
    lines: cython.pointer(cython.longlong),
) -> cython.Py_ssize_t:
    """The first quote behind the one at i that is not doubled, and how many lines end before it.

    LITERAL if most_lines do; stop if there is none.
    """
    lines[0] = 0
    i += 1
    while i < stop:
        if data[i] == quote:
            if i + 1 == stop or data[i + 1] != quote:
                return i
            i += 1
        elif data[i] == 10 or (data[i] == 13 and not (i + 1 < stop and data[i + 1] == 10)):
            lines[0] += 1
            if lines[0] >= most_lines:
                return LITERAL
        i += 1
    return stop


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fields_in_line(
    data: cython.const[cython.uchar][::1],
    i: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    separator: cython.int,
    quote: cython.int,
    stop: cython.pointer(cython.Py_ssize_t),
) -> cython.longlong:
    """The number of fields in the line that begins at i if no field goes on behind it, and where it ends."""
    count: cython.longlong = 1
    lines: cython.longlong = 0
    begins: cython.bint = True
    behind: cython.Py_ssize_t
    if separator == BLANKS:
        i = behind_separator(data, i, size, separator)
    while i < size and not ends_line(data[i]):
        if begins and data[i] == quote:
            behind = next_lone_quote(data, i, size, quote, 1, cython.address(lines))
            if 0 <= behind < size:
                i = behind
            begins = False
            i += 1
            continue
        behind = behind_separator(data, i, size, separator)
        begins = behind > i
        if begins:
            i = behind
            # blanks at the end of a line separate nothing
            count += separator != BLANKS or (i < size and not ends_line(data[i]))
        else:
            i += 1
    stop[0] = i
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def are_records(
    data: cython.const[cython.uchar][::1],
    i: cython.Py_ssize_t,
    close: cython.Py_ssize_t,
    separator: cython.int,
    quote: cython.int,
    before: cython.longlong,
    columns: cython.longlong,
    final: cython.bint,
) -> cython.Py_ssize_t:
    """Are all lines, from that of the quote at i to that of the quote at close, records of their own?

    `before` are the fields before that of the first quote.  UNDECIDED if the last line does not end here.
    """
    size: cython.Py_ssize_t = data.shape[0]
    stop: cython.Py_ssize_t = 0
    if before + fields_in_line(data, i + 1, size, separator, quote, cython.address(stop)) != columns:
        return 0
    while stop < close:
        stop += 2 if data[stop] == 13 and data[stop + 1] == 10 else 1
        if fields_in_line(data, stop, size, separator, quote, cython.address(stop)) != columns:
            return UNDECIDED if stop == size and not final else 0
    return UNDECIDED if stop == size and not final else 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def closing_quote(
    data: cython.const[cython.uchar][::1],
    i: cython.Py_ssize_t,
    separator: cython.int,
    quote: cython.int,
    before: cython.longlong,
    columns: cython.longlong,
    final: cython.bint,
    most_lines: cython.longlong,
    lines: cython.pointer(cython.longlong),
    doubtful: cython.pointer(cython.bint),
) -> cython.Py_ssize_t:
    """Where the field that the quote at i opens is closed, how many lines end in it, and whether it is doubtful.

    LITERAL if the quote opens none; UNDECIDED if that depends on what follows the data.
    """
    size: cython.Py_ssize_t = data.shape[0]
    alone: cython.Py_ssize_t
    behind: cython.Py_ssize_t
    close: cython.Py_ssize_t = next_lone_quote(data, i, size, quote, most_lines, lines)
    if close == LITERAL:
        return LITERAL
    if close + 1 >= size and not final:
        return UNDECIDED
    if close == size:
        return LITERAL
    if lines[0] == 0:
        return close
    behind = close + 1
    if behind < size and not ends_line(data[behind]) and behind_separator(data, behind, size, separator) == behind:
        return LITERAL
    if columns > 1:
        alone = are_records(data, i, close, separator, quote, before, columns, final)
        if alone == UNDECIDED:
            return UNDECIDED
        if alone and (separator == 9 or (columns > 2 and lines[0] >= 9)):
            return LITERAL
        doubtful[0] |= alone
    return close


def records(
    data: cython.const[cython.uchar][::1],
    separator: cython.int,
    quote: cython.int = 34,
    columns: cython.longlong = 0,
    final: cython.bint = True,
    most_lines: cython.longlong = 10_000,
):
    """(starts, stops, lines, fields, stray, open) of every record of delimited text that is not empty.

    `stray` is where a record has its first literal quote; -1 if it has none, -2 if it has a doubtful field.  A record
    ends at LF, CR LF or CR; the last may end with the data.  Lines count from 0.  Blanks as separators do not count at
    the ends of a record, nor belong to it.

    `columns` is how many fields a record should have, 0 if that is not known; a quote of -1 is none.  Unless the data
    are `final`, the last record may be `open`: where it ends depends on what follows.
    """
    size: cython.Py_ssize_t = data.shape[0]
    ends: cython.Py_ssize_t = 1
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(1, size):  # a line end behind another ends no record: a file of line ends alone needs no room
            ends += ((data[i] == 10) | (data[i] == 13)) & (data[i - 1] != 10) & (data[i - 1] != 13)
    out = np.empty((5, ends), dtype=np.int64)
    found: cython.longlong[:, ::1] = out
    count: cython.Py_ssize_t = 0
    line: cython.longlong = 0
    in_field: cython.longlong = 0
    first_line: cython.longlong = 0
    fields: cython.longlong = 1
    begin: cython.Py_ssize_t = 0
    close: cython.Py_ssize_t
    stray: cython.Py_ssize_t = -1
    trailing: cython.Py_ssize_t = -1
    is_open: cython.bint = False
    doubtful: cython.bint = False
    field_begins: cython.bint = True
    byte: cython.uchar
    with cython.nogil:
        i = 0
        while i < size:
            byte = data[i]
            if field_begins and byte == quote:
                close = closing_quote(
                    data, i, separator, quote, fields - 1, columns, final, most_lines,
                    cython.address(in_field), cython.address(doubtful),
                )  # fmt: skip
                if close == UNDECIDED:
                    is_open = True
                    break
                if close == LITERAL:
                    stray = i if stray < 0 else stray
                else:
                    i = close
                    line += in_field
                field_begins = False
                i += 1
            elif byte == separator or (separator == BLANKS and byte == 9):
                close = behind_separator(data, i, size, separator)
                field_begins = True
                if separator != BLANKS:
                    fields += 1
                elif i == begin:
                    begin = close
                elif close < size and not ends_line(data[close]):
                    fields += 1
                else:
                    trailing = i
                i = close
            elif byte == 10 or byte == 13:
                trailing = i if trailing < 0 else trailing
                if trailing > begin:
                    found[0, count] = begin
                    found[1, count] = trailing
                    found[2, count] = first_line
                    found[3, count] = fields
                    found[4, count] = -2 if doubtful and stray < 0 else stray
                    count += 1
                doubtful = False
                i += 2 if byte == 13 and i + 1 < size and data[i + 1] == 10 else 1
                begin = i
                line += 1
                first_line = line
                fields = 1
                stray = trailing = -1
                field_begins = True
            else:
                field_begins = False
                i += 1
        if begin < size:
            found[0, count] = begin
            found[1, count] = size if trailing < 0 else trailing
            found[2, count] = first_line
            found[3, count] = fields
            found[4, count] = -2 if doubtful and stray < 0 else stray
            count += 1
    return (*(each[:count] for each in out), bool(is_open))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_field(
    data: cython.const[cython.uchar][::1],
    i: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    close: cython.Py_ssize_t,
    quote: cython.int,
    quoted: cython.bint,
    text: cython.uchar[::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write the field from i to stop, whose closing quote, if it has one, is at close; return where it ends."""
    if quoted:
        text[at] = 34
        at += 1
    i += close != LITERAL
    while i < stop:
        if i != close:
            if data[i] == 34:
                text[at] = 34
                at += 1
            text[at] = data[i]
            at += 1
            if i < close and data[i] == quote:
                i += 1  # of two quotes the second
        i += 1
    if quoted:
        text[at] = 34
        at += 1
    return at


def rewritten(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
    separator: cython.int,
    quote: cython.int,
):
    """Records as plain CSV: one line end after each, fields in double quotes wherever they need some.

    The separator stays, but runs of blanks become a tab each.
    """
    rows: cython.Py_ssize_t = starts.shape[0]
    between: cython.int = 9 if separator == BLANKS else separator
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    close: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = 0
    lines: cython.longlong = 0
    quoted: cython.bint
    for r in range(rows):
        size += stops[r] - starts[r]
    # every byte may be doubled, and every byte may end a field, which takes two quotes
    out = np.empty(4 * size + 4 * rows + 4, dtype=np.uint8)
    text: cython.uchar[::1] = out
    with cython.nogil:
        for r in range(rows):
            i, stop = starts[r], stops[r]
            while True:
                close = LITERAL
                if i < stop and data[i] == quote:
                    close = next_lone_quote(data, i, stop, quote, stop - i + 1, cython.address(lines))
                    if close == stop:
                        close = LITERAL
                e = i if close == LITERAL else close + 1
                while e < stop and behind_separator(data, e, stop, separator) == e:
                    e += 1
                quoted = close != LITERAL
                for k in range(i, e):
                    quoted |= data[k] == 34 or data[k] == between
                at = put_field(data, i, e, close, quote, quoted, text, at)
                if e >= stop:
                    break
                text[at] = between
                at += 1
                i = behind_separator(data, e, stop, separator)
            text[at] = 10
            at += 1
    return out[:at]
