"""The door to all training in memory: a learner of the catalogue, examples and settings in, a trained model out.

The command line, `linnet.train` and every estimator come through here, so that the same problem gets the same solver,
the same stopping rule and the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from linnet.cores import one_thread
from linnet.data.labels import Labels
from linnet.data.rows import Examples, check_total_weight
from linnet.errors import NumericalError
from linnet.learners.entry import AUTO, Entry, Way
from linnet.learners.linear import LinearModel
from linnet.training.counting.naive_bayes import CLOSED_FORM
from linnet.training.descent import Descent, Found, Method, Steps
from linnet.training.duality_gap import NOT_PROVEN, certify, joined
from linnet.training.history import PATIENCE, Pass, Watcher, added, ignore
from linnet.training.log_count_ratio import Text
from linnet.training.objective import TOO_LARGE
from linnet.training.online import OnlineTraining, Passes
from linnet.training.problems import Part, Problems
from linnet.training.result import Start, Trained
from linnet.training.solver_choice import choose, method_of
from linnet.training.sparse_fit import fit_sparse
from linnet.training.threads import in_threads

# The score of a label that every row has, or none: the probability is 1 or 0 to the last digit.
CERTAIN = 40.0


@dataclass(frozen=True, eq=False)
class Settings:
    """How to run a learner; None leaves `tol` and `max_iter` to the learner.

    With `all_passes` no tolerance ends a run before `max_iter`.  `steps` are given step sizes, for gradient descent.
    `start` is where to begin: the end of an earlier fit of the same columns, classes and reduction; `near` the same, of
    a fit to other rows, for solvers that look at all rows in each step; `running` that of an online learner, which goes
    on.  What is not to be `proven` ends where a solver
    estimates that the gap is small enough.  `text` says which columns are n-grams of a text, and how rows count in
    their weighting.  A penalised intercept is the weight of a column of `intercept_scaling`, times that.  `shuffle`,
    `seed`, `patience` and `validation` are for online learners (online.py), `counting` has the parameters of a counting
    model.
    """

    solver: str = AUTO
    tol: float | None = None
    max_iter: int | None = None
    all_passes: bool = False
    intercept: bool = True
    intercept_scaling: float = 1.0
    threads: int = 1
    watch: Watcher = ignore
    steps: Steps | None = None
    start: Start | None = None
    near: LinearModel | None = None
    running: OnlineTraining | None = None
    proven: bool = True
    text: Text | None = None
    shuffle: bool = False
    seed: int = 0
    patience: int = PATIENCE
    validation: float = 0.0
    counting: Mapping[str, Any] = field(default_factory=dict)

    def tolerance(self, entry: Entry) -> float | None:
        if self.all_passes:
            return None
        return entry.tol if self.tol is None else self.tol


def fit(entry: Entry, examples: Examples, labels: Labels | None, settings: Settings | None = None) -> Trained:
    """Fit a learner to these examples; without labels, to numbers."""
    settings = Settings() if settings is None else settings
    if examples.weights is not None:
        check_total_weight(examples.weights)
    ways = {Way.ONLINE: _online, Way.COUNTING: _counted, Way.BATCH: _batch}
    return ways[entry.way](entry, examples, labels, settings)


def _online(entry: Entry, examples: Examples, labels: Labels | None, settings: Settings) -> Trained:
    training = settings.running
    if training is None:
        training = OnlineTraining(entry.recipe, examples.rows.shape[1], labels, intercept=settings.intercept)
    most = entry.max_iter if settings.max_iter is None else settings.max_iter
    passes = Passes(
        most,
        settings.tolerance(entry),
        settings.shuffle,
        settings.seed,
        settings.threads,
        settings.patience,
        settings.validation,
    )
    trained = training.fit(examples, passes, settings.watch)
    return replace(trained, solver="online", solver_reason="the learner takes one row at a time", state=training)


def _counted(entry: Entry, examples: Examples, labels: Labels | None, settings: Settings) -> Trained:
    assert labels is not None
    began = perf_counter()
    training = entry.counts_with()(examples.rows.shape[1], labels, **settings.counting)
    training.take(examples)
    model = training.model()
    only = Pass(0, len(examples.targets), float("nan"), perf_counter() - began)
    reason = "sums over the rows of each class give the model"
    return Trained(model, [only], True, CLOSED_FORM, solver="closed form", solver_reason=reason, state=training)


def _batch(entry: Entry, examples: Examples, labels: Labels | None, settings: Settings) -> Trained:
    """Solve every problem that the learner makes of these classes (one, for numbers)."""
    if entry.sparse_classes:
        assert labels is not None
        most, tol = settings.max_iter or entry.max_iter, settings.tolerance(entry)
        return fit_sparse(
            entry, examples, labels, settings.text, tol=tol, most=most, watch=settings.watch, proven=settings.proven
        )
    one_by_one = labels is not None and labels.sets is not None
    classes = 0 if labels is None else 2 if one_by_one else len(labels)
    steps = settings.steps
    chosen = choose(entry, examples.rows, classes, asked=settings.solver, steps=steps is not None)
    solver = entry.solver(chosen.name)
    if steps is None and solver.scheduled:
        steps = Steps(entry.recipe.schedule)
    most = (solver.max_iter or entry.max_iter) if settings.max_iter is None else settings.max_iter
    how = Descent(most, settings.tolerance(entry), steps, proven=settings.proven)
    method = method_of(chosen.name, entry.recipe.loss)
    problems = Problems(
        entry, examples, labels, intercept=settings.intercept, text=settings.text, scaling=settings.intercept_scaling
    )

    def solve(number: int) -> tuple[Found, tuple[Any, Any]]:
        part = problems[number]
        found = _constant(part, settings) if one_by_one else None
        if found is None:
            found = _solved(part, number, method, how, settings)
        return found, part.for_model(found.weights)

    with one_thread():
        solved = in_threads(solve, range(len(problems)), settings.threads)
    model = problems.model([table for _, table in solved])
    certificates = [found.certificate for found, _ in solved if found.certificate is not None]
    return Trained(
        model,
        added([found.history for found, _ in solved]),
        all(found.converged for found, _ in solved),
        joined(certificates) if len(certificates) == len(solved) else NOT_PROVEN,
        Start(model, tuple(found.slopes for found, _ in solved)),
        solver=chosen.name,
        solver_reason=chosen.reason,
    )


def _solved(part: Part, number: int, method: Method, how: Descent, settings: Settings) -> Found:
    """One of the problems, solved, and certified if it is to be proven."""
    with np.errstate(over="ignore", invalid="ignore"):  # one clear error below instead
        found = None
        if settings.start is not None:
            how = _from(settings.start, number, part, how)
            found = None if settings.start.nearby else _already_there(part, how, settings.watch)
        elif settings.near is not None:
            how = replace(how, start=part.weights_in(settings.near))
        if found is None and how.most == 0:
            found = Found(how.begin(part.objective), [], converged=False)
        if found is None:
            found = method(part.objective, how, settings.watch)
        if not np.isfinite(found.weights).all():
            raise NumericalError(TOO_LARGE)
        if found.certificate is None and settings.proven:
            found = replace(found, certificate=certify(part.objective, found.weights))
    return found


def _constant(part: Part, settings: Settings) -> Found | None:
    """A label that every row has, or none, has a constant score, for its intercept alone would grow without end."""
    objective = part.objective
    positive = objective.targets == objective.positive
    if not objective.intercept or positive.any() != positive.all():
        return None
    weights = np.zeros(objective.size)
    weights[-1] = CERTAIN if positive.any() else -CERTAIN
    certificate = certify(objective, weights) if settings.proven else None
    return Found(weights, [Pass(0, 0, 0.0, 0.0)], converged=True, certificate=certificate)


def _from(start: Start, number: int, part: Part, how: Descent) -> Descent:
    """The descent from where this problem of an earlier fit ended."""
    slopes = start.slopes[number]
    if slopes is not None and len(slopes) != len(part.objective.targets):
        slopes = None  # they belong to other rows
    return replace(how, start=part.weights_in(start.model), warm=True, slopes=slopes)


def _already_there(part: Part, how: Descent, watch: Watcher) -> Found | None:
    """The start, if it is proven to be near enough to the optimum as it is."""
    if how.tol is None or how.steps is not None or how.start is None:
        return None
    certificate = certify(part.objective, how.start, how.slopes)
    if not certificate.within(how.tol):
        return None
    tally = part.objective.pull(how.start)[1]._replace(updates=0)
    watch(tally)
    return Found(how.start, [tally], True, certificate, how.slopes)
