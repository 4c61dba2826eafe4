# The C declarations of packed_numbers.py: the loops that run for every number of a large table.
#
# m / 10^k, rounded to the nearest double, without a division.  With 1 / 10^k = high + low, where high has 22 bits, m high
# is exact for |m| < 2^31, and m low is off by less than 2^-73 of the quotient.  That changes no rounding for k <= 5: the
# quotient is no midpoint of two doubles, for those have 54 bits, and differs from one by 1 / (10^k 2^54) of it at least,
# which is more than 2^-71.
#
# All operations are those of IEEE 754, one by one, so that wider registers give the same bits.

cdef extern from *:
    """
    #include <stddef.h>
    #include <math.h>

    #if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) \\
        && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    #define LINNET_WIDE __attribute__((target_clones("avx2", "default")))
    #else
    #define LINNET_WIDE
    #endif

    #define LINNET_EXACT_DECIMALS 5
    #define LINNET_MISSING (-2147483647 - 1)

    static const double linnet_high[] = {0x1p+0, 0x1.999998p-4, 0x1.47ae1p-7, 0x1.0624d8p-10, 0x1.a36e28p-14, 0x1.4f8b58p-17};
    static const double linnet_low[] = {0.0, 0x1.999999999999ap-28, 0x1.1eb851eb851ecp-29, 0x1.4bc6a7ef9db23p-32,
        0x1.ac710cb295e9ep-36, 0x1.1c6d1e108c3f4p-42};

    /* Rows of integers to doubles, (m / 10^k - centre) / unit; 0 once a number is missing. */
    LINNET_WIDE static int linnet_unpack(
        const int *narrow, ptrdiff_t d, const long long *which, ptrdiff_t first, ptrdiff_t rows,
        const double *high, const double *low, const double *centre, const double *unit, double *into) {
        ptrdiff_t i, j;
        for (i = 0; i < rows; i++) {
            const int *whole = narrow + (which ? (ptrdiff_t)which[i] : first + i) * d;
            double *line = into + i * d;
            int missing = 0;
            if (which && i + 12 < rows) {
                const char *ahead = (const char *)(narrow + (ptrdiff_t)which[i + 12] * d);
                for (j = 0; j < 4 * d; j += 64) __builtin_prefetch(ahead + j);
            }
            for (j = 0; j < d; j++) missing |= whole[j] == LINNET_MISSING;
            if (missing) return 0;
            for (j = 0; j < d; j++) {
                double m = whole[j];
                line[j] = ((m * high[j] + m * low[j]) - centre[j]) / unit[j];
            }
        }
        return 1;
    }

    /* Numbers of few decimals to integers; 0 if one is not m / 10^k, or missing. */
    LINNET_WIDE static int linnet_pack(
        const double *x, ptrdiff_t n, double ten, double high, double low, int *whole, int *least, int *largest) {
        ptrdiff_t i;
        int wrong = 0, smallest, greatest;
        for (i = 0; i < n; i++) {
            /* adding 2^52 + 2^51 leaves no digit behind the point of a number that is not large */
            double m = (x[i] * ten + 6755399441055744.0) - 6755399441055744.0;
            int fits = (fabs(m) <= 2147483647.0) & (m * high + m * low == x[i]);
            whole[i] = (int)(fits ? m : 0.0);
            wrong |= !fits;
        }
        if (wrong) return 0;
        smallest = *least;
        greatest = *largest;
        for (i = 0; i < n; i++) {
            smallest = whole[i] < smallest ? whole[i] : smallest;
            greatest = whole[i] > greatest ? whole[i] : greatest;
        }
        *least = smallest;
        *largest = greatest;
        return 1;
    }
    """
    enum:
        EXACT_DECIMALS "LINNET_EXACT_DECIMALS"
    const double* HIGH "linnet_high"
    const double* LOW "linnet_low"
    bint unpack_rows "linnet_unpack"(
        const int* narrow, Py_ssize_t d, const long long* which, Py_ssize_t first, Py_ssize_t rows,
        const double* high, const double* low, const double* centre, const double* unit, double* into) noexcept nogil
    bint pack_run "linnet_pack"(
        const double* x, Py_ssize_t n, double ten, double high, double low, int* whole, int* least, int* largest
    ) noexcept nogil
