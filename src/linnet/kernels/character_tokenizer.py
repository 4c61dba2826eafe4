"""Text into characters, lower-cased, each with a 64-bit hash; the tables and the layout are those of tokenizer.py."""

import cython
from cython.cimports.linnet.kernels.tokenizer import finish
from cython.cimports.linnet.kernels.utf8 import decode, encode

SPACE = cython.declare(cython.uchar, 0)
_NOT_UTF8 = cython.declare(cython.int, 1)
_PAGE_MISSING = cython.declare(cython.int, 2)
_SPECIAL = cython.declare(cython.int, 3)


def split_characters(
    text: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    row: cython.Py_ssize_t,
    kinds: cython.const[cython.uchar][::1],
    lowers: cython.const[cython.int][::1],
    pages: cython.const[cython.uchar][::1],
    into: cython.uchar[::1],
    token_starts: cython.uint[::1],
    hashes: cython.ulonglong[::1],
    segments: cython.longlong[::1],
    row_segments: cython.longlong[::1],
    within_words: cython.bint,
    out: cython.Py_ssize_t,
    token: cython.Py_ssize_t,
    segment: cython.Py_ssize_t,
):
    """As split_words of tokenizer.py, but every character is a token, and two or more spaces are one.

    A row is one segment; or, within words, every run of anything but spaces is one, with a space before and after.
    row_segments[r] is the first segment of row r, segments[s] the first token of segment s.
    """
    rows: cython.Py_ssize_t = starts.shape[0] - 1
    why: cython.int = 0
    where: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    taken: cython.Py_ssize_t = 1
    first_out: cython.Py_ssize_t
    first_token: cython.Py_ssize_t
    first_segment: cython.Py_ssize_t
    point: cython.int
    after_space: cython.bint
    open_segment: cython.bint
    with cython.nogil:
        while row < rows and why == 0:
            at = starts[row]
            stop = starts[row + 1]
            first_out = out
            first_token = token
            first_segment = segment
            row_segments[row] = segment
            after_space = False
            open_segment = False
            if not within_words:
                segments[segment] = token
                segment += 1
            while at <= stop:
                if at == stop:  # the end closes a word as a space does
                    if not open_segment:
                        break
                    point = 32
                    taken = 1
                else:
                    point = decode(cython.address(text[at]), stop - at, cython.address(taken))
                if point < 0:
                    why = _NOT_UTF8
                    where = at
                    break
                if not pages[point >> 8]:
                    why = _PAGE_MISSING
                    where = point >> 8
                    break
                if lowers[point] < 0:
                    why = _SPECIAL
                    where = at
                    break
                at += taken
                if kinds[point] == SPACE:
                    if within_words:
                        if not open_segment:
                            continue
                        open_segment = False
                        point = 32
                    elif after_space:  # two or more spaces of any kind are one
                        token -= 1
                        out = token_starts[token]
                        point = 32
                    after_space = True
                else:
                    after_space = False
                    if within_words and not open_segment:
                        open_segment = True
                        segments[segment] = token
                        segment += 1
                        token_starts[token] = out
                        hashes[token] = finish(33)
                        token += 1
                        into[out] = 32
                        out += 1
                    point = lowers[point]
                token_starts[token] = out
                hashes[token] = finish(cython.cast(cython.ulonglong, point) + 1)
                token += 1
                out = encode(point, into, out)
            if why != 0:
                out = first_out
                token = first_token
                segment = first_segment
                break
            row += 1
        row_segments[row] = segment
        segments[segment] = token
        token_starts[token] = out
    return row, out, token, segment, why, where
