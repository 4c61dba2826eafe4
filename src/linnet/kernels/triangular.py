"""Systems of equations with a triangular table: what NumPy has no routine for, and SciPy takes long to load for."""

import cython


@cython.cdivision(True)
def solve_factored(lower: cython.const[cython.double][:, ::1], x: cython.double[::1]):
    """x = (L L')^-1 x, in place, by substitution forward and back."""
    n: cython.Py_ssize_t = x.shape[0]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    amount: cython.double
    s0: cython.double
    s1: cython.double
    s2: cython.double
    s3: cython.double
    with cython.nogil:
        for i in range(n):
            s0 = s1 = s2 = s3 = 0.0  # four sums, as in rows.pxd
            j = 0
            while j + 4 <= i:
                s0 += lower[i, j] * x[j]
                s1 += lower[i, j + 1] * x[j + 1]
                s2 += lower[i, j + 2] * x[j + 2]
                s3 += lower[i, j + 3] * x[j + 3]
                j += 4
            while j < i:
                s0 += lower[i, j] * x[j]
                j += 1
            x[i] = (x[i] - ((s0 + s1) + (s2 + s3))) / lower[i, i]
        for i in range(n - 1, -1, -1):
            x[i] /= lower[i, i]
            amount = x[i]
            for j in range(i):
                x[j] -= amount * lower[i, j]
