"""Numbers in four bytes each, without loss: m of m / 10^k, where that is the number to the last bit; and back.

Most numbers in files have few decimals, so that a column of them is a column of integers and one k.
"""

import cython
from cython.cimports.libc.math import NAN, fabs
from cython.cimports.linnet.kernels.numbers import TENS
from cython.cimports.linnet.kernels.packed_numbers import EXACT_DECIMALS, HIGH, LOW, pack_run, unpack_rows

# The most decimals, and the integer that stands for a missing number.
MOST_DECIMALS = 9
MISSING = -2147483648
_MISSING = cython.declare(cython.int, -2147483648)
_LARGEST = cython.declare(cython.double, 2147483647.0)
_LARGEST_INTEGER = cython.declare(cython.int, 2147483647)
# Adding it leaves no digit behind the point of a number that is not large: 2^52 + 2^51.
_TO_INTEGER = cython.declare(cython.double, 6755399441055744.0)
# The most columns that are unpacked at once.
MOST_AT_ONCE = cython.declare(cython.Py_ssize_t, 512)


@cython.cdivision(True)
def pack(values: cython.const[cython.double][::1], decimals: cython.int, into: cython.int[:, ::1], column: cython.int):
    """Put numbers with this many decimals, NaN for missing ones, into a column; None if one is not m / 10^decimals.

    Gives how many are missing, and the least and the largest integer of the others.
    """
    if not 0 <= decimals <= MOST_DECIMALS or into.shape[0] < values.shape[0] or not 0 <= column < into.shape[1]:
        raise ValueError("the numbers do not fit the table")
    ten: cython.double = TENS[decimals]
    i: cython.Py_ssize_t
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    whole: cython.int[256]
    least: cython.int = _LARGEST_INTEGER
    largest: cython.int = -_LARGEST_INTEGER
    missing: cython.Py_ssize_t = 0
    fits: cython.bint = True
    with cython.nogil:
        for first in range(0, values.shape[0], 256):
            last = first + 256 if first + 256 < values.shape[0] else values.shape[0]
            if decimals <= EXACT_DECIMALS and pack_run(
                cython.address(values[first]), last - first, ten, HIGH[decimals], LOW[decimals], whole,
                cython.address(least), cython.address(largest),
            ):  # fmt: skip
                for i in range(first, last):
                    into[i, column] = whole[i - first]
                continue
            for i in range(first, last):  # some are missing, or do not fit
                if not put(values[i], ten, cython.address(into[i, column])):
                    fits = False
                    break
                if into[i, column] == _MISSING:
                    missing += 1
                    continue
                least = into[i, column] if into[i, column] < least else least
                largest = into[i, column] if into[i, column] > largest else largest
            if not fits:
                break
    return (missing, least, largest) if fits else None


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def put(x: cython.double, ten: cython.double, into: cython.p_int) -> cython.bint:
    """The integer for a number, or that for a missing one; False if it does not fit."""
    m: cython.double = (x * ten + _TO_INTEGER) - _TO_INTEGER
    if x != x:
        into[0] = _MISSING
        return True
    if not (fabs(m) <= _LARGEST and m / ten == x):
        return False
    into[0] = cython.cast(cython.int, m)
    return True


def unpack(block: tuple, places: tuple, scaling: tuple, which: cython.const[cython.longlong][::1],
           first: cython.Py_ssize_t, into: cython.double[:, ::1]):  # fmt: skip
    """Rows of a block as (x - centre) / unit for each of the columns of `into`: those of `which`, or all from `first`.

    `block` has integers with their powers of ten, doubles, and codes of categories; `places` the columns of `into` for
    each of these, and for each column the one that is 1 where its number is missing, or -1; `scaling` has the centres
    and units of the columns.  A missing number becomes 0.  Columns of flags and categories must be 0 beforehand.
    """
    narrow: cython.const[cython.int][:, ::1]
    wide: cython.const[cython.double][:, ::1]
    codes: cython.const[cython.int][:, ::1]
    powers: cython.const[cython.double][::1]
    narrow_at: cython.const[cython.longlong][::1]
    wide_at: cython.const[cython.longlong][::1]
    codes_at: cython.const[cython.longlong][::1]
    flags: cython.const[cython.longlong][::1]
    centres: cython.const[cython.double][::1]
    units: cython.const[cython.double][::1]
    narrow, powers, wide, codes = block
    narrow_at, wide_at, codes_at, flags = places
    centres, units = scaling
    n: cython.Py_ssize_t = into.shape[0]
    d: cython.Py_ssize_t = into.shape[1]
    rows: cython.Py_ssize_t = narrow.shape[0]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    row: cython.Py_ssize_t
    x: cython.double
    inside: cython.bint = first >= 0 and first + n <= rows
    plain: cython.bint = narrow.shape[1] == d and d > 0
    for i in range(narrow.shape[1]):
        plain = plain and narrow_at[i] == i
    if which.shape[0]:
        inside = which.shape[0] == n
        for i in range(which.shape[0]):
            inside = inside and 0 <= which[i] < rows
    if not inside:
        raise ValueError(f"{n} rows are not all among the {rows} of a block")
    if n == 0:
        return
    with cython.nogil:
        if plain and unpacked_at_once(narrow, powers, centres, units, which, first, into):
            n = 0
        for i in range(n):
            row = which[i] if which.shape[0] else first + i
            for j in range(narrow.shape[1]):
                x = NAN if narrow[row, j] == _MISSING else narrow[row, j] / powers[j]
                put_scaled(x, flags, centres, units, i, narrow_at[j], into)
            for j in range(wide.shape[1]):
                put_scaled(wide[row, j], flags, centres, units, i, wide_at[j], into)
            for j in range(codes.shape[1]):
                if 0 <= codes[row, j] < d - codes_at[j]:
                    into[i, codes_at[j] + codes[row, j]] = 1.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def unpacked_at_once(
    narrow: cython.const[cython.int][:, ::1],
    powers: cython.const[cython.double][::1],
    centres: cython.const[cython.double][::1],
    units: cython.const[cython.double][::1],
    which: cython.const[cython.longlong][::1],
    first: cython.Py_ssize_t,
    into: cython.double[:, ::1],
) -> cython.bint:
    """All rows where every column is one of integers of few decimals, in order; False once one is missing."""
    d: cython.Py_ssize_t = into.shape[1]
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    high: cython.double[512]
    low: cython.double[512]
    if d > MOST_AT_ONCE:
        return False
    for j in range(d):
        k = 0
        while k <= EXACT_DECIMALS and TENS[k] != powers[j]:
            k += 1
        if k > EXACT_DECIMALS:
            return False
        high[j] = HIGH[k]
        low[j] = LOW[k]
    return unpack_rows(
        cython.address(narrow[0, 0]), d, cython.address(which[0]) if which.shape[0] else cython.NULL, first,
        into.shape[0], high, low, cython.address(centres[0]), cython.address(units[0]), cython.address(into[0, 0]),
    )  # fmt: skip


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.cdivision(True)
def put_scaled(
    x: cython.double,
    flags: cython.const[cython.longlong][::1],
    centres: cython.const[cython.double][::1],
    units: cython.const[cython.double][::1],
    i: cython.Py_ssize_t,
    at: cython.Py_ssize_t,
    into: cython.double[:, ::1],
) -> cython.void:
    """One number into its row and column; NaN is a missing one."""
    if x == x:
        into[i, at] = (x - centres[at]) / units[at]
        return
    into[i, at] = 0.0
    if flags[at] >= 0:
        into[i, flags[at]] = 1.0
