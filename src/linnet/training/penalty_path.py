"""A learner under one penalty after another, from strong to weak: each fit begins where the one before ended.

With an L1 penalty coordinate descent keeps its tables between the points (l1_path.py); other solvers take the last
weights, and the dual ones the last dual point.  What cannot begin anywhere (online and counting learners) is fitted
anew at each point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from linnet.cores import one_thread
from linnet.data.labels import Labels
from linnet.data.rows import Examples
from linnet.learners.entry import Entry, Way
from linnet.learners.recipe import Penalty
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import joined
from linnet.training.fit import Settings, fit
from linnet.training.history import added
from linnet.training.l1_path import SOLVER
from linnet.training.problems import Part, Problems
from linnet.training.result import Start, Trained
from linnet.training.solver_choice import choose
from linnet.training.solvers.coordinate_descent import CoordinateDescent


class PenaltyPath:
    """The fits of a learner to some examples; `at` takes the learner with the next penalty."""

    def __init__(self, examples: Examples, labels: Labels | None, settings: Settings | None = None) -> None:
        self._examples, self._labels = examples, labels
        self._settings = Settings() if settings is None else settings
        self._by_columns: _Columnwise | None = None

    def at(self, learner: Entry) -> Trained:
        """The learner fitted, from where the last point ended."""
        classes = 0 if self._labels is None else len(self._labels)
        if learner.way is not Way.BATCH:
            return fit(learner, self._examples, self._labels, self._settings)
        if not learner.sparse_classes and (self._labels is None or self._labels.sets is None):
            choice = choose(learner, self._examples.rows, classes, asked=self._settings.solver)
            if choice.name == SOLVER:
                if self._by_columns is None:
                    self._by_columns = _Columnwise(learner, self._examples, self._labels, self._settings)
                return self._by_columns.at(learner.recipe.penalty, choice.reason)
        trained = fit(learner, self._examples, self._labels, self._settings)
        if trained.start is not None:
            self._settings = replace(self._settings, start=replace(trained.start, nearby=True))
        return trained

    @property
    def ended(self) -> Start | None:
        """Where the last fit ended, if another can begin there."""
        return self._settings.start


class _Columnwise:
    """Coordinate descent on every problem of a learner, its state kept from penalty to penalty."""

    def __init__(self, entry: Entry, examples: Examples, labels: Labels | None, settings: Settings) -> None:
        self._watch = settings.watch
        how = Descent(settings.max_iter or entry.max_iter, settings.tolerance(entry))
        self._problems = Problems(entry, examples, labels, intercept=settings.intercept, text=settings.text)
        self._parts = [self._problems[number] for number in range(len(self._problems))]
        self._solvers = [CoordinateDescent(part.objective) for part in self._parts]
        self._how = [how] * len(self._parts)

    def at(self, penalty: Penalty, reason: str) -> Trained:
        with one_thread(), np.errstate(over="ignore", invalid="ignore"):
            found = [self._solved(number, part, penalty) for number, part in enumerate(self._parts)]
        tables = [part.for_model(each.weights) for part, each in zip(self._parts, found, strict=True)]
        model = self._problems.model(tables)
        return Trained(
            model,
            added([each.history for each in found]),
            all(each.converged for each in found),
            joined([each.certificate for each in found if each.certificate is not None]),
            Start(model, tuple(each.slopes for each in found)),
            solver=SOLVER,
            solver_reason=reason,
        )

    def _solved(self, number: int, part: Part, penalty: Penalty) -> Found:
        found = self._solvers[number].solve(part.objective.of_mean(penalty), self._how[number], self._watch)
        self._how[number] = replace(self._how[number], start=found.weights, warm=True)
        return found


def path(
    entry: Entry,
    examples: Examples,
    labels: Labels | None,
    penalties: Sequence[Penalty],
    settings: Settings | None = None,
) -> Iterator[Trained]:
    """The learner fitted under each of these penalties, the larger ones first, with a certificate for each."""
    fits = PenaltyPath(examples, labels, settings)
    for penalty in penalties:
        yield fits.at(replace(entry, recipe=replace(entry.recipe, penalty=penalty)))
