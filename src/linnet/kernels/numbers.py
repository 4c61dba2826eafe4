"""Decimal text to the nearest double, with the bits of Python's float().

Most numbers are read by `read_number` in numbers.pxd with one exact multiplication or division.  The rest come here:
Eisel and Lemire's method (Lemire 2021, Number parsing at a gigabyte per second), which multiplies the first 19 digits
by a power of ten of 128 bits and knows when that is not enough, and, for those very few, Python's own conversion.
The C library's would do too, were it not for locales that write 0,5.
"""

import cython
import numpy as np
from cython.cimports.cpython.exc import PyErr_Clear, PyErr_Occurred
from cython.cimports.libc.math import INFINITY, fabs
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.libc.string import memcpy
from cython.cimports.linnet.kernels.numbers import (
    Fault,
    Number,
    Text,
    multiply,
    read_number,
    string_to_double,
    zeros_above,
)

Bits = cython.union(number=cython.double, pattern=cython.ulonglong)

# 10^q for q from -348 to 347, its first 128 bits, in two words.
LEAST_POWER = cython.declare(cython.longlong, -348)
POWERS = cython.declare(cython.Py_ssize_t, 696)
HIGH_WORDS = cython.declare(cython.ulonglong[696])
LOW_WORDS = cython.declare(cython.ulonglong[696])


def _first_128_bits(q):
    """10^q cut to 128 bits, times the power of two that makes the first of them 1."""
    power = 10 ** abs(q)
    size = power.bit_length()
    if q < 0:
        return (1 << (127 + size)) // power
    return power >> (size - 128) if size > 128 else power << (128 - size)


def _fill_powers():
    i: cython.Py_ssize_t
    for i in range(POWERS):
        bits = _first_128_bits(i + LEAST_POWER)
        HIGH_WORDS[i] = bits >> 64
        LOW_WORDS[i] = bits & 0xFFFFFFFFFFFFFFFF


_fill_powers()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scaled(mantissa: cython.ulonglong, exponent: cython.longlong) -> cython.double:
    """The double nearest to mantissa 10^exponent, mantissa > 0; -1 where this method cannot decide, and if subnormal.

    The product of the normalised mantissa and the power's high word has an error below one in its lowest place.  Where
    a carry from there could reach the 54 bits that matter, the low word is brought in; where even that leaves it open,
    or the result lies exactly between two doubles, the answer is -1.
    """
    if exponent < LEAST_POWER or exponent >= LEAST_POWER + POWERS:
        return -1.0
    i: cython.Py_ssize_t = exponent - LEAST_POWER
    zeros: cython.int = zeros_above(mantissa)
    mantissa <<= zeros
    low: cython.ulonglong
    high: cython.ulonglong = multiply(mantissa, HIGH_WORDS[i], cython.address(low))
    more: cython.ulonglong
    least: cython.ulonglong
    if high & 0x1FF == 0x1FF and low + mantissa < low:
        more = multiply(mantissa, LOW_WORDS[i], cython.address(least))
        low += more
        if low < more:
            high += 1
        if high & 0x1FF == 0x1FF and low + 1 == 0 and least + mantissa < least:
            return -1.0
    top: cython.int = high >> 63
    kept: cython.ulonglong = high >> (top + 9)  # 54 bits, the last one for rounding
    if low == 0 and high & 0x1FF == 0 and kept & 3 == 1:
        return -1.0
    kept = (kept + (kept & 1)) >> 1
    # 217706 / 2^16 is log2(10), near enough for these exponents
    binary: cython.longlong = ((217706 * exponent) >> 16) + 64 + 1023 - zeros - (1 - top)
    if kept >> 53 != 0:
        kept >>= 1
        binary += 1
    if binary <= 0 or binary >= 0x7FF:
        return -1.0
    bits: Bits
    bits.pattern = (cython.cast(cython.ulonglong, binary) << 52) | (
        kept & cython.cast(cython.ulonglong, 0xFFFFFFFFFFFFF)
    )
    return bits.number


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def by_python(token: Text, after: Text) -> cython.double:
    """What Python's float() makes of the token, without its sign."""
    size: cython.Py_ssize_t = after - token
    value: cython.double = INFINITY
    copy: cython.p_char = cython.cast(cython.p_char, malloc(size + 1))
    if copy == cython.NULL:
        return value
    memcpy(copy, token, size)
    copy[size] = 0
    with cython.gil:
        value = string_to_double(copy, cython.NULL, cython.NULL)
        if PyErr_Occurred() != cython.NULL:  # no memory
            PyErr_Clear()
            value = INFINITY
    free(copy)
    return fabs(value)


def nearest(token: Text, after: Text, mantissa: cython.ulonglong, exponent: cython.longlong, digits: cython.Py_ssize_t):
    """The double nearest to the number that the token writes, without its sign; infinity beyond the largest.

    mantissa 10^exponent is that number if it has 19 digits at most.  If not, the first 19 that count are taken: where
    they, and the same plus one, have the same nearest double, so has all that lies between.
    """
    whole: cython.bint = True
    p: Text
    if digits > 19:
        p = token
        while p[0] == 43 or p[0] == 45 or p[0] == 46 or p[0] == 48:  # + - . 0
            digits -= p[0] == 48
            p += 1
            if digits == 0:
                return 0.0
        if digits > 19:
            whole = False
            exponent += digits - 19
            digits = 19
            mantissa = 0
            while digits > 0:
                if p[0] != 46:
                    mantissa = mantissa * 10 + (p[0] - 48)
                    digits -= 1
                p += 1
    if mantissa == 0 or exponent < -343:  # 10^19 10^-344 is less than half the least subnormal
        return 0.0
    value: cython.double = scaled(mantissa, exponent)
    if value < 0 or (not whole and scaled(mantissa + 1, exponent) != value):
        return by_python(token, after)
    return value


def read_numbers(
    text: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
):
    """The numbers in text[starts[i]:stops[i]], and for each whether it is one: 0, or what is wrong as in Fault."""
    n: cython.Py_ssize_t = starts.shape[0]
    size: cython.Py_ssize_t = text.shape[0]
    if stops.shape[0] != n:
        raise ValueError(f"{n} starts but {stops.shape[0]} stops")
    values = np.zeros(n)
    faults = np.full(n, int(Fault.NOT_A_NUMBER), dtype=np.uint8)
    if n == 0 or size == 0:
        return values, faults
    into: cython.double[::1] = values
    wrong: cython.uchar[::1] = faults
    base: Text = cython.address(text[0])
    found: Number
    i: cython.Py_ssize_t
    outside: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(n):
            if starts[i] < 0 or stops[i] < starts[i] or stops[i] > size:
                outside += 1
                continue
            found = read_number(base + starts[i], base + stops[i])
            if found.fault == Fault.NONE and found.after != base + stops[i]:
                found.fault = Fault.NOT_A_NUMBER
            wrong[i] = found.fault
            into[i] = found.value if found.fault == Fault.NONE else 0.0
    if outside:
        raise ValueError(f"{outside} of the {n} ranges do not lie within the {size} bytes of text")
    return values, faults
