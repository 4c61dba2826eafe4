"""The workloads: each a function of the options that yields figures. A new one is one more function in WORKLOADS."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks import (
    batch_shapes,
    counting,
    data,
    files,
    glm,
    halving,
    l1,
    labels,
    margins,
    online_shapes,
    parsing,
    peers,
    regression,
    separability,
    shapes,
    solvers,
    structured,
    tables,
    tuning,
    winnow,
)
from benchmarks.measure import Figure, Goal, take_turns

RIVER_ROWS = 5_000


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
    few, few_y = one.X[:RIVER_ROWS], one.y[:RIVER_ROWS]
    synthetic = one.name in ("sparse", "dense")
    for learner in ours:
        passes: list[float] = []
        seconds = take_turns(
            {
                "linnet": lambda learner=learner, passes=passes: passes.append(
                    ours[learner](one.X, one.y).history_[0].seconds
                ),
                "scikit-learn": lambda learner=learner: theirs[learner](one.X, one.y),
                "read": lambda: peers.streaming_read(one.X),
                "widest read": lambda: peers.widest_read(one.X),
                "river": lambda learner=learner: rivers[learner](few, few_y),
            },
            options.repeats,
        )
        seconds["pass"] = median(passes[1:])
        rate, river_rate = len(one.y) / seconds["linnet"], RIVER_ROWS / seconds["river"]
        scores = [fits[learner](one.X, one.y).score(one.X_test, one.y_test) for fits in (ours, theirs)]

        def of(*names: str, seconds: dict[str, float] = seconds) -> dict[str, str]:
            return {name: f"{1e3 * seconds[name]:.1f} ms" for name in names}

        name = f"{one.name}, {learner}"
        yield Figure(
            name,
            "times scikit-learn",
            seconds["scikit-learn"] / seconds["linnet"],
            Goal(least=2) if synthetic else None,
            of("linnet", "scikit-learn"),
        )
        if synthetic:
            yield Figure(
                name,
                "one pass, in streaming reads",
                seconds["pass"] / seconds["read"],
                Goal(most=3) if one.name == "sparse" else None,
                of("pass", "read", "widest read"),
            )
        yield Figure(
            name,
            "times River, rows a second",
            rate / river_rate,
            Goal(least=500) if synthetic else None,
            {"linnet": f"{rate:,.0f}/s", "river": f"{river_rate:,.0f}/s"},
        )
        yield Figure(
            name,
            "accuracy, points better",
            100 * (scores[0] - scores[1]),
            Goal(least=-0.5) if synthetic else None,
            {"linnet": f"{scores[0]:.4f}", "scikit-learn": f"{scores[1]:.4f}"},
        )


def more_passes(options: Options) -> Iterator[Figure]:
    """What each further pass costs, once input is checked and labels are numbered: ten passes against one."""
    one = data.sparse()
    for learner in peers.linnet_fits():
        contenders = {}
        for passes in (1, 11):
            for name, fits in (("linnet", peers.linnet_fits), ("scikit-learn", peers.sklearn_fits)):
                fit = fits(passes)[learner]
                contenders[f"{name} {passes}"] = lambda fit=fit: fit(one.X, one.y)
        seconds = take_turns(contenders, max(3, options.repeats // 3))
        each = {name: (seconds[f"{name} 11"] - seconds[f"{name} 1"]) / 10 for name in ("linnet", "scikit-learn")}
        yield Figure(
            f"sparse, {learner}",
            "times scikit-learn, further pass",
            each["scikit-learn"] / each["linnet"],
            None,
            {name: f"{1e3 * value:.1f} ms" for name, value in each.items()},
        )


def svmlight(options: Options) -> Iterator[Figure]:
    """svmlight text to arrays: read the file and parse it, with values as short and as long as people print them."""
    from sklearn.datasets import load_svmlight_file

    from linnet.kernels.svmlight import parse

    with tempfile.TemporaryDirectory() as folder:
        for form in ("%.3g", "%.16g"):
            path = Path(folder) / "rows.svmlight"
            path.write_text(data.svmlight_text(form))
            seconds = take_turns(
                {
                    "linnet": lambda path=path: parse(path.read_bytes()),
                    "scikit-learn": lambda path=path: load_svmlight_file(str(path)),
                },
                max(3, options.repeats // 3),
            )
            name, size = f"svmlight, {form}", path.stat().st_size / 1e6
            made_of = {contender: f"{size / taken:.0f} MB/s" for contender, taken in seconds.items()}
            yield Figure(
                name, "times scikit-learn", seconds["scikit-learn"] / seconds["linnet"], Goal(least=20), made_of
            )
            yield Figure(name, "MB a second, one core", size / seconds["linnet"], Goal(least=400))


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
    """How far the peak of a fresh process rises in a fit, as a fraction of X."""
    for kind in ("sparse", "dense"):
        for learner in ("perceptron", "logistic"):
            fraction = float(_python(MEMORY.format(kind=kind, learner=learner)))
            yield Figure(f"{kind}, {learner}", "peak memory beside X, %", 100 * fraction, Goal(most=10))


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
    "passes": more_passes,
    "svmlight": svmlight,
    **files.WORKLOADS,
    **tables.WORKLOADS,
    **solvers.WORKLOADS,
    **batch_shapes.WORKLOADS,
    **regression.WORKLOADS,
    **l1.WORKLOADS,
    **glm.WORKLOADS,
    **counting.WORKLOADS,
    **online_shapes.WORKLOADS,
    **labels.WORKLOADS,
    **margins.WORKLOADS,
    **separability.WORKLOADS,
    **halving.WORKLOADS,
    **winnow.WORKLOADS,
    **parsing.WORKLOADS,
    **tuning.WORKLOADS,
    "tagging": structured.tagging,
    "shapes": lambda _: shapes.figures(),
}
