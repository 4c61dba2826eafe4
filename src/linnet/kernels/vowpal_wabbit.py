"""Lines of Vowpal Wabbit's text format: `label importance 'tag|namespace name:value name |other name ...`.

Label, importance and tag may be left out.  The last word before the first bar is the tag if it touches the bar, or
begins with a quote.  A namespace may have a value, which multiplies those of its features; one left out is 1.
A feature is named `namespace^name`, or by its name alone where the namespace has none.
"""

import cython
import numpy as np
from cython.cimports.libc.string import memchr, memcpy
from cython.cimports.linnet.kernels.numbers import Fault, Number, Text, read_number

MESSAGES = (
    "",
    "there is no bar (|) before the features",
    "labels with costs or probabilities (label:cost) and shared features are not supported: one label a line",
    "the importance must be a number, 0 or more",
    "an initial prediction, the third number, is not supported",
    "the value of a namespace must be a number",
    "the value of a feature must be a number",
    "a feature needs a name",
    "the name of a namespace is longer than 128 bytes",
)
NO_BAR = cython.declare(cython.int, 1)
SEVERAL = cython.declare(cython.int, 2)
IMPORTANCE = cython.declare(cython.int, 3)
INITIAL = cython.declare(cython.int, 4)
OF_NAMESPACE = cython.declare(cython.int, 5)
OF_FEATURE = cython.declare(cython.int, 6)
NAMELESS = cython.declare(cython.int, 7)
LONG_NAMESPACE = cython.declare(cython.int, 8)
LONGEST_NAMESPACE = cython.declare(cython.Py_ssize_t, 128)

Line = cython.struct(
    label=Text,
    label_end=Text,
    tag=Text,
    tag_end=Text,
    importance=cython.double,
    fault=cython.int,
    at=Text,
)
Into = cython.struct(names=cython.p_uchar, starts=cython.p_longlong, values=cython.p_double)
Done = cython.struct(entries=cython.Py_ssize_t, size=cython.Py_ssize_t)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_blank(byte: cython.uchar) -> cython.bint:
    return byte == 32 or byte == 9


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def word_end(p: Text, end: Text, colons: cython.bint) -> Text:
    """Where a word ends: before a blank, a bar or, where they count, a colon."""
    while p < end and not is_blank(p[0]) and p[0] != 124 and not (colons and p[0] == 58):
        p += 1
    return p


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def refuse(line: cython.pointer(Line), fault: cython.int, at: Text) -> cython.bint:
    line.fault = fault
    line.at = at
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def value_at(p: Text, end: Text, value: cython.p_double) -> Text:
    """The number behind a colon at p, or 1 where there is no colon; what follows it, NULL if it is not a number."""
    number: Number
    value[0] = 1.0
    if p >= end or p[0] != 58:
        return p
    number = read_number(p + 1, end)
    if number.fault != Fault.NONE or (number.after < end and not is_blank(number.after[0]) and number.after[0] != 124):
        return cython.NULL
    value[0] = number.value
    return number.after


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_head(p: Text, bar: Text, line: cython.pointer(Line)) -> cython.bint:
    """Label, importance and tag, before the first bar."""
    number: Number
    begin: Text
    words: cython.int = 0
    while True:
        while p < bar and is_blank(p[0]):
            p += 1
        if p == bar:
            return True
        begin = p
        while p < bar and not is_blank(p[0]):
            p += 1
        if p == bar or begin[0] == 39:
            line.tag = begin + (begin[0] == 39)
            line.tag_end = p
            while p < bar and is_blank(p[0]):
                p += 1
            return p == bar or refuse(line, INITIAL, p)
        words += 1
        if memchr(begin, 58, p - begin) != cython.NULL or (words == 1 and p - begin == 6 and is_shared(begin)):
            return refuse(line, SEVERAL, begin)
        if words == 1:
            line.label = begin
            line.label_end = p
        elif words == 2:
            number = read_number(begin, p)
            if number.fault != Fault.NONE or number.after != p or number.value < 0:
                return refuse(line, IMPORTANCE, begin)
            line.importance = number.value
        else:
            return refuse(line, INITIAL, begin)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_shared(p: Text) -> cython.bint:
    return p[0] == 115 and p[1] == 104 and p[2] == 97 and p[3] == 114 and p[4] == 101 and p[5] == 100


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_line(
    p: Text, end: Text, line: cython.pointer(Line), into: cython.pointer(Into), done: cython.pointer(Done)
) -> cython.bint:
    """One line; its features go behind those that are done, or are only counted where there is nothing to put them."""
    bar: Text = cython.cast(Text, memchr(p, 124, end - p)) if p < end else cython.NULL
    space: Text
    space_end: Text
    name: Text
    after: Text
    scale: cython.double = 1.0
    value: cython.double = 1.0
    size: cython.Py_ssize_t
    line.label = line.label_end = line.tag = line.tag_end = p
    line.importance = 1.0
    line.fault = 0
    if bar == cython.NULL:
        return refuse(line, NO_BAR, p)
    if not read_head(p, bar, line):
        return False
    p = bar
    space = space_end = bar
    while p < end:
        if p[0] == 124:
            space = p + 1
            space_end = word_end(space, end, True)
            if space_end - space > LONGEST_NAMESPACE:
                return refuse(line, LONG_NAMESPACE, space)
            p = value_at(space_end, end, cython.address(scale))
            if p == cython.NULL:
                return refuse(line, OF_NAMESPACE, space)
            continue
        if is_blank(p[0]):
            p += 1
            continue
        name = p
        after = word_end(name, end, True)
        if after == name:
            return refuse(line, NAMELESS, name)
        p = value_at(after, end, cython.address(value))
        if p == cython.NULL:
            return refuse(line, OF_FEATURE, name)
        size = (after - name) + (space_end - space) + (space_end > space)
        if into.names != cython.NULL:
            into.values[done.entries] = value * scale
            if space_end > space:
                memcpy(into.names + done.size, space, space_end - space)
                into.names[done.size + (space_end - space)] = 94
            memcpy(into.names + done.size + size - (after - name), name, after - name)
            into.starts[done.entries + 1] = done.size + size
        done.entries += 1
        done.size += size
    return True


def parse(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
):
    """All lines: a dictionary of arrays.

    heads (start and stop of the label, then of the tag), importance, row_starts of the features, their names as bytes
    with name_starts, their values; faults (indices of MESSAGES) and the byte of each, from 0.
    """
    rows: cython.Py_ssize_t = starts.shape[0]
    heads_out = np.zeros((4, rows), dtype=np.int64)
    importance_out = np.ones(rows)
    row_starts_out = np.zeros(rows + 1, dtype=np.int64)
    faults_out = np.zeros((2, rows), dtype=np.int64)
    heads: cython.longlong[:, ::1] = heads_out
    importance: cython.double[::1] = importance_out
    row_starts: cython.longlong[::1] = row_starts_out
    faults: cython.longlong[:, ::1] = faults_out
    r: cython.Py_ssize_t
    line: Line
    into: Into
    done: Done
    before: Done
    base: Text = cython.address(data[0]) if data.shape[0] else cython.NULL
    done.entries = done.size = 0
    into.names = cython.NULL
    into.starts = cython.NULL
    into.values = cython.NULL
    with cython.nogil:
        for r in range(rows):
            before = done
            if not read_line(
                base + starts[r], base + stops[r], cython.address(line), cython.address(into), cython.address(done)
            ):
                done = before
                faults[0, r] = line.fault
                faults[1, r] = line.at - base - starts[r]
            row_starts[r + 1] = done.entries
            heads[0, r] = line.label - base
            heads[1, r] = line.label_end - base
            heads[2, r] = line.tag - base
            heads[3, r] = line.tag_end - base
            importance[r] = line.importance
    names_out = np.empty(done.size + 1, dtype=np.uint8)
    name_starts_out = np.zeros(done.entries + 1, dtype=np.int64)
    values_out = np.empty(done.entries + 1)
    names: cython.uchar[::1] = names_out
    name_starts: cython.longlong[::1] = name_starts_out
    values: cython.double[::1] = values_out
    into.names = cython.address(names[0])
    into.starts = cython.address(name_starts[0])
    into.values = cython.address(values[0])
    done.entries = done.size = 0
    with cython.nogil:
        for r in range(rows):
            if faults[0, r] == 0:
                read_line(
                    base + starts[r], base + stops[r], cython.address(line), cython.address(into), cython.address(done)
                )
    return {
        "heads": heads_out,
        "importance": importance_out,
        "row_starts": row_starts_out,
        "names": names_out[: done.size],
        "name_starts": name_starts_out,
        "values": values_out[: done.entries],
        "faults": faults_out,
    }
