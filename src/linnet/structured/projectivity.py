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

# What a label is to a parser: the relation, and, of a lifted arc, that of the head it was lifted from.
Label = tuple[str, str | None]
# How often what is left is tried again: far more than trees are deep in arcs that were lifted.
MOST_ROUNDS = 16


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
    # a head may itself have been lifted, and be found only once it is lowered
    for _ in range(MOST_ROUNDS):
        before = len(left)
        for dependent in list(left):
            found = _below(children, labels, now[dependent], dependent, labels[dependent - 1][1])
            if found is not None:
                children[now[dependent]].remove(dependent)
                insort(children[found], dependent)
                now[dependent] = found
                left.remove(dependent)
        if len(left) == before:
            break
    return now[1:]


def _shortest_crossing(heads: list[int]) -> int | None:
    """The dependent of the shortest arc over a token that is not below its head; None if there is none."""
    best, length = None, len(heads)
    for dependent in range(1, len(heads)):
        head = heads[dependent]
        low, high = min(head, dependent), max(head, dependent)
        if head == 0 or high - low >= length:
            continue
        if not all(_is_below(heads, between, head) for between in range(low + 1, high)):
            best, length = dependent, high - low
    return best


def _is_below(heads: list[int], token: int, above: int) -> bool:
    while token not in (0, above):
        token = heads[token]
    return token == above


def _below(
    children: Sequence[Sequence[int]], labels: Sequence[Label], head: int, dependent: int, wanted: str | None
) -> int | None:
    """The first token below `head`, and not below `dependent`, whose relation is wanted."""
    queue = deque(each for each in children[head] if each != dependent)
    while queue:
        token = queue.popleft()
        if labels[token - 1][0] == wanted:
            return token
        queue.extend(children[token])
    return None
