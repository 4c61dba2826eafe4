"""Docstrings of the estimators, made from the catalogue and from one description of each parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from textwrap import fill
from typing import TypeVar

from linnet.learners import catalogue

E = TypeVar("E", bound=type)

PARAMETERS = {
    "learner": "A name from the catalogue (`linnet.catalogue.entries()` lists them), or a `linnet.Recipe` of your own.",
    "averaging": "Which weights predict: the last (`none`), their mean over all steps (`average`), or every hypothesis "
    "by weighted vote (`vote`).",
    "mode": "`online`: learn row by row. `batch`: add the mean of all mistaken rows at once, times `eta0`. "
    "`fixed-increment`: add their sum.",
    "solver": "How the problem is solved, of those named above; `auto` chooses.",
    "loss": "The loss to minimise: `hinge` or `squared_hinge`.",
    "C": "How much the losses count: the penalty's weight is 1 / C, a passive-aggressive step at most C.",
    "penalty": "`l2`, `l1` (sparse weights), `elasticnet`, or None; `keep` the learner's own. The intercept is never "
    "penalised.",
    "alpha": "The penalty's weight, beside the mean loss of a row. None keeps the learner's own.",
    "l1_ratio": "The part of the penalty that is L1, for `elasticnet`.",
    "max_iter": "How many passes over the data at most.",
    "tol": "When to stop. Perceptron: a pass with at most this share of mistakes (batch: a step no longer than this). "
    "Online learners: passes that improve the mean loss by no more than this share of the first pass's. Solvers: a "
    "gradient this small beside the first. None makes all `max_iter` passes.",
    "eta0": "The step size, or its start; for a batch gradient, on the objective as written above. None keeps the "
    "learner's own, or lets the solver find a safe one.",
    "power_t": "Steps are eta0 * t ** -power_t: 0 constant, 0.5 and 1 falling. None keeps the learner's own.",
    "fit_intercept": "Whether to learn an intercept b beside the weights.",
    "shuffle": "Whether to present the rows in a random order, a new one each pass. The order is drawn from the rows' "
    "contents: it does not depend on how the table is sorted.",
    "random_state": "The seed of the order. None is a seed like any other: the same data give the same model.",
    "multiclass": "More than two classes: all at once (`joint`), each against the rest (`one-vs-rest`), or each pair "
    "with a vote (`pairwise`).",
    "class_weight": "A weight for each class as a dictionary, or `balanced`.",
    "n_jobs": "Threads for `one-vs-rest` and `pairwise` (-1: one a core). The result is the same for any number.",
    "verbose": "Whether to show a progress bar.",
}

ATTRIBUTES = """
    Attributes
    ----------
    coef_, intercept_ : the weights w and the intercept b (for `averaging="vote"`, of the last hypothesis)
    classes_ : the labels, sorted (classifiers)
    history_ : for each pass: mistakes, updates, loss, seconds
    n_iter_, updates_ : passes made, and steps taken in all
    model_ : the `linnet.model.LinearModel`
    n_features_in_, feature_names_in_ : what the columns were
"""


def indent(text: str) -> str:
    """The text in lines of a terminal's width, four columns in."""
    return fill(text, 100, initial_indent="    ", subsequent_indent="    ")


def documented(*names: str) -> Callable[[E], E]:
    """Complete a class's docstring: these learners of the catalogue, its parameters, its attributes."""

    def complete(cls: E) -> E:
        lines = [inspect.cleandoc(cls.__doc__ or ""), ""]
        for name in names:
            entry = catalogue.find(name)
            lines += [f"{entry.name}:", indent(entry.summary), indent(entry.formula), indent(f"({entry.citation})"), ""]
        lines += ["Parameters", "----------"]
        for parameter in inspect.signature(cls).parameters.values():
            lines += [f"{parameter.name} : default {parameter.default!r}", indent(PARAMETERS[parameter.name])]
        cls.__doc__ = "\n".join(lines) + "\n\n" + inspect.cleandoc(ATTRIBUTES) + "\n"
        return cls

    return complete
