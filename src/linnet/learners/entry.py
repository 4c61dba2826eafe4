"""Entry: a row of the catalogue, which says everything about a learner that the rest of the program asks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import Any

from linnet.data.task import Task
from linnet.errors import RecipeError, option
from linnet.learners.losses import Loss
from linnet.learners.recipe import Averaging, Recipe, Reduction, Update
from linnet.learners.values import Values

AUTO = "auto"


class Way(StrEnum):
    """How a learner is run over the data: row by row, on all rows at once, or by sums over classes."""

    ONLINE = "online"
    BATCH = "batch"
    COUNTING = "counting"


class TextWeighting(StrEnum):
    """How a learner takes the counts of n-grams in a text; users choose a CountWeighting (features/text_options.py).

    With the log-count ratio, log counts at unit length are further multiplied by a weight for every n-gram and problem
    (training/log_count_ratio.py), where several classes are taken one by one; with tf-idf by one for every n-gram
    (training/inverse_frequency.py).
    """

    LOG_COUNTS = "log-counts"
    COUNTS = "counts"
    BINARY = "binary"
    LOG_COUNT_RATIO = "log-count-ratio"
    TF_IDF = "tf-idf"


@dataclass(frozen=True)
class Solver:
    """One way to minimise a learner's objective."""

    name: str
    summary: str
    formula: str = ""
    citation: str = ""
    # what its iterations are limited to, if not by the learner's own limit
    max_iter: int | None = None
    # whether its steps are those of the recipe's schedule
    scheduled: bool = False


@dataclass(frozen=True)
class Entry:
    """A row of the catalogue.

    `strength` is C or alpha, whichever sets the strength of the penalty (or of smoothing); `penalties` and `multiclass`
    are the values that these options take.  `tol` and `max_iter` are the stopping rule where none is given: for batch
    learners a relative duality gap.  With `chooses_alpha` alpha is chosen by the data where none is given, in a
    pipeline (estimators have their defaults).  `counting_model` is the class that counts, as "module:name".  With
    `sparse_classes` a feature has weights only for the classes that its rows pulled (training/sparse_fit.py).
    """

    name: str
    recipe: Recipe
    way: Way
    tasks: tuple[Task, ...]
    summary: str
    formula: str
    citation: str
    strength: str = ""
    penalties: tuple[str, ...] = ()
    multiclass: tuple[Reduction, ...] = ()
    solvers: tuple[Solver, ...] = ()
    tol: float = 1e-3
    max_iter: int = 100
    text: TextWeighting = TextWeighting.LOG_COUNTS
    values: Values | None = None
    counting_model: str = ""
    chooses_alpha: bool = False
    sparse_classes: bool = False

    def __post_init__(self) -> None:
        if self.values is None:
            object.__setattr__(self, "values", self.recipe.values)

    def solver(self, name: str) -> Solver:
        """The solver of this name; an error that lists those there are."""
        for each in self.solvers:
            if each.name == name:
                return each
        names = ", ".join(each.name for each in self.solvers) or "none to choose"
        raise RecipeError(f"{option('solver', name)} is not for {self.name}: there is {names}")

    def offers(self, solver: str) -> bool:
        """Whether it can be run by this solver."""
        return any(each.name == solver for each in self.solvers)

    @property
    def has_standard_errors(self) -> bool:
        """Whether it can maximise a likelihood without a penalty: standard errors are those at such an optimum."""
        likelihood = self.recipe.loss.log_odds or self.recipe.loss is Loss.SQUARED
        return likelihood and self.way is Way.BATCH and "none" in self.penalties

    @property
    def takes_each_label(self) -> bool:
        """Whether it can take every label of rows with several, one by one: it makes weights for two classes."""
        by_weights = self.way is not Way.COUNTING and self.recipe.averaging is not Averaging.VOTE
        return by_weights and Task.CLASSIFICATION in self.tasks and self.multiclass != (Reduction.JOINT,)

    def accepts(self, name: str) -> bool:
        """Whether this option of training means anything to it."""
        multiplicative = self.recipe.update is Update.MULTIPLICATIVE
        takes = {
            "C": self.strength == "C",
            "alpha": self.strength == "alpha",
            "penalty": bool(self.penalties),
            "l1_ratio": "elasticnet" in self.penalties,
            "multiclass": bool(self.multiclass),
            "penalise_intercept": bool(self.penalties) and self.way is not Way.ONLINE and not self.sparse_classes,
            "class_weight": self.way is not Way.COUNTING and Task.CLASSIFICATION in self.tasks,
            "promotion": multiplicative,
            "winnow_threshold": multiplicative and not self.recipe.factors.balanced,
            "passes": self.way is Way.ONLINE,
            "solver": len(self.solvers) > 1,
            "tol": bool(self.solvers),
            "max_iter": bool(self.solvers),
            "power": self.name == "tweedie",
            "epsilon": self.name in ("huber", "svr", "svr-squared"),
            "quantile": self.name == "quantile",
        }
        return takes[name]

    def counts_with(self) -> Any:
        """The class of its sums (counting learners)."""
        module, _, name = self.counting_model.partition(":")
        return getattr(import_module(module), name)
