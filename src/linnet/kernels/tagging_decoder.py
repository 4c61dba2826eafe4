"""Prediction of tag sequences: the scores of tokens from the rows of their features, and the best sequences of tags.

The features of a token that depend on one word alone (its own, or one beside it) are summed once for every different
word, for each of its places, and kept: a token then costs a few additions of vectors, and lookups only of the
features that join several tokens.  Sums are made in the same order whether they are kept or not: what is kept changes
no bit."""

import cython
import numpy as np
from cython.cimports.libc.stdlib import free, malloc, realloc
from cython.cimports.libc.string import memset
from cython.cimports.linnet.kernels.tagging_decoder import NEVER, add_scores, viterbi
from cython.cimports.linnet.kernels.tagging_features import Numbering, feature, followed, outside
from cython.cimports.linnet.kernels.tagging_margins import margins_of, trigram_margins
from cython.cimports.linnet.kernels.tagging_pruning import Pruning
from cython.cimports.linnet.kernels.tagging_trigrams import Trigrams

from linnet.kernels.tagging_features import by_offset
from linnet.kernels.tagging_pruning import is_prunable

_MISSING = cython.declare(cython.uint, 0xFFFFFFFF)
# Offsets of templates are at most this.
FARTHEST = 8
_FARTHEST = cython.declare(cython.Py_ssize_t, 8)
# A template has at most this many features that are looked up together.
MOST_TEMPLATES = 256


@cython.final
@cython.cclass
class TagScorer:
    """The weights of a tagger, and the sums of those that depend on one word."""

    numbering: Numbering
    row_starts: cython.const[cython.longlong][::1]
    row_tags: cython.const[cython.int][::1]
    row_weights: cython.const[cython.float][::1]
    tags = cython.declare(cython.int, visibility="readonly")
    width = cython.declare(cython.int, visibility="readonly")
    trans: cython.float[::1]
    block_starts: cython.const[cython.int][::1]
    block_places: cython.const[cython.int][::1]
    templates: cython.const[cython.int][:, ::1]
    bounded: cython.const[cython.uchar][::1]
    singles: cython.const[cython.int][:, ::1]
    joint: cython.const[cython.int][::1]
    offsets: cython.const[cython.int][::1]
    edges: cython.float[:, :, ::1]
    sums: cython.pointer(cython.float)
    words: cython.Py_ssize_t
    room: cython.Py_ssize_t
    only: cython.pointer(cython.int)
    trigrams: Trigrams  # None: first order
    pruning: Pruning  # None: few tags, or not all may follow all

    def __init__(self, keys, rows, between, templates, bounded, parts: cython.int, triples=None):
        """`keys` are the hashes of the features, `rows` where their weights begin, the tags and the weights; `between`
        the scores of transitions; `parts` the number of atoms that depend on the word alone; `triples` the scores of
        three tags in a row, of second order."""
        self.numbering = Numbering()
        numbers = self.numbering.numbers(keys)
        if len(self.numbering) != len(keys) or (len(keys) and int(numbers.max()) != len(keys) - 1):
            raise ValueError("features are not distinct")
        starts, tags, weights = rows
        self.tags = between.shape[0] - 1
        if (
            len(starts) != len(keys) + 1
            or starts[0] != 0
            or starts[len(keys)] != len(tags)
            or len(tags) != len(weights)
            or (np.diff(starts) < 0).any()
            or int(tags.max(initial=0)) >= max(self.tags, 1)
            or int(tags.min(initial=0)) < 0
        ):
            raise ValueError("rows of weights do not fit")
        self.row_starts = np.ascontiguousarray(starts, dtype=np.int64)
        self.row_tags = np.ascontiguousarray(tags, dtype=np.int32)
        self.row_weights = np.ascontiguousarray(weights, dtype=np.float32)
        self.width = (self.tags + 1 + 3) // 4 * 4
        square = np.full((self.width, self.width), NEVER, dtype=np.float32)
        square[: self.tags + 1, : self.tags + 1] = between
        self.trans = square.reshape(-1)
        self.block_starts, self.block_places = followed_tags(square, self.tags)
        self.trigrams = None
        if triples is not None:
            self.trigrams = Trigrams(np.asarray(between) > NEVER / 2, False)
            self.trigrams.fill(triples)
        self.pruning = None
        if triples is None and is_prunable(np.asarray(between) > NEVER / 2):
            self.pruning = Pruning(self.tags, self.width)
            self.pruning.bound(cython.address(self.trans[0]))
        self.templates = templates
        self.bounded = bounded
        count = len(templates)
        if count > MOST_TEMPLATES or (count and int(np.abs(templates[:, 2::2]).max(initial=0)) > FARTHEST):
            raise ValueError("too many templates, or too far away")
        # templates of one word: each with the number of its offset
        singles, joint, group_starts, offsets = by_offset(templates, parts)
        groups = np.repeat(np.arange(len(offsets), dtype=np.int32), np.diff(group_starts))
        self.offsets = offsets
        self.singles = np.ascontiguousarray(np.stack([singles, groups], axis=1))
        self.joint = joint
        self.edges = np.zeros((len(offsets), 2 * FARTHEST + 1, self.width), dtype=np.float32)
        self.sum_edges()
        self.forget()

    def __dealloc__(self):
        free(self.sums)
        free(self.only)

    @property
    def known(self):
        """How many words the sums are kept of."""
        return self.words

    @property
    def bytes_per_word(self):
        return 4 * self.width * self.offsets.shape[0] + 4

    def forget(self):
        """Keep no sums."""
        free(self.sums)
        free(self.only)
        self.words = 0
        self.room = 1024
        size: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, max(1, self.offsets.shape[0])) * self.width * 4
        self.sums = cython.cast(cython.pointer(cython.float), malloc(self.room * size))
        self.only = cython.cast(cython.pointer(cython.int), malloc(self.room * 4))
        if not self.sums or not self.only:
            raise MemoryError

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_row(self, h: cython.ulonglong, into: cython.pointer(cython.float)) -> cython.void:
        """Add the weights of a feature, if it has some."""
        number: cython.uint = self.numbering.find(h)
        c: cython.Py_ssize_t
        if number != _MISSING:
            for c in range(self.row_starts[number], self.row_starts[number + 1]):
                into[self.row_tags[c]] += self.row_weights[c]

    @cython.cfunc
    def sum_edges(self):
        """The sums of places outside of a sentence, by their distance."""
        s: cython.Py_ssize_t
        e: cython.Py_ssize_t
        d: cython.Py_ssize_t
        k: cython.Py_ssize_t
        h: cython.ulonglong
        for s in range(self.singles.shape[0]):
            k = self.singles[s, 0]
            for d in range(-_FARTHEST, _FARTHEST + 1):
                if d == 0:
                    continue
                h = k + 1
                for e in range(self.templates[k, 0]):
                    if not self.bounded[self.templates[k, 1 + 2 * e]]:
                        h = 0
                        break
                    h = followed(h, outside(d))
                if h != 0:
                    self.add_row(h, cython.address(self.edges[self.singles[s, 1], d + _FARTHEST, 0]))

    def learn(self, atoms: cython.const[cython.ulonglong][:, ::1], only: cython.const[cython.int][::1]):
        """Sum and keep what more words contribute, by their atoms; `only` is the tag of words that have but one, or
        -1."""
        more: cython.Py_ssize_t = atoms.shape[0]
        size: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.offsets.shape[0]) * self.width
        if self.words + more > self.room:
            while self.words + more > self.room:
                self.room *= 2
            grown: cython.p_void = realloc(self.sums, max(1, self.room * size * 4))
            if grown:
                self.sums = cython.cast(cython.pointer(cython.float), grown)
                grown = realloc(self.only, self.room * 4)
            if not grown:
                raise MemoryError
            self.only = cython.cast(cython.pointer(cython.int), grown)
        w: cython.Py_ssize_t
        s: cython.Py_ssize_t
        e: cython.Py_ssize_t
        k: cython.Py_ssize_t
        h: cython.ulonglong
        into: cython.pointer(cython.float)
        with cython.nogil:
            for w in range(more):
                into = self.sums + (self.words + w) * size
                memset(into, 0, size * 4)
                self.only[self.words + w] = only[w]
                for s in range(self.singles.shape[0]):
                    k = self.singles[s, 0]
                    h = k + 1
                    for e in range(self.templates[k, 0]):
                        if atoms[w, self.templates[k, 1 + 2 * e]] == 0:
                            h = 0
                            break
                        h = followed(h, atoms[w, self.templates[k, 1 + 2 * e]])
                    if h != 0:
                        self.add_row(h, into + self.singles[s, 1] * self.width)
        self.words += more

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def score(
        self,
        atoms: cython.const[cython.ulonglong][:, ::1],
        own: cython.const[cython.uint][::1],
        others: cython.const[cython.ulonglong][:, ::1],
        begin: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        only: cython.pointer(cython.int),
        emit: cython.pointer(cython.float),
    ) -> cython.void:
        """The scores of all tags of the tokens of a sentence."""
        hashes: cython.ulonglong[256]
        t: cython.Py_ssize_t
        g: cython.Py_ssize_t
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t
        distance: cython.Py_ssize_t
        to: cython.pointer(cython.float)
        groups: cython.Py_ssize_t = self.offsets.shape[0]
        memset(emit, 0, (stop - begin) * self.width * 4)
        for t in range(begin, stop):
            only[t - begin] = self.only[own[t]]
            if only[t - begin] >= 0:
                continue
            to = emit + (t - begin) * self.width
            for k in range(self.joint.shape[0]):
                hashes[k] = feature(
                    atoms, own, others, atoms.shape[1], self.templates, self.joint[k], t, begin, stop, self.bounded
                )
                if hashes[k] != 0:
                    self.numbering.ask_for(hashes[k])
            for g in range(groups):
                place = t + self.offsets[g]
                if place < begin or place >= stop:
                    distance = place - begin if place < begin else place - stop + 1
                    add_scores(to, cython.address(self.edges[g, distance + _FARTHEST, 0]), self.width)
                else:
                    add_scores(to, self.sums + (own[place] * groups + g) * self.width, self.width)
            for k in range(self.joint.shape[0]):
                if hashes[k] != 0:
                    self.add_row(hashes[k], to)

    def decode(
        self,
        atoms: cython.const[cython.ulonglong][:, ::1],
        own: cython.const[cython.uint][::1],
        others: cython.const[cython.ulonglong][:, ::1],
        sentences: cython.const[cython.longlong][::1],
        margins: cython.bint = False,
    ):
        """The best tags of all tokens; with `margins`, also by how much the best sequence that has another tag at a
        token scores less.

        The atoms of token t are atoms[own[t]] and others[t]; the words must have been learned.
        """
        tokens: cython.Py_ssize_t = own.shape[0]
        into = np.empty(tokens, dtype=np.int32)
        margins_out = np.empty(tokens if margins else 0, dtype=np.float32)
        if tokens == 0:
            return into, margins_out
        if int(np.asarray(own).max()) >= self.words or int(np.asarray(own).max()) >= atoms.shape[0]:
            raise ValueError("a word that has not been learned")
        if sentences[sentences.shape[0] - 1] != tokens or others.shape[0] != tokens:
            raise ValueError("sentences and tokens do not fit")
        longest: cython.Py_ssize_t = int(np.diff(np.asarray(sentences)).max())
        out: cython.int[::1] = into
        gaps: cython.float[::1] = margins_out
        emit_room: cython.float[::1] = np.empty(longest * self.width, dtype=np.float32)
        pairs: cython.bint = self.trigrams is not None
        ahead_room: cython.float[::1] = np.empty(longest * self.width if margins and not pairs else 1, dtype=np.float32)
        rows: cython.float[::1] = np.empty(longest * self.width, dtype=np.float32)
        only: cython.int[::1] = np.empty(longest, dtype=np.int32)
        if pairs:
            self.trigrams.reserve(longest)
        if self.pruning is not None:
            self.pruning.reserve(longest)
        s: cython.Py_ssize_t
        n: cython.Py_ssize_t
        top: cython.float
        with cython.nogil:
            for s in range(sentences.shape[0] - 1):
                n = sentences[s + 1] - sentences[s]
                if n == 0:
                    continue
                self.score(atoms, own, others, sentences[s], sentences[s + 1], cython.address(only[0]),
                           cython.address(emit_room[0]))  # fmt: skip
                if pairs:
                    top = self.trigrams.viterbi(self.trigrams.scores, cython.address(emit_room[0]),
                                                cython.address(self.trans[0]), cython.address(only[0]), n,
                                                cython.address(out[sentences[s]]))  # fmt: skip
                elif self.pruning is not None:
                    top = self.pruning.viterbi(cython.address(emit_room[0]), cython.address(self.trans[0]),
                                               cython.address(only[0]), n,
                                               cython.address(out[sentences[s]]))  # fmt: skip
                else:
                    top = viterbi(cython.address(emit_room[0]), cython.address(self.trans[0]),
                                  cython.address(self.block_starts[0]), cython.address(self.block_places[0]),
                                  cython.address(only[0]), n, self.tags, self.width, cython.address(rows[0]),
                                  cython.address(out[sentences[s]]))  # fmt: skip
                if margins and pairs:
                    trigram_margins(self.trigrams, cython.address(emit_room[0]), cython.address(self.trans[0]),
                                    cython.address(only[0]), n, top, cython.address(out[sentences[s]]),
                                    cython.address(gaps[sentences[s]]))  # fmt: skip
                elif margins:
                    margins_of(cython.address(emit_room[0]), cython.address(self.trans[0]), cython.address(only[0]), n,
                               self.tags, self.width, cython.address(ahead_room[0]), top,
                               cython.address(out[sentences[s]]), cython.address(gaps[sentences[s]]))  # fmt: skip
        return into, margins_out

    def scores(self, atoms, own, others, sentences):
        """The scores of all tags for all tokens, tokens × tags, and the tag of those that have but one (-1 for
        others)."""
        tokens: cython.Py_ssize_t = len(own)
        emit_out = np.zeros((max(tokens, 1), self.width), dtype=np.float32)
        only_out = np.full(max(tokens, 1), -1, dtype=np.int32)
        emit: cython.float[:, ::1] = emit_out
        only: cython.int[::1] = only_out
        bounds: cython.const[cython.longlong][::1] = sentences
        s: cython.Py_ssize_t
        if tokens and (int(np.asarray(own).max()) >= self.words or bounds[bounds.shape[0] - 1] != tokens):
            raise ValueError("a word that has not been learned")
        for s in range(bounds.shape[0] - 1):
            if bounds[s + 1] > bounds[s]:
                self.score(atoms, own, others, bounds[s], bounds[s + 1], cython.address(only[bounds[s]]),
                           cython.address(emit[bounds[s], 0]))  # fmt: skip
        return emit_out[:tokens, : self.tags], only_out[:tokens]


def followed_tags(square, tags):
    """For each block of four tags, which tags one of them may follow: where the lists begin, and the lists."""
    may = np.asarray(square)[:tags] > NEVER / 2
    blocks = may.reshape(tags, -1, 4).any(axis=2)
    lists = [np.flatnonzero(column) for column in blocks.T]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in lists])])
    return starts.astype(np.int32), np.concatenate([*lists, [0]]).astype(np.int32)
