"""Whether heads are trees, and whether the trees are projective."""

import cython
import numpy as np

# What a sentence's heads are; the first that holds, in this order, counts.
PROJECTIVE, NON_PROJECTIVE, NO_HEAD, NO_ROOT, SEVERAL_ROOTS, CYCLE = 0, 1, 2, 3, 4, 5


def kinds_of_trees(starts: cython.const[cython.longlong][::1], heads: cython.const[cython.int][::1]):
    """For each sentence what its heads are, and a token (counted from its first, 0) that shows what is wrong.

    Tokens are taken away leaf by leaf; what is left are cycles.  The tree is projective if every subtree is a run of
    tokens without gaps: its last token less its first is its size less one.
    """
    count: cython.Py_ssize_t = starts.shape[0] - 1
    lengths = np.diff(np.asarray(starts))
    if count < 0 or starts[0] != 0 or starts[count] != heads.shape[0] or (count and lengths.min() < 0):
        raise ValueError("sentences and heads do not fit")
    longest: cython.Py_ssize_t = int(lengths.max(initial=0))
    kinds = np.zeros(count, dtype=np.int32)
    places = np.zeros(count, dtype=np.int32)
    kind: cython.int[::1] = kinds
    place: cython.int[::1] = places
    room: cython.int[:, ::1] = np.empty((5, longest + 1), dtype=np.int32)
    cython.declare(s=cython.Py_ssize_t, i=cython.int, n=cython.int, h=cython.int, first=cython.longlong)
    cython.declare(roots=cython.int, queued=cython.int, taken=cython.int, found=cython.int)
    with cython.nogil:
        for s in range(count):
            first = starts[s] - 1
            n = cython.cast(cython.int, starts[s + 1] - starts[s])
            # of each token: how many dependents are left; the first and last token of its subtree; its size
            roots = 0
            found = 0
            for i in range(1, n + 1):
                room[0, i] = 0
                room[1, i] = i
                room[2, i] = i
                room[3, i] = 1
            for i in range(1, n + 1):
                h = heads[first + i]
                if h < 0 or h > n:
                    found = 2
                    place[s] = i - 1
                    break
                if h == 0:
                    roots += 1
                    if roots == 2:
                        place[s] = i - 1
                else:
                    room[0, h] += 1
            if found == 0 and roots != 1 and n > 0:
                found = 3 if roots == 0 else 4
            if found:
                kind[s] = found
                continue
            queued = 0
            taken = 0
            for i in range(1, n + 1):
                if room[0, i] == 0:
                    room[4, queued] = i
                    queued += 1
            while taken < queued:
                i = room[4, taken]
                taken += 1
                if room[2, i] - room[1, i] + 1 != room[3, i] and found == 0:
                    found = 1
                    place[s] = i - 1
                h = heads[first + i]
                if h == 0:
                    continue
                room[1, h] = min(room[1, h], room[1, i])
                room[2, h] = max(room[2, h], room[2, i])
                room[3, h] += room[3, i]
                room[0, h] -= 1
                if room[0, h] == 0:
                    room[4, queued] = h
                    queued += 1
            if taken < n:
                found = 5
                for i in range(1, n + 1):
                    if room[0, i] > 0:
                        place[s] = i - 1
                        break
            kind[s] = found
    return kinds, places
