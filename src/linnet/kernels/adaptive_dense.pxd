# Dense rows of an adaptive learner with one output, four columns at a time.  A record has four numbers then (adaptive.pxd):
# 1 / s, the shrinking paid so far, the weight, and the sum of squared gradients.  All operations are those of IEEE 754, one
# by one, and lane k of a sum gets what the loops of adaptive.pxd add to their k-th, so that the bits are the same.

cdef extern from *:
    """
    #if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
    #define LINNET_FOUR_COLUMNS
    #include <immintrin.h>

    #define LINNET_OF_EACH(record, at) _mm256_set_pd(record[12 + at], record[8 + at], record[4 + at], record[at])

    __attribute__((target("avx2")))
    static Py_ssize_t linnet_score_four(
        const double* values, const double* record, Py_ssize_t n, double* sums, double* lengths) {
        const __m256d zero = _mm256_setzero_pd(), one = _mm256_set1_pd(1.0), sign = _mm256_set1_pd(-0.0);
        __m256d sum = _mm256_loadu_pd(sums), length = _mm256_loadu_pd(lengths);
        Py_ssize_t k = 0;
        for (; k + 4 <= n; k += 4, record += 16) {
            __m256d x = _mm256_mul_pd(_mm256_loadu_pd(values + k), LINNET_OF_EACH(record, 0));
            __m256d known = _mm256_cmp_pd(_mm256_andnot_pd(sign, x), one, _CMP_LE_OQ);
            if (_mm256_movemask_pd(_mm256_and_pd(known, _mm256_cmp_pd(x, zero, _CMP_NEQ_OQ))) != 15)
                break;
            sum = _mm256_add_pd(sum, _mm256_mul_pd(x, LINNET_OF_EACH(record, 2)));
            length = _mm256_add_pd(length, _mm256_mul_pd(x, x));
        }
        _mm256_storeu_pd(sums, sum);
        _mm256_storeu_pd(lengths, length);
        return k;
    }

    __attribute__((target("avx2")))
    static Py_ssize_t linnet_reach_four(
        const double* values, double* record, Py_ssize_t n, double pull, double* directions, double* sums) {
        const __m256d zero = _mm256_setzero_pd(), pulls = _mm256_set1_pd(pull);
        __m256d sum = _mm256_loadu_pd(sums);
        Py_ssize_t k = 0;
        for (; k + 4 <= n; k += 4, record += 16) {
            __m256d x = _mm256_mul_pd(_mm256_loadu_pd(values + k), LINNET_OF_EACH(record, 0));
            if (_mm256_movemask_pd(_mm256_cmp_pd(x, zero, _CMP_EQ_OQ)))
                break;
            __m256d g = _mm256_mul_pd(pulls, x);
            __m256d squares = _mm256_add_pd(LINNET_OF_EACH(record, 3), _mm256_mul_pd(g, g));
            __m256d direction = _mm256_div_pd(x, _mm256_sqrt_pd(squares));
            direction = _mm256_and_pd(direction, _mm256_cmp_pd(squares, zero, _CMP_GT_OQ));
            sum = _mm256_add_pd(sum, _mm256_mul_pd(x, direction));
            _mm256_storeu_pd(directions + k, direction);
            __m128d low = _mm256_castpd256_pd128(squares), high = _mm256_extractf128_pd(squares, 1);
            _mm_storel_pd(record + 3, low);
            _mm_storeh_pd(record + 7, low);
            _mm_storel_pd(record + 11, high);
            _mm_storeh_pd(record + 15, high);
        }
        _mm256_storeu_pd(sums, sum);
        return k;
    }
    #endif

    static inline Py_ssize_t linnet_score_columns(
        const double* values, const double* record, Py_ssize_t n, double* sums, double* lengths) {
    #ifdef LINNET_FOUR_COLUMNS
        if (n >= 4 && __builtin_cpu_supports("avx2"))
            return linnet_score_four(values, record, n, sums, lengths);
    #endif
        return 0;
    }

    static inline Py_ssize_t linnet_reach_columns(
        const double* values, double* record, Py_ssize_t n, double pull, double* directions, double* sums) {
    #ifdef LINNET_FOUR_COLUMNS
        if (n >= 4 && __builtin_cpu_supports("avx2"))
            return linnet_reach_four(values, record, n, pull, directions, sums);
    #endif
        return 0;
    }
    """
    # The four sums of x_j w_j and of x_j^2, over columns up to four with a 0 or an entry that is larger than any before;
    # returns how many they are, none where the processor cannot.
    Py_ssize_t score_columns "linnet_score_columns"(
        const double* values, const double* record, Py_ssize_t n, double* sums, double* lengths
    ) noexcept nogil

    # Likewise, up to four with a 0: squared gradients are added to the records, the directions x_j / sqrt(sum of g_j^2)
    # are kept, and added up times x_j.
    Py_ssize_t reach_columns "linnet_reach_columns"(
        const double* values, double* record, Py_ssize_t n, double pull, double* directions, double* sums
    ) noexcept nogil
