"""The squares and products of few dense columns, over all rows: BLAS, made for many columns, takes twice as long.

For rows u_i = ((x_i, y_i) - m, 1), with the y_i some more columns and m what is taken off,

    sum_i c_i u_i u_i'

in the upper triangle of a table.  The last column of u makes the sums of the others.  Every sum is added up in row
order, 32 rows and then those sums, in double precision, whatever the type of the x.
"""

import cython
from cython.cimports.linnet.kernels.column_squares import add_products
from cython.cimports.linnet.kernels.rows import value_t

# The most columns of u; and how many rows are added up together, which stay in the nearest cache.
MOST_COLUMNS, ROWS_AT_ONCE = 64, 32
MOST = cython.declare(cython.Py_ssize_t, 64)


def padded(columns: int) -> int:
    """How wide the table of so many columns is: room for some more, which stay 0."""
    return -(-columns // 4) * 4


def add_squares(
    x: cython.const[value_t][:, ::1],
    y: cython.const[cython.double][:, ::1],
    off: cython.const[cython.double][::1],
    weights: cython.const[cython.double][::1],
    into: cython.double[:, ::1],
):
    """Adds the sum to the upper triangle of `into`; no `off` is 0, no weights are 1."""
    n: cython.Py_ssize_t = x.shape[0]
    d: cython.Py_ssize_t = x.shape[1]
    more: cython.Py_ssize_t = y.shape[1]
    width: cython.Py_ssize_t = into.shape[0]
    weighted: cython.bint = weights.shape[0] > 0
    if width % 4 or width > MOST or into.shape[1] != width or width < d + more + 1:
        raise ValueError("the table does not fit the columns")
    if y.shape[0] != n or off.shape[0] not in (0, d + more) or weights.shape[0] not in (0, n):
        raise ValueError("the arrays do not fit the rows")
    rows: cython.double[2048]
    times: cython.double[2048]
    line: cython.p_double
    left: cython.p_double
    first: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    these: cython.Py_ssize_t
    with cython.nogil:
        for i in range(32):
            for j in range(width):
                rows[i * width + j] = 0.0
            rows[i * width + d + more] = 1.0
        for first in range(0, n, 32):
            these = 32 if first + 32 <= n else n - first
            for i in range(these):
                line = cython.address(rows[i * width])
                for j in range(d):
                    line[j] = x[first + i, j]
                for j in range(more):
                    line[d + j] = y[first + i, j]
                if off.shape[0]:
                    for j in range(d + more):
                        line[j] -= off[j]
                if weighted:
                    for j in range(width):
                        times[i * width + j] = weights[first + i] * line[j]
            left = cython.address(times[0]) if weighted else cython.address(rows[0])
            add_products(rows, left, these, width, cython.address(into[0, 0]))
