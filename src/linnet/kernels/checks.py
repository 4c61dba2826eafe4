"""A look at a sparse matrix's column ids before they are trusted, in one read of them."""

import cython

ROWS_AT_ONCE = cython.declare(cython.Py_ssize_t, 256)


def rising_below(
    ids: cython.const[cython.uint][::1], starts: cython.const[cython.longlong][::1], columns: cython.longlong
):
    """Whether the ids of every row rise strictly and end below `columns`.

    Steps that do not rise are counted over some rows together, in a loop without branches, and then over the places
    between those rows, where they are allowed: within rows all rise exactly if the two counts agree.
    """
    rows: cython.Py_ssize_t = starts.shape[0] - 1
    first: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t
    e: cython.Py_ssize_t
    i: cython.Py_ssize_t
    falls: cython.uint = 0  # as wide as the ids, which lets vectors count; wrapping around does no harm
    allowed: cython.uint = 0
    beyond: cython.Py_ssize_t = 0
    with cython.nogil:
        while first < rows:
            last = first + ROWS_AT_ONCE if first + ROWS_AT_ONCE < rows else rows
            for e in range(starts[first], starts[last] - 1):
                falls += ids[e + 1] <= ids[e]
            for i in range(first, last):
                if starts[i] < starts[i + 1]:
                    beyond += ids[starts[i + 1] - 1] >= columns
                    if starts[i] > starts[first]:
                        allowed += ids[starts[i]] <= ids[starts[i] - 1]
            first = last
    return falls == allowed and beyond == 0
