"""Shape x learner x best peer: python benchmarks/run.py --only shapes, or, of some of it, python benchmarks/shapes.py.

Two kinds of cells. *Defaults*: both as they come, judged on other rows. *Equal objective*: linnet as it comes; of each
peer the loosest tolerance, in steps of ten, at which its objective is at most linnet's (and 1e-4 of it more), or the
tightest. A ratio is the seconds of the fastest peer over linnet's.
"""

from __future__ import annotations

import argparse
import gc
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median
from time import perf_counter, process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measure import Figure, Goal
from benchmarks.shape_learners import LEARNERS, Learner
from benchmarks.shape_sets import Shape, makers

TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8)
CLOSE = 1e-4
# A contender takes turns until they are TURNS or took BUDGET seconds together; beyond LONGEST no tighter one is tried.
TURNS, BUDGET, LONGEST = 5, 3.0, 60.0


@dataclass(frozen=True)
class Cell:
    """`worth`: held-out scores, or objectives, of linnet and the fastest peer."""

    shape: str
    learner: str
    kind: str
    linnet: float
    peer: str
    theirs: float
    worth: tuple[float, float]

    @property
    def ratio(self) -> float:
        return self.theirs / self.linnet

    def __str__(self) -> str:
        ours, theirs = self.worth
        return (
            f"{self.ratio:8.2f}x  {self.kind:9}  {self.shape:18}  {self.learner:26}  {self.linnet:9.4f} s  "
            f"{self.peer} {self.theirs:.4f} s  ({ours:.6g} beside {theirs:.6g})"
        )


def cells(
    clock: Callable[[], float], fraction: float = 1.0, shape: str | None = None, learner: str | None = None
) -> Iterator[Cell]:
    """All cells, or those of one shape or learner."""
    for name, make in makers(fraction).items():
        if shape is not None and name != shape:
            continue
        made = make()
        for each in LEARNERS:
            if each.fits(made) and (learner is None or each.name == learner):
                yield from _cells_of(made, each, clock)


def _cells_of(shape: Shape, learner: Learner, clock: Callable[[], float]) -> Iterator[Cell]:
    contenders = {"linnet": lambda: learner.linnet(shape, None)}
    for name, fit in learner.peers.items():
        contenders[name] = lambda fit=fit: fit(shape, None)
    yield _cell(shape, learner, "defaults", contenders, clock, lambda fitted: _held_out(shape, fitted))
    if learner.exact_linnet is None or learner.objective is None:
        return
    ours, objective = learner.exact_linnet, learner.objective
    wanted = objective(shape, ours(shape, None)) * (1 + CLOSE)
    contenders = {"linnet": lambda: ours(shape, None)}
    for name, fit in learner.exact.items():
        tol = _loosest(shape, fit, objective, wanted, clock)
        if tol is not None:
            contenders[f"{name} {tol:g}"] = lambda fit=fit, tol=tol: fit(shape, tol)
    if len(contenders) > 1:
        yield _cell(shape, learner, "objective", contenders, clock, lambda fitted: objective(shape, fitted))


def _held_out(shape: Shape, fitted: Any) -> float:
    return float(fitted.score(shape.X_test, shape.y_test))


def _loosest(shape: Shape, fit: Any, objective: Any, wanted: float, clock: Callable[[], float]) -> float | None:
    """The loosest tolerance that is enough, or the tightest tried; None for a peer that is not installed, or cannot."""
    tried = None
    for tol in TOLERANCES:
        began = clock()
        try:
            fitted = fit(shape, tol)
        except (ImportError, AttributeError, ValueError, TypeError, MemoryError):
            return None
        tried = tol
        if objective(shape, fitted) <= wanted or clock() - began > LONGEST:
            break
    return tried


def _cell(shape: Shape, learner: Learner, kind: str, contenders: Any, clock: Any, worth: Any) -> Cell:
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    fitted: dict[str, Any] = {}
    for _ in range(TURNS):
        for name, work in contenders.items():
            if sum(seconds[name]) > BUDGET:
                continue
            gc.collect()
            began = clock()
            fitted[name] = work()
            seconds[name].append(clock() - began)
    times = {name: median(each) for name, each in seconds.items()}
    peer = min((name for name in times if name != "linnet"), key=times.__getitem__)
    both = worth(fitted["linnet"]), worth(fitted[peer])
    return Cell(shape.name, learner.name, kind, times["linnet"], peer, times[peer], both)


def worth_less(cell: Cell) -> bool:
    """Whether linnet's is not as good, by a point of the held-out score or by its objective: its time says little."""
    ours, theirs = cell.worth
    return ours < theirs - 0.01 if cell.kind == "defaults" else ours > theirs * (1 + 2 * CLOSE)


def summary(found: list[Cell], kind: str) -> str:
    """The geometric mean and the worst cell, in one line."""
    of_kind = [cell for cell in found if cell.kind == kind]
    if not of_kind:
        return f"{kind}: no cells"
    worst = min(of_kind, key=lambda cell: cell.ratio)
    below = sum(cell.ratio < 1 for cell in of_kind)
    worse = sum(map(worth_less, of_kind))
    return (
        f"{kind}: {len(of_kind)} cells, geometric mean {geometric_mean([c.ratio for c in of_kind]):.2f}x, worst "
        f"{worst.ratio:.2f}x ({worst.shape}, {worst.learner}), below 1: {below}, worse fits: {worse}"
    )


def figures() -> Iterator[Figure]:
    """For the benchmark of all workloads."""
    found = []
    for cell in cells(perf_counter):
        found.append(cell)
        detail = {"linnet": f"{cell.linnet:.4f} s", cell.peer: f"{cell.theirs:.4f} s", "worth": f"{cell.worth}"}
        yield Figure(f"{cell.shape}, {cell.learner}", f"times the best peer, {cell.kind}", cell.ratio, Goal(1), detail)
    for kind in ("defaults", "objective"):
        ratios = [cell.ratio for cell in found if cell.kind == kind]
        yield Figure("shapes", f"geometric mean, {kind}", geometric_mean(ratios), Goal(4))
        yield Figure("shapes", f"worst cell, {kind}", min(ratios), Goal(1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", help=f"one of {', '.join(makers())}")
    parser.add_argument("--learner", help=f"one of {', '.join(each.name for each in LEARNERS)}")
    parser.add_argument("--fraction", type=float, default=1.0, help="make the shapes this much shorter")
    parser.add_argument("--processor", action="store_true", help="processor time, for a machine that is busy")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = []
    for cell in cells(process_time if given.processor else perf_counter, given.fraction, given.shape, given.learner):
        found.append(cell)
        print(cell, "worse" if worth_less(cell) else "", flush=True)
    for kind in ("defaults", "objective"):
        print(summary(found, kind))


if __name__ == "__main__":
    main()
