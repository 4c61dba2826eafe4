"""One read over the entries of rows: largest values, counts by side, scales, features dropped, and some of the rows."""

import cython
import numpy as np
from cython.cimports.libc.math import fabs
from cython.cimports.libc.string import memcpy
from cython.cimports.linnet.kernels.passes import value_t

# The number that a vocabulary gives a name it does not have.
NO_NUMBER = cython.declare(cython.uint, 0xFFFFFFFF)


def entries_by_column(ids: cython.const[cython.uint][::1], columns: cython.Py_ssize_t):
    """How many entries each column has; np.bincount would make a copy of the ids that is twice as large."""
    counts = np.zeros(columns, dtype=np.int64)
    into: cython.longlong[::1] = counts
    e: cython.Py_ssize_t
    with cython.nogil:
        for e in range(ids.shape[0]):
            into[ids[e]] += 1
    return counts


def largest(values: cython.const[value_t][::1], ids: cython.const[cython.uint][::1], into: cython.double[::1]):
    """into[j] = the largest |value| of column j."""
    e: cython.Py_ssize_t
    x: cython.double
    with cython.nogil:
        for e in range(ids.shape[0]):
            x = fabs(values[e])
            if x > into[ids[e]]:
                into[ids[e]] = x


def largest_in_table(values: cython.const[value_t][::1], into: cython.double[::1]):
    """The same for dense rows."""
    columns: cython.Py_ssize_t = into.shape[0]
    rows: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    x: cython.double
    row: cython.pointer(cython.const[value_t])
    most: cython.p_double
    if columns == 0 or values.shape[0] == 0:
        return
    most = cython.address(into[0])
    rows = values.shape[0] // columns
    with cython.nogil:
        for i in range(rows):
            row = cython.address(values[i * columns])
            for j in range(columns):
                x = fabs(row[j])
                most[j] = x if x > most[j] else most[j]


def count_sides(
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    signs: cython.const[cython.double][::1],
    weights: cython.const[cython.double][::1],
    positive: cython.double[::1],
    negative: cython.double[::1],
):
    """How many rows of either sign have each column; a row counts by its weight, 1 where there are none."""
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    weighted: cython.bint = weights.shape[0] > 0
    weight: cython.double = 1.0
    with cython.nogil:
        for i in range(signs.shape[0]):
            if weighted:
                weight = weights[i]
            if signs[i] > 0:
                for e in range(starts[i], starts[i + 1]):
                    positive[ids[e]] += weight
            else:
                for e in range(starts[i], starts[i + 1]):
                    negative[ids[e]] += weight


def scaled(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    scales: cython.const[cython.double][::1],
    counted: cython.const[cython.uchar][::1],
    into: value_t[::1],
):
    """into = values times the scales of their columns; returns the sum of squares in the counted columns."""
    e: cython.Py_ssize_t
    x: cython.double
    squares: cython.double = 0.0
    with cython.nogil:
        for e in range(ids.shape[0]):
            x = values[e] * scales[ids[e]]
            into[e] = x
            if counted[ids[e]]:
                squares += x * x
    return squares


def renumber(
    values: cython.const[cython.float][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    numbers: cython.const[cython.int][::1],
    new_values: cython.float[::1],
    new_ids: cython.uint[::1],
    new_starts: cython.longlong[::1],
):
    """The entries with new numbers of columns; those of columns numbered -1 are left out.

    The new arrays have room for exactly what is left.
    """
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    kept: cython.Py_ssize_t = 0
    number: cython.int
    with cython.nogil:
        for i in range(starts.shape[0] - 1):
            new_starts[i] = kept
            for e in range(starts[i], starts[i + 1]):
                number = numbers[ids[e]]
                if number >= 0:
                    new_ids[kept] = number
                    new_values[kept] = values[e]
                    kept += 1
        new_starts[starts.shape[0] - 1] = kept


def take(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    firsts: cython.const[cython.longlong][::1],
    new_values: value_t[::1],
    new_ids: cython.uint[::1],
    new_starts: cython.const[cython.longlong][::1],
):
    """The entries of the rows that begin at these places; in the new arrays, row i of them begins at new_starts[i]."""
    i: cython.Py_ssize_t
    start: cython.Py_ssize_t
    entries: cython.Py_ssize_t
    value_bytes: cython.Py_ssize_t = values.strides[0]
    if new_ids.shape[0] == 0:
        return
    with cython.nogil:
        for i in range(firsts.shape[0]):
            start, entries = firsts[i], new_starts[i + 1] - new_starts[i]
            if entries:
                memcpy(
                    cython.address(new_values[new_starts[i]]),
                    cython.address(values[start]),
                    entries * value_bytes,
                )
                memcpy(
                    cython.address(new_ids[new_starts[i]]),
                    cython.address(ids[start]),
                    entries * cython.sizeof(cython.uint),
                )


def renumbered(
    numbers: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    ids: cython.const[cython.uint][::1],
    counts: cython.const[cython.uint][::1],
):
    """Rows of kernels/ngrams.py with the numbers of the vocabulary, without names that have none."""
    rows: cython.Py_ssize_t = starts.shape[0] - 1
    ids_out = np.empty(ids.shape[0], dtype=np.uint32)
    counts_out = np.empty(ids.shape[0], dtype=np.float32)
    new_ids: cython.uint[::1] = ids_out
    new_counts: cython.float[::1] = counts_out
    r: cython.Py_ssize_t
    e: cython.Py_ssize_t
    written: cython.Py_ssize_t = 0
    number: cython.uint
    known: cython.bint = True
    with cython.nogil:
        for e in range(numbers.shape[0]):
            known &= numbers[e] != NO_NUMBER
        if known:  # mostly so in training, where names are added: every entry stays in its place
            for e in range(ids.shape[0]):
                new_ids[e] = numbers[ids[e]]
                new_counts[e] = cython.cast(cython.float, counts[e])
    if known:
        return np.array(starts), ids_out, counts_out
    starts_out = np.empty(rows + 1, dtype=np.int64)
    new_starts: cython.longlong[::1] = starts_out
    with cython.nogil:
        new_starts[0] = 0
        for r in range(rows):
            for e in range(starts[r], starts[r + 1]):
                number = numbers[ids[e]]
                new_ids[written] = number
                new_counts[written] = cython.cast(cython.float, counts[e])
                written += number != NO_NUMBER
            new_starts[r + 1] = written
    return starts_out, ids_out[:written], counts_out[:written]


def take_columns(
    values: cython.const[value_t][::1],
    columns: cython.Py_ssize_t,
    which: cython.const[cython.longlong][::1],
    into: cython.double[:, ::1],
):
    """Some of the columns of dense rows, of which `values` has as many as `into`."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for i in range(into.shape[0]):
            for j in range(into.shape[1]):
                into[i, j] = values[i * columns + which[j]]
