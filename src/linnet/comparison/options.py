"""The options of a comparison, each declared once; those of reading and features are those of training.

A light module: the command line is made from it, and `linnet --help` must not load NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linnet.comparison import contenders
from linnet.comparison.contenders import Contender
from linnet.errors import RecipeError
from linnet.errors import option as spelt
from linnet.pipeline import declaration
from linnet.pipeline.declaration import option

COMPARISON, SPLITS, RUNNING = "Comparison", "Splits", "Running"
# The region of practical equivalence where none is given: a hundredth, as in Benavoli, Corani, Demšar, Zaffalon 2017.
ROPE = 0.01
CONFIDENCE = 0.95


@dataclass(frozen=True)
class CompareOptions:
    """All options of a comparison beside those of reading, by the names that users know."""

    learners: Any = option(
        None, COMPARISON,
        "The contenders, with commas between them: learners by name, with options in brackets such as svm(C=0.1), and "
        "scikit-learn estimators by import path as yardsticks, such as sklearn.neighbors.KNeighborsClassifier("
        f"n_neighbors=5). Default: {', '.join(contenders.OF_TABLES)}; of text {', '.join(contenders.OF_TEXT)}; of "
        f"numbers {', '.join(contenders.OF_NUMBERS)}.",
        metavar="A,B,...", python="str, or list of str and estimators", parse=contenders.parsed, repeatable=True,
    )  # fmt: skip
    metric: str | None = option(
        None, COMPARISON,
        "The metric that decides: accuracy (default), balanced-accuracy, macro-f1, f1:LABEL, log-loss, brier, roc-auc, "
        "average-precision; of numbers r2 (default), rmse, mae.",
        metavar="METRIC",
    )  # fmt: skip
    rope: float | None = option(
        None, COMPARISON,
        f"Learners whose scores differ by at most this are equivalent in practice (default {ROPE:g}; of rmse and mae, "
        "that fraction of the least mean).",
        metavar="DIFFERENCE", least=0,
    )  # fmt: skip
    tuned: bool = option(
        False, COMPARISON,
        "Tune the strength of the penalty of every learner that has one, in the training part of each fold.",
    )  # fmt: skip
    reasons: bool = option(
        True, COMPARISON,
        "Measure why learners differ: facts of the data, learning curves, sensitivity to order, where they disagree.",
        flag="--reasons/--no-reasons",
    )  # fmt: skip
    folds: int = option(10, SPLITS, "Folds of a cross-validation.", least=2, most=1000)
    repeats: int = option(
        3, SPLITS, "Cross-validations, each with other folds; in time there is one.", least=1, most=1000
    )
    groups: str | None = option(
        None, SPLITS,
        "Rows with the same value in this column are in the same fold; the column is not a feature unless --column "
        "makes it one.",
        metavar="COLUMN",
    )  # fmt: skip
    time: str | None = option(
        None, SPLITS, "Order rows by this column of dates or numbers, and train only on what was before the test rows.",
        metavar="COLUMN",
    )  # fmt: skip
    in_time: bool = option(False, SPLITS, "The same, where the rows are in the order of time already.")
    jobs: int = option(
        0, RUNNING, "Processes; 0: one per core. Results do not depend on it.", least=0, most=1024, decisive=False
    )
    resume: bool = option(False, RUNNING, "Resume from RESULTS.json.partial of the same command.", decisive=False)

    def __post_init__(self) -> None:
        declaration.parse_fields(self)
        if self.time is not None and self.in_time:
            raise RecipeError(
                f"{spelt('time')} orders rows, and {spelt('in_time')} takes their order: give one of them"
            )

    @property
    def ordered(self) -> bool:
        """Whether folds follow time."""
        return self.time is not None or self.in_time

    @property
    def named(self) -> tuple[Contender, ...]:
        """The contenders, as given."""
        return self.learners or ()

    def recorded(self) -> dict[str, Any]:
        """The options as results hold them: all that decide the figures."""
        return {**declaration.decisive(self), "learners": [each.name for each in self.named]}
