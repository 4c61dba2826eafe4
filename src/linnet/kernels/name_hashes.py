"""Hashes of names, and the spare bytes that comparing names needs."""

import cython
import numpy as np

# Names are compared this many bytes at a time.
WORD_BYTES = cython.declare(cython.Py_ssize_t, 8)


def with_room(text: cython.const[cython.uchar][::1], used: cython.Py_ssize_t):
    """The same bytes with WORD_BYTES spare bytes after those in use."""
    if text.shape[0] >= used + WORD_BYTES:
        return text
    longer = np.zeros(used + WORD_BYTES, dtype=np.uint8)
    longer[:used] = text[:used]
    return longer


def hashed(data: cython.const[cython.uchar][::1], starts: cython.const[cython.longlong][::1]):
    """A 64-bit hash of each of the strings data[starts[i]:starts[i + 1]]."""
    into = np.empty(starts.shape[0] - 1, dtype=np.uint64)
    out: cython.ulonglong[::1] = into
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    h: cython.ulonglong
    with cython.nogil:
        for i in range(out.shape[0]):
            h = 0xCBF29CE484222325
            for e in range(starts[i], starts[i + 1]):
                h = (h ^ data[e]) * cython.cast(cython.ulonglong, 0x100000001B3)
            h = (h ^ (h >> 30)) * cython.cast(cython.ulonglong, 0xBF58476D1CE4E5B9)
            h = (h ^ (h >> 27)) * cython.cast(cython.ulonglong, 0x94D049BB133111EB)
            out[i] = h ^ (h >> 31)
    return into


def prefix_hash(prefix: bytes):
    """The hash that those of names with this prefix continue."""
    return hashed(np.frombuffer(prefix, dtype=np.uint8), np.array([0, len(prefix)], dtype=np.int64))[0]
