"""ClassificationTally: metrics of predicted classes, probabilities and scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.data.labels import Label, plain_label
from linnet.decisions.costs import Rule
from linnet.errors import InputError
from linnet.evaluation import validation
from linnet.evaluation.decision_costs import CostResult, CostTally
from linnet.evaluation.exact_sums import Counts, ExactSum, Floats, Moments, root
from linnet.evaluation.intervals import Interval, none, share_interval
from linnet.evaluation.json_values import plain
from linnet.evaluation.macro_f1 import macro_f1_interval
from linnet.evaluation.pictures import Histogram, ThresholdCurve, few_values, histogram, threshold_curve
from linnet.evaluation.reliability_diagram import Bin, Reliability
from linnet.evaluation.result_tables import ClassesShown
from linnet.evaluation.roc_area import auc_interval
from linnet.evaluation.skewed_means import loss_interval
from linnet.evaluation.sorted_counts import LIMIT, SortedCounts
from linnet.evaluation.weights import SquaredCounts, WeightCounts, WeightTotal, plain_numbers

UNKNOWN_LABEL = -1
# Probabilities are clipped to this and 1 minus this, as in scikit-learn: no log loss exceeds 36.04.
SMALLEST = float(np.finfo(np.float64).eps)
# Of more classes than this there is no table of which are taken for which: it would have the square of their number.
CONFUSED_AT_MOST = 1000
# Probabilities computed in float32 add up to 1 only to this tolerance.
SUM_TOLERANCE = 1e-3


@dataclass(frozen=True)
class ClassResult:
    """One class against the rest; NaN where a metric is not defined."""

    label: Label
    precision: float
    recall: float
    f1: float
    support: int | float


@dataclass(frozen=True)
class ClassificationResult(ClassesShown):
    """The metrics over all rows added.  NaN, with NaN ends, where a metric is not defined.

    A row whose label the model does not know is an error in every metric except ROC AUC, average precision and
    reliability, which leave it out.  It is counted in `unknown_confusion`, not in `confusion`.  Rows that a rule
    rejects count with the label they would otherwise get, except in `costs`.  With weights that are not whole numbers,
    `rows` is the number of rows that have one above 0; support, confusion and the rows of a bin are sums of weights.
    """

    rows: int
    unknown_labels: int | float
    accuracy: float
    accuracy_interval: Interval
    baseline_accuracy: float  # of always predicting the most frequent class of these rows
    classes: tuple[ClassResult, ...]
    macro_f1: float  # mean over the classes that occur among true or predicted labels
    macro_f1_interval: Interval
    micro_f1: float  # equals the accuracy, since a row has one label
    weighted_f1: float  # mean over rows of the F1 of the true class
    # (K, K): one row a true class, one column a predicted class; empty for more than CONFUSED_AT_MOST classes
    confusion: tuple[tuple[int | float, ...], ...]
    # (K,): predicted classes of the rows whose label the model does not know
    unknown_confusion: tuple[int | float, ...]
    log_loss: float
    log_loss_interval: Interval
    brier: float  # Σ_k (p_k - [truth is k])², halved for two classes: then it is (p - y)²
    brier_interval: Interval
    roc_auc: float  # two classes only; the second is positive
    roc_auc_interval: Interval
    roc_auc_error: float  # bound on the error by rounding of scores; 0 if all scores were kept exactly
    average_precision: float  # Σ (R_i - R_{i-1}) P_i over thresholds; two classes only
    calibration_error: float  # expected calibration error: mean |observed - predicted| over bins, weighted by rows
    calibration_error_by_chance: float  # its approximate expectation if every probability were right
    reliability: tuple[Bin, ...]  # of the second of two classes; of the most probable class of more
    costs: CostResult | None  # of the decisions of a rule, if there is one
    curve: ThresholdCurve | None = None  # of two classes: the rows above each threshold on the score
    # of the margins: of two classes y (w . x + b), of more the score of the true class less the largest of the others
    margins: Histogram | None = None

    @property
    def headline(self) -> str:
        """The one figure for a line."""
        return f"accuracy {self.accuracy:.3f}"

    def _by_class(self) -> tuple[ClassResult, ...]:
        return self.classes

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, with None where a metric is not defined."""
        result: dict[str, Any] = plain(self)
        return result


class ClassificationTally:
    """Adds up predictions block by block, in memory that does not grow with the number of rows."""

    def __init__(self, classes: ArrayLike, rule: Rule | None = None, *, distinct_scores: int = LIMIT) -> None:
        self.classes: NDArray[Any] = np.asarray(classes)
        if self.classes.ndim != 1 or not len(self.classes):
            raise InputError("classes must be a list of at least one label")
        k = len(self.classes)
        self._seen = 0
        self._kind: tuple[bool, bool] | None = None
        self._weights = WeightTotal()
        self._right_weights = WeightTotal()
        self._ranked_weights = (WeightTotal(), WeightTotal())  # of either of two classes
        # the last row is for unknown labels; of very many classes only true and predicted rows, and hits, are counted
        self._crowded = k > CONFUSED_AT_MOST
        self._confusion = WeightCounts(3, k + 1) if self._crowded else WeightCounts(k + 1, k)
        self._squared_confusion: SquaredCounts | None = None  # by squared weights, once there are some
        self._log_loss = Moments()
        self._brier = Moments()
        self._runner_up = ExactSum()  # squared log losses as if the class that is second most probable were true
        self._scores = SortedCounts(kinds=2, limit=distinct_scores)
        self._margins = few_values()  # of more than two classes; those of two are scores
        self._reliability = Reliability()
        self._costs = None if rule is None else CostTally(rule)

    def add(
        self,
        truth: ArrayLike,
        predicted: ArrayLike,
        probabilities: ArrayLike | None = None,
        scores: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        margins: ArrayLike | None = None,
    ) -> None:
        """Add a block of true class numbers (-1: a label the model does not know) and predictions.

        Probabilities are (rows, classes).  Scores, for two classes only, rank the rows for ROC AUC and average
        precision; without them the probability of the second class does.  Weights are how much each row counts (see
        `linnet.evaluation.weights`).  With a rule, predicted classes are those before rejection.  Margins are for a
        picture, of more than two classes: those of two are their scores.
        """
        k = len(self.classes)
        y = validation.codes("true classes", truth, UNKNOWN_LABEL, k, self._seen)
        z = validation.codes("predicted classes", predicted, 0, k, self._seen)
        if len(y) != len(z):
            raise InputError(f"there are {len(y)} true classes, but {len(z)} predicted ones: pass one of each a row")
        w = validation.row_weights(weights, len(y), self._seen)
        p = None if probabilities is None else self._probabilities(probabilities, len(y))
        s = None if scores is None else self._ranked(scores, len(y))
        m = None if margins is None else validation.numbers("margins", margins, self._seen, (len(y),))
        if not len(y):
            return
        if self._costs is not None and p is None:
            raise InputError("a rule decides by probabilities: pass them")
        kind = (p is not None, s is not None)
        if self._kind not in (None, kind):
            raise InputError("only some blocks have probabilities or scores: pass them with every block or with none")

        self._kind = kind
        self._seen += len(y)
        if w is not None and not w.all():
            kept = w > 0
            y, z, w = y[kept], z[kept], w[kept]
            p, s, m = (None if each is None else each[kept] for each in (p, s, m))
        self._weights.add(len(y), w)
        right = y == z
        self._right_weights.add(int(right.sum()), None if w is None else w[right])
        if w is not None and self._squared_confusion is None and not self._crowded:
            self._squared_confusion = SquaredCounts(self._confusion.values())
        if self._crowded:
            unknown = np.where(y == UNKNOWN_LABEL, k, y)
            for line, cells, which in ((0, unknown, ...), (1, z, ...), (2, z[right], right)):
                self._confusion.add((np.full(len(cells), line), cells), len(cells), None if w is None else w[which])
        else:
            self._confusion.add((y, z), len(y), w)
        if self._squared_confusion is not None:
            self._squared_confusion.add((y, z), len(y), w)
        if p is not None:
            self._log_loss.add(_log_losses(y, p), w)
            self._brier.add(_brier_scores(y, p), w)
            self._runner_up.add(_runner_up_losses(p) ** 2, w=w)
            self._reliability.add(y, p, w)
            if self._costs is not None:
                self._costs.add(y, z, p, w)
            if s is None and k == 2:
                s = np.ascontiguousarray(p[:, 1])
        known = y != UNKNOWN_LABEL
        if m is not None:
            self._margins.add(m[known], w=None if w is None else w[known])
        if s is not None:
            self._scores.add(s[known], y[known], None if w is None else w[known])
            for code, total in enumerate(self._ranked_weights):
                total.add(int((y == code).sum()), None if w is None else w[y == code])

    def result(self, confidence: float = 0.95) -> ClassificationResult:
        """The metrics of the rows so far; more may be added afterwards."""
        k = len(self.classes)
        confusion = self._confusion.values()
        if self._crowded:
            support, named, hits = confusion[0], confusion[1, :k], confusion[2, :k]
        else:
            hits, support, named = confusion.diagonal(), confusion.sum(axis=1), confusion.sum(axis=0)
        rows, right = self._weights.total(), min(hits.sum().item(), self._weights.total())
        whole, worth = self._weights.whole, self._weights.worth()

        def worth_of(moments: Moments) -> float:
            return worth if whole else moments.worth(worth)

        sizes = support[:k] + named
        f1 = _ratio(2 * hits, sizes)
        occurring = sizes > 0
        macro_f1 = float(f1[occurring].mean()) if rows else math.nan
        counts = self._scores.counts()
        of_classes = (self._ranked_weights[0].worth(whole), self._ranked_weights[1].worth(whole))
        auc, auc_ends = auc_interval(counts[:, 0], counts[:, 1], confidence, of_classes)
        accuracy = right / rows if rows else math.nan
        worst_brier = 2.0 if k > 2 else 1.0
        error, by_chance, bins = self._reliability.result(confidence, None if whole else worth / self._weights.rows)
        columns = zip(
            self.classes.tolist(), _ratio(hits, named), _ratio(hits, support[:k]), f1, support[:k], strict=True
        )
        return ClassificationResult(
            rows=self._weights.counted(),
            unknown_labels=support[k].item(),
            accuracy=accuracy,
            accuracy_interval=share_interval(right, rows, self._weights.worth_for(self._right_weights), confidence),
            baseline_accuracy=support[:k].max().item() / rows if rows else math.nan,
            classes=tuple(
                ClassResult(plain_label(c), float(p), float(r), float(f), n.item()) for c, p, r, f, n in columns
            ),
            macro_f1=macro_f1,
            macro_f1_interval=none(f"more than {CONFUSED_AT_MOST:,} labels")
            if self._crowded
            else macro_f1_interval(confusion, f1, sizes, worth, confidence, None if whole else self._squares_by_cell()),
            micro_f1=accuracy,
            weighted_f1=float((support[:k] * f1)[occurring].sum()) / rows if rows else math.nan,
            confusion=() if self._crowded else plain_numbers(confusion[:k]),
            unknown_confusion=() if self._crowded else plain_numbers(confusion[k]),
            log_loss=self._log_loss.mean(),
            log_loss_interval=loss_interval(
                self._log_loss, worth_of(self._log_loss), self._worst_log_loss(), confidence
            ),
            brier=self._brier.mean(),
            brier_interval=loss_interval(self._brier, worth_of(self._brier), worst_brier, confidence, worst_brier),
            roc_auc=auc,
            roc_auc_interval=auc_ends,
            roc_auc_error=math.nan if math.isnan(auc) else 0.0 if self._scores.exact else _tied(counts) / 2,
            average_precision=_average_precision(counts),
            calibration_error=error,
            calibration_error_by_chance=by_chance,
            reliability=bins,
            costs=None if self._costs is None else self._costs.result(confidence),
            curve=threshold_curve(self._scores.values(), counts),
            margins=self._margin_histogram(counts),
        )

    def _margin_histogram(self, counts: Counts | Floats) -> Histogram | None:
        """Of two classes only where there are scores: a probability is no margin."""
        if self._kind is None or not self._kind[1]:
            return histogram(self._margins.values(), self._margins.counts()[:, 0])
        scores = self._scores.values()
        margins = np.concatenate([-scores[::-1], scores])
        weights = np.concatenate([counts[::-1, 0], counts[:, 1]])
        rising = np.argsort(margins, kind="stable")
        return histogram(margins[rising], weights[rising])

    def _squares_by_cell(self) -> Floats | None:
        return None if self._squared_confusion is None else self._squared_confusion.values()

    def _worst_log_loss(self) -> float:
        """What a mistake that was not seen may cost: the log loss if the runner-up were right, in root mean square."""
        total = self._log_loss.total()
        return root(self._runner_up.value() / total) if total else 0.0

    def _probabilities(self, probabilities: ArrayLike, rows: int) -> Floats:
        p = validation.numbers("probabilities", probabilities, self._seen, (rows, len(self.classes)))
        wrong = (p < 0).any(axis=1) | (p > 1).any(axis=1) | (np.abs(p.sum(axis=1) - 1) > SUM_TOLERANCE)
        if wrong.any():
            row = self._seen + int(np.flatnonzero(wrong)[0])
            raise InputError(f"the probabilities of row {row} are not between 0 and 1 or do not add up to 1")
        return p

    def _ranked(self, scores: ArrayLike, rows: int) -> Floats:
        if len(self.classes) != 2:
            raise InputError(f"scores rank two classes, and there are {len(self.classes)}: leave them out")
        return validation.numbers("scores", scores, self._seen, (rows,))


def _ratio(above: Counts | Floats, below: Counts | Floats) -> Floats:
    return np.where(below > 0, above / np.where(below > 0, below, 1), math.nan)


def _log_losses(y: Counts, p: Floats) -> Floats:
    """-log of the probability of the true class, 0 for an unknown label."""
    of_truth = np.where(y == UNKNOWN_LABEL, 0.0, p[np.arange(len(y)), y])
    losses: Floats = -np.log(np.clip(of_truth, SMALLEST, 1 - SMALLEST))
    return losses


def _runner_up_losses(p: Floats) -> Floats:
    second = p.min(axis=1) if p.shape[1] <= 2 else np.partition(p, -2, axis=1)[:, -2]
    losses: Floats = -np.log(np.clip(second, SMALLEST, 1 - SMALLEST))
    return losses


def _brier_scores(y: Counts, p: Floats) -> Floats:
    """Σ_k (p_k - [truth is k])²; an unknown label is a class of its own with probability 0."""
    known = y != UNKNOWN_LABEL
    distance = p.copy()
    distance[known, y[known]] -= 1
    squares: Floats = (distance * distance).sum(axis=1) + ~known
    return squares / 2 if p.shape[1] == 2 else squares


def _tied(counts: Counts | Floats) -> float:
    """The fraction of pairs of rows of different classes with equal scores."""
    negatives, positives = counts.astype(np.float64).T
    return float((negatives * positives).sum() / (negatives.sum() * positives.sum()))


def _average_precision(counts: Counts | Floats) -> float:
    if not counts.sum(axis=0).all():
        return math.nan
    falling = counts[::-1]
    taken = falling.cumsum(axis=0)
    precision = taken[:, 1] / taken.sum(axis=1)
    return float((falling[:, 1] * precision).sum() / taken[-1, 1])
