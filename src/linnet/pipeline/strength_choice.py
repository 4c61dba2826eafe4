"""C, chosen from the rows that are trained on, where the user leaves it open.

Candidates are powers of 4 times the learner's own C.  From there the search goes downhill in the log loss of rows that
were not fitted to:

- few columns (times classes, if there are more than two) and no text: every row in turn is left out, approximately
  (training/left_out_scores.py); of a row of weight k, one of its k copies
- otherwise every row is in one of 5 folds, and is predicted by a fit to the others; as many folds are predicted as have
  enough rows, and many rows are divided only once

Then C is where the parabola through the lowest three is lowest.  The losses are smoothed: with the probability
1 / (2 (n + 1)) a label is taken to be another one, which is Jeffreys' estimate of what n rows are too few to show.
Without that, rows that a plane separates would ask for any C, and for probabilities of 0 and 1.  Of many rows a sample
is enough: C is the variance that is expected of the weights, which hardly depends on the number of rows.

Copies of a row are one row with the weight of all, and folds and samples are drawn by contents: so a row of weight k
is k copies here, too, all of which are in one fold.  Held-out rows have no part in any of this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Labels, LabelSets
from linnet.data.rows import Examples, Rows, select_examples, take_rows
from linnet.errors import NumericalError
from linnet.evaluation.path_choice import LEAST_PROBABILITY, lowest, smoothed
from linnet.evaluation.splits import FOLDS, Mask, dealt_folds, stratified_sample
from linnet.learners.entry import Entry
from linnet.learners.recipe import Reduction
from linnet.learners.regularisation import Regularisation
from linnet.model.record import StrengthChoice
from linnet.pipeline.dataset import TrainingSet
from linnet.pipeline.scaling import measured, scaled
from linnet.training.compact_rows import columns_in_use, compact
from linnet.training.distinct_rows import distinct
from linnet.training.fit import Settings, fit
from linnet.training.left_out_scores import left_out_scores
from linnet.training.log_count_ratio import Text
from linnet.training.problems import Problems

Flat = NDArray[np.float64]

FACTOR = 4.0
# The least and the largest C; the largest by folds, as fits take the longer the larger C is; and how much larger than
# the learner's own it may be by folds of a sample, where the fit to all rows takes long already.
LOWEST, HIGHEST, HIGHEST_BY_FOLDS, GROWTH_BY_SAMPLE = 4.0**-7, 4.0**7, 4.0**5, 4.0
# The relative duality gap of the fits to choose by: losses need not be known exactly.
TOL, TOL_OF_FOLDS = 1e-3, 1e-2
# Fewer rows than this are too few to choose by.
FEWEST = 10
# Leaving rows out one by one factors the Hessian of at most this many columns, or columns times classes.
PAIRED, PAIRED_JOINTLY = 1000, 700
# The most products of pairs of columns in that Hessian, over all rows: of more rows a sample is taken.
PRODUCTS = 2.5e8
# The most rows that are left out one by one; the most, times the classes if there are more than two, that are put into
# folds; and the size of the sample of more rows, which is divided once.
LEFT_OUT, FOLDED, DIVIDED = 2000, 2000, 3000
# Those are drawn, the same fraction of each class, from this many different rows, which show the classes well enough.
DRAWN = 1 << 14
# Rows in folds that are enough to predict; and rows that are divided once: one of three parts is predicted.
PREDICTED, PARTS = 500, 3
# Labels that C is chosen by where rows have several.
LABELS_TRIED = 5
TWO = Labels.in_order(np.array([0, 1]))


def is_open(entry: Entry, asked: Regularisation) -> bool:
    """Whether C is to be chosen: where it was not given, for probabilities under an L2 penalty."""
    penalty = entry.recipe.penalty
    smooth = penalty.l1 == 0 and penalty.l2 > 0
    return asked.C is None and entry.strength == "C" and entry.recipe.has_probabilities and smooth


def chosen(
    data: TrainingSet, entry: Entry, raw: Rows, which: Mask, seed: int, settings: Settings
) -> tuple[Entry, StrengthChoice | None]:
    """The learner with the C that suits these rows best; with its own, and no choice, where they are too few."""
    members = which if data.weights is None else which & (data.weights > 0)
    largest = GROWTH_BY_SAMPLE / entry.recipe.penalty.l2
    trial = _trial(data, entry, raw, members, seed, largest, settings)
    if trial is None:
        return entry, None

    def with_power(power: float) -> Entry:
        penalty = replace(entry.recipe.penalty, l2=entry.recipe.penalty.l2 / FACTOR**power)
        return replace(entry, recipe=replace(entry.recipe, penalty=penalty))

    def C(power: float) -> float:
        return 1.0 / with_power(power).recipe.penalty.l2

    means: dict[int, float] = {}

    def loss(power: int) -> float:
        losses = trial.losses(with_power(power))
        means[power] = float(np.average(losses, weights=trial.weights))
        return smoothed(losses, trial.weights)

    power = lowest(downhill(loss, lambda power: LOWEST <= C(power) <= trial.highest))
    tried = sorted(means)
    losses = tuple(means[each] for each in tried)
    return with_power(power), StrengthChoice("C", C(power), trial.way, trial.rows, tuple(map(C, tried)), losses)


def chosen_by_labels(
    data: TrainingSet, entry: Entry, raw: Rows, which: Mask, seed: int, settings: Settings
) -> tuple[Entry, StrengthChoice | None]:
    """As `chosen`, where rows have several labels: the median of what suits a few labels, each by itself.

    A sample has too few rows of a rare label to lower C: it would forbid weights that all rows support.
    """
    assert data.labels is not None
    assert data.labels.sets is not None
    sets, codes = data.labels.sets, data.targets.astype(np.int64)
    rows = np.bincount(codes[which], minlength=len(sets))
    alone = replace(entry, recipe=replace(entry.recipe, reduction=Reduction.ONE_VS_REST))
    found = []
    for label in _some_labels(sets, rows, len(data.labels)):
        has = sets.having(label)[codes]
        if 0 < has[which].sum() < which.sum():
            of_two = replace(data, targets=has.astype(np.float64), labels=TWO)
            found.append(chosen(of_two, alone, raw, which, seed, settings)[1])
    choices = sorted((each for each in found if each is not None), key=lambda each: each.value)
    if not choices:
        return entry, None
    median = choices[(len(choices) - 1) // 2]
    if median.rows < which.sum() and median.value * entry.recipe.penalty.l2 < 1.0:
        return entry, None
    penalty = replace(entry.recipe.penalty, l2=1.0 / median.value)
    way = f"{median.way}, the median of {len(choices)} labels"
    return replace(entry, recipe=replace(entry.recipe, penalty=penalty)), replace(median, way=way)


def _some_labels(sets: LabelSets, rows: NDArray[np.int64], labels: int) -> list[int]:
    """A few labels, from frequent to rare, each for as many answers: sets have so many rows."""
    counts = np.bincount(sets.labels, weights=np.repeat(rows, sets.sizes), minlength=labels)
    by_frequency = np.argsort(-counts, kind="stable")
    answers = np.cumsum(counts[by_frequency])
    middles = (2 * np.arange(LABELS_TRIED) + 1) / (2 * LABELS_TRIED) * answers[-1]
    at = np.unique(np.minimum(np.searchsorted(answers, middles), labels - 1))
    return [int(label) for label in by_frequency[at]]


def downhill(loss: Callable[[int], float], allowed: Callable[[int], bool]) -> dict[int, float]:
    """The loss at 0 and on from there until it rises: upwards, or, where that is not downhill, downwards."""
    found = {0: loss(0)}
    for step in (1, -1):
        power = 0
        while allowed(power + step):
            found[power + step] = loss(power + step)
            if not found[power + step] < found[power]:
                break
            power += step
        if power:
            break
    return found


# -- the losses of rows that were not fitted to ------------------------------------------------------------------------


class _Trial(Protocol):
    """Rows to choose by: how many, in which way, the weights of those that are predicted, and the largest C."""

    rows: int
    way: str
    weights: Flat | None
    highest: float

    def losses(self, entry: Entry) -> Flat:
        """The log loss of each row, by a fit without it; infinite where there is none."""


def _trial(
    data: TrainingSet, entry: Entry, raw: Rows, members: Mask, seed: int, highest: float, settings: Settings
) -> _Trial | None:
    """The way that suits the problem; None where there are too few rows.  `highest` is the largest C by a sample."""
    assert data.labels is not None
    at = np.flatnonzero(members)
    given = None if data.weights is None else data.weights[at]
    own = take_rows(raw, at)
    first, weights = distinct(own, data.targets[at], given, DRAWN)
    at, n, classes = at[first], len(first), len(data.labels)
    if n < FEWEST:
        return None
    one_by_one = 0 if data.features.text_features().any() else _most_left_out(entry, own, classes)
    del own  # rows may take most of the memory that there is
    folded = n * (classes if classes > 2 else 1) <= FOLDED
    some = stratified_sample(data.targets[at], one_by_one or DIVIDED, seed)
    at, weights = at[some], None if weights is None else weights[some]
    raw = take_rows(raw, at).unpacked()
    sample = replace(data, targets=data.targets[at], weights=weights)
    examples = sample.examples(scaled(raw, measured(data.features, raw, weights)))
    if one_by_one:
        examples = replace(examples, rows=compact(examples.rows))
        return _LeaveOneOut(examples, data.labels, np.ones(len(at)) if weights is None else weights, settings)
    fold = dealt_folds(examples.targets, FOLDS if folded else PARTS, seed)
    predicted = min(FOLDS, -(-PREDICTED * FOLDS // n)) if folded else 1
    folds = [fold == number for number in range(predicted) if (fold == number).any()]
    highest = HIGHEST_BY_FOLDS if len(at) == n else highest
    settings = replace(settings, text=Text(data.features.text_features(), weights))
    return _Folds(examples, data.labels, folds, highest, settings) if folds else None


def _most_left_out(entry: Entry, rows: Rows, classes: int) -> int:
    """How many rows to leave out one by one at most; 0 where the Hessian of all classes is not a small table."""
    columns = len(columns_in_use(rows))
    if classes == 2:
        return LEFT_OUT if columns <= PAIRED else 0
    size = classes * (columns + 1)
    small = entry.recipe.reduction is Reduction.JOINT and size <= PAIRED_JOINTLY
    return min(LEFT_OUT, int(PRODUCTS // size**2)) if small else 0


class _LeaveOneOut:
    """Every row in turn is left out of one fit to all, approximately; of several copies of a row, one."""

    way, highest = "leave-one-out", HIGHEST

    def __init__(self, examples: Examples, labels: Labels, copies: Flat, settings: Settings) -> None:
        self._examples, self._labels, self._settings = examples, labels, replace(settings, tol=TOL)
        self.rows, self.weights = len(copies), examples.weights
        self._left_out = (np.ones(self.rows) if examples.weights is None else examples.weights) / np.maximum(copies, 1)

    def losses(self, entry: Entry) -> Flat:
        try:
            trained = fit(entry, self._examples, self._labels, self._settings)
        except NumericalError:
            return np.full(self.rows, np.inf)
        self._settings = replace(self._settings, start=trained.start)
        part = Problems(entry, self._examples, self._labels)[0]
        scores = left_out_scores(part.objective, part.weights_in(trained.model), self._left_out)
        if scores.shape[1] == 1:
            return np.logaddexp(0.0, -part.objective.signed * scores[:, 0])
        own = scores[np.arange(self.rows), self._examples.targets.astype(np.int64)]
        return np.asarray(np.nan_to_num(np.logaddexp.reduce(scores, axis=1) - own, nan=np.inf))


class _Folds:
    """Each of some folds is predicted by a fit to all rows outside of it."""

    def __init__(
        self, examples: Examples, labels: Labels, folds: list[Mask], highest: float, settings: Settings
    ) -> None:
        self._examples, self._labels, self._settings = examples, labels, replace(settings, tol=TOL_OF_FOLDS)
        self._fitted_to = [
            (select_examples(examples, ~fold), settings.text and settings.text.of(~fold)) for fold in folds
        ]
        self._predicted = [select_examples(examples, fold) for fold in folds]
        self.rows, self.highest = len(examples.targets), highest
        of = "" if len(folds) == FOLDS else f" of {FOLDS}"
        self.way = "one split" if len(folds) == 1 else f"{len(folds)}{of} folds"
        weights = [fold.weights for fold in self._predicted if fold.weights is not None]
        self.weights = np.concatenate(weights) if weights else None

    def losses(self, entry: Entry) -> Flat:
        pairs = zip(self._fitted_to, self._predicted, strict=True)
        return np.concatenate([self._predicted_by(entry, *fitted_to, rows) for fitted_to, rows in pairs])

    def _predicted_by(self, entry: Entry, fitted_to: Examples, text: Text | None, predicted: Examples) -> Flat:
        """The losses of some rows by a fit to others."""
        codes = predicted.targets.astype(np.int64)
        try:
            model = fit(entry, fitted_to, self._labels, replace(self._settings, text=text)).model
            probabilities = model.predict_proba(predicted.rows)[np.arange(len(codes)), codes]
        except NumericalError:
            return np.full(len(codes), np.inf)
        return -np.log(np.maximum(probabilities, LEAST_PROBABILITY))
