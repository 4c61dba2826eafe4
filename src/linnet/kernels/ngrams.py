"""The n-grams of a block of rows: which there are, and how often each row has them.

A block has far fewer different names than words, and few enough for their table to stay in the cache.  So blocks are
counted by themselves, on whichever thread is free; only their different names are then looked for in the vocabulary
(vocabulary.py), block after block.  A counter is used for one block after another: stamps tell the rows of this block
from those of earlier ones, so the table need not be cleared.
"""

import cython
import numpy as np
from cython.cimports.libc.stdlib import calloc, free
from cython.cimports.libc.string import memset
from cython.cimports.linnet.kernels.ngrams import Gram, Place
from cython.cimports.linnet.kernels.passes import prefetch
from cython.cimports.linnet.kernels.vocabulary import chained, place_of, same

from linnet.kernels.vocabulary import prefix_hash, with_room

# A lookup is begun so many before it is finished: the memory it needs is fetched meanwhile.
AHEAD = cython.declare(cython.Py_ssize_t, 16)
FIRST_CAPACITY = cython.declare(cython.Py_ssize_t, 1024)
LAST_STAMP = cython.declare(cython.Py_ssize_t, 0xFFFFFFFF)
# Set in the length of a name of one unit of up to eight bytes.  The hash of such a unit has an inverse (words.py: every
# step has one), so two of them with equal keys and lengths are equal, and their bytes need not be looked at.
SURE = cython.declare(cython.uint, 0x80000000)
SURE_BYTES = cython.declare(cython.uint, 8)


@cython.final
@cython.cclass
class Counter:
    """Counts n-grams, a block at a time."""

    def __cinit__(self):
        self.capacity = FIRST_CAPACITY
        self.shift = 54
        self.places = cython.cast(cython.pointer(Place), calloc(self.capacity, cython.sizeof(Place)))
        if not self.places:
            raise MemoryError

    def __dealloc__(self):
        free(self.places)

    def clear(self):
        """All places free, and all stamps new."""
        memset(self.places, 0, self.capacity * cython.sizeof(Place))
        self.row = 0
        return 0

    def grow(self):
        """Four times the room, and every name of this block in its new place."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        old: cython.Py_ssize_t = self.capacity
        places: cython.pointer(Place) = cython.cast(cython.pointer(Place), calloc(4 * old, cython.sizeof(Place)))
        if not places:
            with cython.gil:
                raise MemoryError
        self.capacity = 4 * old
        self.shift -= 2
        for i in range(old):
            if self.places[i].row < self.first_row:
                continue
            at = place_of(self.places[i].key, self.shift)
            while places[at].row != 0:
                at = (at + 1) & (self.capacity - 1)
            places[at] = self.places[i]
        free(self.places)
        self.places = places
        return 0

    def count(
        self,
        text: cython.const[cython.uchar][::1],
        unit_starts: cython.const[cython.uint][::1],
        hashes: cython.const[cython.ulonglong][::1],
        segments: cython.const[cython.longlong][::1],
        row_segments: cython.const[cython.longlong][::1],
        shortest: cython.Py_ssize_t,
        longest: cython.Py_ssize_t,
        gap: cython.Py_ssize_t,
        whole: cython.bint,
        prefix: bytes,
        bits: cython.int,
        results,
    ):
        """Every row's runs of `shortest` to `longest` units within a segment.

        Units come from kernels/tokenizer.py; `gap` bytes lie between two of them (words: 1; characters: 0).  With
        `whole` a segment too short for any run counts as one.  Empty row_segments: every row is one segment.
        `bits` as in a vocabulary: 0 tells names apart by their bytes.

        Returns the rows (starts, ids, counts), and the names that the ids stand for, in the order they were met: their
        fingerprints, first bytes in text, and lengths, and the fingerprints of others that fell together with them.
        All of it lies in `results` (data/features/buffers.py) until these are used again.
        """
        rows: cython.Py_ssize_t = (row_segments.shape[0] if row_segments.shape[0] else segments.shape[0]) - 1
        most: cython.Py_ssize_t = hashes.shape[0] * (longest - shortest + 1)
        starts_out = results.array("row_starts", rows + 1, np.int64)
        ids_out = results.array("ids", most, np.uint32)
        counts_out = results.array("counts", most, np.uint32)
        fingerprints_out = results.array("fingerprints", most, np.uint64)
        names_out = results.array("names", most, np.uint32)
        lengths_out = results.array("lengths", most, np.uint32)
        others_out = results.array("others", most if bits else 0, np.uint64)
        starts: cython.longlong[::1] = starts_out
        ids: cython.uint[::1] = ids_out
        counts: cython.uint[::1] = counts_out
        fingerprints: cython.ulonglong[::1] = fingerprints_out
        names: cython.uint[::1] = names_out
        lengths: cython.uint[::1] = lengths_out
        others: cython.ulonglong[::1] = others_out
        firsts = np.asarray(segments)
        if row_segments.shape[0]:
            firsts = firsts[np.asarray(row_segments)]
        longest_row: cython.Py_ssize_t = int(np.diff(firsts).max(initial=0)) * (longest - shortest + 1)
        room: cython.ulonglong[::1] = results.array("grams", 2 * longest_row + 2, np.uint64)
        grams: cython.pointer(Gram) = cython.cast(cython.pointer(Gram), cython.address(room[0]))
        seed: cython.ulonglong = prefix_hash(prefix)
        mask: cython.ulonglong = ~cython.cast(cython.ulonglong, 0)
        if bits:
            mask = (cython.cast(cython.ulonglong, 1) << bits) - 1
        base: cython.pointer(cython.const[cython.uchar]) = cython.NULL
        if most:
            text = with_room(text, unit_starts[hashes.shape[0]])
            base = cython.address(text[0])
        if rows >= LAST_STAMP - self.row:
            self.clear()
        row: cython.uint = self.row
        first_row: cython.uint = row + 1
        self.first_row = first_row
        places: cython.pointer(Place) = self.places
        shift: cython.int = self.shift
        r: cython.Py_ssize_t
        s: cython.Py_ssize_t
        u: cython.Py_ssize_t
        n: cython.Py_ssize_t
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        first: cython.Py_ssize_t
        last: cython.Py_ssize_t
        stop: cython.Py_ssize_t
        filled: cython.Py_ssize_t
        written: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t = 0
        noticed: cython.Py_ssize_t = 0
        h: cython.ulonglong
        key: cython.ulonglong
        name: cython.ulonglong
        again: cython.uint
        length: cython.uint
        entry: cython.uint
        place: cython.pointer(Place)
        with cython.nogil:
            starts[0] = 0
            for r in range(rows):
                row += 1
                first = row_segments[r] if row_segments.shape[0] else r
                last = row_segments[r + 1] if row_segments.shape[0] else r + 1
                filled = 0
                for s in range(first, last):
                    stop = segments[s + 1]
                    for u in range(segments[s], stop):
                        h = seed
                        n = 0
                        while n < longest and u + n < stop:
                            h = chained(h, hashes[u + n])
                            n += 1
                            if n < shortest and not (whole and u == segments[s] and u + n == stop):
                                continue
                            grams[filled].key = h
                            grams[filled].name = unit_starts[u]
                            length = unit_starts[u + n] - cython.cast(cython.uint, gap) - unit_starts[u]
                            if n == 1 and length <= SURE_BYTES:
                                length |= SURE
                            grams[filled].length = length
                            filled += 1
                for i in range(min(filled, AHEAD)):
                    prefetch(cython.address(places[place_of(grams[i].key & mask, shift)]))
                for i in range(filled):
                    if i + AHEAD < filled:
                        h = grams[i + AHEAD].key
                        prefetch(cython.address(places[place_of(h & mask, shift)]))
                    h = grams[i].key
                    key = h & mask
                    name = cython.cast(cython.ulonglong, grams[i].name) << 32 | grams[i].length
                    at = place_of(key, shift)
                    place = cython.address(places[at])
                    while place.row >= first_row:
                        if place.key == key and (
                            bits
                            or (
                                cython.cast(cython.uint, place.detail) == grams[i].length
                                and (
                                    grams[i].length & SURE
                                    or same(base + (place.detail >> 32), base + grams[i].name, grams[i].length)
                                )
                            )
                        ):
                            break
                        at = (at + 1) & (self.capacity - 1)
                        place = cython.address(places[at])
                    if place.row < first_row:
                        place.key = key
                        place.detail = h if bits else name
                        place.number = cython.cast(cython.uint, size)
                        place.row = 0
                        fingerprints[size] = h
                        names[size] = grams[i].name
                        lengths[size] = grams[i].length & ~SURE
                        size += 1
                    elif bits and place.detail != h:
                        place.detail = h
                        others[noticed] = h
                        noticed += 1
                    # is it new in this row, or counted once more?  Without branches, which nobody could foresee
                    again = 0 - cython.cast(cython.uint, place.row == row)  # all bits, or none
                    entry = cython.cast(cython.uint, written)
                    entry ^= (entry ^ place.entry) & again
                    place.row = row
                    place.entry = entry
                    ids[entry] = place.number
                    counts[entry] = (counts[entry] & again) + 1
                    written += 1 + cython.cast(cython.int, again)
                    if 2 * size > self.capacity:
                        self.grow()
                        places = self.places
                        shift = self.shift
                starts[r + 1] = written
            self.row = row
        return (
            (starts_out, ids_out[:written], counts_out[:written]),
            (fingerprints_out[:size], names_out[:size], lengths_out[:size], others_out[:noticed]),
        )
