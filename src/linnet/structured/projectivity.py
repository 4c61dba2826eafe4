"""Trees that are not projective, made so and back: pseudo-projective parsing.

An arc that crosses others is lifted: its dependent is attached to the head of its head, the shortest such arc first,
until the tree is projective.  The label of a lifted arc records the label of the head that it had (the encoding "head"
of Nivre and Nilsson 2005, Pseudo-projective dependency parsing).  After parsing, a dependent with such a label is
lowered to the first token below its head, in breadth-first order from left to right, that has the recorded label; if
there is none, also after others are lowered, it stays.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Sequence

import numpy as np

# What a label is to a parser: the relation, and, of a lifted arc, that of the head it was lifted from.
Label = tuple[str, str | None]
# How often what is left is tried again: far more than trees are deep in arcs that were lifted.
MOST_ROUNDS = 16
# How many tokens are looked at for lowering, for each of a sentence: a model may say that all arcs were lifted.
LOOKS = 200
# Longer sentences whose arcs cross are refused: each lift looks at the whole tree.
MOST_LIFTED = 1000


def lifted(heads: Sequence[int], relations: Sequence[str]) -> tuple[list[int], list[Label]]:
    """A projective tree of the same tokens; heads count from 1, and 0 is the root."""
    now = [0, *heads]
    recorded: list[str | None] = [None] * len(now)
    while (found := _shortest_crossing(now)) is not None:
        head = now[found]
        if recorded[found] is None:
            recorded[found] = relations[head - 1]
        now[found] = now[head]
    return now[1:], list(zip(relations, recorded[1:], strict=True))


def lowered(heads: Sequence[int], labels: Sequence[Label]) -> list[int]:
    """The heads after lowering what the labels say was lifted, from left to right, as often as it changes anything."""
    now = [0, *heads]
    children: list[list[int]] = [[] for _ in now]
    for token in range(1, len(now)):
        children[now[token]].append(token)
    left = [token for token, (_, wanted) in enumerate(labels, start=1) if wanted is not None and now[token] != 0]
    looks = LOOKS * len(now)
    # a head may itself have been lifted, and be found only once it is lowered
    for _ in range(MOST_ROUNDS):
        stay = []
        for dependent in left:
            found, looked = _below(children, labels, now[dependent], dependent, looks)
            looks -= looked
            if found is None:
                stay.append(dependent)
                continue
            children[now[dependent]].remove(dependent)
            insort(children[found], dependent)
            now[dependent] = found
        if len(stay) == len(left):
            break
        left = stay
    return now[1:]


def _shortest_crossing(heads: list[int]) -> int | None:
    """The dependent of the shortest arc over a token that is not below its head; None if there is none.

    In the order of a walk through the tree, what is below a token comes right after it: so the tokens between the ends
    of an arc are below its head if the first and the last of them in that order are.
    """
    first, last = _walk(heads)
    dependent = np.arange(1, len(heads))
    head = np.array(heads[1:])
    low, high = np.minimum(head, dependent) + 1, np.maximum(head, dependent)
    at = np.flatnonzero((head > 0) & (high > low))
    if not len(at):
        return None
    order = np.array(first)
    ends = np.column_stack([low[at], high[at]]).ravel()
    earliest = np.minimum.reduceat(np.append(order, 0), ends)[::2]
    latest = np.maximum.reduceat(np.append(order, 0), ends)[::2]
    crossing = at[(earliest < order[head[at]]) | (latest > np.array(last)[head[at]])]
    if not len(crossing):
        return None
    return int(crossing[np.argmin((high - low)[crossing])]) + 1


def _walk(heads: list[int]) -> tuple[list[int], list[int]]:
    """When a walk through the tree comes to each token, and to the last one below it."""
    children: list[list[int]] = [[] for _ in heads]
    for token in range(1, len(heads)):
        children[heads[token]].append(token)
    first, last = [0] * len(heads), [0] * len(heads)
    stack = [0]
    order: list[int] = []
    while stack:
        token = stack.pop()
        first[token] = len(order)
        order.append(token)
        stack.extend(children[token])
    for token in reversed(order):
        last[token] = max(first[token], max((last[child] for child in children[token]), default=0))
    return first, last


def _below(
    children: Sequence[Sequence[int]], labels: Sequence[Label], head: int, dependent: int, most: int
) -> tuple[int | None, int]:
    """The first token below `head`, and not below `dependent`, that has the recorded label, and how many were looked
    at, `most` of them."""
    wanted, looked = labels[dependent - 1][1], 0
    queue = deque([head])
    while queue:
        for token in children[queue.popleft()]:
            looked += 1
            if looked > most:
                return None, looked
            if token == dependent:
                continue
            if labels[token - 1][0] == wanted:
                return token, looked
            queue.append(token)
    return None, looked
