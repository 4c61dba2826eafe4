"""Workloads of version spaces: ten million concepts, a thousand examples."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from math import comb, log2
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import Figure, Goal, take_turns

if TYPE_CHECKING:
    from benchmarks.workloads import Options

# Each in a new process, so that its peak is its own. A vote alone is the hardest: every row is new, no concept dead.
RUN = """
import json, sys
from time import perf_counter
import numpy as np
from linnet import Halving
from linnet.training.version_space import Rules, VersionSpace
concepts, d, k, density, task = json.loads(sys.argv[1])
rng = np.random.default_rng(0)
X = (rng.random((1000, d)) < density).astype(np.uint8)
truths = X[:, rng.choice(d, size=k, replace=False)].sum(axis=1)
y = truths >= {"disjunctions": 1, "conjunctions": k}.get(concepts, 2)
Halving(k=1).fit([[0], [1]], [0, 1]).predict([[1]])
with open("/proc/self/clear_refs", "w") as clear:
    clear.write("5")
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
before, began = peak(), perf_counter()
if task == "learn":
    model = Halving(concepts, k=k).fit(X, y)
    space, mistakes = model.space_, model.mistakes_
    assert model.certificate_.holds
else:
    space, mistakes = VersionSpace(Rules(concepts, d, k, most=2**30)), 0
    space.yes(X)
taken = perf_counter() - began
print(json.dumps([taken, peak() - before, space.concepts.size, space.size, mistakes]))
"""
# The ones are as many as make about half of the concepts of most variables true.
CLASSES = {
    "disjunctions of 3 of 400": ("disjunctions", 400, 3, 0.2),
    "conjunctions of 3 of 400": ("conjunctions", 400, 3, 0.8),
    "m-of-n of 4 of 90": ("m-of-n", 90, 4, 0.5),
}


def halving(options: Options) -> Iterator[Figure]:
    """1,000 examples over some ten million concepts: trained on, and voted on by the whole class."""
    for name, settings in CLASSES.items():
        for task in ("learn", "vote"):
            runs = [_run(*settings, task) for _ in range(max(1, options.repeats // 3))]
            taken, memory, concepts, left, mistakes = min(runs)
            detail = {"concepts": f"{concepts:,}", "log2": f"{log2(concepts):.1f}"}
            if task == "learn":
                detail |= {"mistakes": f"{mistakes}", "left": f"{left:,}"}
            yield Figure(f"{name}, {task}", "seconds for 1,000 examples", taken, Goal(most=60), detail)
            yield Figure(f"{name}, {task}", "peak memory beside X, MB", memory / 1e6)
    yield _beside_numpy(options)


def _run(*settings: Any) -> list[Any]:
    command = [sys.executable, "-c", RUN, json.dumps(settings)]
    root = Path(__file__).parents[1]
    found: list[Any] = json.loads(subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout)
    return found


def _beside_numpy(options: Options) -> Figure:
    """One vote of a whole class: bits and runs, beside a table of all sets that NumPy looks up, column by column."""
    from linnet.training.version_space import Rules, VersionSpace

    d, k = 200, 3
    sets = np.fromiter((v for each in combinations(range(d), k) for v in each), dtype=np.intp).reshape(-1, k)
    first, second, third = np.ascontiguousarray(sets.T)
    space = VersionSpace(Rules("m-of-n", d, k, k, most=2**30))
    row = (np.random.default_rng(0).random(d) < 0.8).astype(np.uint8)

    def looked_up() -> int:
        return int(np.count_nonzero(row[first] & row[second] & row[third]))

    assert space.yes(row[np.newaxis]) == [looked_up()]
    seconds = take_turns({"linnet": lambda: space.yes(row[np.newaxis]), "NumPy": looked_up}, options.repeats)
    made_of = {name: f"{1e3 * value:.2f} ms" for name, value in seconds.items()} | {"concepts": f"{comb(d, k):,}"}
    return Figure("one vote, 3 of 200", "times NumPy", seconds["NumPy"] / seconds["linnet"], None, made_of)


WORKLOADS: dict[str, Callable[[Any], Iterator[Figure]]] = {"halving": halving}
