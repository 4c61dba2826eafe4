"""The n-grams of a block of rows: the distinct ones, and how often each row has them.

A block has far fewer distinct names than words, few enough for their table to stay in the cache.  So threads count
blocks independently; only the distinct names are then looked up in the vocabulary (vocabulary.py), block after block.
A counter is reused from block to block: stamps distinguish the rows of this block from earlier ones, so the table need
not be cleared.

Names of equal hashes, or of hashes for one bucket, can be made on purpose: see vocabulary.py for what is done about it.
"""

import secrets

import cython
import numpy as np
from cython.cimports.libc.stdlib import calloc, free
from cython.cimports.libc.string import memset
from cython.cimports.linnet.kernels.ngrams import Cell, Counts, Gram, Sizes
from cython.cimports.linnet.kernels.passes import prefetch
from cython.cimports.linnet.kernels.vocabulary import bucket_of, chained, same, secret_key

from linnet.kernels.name_hashes import prefix_hash, with_room

# Lookups to prefetch ahead.
AHEAD = cython.declare(cython.Py_ssize_t, 16)
FIRST_CAPACITY = cython.declare(cython.Py_ssize_t, 1024)
LAST_STAMP = cython.declare(cython.Py_ssize_t, 0xFFFFFFFF)
# Set in the length of a name of one token of up to eight bytes.  The hash of such a token is invertible (tokenizer.py:
# every step is), so two of them with equal keys and lengths are equal, and their bytes need not be compared.
SURE = cython.declare(cython.uint, 0x80000000)
SURE_BYTES = cython.declare(cython.uint, 8)


@cython.final
@cython.cclass
class Counter:
    """Counts n-grams, a block at a time."""

    def __cinit__(self):
        self.capacity = FIRST_CAPACITY
        self.shift = 54
        self.odd = secrets.randbits(64) | 1
        self.cells = cython.cast(cython.pointer(Cell), calloc(self.capacity, cython.sizeof(Cell)))
        if not self.cells:
            raise MemoryError

    def __dealloc__(self):
        free(self.cells)

    def clear(self):
        """Free all cells, and restart the stamps."""
        memset(self.cells, 0, self.capacity * cython.sizeof(Cell))
        self.row = 0
        return 0

    def grow(self, base, bits):
        """Make the table four times as large, and move every name of this block to its new bucket."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        old: cython.Py_ssize_t = self.capacity
        key: cython.ulonglong
        length: cython.uint
        second: cython.bint
        cell: cython.pointer(Cell)
        cells: cython.pointer(Cell) = cython.cast(cython.pointer(Cell), calloc(4 * old, cython.sizeof(Cell)))
        if not cells:
            with cython.gil:
                raise MemoryError
        self.capacity = 4 * old
        self.shift -= 2
        for i in range(old):
            if self.cells[i].row < self.first_row:
                continue
            cell = cython.address(self.cells[i])
            second = False
            at = bucket_of(cell.key, self.shift, self.odd)
            while cells[at].row != 0:
                if cells[at].key == cell.key and not second and not bits:  # as in `count_row`
                    second = True
                    length = cython.cast(cython.uint, cell.detail) & ~SURE
                    key = secret_key(base, 0, base + (cell.detail >> 32), length, self.odd)
                    at = bucket_of(key, self.shift, self.odd)
                else:
                    at = (at + 1) & (self.capacity - 1)
            cells[at] = cell[0]
        free(self.cells)
        self.cells = cells
        return 0

    def count(
        self,
        text: cython.const[cython.uchar][::1],
        tokens: tuple,
        sizes: tuple,
        prefix: bytes,
        bits: cython.int,
        results,
    ):
        """Count every row's runs of n tokens within a segment, for n from sizes[0] to sizes[1].

        `tokens` is (starts, hashes, segments, row_segments) of kernels/tokenizer.py.  `sizes` is (shortest, longest,
        gap, whole): `gap` bytes separate two tokens (words: 1; characters: 0); with `whole` a segment too short for any
        run counts as one.  Empty row_segments: every row is one segment.  `bits` as in a vocabulary: 0 compares bytes.

        Returns the rows (starts, ids, counts), and the names that the ids stand for, in the order of first appearance:
        their fingerprints, offsets in text, and lengths, and the fingerprints of other names that collided with them.
        All arrays are in `results` (data/features/buffers.py), and valid until it is reused.
        """
        token_starts: cython.const[cython.uint][::1] = tokens[0]
        hashes: cython.const[cython.ulonglong][::1] = tokens[1]
        segments: cython.const[cython.longlong][::1] = tokens[2]
        row_segments: cython.const[cython.longlong][::1] = tokens[3]
        sized: Sizes
        sized.shortest, sized.longest, sized.gap, sized.whole = sizes
        rows: cython.Py_ssize_t = (row_segments.shape[0] if row_segments.shape[0] else segments.shape[0]) - 1
        most: cython.Py_ssize_t = hashes.shape[0] * (sized.longest - sized.shortest + 1)
        starts: cython.longlong[::1] = results.array("row_starts", rows + 1, np.int64)
        into: Counts
        arrays = self.arrays(cython.address(into), most, bits, results)
        firsts = np.asarray(segments)
        if row_segments.shape[0]:
            firsts = firsts[np.asarray(row_segments)]
        longest_row: cython.Py_ssize_t = int(np.diff(firsts).max(initial=0)) * (sized.longest - sized.shortest + 1)
        room: cython.ulonglong[::1] = results.array("grams", 2 * longest_row + 2, np.uint64)
        grams: cython.pointer(Gram) = cython.cast(cython.pointer(Gram), cython.address(room[0]))
        seed: cython.ulonglong = prefix_hash(prefix)
        base: cython.pointer(cython.const[cython.uchar]) = cython.NULL
        if most:
            text = with_room(text, token_starts[hashes.shape[0]])
            base = cython.address(text[0])
        if rows >= LAST_STAMP - self.row:
            self.clear()
        self.first_row = self.row + 1
        r: cython.Py_ssize_t
        s: cython.Py_ssize_t
        first: cython.Py_ssize_t
        last: cython.Py_ssize_t
        filled: cython.Py_ssize_t
        with cython.nogil:
            starts[0] = 0
            for r in range(rows):
                self.row += 1
                first = row_segments[r] if row_segments.shape[0] else r
                last = row_segments[r + 1] if row_segments.shape[0] else r + 1
                filled = 0
                for s in range(first, last):
                    if segments[s] < segments[s + 1]:
                        filled += segment_grams(
                            cython.address(token_starts[segments[s]]), cython.address(hashes[segments[s]]),
                            segments[s + 1] - segments[s], seed, cython.address(sized), grams + filled,
                        )  # fmt: skip
                self.count_row(grams, filled, base, bits, cython.address(into))
                starts[r + 1] = into.written
        ids, counts, fingerprints, names, lengths, others = arrays
        return (
            (np.asarray(starts), ids[: into.written], counts[: into.written]),
            (fingerprints[: into.size], names[: into.size], lengths[: into.size], others[: into.noticed]),
        )

    def arrays(self, into, most, bits, results):
        """Arrays for what is counted, which `into` points to."""
        into.size = into.written = into.noticed = 0
        ids: cython.uint[::1] = results.array("ids", most, np.uint32)
        counts: cython.uint[::1] = results.array("counts", most, np.uint32)
        fingerprints: cython.ulonglong[::1] = results.array("fingerprints", most, np.uint64)
        names: cython.uint[::1] = results.array("names", most, np.uint32)
        lengths: cython.uint[::1] = results.array("lengths", most, np.uint32)
        others: cython.ulonglong[::1] = results.array("others", most if bits else 0, np.uint64)
        if most:
            into.ids = cython.address(ids[0])
            into.counts = cython.address(counts[0])
            into.fingerprints = cython.address(fingerprints[0])
            into.names = cython.address(names[0])
            into.lengths = cython.address(lengths[0])
            if bits:
                into.others = cython.address(others[0])
        return (
            np.asarray(ids), np.asarray(counts), np.asarray(fingerprints),
            np.asarray(names), np.asarray(lengths), np.asarray(others),
        )  # fmt: skip

    def count_row(self, grams, filled, base, bits, into):
        """Count the n-grams of a row: each is looked up among the names of this block, and added if it is new."""
        mask: cython.ulonglong = ~cython.cast(cython.ulonglong, 0)
        if bits:
            mask = (cython.cast(cython.ulonglong, 1) << bits) - 1
        row: cython.uint = self.row
        first_row: cython.uint = self.first_row
        cells: cython.pointer(Cell) = self.cells
        shift: cython.int = self.shift
        odd: cython.ulonglong = self.odd
        second: cython.bint
        size: cython.Py_ssize_t = into.size
        written: cython.Py_ssize_t = into.written
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        h: cython.ulonglong
        key: cython.ulonglong
        again: cython.uint
        entry: cython.uint
        cell: cython.pointer(Cell)
        for i in range(min(filled, AHEAD)):
            prefetch(cython.address(cells[bucket_of(grams[i].key & mask, shift, odd)]))
        for i in range(filled):
            if i + AHEAD < filled:
                prefetch(cython.address(cells[bucket_of(grams[i + AHEAD].key & mask, shift, odd)]))
            h = grams[i].key
            key = h & mask
            at = bucket_of(key, shift, odd)
            cell = cython.address(cells[at])
            second = False
            while cell.row >= first_row:
                if cell.key == key:
                    if bits or (
                        cython.cast(cython.uint, cell.detail) == grams[i].length
                        and (
                            grams[i].length & SURE
                            or same(base + (cell.detail >> 32), base + grams[i].name, grams[i].length)
                        )
                    ):
                        break
                    if not second:
                        second = True
                        at = bucket_of(
                            secret_key(base, 0, base + grams[i].name, grams[i].length & ~SURE, odd), shift, odd
                        )
                        cell = cython.address(cells[at])
                        continue
                at = (at + 1) & (self.capacity - 1)
                cell = cython.address(cells[at])
            if cell.row < first_row:
                cell.key = key
                cell.detail = h if bits else cython.cast(cython.ulonglong, grams[i].name) << 32 | grams[i].length
                cell.number = cython.cast(cython.uint, size)
                cell.row = 0
                into.fingerprints[size] = h
                into.names[size] = grams[i].name
                into.lengths[size] = grams[i].length & ~SURE
                size += 1
            elif bits and cell.detail != h:
                cell.detail = h
                into.others[into.noticed] = h
                into.noticed += 1
            # new in this row, or counted again?  Without branches, which could not be predicted
            again = 0 - cython.cast(cython.uint, cell.row == row)  # all bits, or none
            entry = cython.cast(cython.uint, written)
            entry ^= (entry ^ cell.entry) & again
            cell.row = row
            cell.entry = entry
            into.ids[entry] = cell.number
            into.counts[entry] = (into.counts[entry] & again) + 1
            written += 1 + cython.cast(cython.int, again)
            if 2 * size > self.capacity:
                self.grow(base, bits)
                cells = self.cells
                shift = self.shift
        into.size = size
        into.written = written
        return 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def segment_grams(
    starts: cython.pointer(cython.const[cython.uint]),
    hashes: cython.pointer(cython.const[cython.ulonglong]),
    tokens: cython.Py_ssize_t,
    seed: cython.ulonglong,
    sizes: cython.pointer(Sizes),
    grams: cython.pointer(Gram),
) -> cython.Py_ssize_t:
    """The n-grams of one segment of this many tokens; how many there are."""
    u: cython.Py_ssize_t
    n: cython.Py_ssize_t
    filled: cython.Py_ssize_t = 0
    h: cython.ulonglong
    length: cython.uint
    for u in range(tokens):
        h = seed
        n = 0
        while n < sizes.longest and u + n < tokens:
            h = chained(h, hashes[u + n])
            n += 1
            if n < sizes.shortest and not (sizes.whole and u == 0 and n == tokens):
                continue
            grams[filled].key = h
            grams[filled].name = starts[u]
            length = starts[u + n] - cython.cast(cython.uint, sizes.gap) - starts[u]
            if n == 1 and length <= SURE_BYTES:
                length |= SURE
            grams[filled].length = length
            filled += 1
    return filled
