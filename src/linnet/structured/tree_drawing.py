"""A dependency tree as lines of text: a word a line, its dependents indented, above and below it."""

from __future__ import annotations

from collections.abc import Sequence

# Words times depth.
MOST_CELLS = 1_000_000


def drawn(words: Sequence[str], heads: Sequence[int], relations: Sequence[str]) -> list[tuple[str, str, str]]:
    """For each word, in the order of the sentence: the branches before it, the word, and its relation.

    A word's line is joined to the line of its head.  Of heads that are not a tree, words that do not hang from the root
    have no branches; nor has any word of a tree so long and deep that nobody could follow them.
    """
    n = len(words)
    children: list[list[int]] = [[] for _ in range(n + 1)]
    for dependent, head in enumerate(heads, start=1):
        if 0 <= head <= n:
            children[head].append(dependent)
    depth = _depths(children, n)
    if n * (max(depth) + 1) > MOST_CELLS:
        return [("", word, relation) for word, relation in zip(words, relations, strict=True)]
    width = 3
    cells = [[" "] * (width * (max(depth) + 1)) for _ in range(n + 1)]
    for head in range(1, n + 1):
        if depth[head] < 0 or not children[head]:
            continue
        column = width * depth[head]
        low, high = min(children[head][0], head), max(children[head][-1], head)
        for line in range(low, high + 1):
            if line != head and cells[line][column] == " ":
                cells[line][column] = "│"
        for child in children[head]:
            edge = child in (low, high)
            corner = ("╭" if child < head else "╰") if edge else "├"
            cells[child][column : column + 2] = [corner, "─"]
    found = []
    for token in range(1, n + 1):
        lead = "".join(cells[token][: width * max(depth[token], 0)])
        found.append((lead, words[token - 1], relations[token - 1]))
    return found


def _depths(children: list[list[int]], n: int) -> list[int]:
    """How deep each word is below the root's dependent, which has 0; -1 for words that the root does not lead to."""
    depth = [-1] * (n + 1)
    queue = [(child, 0) for child in children[0]]
    while queue:
        token, level = queue.pop()
        if depth[token] < 0:
            depth[token] = level
            queue.extend((child, level + 1) for child in children[token])
    return depth
