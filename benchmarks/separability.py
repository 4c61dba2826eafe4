"""Can a plane separate real data?  The verdict with its proof, and the time to find and to check it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import Figure, Goal

if TYPE_CHECKING:
    from benchmarks.workloads import Options

SECONDS = 60
SVMLIGHT = ("mushrooms", "a9a", "heart_scale")


def separability(options: Options) -> Iterator[Figure]:
    """Seconds to a proof, and to its check; for separable data also to the largest margin within 1e-3."""
    from linnet import theory

    for name, X, y in _sets(options.folder):
        began = perf_counter()
        answer = theory.separability(X, y)
        found = perf_counter()
        holds = answer.check(X, y)
        checked = perf_counter()
        what = {True: "separable", False: "not separable", None: "undecided"}[answer.separable]
        detail: dict[str, Any] = {"proof": "holds" if holds else "DOES NOT HOLD", "check": f"{checked - found:.3f} s"}
        if answer.separable:
            detail |= {"margin": f"{answer.margin:.6g}", "R": f"{answer.radius:.6g}", "bound": f"{answer.bound:.6g}"}
        elif answer.separable is False:
            detail |= {"examples": len(answer.rows), "exact": answer.exact}
        yield Figure(f"{name}: {what}", "seconds to the proof", found - began, Goal(most=SECONDS), detail)
        if answer.separable:
            began = perf_counter()
            best = theory.max_margin(X, y)
            taken = perf_counter() - began
            detail = {"primal": f"{best.margin:.6g}", "dual": f"{best.most:.6g}", "support": len(best.support)}
            yield Figure(f"{name}: margin", "seconds to the largest", taken, Goal(most=SECONDS), detail)


def _sets(folder: Path | None) -> Iterator[tuple[str, Any, np.ndarray]]:
    """The real sets; without a folder, rows made here, once with a plane between the classes and once without."""
    if folder is None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(100_000, 50))
        scores = X @ rng.normal(size=50)
        yield "clouds", X, scores > 0
        yield "noisy clouds", X, scores + 0.1 * rng.normal(size=len(scores)) > 0
        return
    from sklearn.datasets import load_svmlight_file

    from linnet import BagOfWords

    for name in SVMLIGHT:
        X, y = load_svmlight_file(str(folder / "svmlight" / name))
        yield name, X, y
    with gzip.open(folder / "text" / "imdb-train.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    X = BagOfWords(dtype=np.float32).fit_transform([row["text"] for row in rows])
    yield "IMDB bag of words", X, np.array([row["label"] for row in rows])


WORKLOADS: dict[str, Callable[[Any], Iterator[Figure]]] = {"separability": separability}
