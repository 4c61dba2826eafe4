"""Sentences from bytes: the fields of tokens in lines of columns, or in lines of words.

A token is some fields, each a pair of offsets into the text, which is not copied.  Sentences of columns end with a
blank line; a sentence of words is a line.  A sentence with a bad line is left out, and reported with the line, the
reason and a number that explains it."""

import cython
import numpy as np
from cython.cimports.libc.string import memchr
from cython.cimports.linnet.kernels.utf8 import decode

# Why a sentence is bad.
COLUMN_COUNT, EMPTY_FIELD, BAD_ID, WRONG_ID, BAD_HEAD, HEAD_RANGE, NOT_UTF8, TOO_LONG, NO_MARK = range(1, 10)

# A separator that is a run of blanks and tabs; any other is that very byte.
BLANKS = 32
TAB = 9
# The columns of CoNLL-U that are numbers, and how many columns it has.
_HEAD = cython.declare(cython.Py_ssize_t, 6)
CONLLU_COLUMNS = 10
NO_TOKEN = cython.declare(cython.int, -1)
# Digits of an id or a head: more than any sentence has tokens.
MOST_DIGITS = cython.declare(cython.Py_ssize_t, 9)

Bytes = cython.typedef(cython.pointer(cython.const[cython.uchar]))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def number(p: Bytes, end: Bytes) -> cython.int:
    """The whole number that these bytes are; -1 if they are none."""
    value: cython.int = 0
    if p >= end or end - p > MOST_DIGITS:
        return -1
    while p < end:
        if not 48 <= p[0] <= 57:
            return -1
        value = 10 * value + (p[0] - 48)
        p += 1
    return value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_pair(p: Bytes, end: Bytes) -> cython.bint:
    """Whether this is the id of a multiword token (3-4) or of an empty node (3.1)."""
    q: Bytes = p
    while q < end and q[0] != 45 and q[0] != 46:
        q += 1
    return q < end and number(p, q) >= 0 and number(q + 1, end) >= 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def first_not_utf8(p: Bytes, end: Bytes) -> cython.Py_ssize_t:
    """The offset of the first byte that is not UTF-8; -1 if all are."""
    at: Bytes = p
    length: cython.Py_ssize_t = 0
    while at < end:
        if at[0] < 0x80:
            at += 1
            continue
        if decode(at, end - at, cython.address(length)) < 0:
            return at - p
        at += length
    return -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_blank(byte: cython.uchar) -> cython.bint:
    return byte == 32 or byte == 9


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def split(
    base: Bytes,
    p: Bytes,
    end: Bytes,
    separator: cython.int,
    begins: cython.pointer(cython.uint),
    ends: cython.pointer(cython.uint),
    columns: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write where the first fields of a line begin and end; returns how many fields it has, or minus the number of its
    first empty one."""
    found: cython.Py_ssize_t = 0
    empty: cython.Py_ssize_t = 0
    begin: Bytes
    while True:
        if separator == 32:
            while p < end and is_blank(p[0]):
                p += 1
            if p >= end:
                break
        begin = p
        if separator == 32:
            while p < end and not is_blank(p[0]):
                p += 1
        else:
            p = cython.cast(Bytes, memchr(begin, separator, end - begin)) if begin < end else cython.NULL
            if p == cython.NULL:
                p = end
        found += 1
        if p == begin and empty == 0:
            empty = found
        if found <= columns:
            begins[found - 1] = cython.cast(cython.uint, begin - base)
            ends[found - 1] = cython.cast(cython.uint, p - base)
        if p >= end:
            break
        p += 1
    return -empty if empty and found == columns else found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fault_of(
    base: Bytes,
    p: Bytes,
    end: Bytes,
    begins: cython.pointer(cython.uint),
    ends: cython.pointer(cython.uint),
    found: cython.Py_ssize_t,
    columns: cython.Py_ssize_t,
    expected: cython.Py_ssize_t,
    detail: cython.pointer(cython.Py_ssize_t),
) -> cython.int:
    """What is wrong with the fields of a line (0: nothing), and the number that explains it; NO_TOKEN if it is a
    multiword token or an empty node.  Of CoNLL-U, `expected` is the id that the word must have; else it is 0."""
    q: Bytes = p
    high: cython.uchar = 0
    named: cython.int
    while q < end:
        high |= q[0]
        q += 1
    if high >= 0x80:
        detail[0] = first_not_utf8(p, end)
        if detail[0] >= 0:
            return 7
    if found != columns:
        detail[0] = found if found > 0 else -found
        return 1 if found > 0 else 2
    if expected:
        named = number(base + begins[0], base + ends[0])
        if named < 0 and is_pair(base + begins[0], base + ends[0]):
            return NO_TOKEN
        if named != expected:
            detail[0] = expected
            return 3 if named < 0 else 4
    return 0


def column_fields(
    data: cython.const[cython.uchar][::1],
    columns: cython.Py_ssize_t,
    separator: cython.int,
    conllu: cython.bint,
    with_heads: cython.bint,
    most_tokens: cython.Py_ssize_t,
):
    """The fields of all good sentences, and the bad ones.

    Returns begins and ends (tokens × columns), heads (if asked for; -1 where there is none), the line of each token
    (from 0), the first token of each sentence (and the end), the bytes of each sentence (sentences × 2), and for each
    bad sentence line, first byte, last byte, reason and detail.  Of CoNLL-U, comments, multiword tokens and empty nodes
    are not tokens.
    """
    size: cython.Py_ssize_t = data.shape[0]
    if size >= 1 << 32:
        raise ValueError("a text of 4 GiB or more")
    most: cython.Py_ssize_t = 1 + int((np.asarray(data) == 10).sum())
    begins_out = np.empty((most, columns), dtype=np.uint32)
    ends_out = np.empty((most, columns), dtype=np.uint32)
    heads_out = np.full(most if with_heads else 0, -1, dtype=np.int32)
    lines_out = np.empty(most, dtype=np.int64)
    starts_out = np.zeros(most + 1, dtype=np.int64)
    spans_out = np.empty((most, 2), dtype=np.int64)
    begins: cython.uint[:, ::1] = begins_out
    ends: cython.uint[:, ::1] = ends_out
    heads: cython.int[::1] = heads_out
    lines: cython.longlong[::1] = lines_out
    starts: cython.longlong[::1] = starts_out
    spans: cython.longlong[:, ::1] = spans_out
    bad: list = []
    if size == 0:
        return begins_out[:0], ends_out[:0], heads_out[:0], lines_out[:0], starts_out[:1], spans_out[:0], bad
    base: Bytes = cython.address(data[0])
    p: Bytes = base
    q: Bytes
    stop: Bytes
    end: Bytes
    last: Bytes = base + size
    cython.declare(tokens=cython.Py_ssize_t, first=cython.Py_ssize_t, sentences=cython.Py_ssize_t)
    cython.declare(line=cython.Py_ssize_t, begun=cython.Py_ssize_t, wrong_line=cython.Py_ssize_t)
    cython.declare(found=cython.Py_ssize_t, t=cython.Py_ssize_t, wrong=cython.int, final=cython.bint)
    detail: cython.Py_ssize_t = 0
    tokens = first = sentences = line = wrong_line = 0
    wrong, begun = 0, -1
    while True:
        with cython.nogil:
            while p <= last:
                final = p == last
                stop = last
                if not final:
                    stop = cython.cast(Bytes, memchr(p, 10, last - p))
                    if stop == cython.NULL:
                        stop = last
                end = stop
                if end > p and (end - 1)[0] == 13:
                    end -= 1
                q = p
                while q < end and is_blank(q[0]):
                    q += 1
                if q == end:  # a blank line, or the end of the text
                    if with_heads and wrong == 0:
                        for t in range(first, tokens):
                            if heads[t] > tokens - first or heads[t] == t - first + 1:
                                wrong = 6
                                wrong_line = lines[t]
                                detail = heads[t]
                                break
                    if wrong != 0:
                        break
                    if tokens > first:
                        starts[sentences] = first
                        spans[sentences, 0] = begun
                        spans[sentences, 1] = p - base
                        sentences += 1
                        first = tokens
                    begun = -1
                    if final:
                        p = last + 1
                        break
                    line += 1
                    p = stop + 1 if stop < last else last
                    continue
                if begun < 0:
                    begun = p - base
                if wrong == 0 and not (conllu and p[0] == 35):
                    found = split(base, p, end, separator, cython.address(begins[tokens, 0]),
                                  cython.address(ends[tokens, 0]), columns)  # fmt: skip
                    wrong_line = line
                    lines[tokens] = line
                    wrong = fault_of(base, p, end, cython.address(begins[tokens, 0]), cython.address(ends[tokens, 0]),
                                     found, columns, tokens - first + 1 if conllu else 0,
                                     cython.address(detail))  # fmt: skip
                    if wrong == NO_TOKEN:  # kept in the text
                        wrong = 0
                        tokens -= 1
                    elif wrong == 0 and with_heads:
                        q = base + begins[tokens, _HEAD]
                        heads[tokens] = number(q, base + ends[tokens, _HEAD])
                        if heads[tokens] < 0 and (ends[tokens, _HEAD] - begins[tokens, _HEAD] != 1 or q[0] != 95):
                            wrong = 5
                    tokens += 1
                    if wrong == 0 and tokens - first > most_tokens:
                        wrong = 8
                        detail = most_tokens
                line += 1
                p = stop + 1 if stop < last else last
        if wrong == 0:
            break
        # p is at the blank line behind the bad sentence
        bad.append((wrong_line, begun, p - base, wrong, detail))
        wrong = 0
        tokens = first
        begun = -1
    starts[sentences] = tokens
    return (begins_out[:tokens], ends_out[:tokens], heads_out[: tokens if with_heads else 0], lines_out[:tokens],
            starts_out[: sentences + 1], spans_out[:sentences], bad)  # fmt: skip


def word_fields(data: cython.const[cython.uchar][::1], mark: cython.int, most_tokens: cython.Py_ssize_t):
    """The words of lines, separated by blanks, as `column_fields` has them; with a mark, each word is word and tag
    around its last one."""
    size: cython.Py_ssize_t = data.shape[0]
    if size >= 1 << 32:
        raise ValueError("a text of 4 GiB or more")
    columns: cython.Py_ssize_t = 2 if mark else 1
    text = np.asarray(data)
    blanks = (text == 32) | (text == 9) | (text == 10) | (text == 13)
    most: cython.Py_ssize_t = 1 + (int((blanks[: size - 1] & ~blanks[1:]).sum()) + int(not blanks[0]) if size else 0)
    most_lines: cython.Py_ssize_t = 1 + int((text == 10).sum())
    begins_out = np.empty((most, columns), dtype=np.uint32)
    ends_out = np.empty((most, columns), dtype=np.uint32)
    lines_out = np.empty(most, dtype=np.int64)
    starts_out = np.zeros(most_lines + 1, dtype=np.int64)
    spans_out = np.empty((most_lines, 2), dtype=np.int64)
    begins: cython.uint[:, ::1] = begins_out
    ends: cython.uint[:, ::1] = ends_out
    lines: cython.longlong[::1] = lines_out
    starts: cython.longlong[::1] = starts_out
    spans: cython.longlong[:, ::1] = spans_out
    bad: list = []
    heads_out = np.empty(0, dtype=np.int32)
    if size == 0:
        return begins_out[:0], ends_out[:0], heads_out, lines_out[:0], starts_out[:1], spans_out[:0], bad
    base: Bytes = cython.address(data[0])
    p: Bytes = base
    q: Bytes
    begin: Bytes
    stop: Bytes
    last: Bytes = base + size
    tokens: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t = 0
    sentences: cython.Py_ssize_t = 0
    line: cython.Py_ssize_t = 0
    wrong: cython.int = 0
    detail: cython.Py_ssize_t = 0
    while p < last:
        with cython.nogil:
            while p < last and wrong == 0:
                stop = cython.cast(Bytes, memchr(p, 10, last - p))
                if stop == cython.NULL:
                    stop = last
                detail = first_not_utf8(p, stop)
                if detail >= 0:
                    wrong = 7
                    break
                q = p
                while wrong == 0:
                    while q < stop and (is_blank(q[0]) or q[0] == 13):
                        q += 1
                    if q >= stop:
                        break
                    begin = q
                    while q < stop and not is_blank(q[0]) and q[0] != 13:
                        q += 1
                    begins[tokens, 0] = cython.cast(cython.uint, begin - base)
                    ends[tokens, 0] = cython.cast(cython.uint, q - base)
                    lines[tokens] = line
                    if mark != 0:
                        ends[tokens, 1] = ends[tokens, 0]
                        while q > begin and (q - 1)[0] != mark:
                            q -= 1
                        if q - 1 <= begin or q - base == ends[tokens, 1]:
                            wrong = 9
                            detail = begin - base
                            break
                        ends[tokens, 0] = cython.cast(cython.uint, q - 1 - base)
                        begins[tokens, 1] = cython.cast(cython.uint, q - base)
                        q = base + ends[tokens, 1]
                    tokens += 1
                    if tokens - first > most_tokens:
                        wrong = 8
                        detail = most_tokens
                if wrong != 0:
                    break
                if tokens > first:
                    starts[sentences] = first
                    spans[sentences, 0] = p - base
                    spans[sentences, 1] = stop - base
                    sentences += 1
                    first = tokens
                line += 1
                p = stop + 1
        if wrong != 0:
            bad.append((line, p - base, stop - base, wrong, detail))
            wrong = 0
            tokens = first
            line += 1
            p = stop + 1
    starts[sentences] = tokens
    return (begins_out[:tokens], ends_out[:tokens], heads_out, lines_out[:tokens], starts_out[: sentences + 1],
            spans_out[:sentences], bad)  # fmt: skip


def last_blank_line_end(data: cython.const[cython.uchar][::1]):
    """Where the last sentence of columns ends that is whole: behind its blank line; 0 if there is none."""
    i: cython.Py_ssize_t = data.shape[0] - 1
    newline: cython.Py_ssize_t = -1
    with cython.nogil:
        while i >= 0:
            if data[i] == 10:
                if newline >= 0:
                    break
                newline = i
            elif data[i] != 32 and data[i] != 9 and data[i] != 13:
                newline = -1
            i -= 1
    return newline + 1 if newline >= 0 else 0
