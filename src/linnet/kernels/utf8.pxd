# One character of UTF-8 (RFC 3629): with its body, so that it is compiled into the loops of the kernels that read text.

# The code point at p, of which `left` bytes follow, and how many bytes it has; -1 where they are not UTF-8.
cdef inline int decode(const unsigned char* p, Py_ssize_t left, Py_ssize_t* length) noexcept nogil:
    cdef int first = p[0]
    cdef Py_ssize_t need
    cdef int least
    cdef int point
    cdef Py_ssize_t k
    if first < 0x80:
        length[0] = 1
        return first
    if 0xC2 <= first < 0xE0:
        need = 2
        least = 0x80
        point = first & 0x1F
    elif 0xE0 <= first < 0xF0:
        need = 3
        least = 0x800
        point = first & 0x0F
    elif 0xF0 <= first < 0xF5:
        need = 4
        least = 0x10000
        point = first & 0x07
    else:
        return -1
    if need > left:
        return -1
    for k in range(1, need):
        if p[k] & 0xC0 != 0x80:
            return -1
        point = (point << 6) | (p[k] & 0x3F)
    if point < least or point > 0x10FFFF or 0xD800 <= point < 0xE000:
        return -1
    length[0] = need
    return point


cdef inline Py_ssize_t encode(int point, unsigned char[::1] into, Py_ssize_t at) noexcept nogil:
    """Write a code point as UTF-8, and return the offset after it."""
    if point < 0x80:
        into[at] = point
        return at + 1
    if point < 0x800:
        into[at] = 0xC0 | (point >> 6)
        into[at + 1] = 0x80 | (point & 0x3F)
        return at + 2
    if point < 0x10000:
        into[at] = 0xE0 | (point >> 12)
        into[at + 1] = 0x80 | ((point >> 6) & 0x3F)
        into[at + 2] = 0x80 | (point & 0x3F)
        return at + 3
    into[at] = 0xF0 | (point >> 18)
    into[at + 1] = 0x80 | ((point >> 12) & 0x3F)
    into[at + 2] = 0x80 | ((point >> 6) & 0x3F)
    into[at + 3] = 0x80 | (point & 0x3F)
    return at + 4
