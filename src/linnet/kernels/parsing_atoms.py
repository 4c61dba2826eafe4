"""The fields of tokens as 64-bit hashes, which is all that a parser's features are made of.

The row of a token: its word, its coarse tag, its fine tag, its morphological features.  A field `_` is empty, and all
empty fields are the same value.
"""

import cython
import numpy as np
from cython.cimports.linnet.kernels.tokenizer import finish
from cython.cimports.linnet.kernels.vocabulary import chained

COLUMNS = cython.declare(cython.Py_ssize_t, 4)
MOST_PARTS = cython.declare(cython.Py_ssize_t, 3)


def token_rows(
    data: cython.const[cython.uchar][::1],
    begins: cython.const[cython.uint][:, ::1],
    ends: cython.const[cython.uint][:, ::1],
    parts: cython.const[cython.longlong][:, ::1],
):
    """The row of each token: value c is a hash of the fields parts[c, 0], parts[c, 1] ... together; -1 ends them.

    Field f of token t is data[begins[t, f]:ends[t, f]].
    """
    if begins.shape[0] != ends.shape[0] or begins.shape[1] != ends.shape[1] or parts.shape[0] != COLUMNS:
        raise ValueError("fields or parts do not fit")
    chosen = np.asarray(parts)
    if chosen.max() >= begins.shape[1] or chosen.min() < -1:
        raise ValueError("there is no such field")
    if (np.asarray(begins) > np.asarray(ends)).any() or np.asarray(ends).max(initial=0) > data.shape[0]:
        raise ValueError("a field is out of range")
    into = np.empty((begins.shape[0], 4), dtype=np.uint64)
    out: cython.ulonglong[:, ::1] = into
    cython.declare(t=cython.Py_ssize_t, c=cython.Py_ssize_t, p=cython.Py_ssize_t, f=cython.longlong)
    cython.declare(e=cython.Py_ssize_t, h=cython.ulonglong, whole=cython.ulonglong)
    with cython.nogil:
        for t in range(begins.shape[0]):
            for c in range(COLUMNS):
                whole = finish(cython.cast(cython.ulonglong, c) + 1)
                for p in range(parts.shape[1]):
                    f = parts[c, p]
                    if f < 0:
                        break
                    h = 0xCBF29CE484222325
                    if not (ends[t, f] - begins[t, f] == 1 and data[begins[t, f]] == 95):
                        for e in range(begins[t, f], ends[t, f]):
                            h = (h ^ data[e]) * cython.cast(cython.ulonglong, 0x100000001B3)
                    whole = chained(whole, finish(h))
                out[t, c] = whole
    return into
