"""The strength of a penalty tuned by cross-validation: `--tune`, `--C auto`, `--alpha auto`.

A path of strengths (training/strength_grid.py), from the strongest penalty to the weakest, with the C among them that
the learner would have without tuning, is fitted on all but each of some folds, and scored on the fold by a metric.
Scales of columns and weights of n-grams are those of the rows that are fitted to.  Each fit begins where the one before
ended, to a relative duality gap of TOL, which is stored.  The folds of a point run side by side; a path ends where
weaker penalties cannot win (evaluation/path_choice.py).  Last comes the point where a parabola through the best one and
its neighbours is best.

Copies of a row are in one fold, whatever their labels, and folds follow from the contents of rows and the seed alone.
Held-out rows have no part in any of this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Labels, label_text, plain_label
from linnet.data.packed_rows import PackedRows
from linnet.data.rows import Examples, Rows, take_rows
from linnet.data.task import Task
from linnet.errors import InputError, NumericalError, RecipeError
from linnet.evaluation import fold_metrics, path_choice
from linnet.evaluation.fold_metrics import Predicted
from linnet.evaluation.splits import Mask, grouped_folds
from linnet.evaluation.tuning_metrics import Metric, Tuning, default_metric
from linnet.learners.entry import Entry, Way
from linnet.learners.linear import LinearModel, logistic
from linnet.learners.regularisation import with_strength
from linnet.model.record import StrengthChoice
from linnet.pipeline.coefficient_paths import MeanWeights
from linnet.pipeline.dataset import TrainingSet
from linnet.pipeline.scaling import Scaling, measured, scaled
from linnet.training.distinct_rows import fingerprints
from linnet.training.fit import Settings
from linnet.training.log_count_ratio import Text
from linnet.training.penalty_path import PenaltyPath
from linnet.training.result import Start, Trained
from linnet.training.strength_grid import strengths
from linnet.training.threads import in_threads

# The relative duality gap of the fits to choose by.
TOL = 1e-2
LOG_LOSS = "log-loss"
# Rows of more bytes than this are copied for one fold at a time, and anew at every point.
KEPT = 1 << 28


class Tuned(NamedTuple):
    """The learner as chosen, how, and the mean weights of the folds at every point."""

    entry: Entry
    choice: StrengthChoice
    weights: MeanWeights


@dataclass(frozen=True, eq=False)
class Point:
    """What a fold found at one point: a score, NaN where it could not be fitted; the gap; the weights for raw rows; and
    the log loss to decide by, if there is one."""

    score: float
    gap: float | None = None
    weights: Any = None
    loss: float | None = None


def tuned(
    data: TrainingSet,
    entry: Entry,
    raw: Rows,
    which: Mask,
    seed: int,
    tuning: Tuning,
    settings: Settings,
    own: float | None = None,
) -> Tuned:
    """The learner with the strength that does best on the folds of these rows; `own` is what it would have otherwise,
    which is a point of the path, too."""
    metric, positive = _metric(data, entry, tuning)
    path = _Path(data, entry, raw, which, seed, tuning.folds, settings, metric, positive)
    grid = path.strengths(tuning.points)
    planned = _with_own(grid, own)
    seen = _Seen(MeanWeights(path.outputs * len(data.features) * (len(planned) + 1)), metric)
    for value in planned:
        seen.add(value, path.at(value))
        if path_choice.is_over(seen.deciding):
            break
    if np.isnan(seen.scores).any(axis=1).all():
        raise NumericalError(f"no {entry.strength} could be fitted to the folds: scale the columns, or give one")
    between = seen.between(grid)
    if between is not None:
        seen.add(between, path.at(between), among=planned)
    at = seen.tried.index(own) if own in seen.tried else None
    at = path_choice.chosen(seen.deciding, tuning.rule, seen.losses, at).at
    value = seen.tried[at]
    choice = StrengthChoice(
        entry.strength,
        value,
        f"{tuning.folds}-fold cross-validation",
        int(which.sum()),
        tuple(seen.tried),
        metric=str(metric),
        scores=tuple((seen.sign * seen.scores.mean(axis=1)).tolist()),
        standard_errors=tuple(path_choice.standard_errors(seen.scores).tolist()),
        gaps=seen.gaps,
        folds=tuning.folds,
        points=len(planned) + (between is not None),
        rule=str(tuning.rule),
    )
    return Tuned(with_strength(entry, value), choice, seen.weights)


def _with_own(grid: list[float], own: float | None) -> list[float]:
    """The points of the path with the learner's own strength where it belongs."""
    if own is None or own in grid:
        return grid
    return sorted([*grid, own], reverse=grid[0] > grid[-1])


class _Seen:
    """The points that were fitted, from the strongest penalty on: the folds' scores, turned so that more is better."""

    def __init__(self, weights: MeanWeights, metric: Metric) -> None:
        self.weights, self.metric, self.sign = weights, metric, 1.0 if metric.higher else -1.0
        self.tried: list[float] = []
        self._points: list[list[Point]] = []

    def add(self, value: float, points: list[Point], among: list[float] | None = None) -> None:
        """The next point; or, `among` those of a path, one between two that were fitted."""
        falls = among is not None and among[0] > among[-1]
        at = len(self.tried) if among is None else sum((each > value) == falls for each in self.tried)
        self.tried.insert(at, value)
        self.weights.add([point.weights for point in points], at)
        self._points.insert(at, [replace(point, weights=None) for point in points])

    @property
    def scores(self) -> NDArray[np.float64]:
        return self.sign * np.array([[point.score for point in points] for points in self._points])

    @property
    def deciding(self) -> NDArray[np.float64]:
        """The scores to decide by: of the log loss, the smoothed one."""
        losses = self.losses if self.metric.name == LOG_LOSS else None
        return self.scores if losses is None else losses

    @property
    def losses(self) -> NDArray[np.float64] | None:
        """Log losses, negated, if they are known beside the scores."""
        found = [[point.loss for point in points] for points in self._points]
        known = all(any(each is not None for each in points) for points in found)
        return -np.array([[np.nan if each is None else each for each in points] for points in found]) if known else None

    @property
    def gaps(self) -> tuple[float | None, ...]:
        """The largest gap of every point; none, where nothing is proven."""
        known = [[point.gap for point in points if point.gap is not None] for points in self._points]
        gaps = [
            max(each) if len(each) == len(points) else None for each, points in zip(known, self._points, strict=True)
        ]
        return tuple(gaps) if any(gap is not None for gap in gaps) else ()

    def between(self, grid: list[float]) -> float | None:
        """Where, between points of the grid, the parabola through the best of them and its neighbours is best, to a
        quarter of a step: the rounding of scores decides nothing."""
        table = self.scores if self.losses is None else self.losses
        means = dict(zip(self.tried, table.mean(axis=1).tolist(), strict=True))
        known = [means[value] for value in grid if value in means and not np.isnan(means[value])]
        at = int(np.argmax(known)) if known else 0
        if not 0 < at < len(known) - 1 or len(known) < sum(value in means for value in grid):
            return None
        part = path_choice.lowest({step: -known[at + step] for step in (-1, 0, 1)})
        value = float(f"{grid[at] * (grid[at + 1] / grid[at]) ** part:.6g}")
        return None if value in self.tried else value


def _metric(data: TrainingSet, entry: Entry, tuning: Tuning) -> tuple[Metric, int | None]:
    """The metric, and the code of its label; refused where the rows do not have it."""
    labels, task = data.labels, data.features.task
    metric = default_metric(entry, task) if tuning.metric is None else tuning.metric
    metric.check(entry, task, 0 if labels is None else len(labels))
    several = labels is not None and labels.sets is not None
    if several and metric.name not in ("log-loss", "accuracy"):
        raise RecipeError(f"{metric} is of one label a row, and these have several: tune by log-loss or accuracy")
    if metric.label is None or labels is None:
        return metric, None
    names = [label_text(plain_label(label)) for label in labels.classes.tolist()]
    if metric.label not in names:
        raise RecipeError(f"the label {metric.label!r} is unknown: there are {', '.join(map(repr, names[:20]))}")
    return metric, names.index(metric.label)


class _Path:
    """The folds, each with its own path of fits."""

    def __init__(
        self,
        data: TrainingSet,
        entry: Entry,
        raw: Rows,
        which: Mask,
        seed: int,
        folds: int,
        settings: Settings,
        metric: Metric,
        positive: int | None,
    ) -> None:
        self.data, self.entry, self.raw, self.which = data, entry, raw, which
        self.metric, self.positive, self.threads = metric, positive, settings.threads
        self.settings = replace(settings, threads=1, tol=TOL)
        members = which if data.weights is None else which & (data.weights > 0)
        fold = _folds(data, raw, members, folds, seed)
        self.kept = raw.entries * 8 <= KEPT
        pairs = [(members & (fold != number), members & (fold == number)) for number in range(folds)]
        self.folds = [_Fold(fitted_to, asked) for fitted_to, asked in pairs if asked.any()]
        asked = members & (fold >= 0)
        self.asked = float(asked.sum() if data.weights is None else data.weights[asked].sum())

    @property
    def outputs(self) -> int:
        return 1 if self.data.labels is None or len(self.data.labels) == 2 else len(self.data.labels)

    def strengths(self, points: int) -> list[float]:
        """The points of the path, by all rows that are not held out."""
        examples = self.data.examples(self._scaled(self.which)[0], self.which)
        return strengths(self.entry, examples, self.data.labels, self._text(self.which), points)

    def at(self, value: float) -> list[Point]:
        """The point of every fold."""
        learner = with_strength(self.entry, value)
        counting = {"alpha": value} if learner.way is Way.COUNTING else {}
        return in_threads(
            lambda fold: self._point(fold, learner, counting), self.folds, self.threads if self.kept else 1
        )

    def _point(self, fold: _Fold, learner: Entry, counting: Mapping[str, Any]) -> Point:
        state = fold.state or self._state(fold, counting)
        if counting:
            state = state._replace(path=PenaltyPath(state.fitted, self.data.labels, self._settings(fold, counting)))
        fold.state = state if self.kept else None
        try:
            trained = state.path.at(learner)
            fold.ended = state.path.ended
            predicted = self._predicted(trained.model, state.asked)
            score = fold_metrics.value(self.metric, predicted, self.positive)
            loss = self._loss(predicted)
        except NumericalError:
            return Point(float("nan"))
        return Point(score, _gap(trained), _for_raw(trained.model, state.scaling, self.raw), loss)

    def _loss(self, predicted: Predicted) -> float | None:
        """The log loss to decide by, where there are probabilities.

        Without smoothing, rows that a plane separates would ask for any C.
        """
        if predicted.probabilities is None or not (self.metric.counts_answers or self.metric.name == LOG_LOSS):
            return None
        return path_choice.smoothed(fold_metrics.log_losses(predicted), predicted.weights, self.asked)

    def _state(self, fold: _Fold, counting: Mapping[str, Any]) -> _State:
        """The rows of a fold, on the scale of those that are fitted to, and a path of fits to them."""
        rows, scaling = self._scaled(fold.fitted_to)
        fitted = self.data.examples(rows, fold.fitted_to)
        asked = Examples(
            take_rows(rows, np.flatnonzero(fold.asked)),
            self.data.targets[fold.asked],
            None if self.data.weights is None else self.data.weights[fold.asked],
        )
        path = PenaltyPath(fitted, self.data.labels, self._settings(fold, counting))
        return _State(fitted, asked, scaling, path)

    def _settings(self, fold: _Fold, counting: Mapping[str, Any]) -> Settings:
        text = self._text(fold.fitted_to)
        return replace(self.settings, text=text, counting=counting, start=fold.ended)

    def _scaled(self, fitted_to: Mask) -> tuple[Rows, Scaling | None]:
        """All rows, on the scale of some of them; online and counting learners take them as they are."""
        if self.entry.way is not Way.BATCH:
            return self.raw, None
        weights = None if self.data.weights is None else self.data.weights[fitted_to]
        scaling = measured(self.data.features, take_rows(self.raw, np.flatnonzero(fitted_to)), weights)
        return scaled(self.raw, scaling), scaling

    def _text(self, which: Mask) -> Text | None:
        if isinstance(self.raw, PackedRows):
            return None
        weights = None if self.data.weights is None else self.data.weights[which]
        return Text(self.data.features.text_features(), weights)

    def _predicted(self, model: LinearModel, asked: Examples) -> Predicted:
        truth, weights, labels = asked.targets, asked.weights, self.data.labels
        probable = self.entry.recipe.has_probabilities
        if labels is not None and labels.sets is not None:
            return _each_label(model.scores(asked.rows), labels, truth, probable=probable)
        decision = model.decision(asked.rows)
        if labels is None:
            return Predicted(truth, model.means(decision), weights)
        scores = decision if decision.ndim == 1 else None
        probabilities = model.probabilities(decision) if probable else None
        return Predicted(truth, model.codes(decision), weights, scores, probabilities)


class _State(NamedTuple):
    """The rows of a fold while they are kept: those fitted to, those asked, their scale, the fits."""

    fitted: Examples
    asked: Examples
    scaling: Scaling | None
    path: PenaltyPath


@dataclass(eq=False)
class _Fold:
    """Which rows are fitted to and which are asked; what is kept from point to point."""

    fitted_to: Mask
    asked: Mask
    state: _State | None = None
    ended: Start | None = field(default=None, repr=False)


def _folds(data: TrainingSet, raw: Rows, members: Mask, folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of every row; a class of a single group of copies would be unknown where that is left out."""
    at = np.flatnonzero(members)
    sets = data.labels is not None and data.labels.sets is not None
    classes = data.features.task is Task.CLASSIFICATION and not sets
    codes = data.targets[at] if classes else None
    groups = fingerprints(take_rows(raw, at))
    if len(np.unique(groups)) < folds:
        raise InputError(f"there are too few different rows for {folds} folds: take fewer folds, or do not tune")
    fold = np.full(len(members), -1, dtype=np.int64)
    fold[at] = grouped_folds(groups, codes, folds, seed)
    if codes is not None:
        for code in np.unique(codes):
            own = at[codes == code]
            if len(np.unique(fold[own])) == 1:
                fold[own] = -2  # fitted to in every fold, asked in none
    return fold


def _each_label(scores: NDArray[np.float64], labels: Labels, truth: Any, *, probable: bool) -> Predicted:
    """Every label of every row as a prediction of its own: it has it, or not."""
    assert labels.sets is not None
    has = labels.sets.indicator(truth, scores.shape[1]).reshape(-1).astype(np.float64)
    flat = scores.reshape(-1)
    second = logistic(flat) if probable else None
    probabilities = None if second is None else np.column_stack([1.0 - second, second])
    return Predicted(has, (flat > 0).astype(np.float64), None, flat, probabilities)


def _gap(trained: Trained) -> float | None:
    """The proven gap; None where nothing is proven."""
    gap = trained.certificate.gap
    return None if trained.certificate.reason or not np.isfinite(gap) else float(gap)


def _for_raw(model: LinearModel, scaling: Scaling | None, raw: Rows) -> Any:
    """The weights for raw rows, without the intercept; None where they are no table."""
    weights = model.weights
    if not isinstance(weights, np.ndarray):
        return None
    if isinstance(raw, PackedRows):
        weights = np.zeros((raw.table.features, weights.shape[1]))
        weights[raw.used] = model.weights
    return weights if scaling is None else weights / scaling.units[:, np.newaxis]
