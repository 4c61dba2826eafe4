# The C declarations of column_squares.py: the loop that runs for every pair of columns in every row.
#
# All operations are those of IEEE 754, one by one, so that wider registers give the same bits.

cdef extern from *:
    """
    #include <stddef.h>

    #if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) \\
        && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    #define LINNET_WIDE __attribute__((target_clones("avx2", "default")))
    #else
    #define LINNET_WIDE
    #endif

    #if defined(__GNUC__) || defined(__clang__)
    typedef double linnet_four __attribute__((vector_size(32), aligned(8), may_alias));
    #define LINNET_TIMES(s, factor, v) ((s) += (factor) * (v))
    #else
    typedef struct { double at[4]; } linnet_four;
    static inline void linnet_times(linnet_four *s, double factor, linnet_four v) {
        int l;
        for (l = 0; l < 4; l++) s->at[l] += factor * v.at[l];
    }
    #define LINNET_TIMES(s, factor, v) linnet_times(&(s), factor, v)
    #endif

    static const linnet_four linnet_none;

    /* Sums of four columns times 4 N columns: they stay in registers over all rows. */
    #define LINNET_TILE(N) {                                                                                    \\
        linnet_four sums[4][N];                                                                                 \\
        const double *left = weighted + j, *right = rows + k;                                                   \\
        for (a = 0; a < 4; a++)                                                                                 \\
            for (l = 0; l < N; l++) sums[a][l] = linnet_none;                                                  \\
        for (i = 0; i < n; i++, left += width, right += width) {                                                \\
            linnet_four these[N];                                                                               \\
            for (l = 0; l < N; l++) these[l] = *(const linnet_four *)(right + 4 * l);                           \\
            for (a = 0; a < 4; a++)                                                                             \\
                for (l = 0; l < N; l++) LINNET_TIMES(sums[a][l], left[a], these[l]);                            \\
        }                                                                                                       \\
        for (a = 0; a < 4; a++)                                                                                 \\
            for (l = 0; l < N; l++)                                                                             \\
                LINNET_TIMES(*(linnet_four *)(into + (j + a) * width + k + 4 * l), 1.0, sums[a][l]);            \\
    }

    /* Adds the products of n rows and weighted rows, both of `width` numbers, a multiple of 4, to the upper triangle. */
    LINNET_WIDE static void linnet_add_products(
        const double *rows, const double *weighted, ptrdiff_t n, ptrdiff_t width, double *into) {
        ptrdiff_t i, j, k;
        int a, l;
        for (j = 0; j < width; j += 4) {
            for (k = j; k + 12 <= width; k += 12) LINNET_TILE(3)
            if (k + 8 <= width) {
                LINNET_TILE(2)
                k += 8;
            }
            if (k + 4 <= width) LINNET_TILE(1)
        }
    }

    /* Adds the products of n rows and weighted rows of 12 other columns each, to a table of 12 times 12. */
    LINNET_WIDE static void linnet_add_panels(
        const double *rows, const double *weighted, ptrdiff_t n, double *into) {
        const ptrdiff_t width = 12, k = 0;
        ptrdiff_t i, j;
        int a, l;
        for (j = 0; j < 12; j += 4) LINNET_TILE(3)
    }
    """
    void add_products "linnet_add_products"(
        const double* rows, const double* weighted, Py_ssize_t n, Py_ssize_t width, double* into) noexcept nogil
    void add_panels "linnet_add_panels"(
        const double* rows, const double* weighted, Py_ssize_t n, double* into) noexcept nogil
