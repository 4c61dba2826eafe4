"""The options of training, each declared once.

A light module: the command line is made from it, and `linnet --help` must not load NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from linnet.data.date_spelling import DateOrder
from linnet.data.features.text_options import Analyzer, CountWeighting, TextOptions
from linnet.data.on_error import OnError
from linnet.data.on_misfit import OnMisfit
from linnet.data.role import Role
from linnet.data.sources.formats import Dialect, Format, StrayQuotes
from linnet.data.task import Task
from linnet.decisions.calibration_method import Method
from linnet.evaluation.tuning_metrics import Metric, TuneRule, Tuning
from linnet.learners import catalogue
from linnet.learners.entry import AUTO as AUTO
from linnet.learners.entry import Entry
from linnet.learners.loss_parameters import LossParameters
from linnet.learners.recipe import Reduction
from linnet.learners.regularisation import PenaltyKind, Regularisation
from linnet.learners.winnow_factors import WinnowFactors
from linnet.pipeline import declaration, option_values
from linnet.pipeline.declaration import in_shell, internal, option

if TYPE_CHECKING:
    from linnet.data.features.feature_map import FeatureOptions
    from linnet.pipeline.decision_fit import Wanted
    from linnet.training.class_weights import ClassWeights

MEMORY = 1 << 30

TRAINING, PENALTY, LOSSES, WINNOW, DECISIONS = "Training", "Penalty", "Losses", "Winnow", "Decisions"
FEATURES, READING, CHECKPOINTS = "Features", "Reading", "Checkpoints"


def _taking(name: str) -> Callable[[Entry], bool]:
    """Which learners take an option: asked of the catalogue."""
    return lambda entry: entry.accepts(name)


_LEARNERS = ", ".join(entry.name for entry in catalogue.entries())


@dataclass(frozen=True)
class TrainOptions:
    """All options of a training run, by the names that users know.

    Every field takes what a user writes, a string from a shell or a Python value, and holds its parsed form.
    """

    target: str | None = option(
        None,
        "",
        "The column to predict: its name, first, last, or its number from 1. Formats such as svmlight carry their own "
        "target.",
        metavar="COLUMN",
    )
    learner: str = option(AUTO, TRAINING, f"auto chooses by the data; or one of {_LEARNERS}.", metavar="NAME")
    task: Task | None = option(None, TRAINING, "Predict a class or a number; inferred from the target.")
    solver: str = option(
        AUTO, TRAINING, "The solver; auto chooses by the shape of the data.", metavar="NAME", learners=_taking("solver")
    )
    class_weight: str | Mapping[Any, float] | None = option(
        None, TRAINING,
        "Weight of a class, which multiplies the weight of its rows (default 1); balanced: inversely proportional to "
        "the class frequencies, for learners that see all rows before they start.",
        metavar="balanced|LABEL=WEIGHT", python="dict of label to weight, or 'balanced'",
        parse=option_values.class_weight, repeatable=True,
    )  # fmt: skip
    multiclass: Reduction | None = option(
        None, TRAINING,
        "More than two classes: all jointly, jointly with the last label as reference, one-vs-rest, or pairwise with "
        "votes. Each learner has its own default. Rows with several labels, or none: each-label, one model a label, "
        "which is the default where the first rows have several.",
    )  # fmt: skip
    passes: int | None = option(None, TRAINING, "Passes of an online learner over the data (default 1).", least=1)
    max_iter: int | None = option(
        None, TRAINING, "Most iterations of a batch solver (default: the learner's own).", least=1,
        learners=_taking("max_iter"),
    )  # fmt: skip
    tol: float | None = option(
        None, TRAINING,
        "Stop when the relative duality gap (or, where there is none, the gradient) is below this (default: the "
        "learner's own).",
        metavar="TOL", least=0, learners=_taking("tol"),
    )  # fmt: skip
    holdout: float | None = option(
        None, TRAINING,
        "Fraction of the rows to hold out for validation (default 0.1; in one online pass over labels, 0).",
        metavar="FRACTION", least=0, below=1,
    )  # fmt: skip
    summary: bool = option(
        False, TRAINING,
        "Fit without a penalty, and report coefficients with standard errors, tests and 95 % intervals, deviance, AIC "
        "and BIC. Categories are compared with their most frequent level; weights of rows are numbers of copies.",
    )  # fmt: skip
    seed: int = option(0, TRAINING, "Seed of the shuffle and of the choice of held-out rows.", least=0, most=2**63 - 1)

    C: float | str | None = option(
        None, PENALTY,
        "Inverse regularisation strength: smaller C, smaller weights (default 1; logistic-regression chooses it from "
        "a sample of the rows, by log loss); auto: tuned, as by --tune.",
        flag="--C", metavar="C|auto", python="float or 'auto'", parse=option_values.strength("C"),
        learners=_taking("C"),
    )  # fmt: skip
    alpha: float | str | None = option(
        None, PENALTY,
        "Regularisation strength: larger alpha, smaller weights (default: ridge, lasso and elastic-net choose it); for "
        "naive Bayes the smoothing added to every count; auto: tuned, as by --tune.",
        metavar="ALPHA|auto", python="float or 'auto'", parse=option_values.strength("alpha"),
        learners=_taking("alpha"),
    )  # fmt: skip
    tune: str | None = option(
        None, PENALTY,
        "Tune C or alpha by cross-validation: a path of 10 points, from a strong to a weak penalty (C: 4^-5 to 4^4 "
        "times the default), on 5 folds of the rows that are not held out. METRIC, which can be left out: accuracy, "
        "balanced-accuracy, f1:LABEL, macro-f1, roc-auc, log-loss, brier; r2, rmse, mae. Default: log-loss, or "
        "accuracy for learners without probabilities; r2.",
        metavar="METRIC", python="bool or str", parse=option_values.tune, optional_value=AUTO,
        learners=lambda entry: bool(entry.strength),
    )  # fmt: skip
    tune_rule: TuneRule | None = option(
        None, PENALTY,
        "What tuning chooses: the best point (default), or the strongest penalty within one standard error of it.",
        metavar="best|one-standard-error",
    )  # fmt: skip
    folds: int | None = option(None, PENALTY, "Number of folds to tune on (default 5).", least=2, most=100)
    penalty: PenaltyKind | None = option(
        None, PENALTY,
        "L2 penalty, L1 penalty (many weights become exactly 0), elastic net (both), or none. Each learner has its "
        "own default. The intercept is not penalised.",
    )  # fmt: skip
    l1_ratio: float | None = option(
        None, PENALTY, "Fraction of an elastic-net penalty that is L1 (default 0.5).", metavar="RATIO"
    )
    penalise_intercept: bool = option(False, PENALTY, "Penalise the intercept like a weight; for batch learners.")

    power: float | None = option(
        None, LOSSES,
        "The power p of tweedie, whose variance is mean^p: 0 normal, 1 Poisson, 2 gamma, 3 inverse Gaussian; between 1 "
        "and 2 amounts of which many are 0 (default 1.5).",
        metavar="POWER", learners=_taking("power"),
    )  # fmt: skip
    quantile: float | None = option(
        None, LOSSES, "The fraction of rows whose target is to be below the prediction (default 0.5, the median).",
        metavar="Q", learners=_taking("quantile"),
    )  # fmt: skip

    epsilon: float | None = option(
        None, LOSSES,
        "Residuals beyond this many scales are outliers of huber, and count by their size (default 1.35); those up to "
        "this number cost nothing in svr (default 0).",
        metavar="EPSILON", learners=_taking("epsilon"),
    )  # fmt: skip

    promotion: float | None = option(
        None, WINNOW, "The factor α that a mistake multiplies or divides weights by (default 2; winnow 1.2).",
        metavar="ALPHA", learners=_taking("promotion"),
    )  # fmt: skip
    winnow_threshold: float | None = option(
        None, WINNOW,
        "The threshold Θ that the weights of a row must exceed in sum (default: half the number of features if all "
        "columns are numbers, else 512).",
        metavar="THETA", learners=_taking("winnow_threshold"),
    )  # fmt: skip

    calibrate: Method | None = option(None, DECISIONS, "Calibrate probabilities on held-out rows.")
    threshold_for: str | None = option(
        None, DECISIONS,
        "Of two classes, decide at the probability that is best for a metric on held-out rows: f1, f0.5, f2, accuracy, "
        "balanced-accuracy, matthews, precision@recall=0.95 (highest precision with a recall of 0.95 or more), "
        "recall@precision=0.9. LABEL is the positive class, as in f1:spam; it can be left out for no/yes and 0/1.",
        metavar="METRIC[:LABEL]", decisive=False,
    )  # fmt: skip
    costs: Mapping[tuple[Any, Any], float] | Sequence[str] | None = option(
        None, DECISIONS,
        "Cost of predicting one label where another is true (default 1): predict the label of least expected cost.",
        flag="--cost", metavar="TRUE,PREDICTED=COST", python="dict of (true label, predicted label) to cost",
        parse=option_values.costs, repeatable=True, decisive=False,
    )  # fmt: skip
    reject: float | None = option(
        None, DECISIONS, "Predict nothing where every label has an expected cost above this.", metavar="COST",
        decisive=False,
    )  # fmt: skip
    least: float | None = option(
        None, DECISIONS, "Predict nothing where the predicted label has a probability below this.",
        metavar="PROBABILITY", decisive=False,
    )  # fmt: skip

    columns: Mapping[str, Role] = option(
        {}, FEATURES,
        "Role of a column: number, log (a number, by its logarithm), category, text, date, id, weight (sample weight), "
        "or ignore.",
        flag="--column", metavar="NAME:ROLE", python="dict of column to role", parse=option_values.roles,
        repeatable=True,
    )  # fmt: skip
    crosses: tuple[tuple[str, ...], ...] = option(
        (), FEATURES, "Add the interaction of columns: categories by their combination, numbers by their product.",
        flag="--cross", metavar="A,B", python="sequence of sequences of columns",
        parse=option_values.crosses, repeatable=True,
    )  # fmt: skip
    polynomial: int = option(1, FEATURES, "Add all products of numbers up to this degree.", least=1, most=5)
    conjunctions: int = option(
        1, FEATURES, "Add every conjunction of up to K columns that are not 0 in a row; with winnow1, a k-DNF.",
        metavar="K", least=1, most=5,
    )  # fmt: skip
    ngrams: tuple[int, int] = option(
        (1, 2), FEATURES, "Lengths of n-grams of words or characters.", metavar="N or M-N", default_text="1-2",
        python="int or (int, int)", parse=option_values.ngram_lengths,
    )  # fmt: skip
    analyzer: Analyzer = option(
        Analyzer.WORD, FEATURES, "N-grams of words, of characters, or of characters within words."
    )
    counts: CountWeighting = option(
        CountWeighting.LOG,
        FEATURES,
        "The value of a term in a text: 1 + log of its count, 1 if it is present, or the count.",
    )
    marks: bool = option(True, FEATURES, "Treat punctuation marks as words.", flag="--marks/--no-marks")
    hash_bits: int = option(
        0, FEATURES,
        "Hash names into 2^BITS features per column; 0: exact, a dictionary. Collisions are counted and reported.",
        metavar="BITS", least=0, most=31,
    )  # fmt: skip

    header: bool | None = option(
        None, READING, "Whether a CSV file starts with column names; inferred.", flag="--header/--no-header"
    )
    format: Format | None = option(None, READING, "Format of the data; inferred from its name and content.")
    encoding: str | None = option(
        None, READING,
        "Encoding of the files, such as utf-8, windows-1252, latin-1, utf-16; inferred from the first rows.",
        metavar="NAME", parse=option_values.encoding,
    )  # fmt: skip
    separator: str | None = option(
        None, READING,
        "What separates the fields of delimited text: a character, or comma, semicolon, tab, bar, blanks (runs of "
        "spaces and tabs); inferred from the first rows.",
        metavar="CHAR", parse=option_values.separator,
    )  # fmt: skip
    quote: str | None = option(
        None, READING, 'What quotes the fields of delimited text: a character, or none (default ").',
        metavar="CHAR|none", parse=option_values.quote,
    )  # fmt: skip
    stray_quotes: StrayQuotes = option(
        StrayQuotes.LITERAL, READING,
        "A quote that begins a field but does not enclose it: take it literally, and report it, or make its row an "
        "error.",
    )  # fmt: skip
    on_error: OnError = option(
        OnError.FAIL,
        READING,
        "Rows that cannot be read: fail at the first, skip them, or (train only) write them to a file.",
    )
    missing: tuple[str, ...] = option(
        (), READING, "A value that stands for a missing one, beside NA, n/a, -, ?, none, null, unknown and the like.",
        metavar="VALUE", python="str or sequence of str", parse=option_values.markers, repeatable=True,
    )  # fmt: skip
    dates: DateOrder | None = option(
        None, READING, "The order of day, month and year in dates such as 04/05/2024; inferred where it can be.",
    )  # fmt: skip
    on_misfit: OnMisfit = option(
        OnMisfit.MISSING, READING,
        "A value that does not fit the type of its column is missing, and counted; or an error of its row, as "
        "on-error has it.",
    )  # fmt: skip
    memory: int = option(
        MEMORY, READING,
        "Most memory for the rows, for the names of features and for the weights, each. Rows that need more are "
        "trained on out of core; names and weights that do are refused.", metavar="SIZE",
        default_text="1GB", python="int or str", parse=option_values.size, decisive=False,
    )  # fmt: skip
    threads: int = option(
        0, READING, "Number of threads; 0: one per core. Results do not depend on it.", least=0, decisive=False
    )

    checkpoint_every: int | None = option(
        None, CHECKPOINTS, "Save a checkpoint every ROWS rows; for online learners.", metavar="ROWS", least=1,
        in_python=False, decisive=False,
    )  # fmt: skip
    resume: bool = option(
        False, CHECKPOINTS, "Resume from the checkpoint of the same command.", in_python=False, decisive=False
    )

    checkpoint: str | None = internal(None)
    quarantine: str | None = internal(None)

    def __post_init__(self) -> None:
        declaration.parse_fields(self)

    # -- views ---------------------------------------------------------------------------------------------------

    @property
    def roles(self) -> Mapping[str, Role]:
        """The roles that were given, by column."""
        return self.columns

    @property
    def form(self) -> Dialect:
        """How files are to be read; who speaks of columns, other than those of labelled text, has a table."""
        from linnet.data.sources.labelled import TARGET, TEXT

        named = {self.target, *self.columns} - {None, TARGET, TEXT}
        return Dialect(
            self.format, self.header, self.encoding, self.separator, self.quote, self.stray_quotes,
            table=bool(named) or self.header is not None,
        )  # fmt: skip

    @cached_property
    def features(self) -> FeatureOptions:
        """How columns become features."""
        from linnet.data.features.feature_map import FeatureOptions

        text = TextOptions(self.analyzer, *self.ngrams, marks=self.marks, count_weighting=self.counts)
        return FeatureOptions(text, self.crosses, self.polynomial, self.hash_bits, self.conjunctions)

    @cached_property
    def strength(self) -> Regularisation:
        """Regularisation and reduction, as given; a summary is of a fit without a penalty."""
        penalty = PenaltyKind.NONE if self.summary else self.penalty
        # that rows have several labels is no choice of a learner
        multiclass = None if self.multiclass is Reduction.EACH_LABEL else self.multiclass
        C, alpha = (None if isinstance(each, str) else each for each in (self.C, self.alpha))  # a string is auto
        return Regularisation(C, alpha, penalty, self.l1_ratio, multiclass, self.penalise_intercept)

    @cached_property
    def tuning(self) -> Tuning | None:
        """How C or alpha is to be tuned, if it is."""
        if self.tune is None and AUTO not in (self.C, self.alpha):
            return None
        metric = None if self.tune in (None, AUTO) else Metric.parsed(self.tune)
        return Tuning(metric, self.tune_rule or TuneRule.BEST, self.folds or Tuning.folds)

    @cached_property
    def winnowing(self) -> WinnowFactors:
        """The factors of Winnow, as given."""
        return WinnowFactors(self.promotion, self.winnow_threshold)

    @cached_property
    def loss_parameters(self) -> LossParameters:
        """The parameters of the loss, as given."""
        return LossParameters(self.power, self.quantile, self.epsilon)

    @cached_property
    def class_weights(self) -> ClassWeights | None:
        """The weights of classes, as given."""
        from linnet.training.class_weights import ClassWeights

        return None if self.class_weight is None else ClassWeights.of(self.class_weight)

    @property
    def decides(self) -> bool:
        """Whether the model gets a decision rule."""
        return self.priced or self.threshold_for is not None

    @property
    def priced(self) -> bool:
        """Whether that rule follows costs."""
        return self.costs is not None or self.reject is not None or self.least is not None

    @property
    def sets_apart(self) -> bool:
        """Whether rows must be held out to calibrate probabilities or to choose a threshold."""
        return self.calibrate is not None or self.threshold_for is not None

    def wanted(self, classes: Any) -> Wanted:
        """The calibration and the decision rule for these classes."""
        from linnet.decisions.costs import Rule
        from linnet.decisions.thresholds import Goal
        from linnet.pipeline.decision_fit import Wanted

        goal = None if self.threshold_for is None else Goal.parsed(self.threshold_for).among(classes)
        rule = Rule.of(classes, self.costs, self.reject, self.least) if self.priced else None
        return Wanted(self.calibrate, rule, goal, classes)

    def recorded(self) -> dict[str, Any]:
        """The options as a model's record holds them: all that decide what is trained, none of how it was run."""
        given = {name: getattr(self, name) for name in ("threshold_for", "reject", "least")}
        costs = {"costs": None if self.costs is None else [str(each) for each in _listed(self.costs)]}
        return declaration.decisive(self) | given | costs

    @classmethod
    def of_record(cls, recorded: Mapping[str, Any]) -> TrainOptions:
        """The options of an earlier run, from the record of its model: with them it can be trained again."""
        return cls(**recorded)

    def reading(self) -> dict[str, Any]:
        """The options that decide which rows there are and what their features are, for any learner."""
        names = ("target", "task", "on_error")
        chosen = [
            each for each in in_shell(type(self)) if each.written.group in (FEATURES, READING) or each.name in names
        ]
        return {each.name: getattr(self, each.name) for each in chosen if each.written.decisive}

    def decisive(self) -> dict[str, Any]:
        """The options that a resumed run must share; of a metric for the threshold only whether one is given."""
        return {**declaration.decisive(self), "threshold_for": self.threshold_for is not None}


def _listed(costs: Mapping[tuple[Any, Any], float] | Sequence[str]) -> Sequence[str]:
    """Costs as the command line takes them."""
    if not isinstance(costs, Mapping):
        return costs
    return [f"{true},{predicted}={cost!r}" for (true, predicted), cost in costs.items()]
