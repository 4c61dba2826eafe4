# What the tokenizers share.

cdef extern from *:
    """
    #define LINNET_TRAILING_ZEROS(bits) __builtin_ctzll(bits)
    """
    int trailing_zeros "LINNET_TRAILING_ZEROS"(unsigned long long bits) noexcept nogil

# Spread a hash over all its bits (Stafford 2011, the finisher of SplitMix).
cdef inline unsigned long long finish(unsigned long long h) noexcept nogil:
    h = (h ^ (h >> 30)) * <unsigned long long>0xBF58476D1CE4E5B9ULL
    h = (h ^ (h >> 27)) * <unsigned long long>0x94D049BB133111EBULL
    return h ^ (h >> 31)
