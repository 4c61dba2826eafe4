"""The workloads: each a function of the options that yields figures. A new one is one more function in WORKLOADS."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks import data, peers
from benchmarks.measure import Figure, Goal, take_turns

RIVER_ROWS = 300


@dataclass(frozen=True)
class Options:
    repeats: int = 9
    folder: Path | None = None


def epoch(options: Options) -> Iterator[Figure]:
    """One pass of each learner: linnet, scikit-learn, River, and reading the data at all."""
    sets = [data.sparse(), data.dense(), *(data.real(options.folder) if options.folder else ())]
    for one in sets:
        yield from _epoch_on(one, options)


def _epoch_on(one: data.Data, options: Options) -> Iterator[Figure]:
    ours, theirs, rivers = peers.linnet_fits(), peers.sklearn_fits(), peers.river_fits()
    few, few_y = peers.as_dictionaries(one.X[:RIVER_ROWS]), one.y[:RIVER_ROWS].astype(bool)
    synthetic = one.name in ("sparse", "dense")
    for learner in ours:
        seconds = take_turns(
            {
                "linnet": lambda learner=learner: ours[learner](one.X, one.y),
                "scikit-learn": lambda learner=learner: theirs[learner](one.X, one.y),
                "read": lambda: peers.streaming_read(one.X),
                "widest read": lambda: peers.widest_read(one.X),
                "river": lambda learner=learner: rivers[learner](few, few_y.tolist()),
            },
            options.repeats,
        )
        passes = [ours[learner](one.X, one.y).history_[0].seconds for _ in range(options.repeats)]
        accuracy = ours[learner](one.X, one.y).score(one.X_test, one.y_test)
        accuracy_there = theirs[learner](one.X, one.y).score(one.X_test, one.y_test)
        name = f"{one.name}, {learner}"
        ms = {key: f"{1e3 * value:.1f} ms" for key, value in seconds.items()}
        river_rate = RIVER_ROWS / seconds["river"]
        rate = len(one.y) / seconds["linnet"]
        pass_ms = f"{1e3 * median(passes):.1f} ms"
        goal = Goal(least=2) if synthetic else None
        yield Figure(
            name,
            "times scikit-learn, whole fit",
            seconds["scikit-learn"] / seconds["linnet"],
            goal,
            {"linnet": ms["linnet"], "scikit-learn": ms["scikit-learn"]},
        )
        yield Figure(
            name,
            "times scikit-learn, the pass",
            seconds["scikit-learn"] / median(passes),
            None,
            {"pass": pass_ms, "scikit-learn": ms["scikit-learn"]},
        )
        if synthetic:
            yield Figure(
                name,
                "passes per streaming read",
                median(passes) / seconds["read"],
                Goal(most=3) if one.name == "sparse" else None,
                {"pass": pass_ms, "read": ms["read"], "widest read": ms["widest read"]},
            )
        yield Figure(
            name,
            "times River, rows a second",
            rate / river_rate,
            Goal(least=500),
            {"linnet": f"{rate:,.0f}/s", "river": f"{river_rate:,.0f}/s"},
        )
        yield Figure(
            name,
            "accuracy, points better",
            100 * (accuracy - accuracy_there),
            Goal(least=-0.5),
            {"linnet": f"{accuracy:.4f}", "scikit-learn": f"{accuracy_there:.4f}"},
        )


MEMORY = """
import resource, sys
from benchmarks import data, peers
one = getattr(data, {kind!r})()
fit = peers.linnet_fits()[{learner!r}]
fit(one.X_test[:2000], one.y_test[:2000])
with open("/proc/self/clear_refs", "w") as clear:
    clear.write("5")
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
before = peak()
fit(one.X, one.y)
print((peak() - before) / one.nbytes)
"""


def memory(_: Options) -> Iterator[Figure]:
    """How far the peak of a fresh process rises in a fit, as a share of X."""
    for kind in ("sparse", "dense"):
        for learner in ("perceptron", "logistic"):
            share = float(_python(MEMORY.format(kind=kind, learner=learner)))
            yield Figure(f"{kind}, {learner}", "peak memory beside X, %", 100 * share, Goal(most=10))


def importing(options: Options) -> Iterator[Figure]:
    """What `import linnet` costs beyond `import numpy`, in new processes that take turns."""
    times: dict[str, list[float]] = {"numpy": [], "linnet": []}
    for _ in range(2 * options.repeats):
        for name, found in times.items():
            began = perf_counter()
            _python(f"import {name}")
            found.append(perf_counter() - began)
    extra = median(times["linnet"]) - median(times["numpy"])
    yield Figure(
        "import linnet",
        "seconds more than numpy",
        extra,
        Goal(most=0.1),
        {name: f"{median(found):.3f} s" for name, found in times.items()},
    )


def _python(code: str) -> str:
    root = Path(__file__).parents[1]
    return subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True).stdout


WORKLOADS: dict[str, Callable[[Options], Iterator[Figure]]] = {
    "import": importing,
    "memory": memory,
    "epoch": epoch,
}
