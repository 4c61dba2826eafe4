"""A learner under a decreasing sequence of penalties: each fit begins where the one before ended, and has its proof.

From l1 = max_j |slope of weight j at w = 0| on, all weights are 0.  Below it a fit that begins at that of a slightly
larger penalty takes few steps, and least squares of few columns keep their table of pairs for all of them (Friedman,
Hastie, Tibshirani 2010, Regularization paths for generalized linear models via coordinate descent).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from linnet.cores import one_thread
from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.learners.entry import Entry
from linnet.learners.recipe import Penalty
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import joined
from linnet.training.fit import Settings, fit
from linnet.training.history import Watcher, added, ignore
from linnet.training.objective import Objective
from linnet.training.problems import Problems
from linnet.training.result import Start, Trained
from linnet.training.solver_choice import choose
from linnet.training.solvers.coordinate_descent import CoordinateDescent
from linnet.training.solvers.point import Point

SOLVER = "coordinate-descent"


def largest_l1(problem: Objective) -> float:
    """The smallest L1 penalty of the mean loss at which all weights are 0."""
    point = Point.first(problem, np.zeros(len(problem.targets)), 0.0)
    point.balance()
    slopes = problem.summed(point.r[:, np.newaxis])[:-1]
    return float((-slopes if problem.penalty.positive else np.abs(slopes)).max(initial=0.0))


def solutions(
    problem: Objective, penalties: Sequence[Penalty], how: Descent, watch: Watcher = ignore
) -> Iterator[Found]:
    """The minimum under each of these penalties of the mean loss, with its certificate, each from that before."""
    solver = CoordinateDescent(problem)
    for penalty in penalties:
        found = solver.solve(penalty, how, watch)
        yield found
        how = replace(how, start=found.weights, warm=True)


def path(
    entry: Entry,
    examples: Examples,
    labels: Labels | None,
    penalties: Sequence[Penalty],
    settings: Settings | None = None,
) -> list[Trained]:
    """The learner fitted under each of these penalties, the larger ones first, with a certificate for each.

    What coordinate descent does not solve, such as several classes jointly, is fitted one penalty after the other.
    """
    settings = Settings() if settings is None else settings
    learners = [replace(entry, recipe=replace(entry.recipe, penalty=penalty)) for penalty in penalties]
    chosen = [choose(each, examples.rows, 0 if labels is None else len(labels)) for each in learners]
    if any(choice.name != SOLVER for choice in chosen):
        return _one_by_one(learners, examples, labels, settings)
    how = Descent(settings.max_iter or entry.max_iter, settings.tolerance(entry))
    problems = Problems(entry, examples, labels, intercept=settings.intercept, text=settings.text)
    solved, tables = [], []
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        for number in range(len(problems)):
            part = problems[number]
            own = [part.objective.of_mean(penalty) for penalty in penalties]
            solved.append(list(solutions(part.objective, own, how, settings.watch)))
            tables.append([part.for_model(found.weights) for found in solved[-1]])
    return [
        _trained(problems, [each[at] for each in solved], [each[at] for each in tables], chosen[at].reason)
        for at in range(len(penalties))
    ]


def _trained(problems: Problems, found: list[Found], tables: list, reason: str) -> Trained:  # type: ignore[type-arg]
    model = problems.model(tables)
    certificates = [each.certificate for each in found if each.certificate is not None]
    return Trained(
        model,
        added([each.history for each in found]),
        all(each.converged for each in found),
        joined(certificates),
        Start(model, tuple(each.slopes for each in found)),
        solver=SOLVER,
        solver_reason=reason,
    )


def _one_by_one(learners: list[Entry], examples: Examples, labels: Labels | None, settings: Settings) -> list[Trained]:
    fits: list[Trained] = []
    for learner in learners:
        start = fits[-1].start if fits else settings.start
        fits.append(fit(learner, examples, labels, replace(settings, start=start)))
    return fits
