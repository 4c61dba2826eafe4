"""w . x + b for every row and output: adding in one fixed order, so that the bits never depend on threads."""

import cython
from cython.cimports.libc.math import fabs, frexp
from cython.cimports.linnet.kernels.passes import prefetch, value_t

# How many entries ahead the weights are prefetched; 8 of them make a cache line.
ENTRIES_AHEAD = cython.declare(cython.Py_ssize_t, 12)


def scores(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    weights: cython.const[cython.double][:, ::1],
    intercepts: cython.const[cython.double][::1],
    into: cython.double[:, ::1],
):
    """into[i, k] = row i times column k of weights (d x K), plus intercepts[k]."""
    outputs: cython.Py_ssize_t = weights.shape[1]
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    j: cython.Py_ssize_t
    ahead: cython.Py_ssize_t
    x: cython.double
    x1: cython.double
    x2: cython.double
    x3: cython.double
    total: cython.double
    total1: cython.double
    middle: cython.Py_ssize_t
    paired: cython.Py_ssize_t
    last: cython.Py_ssize_t = ids.shape[0] - 1
    sums: cython.p_double
    line: cython.pointer(cython.const[cython.double])
    line1: cython.pointer(cython.const[cython.double])
    line2: cython.pointer(cython.const[cython.double])
    line3: cython.pointer(cython.const[cython.double])
    with cython.nogil:
        paired = 0
        if outputs == 1:  # two rows side by side: each waits for its own additions only
            for i in range(0, into.shape[0] - 1, 2):
                start = i * columns if dense else starts[i]
                middle = start + columns if dense else starts[i + 1]
                stop = middle + columns if dense else starts[i + 2]
                total = 0.0
                total1 = 0.0
                for e in range(min(middle - start, stop - middle)):
                    j = e if dense else ids[start + e]
                    total += values[start + e] * weights[j, 0]
                    j = e if dense else ids[middle + e]
                    total1 += values[middle + e] * weights[j, 0]
                for e in range(start + (stop - middle), middle):  # nothing, or what one of them has more
                    total += values[e] * weights[ids[e], 0]
                for e in range(middle + (middle - start), stop):
                    total1 += values[e] * weights[ids[e], 0]
                into[i, 0] = total + intercepts[0]
                into[i + 1, 0] = total1 + intercepts[0]
                paired = i + 2
        for i in range(paired, into.shape[0]):
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            if outputs == 1:
                total = 0.0
                for e in range(start, stop):
                    j = e - start if dense else ids[e]
                    total += values[e] * weights[j, 0]
                into[i, 0] = total + intercepts[0]
            else:
                sums = cython.address(into[i, 0])
                for k in range(outputs):
                    sums[k] = intercepts[k]
                e = start
                while e + 4 <= stop:  # four at a time: the sums are fetched and put back once for all of them
                    if not dense:  # of a wide table, the next weights lie anywhere
                        for ahead in range(e + ENTRIES_AHEAD, e + ENTRIES_AHEAD + 4):
                            line = cython.address(weights[ids[min(ahead, last)], 0])
                            for k in range(0, outputs, 8):
                                prefetch(line + k)
                    line = cython.address(weights[e - start if dense else ids[e], 0])
                    line1 = cython.address(weights[e + 1 - start if dense else ids[e + 1], 0])
                    line2 = cython.address(weights[e + 2 - start if dense else ids[e + 2], 0])
                    line3 = cython.address(weights[e + 3 - start if dense else ids[e + 3], 0])
                    x = values[e]
                    x1 = values[e + 1]
                    x2 = values[e + 2]
                    x3 = values[e + 3]
                    for k in range(outputs):
                        sums[k] = (((sums[k] + x * line[k]) + x1 * line1[k]) + x2 * line2[k]) + x3 * line3[k]
                    e += 4
                while e < stop:
                    line = cython.address(weights[e - start if dense else ids[e], 0])
                    x = values[e]
                    for k in range(outputs):
                        sums[k] += x * line[k]
                    e += 1


def owe(
    margins: cython.const[cython.double][::1],
    times: cython.const[cython.double][::1],
    gammas: cython.const[cython.double][::1],
    counts: cython.double[::1],
    sums: cython.double[::1],
    sizes: cython.double[::1],
):
    """Rows by how many of the gammas (powers of 2^(1/8) around 1, which is in the middle) are no larger than theirs.

    `times` is how often each row counts (empty: once); its margin and the margin's size are added to their sums, row
    after row.
    """
    n: cython.Py_ssize_t = gammas.shape[0]
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    exponent: cython.int = 0
    m: cython.double
    often: cython.double
    with cython.nogil:
        for i in range(margins.shape[0]):
            m = margins[i]
            often = times[i] if times.shape[0] else 1.0
            at = 0
            if m > 0.0:
                frexp(m, cython.address(exponent))
                at = min(max(n // 2 + 8 * (exponent - 1), 0), n)
                while at < n and gammas[at] <= m:
                    at += 1
            elif m != m:
                at = n
            counts[at] += often
            sums[at] += often * m
            sizes[at] += often * fabs(m)
