"""Weights of features for the classes of a structured model: a row for each feature, of the classes it has weights for.

A feature is a 64-bit key.  It gets a row when an update first touches it, and the row an entry for a class when an
update first touches that class: of a hundred transitions, most features ever see three or four.  So a row is one or two
cache lines, and a score is the sum of what the rows hold:

    score[k] = sum over the features f of w[f, k]

While training, an entry has w and u; at step t a change does w += change, u += t change, and the mean of w over T steps
is w - u / T (exactly: steps and changes are integers).  A frozen table holds the means alone, and can be read by
threads.

Keys are known to whoever writes the input, so the bucket of a key depends on a secret, as in vocabulary.py.  Neither
the secret nor the order of rows changes a bit of any score: a feature adds to each class once, in the order of the
keys.
"""

import secrets

import cython
import numpy as np
from cython.cimports.libc.stdlib import calloc, free, malloc, realloc
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.linnet.kernels.parsing_weights import DENSE, SPARSE, Entry, Frozen, Slot
from cython.cimports.linnet.kernels.rows import prefetch
from cython.cimports.linnet.kernels.vocabulary import bucket_of, release, zeroed

from linnet.kernels.parsing_checks import checked_rows

FIRST_SHIFT = cython.declare(cython.int, 54)
MOST_ENTRIES = cython.declare(cython.Py_ssize_t, 0xFFFFFFF0)
SIZES = cython.declare(cython.int, 18)
# Rows of frequent features have weights for many classes: from this many on, and this part of all, a row is an array
# over all classes, added as vectors.  Zeros add nothing, so scores are the same to the bit.
MANY = cython.declare(cython.Py_ssize_t, 8)
MANY_OF = cython.declare(cython.Py_ssize_t, 4)
# A row holds at most 2^15 entries, so that its room fits 16 bits.
MOST_CLASSES = 1 << 15


@cython.final
@cython.cclass
class Weights:
    """Rows of weights by the keys of features; see the top of this file."""

    def __cinit__(self, classes: cython.Py_ssize_t, frozen: cython.bint = False):
        i: cython.int
        if not 1 <= classes <= MOST_CLASSES:
            raise ValueError(f"classes must be 1 to {MOST_CLASSES}, not {classes}")
        self.classes = classes
        self.frozen = frozen
        self.odd = secrets.randbits(64) | 1
        self.shift = FIRST_SHIFT
        self.capacity = 1 << (64 - FIRST_SHIFT)
        self.slots = cython.cast(cython.pointer(Slot), zeroed(self.capacity * cython.sizeof(Slot)))
        self.room = 0 if frozen else 1024
        self.entries = cython.NULL
        self.fixed = cython.NULL
        self.dense = cython.NULL
        self.stride = (classes + 15) & ~cython.cast(cython.Py_ssize_t, 15)
        if not frozen:
            self.entries = cython.cast(cython.pointer(Entry), malloc(self.room * cython.sizeof(Entry)))
        if not self.slots or (not frozen and not self.entries):
            raise MemoryError
        for i in range(SIZES):
            self.free_rows[i] = -1

    def __dealloc__(self):
        release(self.slots, self.capacity * cython.sizeof(Slot))
        free(self.entries)
        free(self.fixed)
        free(self.dense)

    def __len__(self):
        return self.size

    @property
    def nbytes(self):
        """The memory of the table and its rows."""
        width: cython.Py_ssize_t = cython.sizeof(Frozen) if self.frozen else cython.sizeof(Entry)
        return self.capacity * cython.sizeof(Slot) + self.room * width

    def find(self, key):
        """The slot of a key, or the free one where it would go."""
        at: cython.Py_ssize_t = bucket_of(key, self.shift, self.odd)
        while self.slots[at].room != 0 and self.slots[at].key != key:
            at = (at + 1) & (self.capacity - 1)
        return cython.address(self.slots[at])

    def grow(self):
        """Double the table, and move every slot to its new bucket."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        old: cython.Py_ssize_t = self.capacity
        slots: cython.pointer(Slot) = cython.cast(cython.pointer(Slot), zeroed(2 * old * cython.sizeof(Slot)))
        if not slots:
            with cython.gil:
                raise MemoryError
        self.capacity = 2 * old
        self.shift -= 1
        for i in range(old):
            if self.slots[i].room != 0:
                at = bucket_of(self.slots[i].key, self.shift, self.odd)
                while slots[at].room != 0:
                    at = (at + 1) & (self.capacity - 1)
                slots[at] = self.slots[i]
        release(self.slots, old * cython.sizeof(Slot))
        self.slots = slots
        return 0

    def widen(self, slot):
        """Give a row twice the room (one entry to begin with); the room it leaves is used again."""
        room: cython.Py_ssize_t = 2 * slot.room if slot.room else 1
        size: cython.int = 0
        start: cython.Py_ssize_t
        while (1 << size) < room:
            size += 1
        if self.free_rows[size] >= 0:
            start = self.free_rows[size]
            self.free_rows[size] = cython.cast(cython.longlong, self.entries[start].u)
        else:
            if self.used + room > self.room:
                if self.used + room > MOST_ENTRIES:
                    with cython.gil:
                        raise MemoryError("more than 2^32 weights")
                more: cython.p_void = realloc(self.entries, (self.room + self.room // 2 + room) * cython.sizeof(Entry))
                if not more:
                    with cython.gil:
                        raise MemoryError
                self.entries = cython.cast(cython.pointer(Entry), more)
                self.room += self.room // 2 + room
            start = self.used
            self.used += room
        if slot.room:
            memcpy(self.entries + start, self.entries + slot.start, slot.count * cython.sizeof(Entry))
            self.entries[slot.start].u = cython.cast(cython.double, self.free_rows[size - 1])
            self.free_rows[size - 1] = slot.start
        slot.start = cython.cast(cython.uint, start)
        slot.room = cython.cast(cython.ushort, room)
        return 0

    def change(self, key, label, delta):
        """Add `delta` to the weight of a feature for a class, at the present step."""
        i: cython.Py_ssize_t
        entry: cython.pointer(Entry)
        slot: cython.pointer(Slot) = self.find(key)
        if slot.room == 0:
            if 2 * (self.size + 1) > self.capacity:
                self.grow()
                slot = self.find(key)
            self.widen(slot)
            slot.key = key
            slot.count = 0
            self.size += 1
        entry = self.entries + slot.start
        for i in range(slot.count):
            if entry[i].label == label:
                entry[i].w += delta
                entry[i].u += self.steps * delta
                return 0
        if slot.count == slot.room:
            self.widen(slot)
            entry = self.entries + slot.start
        entry[slot.count].label = label
        entry[slot.count].w = delta
        entry[slot.count].u = self.steps * delta
        slot.count += 1
        return 0

    def scores(self, keys, count, found, average, into):
        """The scores of all classes by these features; `average` is 1 / T for means, 0 for the present weights.

        Rows are fetched long before they are read: what a lookup takes is waiting for memory.  `found` is room for a
        pointer for each key.
        """
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        entry: cython.pointer(Entry)
        fixed: cython.pointer(Frozen)
        row: cython.pointer(cython.float)
        memset(into, 0, self.stride * cython.sizeof(cython.float))
        for i in range(count):
            found[i] = cython.address(self.slots[bucket_of(keys[i], self.shift, self.odd)])
            prefetch(found[i])
        if self.frozen:
            for i in range(count):
                if found[i].room != 0 and found[i].key != keys[i]:
                    found[i] = self.find(keys[i])
                if found[i].room == SPARSE:
                    prefetch(cython.address(self.fixed[found[i].start]))
            for i in range(count):
                if found[i].room == SPARSE:
                    fixed = self.fixed + found[i].start
                    for j in range(found[i].count):
                        into[fixed[j].label] += fixed[j].w
                elif found[i].room == DENSE:
                    row = self.dense + self.stride * found[i].start
                    for j in range(self.stride):
                        into[j] += row[j]
            return
        for i in range(count):
            if found[i].room != 0 and found[i].key != keys[i]:
                found[i] = self.find(keys[i])
            if found[i].room != 0:
                prefetch(cython.address(self.entries[found[i].start]))
        if average == 0.0:
            for i in range(count):
                entry = self.entries + found[i].start
                for j in range(found[i].count):
                    into[entry[j].label] += entry[j].w
        else:
            for i in range(count):
                entry = self.entries + found[i].start
                for j in range(found[i].count):
                    into[entry[j].label] += cython.cast(cython.float, entry[j].w - entry[j].u * average)

    # -- to files and back ---------------------------------------------------------------------------------------

    def sorted_keys(self):
        """All keys in ascending order, and the places of their slots."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        if self.frozen:
            raise ValueError("a frozen table has no sums")
        all_keys = np.empty(self.size, dtype=np.uint64)
        places = np.empty(self.size, dtype=np.int64)
        keys: cython.ulonglong[::1] = all_keys
        place: cython.longlong[::1] = places
        for i in range(self.capacity):
            if self.slots[i].room != 0:
                keys[at] = self.slots[i].key
                place[at] = i
                at += 1
        order = np.argsort(all_keys)
        return all_keys[order], places[order]

    def rows(self):
        """All that is known: keys in ascending order, where each one's entries begin, and their classes, w and u."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        all_keys, places = self.sorted_keys()
        place: cython.longlong[::1] = places
        all_starts = np.zeros(self.size + 1, dtype=np.int64)
        starts: cython.longlong[::1] = all_starts
        for i in range(self.size):
            starts[i + 1] = starts[i] + self.slots[place[i]].count
        total: cython.Py_ssize_t = starts[self.size]
        all_labels = np.empty(total, dtype=np.uint32)
        all_w = np.empty(total, dtype=np.float32)
        all_u = np.empty(total, dtype=np.float64)
        labels: cython.uint[::1] = all_labels
        w: cython.float[::1] = all_w
        u: cython.double[::1] = all_u
        entry: cython.pointer(Entry)
        with cython.nogil:
            for i in range(self.size):
                entry = self.entries + self.slots[place[i]].start
                for j in range(self.slots[place[i]].count):
                    labels[starts[i] + j] = entry[j].label
                    w[starts[i] + j] = entry[j].w
                    u[starts[i] + j] = entry[j].u
        return all_keys, all_starts, all_labels, all_w, all_u

    def means(self):
        """The means of all weights that are not 0: keys in ascending order, where each one's entries begin, their
        classes, ascending, and the means."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        filled: cython.Py_ssize_t = 0
        first: cython.Py_ssize_t
        label: cython.uint
        mean: cython.float
        average: cython.double = 1.0 / max(1.0, self.steps)
        all_keys, places = self.sorted_keys()
        place: cython.longlong[::1] = places
        keys: cython.ulonglong[::1] = all_keys
        total: cython.Py_ssize_t = 0
        for i in range(self.size):
            total += self.slots[place[i]].count
        all_starts = np.zeros(self.size + 1, dtype=np.int64)
        all_labels = np.empty(total, dtype=np.uint32)
        all_means = np.empty(total, dtype=np.float32)
        starts: cython.longlong[::1] = all_starts
        labels: cython.uint[::1] = all_labels
        means: cython.float[::1] = all_means
        entry: cython.pointer(Entry)
        with cython.nogil:
            for i in range(self.size):
                entry = self.entries + self.slots[place[i]].start
                first = filled
                for j in range(self.slots[place[i]].count):
                    mean = cython.cast(cython.float, entry[j].w - entry[j].u * average)
                    if mean == 0.0:
                        continue
                    label = entry[j].label
                    k = filled
                    while k > first and labels[k - 1] > label:
                        labels[k] = labels[k - 1]
                        means[k] = means[k - 1]
                        k -= 1
                    labels[k] = label
                    means[k] = mean
                    filled += 1
                if filled > first:
                    keys[at] = keys[i]
                    at += 1
                    starts[at] = filled
        return all_keys[:at], all_starts[: at + 1], all_labels[:filled], all_means[:filled]

    def restore(
        self,
        keys: cython.const[cython.ulonglong][::1],
        starts: cython.const[cython.longlong][::1],
        labels: cython.const[cython.uint][::1],
        w: cython.const[cython.float][::1],
        u: cython.const[cython.double][::1],
    ):
        """Fill an empty table with rows."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        slot: cython.pointer(Slot)
        checked_rows(keys, starts, labels, self.classes)
        if self.size or self.frozen or w.shape[0] != labels.shape[0] or u.shape[0] != labels.shape[0]:
            raise ValueError("rows and entries do not fit")
        with cython.nogil:
            for i in range(keys.shape[0]):
                for j in range(starts[i], starts[i + 1]):
                    self.change(keys[i], labels[j], w[j])
                slot = self.find(keys[i])
                for j in range(starts[i], starts[i + 1]):
                    self.entries[slot.start + (j - starts[i])].u = u[j]

    def fill(
        self,
        keys: cython.const[cython.ulonglong][::1],
        starts: cython.const[cython.longlong][::1],
        labels: cython.const[cython.uint][::1],
        w: cython.const[cython.float][::1],
    ):
        """Fill an empty frozen table with rows of means."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        checked_rows(keys, starts, labels, self.classes)
        if self.size or not self.frozen or w.shape[0] != labels.shape[0] or labels.shape[0] > MOST_ENTRIES:
            raise ValueError("rows and entries do not fit")
        while self.capacity < 2 * (keys.shape[0] + 1):
            self.grow()
        self.room = labels.shape[0] + 1
        self.fixed = cython.cast(cython.pointer(Frozen), malloc(self.room * cython.sizeof(Frozen)))
        many: cython.Py_ssize_t = max(MANY, self.classes // MANY_OF)
        rows: cython.Py_ssize_t = int((np.diff(np.asarray(starts)) >= many).sum())
        self.dense = cython.cast(cython.p_float, calloc(max(1, rows * self.stride), cython.sizeof(cython.float)))
        if not self.fixed or not self.dense:
            raise MemoryError
        slot: cython.pointer(Slot)
        rows = 0
        with cython.nogil:
            for at in range(labels.shape[0]):
                self.fixed[at].label = labels[at]
                self.fixed[at].w = w[at]
            for i in range(keys.shape[0]):
                slot = self.find(keys[i])
                slot.key = keys[i]
                slot.start = cython.cast(cython.uint, starts[i])
                slot.count = cython.cast(cython.ushort, starts[i + 1] - starts[i])
                slot.room = SPARSE
                if slot.count >= many:
                    slot.room = DENSE
                    slot.start = cython.cast(cython.uint, rows)
                    for at in range(starts[i], starts[i + 1]):
                        self.dense[rows * self.stride + labels[at]] = w[at]
                    rows += 1
            self.size = keys.shape[0]
            self.used = labels.shape[0]
