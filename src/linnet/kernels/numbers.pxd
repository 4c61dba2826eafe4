# The C declarations of numbers.py.  What runs for every number is here with its body, so that it is compiled into the loop
# of the kernel that calls it.  What is rare, `nearest`, is a call.

from cpython.ref cimport PyObject
from libc.string cimport memcpy

cdef extern from *:
    """
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define LINNET_FIRST_LOWEST(word) __builtin_bswap64(word)
    #else
    #define LINNET_FIRST_LOWEST(word) (word)
    #endif
    #define LINNET_ZEROS_BELOW(word) __builtin_ctzll(word)

    /* 10^0 to 10^22 are doubles without rounding. */
    static const double linnet_tens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
        1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    static const unsigned int linnet_small_tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

    #define LINNET_ZEROS_ABOVE(word) __builtin_clzll(word)
    static inline unsigned long long linnet_multiply(
        unsigned long long a, unsigned long long b, unsigned long long *low) {
        unsigned __int128 product = (unsigned __int128)a * b;
        *low = (unsigned long long)product;
        return (unsigned long long)(product >> 64);
    }
    """
    unsigned long long first_lowest "LINNET_FIRST_LOWEST"(unsigned long long word) noexcept nogil
    int zeros_below "LINNET_ZEROS_BELOW"(unsigned long long word) noexcept nogil
    int zeros_above "LINNET_ZEROS_ABOVE"(unsigned long long word) noexcept nogil
    unsigned long long multiply "linnet_multiply"(
        unsigned long long a, unsigned long long b, unsigned long long* low) noexcept nogil
    const double* TENS "linnet_tens"
    const unsigned int* SMALL_TENS "linnet_small_tens"

cdef extern from "Python.h":
    double string_to_double "PyOS_string_to_double"(const char* text, char** after, PyObject* overflow) noexcept

ctypedef const unsigned char* Text

cpdef enum Fault:
    NONE = 0
    NOT_A_NUMBER = 1  # no digit where there should be one
    TOO_LARGE = 2  # beyond the largest double

cdef struct Number:
    double value
    Text after  # the first byte that is not part of the number
    int fault

cdef double nearest(Text token, Text after, unsigned long long mantissa, long long exponent, Py_ssize_t digits) noexcept nogil

cdef inline unsigned char peek(Text p, Text end) noexcept nogil:
    """The byte at p, or the end of a line where there is none."""
    return p[0] if p < end else c'\n'

cdef inline unsigned long long eight_bytes(Text p, Text end) noexcept nogil:
    """The eight bytes from p, the first one lowest; zeros for those at and after the end."""
    cdef unsigned long long word = 0
    memcpy(&word, p, 8 if end - p >= 8 else end - p)
    return first_lowest(word)

cdef inline unsigned long long eight_digits(unsigned long long word) noexcept nogil:
    """The number that eight bytes of 0 to 9 write, the first one lowest: pairs, then fours, then all together."""
    word = word * 10 + (word >> 8)
    return (
        (word & 0x000000FF000000FFull) * 0x000F424000000064ull
        + ((word >> 16) & 0x000000FF000000FFull) * 0x0000271000000001ull
    ) >> 32

cdef inline Text read_digits(Text p, Text end, unsigned long long* number) noexcept nogil:
    """Append the digits from p on to the number (modulo 2^64) and find where they end, eight at a time.

    How many of eight bytes are digits is computed, not branched on: lengths vary, and a wrong guess costs more.
    """
    cdef unsigned long long word, others
    cdef int count
    while True:
        word = eight_bytes(p, end) ^ 0x3030303030303030ull
        others = ((word + 0x7676767676767676ull) | word) & 0x8080808080808080ull  # lowest bit set: first non-digit
        if others != 0:
            break
        number[0] = number[0] * 100000000u + eight_digits(word)
        p += 8
    count = zeros_below(others) >> 3
    number[0] = number[0] * SMALL_TENS[count] + eight_digits((word << 8) << (56 - 8 * count))
    return p + count

cdef inline Text read_exponent(Text p, Text end, long long* exponent) noexcept nogil:
    """Add what `e-12` at p says to the exponent; p itself if no digit follows the e."""
    cdef Text digits = p + 1
    cdef Text after
    cdef long long size = 0
    cdef bint negative = peek(digits, end) == c'-'
    if negative or peek(digits, end) == c'+':
        digits += 1
    after = digits
    while c'0' <= peek(after, end) <= c'9':
        if size < 10000000000000000ll:  # past every length of text: more changes nothing
            size = size * 10 + (after[0] - c'0')
        after += 1
    if after == digits:
        return p
    exponent[0] += -size if negative else size
    return after

cdef inline Number read_number(Text p, Text end) noexcept nogil:
    """The number that starts at p, to the nearest double: [+-] digits [. digits] [e [+-] digits], a digit at least.

    It ends where that ends: the caller decides whether what follows may follow.  Nothing at or after `end` is read.
    """
    cdef Number found
    cdef Text token = p
    cdef Text start
    cdef unsigned long long mantissa = 0
    cdef long long exponent = 0
    cdef Py_ssize_t digits
    cdef bint negative = peek(p, end) == c'-'
    if negative or peek(p, end) == c'+':
        p += 1
    start = p
    # one digit before the point is the most frequent case
    if c'0' <= peek(p, end) <= c'9':
        mantissa = p[0] - c'0'
        p += 1
        if c'0' <= peek(p, end) <= c'9':
            p = read_digits(p, end, &mantissa)
    digits = p - start
    if peek(p, end) == c'.':
        start = p + 1
        p = read_digits(start, end, &mantissa)
        exponent = start - p
        digits += p - start
    found.fault = Fault.NONE
    found.after = p
    found.value = 0.0
    if digits == 0:
        found.fault = Fault.NOT_A_NUMBER
        return found
    if peek(p, end) | 0x20 == c'e':
        found.after = read_exponent(p, end, &exponent)
    # Clinger 1990: a whole number below 2^53 and a power of ten up to 10^22 are exact, so one rounding is the nearest.
    if digits <= 19 and mantissa <= 9007199254740992ull and -22 <= exponent <= 22:
        found.value = <double><long long>mantissa
        if exponent < 0:
            found.value /= TENS[-exponent]
        else:
            found.value *= TENS[exponent]
    else:
        found.value = nearest(token, found.after, mantissa, exponent, digits)
        if found.value > 1.7976931348623157e308:
            found.fault = Fault.TOO_LARGE
    if negative:
        found.value = -found.value
    return found
