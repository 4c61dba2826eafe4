"""The transition system of the parser once more, in plain Python: states, moves, atoms, keys."""

from itertools import product

import numpy as np

SHIFT, LEFT, RIGHT = 0, 1, 2
MASK = (1 << 64) - 1


class Twin:
    """A sentence of n words, parsed by moves."""

    def __init__(self, n):
        self.n, self.stack, self.b = n, [0], 1
        self.heads, self.labels = {}, {}

    def copy(self):
        made = Twin(self.n)
        made.stack, made.b = list(self.stack), self.b
        made.heads, made.labels = dict(self.heads), dict(self.labels)
        return made

    def possible(self):
        found = []
        if self.b <= self.n:
            found.append(SHIFT)
        if self.b <= self.n and self.stack[-1] != 0:
            found.append(LEFT)
        if self.stack[-1] != 0 and (self.stack[-2] != 0 or self.b > self.n):
            found.append(RIGHT)
        return found

    def moved(self, move, label=0):
        made = self.copy()
        if move == SHIFT:
            made.stack.append(self.b)
            made.b += 1
        else:
            top = made.stack.pop()
            made.heads[top] = self.b if move == LEFT else made.stack[-1]
            made.labels[top] = label
        return made

    def dependents(self, token, side):
        """On one side (-1 or 1), the outermost first."""
        found = [d for d, h in self.heads.items() if h == token and (d - token) * side > 0]
        return sorted(found, key=lambda d: -abs(d - token))


def least_loss(state, gold, memory):
    """The least number of words whose head is not the gold one, over all ways to finish."""
    key = (tuple(state.stack), state.b, tuple(sorted(state.heads.items())))
    if key not in memory:
        moves = state.possible()
        if not moves:
            memory[key] = sum(state.heads[i] != gold[i - 1] for i in range(1, state.n + 1))
        else:
            memory[key] = min(least_loss(state.moved(move), gold, memory) for move in moves)
    return memory[key]


def projective(heads):
    arcs = [(min(h, d), max(h, d)) for d, h in enumerate(heads, start=1)]
    return not any(a < c < b < d for (a, b), (c, d) in product(arcs, arcs))


def is_tree(heads):
    if list(heads).count(0) != 1:
        return False
    for token in range(1, len(heads) + 1):
        seen = set()
        while token != 0:
            if token in seen or not 0 <= heads[token - 1] <= len(heads):
                return False
            seen.add(token)
            token = heads[token - 1]
    return True


def all_trees(n):
    return [heads for heads in product(range(n + 1), repeat=n) if is_tree(heads)]


def random_tree(n, random):
    """Any tree with one root, projective or not."""
    order = random.permutation(n) + 1
    heads = [0] * n
    for place, token in enumerate(order):
        heads[token - 1] = int(order[random.integers(place)]) if place else 0
    return heads


# -- features --------------------------------------------------------------------------------------------------------


def chained(before, following):
    h = ((((before << 23) | (before >> 41)) & MASK) ^ following) * 0xD1342543DE82EF95 & MASK
    return h ^ (h >> 32)


def spread(number):
    return (number + 1) * 0x9E3779B97F4A7C15 & MASK


def bucket(d):
    return d if d <= 4 else 5 if d <= 6 else 6 if d <= 10 else 7


def atoms(state, rows, names):
    """The value of each atom by its name; `rows` has the root first and none last."""
    n, none = state.n, state.n + 1

    def stack(place):
        return state.stack[-1 - place] if place < len(state.stack) else none

    tokens = {f"S{place}": stack(place) for place in range(3)}
    tokens |= {f"N{place}": min(state.b + place, none) for place in range(4)}
    values = {}
    for owner in ("S0", "S1", "N0"):
        for side, letter in ((-1, "l"), (1, "r")):
            found = state.dependents(tokens[owner], side) if tokens[owner] <= n else []
            for place, suffix in enumerate(("", "2")):
                token = found[place] if place < len(found) else none
                tokens[f"{owner}{letter}{suffix}"] = token
                values[f"{owner}{letter}{suffix}d"] = spread(state.labels[token] + 1 if token != none else 0)
            values[f"{owner}v{letter}"] = spread(len(found))
            bits = 0
            for token in found:
                bits |= 1 << (state.labels[token] % 64)
            values[f"{owner}s{letter}"] = spread(bits)
    for name, token in tokens.items():
        values |= {name + part: int(rows[token][at]) for at, part in enumerate("wpxm")}
    for name, near, far in (("D0", "S0", "N0"), ("D1", "S1", "S0")):
        there = tokens[near] != none and tokens[far] != none
        values[name] = spread(bucket(tokens[far] - tokens[near]) if there else 0)
    return [values[name] for name in names]


def keys(state, tokens, templates, names):
    rows = [[spread(1000 + c) for c in range(4)], *tokens.tolist(), [spread(2000 + c) for c in range(4)]]
    value = dict(zip(names, atoms(state, rows, names), strict=True))
    found = []
    for number, template in enumerate(templates):
        h = spread(number)
        for name in template:
            h = chained(h, value[name])
        found.append(h)
    return np.array(found, dtype=np.uint64)


def move_and_label(action, kinds):
    return (SHIFT, 0) if action == 0 else (LEFT, action - 1) if action <= kinds else (RIGHT, action - 1 - kinds)


def actions(state, kinds, allowed):
    """All classes that are possible in a state; `allowed` has the labels of the root's arcs, and of others."""
    found = []
    for move in state.possible():
        if move == SHIFT:
            found.append(0)
            continue
        root = move == RIGHT and state.stack[-2] == 0
        first = 1 if move == LEFT else 1 + kinds
        found += [first + label for label in range(kinds) if allowed[0 if root else 1][label]]
    return found
