"""Training a sequence tagger: the structured perceptron of Collins (2002), averaged, or passive-aggressive steps.

The score of tags y for a sentence x is the sum over tokens t of w[f, y_t] for the features f of t, and of T[y_t-1,
y_t]; of second order, of U[y_t-2, y_t-1, y_t], too (tagging_trigrams.py).  The best tags are found by Viterbi; where
they are not the true ones, w moves by the difference Δ of the features of both: w += τ Δ, with τ = 1, or τ = min(C,
(wrong tokens - w·Δ) / ‖Δ‖²) (passive-aggressive, or 1-best MIRA: Crammer and others 2006).

With a margin ρ the true tags are to score above any others by ρ for each token that these have wrong: y maximises the
score plus ρ (wrong tokens) in training (margin rescaling: Taskar, Guestrin, Koller 2003; Tsochantaridis and others
2005).

Tags of one group (the letters of a span type) have a weight in common beside those of their own: w[f, k] is the sum of
a[f, k] and c[f, group of k], and only sums are kept.  A step of +1 for tag k is +1 for all tags of its group, and +1
more for k; where the guess is of the group of the truth, what is in common stays.  ‖Δ‖² is that of a and c.

A feature has weights for the tags that it met in a mistake, and for no others: a row of pairs of tag and weight,
which grows.  The mean of the weights after every sentence is w - u / sentences, with u += (sentences before) Δ:
exact, because the steps of the perceptron are whole numbers."""

import cython
import numpy as np
from cython.cimports.libc.stdlib import calloc, free, malloc, realloc
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.linnet.kernels.tagging_decoder import NEVER, viterbi
from cython.cimports.linnet.kernels.tagging_pruning import Pruning
from cython.cimports.linnet.kernels.tagging_trainer import DENSE, Row, Sums, sum_rows
from cython.cimports.linnet.kernels.tagging_trigrams import Trigrams

from linnet.kernels.tagging_checks import check_order, check_sentences, mates_of
from linnet.kernels.tagging_decoder import followed_tags
from linnet.kernels.tagging_pruning import is_prunable

# Weights of all features together: their places have 32 bits.
MOST_WEIGHTS = cython.declare(cython.Py_ssize_t, 0xFFFFFFF0)


@cython.final
@cython.cclass
class TagTrainer:
    """Weights, and the sentences that they are trained on."""

    def __cinit__(
        self,
        ids,
        starts,
        sentences,
        gold,
        only,
        features: cython.Py_ssize_t,
        allowed,
        order=1,
        margin: cython.int = 0,
        groups=None,
    ):
        """`allowed` is a square array, tags + 1 long, of which tag may follow which; the last is the outside.  `order`
        is 1, or 2 for scores of three tags in a row; `groups` has the number of the group of each tag, every tag being
        alone by default."""
        self.ids = ids
        self.starts = starts
        self.sentences = sentences
        self.gold = gold
        self.only = only
        self.tags = allowed.shape[0] - 1
        self.width = (self.tags + 1 + 3) // 4 * 4
        self.features = features
        check_sentences(ids, starts, sentences, gold, only, features, self.tags)
        self.cost = margin
        self.groups, self.mate_starts, self.mates = mates_of(groups, self.tags)
        self.group = self.groups
        longest: cython.Py_ssize_t = max(1, int(np.diff(np.asarray(sentences)).max(initial=1)))
        self.room = 1 << 16
        self.used = self.width  # the first weights stay 0: those of features without any
        square: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.width) * self.width
        # NumPy asks for large pages, which spare a lookup of the page for most features
        self.held_rows = np.zeros(max(features, 1), dtype=np.uint64)
        held: cython.ulonglong[::1] = self.held_rows
        self.rows = cython.cast(cython.pointer(Row), cython.address(held[0]))
        self.weights = cython.cast(cython.pointer(cython.float), malloc(self.room * cython.sizeof(cython.float)))
        self.tag_of = cython.cast(cython.pointer(cython.ushort), malloc(self.room * cython.sizeof(cython.ushort)))
        self.sums = cython.cast(cython.pointer(Sums), malloc(self.room * cython.sizeof(Sums)))
        self.trans = cython.cast(cython.pointer(cython.float), calloc(square, cython.sizeof(cython.float)))
        self.trans_sums = cython.cast(cython.pointer(Sums), calloc(square, cython.sizeof(Sums)))
        self.emit = cython.cast(cython.pointer(cython.float), malloc(longest * self.width * 4))
        self.spread = cython.cast(cython.pointer(cython.float), calloc(self.width, 4))
        self.paths = cython.cast(cython.pointer(cython.float), malloc(longest * self.width * 4))
        self.guess = cython.cast(cython.pointer(cython.int), malloc(longest * 4))
        if not (self.weights and self.tag_of and self.sums and self.trans and self.trans_sums
                and self.emit and self.spread and self.paths and self.guess):  # fmt: skip
            raise MemoryError
        memset(self.weights, 0, self.used * cython.sizeof(cython.float))
        memset(self.sums, 0, self.used * cython.sizeof(Sums))
        square_of = np.full((self.width, self.width), NEVER, dtype=np.float32)
        square_of[: self.tags + 1, : self.tags + 1][np.asarray(allowed, dtype=bool)] = 0.0
        self.block_starts, self.block_places = followed_tags(square_of, self.tags)
        if order == 2:
            self.trigrams = Trigrams(allowed, True)
            self.trigrams.reserve(longest)
        elif is_prunable(allowed):
            self.pruning = Pruning(self.tags, self.width)
            self.pruning.reserve(longest)
        first: cython.const[cython.float][:, ::1] = square_of
        memcpy(self.trans, cython.address(first[0, 0]), square * cython.sizeof(cython.float))

    def __dealloc__(self):
        free(self.weights)
        free(self.tag_of)
        free(self.sums)
        free(self.trans)
        free(self.trans_sums)
        free(self.emit)
        free(self.spread)
        free(self.paths)
        free(self.guess)

    def score(self, s, weights):
        """The scores of all tags of all tokens of a sentence by these weights, laid out as those of the rows; to
        `emit`."""
        first: cython.Py_ssize_t = self.sentences[s]
        stop: cython.Py_ssize_t = self.sentences[s + 1]
        last: cython.Py_ssize_t = self.starts[stop]
        t: cython.Py_ssize_t
        ids: cython.pointer(cython.const[cython.uint]) = cython.address(self.ids[0]) if last else cython.NULL
        for t in range(first, stop):
            if self.only[t] < 0:
                sum_rows(self.rows, weights, self.tag_of, ids, self.starts[t], self.starts[t + 1], last, self.spread,
                         self.emit + (t - first) * self.width, self.width)  # fmt: skip
            else:
                memset(self.emit + (t - first) * self.width, 0, self.width * 4)

    def best(self, s, trans, trigrams, out):
        """The best tags of a sentence that has been scored."""
        only: cython.pointer(cython.const[cython.int]) = cython.address(self.only[self.sentences[s]])
        n: cython.Py_ssize_t = self.sentences[s + 1] - self.sentences[s]
        if trigrams != cython.NULL:
            self.trigrams.viterbi(trigrams, self.emit, trans, only, n, out)
        elif self.pruning is not None:
            self.pruning.viterbi(self.emit, trans, only, n, out)
        else:
            viterbi(self.emit, trans, cython.address(self.block_starts[0]), cython.address(self.block_places[0]),
                    only, n, self.tags, self.width, self.paths, out)  # fmt: skip

    def place(self, feature, tag):
        """Where the weight of a feature for a tag is; it is made if there is none."""
        row: cython.pointer(Row) = cython.address(self.rows[feature])
        c: cython.Py_ssize_t
        if row.room == DENSE:
            return row.start + tag
        for c in range(row.start, row.start + row.count):
            if self.tag_of[c] == tag:
                return c
        if row.count == row.room:
            self.widen(row)
            if row.room == DENSE:
                return row.start + tag
        c = row.start + row.count
        row.count += 1
        self.clear(c, tag)
        return c

    def clear(self, c, tag):
        self.tag_of[c] = cython.cast(cython.ushort, tag)
        self.weights[c] = 0.0
        self.sums[c].u = 0.0
        self.sums[c].delta = 0.0

    def widen(self, row):
        """Give a row that is full twice the room, or make it dense if it has weights for a sixth of the tags."""
        wider: cython.Py_ssize_t = 2 * row.room if row.room else 2
        dense: cython.bint = 6 * wider > self.tags
        c: cython.Py_ssize_t
        to: cython.Py_ssize_t
        if dense:
            wider = self.width
        if self.used + wider > self.room:
            self.grow(self.used + wider)
        for c in range(wider):  # all of it: means are made of every place, used or not
            self.clear(self.used + c, c)
        for c in range(row.count):
            to = self.used + (self.tag_of[row.start + c] if dense else c)
            self.tag_of[to] = self.tag_of[row.start + c]
            self.weights[to] = self.weights[row.start + c]
            self.sums[to] = self.sums[row.start + c]
        row.start = cython.cast(cython.uint, self.used)
        row.room = DENSE if dense else cython.cast(cython.ushort, wider)
        if dense:
            row.count = cython.cast(cython.ushort, self.tags)
        self.used += wider
        return 0

    def grow(self, needed):
        room: cython.Py_ssize_t = self.room
        if needed > MOST_WEIGHTS:
            with cython.gil:
                raise MemoryError("more than 2^32 weights")
        while room < needed:
            room *= 2
        more: cython.p_void = realloc(self.weights, room * cython.sizeof(cython.float))
        if more:
            self.weights = cython.cast(cython.pointer(cython.float), more)
            more = realloc(self.tag_of, room * cython.sizeof(cython.ushort))
        if more:
            self.tag_of = cython.cast(cython.pointer(cython.ushort), more)
            more = realloc(self.sums, room * cython.sizeof(Sums))
        if not more:
            with cython.gil:
                raise MemoryError
        self.sums = cython.cast(cython.pointer(Sums), more)
        self.room = room
        return 0

    def weigh(self, feature, tag, other, sign, margin):
        """Put +1 or -1 for a tag, which stands against another, beside a feature's weights; what ‖Δ‖² grows by."""
        c: cython.Py_ssize_t = self.place(feature, tag)
        norm: cython.double = 2.0 * sign * self.sums[c].delta + 1.0
        m: cython.int
        margin[0] += sign * self.weights[c]
        self.sums[c].delta += sign
        if self.group[tag] == self.group[other] or self.mate_starts[tag] == self.mate_starts[tag + 1]:
            return norm
        for m in range(self.mate_starts[tag], self.mate_starts[tag + 1]):
            c = self.place(feature, self.mates[m])
            self.sums[c].delta += sign
        return norm + 1.0

    def move(self, feature, tag, other, tau):
        """Make the step for a tag, which stands against another, of the weights of a feature."""
        c: cython.Py_ssize_t = self.place(feature, tag)
        m: cython.int
        self.step(cython.address(self.weights[c]), cython.address(self.sums[c]), tau)
        if self.group[tag] != self.group[other]:
            for m in range(self.mate_starts[tag], self.mate_starts[tag + 1]):
                c = self.place(feature, self.mates[m])
                self.step(cython.address(self.weights[c]), cython.address(self.sums[c]), tau)
        return 0

    def gather(self, s, margin):
        """Put Δ, the features of the true tags less those of the guess, beside the weights; returns ‖Δ‖², and w·Δ."""
        first: cython.Py_ssize_t = self.sentences[s]
        n: cython.Py_ssize_t = self.sentences[s + 1] - first
        norm: cython.double = 0.0
        cython.declare(t=cython.Py_ssize_t, f=cython.Py_ssize_t, c=cython.Py_ssize_t)
        cython.declare(truth=cython.int, wrong=cython.int, before=cython.int, guessed=cython.int)
        for t in range(n):
            truth = self.gold[first + t]
            wrong = self.guess[t]
            if truth == wrong or self.only[first + t] >= 0:
                continue
            for f in range(self.starts[first + t], self.starts[first + t + 1]):
                norm += self.weigh(self.ids[f], truth, wrong, 1.0, margin)
                norm += self.weigh(self.ids[f], wrong, truth, -1.0, margin)
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
        cython.declare(
            t=cython.Py_ssize_t, f=cython.Py_ssize_t, c=cython.Py_ssize_t, truth=cython.int, wrong=cython.int
        )
        before: cython.int = self.tags
        guessed: cython.int = self.tags
        for t in range(n):
            if self.gold[first + t] == self.guess[t] or self.only[first + t] >= 0:
                continue
            for f in range(self.starts[first + t], self.starts[first + t + 1]):
                self.move(self.ids[f], self.gold[first + t], self.guess[t], tau)
                self.move(self.ids[f], self.guess[t], self.gold[first + t], tau)
        for t in range(n + 1):
            truth = self.gold[first + t] if t < n else self.tags
            wrong = self.guess[t] if t < n else self.tags
            c = cython.cast(cython.Py_ssize_t, before) * self.width + truth
            self.step(cython.address(self.trans[c]), cython.address(self.trans_sums[c]), tau)
            c = cython.cast(cython.Py_ssize_t, guessed) * self.width + wrong
            self.step(cython.address(self.trans[c]), cython.address(self.trans_sums[c]), tau)
            if self.pruning is not None and (truth != wrong or before != guessed):
                self.renew_bounds(before, truth)
                self.renew_bounds(guessed, wrong)
            before = truth
            guessed = wrong
        return 0

    def renew_bounds(self, i, j):
        """After the score of tag j after tag i has changed."""
        if i < self.tags:
            self.pruning.bound_followers(self.trans, i)
            if j < self.tags:
                self.pruning.bound_followed(self.trans, j)

    def train(self, order: cython.const[cython.longlong][::1], C: cython.double = 0.0):
        """One step for each of these sentences, in this order; passive-aggressive with C, if it is not 0.

        Returns the sentences and the tokens that were wrong, or right by less than the margin, and the tokens.
        """
        cython.declare(i=cython.Py_ssize_t, t=cython.Py_ssize_t, s=cython.Py_ssize_t, n=cython.Py_ssize_t)
        cython.declare(first=cython.Py_ssize_t, missed=cython.Py_ssize_t)
        cython.declare(norm=cython.double, margin=cython.double, tau=cython.double)
        wrong_sentences: cython.Py_ssize_t = 0
        wrong_tokens: cython.Py_ssize_t = 0
        tokens: cython.Py_ssize_t = 0
        trigrams: cython.pointer(cython.float) = cython.NULL if self.trigrams is None else self.trigrams.scores
        check_order(order, self.sentences.shape[0] - 1)
        if self.pruning is not None:
            self.pruning.bound(self.trans)
        with cython.nogil:
            for i in range(order.shape[0]):
                s = order[i]
                first = self.sentences[s]
                n = self.sentences[s + 1] - first
                self.steps += 1
                tokens += n
                if n == 0:
                    continue
                self.score(s, self.weights)
                if self.cost:
                    for t in range(n):
                        self.emit[t * self.width + self.gold[first + t]] -= self.cost
                self.best(s, self.trans, trigrams, self.guess)
                missed = 0
                for t in range(n):
                    missed += self.guess[t] != self.gold[first + t]
                if missed == 0:
                    continue
                wrong_sentences += 1
                wrong_tokens += missed
                margin = 0.0
                norm = self.gather(s, cython.address(margin))
                if trigrams != cython.NULL:
                    norm += self.trigrams.gather(cython.address(self.gold[first]), self.guess, n,
                                                 cython.address(margin))  # fmt: skip
                tau = 1.0
                if C > 0.0:
                    tau = (missed - margin) / norm if norm > 0.0 else 0.0
                    if tau > C:
                        tau = C
                self.update(s, tau)
                if trigrams != cython.NULL:
                    self.trigrams.update(cython.address(self.gold[first]), self.guess, n, tau,
                                         cython.cast(cython.double, self.steps - 1))  # fmt: skip
        return wrong_sentences, wrong_tokens, tokens
