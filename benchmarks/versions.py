"""Whether linnet became slower: python benchmarks/versions.py BEFORE AFTER [--only JOB] [--rounds N].

BEFORE and AFTER are folders that hold an installed package; `make bench-versions BEFORE=REF` makes them.  A job runs in
processes of its own, one version after the other, several rounds; compared is the least processor time that each
version took, because other programs can only add to it.  The exit status is 1 if a ratio is below LEAST.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Annotated, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from benchmarks import data, files, peers
from benchmarks.winnow import disjunction

LEAST = 0.95
# A job is repeated in its process until it has run so often and so long.
REPEATS, SECONDS = 5, 2.0

Job = Callable[[Path], Callable[[], Any]]


def _epoch(kind: str, learner: str) -> Job:
    def job(_: Path) -> Callable[[], Any]:
        one = getattr(data, kind)()
        return lambda: peers.linnet_fits()[learner](one.X, one.y)

    return job


def _estimator(name: str, kind: str, **parameters: Any) -> Job:
    def job(_: Path) -> Callable[[], Any]:
        import linnet

        one = data.sparse(20_000, test=1) if kind == "sparse" else data.dense(100_000, 50, test=1)
        X = one.X.astype(np.float32) if kind == "sparse" else one.X
        return lambda: getattr(linnet, name)(**parameters).fit(X, one.y)

    return job


def _winnow(variant: str) -> Job:
    def job(_: Path) -> Callable[[], Any]:
        from linnet import Winnow

        X, y = disjunction()
        return lambda: Winnow(variant=variant, max_iter=1, tol=None, shuffle=False).fit(X, y)

    return job


def _hashing(_: Path) -> Callable[[], Any]:
    from linnet import BagOfWords

    texts = files.texts(None)
    return lambda: BagOfWords(hash_bits=20, use_idf=False, norm=None, dtype=np.float32).fit_transform(texts)


def _file(suffix: str, **options: Any) -> Job:
    """From a file to a model: texts with a label, rows of svmlight, or a table."""

    def job(folder: Path) -> Callable[[], Any]:
        import linnet

        path = folder / f"rows{suffix}"
        if not path.exists():
            path.write_text(_FILES[suffix]())
        return lambda: linnet.train(path, **options)

    return job


def _texts() -> str:
    return "".join(f'{{"label": {json.dumps(i % 3 == 0)}, "text": {json.dumps(each)}}}\n' for i, each in _numbered())


def _numbered() -> Any:
    return enumerate(files.texts(None)[:10_000])


def _table() -> str:
    one = data.dense(40_000, 28, test=1)
    names = ",".join(["y", *(f"x{j}" for j in range(28))])
    rows = "\n".join(f"{y}," + ",".join(f"{x:.6g}" for x in row) for row, y in zip(one.X, one.y, strict=True))
    return f"{names}\n{rows}\n"


_FILES: dict[str, Callable[[], str]] = {".jsonl": _texts, ".svm": lambda: data.svmlight_text("%.4g"), ".csv": _table}
_SVC = {"fit_intercept": False, "max_iter": 10_000}

JOBS: dict[str, Job] = {
    **{f"{kind}, {each}": _epoch(kind, each) for kind in ("sparse", "dense") for each in peers.linnet_fits()},
    "logistic, sparse": _estimator("LogisticRegression", "sparse"),
    "logistic, dense": _estimator("LogisticRegression", "dense"),
    "hinge, sparse, 1e-3": _estimator("LinearSVC", "sparse", loss="hinge", tol=1e-3, **_SVC),
    "hinge, sparse, 1e-6": _estimator("LinearSVC", "sparse", loss="hinge", tol=1e-6, **_SVC),
    "squared hinge, sparse": _estimator("LinearSVC", "sparse", loss="squared_hinge", tol=1e-6, **_SVC),
    "ridge, dense": _estimator("Ridge", "dense"),
    **{variant: _winnow(variant) for variant in ("winnow1", "winnow2", "balanced")},
    "text to hashed words": _hashing,
    "texts, naive Bayes": _file(".jsonl", target="label", learner="naive-bayes", ngrams=1),
    "texts, one pass": _file(".jsonl", target="label", learner="adaptive", ngrams=1),
    "texts, logistic regression": _file(".jsonl", target="label", C=1.0),
    "svmlight, one pass": _file(".svm", learner="adaptive"),
    "table, one pass": _file(".csv", target="y", learner="adaptive"),
    "table, logistic regression": _file(".csv", target="y", C=1.0),
}


def measured(name: str, folder: Path) -> float:
    """The least processor time of a job, in this process."""
    run = JOBS[name](folder)
    run()
    least, repeats, began = float("inf"), 0, perf_counter()
    while repeats < REPEATS or perf_counter() - began < SECONDS:
        gc.collect()
        before = process_time()
        run()
        least, repeats = min(least, process_time() - before), repeats + 1
    return least


def main(
    before: Annotated[Path, typer.Argument(help="A folder with the package as it was.")],
    after: Annotated[Path, typer.Argument(help="A folder with the package as it is.")],
    only: Annotated[list[str] | None, typer.Option(help=f"One of {'; '.join(JOBS)}.")] = None,
    rounds: Annotated[int, typer.Option(help="How many processes of each version.")] = 3,
) -> None:
    """Compare two versions of linnet by processor time."""
    table = Table(title="processor time of two versions", title_justify="left")
    for head in ("job", "before", "after", "before / after"):
        table.add_column(head, justify="left" if head == "job" else "right")
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for name in only or JOBS:
            least = [float("inf")] * 2
            for number in range(2 * rounds):
                version = (number + number // 2) % 2  # before, after, after, before, ...
                least[version] = min(least[version], _in_a_process((before, after)[version], name, folder))
            ratios.append(least[0] / least[1])
            times = [f"{1e3 * each:.2f} ms" for each in least]
            table.add_row(name, *times, f"{ratios[-1]:.3f}" + (" slower" if ratios[-1] < LEAST else ""))
    Console(width=100).print(table)
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.3f}, worst {min(ratios):.3f}")
    raise typer.Exit(int(min(ratios) < LEAST))


CHILD = """
import sys, pathlib
from benchmarks.versions import measured
print(measured(sys.argv[1], pathlib.Path(sys.argv[2])))
"""


def _in_a_process(package: Path, name: str, folder: str) -> float:
    root = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": f"{package.resolve()}{os.pathsep}{root}", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-c", CHILD, name, folder]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{name} in {package}: {ran.stderr[-2000:]}")
    return float(ran.stdout)


if __name__ == "__main__":
    typer.run(main)
