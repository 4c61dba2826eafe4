"""Names numbered 0, 1, 2, ... in the order of first appearance, at the speed of hashing.

A name is found by its 64-bit fingerprint and compared by its bytes, so the numbering is exact.  With `bits` only that
many bits of the fingerprint are compared, and no bytes: there are at most 2^bits numbers, each with the name that came
first.  The full fingerprints of all names are kept in a set, so that collisions are counted: distinct - size.  A
vocabulary serves one prefix, which is not part of the names it is asked for.

The fingerprint is a fixed function, so that models agree, and whoever writes the input can make names with equal ones,
or with ones for the same bucket.  Therefore buckets depend on a secret that every vocabulary draws for itself, and a
name that meets another one of the same key is looked for in a second place, which depends on its bytes and the secret:
a lookup takes the same time whatever the names are.  Numbers depend on neither.

Text arrives as the distinct names of a block, counted by kernels/ngrams.py.
"""

import secrets

import cython
import numpy as np
from cython.cimports.libc.stdlib import free, malloc, realloc
from cython.cimports.libc.string import memcpy
from cython.cimports.linnet.kernels.passes import prefetch
from cython.cimports.linnet.kernels.vocabulary import Slot, bucket_of, chained, release, same, secret_key, zeroed

from linnet.kernels.name_hashes import hashed, prefix_hash, with_room

# Lookups to prefetch ahead.
AHEAD = cython.declare(cython.Py_ssize_t, 64)
# Small: every column of categories has a table of its own, there may be thousands of columns, and a file of a few
# bytes for each may ask for many vocabularies.
FIRST_CAPACITY = cython.declare(cython.Py_ssize_t, 16)
FIRST_SHIFT = cython.declare(cython.int, 60)
ROOMY = cython.declare(cython.Py_ssize_t, 1 << 20)
# The number of a name that has none.
_MISSING = cython.declare(cython.uint, 0xFFFFFFFF)
MOST = cython.declare(cython.Py_ssize_t, 0x7FFFFFFE)
# Names are compared this many bytes at a time; the arena has as many spare bytes at its end.
WORD_BYTES = cython.declare(cython.Py_ssize_t, 8)


@cython.final
@cython.cclass
class Vocabulary:
    """Names numbered in order of first appearance; see the top of this file."""

    def __cinit__(self, bits: cython.int = 0):
        if not 0 <= bits <= 31:
            raise ValueError(f"bits must be 0 (exact) to 31, not {bits}")
        self.bits = bits
        self.odd = secrets.randbits(64) | 1
        self.capacity = FIRST_CAPACITY
        self.shift = FIRST_SHIFT
        self.room = FIRST_CAPACITY
        self.arena_room = 16 * FIRST_CAPACITY
        self.slots = cython.cast(cython.pointer(Slot), zeroed(self.capacity * cython.sizeof(Slot)))
        self.arena = cython.cast(cython.pointer(cython.uchar), malloc(self.arena_room))
        self.keys = cython.cast(cython.pointer(cython.ulonglong), malloc(self.room * cython.sizeof(cython.ulonglong)))
        self.name_starts = cython.cast(
            cython.pointer(cython.longlong), malloc((self.room + 1) * cython.sizeof(cython.longlong))
        )
        self.seen_capacity = FIRST_CAPACITY if bits else 0
        self.seen_shift = FIRST_SHIFT
        self.seen = cython.NULL
        if bits:
            self.seen = cython.cast(
                cython.pointer(cython.ulonglong), zeroed(self.seen_capacity * cython.sizeof(cython.ulonglong))
            )
        if not self.slots or not self.arena or not self.keys or not self.name_starts or (bits and not self.seen):
            raise MemoryError
        self.name_starts[0] = 0

    def __dealloc__(self):
        release(self.slots, self.capacity * cython.sizeof(Slot))
        free(self.arena)
        free(self.keys)
        free(self.name_starts)
        release(self.seen, self.seen_capacity * cython.sizeof(cython.ulonglong))

    def __len__(self):
        return self.size

    @property
    def nbytes(self):
        """The memory of its tables and names."""
        tables: cython.Py_ssize_t = self.capacity * cython.sizeof(Slot) + 8 * self.seen_capacity
        return tables + 16 * self.room + self.arena_room

    @property
    def collisions(self):
        """How many names share the number of another: 0 where names are compared by their bytes."""
        return self.distinct - self.size if self.bits else 0

    # -- tables ------------------------------------------------------------------------------------------------

    def find(self, key, prefix, prefix_length, name, length):
        """The slot of this name, or the free one where it would go."""
        at: cython.Py_ssize_t = bucket_of(key, self.shift, self.odd)
        whole: cython.Py_ssize_t = prefix_length + length
        second: cython.bint = False
        slot: cython.pointer(Slot) = cython.address(self.slots[at])
        while slot.number != 0:
            if slot.key == key:
                if self.bits != 0:
                    return slot
                if slot.length == whole and same(self.arena + slot.detail + prefix_length, name, length):
                    return slot
                if not second:  # names are never removed: whoever was sent on once always is
                    second = True
                    at = bucket_of(secret_key(prefix, prefix_length, name, length, self.odd), self.shift, self.odd)
                    slot = cython.address(self.slots[at])
                    continue
            at = (at + 1) & (self.capacity - 1)
            slot = cython.address(self.slots[at])
        return slot

    def add(self, slot, key, prefix, prefix_length, name, length):
        """Add a new name in the free slot found for it; returns its slot, which changes if the table grows."""
        needed: cython.Py_ssize_t = self.arena_used + prefix_length + length
        if self.size >= MOST:
            with cython.gil:
                raise MemoryError("more than 2^31 names")
        if needed + WORD_BYTES > self.arena_room:
            while self.arena_room < needed + WORD_BYTES:
                self.arena_room *= 2
            grown: cython.p_void = realloc(self.arena, self.arena_room)
            if not grown:
                with cython.gil:
                    raise MemoryError
            self.arena = cython.cast(cython.pointer(cython.uchar), grown)
        slot.key = key
        slot.detail = 0 if self.bits else self.arena_used
        slot.length = cython.cast(cython.uint, prefix_length + length)
        memcpy(self.arena + self.arena_used, prefix, prefix_length)
        memcpy(self.arena + self.arena_used + prefix_length, name, length)
        self.arena_used = needed
        self.keys[self.size] = key
        self.size += 1
        self.name_starts[self.size] = needed
        slot.number = cython.cast(cython.uint, self.size)
        if self.is_full() or self.size == self.room:
            self.grow()
            return self.find(key, prefix, prefix_length, name, length)
        return slot

    def mask(self):
        """The bits of a fingerprint that are the key of its name."""
        if self.bits:
            return (cython.cast(cython.ulonglong, 1) << self.bits) - 1
        return ~cython.cast(cython.ulonglong, 0)

    def is_full(self):
        """At a quarter while it is small, when a second probe costs more than memory; later at half."""
        return (4 if self.capacity < ROOMY else 2) * self.size > self.capacity

    def notice(self, fingerprint):
        """Count a fingerprint if it is new (0 is kept as 1, because 0 marks a free entry)."""
        if fingerprint == 0:
            fingerprint = 1
        at: cython.Py_ssize_t = bucket_of(fingerprint, self.seen_shift, self.odd)
        while self.seen[at] != 0:
            if self.seen[at] == fingerprint:
                return 0
            at = (at + 1) & (self.seen_capacity - 1)
        self.seen[at] = fingerprint
        self.distinct += 1
        if 2 * self.distinct > self.seen_capacity:
            self.grow_seen()
        return 0

    def grow(self):
        """Double the room, and move every slot to its new bucket."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        old: cython.Py_ssize_t = self.capacity
        key: cython.ulonglong
        second: cython.bint
        slot: cython.pointer(Slot)
        slots: cython.pointer(Slot)
        if self.size == self.room:
            more: cython.p_void = realloc(self.keys, 2 * self.room * cython.sizeof(cython.ulonglong))
            if more:
                self.keys = cython.cast(cython.pointer(cython.ulonglong), more)
                more = realloc(self.name_starts, (2 * self.room + 1) * cython.sizeof(cython.longlong))
            if not more:
                with cython.gil:
                    raise MemoryError
            self.name_starts = cython.cast(cython.pointer(cython.longlong), more)
            self.room *= 2
        if self.is_full():
            slots = cython.cast(cython.pointer(Slot), zeroed(2 * old * cython.sizeof(Slot)))
            if not slots:
                with cython.gil:
                    raise MemoryError
            self.capacity = 2 * old
            self.shift -= 1
            for i in range(old):
                if self.slots[i].number == 0:
                    continue
                slot = cython.address(self.slots[i])
                second = False
                at = bucket_of(slot.key, self.shift, self.odd)
                while slots[at].number != 0:
                    if slots[at].key == slot.key and not second:  # as in `find`
                        second = True
                        key = secret_key(self.arena, 0, self.arena + slot.detail, slot.length, self.odd)
                        at = bucket_of(key, self.shift, self.odd)
                    else:
                        at = (at + 1) & (self.capacity - 1)
                slots[at] = slot[0]
            release(self.slots, old * cython.sizeof(Slot))
            self.slots = slots
        return 0

    def grow_seen(self):
        """Double the room for fingerprints."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        capacity: cython.Py_ssize_t = 2 * self.seen_capacity
        seen: cython.pointer(cython.ulonglong) = cython.cast(
            cython.pointer(cython.ulonglong), zeroed(capacity * cython.sizeof(cython.ulonglong))
        )
        if not seen:
            with cython.gil:
                raise MemoryError
        for i in range(self.seen_capacity):
            if self.seen[i] != 0:
                at = bucket_of(self.seen[i], self.seen_shift - 1, self.odd)
                while seen[at] != 0:
                    at = (at + 1) & (capacity - 1)
                seen[at] = self.seen[i]
        release(self.seen, self.seen_capacity * cython.sizeof(cython.ulonglong))
        self.seen = seen
        self.seen_capacity = capacity
        self.seen_shift -= 1
        return 0

    # -- from names to numbers -----------------------------------------------------------------------------------

    def numbered(
        self,
        text: cython.const[cython.uchar][::1],
        fingerprints: cython.const[cython.ulonglong][::1],
        names: cython.const[cython.uint][::1],
        lengths: cython.const[cython.uint][::1],
        others: cython.const[cython.ulonglong][::1],
        prefix: bytes,
        frozen: cython.bint,
    ):
        """The numbers of the names of a block of kernels/ngrams.py.

        New names get new numbers unless `frozen`: then their number is _MISSING, and any number of threads may read.
        """
        into = np.empty(names.shape[0], dtype=np.uint32)
        out: cython.uint[::1] = into
        lead: cython.pointer(cython.const[cython.uchar]) = cython.cast(cython.p_uchar, prefix)
        lead_length: cython.Py_ssize_t = len(prefix)
        mask: cython.ulonglong = self.mask()
        text = with_room(text, int((np.asarray(names) + np.asarray(lengths)).max(initial=0)))
        base: cython.pointer(cython.const[cython.uchar]) = cython.address(text[0])
        i: cython.Py_ssize_t
        ahead: cython.Py_ssize_t
        slot: cython.pointer(Slot)
        with cython.nogil:
            for i in range(min(out.shape[0], AHEAD)):
                prefetch(cython.address(self.slots[bucket_of(fingerprints[i] & mask, self.shift, self.odd)]))
            for i in range(out.shape[0]):
                ahead = i + AHEAD
                if ahead < out.shape[0]:
                    prefetch(cython.address(self.slots[bucket_of(fingerprints[ahead] & mask, self.shift, self.odd)]))
                ahead = i + AHEAD // 2
                if ahead < out.shape[0] and not self.bits:  # its slot has been fetched: prefetch its name
                    slot = cython.address(self.slots[bucket_of(fingerprints[ahead], self.shift, self.odd)])
                    if slot.number != 0:
                        prefetch(self.arena + slot.detail)
                slot = self.find(fingerprints[i] & mask, lead, lead_length, base + names[i], lengths[i])
                if slot.number == 0:
                    if frozen:
                        out[i] = _MISSING
                        continue
                    slot = self.add(slot, fingerprints[i] & mask, lead, lead_length, base + names[i], lengths[i])
                out[i] = slot.number - 1
                if self.bits and not frozen and slot.detail != fingerprints[i]:
                    self.notice(fingerprints[i])
                    slot.detail = fingerprints[i]
            if not frozen:
                for i in range(others.shape[0]):
                    self.notice(others[i])
        return into

    def numbers(
        self,
        text: cython.const[cython.uchar][::1],
        starts: cython.const[cython.longlong][::1],
        prefix: bytes,
        frozen: cython.bint,
    ):
        """The number of each name prefix + text[starts[i]:starts[i + 1]]; -1 for a new one if `frozen`."""
        hashes: cython.const[cython.ulonglong][::1] = hashed(text, starts)
        into = np.empty(starts.shape[0] - 1, dtype=np.int64)
        out: cython.longlong[::1] = into
        lead: cython.pointer(cython.const[cython.uchar]) = cython.cast(cython.p_uchar, prefix)
        lead_length: cython.Py_ssize_t = len(prefix)
        seed: cython.ulonglong = prefix_hash(prefix)
        mask: cython.ulonglong = self.mask()
        text = with_room(text, starts[starts.shape[0] - 1])
        base: cython.pointer(cython.const[cython.uchar]) = cython.address(text[0])
        i: cython.Py_ssize_t
        h: cython.ulonglong
        slot: cython.pointer(Slot)
        with cython.nogil:
            for i in range(out.shape[0]):
                h = chained(seed, hashes[i])
                slot = self.find(h & mask, lead, lead_length, base + starts[i], starts[i + 1] - starts[i])
                if slot.number == 0:
                    if frozen:
                        out[i] = -1
                        continue
                    slot = self.add(slot, h & mask, lead, lead_length, base + starts[i], starts[i + 1] - starts[i])
                if self.bits and not frozen:
                    self.notice(h)
                out[i] = cython.cast(cython.longlong, slot.number) - 1
        return into

    # -- to a file and back ----------------------------------------------------------------------------------------

    def stored(self):
        """(keys, name bytes, name starts, fingerprints of all names): the whole state, for a file."""
        keys = np.empty(self.size, dtype=np.uint64)
        starts = np.empty(self.size + 1, dtype=np.int64)
        names = np.empty(self.arena_used, dtype=np.uint8)
        seen = np.empty(self.distinct, dtype=np.uint64)
        a: cython.ulonglong[::1] = keys
        b: cython.longlong[::1] = starts
        c: cython.uchar[::1] = names
        d: cython.ulonglong[::1] = seen
        i: cython.Py_ssize_t
        found: cython.Py_ssize_t = 0
        for i in range(self.size):
            a[i] = self.keys[i]
        for i in range(self.size + 1):
            b[i] = self.name_starts[i]
        if self.arena_used:
            memcpy(cython.address(c[0]), self.arena, self.arena_used)
        for i in range(self.seen_capacity):
            if self.seen[i] != 0:
                d[found] = self.seen[i]
                found += 1
        seen.sort()
        return keys, names, starts, seen

    @staticmethod
    def restored(
        bits: cython.int,
        keys: cython.const[cython.ulonglong][::1],
        names: cython.const[cython.uchar][::1],
        starts: cython.const[cython.longlong][::1],
        seen: cython.const[cython.ulonglong][::1],
    ):
        """The vocabulary with this stored state; ValueError if a name is there twice."""
        if seen.shape[0] and not bits:
            raise ValueError("an exact vocabulary has no fingerprints beside its names")
        new: Vocabulary = Vocabulary(bits)
        i: cython.Py_ssize_t
        length: cython.Py_ssize_t
        slot: cython.pointer(Slot)
        names = with_room(names, starts[starts.shape[0] - 1])
        base: cython.pointer(cython.const[cython.uchar]) = cython.address(names[0])
        for i in range(keys.shape[0]):
            length = starts[i + 1] - starts[i]
            slot = new.find(keys[i], base, 0, base + starts[i], length)
            if slot.number != 0:
                raise ValueError(f"feature {i} has the name or key of an earlier one")
            new.add(slot, keys[i], base, 0, base + starts[i], length)
        for i in range(seen.shape[0]):
            new.notice(seen[i])
        return new

    def __reduce__(self):
        return Vocabulary.restored, (self.bits, *self.stored())

    def name(self, number: cython.Py_ssize_t):
        """The name with this number."""
        if not 0 <= number < self.size:
            raise IndexError(f"there are {self.size} names: {number} is out of range")
        start: cython.Py_ssize_t = self.name_starts[number]
        return self.arena[start : self.name_starts[number + 1]].decode("utf-8", "replace")

    def names(self):
        """All names, by number."""
        found: list = []
        number: cython.Py_ssize_t
        for number in range(self.size):
            found.append(self.arena[self.name_starts[number] : self.name_starts[number + 1]].decode("utf-8", "replace"))
        return found
