"""Weights of very many classes, kept for few of them: of feature j those of the classes outputs[starts[j]] to
outputs[starts[j + 1]], in ascending order; all others are 0."""

import cython
import numpy as np
from cython.cimports.libc.string import memset
from cython.cimports.linnet.kernels.rows import value_t

# Up to this many classes of a feature are sorted; of more, all classes are looked at in their order.
SORTED = cython.declare(cython.Py_ssize_t, 48)


def combined(
    values: cython.const[cython.double][::1],
    rows: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    parts: cython.const[cython.double][::1],
    classes: cython.const[cython.uint][::1],
    part_starts: cython.const[cython.longlong][::1],
    outputs: cython.Py_ssize_t,
    room: cython.Py_ssize_t,
):
    """w_jk = sum over rows i of x_ij t_ik, as (starts, outputs, values): x by columns, t by rows.

    There are at most `room` of them.
    """
    into = np.zeros(starts.shape[0], dtype=np.int64)
    found_classes = np.empty(room, dtype=np.uint32)
    found_values = np.empty(room)
    ends: cython.longlong[::1] = into
    which: cython.uint[::1] = found_classes
    weights: cython.double[::1] = found_values
    sums: cython.double[::1] = np.zeros(max(1, outputs))
    met: cython.uchar[::1] = np.zeros(max(1, outputs), dtype=np.uint8)
    touched: cython.uint[::1] = np.zeros(max(1, outputs), dtype=np.uint32)
    several: cython.Py_ssize_t
    done: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t
    e: cython.Py_ssize_t
    c: cython.Py_ssize_t
    k: cython.uint
    with cython.nogil:
        for j in range(starts.shape[0] - 1):
            several = 0
            for e in range(starts[j], starts[j + 1]):
                for c in range(part_starts[rows[e]], part_starts[rows[e] + 1]):
                    k = classes[c]
                    sums[k] += values[e] * parts[c]
                    if not met[k]:
                        met[k] = 1
                        touched[several] = k
                        several += 1
            order(touched, several, met)
            for c in range(several):
                k = touched[c]
                if sums[k] != 0.0:
                    which[done] = k
                    weights[done] = sums[k]
                    done += 1
                sums[k] = 0.0
                met[k] = 0
            ends[j + 1] = done
    return into, found_classes[:done].copy(), found_values[:done].copy()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def order(touched: cython.uint[::1], several: cython.Py_ssize_t, met: cython.uchar[::1]) -> cython.void:
    """Sort the classes that were met."""
    c: cython.Py_ssize_t
    m: cython.Py_ssize_t
    k: cython.uint
    if several > SORTED:
        m = 0
        for c in range(met.shape[0]):
            if met[c]:
                touched[m] = cython.cast(cython.uint, c)
                m += 1
        return
    for c in range(1, several):
        k = touched[c]
        m = c
        while m > 0 and touched[m - 1] > k:
            touched[m] = touched[m - 1]
            m -= 1
        touched[m] = k


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def above_zero(z: cython.p_double, classes: cython.Py_ssize_t) -> cython.double:
    """The largest score, or 0 if none is above it; sixteen at a time, for few are larger than all before."""
    top: cython.double = 0.0
    k: cython.Py_ssize_t = 0
    c: cython.Py_ssize_t
    larger: cython.int
    while k < classes:
        if k + 16 <= classes:
            larger = 0
            for c in range(16):
                larger |= z[k + c] > top
            if not larger:
                k += 16
                continue
        for c in range(k, min(k + 16, classes)):
            top = z[c] if z[c] > top else top
        k += 16
    return top


def losses(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    classes: cython.const[cython.longlong][::1],
    weight_starts: cython.const[cython.longlong][::1],
    weight_classes: cython.const[cython.uint][::1],
    weights: cython.const[cython.double][::1],
    scores: cython.double[::1],
    into: cython.double[::1],
):
    """into[i] = max(0, 1 - z_y + max(0, max over k != y of z_k)) of row i, by sparse weights as in add_scores."""
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    c: cython.Py_ssize_t
    own: cython.double
    top: cython.double
    z: cython.p_double = cython.address(scores[0])
    with cython.nogil:
        for i in range(into.shape[0]):
            memset(z, 0, scores.shape[0] * cython.sizeof(cython.double))
            for e in range(starts[i], starts[i + 1]):
                for c in range(weight_starts[ids[e]], weight_starts[ids[e] + 1]):
                    z[weight_classes[c]] += values[e] * weights[c]
            own = z[classes[i]]
            z[classes[i]] = 0.0
            top = above_zero(z, scores.shape[0])
            into[i] = 1.0 - own + top if 1.0 - own + top > 0.0 else 0.0


def add_scores(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    weight_starts: cython.const[cython.longlong][::1],
    weight_classes: cython.const[cython.uint][::1],
    weights: cython.const[cython.double][::1],
    into: cython.double[:, ::1],
):
    """into[i, k] += row i times column k of sparse weights: of feature j, weight_starts[j] to weight_starts[j + 1]."""
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    c: cython.Py_ssize_t
    j: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    x: cython.double
    with cython.nogil:
        for i in range(into.shape[0]):
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            for e in range(start, stop):
                j = e - start if dense else ids[e]
                x = values[e]
                for c in range(weight_starts[j], weight_starts[j + 1]):
                    into[i, weight_classes[c]] += x * weights[c]
