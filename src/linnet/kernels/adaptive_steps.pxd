# The steps of adaptive learners, rate g / sqrt(s), several at a time: a root and a division take as long for four numbers
# as for one.  All operations are those of IEEE 754, one by one, so that wider registers give the same bits.

cdef extern from *:
    """
    #include <math.h>

    #if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
    #define LINNET_FOUR_STEPS
    #include <immintrin.h>

    __attribute__((target("avx2")))
    static Py_ssize_t linnet_four_steps(double rate, const double* g, const double* s, double* into, Py_ssize_t n) {
        Py_ssize_t k = 0;
        for (; k + 4 <= n; k += 4) {
            __m256d sum = _mm256_loadu_pd(s + k);
            __m256d step = _mm256_div_pd(_mm256_mul_pd(_mm256_set1_pd(rate), _mm256_loadu_pd(g + k)), _mm256_sqrt_pd(sum));
            _mm256_storeu_pd(into + k, _mm256_and_pd(step, _mm256_cmp_pd(sum, _mm256_setzero_pd(), _CMP_GT_OQ)));
        }
        return k;
    }

    __attribute__((target("avx2")))
    static Py_ssize_t linnet_step_four(
        double* w, double* s, const double* pulls, Py_ssize_t n, double x, double inverse, double rate) {
        Py_ssize_t k = 0;
        for (; k + 4 <= n; k += 4) {
            __m256d g = _mm256_mul_pd(_mm256_mul_pd(_mm256_loadu_pd(pulls + k), _mm256_set1_pd(x)), _mm256_set1_pd(inverse));
            __m256d sum = _mm256_add_pd(_mm256_loadu_pd(s + k), _mm256_mul_pd(g, g));
            __m256d step = _mm256_div_pd(_mm256_mul_pd(_mm256_set1_pd(rate), g), _mm256_sqrt_pd(sum));
            step = _mm256_and_pd(step, _mm256_cmp_pd(sum, _mm256_setzero_pd(), _CMP_GT_OQ));
            _mm256_storeu_pd(s + k, sum);
            _mm256_storeu_pd(w + k, _mm256_add_pd(_mm256_loadu_pd(w + k), step));
        }
        return k;
    }
    #endif

    #if defined(__SSE2__) || defined(_M_X64)
    #include <emmintrin.h>
    static inline double linnet_root(double s) {  /* of the C library it would be a call, for errno */
        return _mm_cvtsd_f64(_mm_sqrt_pd(_mm_set1_pd(s)));
    }
    #else
    static inline double linnet_root(double s) { return sqrt(s); }
    #endif

    static inline void linnet_steps(double rate, const double* g, const double* s, double* into, Py_ssize_t n) {
        Py_ssize_t k = 0;
    #ifdef LINNET_FOUR_STEPS
        if (n >= 4 && __builtin_cpu_supports("avx2"))
            k = linnet_four_steps(rate, g, s, into, n);
    #endif
    #if defined(__SSE2__) || defined(_M_X64)
        for (; k + 2 <= n; k += 2) {
            __m128d sum = _mm_loadu_pd(s + k);
            __m128d step = _mm_div_pd(_mm_mul_pd(_mm_set1_pd(rate), _mm_loadu_pd(g + k)), _mm_sqrt_pd(sum));
            _mm_storeu_pd(into + k, _mm_and_pd(step, _mm_cmpgt_pd(sum, _mm_setzero_pd())));
        }
    #endif
        for (; k < n; k++)
            into[k] = s[k] > 0 ? rate * g[k] / linnet_root(s[k]) : 0.0;
    }

    static inline void linnet_step_each(
        double* w, double* s, const double* pulls, Py_ssize_t n, double x, double inverse, double rate) {
        Py_ssize_t k = 0;
    #ifdef LINNET_FOUR_STEPS
        if (n >= 4 && __builtin_cpu_supports("avx2"))
            k = linnet_step_four(w, s, pulls, n, x, inverse, rate);
    #endif
    #if defined(__SSE2__) || defined(_M_X64)
        for (; k + 2 <= n; k += 2) {
            __m128d g = _mm_mul_pd(_mm_mul_pd(_mm_loadu_pd(pulls + k), _mm_set1_pd(x)), _mm_set1_pd(inverse));
            __m128d sum = _mm_add_pd(_mm_loadu_pd(s + k), _mm_mul_pd(g, g));
            __m128d step = _mm_div_pd(_mm_mul_pd(_mm_set1_pd(rate), g), _mm_sqrt_pd(sum));
            step = _mm_and_pd(step, _mm_cmpgt_pd(sum, _mm_setzero_pd()));
            _mm_storeu_pd(s + k, sum);
            _mm_storeu_pd(w + k, _mm_add_pd(_mm_loadu_pd(w + k), step));
        }
    #endif
        for (; k < n; k++) {
            double g = pulls[k] * x * inverse;
            s[k] += g * g;
            w[k] += s[k] > 0 ? rate * g / linnet_root(s[k]) : 0.0;
        }
    }
    """
    # into_k = rate g_k / sqrt(s_k); 0 where the sum s_k is still 0, for g_k^2 may underflow.
    void steps "linnet_steps"(double rate, const double* g, const double* s, double* into, Py_ssize_t n) noexcept nogil

    # s_k += g_k^2 and w_k += its step, where g_k = pull_k x inverse.
    void step_each "linnet_step_each"(
        double* w, double* s, const double* pulls, Py_ssize_t n, double x, double inverse, double rate
    ) noexcept nogil
