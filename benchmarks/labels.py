"""Texts with very many labels, from a file to a model, beside Vowpal Wabbit's --oaa.

linnet holds rows out and fits twice; Vowpal Wabbit takes one pass.  It hashes into 2^18 weights unless told otherwise,
which thousands of labels share: so it is also given 2^25, where memory is what linnet takes.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.files import run
from benchmarks.measure import Figure, Goal

if TYPE_CHECKING:
    from benchmarks.workloads import Options

# labels, rows trained on, bits of Vowpal Wabbit's table
SIZES = ((200, 20_000, 18), (1_000, 20_000, 18), (1_000, 20_000, 25), (5_000, 20_000, 25), (20_000, 50_000, 25))
TESTED = 1_000
# The largest is also trained in a process of its own, for its memory; and up to ONLINE labels by an online learner.
LARGEST, ONLINE = 20_000, 200


@dataclass
class Taken:
    wall: float
    processor: float
    result: Any


def timed(work: Callable[[], Any]) -> Taken:
    wall, processor = perf_counter(), process_time()
    result = work()
    return Taken(perf_counter() - wall, process_time() - processor, result)


def many_labels(_: Options) -> Iterator[Figure]:
    """Each size once: the first of all, which loads what both need, does not count."""
    import linnet

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        list(_size(folder, linnet, SIZES[0]))
        for size in SIZES:
            yield from _size(folder, linnet, size)


def _size(folder: Path, linnet: Any, size: tuple[int, int, int]) -> Iterator[Figure]:
    import vowpalwabbit

    labels, rows, bits = size
    workload = f"{rows:,} texts, {labels:,} labels"
    texts, codes = short_texts(rows + TESTED, labels)
    ours, theirs = folder / "texts.csv", folder / "texts.vw"
    pairs = list(zip(codes.tolist(), texts, strict=True))
    ours.write_text("label,text\n" + "".join(f"l{code},{text}\n" for code, text in pairs[:rows]))
    theirs.write_text("".join(f"{code + 1} | {text}\n" for code, text in pairs[:rows]))
    asked = f"--oaa {labels} -b {bits} --quiet --no_stdin -d {theirs}"
    linnets = timed(partial(linnet.train, ours, target="label"))
    wabbits = timed(partial(vowpalwabbit.Workspace, asked))
    test = pairs[rows:]
    accuracy = {
        "linnet": _right(linnets.result, test),
        "Vowpal Wabbit": np.mean([wabbits.result.predict(f"| {text}") - 1 == code for code, text in test]),
    }
    wabbits.result.finish()
    for what, goal in (("wall", Goal(least=1)), ("processor", None)):
        ratio = getattr(wabbits, what) / getattr(linnets, what)
        detail = {
            who: f"{getattr(taken, what):.2f} s, accuracy {accuracy[who]:.3f}"
            for who, taken in (("linnet", linnets), ("Vowpal Wabbit", wabbits))
        }
        yield Figure(workload, f"{what} time, times Vowpal Wabbit -b {bits}", ratio, goal, detail)
    if labels == ONLINE:
        online = timed(partial(linnet.train, ours, target="label", learner="adaptive"))
        detail = {"accuracy": f"{_right(online.result, test):.3f}"}
        yield Figure(workload, "adaptive, processor seconds", online.processor, None, detail)
    if labels == LARGEST:
        command = ["-m", "linnet", "train", str(ours), "--target", "label", "-o", str(folder / "model.linnet"), "-q"]
        yield Figure(workload, "peak memory, MB", run([sys.executable, *command]).peak / 1e6)


def _right(model: Any, test: list[tuple[int, str]]) -> float:
    predicted = model.predict([{"text": text} for _, text in test])
    return float(np.mean([str(label) == f"l{code}" for label, (code, _) in zip(predicted, test, strict=True)]))


def short_texts(rows: int, labels: int) -> tuple[list[str], Any]:
    """Texts of 6 to 18 words, a quarter of them from six words of the label, the others by Zipf's law."""
    rng = np.random.default_rng(0)
    words, own = 50_000, 6
    shares = np.cumsum(1.0 / np.arange(1, words + 1))
    topics = rng.integers(200, words, (labels, own))
    codes = rng.integers(0, labels, rows)
    texts = []
    for code, length in zip(codes, rng.integers(6, 19, rows), strict=True):
        drawn = np.searchsorted(shares / shares[-1], rng.random(length))
        mine = rng.random(length) < 0.25
        drawn[mine] = topics[code, rng.integers(0, own, int(mine.sum()))]
        texts.append(" ".join(f"w{word}" for word in drawn))
    return texts, codes


WORKLOADS: dict[str, Callable[[Any], Iterator[Figure]]] = {"many-labels": many_labels}
