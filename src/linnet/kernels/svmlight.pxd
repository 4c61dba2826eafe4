# What svmlight.py and svmlight_errors.py share: errors by code, a row while it is read, and where tokens and lines end.

from libc.string cimport memchr, memcpy

from linnet.kernels.numbers cimport Text, eight_digits, first_lowest, peek, peek

cdef extern from *:
    """
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif
    #include <string.h>
    static inline unsigned long long linnet_not_digits(const unsigned char* p) {
        unsigned long long bits = 0;
        int k;
    #if defined(__SSE2__)
        for (k = 0; k < 4; k++) {  /* '0' to '9' moved to the 10 least of all signed bytes */
            __m128i moved = _mm_add_epi8(_mm_loadu_si128((const __m128i*)(p + 16 * k)), _mm_set1_epi8(-128 - '0'));
            __m128i digits = _mm_cmplt_epi8(moved, _mm_set1_epi8(-118));
            bits |= (unsigned long long)(unsigned short)~_mm_movemask_epi8(digits) << (16 * k);
        }
    #else
        for (k = 0; k < 64; k++) bits |= (unsigned long long)((unsigned char)(p[k] - '0') > 9) << k;
    #endif
        return bits;
    }
    """
    # A bit for each of the 64 bytes from p on that is not a digit, the first byte's lowest.
    unsigned long long not_digits "linnet_not_digits"(Text p) noexcept nogil

cdef inline unsigned long long digits_at(Text p, Py_ssize_t count) noexcept nogil:
    """The number that 1 to 8 digits write; eight bytes can be read from p on."""
    cdef unsigned long long word
    memcpy(&word, p, 8)
    return eight_digits((first_lowest(word) ^ 0x3030303030303030ull) << (64 - 8 * count))

cpdef enum Wrong:
    NOTHING = 0
    LABEL = 1
    SEVERAL_LABELS = 2
    QID = 3
    ID = 4
    ID_TOO_LARGE = 5
    NO_COLON = 6
    NO_VALUE = 7
    VALUE = 8
    NOT_FINITE = 9
    TOO_LARGE = 10
    DUPLICATE = 11
    NUL = 12
    NOT_UTF8 = 13

cdef struct Row:
    double target
    Py_ssize_t entries
    Text at  # where the row ends, or where it is wrong
    int wrong
    bint filled  # false for a line that is blank or only a comment
    bint rising

cdef struct Entries:
    Py_ssize_t count  # in the arrays so far
    long long previous  # the last id
    bint rising


cdef inline bint ends_line(Text p, Text end) noexcept nogil:
    """Whether p is at the end of a line's content: LF, CRLF, a comment, the end of the text."""
    cdef unsigned char c = peek(p, end)
    return c == 10 or c == 35 or (c == 13 and peek(p + 1, end) == 10)


cdef inline bint ends_token(Text p, Text end) noexcept nogil:
    cdef unsigned char c = peek(p, end)
    return c == 32 or c == 9 or ends_line(p, end)


cdef inline Text after_blanks(Text p, Text end) noexcept nogil:
    while peek(p, end) == 32 or peek(p, end) == 9:
        p += 1
    return p


cdef inline Text line_end(Text p, Text end) noexcept nogil:
    """Where the next LF is, or the end."""
    if p >= end:
        return end
    cdef Text found = <Text>memchr(p, 10, end - p)
    return end if found == NULL else found
