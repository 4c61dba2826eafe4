"""Features of tokens, by 64-bit hashes: hashes numbered in the order of first appearance, and templates applied to
atoms.

An atom is a property of one token: a part of its word (tagging_parts.py) or the value of another column.  A template
is a list of atoms of tokens around the one to tag; its feature is the hash of the template's number and the atoms,
and there is none where an atom is absent.  Features are identified by their hashes alone: of ten million, two have
the same one with a chance of 3 in a million."""

import secrets

import cython
import numpy as np
from cython.cimports.linnet.kernels.passes import prefetch
from cython.cimports.linnet.kernels.tagging_features import Key, bytes_hash, followed
from cython.cimports.linnet.kernels.vocabulary import bucket_of, release, zeroed

# The number of a hash that has none.
MISSING = 0xFFFFFFFF
_MISSING = cython.declare(cython.uint, 0xFFFFFFFF)
MOST = cython.declare(cython.Py_ssize_t, 0x7FFFFFFE)
FIRST_SHIFT = cython.declare(cython.int, 54)
# What an atom before or behind the sentence is, by its distance from it.
OUTSIDE = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


@cython.final
@cython.cclass
class Numbering:
    """Hashes numbered 0, 1, 2, ... in the order of first appearance."""

    def __cinit__(self):
        self.odd = secrets.randbits(64) | 1
        self.shift = FIRST_SHIFT
        self.capacity = cython.cast(cython.Py_ssize_t, 1) << (64 - self.shift)
        self.slots = cython.cast(cython.pointer(Key), zeroed(self.capacity * cython.sizeof(Key)))
        if not self.slots:
            raise MemoryError

    def __dealloc__(self):
        release(self.slots, self.capacity * cython.sizeof(Key))

    def __len__(self):
        return self.size

    def find(self, key):
        at: cython.Py_ssize_t = bucket_of(key, self.shift, self.odd)
        while self.slots[at].key != 0:
            if self.slots[at].key == key:
                return self.slots[at].number
            at = (at + 1) & (self.capacity - 1)
        return _MISSING

    def ask_for(self, key):
        """Fetch the memory of a lookup that will follow."""
        prefetch(cython.address(self.slots[bucket_of(key, self.shift, self.odd)]))

    def add(self, key, number):
        """The number of a key, which may be new; returns whether it is."""
        at: cython.Py_ssize_t = bucket_of(key, self.shift, self.odd)
        while self.slots[at].key != 0:
            if self.slots[at].key == key:
                number[0] = self.slots[at].number
                return 0
            at = (at + 1) & (self.capacity - 1)
        if self.size >= MOST:
            with cython.gil:
                raise MemoryError("more than 2^31 features")
        self.slots[at].key = key
        self.slots[at].number = cython.cast(cython.uint, self.size)
        number[0] = self.slots[at].number
        self.size += 1
        if 2 * self.size > self.capacity:
            self.grow()
        return 1

    def grow(self):
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        capacity: cython.Py_ssize_t = 4 * self.capacity
        slots: cython.pointer(Key) = cython.cast(cython.pointer(Key), zeroed(capacity * cython.sizeof(Key)))
        if not slots:
            with cython.gil:
                raise MemoryError
        self.shift -= 2
        for i in range(self.capacity):
            if self.slots[i].key != 0:
                at = bucket_of(self.slots[i].key, self.shift, self.odd)
                while slots[at].key != 0:
                    at = (at + 1) & (capacity - 1)
                slots[at] = self.slots[i]
        release(self.slots, self.capacity * cython.sizeof(Key))
        self.slots = slots
        self.capacity = capacity
        return 0

    def numbers(self, keys: cython.const[cython.ulonglong][::1], frozen: cython.bint = False):
        """The number of each key; new ones get numbers unless `frozen`: then theirs is MISSING."""
        into = np.empty(keys.shape[0], dtype=np.uint32)
        out: cython.uint[::1] = into
        i: cython.Py_ssize_t
        with cython.nogil:
            for i in range(keys.shape[0]):
                if i + 16 < keys.shape[0]:
                    self.ask_for(keys[i + 16])
                if keys[i] == 0:
                    out[i] = _MISSING
                elif frozen:
                    out[i] = self.find(keys[i])
                else:
                    self.add(keys[i], cython.address(out[i]))
        return into

    def keys(self):
        """The keys, by their numbers."""
        into = np.empty(self.size, dtype=np.uint64)
        out: cython.ulonglong[::1] = into
        i: cython.Py_ssize_t
        for i in range(self.capacity):
            if self.slots[i].key != 0:
                out[self.slots[i].number] = self.slots[i].key
        return into

    def numbers_and_firsts(self, keys: cython.const[cython.ulonglong][::1]):
        """The number of each key, none of which is 0, and for every new number the place of its key."""
        into = np.empty(keys.shape[0], dtype=np.uint32)
        firsts_out = np.empty(keys.shape[0], dtype=np.int64)
        out: cython.uint[::1] = into
        firsts: cython.longlong[::1] = firsts_out
        used: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        with cython.nogil:
            for i in range(keys.shape[0]):
                if i + 16 < keys.shape[0]:
                    self.ask_for(keys[i + 16])
                if self.add(keys[i], cython.address(out[i])):
                    firsts[used] = i
                    used += 1
        return into, firsts_out[:used]


def field_hashes(
    data: cython.const[cython.uchar][::1],
    begins: cython.const[cython.uint][::1],
    ends: cython.const[cython.uint][::1],
    seed: cython.ulonglong,
):
    """A hash of each field data[begins[i]:ends[i]]."""
    into = np.empty(begins.shape[0], dtype=np.uint64)
    out: cython.ulonglong[::1] = into
    i: cython.Py_ssize_t
    if begins.shape[0] == 0:
        return into
    last: cython.Py_ssize_t = int(np.asarray(ends).max())
    if last > data.shape[0] or bool((np.asarray(begins) > np.asarray(ends)).any()):
        raise ValueError("fields are outside of their text")
    if last == 0:
        into[:] = bytes_hash(seed, cython.NULL, 0)
        return into
    with cython.nogil:
        for i in range(begins.shape[0]):
            out[i] = bytes_hash(seed, cython.address(data[0]) + begins[i], ends[i] - begins[i])
    return into


def outside(distance):
    """The atom of a token that is this far before (-1, -2, ...) or behind (1, 2, ...) its sentence."""
    return followed(OUTSIDE, cython.cast(cython.ulonglong, distance))


def features(
    atoms: cython.const[cython.ulonglong][:, ::1],
    own: cython.const[cython.uint][::1],
    others: cython.const[cython.ulonglong][:, ::1],
    sentences: cython.const[cython.longlong][::1],
    templates: cython.const[cython.int][:, ::1],
    bounded: cython.const[cython.uchar][::1],
    numbering: Numbering,
    counted: cython.bint,
):
    """The numbers of the features of all tokens: numbers, where those of each token begin, and for every number the
    first token and the template that made it.

    The atoms of token t are atoms[own[t]] and then others[t].  A template is pairs of atom and offset, and its first
    entry is their number; `bounded` says which atoms stand for the end of the sentence, too, where a token is outside.
    """
    tokens: cython.Py_ssize_t = own.shape[0]
    count: cython.Py_ssize_t = templates.shape[0]
    parts: cython.Py_ssize_t = atoms.shape[1]
    grouped, joined, group_starts, group_offsets = by_offset(templates, parts)
    singles: cython.const[cython.int][::1] = grouped
    joint: cython.const[cython.int][::1] = joined
    hashes: cython.ulonglong[::1] = np.zeros(max(1, len(joined)), dtype=np.uint64)
    bounds: cython.const[cython.int][::1] = group_starts
    offsets: cython.const[cython.int][::1] = group_offsets
    # the features of one word alone are looked up once for each different word
    of_word_out = np.full((atoms.shape[0], max(1, len(grouped))), MISSING, dtype=np.uint32)
    known_out = np.zeros((atoms.shape[0], max(1, len(group_offsets))), dtype=np.uint8)
    of_word: cython.uint[:, ::1] = of_word_out
    known: cython.uchar[:, ::1] = known_out
    starts_out = np.zeros(tokens + 1, dtype=np.int64)
    ids_out = np.empty(tokens * count, dtype=np.uint32)
    firsts: list = []
    starts: cython.longlong[::1] = starts_out
    ids: cython.uint[::1] = ids_out
    room: cython.Py_ssize_t = 1 << 16
    first_out = np.empty((room, 2), dtype=np.int64)
    first: cython.longlong[:, ::1] = first_out
    used: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    cython.declare(s=cython.Py_ssize_t, t=cython.Py_ssize_t, g=cython.Py_ssize_t, e=cython.Py_ssize_t)
    cython.declare(begin=cython.Py_ssize_t, stop=cython.Py_ssize_t, place=cython.Py_ssize_t, inside=cython.bint)
    cython.declare(k=cython.Py_ssize_t, h=cython.ulonglong, number=cython.uint)
    number = 0
    for s in range(sentences.shape[0] - 1):
        begin = sentences[s]
        stop = sentences[s + 1]
        if used + (stop - begin) * count > room:
            firsts.append(first_out[:used])
            room = max(1 << 16, (stop - begin) * count)
            first_out = np.empty((room, 2), dtype=np.int64)
            first = first_out
            used = 0
        with cython.nogil:
            for t in range(begin, stop):
                for g in range(offsets.shape[0]):
                    place = t + offsets[g]
                    inside = begin <= place < stop
                    if inside and known[own[place], g]:
                        for e in range(bounds[g], bounds[g + 1]):
                            ids[at] = of_word[own[place], e]
                            at += of_word[own[place], e] != _MISSING
                        continue
                    for e in range(bounds[g], bounds[g + 1]):
                        k = singles[e]
                        h = feature(atoms, own, others, parts, templates, k, t, begin, stop, bounded)
                        if h == 0:
                            continue
                        if numbered(numbering, h, counted, cython.address(number)):
                            first[used, 0] = t
                            first[used, 1] = k
                            used += 1
                        if inside:
                            of_word[own[place], e] = number
                        if number != _MISSING:
                            ids[at] = number
                            at += 1
                    if inside:
                        known[own[place], g] = 1
                for e in range(joint.shape[0]):
                    hashes[e] = feature(atoms, own, others, parts, templates, joint[e], t, begin, stop, bounded)
                    if hashes[e] != 0:
                        numbering.ask_for(hashes[e])
                for e in range(joint.shape[0]):
                    if hashes[e] == 0:
                        continue
                    if numbered(numbering, hashes[e], counted, cython.address(number)):
                        first[used, 0] = t
                        first[used, 1] = joint[e]
                        used += 1
                    if number != _MISSING:
                        ids[at] = number
                        at += 1
                starts[t + 1] = at
    firsts.append(first_out[:used])
    # what is behind has not been written to, and takes no memory
    return ids_out[:at], starts_out, np.concatenate(firsts)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(-1)
def numbered(
    numbering: Numbering, h: cython.ulonglong, counted: cython.bint, number: cython.pointer(cython.uint)
) -> cython.int:
    """The number of a feature, which is new if 1 is returned; MISSING if it has none and new ones are not counted."""
    if counted:
        return numbering.add(h, number)
    number[0] = numbering.find(h)
    return 0


def by_offset(templates, parts):
    """Templates of one word alone by the offset of that word, the others, where each offset begins, and the offsets."""
    groups: dict = {}
    others: list = []
    for number, template in enumerate(np.asarray(templates).tolist()):
        atoms, places = template[1 : 1 + 2 * template[0] : 2], template[2 : 2 + 2 * template[0] : 2]
        if all(atom < parts for atom in atoms) and len(set(places)) == 1:
            groups.setdefault(places[0], []).append(number)
        else:
            others.append(number)
    singles = [number for group in groups.values() for number in group]
    starts = np.concatenate([[0], np.cumsum([len(group) for group in groups.values()], dtype=np.int64)])
    return (np.array(singles, dtype=np.int32), np.array(others, dtype=np.int32), starts.astype(np.int32),
            np.array(list(groups), dtype=np.int32))  # fmt: skip


def feature(atoms, own, others, parts, templates, k, t, begin, stop, bounded):
    """The hash of a template's feature for a token of the sentence from `begin` to `stop`; 0 where there is none."""
    h: cython.ulonglong = k + 1
    e: cython.Py_ssize_t
    atom: cython.Py_ssize_t
    place: cython.Py_ssize_t
    value: cython.ulonglong
    for e in range(templates[k, 0]):
        atom = templates[k, 1 + 2 * e]
        place = t + templates[k, 2 + 2 * e]
        if place < begin or place >= stop:
            if not bounded[atom]:
                return 0
            value = outside(place - begin if place < begin else place - stop + 1)
        elif atom < parts:
            value = atoms[own[place], atom]
        else:
            value = others[place, atom - parts]
        if value == 0:
            return 0
        h = followed(h, value)
    return h
