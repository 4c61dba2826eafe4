"""Tags put into the text of sentences: everything else stays as it is, to the byte."""

import cython
import numpy as np
from cython.cimports.libc.string import memcpy


def spliced(
    data: cython.const[cython.uchar][::1],
    froms: cython.const[cython.uint][::1],
    tos: cython.const[cython.uint][::1],
    numbers: cython.const[cython.int][::1],
    texts: cython.const[cython.uchar][::1],
    text_starts: cython.const[cython.longlong][::1],
):
    """The data with text number numbers[i] in the place of data[froms[i]:tos[i]], the places in order."""
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    to: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = data.shape[0]
    length: cython.Py_ssize_t
    for i in range(froms.shape[0]):
        if not at <= froms[i] <= tos[i] <= data.shape[0] or not 0 <= numbers[i] < text_starts.shape[0] - 1:
            raise ValueError("places are not in order")
        at = tos[i]
        size += text_starts[numbers[i] + 1] - text_starts[numbers[i]] - (tos[i] - froms[i])
    into = np.empty(size, dtype=np.uint8)
    if size == 0:
        return into
    out: cython.uchar[::1] = into
    at = 0
    with cython.nogil:
        for i in range(froms.shape[0]):
            length = froms[i] - at
            if length:
                memcpy(cython.address(out[to]), cython.address(data[at]), length)
                to += length
            length = text_starts[numbers[i] + 1] - text_starts[numbers[i]]
            if length:
                memcpy(cython.address(out[to]), cython.address(texts[text_starts[numbers[i]]]), length)
                to += length
            at = tos[i]
        if at < data.shape[0]:
            memcpy(cython.address(out[to]), cython.address(data[at]), data.shape[0] - at)
    return into
