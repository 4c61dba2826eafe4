"""A 64-bit number for each row's content: the same for equal rows, sparse or dense, float32 or float64."""

import cython
from cython.cimports.linnet.kernels.passes import value_t

Bits = cython.union(number=cython.double, pattern=cython.ulonglong)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mix(z: cython.ulonglong) -> cython.ulonglong:
    """Scramble 64 bits so that every one of them depends on all (Steele, Lea, Flood 2014, SplitMix)."""
    z = (z ^ (z >> 30)) * cython.cast(cython.ulonglong, 0xBF58476D1CE4E5B9)
    z = (z ^ (z >> 27)) * cython.cast(cython.ulonglong, 0x94D049BB133111EB)
    return z ^ (z >> 31)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def pattern_of(number: cython.double) -> cython.ulonglong:
    bits: Bits
    bits.number = number + 0.0  # -0 and 0 are one number
    return bits.pattern


def fingerprints(
    values: cython.const[value_t][::1],
    ids: cython.const[cython.uint][::1],
    starts: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    dense: cython.bint,
    targets: cython.const[cython.double][::1],
    sample_weights: cython.const[cython.double][::1],
    into: cython.ulonglong[::1],
):
    """One number a row from its non-zero entries, its target and its sample weight, whatever the entries' order."""
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    j: cython.ulonglong
    total: cython.ulonglong
    with cython.nogil:
        for i in range(targets.shape[0]):
            start = i * columns if dense else starts[i]
            stop = start + columns if dense else starts[i + 1]
            total = mix(pattern_of(targets[i]) + 1)
            if sample_weights.shape[0] > 0:
                total += mix(pattern_of(sample_weights[i]) + 2)
            else:
                total += mix(pattern_of(1.0) + 2)
            for e in range(start, stop):
                if values[e] != 0:
                    j = e - start if dense else ids[e]
                    total += mix(pattern_of(values[e]) ^ (j * cython.cast(cython.ulonglong, 0x9E3779B97F4A7C15)))
            into[i] = total


def scramble(numbers: cython.const[cython.ulonglong][::1], seed: cython.ulonglong, into: cython.ulonglong[::1]):
    """Each number mixed with the seed: a fresh random key for everything that has a number."""
    i: cython.Py_ssize_t
    seeded: cython.ulonglong = mix(seed + cython.cast(cython.ulonglong, 0x9E3779B97F4A7C15))
    with cython.nogil:
        for i in range(numbers.shape[0]):
            into[i] = mix(numbers[i] ^ seeded)
