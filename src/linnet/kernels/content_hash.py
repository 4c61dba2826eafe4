"""A running hash of bytes, nearly as fast as they can be read: the same however they were cut into parts.

Eight lanes of 64 bits take the words of 64 bytes in turn.  A step is one-to-one in the lane and in the word, so a
change within one word never goes unnoticed, and any other by a chance of 2^-64.  It guards against accidents, not
against an author who looks for two texts with the same hash.
"""

import cython
import numpy as np
from cython.cimports.libc.string import memcpy

LANES = 8
STRIPE = 64


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def step(lane: cython.ulonglong, word: cython.ulonglong) -> cython.ulonglong:
    lane = (lane ^ word) * cython.cast(cython.ulonglong, 0x9E3779B97F4A7C15)
    return lane ^ (lane >> 29)


def take_stripes(lanes: cython.ulonglong[::1], data: cython.const[cython.uchar][::1]):
    """Update the lanes with whole stripes; what is left at the end of the data is not read."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    words = cython.declare(cython.ulonglong[8])
    state = cython.declare(cython.ulonglong[8])
    if lanes.shape[0] != 8:
        raise ValueError("a content hash has eight lanes")
    with cython.nogil:
        memcpy(cython.address(state[0]), cython.address(lanes[0]), 64)
        for i in range(data.shape[0] // 64):
            memcpy(cython.address(words[0]), cython.address(data[64 * i]), 64)
            for j in range(8):
                state[j] = step(state[j], words[j])
        memcpy(cython.address(lanes[0]), cython.address(state[0]), 64)


def content_hash(state: bytes, data):
    """The state after some more bytes: the lanes, then the bytes that do not fill a stripe yet; it begins as b""."""
    view = memoryview(data).cast("B")
    lanes = np.frombuffer(state[:STRIPE] or bytes(range(STRIPE)), dtype=np.uint64).copy()
    tail = state[STRIPE:]
    if tail:
        missing = STRIPE - len(tail)
        tail, view = tail + bytes(view[:missing]), view[missing:]
        if len(tail) < STRIPE:
            return lanes.tobytes() + tail
        take_stripes(lanes, tail)
    take_stripes(lanes, view)
    return lanes.tobytes() + bytes(view[len(view) // STRIPE * STRIPE :])
