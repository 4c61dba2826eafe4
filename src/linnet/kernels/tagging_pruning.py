"""Viterbi among many tags: a token costs a few operations for each tag, not one for each pair of tags.

A tag j of a token cannot be on the best path if even with the best tag after it, it ends below what some other tag k
reaches with the worst tag after it: score[j] + max T[j, ·] < score[k] + min T[k, ·].  The score of j is first bounded
from above, by the best score before and max T[·, j]; only the tags that remain are scored, from the tags that
remained before.  As rounding never changes an order, the bounds hold for the rounded sums, too; and as equal scores
are not left out, the tags that are found are to the bit those of the full table, of equal ones the first."""

import cython
import numpy as np
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.linnet.kernels.tagging_decoder import NEVER
from cython.cimports.linnet.kernels.tagging_pruning import INFINITY, follow, highest_of, hopeful_of, relax_some

# With fewer tags the full table is as fast.
FEWEST_PRUNED_TAGS = 16
# After so few tags, to score all tags takes less time than to bound them first.
FEW = cython.declare(cython.int, 4)


def is_prunable(allowed):
    """Whether pruning pays: there are many tags, and all may follow all (what is forbidden has no useful bound)."""
    tags = len(allowed) - 1
    return tags >= FEWEST_PRUNED_TAGS and bool(np.asarray(allowed)[:tags].all())


@cython.final
@cython.cclass
class Pruning:
    """The bounds of transitions, and room for what remains."""

    def __cinit__(self, tags: cython.int, width: cython.int):
        self.tags = tags
        self.width = width
        self.after_most = cython.cast(cython.pointer(cython.float), malloc(3 * cython.cast(cython.size_t, width) * 4))
        if not self.after_most:
            raise MemoryError
        self.after_least = self.after_most + width
        self.before_most = self.after_least + width
        j: cython.Py_ssize_t
        for j in range(3 * width):  # places behind the last tag are no tags
            self.after_most[j] = 2 * NEVER

    def __dealloc__(self):
        free(self.after_most)
        free(self.scores)
        free(self.places)
        free(self.counts)

    def reserve(self, tokens):
        """Make room for sentences of so many tokens."""
        if tokens <= self.longest:
            return 0
        free(self.scores)
        free(self.places)
        free(self.counts)
        self.longest = 0
        size: cython.size_t = cython.cast(cython.size_t, tokens) * self.width * 4
        self.scores = cython.cast(cython.pointer(cython.float), malloc(size))
        self.places = cython.cast(cython.pointer(cython.int), malloc(size))
        self.counts = cython.cast(cython.pointer(cython.int), malloc(tokens * 4))
        if not (self.scores and self.places and self.counts):
            raise MemoryError
        self.longest = tokens
        return 0

    def bound(self, trans):
        """Take the bounds of all transitions."""
        i: cython.int
        for i in range(self.tags):
            self.bound_followers(trans, i)
            self.bound_followed(trans, i)

    def bound_followers(self, trans, i):
        """The bounds of what follows tag i, the end of the sentence among it."""
        row: cython.pointer(cython.const[cython.float]) = trans + cython.cast(cython.Py_ssize_t, i) * self.width
        j: cython.int
        most: cython.float = row[0]
        least: cython.float = row[0]
        for j in range(1, self.tags + 1):
            if row[j] > most:
                most = row[j]
            if row[j] < least:
                least = row[j]
        self.after_most[i] = most
        self.after_least[i] = least

    def bound_followed(self, trans, j):
        """The bound of what tag j follows."""
        i: cython.Py_ssize_t
        most: cython.float = trans[j]
        for i in range(1, self.tags):
            if trans[i * self.width + j] > most:
                most = trans[i * self.width + j]
        self.before_most[j] = most

    def kept(self, now, places, count):
        """Keep the places whose tags may be on the best path, in their order; returns their number."""
        p: cython.int
        left: cython.int = 0
        least: cython.float = -INFINITY
        for p in range(count):
            if now[places[p]] + self.after_least[places[p]] > least:
                least = now[places[p]] + self.after_least[places[p]]
        for p in range(count):
            if now[places[p]] + self.after_most[places[p]] >= least:
                places[left] = places[p]
                left += 1
        return max(left, 1)  # scores that are no numbers any more leave none

    def viterbi(self, emit, trans, only, n, out):
        """What viterbi of tagging_decoder.pxd does; the bounds must be those of `trans`."""
        cython.declare(t=cython.Py_ssize_t, p=cython.int, i=cython.int, j=cython.int, best=cython.int)
        cython.declare(top=cython.float, s=cython.float, least=cython.float)
        before: cython.pointer(cython.float)
        now: cython.pointer(cython.float) = self.scores
        earlier: cython.pointer(cython.int)
        places: cython.pointer(cython.int) = self.places
        for j in range(self.tags):
            now[j] = trans[cython.cast(cython.Py_ssize_t, self.tags) * self.width + j] + emit[j]
            places[j] = j
        if only[0] >= 0:
            places[0] = only[0]
        self.counts[0] = self.kept(now, places, 1 if only[0] >= 0 else self.tags)
        for t in range(1, n):
            before = now
            earlier = places
            now = now + self.width
            places = places + self.width
            emit = emit + self.width
            if only[t] >= 0:
                places[0] = only[t]
                self.counts[t] = 1
                relax_some(before, trans, emit, self.width, earlier, self.counts[t - 1], places, 1, now)
                continue
            if self.counts[t - 1] <= FEW:
                least = follow(before, trans, emit, self.after_least, self.width, earlier, self.counts[t - 1], now)
                self.counts[t] = hopeful_of(now, self.after_most, least, self.tags, places)
                continue
            top = before[earlier[0]]
            for p in range(1, self.counts[t - 1]):
                if before[earlier[p]] > top:
                    top = before[earlier[p]]
            # the tag that looks best is scored first: what it reaches at least rules most of the others out
            s = highest_of(top, self.before_most, emit, self.width, now)
            best = 0
            while best < self.tags - 1 and now[best] != s:
                best += 1
            s = -INFINITY
            for p in range(self.counts[t - 1]):
                i = earlier[p]
                top = before[i] + trans[cython.cast(cython.Py_ssize_t, i) * self.width + best]
                if top > s:
                    s = top
            least = s + emit[best] + self.after_least[best]
            self.counts[t] = hopeful_of(now, self.after_most, least, self.tags, places)
            relax_some(before, trans, emit, self.width, earlier, self.counts[t - 1], places, self.counts[t], now)
            self.counts[t] = self.kept(now, places, self.counts[t])
        best = self.tags
        top = 0.0
        t = n - 1
        while t >= 0:
            i = places[0]
            s = now[i] + trans[cython.cast(cython.Py_ssize_t, i) * self.width + best]
            j = i
            for p in range(1, self.counts[t]):
                i = places[p]
                if now[i] + trans[cython.cast(cython.Py_ssize_t, i) * self.width + best] > s:
                    s = now[i] + trans[cython.cast(cython.Py_ssize_t, i) * self.width + best]
                    j = i
            if t == n - 1:
                top = s
            best = j
            out[t] = best
            now = now - self.width
            places = places - self.width
            t -= 1
        return top
