"""Tag sequences of second order: the scores of three tags in a row, and the best sequence by them.

The score of tags y for n tokens is the sum of emit[t, y_t], of T[y_t-1, y_t], and of U[y_t-2, y_t-1, y_t], over all
tokens and one place behind the sentence; K, the number of tags, stands for what is outside.  The best sequence is
found exactly (Viterbi 1967), over pairs of tags: K³ additions for each token, fewer where not all tags may follow all.
Of equal sequences it is the one whose last tag is the smallest, then the one before that, and so on, as with
transitions alone."""

import cython
import numpy as np
from cython.cimports.libc.stdlib import calloc, free, realloc
from cython.cimports.libc.string import memset
from cython.cimports.linnet.kernels.tagging_decoder import NEVER
from cython.cimports.linnet.kernels.tagging_trigrams import NO_PAIR, relax_pairs

# Decoding takes time that grows with the cube of the tags.
MOST_TRIGRAM_TAGS = 128


@cython.final
@cython.cclass
class Trigrams:
    """The scores of three tags in a row, and room to decode by them: of one thread."""

    def __cinit__(self, allowed, trained: cython.bint):
        """`allowed` is a square array, tags + 1 long, of which tag may follow which; `trained` makes room for the sums
        that training needs."""
        self.trained = trained
        self.tags = allowed.shape[0] - 1
        if not 0 < self.tags <= MOST_TRIGRAM_TAGS:
            raise ValueError(f"second order takes up to {MOST_TRIGRAM_TAGS} tags")
        self.width = (self.tags + 1 + 3) // 4 * 4
        self.cells = cython.cast(cython.Py_ssize_t, self.tags + 1) * (self.tags + 1) * self.width
        square: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.width) * self.width
        self.scores = cython.cast(cython.pointer(cython.float), calloc(self.cells, 4))
        self.pairs = cython.cast(cython.pointer(cython.float), calloc(2 * square, 4))
        self.u = cython.cast(cython.pointer(cython.double), calloc(self.cells if trained else 1, 8))
        self.delta = cython.cast(cython.pointer(cython.double), calloc(self.cells if trained else 1, 8))
        if not (self.scores and self.pairs and self.u and self.delta):
            raise MemoryError
        may = np.zeros((self.tags + 1, self.width), dtype=bool)
        may[:, : self.tags + 1] = np.asarray(allowed, dtype=bool)
        lists = [np.flatnonzero(column) for column in may[: self.tags, : self.tags].T]
        self.starts = np.concatenate([[0], np.cumsum([len(each) for each in lists])]).astype(np.int32)
        self.places = np.concatenate([*lists, [self.tags]]).astype(np.int32)
        self.open = may.reshape(self.tags + 1, -1, 4).any(axis=2).astype(np.uint8)

    def __dealloc__(self):
        free(self.scores)
        free(self.u)
        free(self.delta)
        free(self.pairs)
        free(self.origins)

    def reserve(self, tokens):
        """Room for sentences of this many tokens."""
        if tokens > self.longest:
            grown: cython.p_void = realloc(self.origins, tokens * self.tags * self.width)
            if not grown:
                raise MemoryError
            self.origins = cython.cast(cython.p_uchar, grown)
            self.longest = tokens
        return 0

    def cell(self, h, i, j):
        return (cython.cast(cython.Py_ssize_t, i) * (self.tags + 1) + h) * self.width + j

    def values(self):
        """The scores as a cube [h, i, j], and the sums, of which the mean is made: it is scores - sums / steps."""
        side: cython.int = self.tags + 1
        scores_out = np.empty((side, side, side), dtype=np.float32)
        sums_out = np.zeros((side, side, side))
        scores: cython.float[:, :, ::1] = scores_out
        sums: cython.double[:, :, ::1] = sums_out
        h: cython.int
        i: cython.int
        j: cython.int
        for h in range(side):
            for i in range(side):
                for j in range(side):
                    scores[h, i, j] = self.scores[self.cell(h, i, j)]
                    if self.trained:
                        sums[h, i, j] = self.u[self.cell(h, i, j)]
        return scores_out, sums_out

    def fill(self, values, sums=None):
        """Take these scores, and sums in training."""
        side: cython.int = self.tags + 1
        if values.shape != (side, side, side) or (sums is not None) != self.trained:
            raise ValueError("trigrams and tags do not fit")
        if self.trained and sums.shape != values.shape:
            raise ValueError("trigrams and tags do not fit")
        given: cython.const[cython.float][:, :, ::1] = np.ascontiguousarray(values, dtype=np.float32)
        summed: cython.const[cython.double][:, :, ::1] = np.ascontiguousarray(
            np.zeros((1, 1, 1)) if sums is None else sums, dtype=np.float64
        )
        h: cython.int
        i: cython.int
        j: cython.int
        for h in range(side):
            for i in range(side):
                for j in range(side):
                    self.scores[self.cell(h, i, j)] = given[h, i, j]
                    if self.trained:
                        self.u[self.cell(h, i, j)] = summed[h, i, j]

    def viterbi(self, scores, emit, trans, only, n, out):
        """The best tags of n tokens, in `out`, and their score; there must be room for them (`reserve`)."""
        t: cython.Py_ssize_t
        i: cython.int
        j: cython.int
        first: cython.int
        slab: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.tags + 1) * self.width
        # before[i, h] and now[j, i]: the tag that was last comes first
        before: cython.pointer(cython.float) = self.pairs
        now: cython.pointer(cython.float) = self.pairs + cython.cast(cython.Py_ssize_t, self.width) * self.width
        swap: cython.pointer(cython.float)
        origin: cython.p_uchar
        for j in range(self.tags):
            before[j * self.width + self.tags] = (
                trans[self.tags * self.width + j] + scores[self.cell(self.tags, self.tags, j)] + emit[j]
            )
            if only[0] >= 0 and only[0] != j:
                before[j * self.width + self.tags] = NEVER
        for t in range(1, n):
            for i in range(self.tags):
                origin = self.origins + (t * self.tags + i) * self.width
                if only[t - 1] >= 0 and only[t - 1] != i:
                    memset(origin, 0, self.width)
                    for j in range(self.tags):
                        now[j * self.width + i] = NO_PAIR
                    continue
                first = self.starts[self.tags] if t == 1 else self.starts[i]
                relax_pairs(before + i * self.width, scores + i * slab, trans + i * self.width, emit + t * self.width,
                            self.width, cython.address(self.places[0]) + first,
                            1 if t == 1 else self.starts[i + 1] - first, cython.address(self.open[i, 0]), now + i,
                            origin)  # fmt: skip
            if only[t] >= 0:
                for j in range(self.tags):
                    if j != only[t]:
                        for i in range(self.tags):
                            now[j * self.width + i] = NEVER
            swap = before
            before = now
            now = swap
        top: cython.float = self.traced(scores, trans, before, n, out)
        for t in range(n):  # where no sequence is allowed, those known still have their tags
            if only[t] >= 0:
                out[t] = only[t]
        return top

    def traced(self, scores, trans, pairs, n, out):
        """Follow the best pair of last tags back to the beginning."""
        i: cython.int
        h: cython.int
        s: cython.float
        top: cython.float = 4 * NO_PAIR
        last: cython.int = 0
        before: cython.int = 0
        t: cython.Py_ssize_t
        for i in range(self.tags):
            for h in range(self.tags if n == 1 else 0, self.tags + 1 if n == 1 else self.tags):
                s = pairs[i * self.width + h] + scores[self.cell(h, i, self.tags)] + trans[i * self.width + self.tags]
                if s > top:
                    top = s
                    last = i
                    before = h
        out[n - 1] = last
        if n > 1:
            out[n - 2] = before
        t = n - 1
        while t > 1:
            out[t - 2] = self.origins[(t * self.tags + out[t - 1]) * self.width + out[t]]
            t -= 1
        return top

    # -- training ----------------------------------------------------------------------------------------------------

    def gather(self, truth, guess, n, margin):
        """Put Δ, the trigrams of the true tags less those of the guess, beside the scores; returns ‖Δ‖², and adds the
        scores of Δ to the margin."""
        norm: cython.double = 0.0
        t: cython.Py_ssize_t
        c: cython.Py_ssize_t
        a: cython.int[3]
        b: cython.int[3]
        a[0] = a[1] = b[0] = b[1] = self.tags
        for t in range(n + 1):
            a[2] = truth[t] if t < n else self.tags
            b[2] = guess[t] if t < n else self.tags
            if a[0] != b[0] or a[1] != b[1] or a[2] != b[2]:
                c = self.cell(a[0], a[1], a[2])
                norm += 2.0 * self.delta[c] + 1.0
                self.delta[c] += 1.0
                margin[0] += self.scores[c]
                c = self.cell(b[0], b[1], b[2])
                norm += -2.0 * self.delta[c] + 1.0
                self.delta[c] -= 1.0
                margin[0] -= self.scores[c]
            a[0], a[1] = a[1], a[2]
            b[0], b[1] = b[1], b[2]
        return norm

    def update(self, truth, guess, n, tau, steps_before):
        """Make the step that `gather` has put beside the scores."""
        t: cython.Py_ssize_t
        a: cython.int[3]
        b: cython.int[3]
        a[0] = a[1] = b[0] = b[1] = self.tags
        for t in range(n + 1):
            a[2] = truth[t] if t < n else self.tags
            b[2] = guess[t] if t < n else self.tags
            self.step(self.cell(a[0], a[1], a[2]), tau, steps_before)
            self.step(self.cell(b[0], b[1], b[2]), tau, steps_before)
            a[0], a[1] = a[1], a[2]
            b[0], b[1] = b[1], b[2]

    def step(self, c, tau, steps_before):
        old: cython.float = self.scores[c]
        if self.delta[c] != 0.0:
            self.scores[c] = cython.cast(cython.float, old + tau * self.delta[c])
            self.u[c] += (cython.cast(cython.double, self.scores[c]) - old) * steps_before
            self.delta[c] = 0.0

    def mean(self, scale, into):
        """The mean of the scores, laid out as they are; `scale` is 1 / steps."""
        c: cython.Py_ssize_t
        for c in range(self.cells):
            into[c] = cython.cast(cython.float, self.scores[c] - self.u[c] * scale)


def best_by_trigrams(emit, between, triples, only, k: cython.Py_ssize_t):
    """The k best sequences of tags of second order, best first (k × tokens), and their scores; see best_sequences.

    Each pair of tags keeps its k best beginnings.
    """
    n, tags = emit.shape
    if k < 1 or n == 0:
        return np.empty((0, n), dtype=np.int32), np.empty(0)
    emit = np.where((np.asarray(only)[:, None] < 0) | (np.asarray(only)[:, None] == np.arange(tags)), emit, -np.inf)
    between = np.where(np.asarray(between) <= NEVER / 2, -np.inf, between).astype(np.float64)
    triples = np.asarray(triples, dtype=np.float64)
    # scores[h, i, path] of the pair of h and i; what is before the first token is outside
    scores = (between[tags, :tags] + triples[tags, tags, :tags] + emit[0])[None, :, None]
    befores = triples[tags:]
    back: list = []
    for t in range(1, n):
        paths = scores.shape[2]
        count = min(k, len(befores) * paths)
        following = np.empty((tags, tags, count))
        origins = np.empty((tags, tags, count), dtype=np.int32)
        for i in range(tags):
            every = (scores[:, i, :, None] + befores[:, i, None, :tags]).reshape(-1, tags)
            kept = np.argsort(-every, axis=0, kind="stable")[:k]
            following[i] = (np.take_along_axis(every, kept, axis=0) + between[i, :tags] + emit[t]).T
            origins[i] = kept.T
        back.append((origins, paths))
        scores, befores = following, triples[:tags]
    ends = scores + befores[:, :tags, tags][:, :, None] + between[:tags, tags][None, :, None]
    last = ends.transpose(1, 0, 2).reshape(-1)
    order = np.argsort(-last, kind="stable")[:k]
    order = order[last[order] > -np.inf]
    found = np.empty((len(order), n), dtype=np.int32)
    for number, at in enumerate(order.tolist()):
        tag, before, path = np.unravel_index(at, ends.transpose(1, 0, 2).shape)
        found[number, n - 1] = tag
        for t in range(n - 1, 0, -1):
            found[number, t - 1] = before
            origins, paths = back[t - 1]
            after, tag = tag, before
            before, path = divmod(int(origins[tag, after, path]), paths)
    return found, last[order]
