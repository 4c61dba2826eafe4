"""Lists of pairs of class and number, one list for a feature or a row: the weights and the dual variables of very many
classes (sparse_classes.py)."""

import cython
import numpy as np
from cython.cimports.libc.stdlib import calloc, free, realloc
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.linnet.kernels.class_lists import ALL, List

# The classes that a list has room for at first.
FIRST_ROOM = cython.declare(cython.Py_ssize_t, 2)
# A list with more than one in CROWDED of all classes has a number for each.
CROWDED = cython.declare(cython.Py_ssize_t, 8)


@cython.final
@cython.cclass
class ClassLists:
    """Lists of pairs of class and number, in one array of words that grows: a list that is full moves to where one of
    twice its size was, or to the end.

    A list is class, number, class, number; that of a crowded list, only numbers.  Numbers have single precision: they
    only lead to the dual variables, from which the result is worked out anew.  A duality gap below some 1e-5 is out of
    their reach.
    """

    def __init__(self, lists: cython.Py_ssize_t, width: cython.Py_ssize_t = 0):
        """With a width, which is the number of classes, lists may become crowded."""
        self.size = lists
        self.width = width
        self.lists = cython.cast(cython.pointer(List), calloc(max(1, lists), cython.sizeof(List)))
        if self.lists == cython.NULL:
            raise MemoryError
        for size in range(32):
            self.left[size] = -1
        self.make_room(1 << 12)

    def __dealloc__(self):
        free(self.lists)
        free(self.words)

    def squares(self) -> float:
        """The sum of the squared numbers."""
        total: cython.double = 0.0
        numbers: cython.p_float
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        x: cython.double
        with cython.nogil:
            for i in range(self.size):
                numbers = cython.cast(cython.p_float, self.words) + self.lists[i].start
                if self.lists[i].count == ALL:
                    for c in range(self.width):
                        x = numbers[c]
                        total += x * x
                else:
                    for c in range(self.lists[i].count):
                        x = numbers[2 * c + 1]
                        total += x * x
        return total

    @property
    def pairs(self) -> int:
        """How many pairs all lists have; a crowded one, one for each class."""
        total: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        for i in range(self.size):
            total += self.width if self.lists[i].count == ALL else self.lists[i].count
        return total

    def flat(self) -> tuple:
        """(how many pairs each list has, their classes, their numbers), list after list; none may be crowded."""
        total: cython.Py_ssize_t = self.pairs
        counts = np.empty(self.size, dtype=np.int64)
        classes = np.empty(total, dtype=np.uint32)
        numbers = np.empty(total)
        several: cython.longlong[::1] = counts
        which: cython.uint[::1] = classes
        into: cython.double[::1] = numbers
        words: cython.p_uint
        done: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        for i in range(self.size):
            words = self.words + self.lists[i].start
            several[i] = self.lists[i].count
            for c in range(self.lists[i].count):
                which[done + c] = words[2 * c]
                into[done + c] = cython.cast(cython.p_float, words)[2 * c + 1]
            done += self.lists[i].count
        return counts, classes, numbers

    def place(self, i, k):
        """The word with the number of a class in a list; it is added, as 0, if the list has none."""
        start: cython.Py_ssize_t = self.lists[i].start
        c: cython.Py_ssize_t
        if self.lists[i].count == ALL:
            return start + k
        for c in range(self.lists[i].count):
            if self.words[start + 2 * c] == k:
                return start + 2 * c + 1
        return self.append(i, k)

    def append(self, i, k):
        """As `place`, of a class that the list has not."""
        at: cython.Py_ssize_t
        if self.lists[i].count == self.lists[i].room:
            self.widen(i)
        if self.lists[i].count == ALL:
            return self.lists[i].start + k
        at = self.lists[i].start + 2 * self.lists[i].count
        self.lists[i].count += 1
        self.words[at] = k
        cython.cast(cython.p_float, self.words)[at + 1] = 0.0
        return at + 1

    def add(self, i, x, several, classes, by, marks):
        """Add x times by[m] to the number of classes[m], of several up to 64; marks[k] is m + 1 for these, else 0."""
        words: cython.p_uint = self.words + self.lists[i].start
        numbers: cython.p_float = cython.cast(cython.p_float, words)
        seen: cython.ulonglong = 0
        c: cython.Py_ssize_t
        m: cython.Py_ssize_t
        if self.lists[i].count == ALL:
            for m in range(several):
                numbers[classes[m]] += cython.cast(cython.float, x * by[m])
            return 0
        for c in range(self.lists[i].count):
            m = marks[words[2 * c]]
            if m:
                numbers[2 * c + 1] += cython.cast(cython.float, x * by[m - 1])
                seen |= cython.cast(cython.ulonglong, 1) << (m - 1)
        for m in range(several):
            if not (seen >> m) & 1:
                c = self.append(i, classes[m])
                cython.cast(cython.p_float, self.words)[c] += cython.cast(cython.float, x * by[m])
        return 0

    def widen(self, i):
        """Twice the room for a list, or room for every class, elsewhere in the array."""
        count: cython.Py_ssize_t = self.lists[i].count
        old: cython.Py_ssize_t = self.lists[i].start
        room: cython.Py_ssize_t = 2 * self.lists[i].room if self.lists[i].room else FIRST_ROOM
        start: cython.Py_ssize_t
        numbers: cython.p_float
        c: cython.Py_ssize_t
        if room * CROWDED > self.width > 0:
            self.make_room(self.width)
            start = self.used
            self.used += self.width
            numbers = cython.cast(cython.p_float, self.words) + start
            memset(numbers, 0, self.width * cython.sizeof(cython.float))
            for c in range(count):
                numbers[self.words[old + 2 * c]] = cython.cast(cython.p_float, self.words)[old + 2 * c + 1]
            self.lists[i].count = ALL
        else:
            start = self.begin(room)
            memcpy(self.words + start, self.words + old, 2 * count * cython.sizeof(cython.uint))
        if count:
            self.leave(old, self.lists[i].room)
        self.lists[i].start = start
        self.lists[i].room = cython.cast(cython.uint, room)
        return 0

    def begin(self, room):
        """Where there is this much room for a list."""
        size: cython.Py_ssize_t = 0
        start: cython.Py_ssize_t
        while FIRST_ROOM << size < room:
            size += 1
        start = self.left[size]
        if start >= 0:
            memcpy(cython.address(self.left[size]), self.words + start, cython.sizeof(cython.longlong))
            return start
        self.make_room(2 * room)
        start = self.used
        self.used += 2 * room
        return start

    def leave(self, start, room):
        """Keep the place of a list that moved for others; its first words name the next such place."""
        size: cython.Py_ssize_t = 0
        while FIRST_ROOM << size < room:
            size += 1
        memcpy(self.words + start, cython.address(self.left[size]), cython.sizeof(cython.longlong))
        self.left[size] = start

    def make_room(self, words):
        """Room for so many more words."""
        more: cython.p_void
        if self.used + words > self.room:
            more = realloc(self.words, max(2 * self.room, self.used + words) * cython.sizeof(cython.uint))
            if more == cython.NULL:
                with cython.gil:
                    raise MemoryError
            self.words = cython.cast(cython.p_uint, more)
            self.room = max(2 * self.room, self.used + words)
        return 0
