"""Linear SVMs to a proven gap, beside LIBLINEAR at the same gap; without intercept, which LIBLINEAR penalises."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks import data
from benchmarks.measure import Figure, Goal, take_turns

if TYPE_CHECKING:
    from benchmarks.workloads import Options

GAPS = (1e-3, 1e-6)
# LIBLINEAR's numbers of the two, solved by their duals.
LOSSES = {"hinge": 3, "squared_hinge": 1}
# Its tolerance is no gap: it is lowered by halves of a power of ten until the gap is reached.
TOLERANCES = tuple(10 ** (-k / 2) for k in range(20))


def margins(options: Options) -> Iterator[Figure]:
    """Hinge and squared hinge at C = 1, to relative gaps of 1e-3 and 1e-6."""
    from linnet import LinearSVC

    for name, X, y in _sets(options.folder):
        theirs = Liblinear(X, y)
        for loss in LOSSES:
            for gap in GAPS:
                ours = LinearSVC(loss=loss, tol=gap, fit_intercept=False, max_iter=10_000)
                eps, reached = theirs.tolerance_for(loss, gap)
                seconds = take_turns(
                    {
                        "linnet": lambda ours=ours, X=X, y=y: ours.fit(X, y),
                        "LIBLINEAR": lambda theirs=theirs, loss=loss, eps=eps: theirs.fit(loss, eps),
                    },
                    max(3, options.repeats // 2),
                )
                made_of = {who: f"{1e3 * taken:.0f} ms" for who, taken in seconds.items()}
                made_of |= {"gaps": f"{ours.certificate_.gap:.1g}, {reached:.1g}"}
                yield _figure(f"{name}, {loss}, gap {gap:g}", seconds, made_of, met=reached <= gap)


def _figure(workload: str, seconds: dict[str, float], made_of: dict[str, str], *, met: bool) -> Figure:
    """The ratio, with a goal if both reached the gap."""
    what = "times LIBLINEAR" if met else "times LIBLINEAR, which gives up before"
    return Figure(workload, what, seconds["LIBLINEAR"] / seconds["linnet"], Goal(least=2) if met else None, made_of)


def _sets(folder: Path | None) -> Iterator[tuple[str, Any, np.ndarray]]:
    """Rows and signs; without a folder, rows like text that are made here."""
    if folder is None:
        one = data.sparse(20_000, test=1)
        yield "sparse", one.X.astype(np.float32), np.where(one.y == 1, 1.0, -1.0)
        return
    for one in data.real(folder):
        yield one.name, one.X.astype(np.float32), np.where(one.y == 1, 1.0, -1.0)
    from linnet import BagOfWords

    with gzip.open(folder / "text" / "imdb-train.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    X = BagOfWords(dtype=np.float32).fit_transform([row["text"] for row in rows])
    yield "IMDB tf-idf", csr_matrix(X), np.where([row["label"] == "pos" for row in rows], 1.0, -1.0)


@dataclass
class Fit:
    weights: np.ndarray
    dual: float


class Liblinear:
    """LIBLINEAR on one problem, which is put into its own format beforehand and at no charge."""

    def __init__(self, X: Any, y: np.ndarray) -> None:
        from liblinear.liblinear import PRINT_STRING_FUN, liblinear, problem

        self.X, self.y, self.library = X.astype(np.float64), y, liblinear
        self.problem = problem(y, self.X)
        self.said: list[bytes] = []
        self.hear = PRINT_STRING_FUN(self.said.append)

    def fit(self, loss: str, eps: float) -> Fit:
        from liblinear.liblinear import parameter

        self.said.clear()
        options = parameter(f"-s {LOSSES[loss]} -c 1 -e {eps} -B -1")  # which resets who hears
        self.library.set_print_string_function(self.hear)
        model = self.library.train(self.problem, options).contents
        weights = np.array(model.w[: self.X.shape[1]]) * model.label[0]
        found = re.search(r"Objective value = (-?[\d.]+)", b"".join(self.said).decode())
        assert found is not None
        return Fit(weights, -float(found[1]))

    def gap(self, loss: str, found: Fit) -> float:
        """The relative gap between the objective at its weights and the dual value that it reports."""
        short = np.maximum(0.0, 1.0 - self.y * (self.X @ found.weights))
        losses = short if loss == "hinge" else short * short
        primal = 0.5 * float(found.weights @ found.weights) + float(losses.sum())
        return (primal - found.dual) / primal

    def tolerance_for(self, loss: str, gap: float) -> tuple[float, float]:
        """The largest tolerance of its own that reaches this gap, or the least there is; and the gap it reaches."""
        for eps in TOLERANCES:
            reached = self.gap(loss, self.fit(loss, eps))
            if reached <= gap:
                break
        return eps, reached


WORKLOADS: dict[str, Callable[[Any], Iterator[Figure]]] = {"margins": margins}
