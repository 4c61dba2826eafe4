# What words.py takes from the compiler.

cdef extern from *:
    """
    #define LINNET_TRAILING_ZEROS(bits) __builtin_ctzll(bits)
    """
    int trailing_zeros "LINNET_TRAILING_ZEROS"(unsigned long long bits) noexcept nogil
