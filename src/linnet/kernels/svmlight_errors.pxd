# The C declarations of svmlight_errors.py.

from linnet.kernels.numbers cimport Number, Text
from linnet.kernels.svmlight cimport Row

cdef void check_text(Text p, Text end, Row* row) noexcept nogil
cdef void refuse(Row* row, int wrong, Text at, Text end) noexcept nogil
cdef void refuse_number(Row* row, int wrong, Number number, Text at, Text end) noexcept nogil
cdef void refuse_id(Row* row, Text p, Text after, Text end) noexcept nogil
