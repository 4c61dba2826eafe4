"""A 64-bit number for each row's content: the same for equal rows, sparse or dense, float32 or float64.

And orders by such numbers, scrambled: a shuffled pass needs a new one, and a sort by comparisons takes longer than the
pass over short rows.  Scrambled numbers are spread evenly, so that their first bits nearly say where each belongs.
"""

import cython
import numpy as np
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


def sorted_scrambled(numbers: cython.const[cython.ulonglong][::1], seed: cython.ulonglong, into: cython.longlong[::1]):
    """The stable order of the numbers as `scramble` mixes them; False if they lie so unevenly that it was given up.

    They are put into buckets by their first bits, each bucket into smaller ones by the next bits, of about one number,
    and what is still out of order is inserted where it belongs.
    """
    n: cython.Py_ssize_t = numbers.shape[0]
    seeded: cython.ulonglong = mix(seed + cython.cast(cython.ulonglong, 0x9E3779B97F4A7C15))
    # a bucket of the first level has about 64 numbers or more; no more buckets than can be filled within the cache
    first_bits: cython.int = at_most(n // 64, 11)
    ends: cython.Py_ssize_t[::1] = np.zeros((1 << first_bits) + 1, dtype=np.intp)
    small_ends: cython.Py_ssize_t[::1]
    keys: cython.ulonglong[::1] = np.empty(n, dtype=np.uint64)
    which: cython.longlong[::1] = np.empty(n, dtype=np.int64)
    some_keys: cython.ulonglong[::1]
    i: cython.Py_ssize_t
    b: cython.Py_ssize_t
    largest: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t = 0
    key: cython.ulonglong
    sorted_all: cython.bint = True
    with cython.nogil:
        for i in range(n):
            ends[1 + leading(mix(numbers[i] ^ seeded), first_bits)] += 1
        for b in range(1 << first_bits):
            largest = ends[b + 1] if ends[b + 1] > largest else largest
            ends[b + 1] += ends[b]
        for i in range(n):
            key = mix(numbers[i] ^ seeded)
            b = leading(key, first_bits)
            keys[ends[b]] = key
            which[ends[b]] = i
            ends[b] += 1  # where the bucket ends, once all are in it
    some_keys = np.empty(largest, dtype=np.uint64)
    small_ends = np.zeros((1 << at_most(largest, 16)) + 1, dtype=np.intp)
    with cython.nogil:
        for b in range(1 << first_bits):
            if not sort_bucket(keys, which, start, ends[b], first_bits, some_keys, small_ends, into):
                sorted_all = False
                break
            start = ends[b]
    return sorted_all


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_bucket(
    keys: cython.const[cython.ulonglong][::1],
    which: cython.const[cython.longlong][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    known_bits: cython.int,
    some_keys: cython.ulonglong[::1],
    ends: cython.Py_ssize_t[::1],
    into: cython.longlong[::1],
) -> cython.bint:
    """Write the order of the keys from start to stop, which share their first bits, into the same part of `into`."""
    n: cython.Py_ssize_t = stop - start
    bits: cython.int = at_most(n, 16)
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    b: cython.Py_ssize_t
    moves: cython.Py_ssize_t = 0
    key: cython.ulonglong
    own: cython.longlong
    for b in range((1 << bits) + 1):
        ends[b] = 0
    for i in range(start, stop):
        ends[1 + leading(keys[i] << known_bits, bits)] += 1
    for b in range(1 << bits):
        ends[b + 1] += ends[b]
    for i in range(start, stop):
        b = leading(keys[i] << known_bits, bits)
        some_keys[ends[b]] = keys[i]
        into[start + ends[b]] = which[i]
        ends[b] += 1
    for i in range(1, n):
        key = some_keys[i]
        own = into[start + i]
        j = i
        while j > 0 and some_keys[j - 1] > key:
            some_keys[j] = some_keys[j - 1]
            into[start + j] = into[start + j - 1]
            j -= 1
        some_keys[j] = key
        into[start + j] = own
        moves += i - j
        if moves > 64 * n:
            return False
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def leading(key: cython.ulonglong, bits: cython.int) -> cython.Py_ssize_t:
    """The first bits of a key as a number; of no bits, 0."""
    return cython.cast(cython.Py_ssize_t, (key >> 1) >> (63 - bits))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def at_most(n: cython.Py_ssize_t, most: cython.int) -> cython.int:
    """How many bits a number below n needs at least, rounded down, and at most `most`."""
    bits: cython.int = 0
    while bits < most and (n >> (bits + 1)) > 0:
        bits += 1
    return bits
