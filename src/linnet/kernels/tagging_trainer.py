"""Training a sequence tagger: the structured perceptron of Collins (2002), averaged, or passive-aggressive steps.

The score of tags y for a sentence x is the sum over tokens t of w[f, y_t] for the features f of t, and of T[y_t-1,
y_t]. The best tags are found by Viterbi; where they are not the true ones, w moves by the difference Δ of the
features of both: w += τ Δ, with τ = 1, or τ = min(C, (wrong tokens - w·Δ) / ‖Δ‖²) (passive-aggressive, or 1-best
MIRA: Crammer and others 2006).

A feature has weights for the tags that it met in a mistake, and for no others: a row of pairs of tag and weight,
which grows.  The mean of the weights after every sentence is w - u / sentences, with u += (sentences before) Δ:
exact, because the steps of the perceptron are whole numbers."""

import cython
import numpy as np
from cython.cimports.libc.stdlib import calloc, free, malloc, realloc
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.linnet.kernels.passes import prefetch
from cython.cimports.linnet.kernels.tagging_decoder import NEVER, viterbi
from cython.cimports.linnet.kernels.tagging_trainer import Row, Sums, Weight

# Features whose rows, and whose weights, are fetched ahead.
ROWS_AHEAD = cython.declare(cython.Py_ssize_t, 24)
WEIGHTS_AHEAD = cython.declare(cython.Py_ssize_t, 10)
# Weights of all features together: their places have 32 bits.
MOST_WEIGHTS = cython.declare(cython.Py_ssize_t, 0xFFFFFFF0)
MOST_TAGS = 0xFFF0


@cython.final
@cython.cclass
class TagTrainer:
    """Weights, and the sentences that they are trained on."""

    def __cinit__(self, ids, starts, sentences, gold, only, features: cython.Py_ssize_t, allowed):
        """`allowed` is a square array, tags + 1 long, of which tag may follow which; the last is the outside."""
        self.ids = ids
        self.starts = starts
        self.sentences = sentences
        self.gold = gold
        self.only = only
        self.tags = allowed.shape[0] - 1
        self.width = (self.tags + 1 + 3) // 4 * 4
        self.features = features
        _check(ids, starts, sentences, gold, only, features, self.tags)
        longest: cython.Py_ssize_t = max(1, int(np.diff(np.asarray(sentences)).max(initial=1)))
        self.room = 1 << 16
        square: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.width) * self.width
        self.rows = cython.cast(cython.pointer(Row), calloc(max(features, 1), cython.sizeof(Row)))
        self.weights = cython.cast(cython.pointer(Weight), malloc(self.room * cython.sizeof(Weight)))
        self.sums = cython.cast(cython.pointer(Sums), malloc(self.room * cython.sizeof(Sums)))
        self.trans = cython.cast(cython.pointer(cython.float), calloc(square, cython.sizeof(cython.float)))
        self.trans_sums = cython.cast(cython.pointer(Sums), calloc(square, cython.sizeof(Sums)))
        self.emit = cython.cast(cython.pointer(cython.float), malloc(longest * self.width * 4))
        self.scratch = cython.cast(cython.pointer(cython.float), malloc(2 * self.width * 4))
        self.origins = cython.cast(cython.pointer(cython.int), malloc(longest * self.width * 4))
        self.guess = cython.cast(cython.pointer(cython.int), malloc(longest * 4))
        if not (self.rows and self.weights and self.sums and self.trans and self.trans_sums and self.emit
                and self.scratch and self.origins and self.guess):  # fmt: skip
            raise MemoryError
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        may: cython.const[cython.uchar][:, ::1] = np.ascontiguousarray(allowed, dtype=np.uint8)
        for i in range(self.width):
            for j in range(self.width):
                if i > self.tags or j > self.tags or not may[i, j]:
                    self.trans[i * self.width + j] = NEVER

    def __dealloc__(self):
        free(self.rows)
        free(self.weights)
        free(self.sums)
        free(self.trans)
        free(self.trans_sums)
        free(self.emit)
        free(self.scratch)
        free(self.origins)
        free(self.guess)

    def score(self, s, averaged):
        """The scores of all tags of all tokens of a sentence, to `emit`."""
        first: cython.Py_ssize_t = self.sentences[s]
        stop: cython.Py_ssize_t = self.sentences[s + 1]
        last: cython.Py_ssize_t = self.starts[stop]
        t: cython.Py_ssize_t
        f: cython.Py_ssize_t
        c: cython.Py_ssize_t
        to: cython.pointer(cython.float)
        row: Row
        scale: cython.double = 1.0 / self.steps if self.steps else 0.0
        memset(self.emit, 0, (stop - first) * self.width * 4)
        for t in range(first, stop):
            if self.only[t] >= 0:
                continue
            to = self.emit + (t - first) * self.width
            for f in range(self.starts[t], self.starts[t + 1]):
                if f + ROWS_AHEAD < last:
                    prefetch(cython.address(self.rows[self.ids[f + ROWS_AHEAD]]))
                    prefetch(cython.address(self.weights[self.rows[self.ids[f + WEIGHTS_AHEAD]].start]))
                row = self.rows[self.ids[f]]
                if averaged:
                    for c in range(row.start, row.start + row.count):
                        to[self.weights[c].tag] += cython.cast(cython.float, self.weights[c].w - self.sums[c].u * scale)
                else:
                    for c in range(row.start, row.start + row.count):
                        to[self.weights[c].tag] += self.weights[c].w

    def place(self, feature, tag):
        """Where the weight of a feature for a tag is; it is made if there is none."""
        row: cython.pointer(Row) = cython.address(self.rows[feature])
        c: cython.Py_ssize_t
        wider: cython.Py_ssize_t
        for c in range(row.start, row.start + row.count):
            if self.weights[c].tag == tag:
                return c
        if row.count == row.room:
            wider = 2 * row.room if row.room else 2
            if wider > self.tags:
                wider = self.tags
            if self.used + wider > self.room:
                self.grow(self.used + wider)
            if row.count:
                memcpy(self.weights + self.used, self.weights + row.start, row.count * cython.sizeof(Weight))
                memcpy(self.sums + self.used, self.sums + row.start, row.count * cython.sizeof(Sums))
            row.start = cython.cast(cython.uint, self.used)
            row.room = cython.cast(cython.ushort, wider)
            self.used += wider
        c = row.start + row.count
        row.count += 1
        self.weights[c].tag = tag
        self.weights[c].w = 0.0
        self.sums[c].u = 0.0
        self.sums[c].delta = 0.0
        return c

    def grow(self, needed):
        room: cython.Py_ssize_t = self.room
        if needed > MOST_WEIGHTS:
            with cython.gil:
                raise MemoryError("more than 2^32 weights")
        while room < needed:
            room *= 2
        more: cython.p_void = realloc(self.weights, room * cython.sizeof(Weight))
        if more:
            self.weights = cython.cast(cython.pointer(Weight), more)
            more = realloc(self.sums, room * cython.sizeof(Sums))
        if not more:
            with cython.gil:
                raise MemoryError
        self.sums = cython.cast(cython.pointer(Sums), more)
        self.room = room
        return 0

    def gather(self, s, margin):
        """Put Δ, the features of the true tags less those of the guess, beside the weights; returns ‖Δ‖², and w·Δ."""
        first: cython.Py_ssize_t = self.sentences[s]
        n: cython.Py_ssize_t = self.sentences[s + 1] - first
        norm: cython.double = 0.0
        t: cython.Py_ssize_t
        f: cython.Py_ssize_t
        c: cython.Py_ssize_t
        truth: cython.int
        wrong: cython.int
        before: cython.int
        guessed: cython.int
        for t in range(n):
            truth = self.gold[first + t]
            wrong = self.guess[t]
            if truth == wrong or self.only[first + t] >= 0:
                continue
            for f in range(self.starts[first + t], self.starts[first + t + 1]):
                c = self.place(self.ids[f], truth)
                norm += 2.0 * self.sums[c].delta + 1.0
                self.sums[c].delta += 1.0
                margin[0] += self.weights[c].w
                c = self.place(self.ids[f], wrong)
                norm += -2.0 * self.sums[c].delta + 1.0
                self.sums[c].delta -= 1.0
                margin[0] -= self.weights[c].w
        before = self.tags
        guessed = self.tags
        for t in range(n + 1):
            truth = self.gold[first + t] if t < n else self.tags
            wrong = self.guess[t] if t < n else self.tags
            if truth != wrong or before != guessed:
                c = cython.cast(cython.Py_ssize_t, before) * self.width + truth
                norm += 2.0 * self.trans_sums[c].delta + 1.0
                self.trans_sums[c].delta += 1.0
                margin[0] += self.trans[c]
                c = cython.cast(cython.Py_ssize_t, guessed) * self.width + wrong
                norm += -2.0 * self.trans_sums[c].delta + 1.0
                self.trans_sums[c].delta -= 1.0
                margin[0] -= self.trans[c]
            before = truth
            guessed = wrong
        return norm

    def step(self, w, sums, tau):
        """w += τ Δ for one weight, as far as its float can move, and the same to the sums."""
        old: cython.float = w[0]
        if sums.delta != 0.0:
            w[0] = cython.cast(cython.float, old + tau * sums.delta)
            sums.u += (cython.cast(cython.double, w[0]) - old) * cython.cast(cython.double, self.steps - 1)
            sums.delta = 0.0

    def update(self, s, tau):
        """Make the step that `gather` has put beside the weights."""
        first: cython.Py_ssize_t = self.sentences[s]
        n: cython.Py_ssize_t = self.sentences[s + 1] - first
        t: cython.Py_ssize_t
        f: cython.Py_ssize_t
        c: cython.Py_ssize_t
        row: Row
        before: cython.int = self.tags
        guessed: cython.int = self.tags
        truth: cython.int
        wrong: cython.int
        for t in range(n):
            if self.gold[first + t] == self.guess[t] or self.only[first + t] >= 0:
                continue
            for f in range(self.starts[first + t], self.starts[first + t + 1]):
                row = self.rows[self.ids[f]]
                for c in range(row.start, row.start + row.count):
                    self.step(cython.address(self.weights[c].w), cython.address(self.sums[c]), tau)
        for t in range(n + 1):
            truth = self.gold[first + t] if t < n else self.tags
            wrong = self.guess[t] if t < n else self.tags
            c = cython.cast(cython.Py_ssize_t, before) * self.width + truth
            self.step(cython.address(self.trans[c]), cython.address(self.trans_sums[c]), tau)
            c = cython.cast(cython.Py_ssize_t, guessed) * self.width + wrong
            self.step(cython.address(self.trans[c]), cython.address(self.trans_sums[c]), tau)
            before = truth
            guessed = wrong
        return 0

    def train(self, order: cython.const[cython.longlong][::1], C: cython.double = 0.0):
        """One step for each of these sentences, in this order; passive-aggressive with C, if it is not 0.

        Returns the sentences and the tokens that were wrong, and the number of tokens.
        """
        i: cython.Py_ssize_t
        t: cython.Py_ssize_t
        s: cython.Py_ssize_t
        n: cython.Py_ssize_t
        first: cython.Py_ssize_t
        missed: cython.Py_ssize_t
        wrong_sentences: cython.Py_ssize_t = 0
        wrong_tokens: cython.Py_ssize_t = 0
        tokens: cython.Py_ssize_t = 0
        norm: cython.double
        margin: cython.double
        tau: cython.double
        _check_order(order, self.sentences.shape[0] - 1)
        with cython.nogil:
            for i in range(order.shape[0]):
                s = order[i]
                first = self.sentences[s]
                n = self.sentences[s + 1] - first
                self.steps += 1
                tokens += n
                if n == 0:
                    continue
                self.score(s, False)
                viterbi(self.emit, self.trans, cython.address(self.only[first]), n, self.tags, self.width, self.scratch,
                        self.origins, self.guess)  # fmt: skip
                missed = 0
                for t in range(n):
                    missed += self.guess[t] != self.gold[first + t]
                if missed == 0:
                    continue
                wrong_sentences += 1
                wrong_tokens += missed
                margin = 0.0
                norm = self.gather(s, cython.address(margin))
                tau = 1.0
                if C > 0.0:
                    tau = (missed - margin) / norm if norm > 0.0 else 0.0
                    if tau > C:
                        tau = C
                self.update(s, tau)
        return wrong_sentences, wrong_tokens, tokens

    def decode(self, which: cython.const[cython.longlong][::1], averaged: cython.bint = True):
        """The best tags of these sentences, one after the other, by the mean of the weights or by the last."""
        _check_order(which, self.sentences.shape[0] - 1)
        lengths = np.diff(np.asarray(self.sentences))[np.asarray(which)]
        into = np.empty(int(lengths.sum()), dtype=np.int32)
        if not into.size:
            return into
        out: cython.int[::1] = into
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        s: cython.Py_ssize_t
        n: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        square: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.width) * self.width
        trans: cython.pointer(cython.float) = cython.cast(cython.pointer(cython.float), malloc(square * 4))
        if not trans:
            raise MemoryError
        scale: cython.double = 1.0 / self.steps if self.steps and averaged else 0.0
        with cython.nogil:
            for c in range(square):
                trans[c] = cython.cast(cython.float, self.trans[c] - self.trans_sums[c].u * scale)
            for i in range(which.shape[0]):
                s = which[i]
                n = self.sentences[s + 1] - self.sentences[s]
                if n == 0:
                    continue
                self.score(s, averaged)
                viterbi(self.emit, trans, cython.address(self.only[self.sentences[s]]), n, self.tags, self.width,
                        self.scratch, self.origins, cython.address(out[at]))  # fmt: skip
                at += n
        free(trans)
        return into

    def weights_of(self, averaged: cython.bint = True):
        """The weights that are not 0: where the row of each feature begins, tags, weights; and those of transitions,
        tags + 1 squared, the last standing for the outside."""
        f: cython.Py_ssize_t
        c: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        w: cython.double
        scale: cython.double = 1.0 / self.steps if self.steps and averaged else 0.0
        starts_out = np.zeros(self.features + 1, dtype=np.int64)
        tags_out = np.empty(max(self.used, 1), dtype=np.int32)
        weights_out = np.empty(max(self.used, 1), dtype=np.float64)
        starts: cython.longlong[::1] = starts_out
        tags: cython.int[::1] = tags_out
        weights: cython.double[::1] = weights_out
        with cython.nogil:
            for f in range(self.features):
                for c in range(self.rows[f].start, self.rows[f].start + self.rows[f].count):
                    w = self.weights[c].w - self.sums[c].u * scale
                    if w != 0.0:
                        tags[at] = self.weights[c].tag
                        weights[at] = w
                        at += 1
                starts[f + 1] = at
        between = np.zeros((self.tags + 1, self.tags + 1))
        for f in range(self.tags + 1):
            for c in range(self.tags + 1):
                between[f, c] = self.trans[f * self.width + c] - self.trans_sums[f * self.width + c].u * scale
        return starts_out, tags_out[:at].copy(), weights_out[:at].copy(), between


def _check(ids, starts, sentences, gold, only, features, tags):
    """That the arrays fit one another: the loops believe them."""
    ids, starts, sentences = np.asarray(ids), np.asarray(starts), np.asarray(sentences)
    gold, only = np.asarray(gold), np.asarray(only)
    tokens = len(starts) - 1
    sound = (
        0 < tags <= MOST_TAGS
        and starts[0] == 0
        and starts[tokens] == len(ids)
        and bool((np.diff(starts) >= 0).all())
        and sentences[0] == 0
        and sentences[len(sentences) - 1] == tokens == len(gold) == len(only)
        and bool((np.diff(sentences) >= 0).all())
        and int(ids.max(initial=0)) < max(features, 1)
        and int(gold.max(initial=0)) < tags
        and int(gold.min(initial=0)) >= 0
        and int(only.max(initial=-1)) < tags
    )
    if not sound:
        raise ValueError("sentences, features and tags do not fit one another")


def _check_order(order, sentences):
    order = np.asarray(order)
    if len(order) and (int(order.min()) < 0 or int(order.max()) >= sentences):
        raise ValueError("there is no such sentence")
