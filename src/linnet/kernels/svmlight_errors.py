"""What is wrong with a line of svmlight text, and the message; called once for a bad line."""

import cython
from cython.cimports.linnet.kernels.numbers import Fault, Number, Text, peek
from cython.cimports.linnet.kernels.svmlight import Row, Wrong, ends_token

# By the codes of Wrong.
MESSAGES = (
    "",
    "the label is not a decimal number",
    "more than one label",
    "qid: is not followed by an integer",
    "this is not an id (an integer from 0 to 2147483646), a colon and a value",
    "the id is larger than 2147483646",
    "a colon is missing after the id",
    "the value is missing after the colon",
    "the value is not a decimal number",
    "nan and inf are not finite numbers; leave the entry out, or write a number",
    "the number is too large for a double (about 1.8e308)",
    "this id is already in the row",
    "a NUL byte; this is not text",
    "not UTF-8",
)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def utf8_length(p: Text, end: Text) -> cython.int:
    """The number of bytes of the UTF-8 character at p; 0 if it is not valid (Unicode 16, table 3-7)."""
    c: cython.uchar = p[0]
    second: cython.uchar = peek(p + 1, end)
    if c < 0x80:
        return 1
    if c < 0xC2 or c > 0xF4 or second & 0xC0 != 0x80:
        return 0
    if c < 0xE0:
        return 2
    if (c == 0xE0 and second < 0xA0) or (c == 0xED and second > 0x9F) or peek(p + 2, end) & 0xC0 != 0x80:
        return 0
    if c < 0xF0:
        return 3
    if (c == 0xF0 and second < 0x90) or (c == 0xF4 and second > 0x8F) or peek(p + 3, end) & 0xC0 != 0x80:
        return 0
    return 4


def check_text(p: Text, end: Text, row: cython.pointer(Row)) -> cython.void:
    """If this text contains NUL or is not UTF-8, that is the error of the row."""
    length: cython.int
    while p < end:
        length = utf8_length(p, end)
        if length == 0 or p[0] == 0:
            row.wrong = Wrong.NUL if length else Wrong.NOT_UTF8
            row.at = p
            return
        p += length


def refuse(row: cython.pointer(Row), wrong: cython.int, at: Text, end: Text) -> cython.void:
    """The error of the row; if the token at this position is not text, that is reported instead."""
    after: Text = at
    while not ends_token(after, end):
        after += 1
    row.wrong = wrong
    row.at = at
    check_text(at, after, row)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def spells(p: Text, end: Text, word: cython.p_char) -> cython.bint:
    """Whether the token at p, without its sign, is this word in any case."""
    if peek(p, end) == 43 or peek(p, end) == 45:
        p += 1
    i: cython.Py_ssize_t = 0
    while word[i] != 0:
        if peek(p + i, end) | 0x20 != word[i]:
            return False
        i += 1
    return ends_token(p + i, end)


def refuse_number(row: cython.pointer(Row), wrong: cython.int, number: Number, at: Text, end: Text) -> cython.void:
    """The error of the token at this position, which is not a valid number."""
    if ends_token(at, end) and wrong == Wrong.VALUE:
        wrong = Wrong.NO_VALUE
    elif wrong == Wrong.LABEL and number.fault != Fault.NOT_A_NUMBER and peek(number.after, end) == 44:
        wrong = Wrong.SEVERAL_LABELS
        at = number.after
    elif number.fault == Fault.TOO_LARGE and ends_token(number.after, end):
        wrong = Wrong.TOO_LARGE
    elif spells(at, end, b"nan") or spells(at, end, b"inf") or spells(at, end, b"infinity"):
        wrong = Wrong.NOT_FINITE
    refuse(row, wrong, at, end)


def refuse_id(row: cython.pointer(Row), p: Text, after: Text, end: Text) -> cython.void:
    """The error of the token at p, whose digits, if any, are not followed by a colon."""
    if after > p and ends_token(after, end):
        refuse(row, Wrong.NO_COLON, after, end)
    else:
        refuse(row, Wrong.ID, p, end)
