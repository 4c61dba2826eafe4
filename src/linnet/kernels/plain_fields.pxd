# The C declarations of plain_fields.py.

from linnet.kernels.numbers cimport Text

# What becomes of a field.
cpdef enum Kind:
    SKIPPED = 0
    NUMBER = 1
    STRING = 2

# A field begins at at + start; `bits` marks the bytes from there on that are not digits, up to at + 64.
cdef struct Cursor:
    Text at
    Py_ssize_t start
    unsigned long long bits

# Spellings of a missing value: spelling i is bytes[starts[i]:starts[i + 1]]; `first` marks the bytes that begin one.
cdef struct Missing:
    Text bytes
    const long long* starts
    Py_ssize_t count
    Py_ssize_t longest
    unsigned char first[256]
