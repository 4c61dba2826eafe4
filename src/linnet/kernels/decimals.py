"""Probabilities as text of six digits, as Python's f"{p:.6g}" has it."""

import cython
from cython.cimports.libc.math import fabs, floor
from cython.cimports.linnet.kernels.numbers import TENS


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def six_digits_of(p: cython.double, exponent: cython.p_int) -> cython.longlong:
    """The six digits of p, 0 < p < 1, whose first one counts 10^exponent; 0 where they are not certain.

    p 10^k is off by less than a millionth, so that its nearest integer is that of the exact product, unless it lies
    about halfway between two.
    """
    power: cython.int = 1
    while power <= 17 and p * TENS[power] < 1.0:
        power += 1
    if power > 17:
        return 0
    large: cython.double = p * TENS[power + 5]
    whole: cython.double = floor(large)
    if fabs(large - whole - 0.5) < 1e-3 or whole < 100000.0 or whole > 999998.0:
        return 0
    exponent[0] = -power
    return cython.cast(cython.longlong, whole) + (large - whole > 0.5)


def six_digits(values: cython.const[cython.double][::1]):
    """The text of each number, which is quicker to find for those between 0 and 1; nothing for NaN."""
    found = []
    text: cython.char[32]
    i: cython.Py_ssize_t
    at: cython.int
    exponent: cython.int = 0
    digits: cython.longlong
    size: cython.int
    length: cython.int
    for i in range(values.shape[0]):
        digits = six_digits_of(values[i], cython.address(exponent)) if 0.0 < values[i] < 1.0 else 0
        if digits == 0:
            found.append(f"{values[i]:.6g}" if values[i] == values[i] else "")
            continue
        size = 6
        while digits % 10 == 0:
            digits //= 10
            size -= 1
        if exponent >= -4:  # 0.00ddd
            length = 1 - exponent + size
            text[0] = 48
            text[1] = 46
            for at in range(2, 1 - exponent):
                text[at] = 48
            for at in range(length - 1, length - 1 - size, -1):
                text[at] = 48 + digits % 10
                digits //= 10
        else:  # d.dde-05
            length = size + 1 if size > 1 else 1
            for at in range(length - 1, 1, -1):
                text[at] = 48 + digits % 10
                digits //= 10
            text[1] = 46
            text[0] = 48 + digits
            text[length] = 101
            text[length + 1] = 45
            text[length + 2] = 48 + (-exponent) // 10
            text[length + 3] = 48 + (-exponent) % 10
            length += 4
        found.append(text[:length].decode("ascii"))
    return found
