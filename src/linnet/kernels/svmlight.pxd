# What can be wrong with a line of svmlight text, and what a row is while it is read; svmlight.py says the rest.

from linnet.kernels.numbers cimport Text

cpdef enum Wrong:
    NOTHING = 0
    LABEL = 1
    SEVERAL_LABELS = 2
    QID = 3
    ID = 4
    ID_TOO_LARGE = 5
    NO_COLON = 6
    NO_VALUE = 7
    VALUE = 8
    NOT_FINITE = 9
    TOO_LARGE = 10
    DUPLICATE = 11
    NUL = 12
    NOT_UTF8 = 13

cdef struct Row:
    double target
    Py_ssize_t entries
    Text at  # where the row ends, or where it is wrong
    int wrong
    bint filled  # false for a line that is blank or only a comment
    bint rising
